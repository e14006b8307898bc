//! Records side by side, ranked, and over time.

use crate::answer::{Fault, Reply};
use crate::door::Door;
use crate::headers;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::routes::records::{FIGURE, record, to_read};
use crate::shape::{Field, ID, Letters, Shape, line, may, must};
use axum::http::header;
use compare::history::Wish;
use host::Privileges;
use lookup::{history, records};
use model::record::Record;
use serde_json::json;
use std::sync::Arc;
use store::Filter;

const RECORDS: Field = must(
    "r",
    Shape::Text {
        max: 1000,
        of: Letters::Ids,
    },
    "numbers of records: 7,9",
);

/// Records on one picture; more cannot be told apart.
const MOST_DRAWN: usize = 6;

pub const ROUTES: &[Route] = &[
    Route {
        query: &[
            RECORDS,
            may(
                "base",
                ID,
                "which of them the others are compared with; the first by default",
            ),
        ],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare",
            "Records side by side: what `compare` prints.",
            Gives::Json(Shape::Open(&[])),
            Run::Look(compare),
        )
    },
    Route {
        query: &[
            RECORDS,
            may(
                "base",
                ID,
                "which of them is drawn as the one the others are compared with",
            ),
        ],
        refuses: &[404],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare/figures",
            "Records on common axes: rates over time and distributions, as SVG, words, and tables.",
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
        query: &[
            RECORDS,
            may("base", ID, "which of them the others are held against"),
        ],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare/report.html",
            "Records side by side as one file, in an origin of its own: what `report` writes of several.",
            Gives::Html,
            Run::Look(report),
        )
    },
    Route {
        query: &[RECORDS],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/rank",
            "Devices ranked by their records: what `compare --rank` prints.",
            Gives::Json(Shape::Open(&[])),
            Run::Look(rank),
        )
    },
    Route {
        query: &[
            must(
                "device",
                line(200),
                "a device, the serial number of a disk, or a target",
            ),
            may("job", line(200), "words of the job, or its fingerprint"),
        ],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/history",
            "One device over time: what `history` prints.",
            Gives::Json(Shape::Open(&[])),
            Run::Look(history),
        )
    },
];

/// Records are read in here, on threads without any right of the server's: what a store holds may have been made elsewhere.
fn ids(call: &Call) -> Result<Vec<i64>, Fault> {
    let ids = call.text("r").unwrap_or_default().split(',');
    let number = |id: &str| {
        id.parse()
            .map_err(|_| Fault::asked("r is numbers of records"))
    };
    ids.map(number).collect()
}

fn compare(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let ids = ids(call)?;
    let base = match call.number("base") {
        None => 0,
        Some(base) => ids.iter().position(|id| *id == base).ok_or_else(|| {
            Fault::asked(format!("base is {base}, which is none of the records in r"))
        })?,
    };
    Privileges::Own.within(|| {
        let store = to_read(door)?;
        let given = records::all(&store, &ids)?;
        Reply::json(&records::comparison(&store, &given, base)?)
    })?
}

/// The base first, since that one is drawn as what the others are held against.
fn base_first(call: &Call) -> Result<Vec<i64>, Fault> {
    let mut wanted = ids(call)?;
    wanted.dedup();
    if let Some(base) = call.number("base") {
        wanted.sort_by_key(|id| *id != base);
    }
    Ok(wanted)
}

fn report(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let ids = base_first(call)?;
    let html = Privileges::Own.within(|| {
        let store = to_read(door)?;
        let given = records::all(&store, &ids)?;
        let found = records::comparison(&store, &given, 0)?;
        let records: Vec<&Record> = given.iter().map(|one| &one.record).collect();
        Ok::<_, Fault>(page::comparison(&found, &records, &lookup::WORDING))
    })??;
    let reply = Reply::bytes("text/html; charset=utf-8", html);
    Ok(reply.with(header::CONTENT_SECURITY_POLICY, headers::REPORT))
}

fn figures(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let mut wanted = base_first(call)?;
    wanted.truncate(MOST_DRAWN);
    let store = to_read(door)?;
    let records: Vec<(String, Record)> = wanted
        .iter()
        .map(|id| Ok((format!("record {id}"), record(&store, *id)?)))
        .collect::<Result<_, Fault>>()?;
    let named: Vec<(&str, &Record)> = records
        .iter()
        .map(|(name, record)| (name.as_str(), record))
        .collect();
    Reply::json(
        &json!({"schema": "iodyno.figures/1", "figures": page::compared_figures(&named, &[])}),
    )
}

fn rank(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let ids = ids(call)?;
    Privileges::Own.within(|| {
        let given = records::all(&to_read(door)?, &ids)?;
        Reply::json(&records::ranking(&given, None))
    })?
}

fn history(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let device = call.text("device").unwrap_or_default();
    let job = call.text("job").filter(|job| !job.is_empty());
    let filter = Filter {
        job: job.map(str::to_string),
        limit: history::LIMIT,
        ..Filter::default()
    };
    Privileges::Own.within(|| {
        let store = to_read(door)?;
        let rows = history::rows(&store, device, &filter)?;
        let what = format!("`{}`", device.escape_debug());
        Reply::json(&history::of(&store, &rows, &what, &Wish::default())?)
    })?
}
