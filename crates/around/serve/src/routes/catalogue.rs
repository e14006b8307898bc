//! The pages of everything that can be explained.

use crate::answer::{Fault, JSON, Reply};
use crate::door::Door;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::shape::{Letters, Shape, must, name};
use crate::verbs;
use host::Privileges;
use serde_json::{Value, json};
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
            Run::Verb(one),
        )
    },
];

fn all(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    Ok(Reply::bytes(
        JSON,
        verbs::look(door, call, Privileges::Own, &["catalogue".to_string()])?,
    ))
}

/// `explain` knows an id alone, and gives the first of that name: another kind's page is taken from the catalogue.
fn one(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let (kind, id) = (
        call.text("kind").unwrap_or_default(),
        call.text("id").unwrap_or_default(),
    );
    let all = verbs::value(&verbs::look(
        door,
        call,
        Privileges::Own,
        &["catalogue".to_string()],
    )?)?;
    let is_it = |entry: &&Value| entry["kind"] == json!(kind) && entry["id"] == json!(id);
    let entry = all["entries"]
        .as_array()
        .into_iter()
        .flatten()
        .find(is_it)
        .cloned();
    let entry = entry
        .ok_or_else(|| Fault::new(404, format!("nothing of the kind {kind} is called {id}")))?;
    let words = ["explain".to_string(), "--".to_string(), id.to_string()];
    let explained = verbs::look(door, call, Privileges::Inspect, &words)?;
    match verbs::value(&explained)?["kind"] == entry["kind"] {
        true => Ok(Reply::bytes(JSON, explained)),
        false => Reply::json(&entry),
    }
}
