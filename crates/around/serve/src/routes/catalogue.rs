//! The pages of everything that can be explained.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::shape::{Letters, Shape, must, name};
use host::Privileges;
use lookup::explain::Page;
use std::sync::Arc;

const TEXT: Shape = Shape::Text {
    max: 1 << 20,
    of: Letters::Any,
};
const ENTRY: Shape = Shape::Open(&[
    must("kind", TEXT, ""),
    must("id", TEXT, ""),
    must("page", TEXT, "Markdown"),
]);

pub const ROUTES: &[Route] = &[
    Route::new(
        Verb::Get,
        "/api/v1/catalogue",
        "Everything that `explain` knows: what `catalogue` prints.",
        Gives::Json(Shape::Open(&[
            must("schema", Shape::OneOf(&["iodyno.catalogue/1"]), ""),
            must(
                "entries",
                Shape::List {
                    of: &ENTRY,
                    max: 100_000,
                },
                "",
            ),
        ])),
        Run::Verb(all),
    ),
    Route {
        place: &[
            must("kind", name(40), "as the catalogue names it"),
            must("id", name(100), "as the catalogue names it"),
        ],
        ..Route::new(
            Verb::Get,
            "/api/v1/catalogue/{kind}/{id}",
            "One page, with what this machine has to say on it.",
            Gives::Json(ENTRY),
            Run::Look(one),
        )
    },
];

fn all(_: &Arc<Door>, _: &Call) -> Result<Reply, Fault> {
    Reply::json(&lookup::catalogue::all())
}

/// Several kinds may have something of one name. Which way of seeing layers works here is found by trying it.
fn one(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let (kind, id) = (
        call.text("kind").unwrap_or_default(),
        call.text("id").unwrap_or_default(),
    );
    let is_live = door.host.is_live();
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
