//! What there is to look at, and the path below it.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::shape::{Field, Letters, Shape, must, name};
use crate::targets::{self, Target};
use host::Privileges;
use model::failure::ErrorDocument;
use model::iopath::IoPath;
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
            Run::Look(machine),
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
            Run::Look(diagram),
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
    Reply::json(&path(door, call)?)
}

/// The path below the target that a call names. It is read in here, with the rights that the verb would have; a read that
/// hangs in the kernel, as of a file system whose server is gone, could be killed with a process no more than with us.
fn path(door: &Door, call: &Call) -> Result<IoPath, Fault> {
    let target = named(door, call)?;
    let found = Privileges::Inspect.within(|| inventory::collect(&door.host, &target.path))?;
    found.map_err(|error| Fault {
        told: Box::new(ErrorDocument::of(&error.to_string(), error.parts())),
        ..Fault::new(if error.is_permission() { 403 } else { 422 }, "")
    })
}

fn diagram(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let path = path(door, call)?;
    let figure = page::path_figure(&path.target, &path);
    Reply::json(
        &figure.ok_or_else(|| Fault::new(404, "there is nothing to draw below this target"))?,
    )
}
