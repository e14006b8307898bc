//! The records.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::shape::{ID, Letters, Shape, may, must};
use serde_json::json;
use std::sync::Arc;
use store::Store;

const TEXT: Shape = Shape::Text { max: 1 << 20, of: Letters::Any };
const ROW: Shape = Shape::Open(&[must("id", ID, ""), must("verb", TEXT, ""), must("summary", TEXT, "")]);

pub const ROUTES: &[Route] = &[
    Route {
        query: &[may("limit", Shape::Int { min: 1, max: 1000 }, "most records")],
        ..Route::new(
            Verb::Get,
            "/api/v1/records",
            "Records, the newest first.",
            Gives::Json(Shape::Open(&[
                must("schema", Shape::OneOf(&["iodyno.list/1"]), ""),
                must("records", Shape::List { of: &ROW, max: 1000 }, ""),
            ])),
            Run::Call(list),
        )
    },
    Route {
        place: &[must("id", ID, "number of the record")],
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}",
            "One record, whole.",
            Gives::Json(Shape::Open(&[
                must("schema", Shape::OneOf(&["iodyno.show/1"]), ""),
                must("id", ID, ""),
                must("record", Shape::Open(&[]), ""),
            ])),
            Run::Call(show),
        )
    },
];

fn list(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let limit = call.number("limit").unwrap_or(50) as u32;
    let records = Store::open(&door.options.state_dir)?.list(limit)?;
    Reply::json(&json!({"schema": "iodyno.list/1", "records": records}))
}

fn show(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let id = call.id("id")?;
    let record = Store::open(&door.options.state_dir)?.get(id)?;
    Reply::json(&json!({"schema": "iodyno.show/1", "id": id, "record": record}))
}
