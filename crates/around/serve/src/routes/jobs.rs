//! Starting, watching and stopping loads.

use super::machine::named;
use crate::answer::{Fault, Reply};
use crate::helper::Helper;
use crate::jobs::{self, Job, JobOptions, Jobs};
use crate::route::{Body, Call, Gives, Input, Route, RouteHandler, Verb};
use crate::shape::{Id, Name, Shape, Text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct JobPath {
    /// number of the job
    id: Id,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct JobRequest {
    /// what to start
    verb: jobs::Verb,
    /// key of a target, as /targets gives it
    target: Text<Name, 100>,
    /// of the verb
    #[serde(default)]
    options: JobOptions,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct JobList {
    schema: &'static str,
    jobs: Vec<Job>,
}

pub const ROUTES: &[Route] = &[
    Route {
        body: Body::Json(Input::of::<JobRequest>()),
        refuses: &[409, 503],
        ..Route::new(
            Verb::Post,
            "/api/v1/jobs",
            "Start a load; one at a time.",
            Gives::Json(Shape::of::<Job>()),
            RouteHandler::Call(start),
        )
    },
    Route::new(
        Verb::Get,
        "/api/v1/jobs",
        "The loads that this server started, the newest first.",
        Gives::Json(Shape::of::<JobList>()),
        RouteHandler::Call(all),
    ),
    Route {
        place: Input::of::<JobPath>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/jobs/{id}",
            "One of them.",
            Gives::Json(Shape::of::<Job>()),
            RouteHandler::Quick(one),
        )
    },
    Route {
        place: Input::of::<JobPath>(),
        ..Route::new(
            Verb::Delete,
            "/api/v1/jobs/{id}",
            "Stop it as Ctrl-C does: it puts everything back, which its outcome says when it has ended.",
            Gives::Json(Shape::of::<Job>()),
            RouteHandler::Quick(stop),
        )
    },
];

fn start(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let asked = call.given::<JobRequest>()?;
    let target = named(helper, &asked.target)?;
    Reply::json(&Jobs::start(helper, asked.verb, target, &asked.options)?)
}

fn all(helper: &Arc<Helper>, _: &Call) -> Result<Reply, Fault> {
    Reply::json(&JobList {
        schema: "iodyno.jobs/1",
        jobs: helper.jobs.all(),
    })
}

fn one(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&helper.jobs.get(call.given::<JobPath>()?.id.0)?)
}

fn stop(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&helper.jobs.stop(call.given::<JobPath>()?.id.0)?)
}
