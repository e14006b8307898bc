//! What there is to look at, and the path below it.

use crate::answer::{Fault, Reply};
use crate::helper::Helper;
use crate::route::{Call, Gives, Input, Route, RouteHandler, Verb};
use crate::shape::{Name, Shape, Text};
use crate::targets::{self, Target};
use host::Privileges;
use model::failure::ErrorDocument;
use model::iopath::IoPath;
use page::Figure;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct TargetQuery {
    /// key of a target, as /targets gives it
    target: Text<Name, 100>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct TargetList {
    schema: &'static str,
    targets: Vec<Target>,
}

pub const ROUTES: &[Route] = &[
    Route::new(
        Verb::Get,
        "/api/v1/targets",
        "Mounts, disks, and the directories that the server was given.",
        Gives::Json(Shape::of::<TargetList>()),
        RouteHandler::Call(all),
    ),
    Route {
        query: Input::of::<TargetQuery>(),
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/machine",
            "The I/O path below a target with every setting: what `inspect` prints.",
            Gives::Json(Shape::of::<IoPath>()),
            RouteHandler::Look(machine),
        )
    },
    Route {
        query: Input::of::<TargetQuery>(),
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/machine/diagram",
            "The same as a picture.",
            Gives::Json(Shape::of::<Figure>()),
            RouteHandler::Look(diagram),
        )
    },
];

fn all(helper: &Arc<Helper>, _: &Call) -> Result<Reply, Fault> {
    let targets = targets::all(&helper.host, &helper.options.targets);
    Reply::json(&TargetList {
        schema: "iodyno.targets/1",
        targets,
    })
}

/// The target of a key.
///
/// # Errors
/// When there is none of this key.
pub fn named(helper: &Helper, key: &str) -> Result<Target, Fault> {
    let all = targets::all(&helper.host, &helper.options.targets);
    all.into_iter()
        .find(|target| target.key == key)
        .ok_or_else(|| {
            Fault::new(404, "there is no target of this key").hint(
                "GET /api/v1/targets lists them; `iodyno serve --target DIR` adds a directory.",
            )
        })
}

fn machine(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&path(helper, call)?)
}

/// The path below the target that a call names. It is read in here, with the rights that the verb would have; a read that
/// hangs in the kernel, as of a file system whose server is gone, could be killed with a process no more than with us.
fn path(helper: &Helper, call: &Call) -> Result<IoPath, Fault> {
    let target = named(helper, &call.given::<TargetQuery>()?.target)?;
    let found = Privileges::Inspect.within(|| inventory::collect(&helper.host, &target.path))?;
    found.map_err(|error| Fault {
        told: Box::new(ErrorDocument::of(&error.to_string(), error.parts())),
        ..Fault::new(if error.is_permission() { 403 } else { 422 }, "")
    })
}

fn diagram(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let path = path(helper, call)?;
    let figure = page::path_figure(&path.target, &path);
    Reply::json(
        &figure.ok_or_else(|| Fault::new(404, "there is nothing to draw below this target"))?,
    )
}
