//! What there is to look at, and the path below it.

use crate::answer::{Fault, JSON, Reply};
use crate::door::Door;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::shape::{Field, Letters, Shape, must, name};
use crate::targets::{self, Target};
use crate::verbs;
use host::Privileges;
use model::iopath::IoPath;
use model::job::Job;
use model::record::{Provenance, RECORD_SCHEMA, Record};
use model::studies::Studies;
use serde_json::json;
use std::sync::Arc;

const TEXT: Shape = Shape::Text {
    max: 10_000,
    of: Letters::Any,
};

const PICTURE: Shape = Shape::Text {
    max: 10 << 20,
    of: Letters::Any,
};

/// Names a target.
pub const KEY: Field = must("target", name(100), "key of a target, as /targets gives it");

/// A target as it is told.
pub const TARGET: Shape = Shape::Open(&[
    must("key", name(100), "by which it is named"),
    must("path", TEXT, "where it is"),
    must("kind", Shape::OneOf(&["directory", "mount", "disk"]), ""),
    must(
        "safe_to_load",
        Shape::Bool,
        "whether a load may be put on it from here",
    ),
    must(
        "why_not",
        Shape::OrNull(&TEXT),
        "what keeps it from that, or limits it",
    ),
]);

pub const ROUTES: &[Route] = &[
    Route::new(
        Verb::Get,
        "/api/v1/targets",
        "Mounts, disks, and the directories that the server was given.",
        Gives::Json(Shape::Open(&[must(
            "targets",
            Shape::List {
                of: &TARGET,
                max: 1000,
            },
            "",
        )])),
        Run::Call(all),
    ),
    Route {
        query: &[KEY],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/machine",
            "The I/O path below a target with every setting: what `inspect` prints.",
            Gives::Json(Shape::Open(&[
                must("target", TEXT, ""),
                must("root", Shape::Open(&[]), "the uppermost layer"),
            ])),
            Run::Verb(machine),
        )
    },
    Route {
        query: &[KEY],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/machine/diagram",
            "The same as a picture.",
            Gives::Json(Shape::Open(&[
                must("id", TEXT, ""),
                must("svg", PICTURE, ""),
                must("description", TEXT, ""),
            ])),
            Run::Verb(diagram),
        )
    },
];

fn all(door: &Arc<Door>, _: &Call) -> Result<Reply, Fault> {
    let targets = targets::all(&door.host, &door.options.targets);
    Reply::json(&json!({"schema": "iodyno.targets/1", "targets": targets}))
}

/// The target that a call names.
///
/// # Errors
/// When there is none of this key.
pub fn named(door: &Door, call: &Call) -> Result<Target, Fault> {
    let key = call.text("target").unwrap_or_default();
    let all = targets::all(&door.host, &door.options.targets);
    all.into_iter()
        .find(|target| target.key == key)
        .ok_or_else(|| {
            Fault::new(404, "there is no target of this key").hint(
                "GET /api/v1/targets lists them; `iodyno serve --target DIR` adds a directory.",
            )
        })
}

fn machine(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let target = named(door, call)?;
    let document = verbs::look(
        door,
        call,
        Privileges::Inspect,
        &["inspect".to_string(), target.path],
    )?;
    Ok(Reply::bytes(JSON, document))
}

/// A record of nothing but the path has one figure: the path's.
fn diagram(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let target = named(door, call)?;
    let document = verbs::look(
        door,
        call,
        Privileges::Inspect,
        &["inspect".to_string(), target.path.clone()],
    )?;
    let path: IoPath = serde_json::from_slice(&document).map_err(|_| Fault::defect())?;
    let record = Record {
        schema: RECORD_SCHEMA.into(),
        verb: "inspect".into(),
        target: target.path,
        summary: String::new(),
        provenance: Provenance::default(),
        path,
        job: Job::default(),
        load: None,
        sections: Vec::new(),
        findings: Vec::new(),
        sensors: Vec::new(),
        layers: None,
        trials: Vec::new(),
        studies: Studies::default(),
        check: None,
        imported: None,
    };
    let figure = page::figures(&record)
        .into_iter()
        .find(|figure| figure.id == "path");
    Reply::json(
        &figure.ok_or_else(|| Fault::new(404, "there is nothing to draw below this target"))?,
    )
}
