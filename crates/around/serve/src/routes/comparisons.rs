//! Records side by side, ranked, and over time.

use crate::answer::{Fault, JSON, Reply};
use crate::door::Door;
use crate::headers;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::routes::records::{FIGURE, record, to_read};
use crate::shape::{Field, ID, Letters, Shape, line, may, must};
use crate::verbs;
use axum::http::header;
use host::Privileges;
use model::record::Record;
use serde_json::json;
use std::sync::Arc;

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
            Run::Verb(compare),
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
            Run::Verb(report),
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
            Run::Verb(rank),
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
            Run::Verb(history),
        )
    },
];

fn ids(call: &Call) -> impl Iterator<Item = String> + '_ {
    call.text("r")
        .unwrap_or_default()
        .split(',')
        .map(str::to_string)
}

fn compare(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let mut words = vec!["compare".to_string()];
    words.extend(call.number("base").map(|base| format!("--base={base}")));
    words.extend(ids(call));
    look(door, call, &words)
}

/// The base first, since that one is drawn as what the others are held against.
fn base_first(call: &Call) -> Vec<i64> {
    let mut wanted: Vec<i64> = ids(call).filter_map(|id| id.parse().ok()).collect();
    wanted.dedup();
    if let Some(base) = call.number("base") {
        wanted.sort_by_key(|id| *id != base);
    }
    wanted
}

fn report(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let words = ["report", "-o", "-"].map(str::to_string).into_iter();
    let words: Vec<String> = words
        .chain(base_first(call).iter().map(i64::to_string))
        .collect();
    let html = verbs::look_as_printed(door, call, Privileges::Own, &words)?;
    let reply = Reply::bytes("text/html; charset=utf-8", html);
    Ok(reply.with(header::CONTENT_SECURITY_POLICY, headers::REPORT))
}

fn figures(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let mut wanted = base_first(call);
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
    let words = ["compare".to_string(), "--rank".to_string()]
        .into_iter()
        .chain(ids(call));
    look(door, call, &words.collect::<Vec<_>>())
}

fn history(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let mut words = vec!["history".to_string()];
    words.extend(
        call.text("job")
            .filter(|job| !job.is_empty())
            .map(|job| format!("--job={job}")),
    );
    words.extend([
        "--".to_string(),
        call.text("device").unwrap_or_default().to_string(),
    ]);
    look(door, call, &words)
}

fn look(door: &Door, call: &Call, words: &[String]) -> Result<Reply, Fault> {
    Ok(Reply::bytes(
        JSON,
        verbs::look(door, call, Privileges::Own, words)?,
    ))
}
