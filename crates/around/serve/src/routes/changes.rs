//! What is changed on this machine, what an apply would do, doing it, and taking it back.

use crate::answer::{Fault, JSON, Reply};
use crate::door::Door;
use crate::route::{Body, Call, Gives, Route, Run, Verb};
use crate::shape::{ID, Letters, Shape, line, may, must, name};
use crate::verbs;
use host::Privileges;
use runner::Answer;
use serde_json::{Value, json};
use std::sync::Arc;

const TEXT: Shape = Shape::Text {
    max: 1 << 20,
    of: Letters::Any,
};
const OPEN: Shape = Shape::Open(&[]);

pub const ROUTES: &[Route] = &[
    Route::new(
        Verb::Get,
        "/api/v1/changes",
        "What is changed and not yet put back: what `status` prints.",
        Gives::Json(Shape::Open(&[
            must("schema", Shape::OneOf(&["iodyno.status/1"]), ""),
            must(
                "journals",
                Shape::List {
                    of: &OPEN,
                    max: 100_000,
                },
                "",
            ),
        ])),
        Run::Look(status),
    ),
    Route {
        query: &[
            must("record", ID, "a tune's record"),
            may("persist", Shape::Bool, "also for after the next boot"),
        ],
        refuses: &[409, 422],
        ..Route::new(
            Verb::Get,
            "/api/v1/changes/plan",
            "What applying a record would do: `apply --dry-run` and its words.",
            Gives::Json(Shape::Open(&[
                must("schema", Shape::OneOf(&["iodyno.plan/1"]), ""),
                must(
                    "document",
                    Shape::Open(&[must("device", TEXT, "to be repeated in `confirm`")]),
                    "",
                ),
                must(
                    "words",
                    Shape::List {
                        of: &TEXT,
                        max: 10_000,
                    },
                    "each setting with what it is and will be",
                ),
            ])),
            Run::Verb(plan),
        )
    },
    Route {
        body: Body::Json(&[
            must("record", ID, "a tune's record"),
            may("persist", Shape::Bool, "also for after the next boot"),
            must(
                "confirm",
                line(100),
                "name of the device whose settings are changed",
            ),
        ]),
        refuses: &[409, 422, 503],
        ..Route::new(
            Verb::Post,
            "/api/v1/changes/apply",
            "Put in place what a record proved: `apply`.",
            Gives::Json(Shape::Open(&[must(
                "schema",
                Shape::OneOf(&["iodyno.apply/2"]),
                "",
            )])),
            Run::Verb(apply),
        )
    },
    Route {
        body: Body::Json(&[must("journal", name(100), "as /changes names it")]),
        refuses: &[409, 422, 503],
        ..Route::new(
            Verb::Post,
            "/api/v1/changes/undo",
            "Put old values back: `undo`.",
            Gives::Json(Shape::Open(&[must(
                "schema",
                Shape::OneOf(&["iodyno.undo/1"]),
                "",
            )])),
            Run::Verb(undo),
        )
    },
];

fn status(door: &Arc<Door>, _: &Call) -> Result<Reply, Fault> {
    let status = Privileges::Inspect
        .within(|| lookup::status::read(&door.host, &door.options.state_dir))?
        .map_err(Fault::unreadable)?;
    Reply::json(&status)
}

/// The words of an apply.
fn words(call: &Call, is_dry: bool) -> Result<Vec<String>, Fault> {
    let mut words = vec!["apply".to_string(), call.id("record")?.to_string()];
    words.extend(call.flag("persist").then(|| "--persist".to_string()));
    words.extend(is_dry.then(|| "--dry-run".to_string()));
    Ok(words)
}

fn try_out(door: &Door, call: &Call) -> Result<(Value, Answer), Fault> {
    let done = verbs::look(door, call, Privileges::Inspect, &words(call, true)?)?;
    Ok((verbs::value(&done.document)?, done))
}

fn plan(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let (document, done) = try_out(door, call)?;
    let words: Vec<&str> = done.words.lines().collect();
    Reply::json(&json!({"schema": "iodyno.plan/1", "document": document, "words": words}))
}

fn apply(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let (document, _) = try_out(door, call)?;
    if document["device"].as_str() != call.text("confirm") {
        return Err(Fault::new(
            409,
            "confirm is not the name of the device that would be changed",
        )
        .hint("GET /api/v1/changes/plan shows what would be changed, and on which device."));
    }
    Ok(changed(verbs::change(door, &words(call, false)?)?))
}

fn undo(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let journal = call.text("journal").unwrap_or_default().to_string();
    let words = ["undo".to_string(), "--".to_string(), journal];
    Ok(changed(verbs::change(door, &words)?))
}

fn changed(answer: Answer) -> Reply {
    Reply::bytes(JSON, answer.document)
}
