//! Starting, watching and stopping loads.

use super::machine::{KEY, TARGET, named};
use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::jobs::{Jobs, OPTIONS, VERBS};
use crate::route::{Body, Call, Gives, Route, Run, Verb};
use crate::shape::{Field, ID, Letters, Shape, UNIX_MS, may, must};
use serde_json::{Map, Value, json};
use std::sync::Arc;

const TEXT: Shape = Shape::Text {
    max: 100_000,
    of: Letters::Any,
};
const ONE: &[Field] = &[must("id", ID, "number of the job")];

const LINE: Shape = Shape::Open(&[must("unix_ms", UNIX_MS, ""), must("text", TEXT, "")]);

const JOB: Shape = Shape::Open(&[
    must("schema", Shape::OneOf(&["iodyno.job/1"]), ""),
    must("id", ID, ""),
    must("verb", Shape::OneOf(VERBS), ""),
    must("target", TARGET, ""),
    must("command", TEXT, "the same as one would type it"),
    must(
        "state",
        Shape::OneOf(&["running", "stopping", "done", "stopped", "failed"]),
        "",
    ),
    must("started_unix_ms", UNIX_MS, ""),
    must("ended_unix_ms", Shape::OrNull(&UNIX_MS), ""),
    must(
        "exit",
        Shape::OrNull(&Shape::Int { min: 0, max: 255 }),
        "exit code of the verb",
    ),
    must(
        "record",
        Shape::OrNull(&ID),
        "number of the record that it left",
    ),
    must(
        "outcome",
        Shape::OrNull(&TEXT),
        "how it ended, in a sentence",
    ),
    must(
        "everything_back",
        Shape::OrNull(&Shape::Bool),
        "whether every setting is as it was, once it ended",
    ),
    must(
        "progress",
        Shape::List {
            of: &LINE,
            max: 1000,
        },
        "what it said",
    ),
    must("last", Shape::Any, "its last document"),
]);

pub const ROUTES: &[Route] = &[
    Route {
        body: Body::Json(&[
            must("verb", Shape::OneOf(VERBS), "what to start"),
            KEY,
            may("options", Shape::Object(OPTIONS), "of the verb"),
        ]),
        refuses: &[409, 503],
        ..Route::new(
            Verb::Post,
            "/api/v1/jobs",
            "Start a load; one at a time.",
            Gives::Json(JOB),
            Run::Call(start),
        )
    },
    Route::new(
        Verb::Get,
        "/api/v1/jobs",
        "The loads that this server started, the newest first.",
        Gives::Json(Shape::Open(&[must(
            "jobs",
            Shape::List { of: &JOB, max: 100 },
            "",
        )])),
        Run::Call(all),
    ),
    Route {
        place: ONE,
        ..Route::new(
            Verb::Get,
            "/api/v1/jobs/{id}",
            "One of them.",
            Gives::Json(JOB),
            Run::Quick(one),
        )
    },
    Route {
        place: ONE,
        ..Route::new(
            Verb::Delete,
            "/api/v1/jobs/{id}",
            "Stop it as Ctrl-C does: it puts everything back, which its outcome says when it has ended.",
            Gives::Json(JOB),
            Run::Quick(stop),
        )
    },
];

fn start(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let target = named(door, call)?;
    let none = Map::new();
    let options = call
        .body
        .get("options")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let verb = call.text("verb").unwrap_or_default();
    Reply::json(&Jobs::start(door, verb, target, options)?)
}

fn all(door: &Arc<Door>, _: &Call) -> Result<Reply, Fault> {
    Reply::json(&json!({"schema": "iodyno.jobs/1", "jobs": door.jobs.all()}))
}

fn one(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&door.jobs.get(call.id("id")?)?)
}

fn stop(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&door.jobs.stop(call.id("id")?)?)
}
