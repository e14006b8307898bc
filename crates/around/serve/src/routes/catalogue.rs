//! The pages of everything that can be explained.

use crate::answer::{Fault, Reply};
use crate::helper::Helper;
use crate::route::{Call, Gives, Input, Route, RouteHandler, Verb};
use crate::shape::{Name, Shape, Text};
use host::Privileges;
use lookup::catalogue::Catalogue;
use lookup::explain::Page;
use serde::Deserialize;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct EntryPath {
    /// as the catalogue names it
    kind: Text<Name, 40>,
    /// as the catalogue names it
    id: Text<Name, 100>,
}

pub const ROUTES: &[Route] = &[
    Route::new(
        Verb::Get,
        "/api/v1/catalogue",
        "Everything that `explain` knows: what `catalogue` prints.",
        Gives::Json(Shape::of::<Catalogue>()),
        RouteHandler::Verb(all),
    ),
    Route {
        place: Input::of::<EntryPath>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/catalogue/{kind}/{id}",
            "One page, with what this machine has to say on it.",
            Gives::Json(Shape::of::<Page>()),
            RouteHandler::Look(one),
        )
    },
];

fn all(_: &Arc<Helper>, _: &Call) -> Result<Reply, Fault> {
    Reply::json(&lookup::catalogue::all())
}

/// Several kinds may have something of one name. Which way of seeing layers works here is found by trying it.
fn one(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let EntryPath { kind, id } = call.given()?;
    let (kind, id): (&str, &str) = (kind, id);
    let is_live = helper.host.is_live();
    let pages = Privileges::Inspect.within(|| lookup::explain::pages(id, is_live))?;
    let is_it = |page: &&Page| page.entry.kind == kind && page.entry.id == id;
    match pages.iter().find(is_it) {
        Some(page) => Reply::json(page),
        None => Err(Fault::new(
            404,
            format!("nothing of the kind {kind} is called {id}"),
        )),
    }
}
