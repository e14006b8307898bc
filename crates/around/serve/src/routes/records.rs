//! The records: found, shown, drawn, reported, tagged, noted, deleted.

use crate::answer::{Fault, Reply};
use crate::headers;
use crate::helper::Helper;
use crate::route::{Body, Call, Gives, Input, Route, RouteHandler, Verb};
use crate::shape::{Id, Line, Lines, List, Shape, Tag, Text, UnixMs, Whole};
use axum::http::header;
use lookup::documents::{Deleted, RecordList, Shown};
use model::record::{Record, RecordDocument};
use page::{About, Figure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use store::{Filter, Note, Store};

/// A line of a filter.
type Word = Text<Line, 200>;
/// Tags of a request.
type Tags = List<Text<Tag, 64>, 64>;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RecordPath {
    /// number of the record
    id: Id,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
struct ListQuery {
    /// host name
    host: Option<Word>,
    /// kernel name of any block device on the path
    device: Option<Word>,
    /// serial number of a disk, or its digest
    serial: Option<Word>,
    /// what was named, or a path above it
    target: Option<Word>,
    /// run, tune, check, watch or import
    verb: Option<Word>,
    /// words of the job, or its fingerprint
    job: Option<Word>,
    /// kernel release, or how it begins
    kernel: Option<Word>,
    /// a tag
    tag: Option<Word>,
    /// a piece of text anywhere
    text: Option<Word>,
    /// measured at or after, ms since 1970
    since: Option<UnixMs>,
    /// measured before, ms since 1970
    until: Option<UnixMs>,
    /// only smaller numbers: the next page of a list
    before: Option<Id>,
    /// most records; 50 by default
    limit: Option<Whole<1, 1000>>,
}

#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
struct TagRequest {
    /// tags to put on it
    add: Tags,
    /// tags to take off it
    remove: Tags,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct NoteRequest {
    /// the note
    text: Text<Lines, 10_000>,
}

/// What lies beside a record.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Beside {
    schema: &'static str,
    id: i64,
    tags: Vec<String>,
    notes: Vec<Note>,
}

/// Figures, as SVG, in words, and as tables.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FigureList {
    schema: &'static str,
    figures: Vec<Figure>,
}

impl FigureList {
    /// These.
    pub fn of(figures: Vec<Figure>) -> FigureList {
        FigureList {
            schema: "iodyno.figures/1",
            figures,
        }
    }
}

pub const ROUTES: &[Route] = &[
    Route {
        query: Input::of::<ListQuery>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/records",
            "Records that fit, the newest first.",
            Gives::Json(Shape::of::<RecordList>()),
            RouteHandler::Call(list),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}",
            "One record, whole, with its tags and notes.",
            Gives::Json(Shape::of::<Shown<RecordDocument>>()),
            RouteHandler::Call(show),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        ..Route::new(
            Verb::Delete,
            "/api/v1/records/{id}",
            "Delete it for good.",
            Gives::Json(Shape::of::<Deleted>()),
            RouteHandler::Call(delete),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}/export.json",
            "The same as a file to save.",
            Gives::Json(Shape::of::<Shown<RecordDocument>>()),
            RouteHandler::Call(export),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}/figures",
            "Its figures: SVG, words, and the data as tables.",
            Gives::Json(Shape::of::<FigureList>()),
            RouteHandler::Call(figures),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        ..Route::new(
            Verb::Get,
            "/api/v1/records/{id}/report.html",
            "Its report, one file, in an origin of its own.",
            Gives::Html,
            RouteHandler::Call(report),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        body: Body::Json(Input::of::<TagRequest>()),
        ..Route::new(
            Verb::Post,
            "/api/v1/records/{id}/tags",
            "Put tags on it or take them off.",
            Gives::Json(Shape::of::<Beside>()),
            RouteHandler::Call(tag),
        )
    },
    Route {
        place: Input::of::<RecordPath>(),
        body: Body::Json(Input::of::<NoteRequest>()),
        ..Route::new(
            Verb::Post,
            "/api/v1/records/{id}/notes",
            "Write a note on it.",
            Gives::Json(Shape::of::<Beside>()),
            RouteHandler::Call(note),
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
    model::json::read_record(&document).or_else(|_| Ok(store.get(id)?))
}

pub(super) fn to_read(helper: &Helper) -> Result<Store, Fault> {
    Ok(Store::open_read_only(&helper.options.state_dir)?)
}

fn to_write(helper: &Helper) -> Result<Store, Fault> {
    Ok(Store::open(&helper.options.state_dir)?)
}

fn list(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let asked = call.given::<ListQuery>()?;
    let text = |word: &Option<Word>| {
        word.as_deref()
            .filter(|text| !text.is_empty())
            .map(str::to_string)
    };
    let filter = Filter {
        host: text(&asked.host),
        device: text(&asked.device),
        serial: text(&asked.serial),
        target: text(&asked.target),
        job: text(&asked.job),
        kernel: text(&asked.kernel),
        verb: text(&asked.verb),
        tag: text(&asked.tag),
        text: text(&asked.text),
        since_unix_ms: asked.since.map(|since| since.0),
        until_unix_ms: asked.until.map(|until| until.0),
        before_id: asked.before.map(|before| before.0),
        limit: asked.limit.map_or(50, |limit| limit.0) as u32,
        ..Filter::default()
    };
    let records = to_read(helper)?.query(&filter)?;
    Reply::json(&RecordList::of(records))
}

fn show(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    Reply::json(&shown(helper, call.given::<RecordPath>()?.id.0)?)
}

fn export(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let id = call.given::<RecordPath>()?.id.0;
    let name = format!("attachment; filename=\"iodyno-{id}.json\"");
    Ok(Reply::json(&shown(helper, id)?)?.with(header::CONTENT_DISPOSITION, name))
}

fn shown(helper: &Helper, id: i64) -> Result<Shown<Value>, Fault> {
    let store = to_read(helper)?;
    // Missing first: the store tells of it.
    let record = serde_json::from_str(&document(&store, id)?).map_err(|_| Fault::defect())?;
    let (tags, notes) = (store.tags(id)?, store.notes(id)?);
    Ok(Shown::of(id, record, tags, notes, &store.like(id)?))
}

fn delete(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let id = call.given::<RecordPath>()?.id.0;
    to_write(helper)?.delete(&[id])?;
    Reply::json(&Deleted::of(vec![id]))
}

fn figures(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let record = record(&to_read(helper)?, call.given::<RecordPath>()?.id.0)?;
    Reply::json(&FigureList::of(page::figures(&record)))
}

fn report(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let id = call.given::<RecordPath>()?.id.0;
    let store = to_read(helper)?;
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

fn tag(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let (store, id) = (to_write(helper)?, call.given::<RecordPath>()?.id.0);
    let asked = call.given::<TagRequest>()?;
    let (add, remove) = (words(&asked.add), words(&asked.remove));
    store.tag(id, &add)?;
    store.untag(id, &remove)?;
    beside(&store, id)
}

fn words(tags: &Tags) -> Vec<&str> {
    tags.0.iter().map(|tag| &**tag).collect()
}

fn note(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let (store, id) = (to_write(helper)?, call.given::<RecordPath>()?.id.0);
    store.note(id, &call.given::<NoteRequest>()?.text)?;
    beside(&store, id)
}

/// What lies beside a record now.
fn beside(store: &Store, id: i64) -> Result<Reply, Fault> {
    Reply::json(&Beside {
        schema: "iodyno.beside/1",
        id,
        tags: store.tags(id)?,
        notes: store.notes(id)?,
    })
}
