//! Files that other tools wrote, on their way to records.

use super::Passed;
use crate::answer::{Fault, Reply};
use crate::helper::Helper;
use crate::route::{Body, Call, Gives, Route, RouteHandler, Verb};
use crate::shape::Shape;
use crate::verbs;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

/// What `import` prints, and what it comes to.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ImportAnswer<'a> {
    #[serde(flatten)]
    document: &'a Passed,
    /// Numbers of the records, also of those that were there already.
    ids: Vec<i64>,
    /// What could not be read.
    unread: Vec<Value>,
}

pub const ROUTES: &[Route] = &[Route {
    body: Body::File,
    refuses: &[422, 503],
    ..Route::new(
        Verb::Post,
        "/api/v1/imports",
        "Make records of what is in a file: what `import` prints, with the numbers of the records.",
        Gives::Json(Shape::of::<ImportAnswer<'static>>()),
        RouteHandler::File(import),
    )
}];

fn import(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let file = call.file.as_ref().ok_or_else(Fault::defect)?;
    let words = ["import".to_string(), "--".to_string(), file.name()];
    // In the file's own directory, so that its record has the name that the sender gave it.
    let done = verbs::import_in(helper, call, file.directory(), &words)?;
    let document = verbs::parsed::<Passed>(&done.document).ok();
    let files = document
        .as_ref()
        .and_then(|document| document.members.get("files"));
    let (Some(document), Some(files)) = (&document, files.and_then(Value::as_array)) else {
        return Err(done.fine().map_or_else(Fault::from, |_| Fault::defect()));
    };
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
    let (ids, unread) = (
        all("results")
            .filter_map(|result| result["record"].as_i64())
            .collect(),
        all("unread").collect(),
    );
    Reply::json(&ImportAnswer {
        document,
        ids,
        unread,
    })
}
