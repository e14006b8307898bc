//! The records: found, shown, drawn, reported, tagged, noted, deleted.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::headers;
use crate::route::{Body, Call, Gives, Route, Run, Verb};
use crate::shape::{Field, ID, Letters, Shape, UNIX_MS, line, may, must};
use axum::http::header;
use model::record::Record;
use page::About;
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Filter, Store};

const TEXT: Shape = Shape::Text {
    max: 1 << 20,
    of: Letters::Any,
};
const TAG: Shape = Shape::Text {
    max: 64,
    of: Letters::Tag,
};
const TAGS: Shape = Shape::List { of: &TAG, max: 64 };
const WORD: Shape = line(200);
const ONE: &[Field] = &[must("id", ID, "number of the record")];

const ROW: Shape = Shape::Open(&[
    must("id", ID, ""),
    must("unix_ms", UNIX_MS, "when it was measured"),
    must("verb", TEXT, ""),
    must("target", TEXT, ""),
    must("summary", TEXT, ""),
    must(
        "tags",
        Shape::List {
            of: &TEXT,
            max: 100_000,
        },
        "",
    ),
]);

const NOTE: Shape = Shape::Open(&[
    must("id", ID, ""),
    must("unix_ms", UNIX_MS, ""),
    must("text", TEXT, ""),
]);

const SHOWN: Shape = Shape::Open(&[
    must("schema", Shape::OneOf(&["iodyno.show/1"]), ""),
    must("id", ID, ""),
    must(
        "tags",
        Shape::List {
            of: &TEXT,
            max: 100_000,
        },
        "",
    ),
    must(
        "notes",
        Shape::List {
            of: &NOTE,
            max: 100_000,
        },
        "",
    ),
    must(
        "like",
        Shape::List {
            of: &ID,
            max: 1_000_000,
        },
        "records of the same job on a like device",
    ),
    must("record", Shape::Open(&[]), ""),
]);

const BESIDE: Shape = Shape::Open(&[
    must("id", ID, ""),
    must(
        "tags",
        Shape::List {
            of: &TEXT,
            max: 100_000,
        },
        "",
    ),
    must(
        "notes",
        Shape::List {
            of: &NOTE,
            max: 100_000,
        },
        "",
    ),
]);

pub(super) const FIGURE: Shape = Shape::Open(&[
    must("id", TEXT, ""),
    must("title", TEXT, "the sentence that it shows"),
    must("caption", TEXT, ""),
    must("description", TEXT, "the same in words"),
    must(
        "svg",
        Shape::Text {
            max: 10 << 20,
            of: Letters::Any,
        },
        "empty where there is no picture",
    ),
    must("table", Shape::Open(&[]), "the same data"),
]);

pub const ROUTES: &[Route] = &[
    Route {
        query: &[
            may("host", WORD, "host name"),
            may(
                "device",
                WORD,
                "kernel name of any block device on the path",
            ),
            may("serial", WORD, "serial number of a disk, or its digest"),
            may("target", WORD, "what was named, or a path above it"),
            may("verb", WORD, "run, tune, check, watch or import"),
            may("job", WORD, "words of the job, or its fingerprint"),
            may("kernel", WORD, "kernel release, or how it begins"),
            may("tag", WORD, "a tag"),
            may("text", WORD, "a piece of text anywhere"),
            may("since", UNIX_MS, "measured at or after, ms since 1970"),
            may("until", UNIX_MS, "measured before, ms since 1970"),
            may(
                "before",
                ID,
                "only smaller numbers: the next page of a list",
            ),
            may(
                "limit",
                Shape::Int { min: 1, max: 1000 },
                "most records; 50 by default",
            ),
        ],
        ..Route::new(
            Verb::Get,
            "/api/v1/records",
            "Records that fit, the newest first.",
            Gives::Json(Shape::Open(&[
                must("schema", Shape::OneOf(&["iodyno.list/1"]), ""),
                must(
                    "records",
                    Shape::List {
                        of: &ROW,
                        max: 1000,
                    },
                    "",
                ),
            ])),
            Run::Call(list),
        )
    },
    Route {
        place: ONE,
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}",
            "One record, whole, with its tags and notes.",
            Gives::Json(SHOWN),
            Run::Call(show),
        )
    },
    Route {
        place: ONE,
        ..Route::new(
            Verb::Delete,
            "/api/v1/records/{id}",
            "Delete it for good.",
            Gives::Json(Shape::Open(&[must(
                "deleted",
                Shape::List { of: &ID, max: 1 },
                "",
            )])),
            Run::Call(delete),
        )
    },
    Route {
        place: ONE,
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}/export.json",
            "The same as a file to save.",
            Gives::Json(SHOWN),
            Run::Call(export),
        )
    },
    Route {
        place: ONE,
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}/figures",
            "Its figures: SVG, words, and the data as tables.",
            Gives::Json(Shape::Open(&[must(
                "figures",
                Shape::List {
                    of: &FIGURE,
                    max: 1000,
                },
                "",
            )])),
            Run::Call(figures),
        )
    },
    Route {
        place: ONE,
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}/report.html",
            "Its report, one file, in an origin of its own.",
            Gives::Html,
            Run::Call(report),
        )
    },
    Route {
        place: ONE,
        body: Body::Json(&[
            may("add", TAGS, "tags to put on it"),
            may("remove", TAGS, "tags to take off it"),
        ]),
        ..Route::new(
            Verb::Post,
            "/api/v1/records/{id}/tags",
            "Put tags on it or take them off.",
            Gives::Json(BESIDE),
            Run::Call(tag),
        )
    },
    Route {
        place: ONE,
        body: Body::Json(&[must(
            "text",
            Shape::Text {
                max: 10_000,
                of: Letters::Lines,
            },
            "the note",
        )]),
        ..Route::new(
            Verb::Post,
            "/api/v1/records/{id}/notes",
            "Write a note on it.",
            Gives::Json(BESIDE),
            Run::Call(note),
        )
    },
];

/// The longest record that is given to a browser, bytes of its document: it takes several times that in memory.
const DOCUMENT_MAX: usize = 64 << 20;

/// The document of a record.
///
/// # Errors
/// When there is none of this number, or it is too long for a browser.
fn document(store: &Store, id: i64) -> Result<String, Fault> {
    let document = store.document(id)?;
    match document.len() <= DOCUMENT_MAX {
        true => Ok(document),
        false => {
            let most = model::units::bytes(DOCUMENT_MAX as f64);
            let fault = Fault::new(413, format!("record {id} is longer than {most}"));
            Err(fault.hint(format!(
                "iodyno show {id} and iodyno report {id} have no such limit."
            )))
        }
    }
}

/// A record.
///
/// # Errors
/// See [`document`]; or when it is damaged.
pub(super) fn record(store: &Store, id: i64) -> Result<Record, Fault> {
    let document = document(store, id)?;
    // The store says what is wrong with it.
    serde_json::from_str(&document).or_else(|_| Ok(store.get(id)?))
}

pub(super) fn to_read(door: &Door) -> Result<Store, Fault> {
    Ok(Store::open_read_only(&door.options.state_dir)?)
}

fn to_write(door: &Door) -> Result<Store, Fault> {
    Ok(Store::open(&door.options.state_dir)?)
}

fn list(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let text = |name| {
        call.text(name)
            .filter(|text| !text.is_empty())
            .map(str::to_string)
    };
    let filter = Filter {
        host: text("host"),
        device: text("device"),
        serial: text("serial"),
        target: text("target"),
        job: text("job"),
        kernel: text("kernel"),
        verb: text("verb"),
        tag: text("tag"),
        text: text("text"),
        since_unix_ms: call.number("since"),
        until_unix_ms: call.number("until"),
        before_id: call.number("before"),
        limit: call.number("limit").unwrap_or(50) as u32,
        ..Filter::default()
    };
    let records = to_read(door)?.query(&filter)?;
    Reply::json(&json!({"schema": "iodyno.list/1", "records": records}))
}

fn show(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&shown(door, call.id("id")?)?)
}

fn export(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let id = call.id("id")?;
    let name = format!("attachment; filename=\"iodyno-{id}.json\"");
    Ok(Reply::json(&shown(door, id)?)?.with(header::CONTENT_DISPOSITION, name))
}

fn shown(door: &Door, id: i64) -> Result<Value, Fault> {
    let store = to_read(door)?;
    // Missing first: the store tells of it.
    let record: Value =
        serde_json::from_str(&document(&store, id)?).map_err(|_| Fault::defect())?;
    let like: Vec<i64> = store.like(id)?.iter().map(|row| row.id).collect();
    Ok(
        json!({"schema": "iodyno.show/1", "id": id, "tags": store.tags(id)?, "notes": store.notes(id)?, "like": like,
              "record": record}),
    )
}

fn delete(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let id = call.id("id")?;
    to_write(door)?.delete(&[id])?;
    Reply::json(&json!({"schema": "iodyno.delete/1", "deleted": [id]}))
}

fn figures(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let record = record(&to_read(door)?, call.id("id")?)?;
    Reply::json(&json!({"schema": "iodyno.figures/1", "figures": page::figures(&record)}))
}

fn report(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let id = call.id("id")?;
    let store = to_read(door)?;
    let record = record(&store, id)?;
    let notes = store.notes(id)?.into_iter().map(|note| note.text).collect();
    let html = page::report(
        &record,
        &About {
            id: Some(id),
            tags: store.tags(id)?,
            notes,
        },
    );
    let reply = Reply::bytes("text/html; charset=utf-8", html.into_bytes());
    Ok(reply.with(header::CONTENT_SECURITY_POLICY, headers::REPORT))
}

fn tag(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let (store, id) = (to_write(door)?, call.id("id")?);
    store.tag(id, &call.texts("add"))?;
    store.untag(id, &call.texts("remove"))?;
    beside(&store, id)
}

fn note(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let (store, id) = (to_write(door)?, call.id("id")?);
    store.note(id, call.text("text").unwrap_or_default())?;
    beside(&store, id)
}

/// What lies beside a record now.
fn beside(store: &Store, id: i64) -> Result<Reply, Fault> {
    Reply::json(
        &json!({"schema": "iodyno.beside/1", "id": id, "tags": store.tags(id)?, "notes": store.notes(id)?}),
    )
}
