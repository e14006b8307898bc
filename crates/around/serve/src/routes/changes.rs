//! What is changed on this machine, what an apply would do, doing it, and taking it back.

use super::Passed;
use crate::answer::{Fault, JSON, Reply};
use crate::helper::Helper;
use crate::route::{Body, Call, Gives, Input, Route, RouteHandler, Verb};
use crate::shape::{Id, Line, Name, Shape, Text};
use crate::verbs;
use host::Privileges;
use lookup::documents::Applied;
use lookup::status::Status;
use runner::Answer;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What applying a record would do.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Plan {
    schema: &'static str,
    /// What `apply --dry-run` prints; its device is repeated in `confirm`.
    document: Applied,
    /// Each setting with what it is and will be.
    words: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct PlanQuery {
    /// a tune's record
    record: Id,
    /// also for after the next boot
    #[serde(default)]
    persist: bool,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct ApplyRequest {
    /// a tune's record
    record: Id,
    /// also for after the next boot
    #[serde(default)]
    persist: bool,
    /// name of the device whose settings are changed
    confirm: Text<Line, 100>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct UndoRequest {
    /// as /changes names it
    journal: Text<Name, 100>,
}

pub const ROUTES: &[Route] = &[
    Route::new(
        Verb::Get,
        "/api/v1/changes",
        "What is changed and not yet put back: what `status` prints.",
        Gives::Json(Shape::of::<Status>()),
        RouteHandler::Look(status),
    ),
    Route {
        query: Input::of::<PlanQuery>(),
        refuses: &[409, 422],
        ..Route::new(
            Verb::Get,
            "/api/v1/changes/plan",
            "What applying a record would do: `apply --dry-run` and its words.",
            Gives::Json(Shape::of::<Plan>()),
            RouteHandler::Verb(plan),
        )
    },
    Route {
        body: Body::Json(Input::of::<ApplyRequest>()),
        refuses: &[409, 422, 503],
        ..Route::new(
            Verb::Post,
            "/api/v1/changes/apply",
            "Put in place what a record proved: `apply`.",
            Gives::Json(Shape::of::<Applied>()),
            RouteHandler::Verb(apply),
        )
    },
    Route {
        body: Body::Json(Input::of::<UndoRequest>()),
        refuses: &[409, 422, 503],
        ..Route::new(
            Verb::Post,
            "/api/v1/changes/undo",
            "Put old values back: `undo`.",
            Gives::Json(Shape::of::<Passed>()),
            RouteHandler::Verb(undo),
        )
    },
];

fn status(helper: &Arc<Helper>, _: &Call) -> Result<Reply, Fault> {
    let status = Privileges::Inspect
        .within(|| lookup::status::read(&helper.host, &helper.options.state_dir))?
        .map_err(Fault::unreadable)?;
    Reply::json(&status)
}

/// The words of an apply.
fn words(record: Id, persist: bool) -> Vec<String> {
    let mut words = vec!["apply".to_string(), record.0.to_string()];
    words.extend(persist.then(|| "--persist".to_string()));
    words
}

/// What an apply would do, as a document and as words.
fn try_out(
    helper: &Helper,
    call: &Call,
    mut words: Vec<String>,
) -> Result<(Applied, Answer), Fault> {
    words.push("--dry-run".into());
    let done = verbs::look(helper, call, Privileges::Inspect, &words)?;
    Ok((verbs::parsed(&done.document)?, done))
}

fn plan(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let asked = call.given::<PlanQuery>()?;
    let (document, done) = try_out(helper, call, words(asked.record, asked.persist))?;
    Reply::json(&Plan {
        schema: "iodyno.plan/1",
        document,
        words: done.words.lines().map(str::to_string).collect(),
    })
}

fn apply(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let asked = call.given::<ApplyRequest>()?;
    let words = words(asked.record, asked.persist);
    let (document, _) = try_out(helper, call, words.clone())?;
    if document.device != *asked.confirm {
        return Err(Fault::new(
            409,
            "confirm is not the name of the device that would be changed",
        )
        .hint("GET /api/v1/changes/plan shows what would be changed, and on which device."));
    }
    Ok(changed(verbs::change(helper, &words)?))
}

fn undo(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let journal = call.given::<UndoRequest>()?.journal.to_string();
    let words = ["undo".to_string(), "--".to_string(), journal];
    Ok(changed(verbs::change(helper, &words)?))
}

fn changed(answer: Answer) -> Reply {
    Reply::bytes(JSON, answer.document)
}
