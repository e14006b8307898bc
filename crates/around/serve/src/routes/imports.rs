//! Files that other tools wrote, on their way to records.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::route::{Body, Call, Gives, Route, Run, Verb};
use crate::shape::{ID, Shape, must};
use crate::verbs;
use serde_json::{Value, json};
use std::sync::Arc;

const OPEN: Shape = Shape::Open(&[]);

pub const ROUTES: &[Route] = &[Route {
    body: Body::File,
    refuses: &[422, 503],
    ..Route::new(
        Verb::Post,
        "/api/v1/imports",
        "Make records of what is in a file: what `import` prints, with the numbers of the records.",
        Gives::Json(Shape::Open(&[
            must("schema", Shape::OneOf(&["iodyno.import/1"]), ""),
            must(
                "ids",
                Shape::List {
                    of: &ID,
                    max: 1_000_000,
                },
                "the records, also those that were there already",
            ),
            must(
                "unread",
                Shape::List {
                    of: &OPEN,
                    max: 1_000_000,
                },
                "what could not be read",
            ),
        ])),
        Run::File(import),
    )
}];

fn import(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let file = call.file.as_ref().ok_or_else(Fault::defect)?;
    let words = ["import".to_string(), "--".to_string(), file.name()];
    // In the file's own directory, so that its record has the name that the sender gave it.
    let done = verbs::import_in(door, call, file.directory(), &words)?;
    let mut document = match verbs::value(&done.document) {
        Ok(document) if document["files"].is_array() => document,
        _ => return Err(done.fine().map_or_else(Fault::from, |_| Fault::defect())),
    };
    let files = document["files"].as_array().cloned().unwrap_or_default();
    if let Some(error) = files.iter().find_map(|file| file["error"].as_str()) {
        let mut fault = Fault::new(422, format!("{}: {error}", file.name()));
        fault.told.exit = done.error.and_then(|told| told.exit);
        return Err(fault);
    }
    let all = |name: &'static str| {
        files
            .iter()
            .flat_map(move |file| file[name].as_array().cloned().unwrap_or_default())
    };
    let ids: Vec<Value> = all("results")
        .map(|result| result["record"].clone())
        .filter(Value::is_i64)
        .collect();
    document["ids"] = json!(ids);
    document["unread"] = all("unread").collect();
    Reply::json(&document)
}
