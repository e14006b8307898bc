//! Records side by side, ranked, and over time.

use crate::answer::{Fault, Reply};
use crate::headers;
use crate::helper::Helper;
use crate::route::{Call, Gives, Input, Route, RouteHandler, Verb};
use crate::routes::records::{FigureList, record, to_read};
use crate::shape::{Id, Ids, Line, Shape, Text};
use axum::http::header;
use compare::history::HistoryWish;
use host::Privileges;
use lookup::{history, records};
use model::comparison::{Comparison, History, Ranking};
use model::record::Record;
use serde::Deserialize;
use std::sync::Arc;
use store::Filter;

/// Numbers of records, as they stand in an address.
type Numbers = Text<Ids, 1000>;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct RecordsQuery {
    /// numbers of records: 7,9
    r: Numbers,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct BaseQuery {
    /// numbers of records: 7,9
    r: Numbers,
    /// which of them the others are compared with; the first by default
    base: Option<Id>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    /// a device, the serial number of a disk, or a target
    device: Text<Line, 200>,
    /// words of the job, or its fingerprint
    job: Option<Text<Line, 200>>,
}

/// Records on one picture; more cannot be told apart.
const MOST_DRAWN: usize = 6;

pub const ROUTES: &[Route] = &[
    Route {
        query: Input::of::<BaseQuery>(),
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare",
            "Records side by side: what `compare` prints.",
            Gives::Json(Shape::of::<Comparison>()),
            RouteHandler::Look(compare),
        )
    },
    Route {
        query: Input::of::<BaseQuery>(),
        refuses: &[404],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare/figures",
            "Records on common axes: rates over time and distributions, as SVG, words, and tables.",
            Gives::Json(Shape::of::<FigureList>()),
            RouteHandler::Call(figures),
        )
    },
    Route {
        query: Input::of::<BaseQuery>(),
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare/report.html",
            "Records side by side as one file, in an origin of its own: what `report` writes of several.",
            Gives::Html,
            RouteHandler::Look(report),
        )
    },
    Route {
        query: Input::of::<RecordsQuery>(),
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/rank",
            "Devices ranked by their records: what `compare --rank` prints.",
            Gives::Json(Shape::of::<Ranking>()),
            RouteHandler::Look(rank),
        )
    },
    Route {
        query: Input::of::<HistoryQuery>(),
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/history",
            "One device over time: what `history` prints.",
            Gives::Json(Shape::of::<History>()),
            RouteHandler::Look(history),
        )
    },
];

/// Records are read in here, on threads without any right of the helper's: what a store holds may have been made elsewhere.
fn ids(numbers: &Numbers) -> Result<Vec<i64>, Fault> {
    let number = |id: &str| id.parse().map_err(|_| Fault::defect());
    numbers.split(',').map(number).collect()
}

fn compare(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let asked = call.given::<BaseQuery>()?;
    let ids = ids(&asked.r)?;
    let base = match asked.base {
        None => 0,
        Some(base) => ids.iter().position(|id| *id == base.0).ok_or_else(|| {
            Fault::asked(format!(
                "base is {}, which is none of the records in r",
                base.0
            ))
        })?,
    };
    Privileges::Own.within(|| {
        let store = to_read(helper)?;
        let given = records::all(&store, &ids)?;
        Reply::json(&records::comparison(&store, &given, base)?)
    })?
}

/// The base first, since that one is drawn as what the others are held against.
fn base_first(call: &Call) -> Result<Vec<i64>, Fault> {
    let asked = call.given::<BaseQuery>()?;
    let mut wanted = ids(&asked.r)?;
    wanted.dedup();
    if let Some(base) = asked.base {
        wanted.sort_by_key(|id| *id != base.0);
    }
    Ok(wanted)
}

fn report(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let ids = base_first(call)?;
    let html = Privileges::Own.within(|| {
        let store = to_read(helper)?;
        let given = records::all(&store, &ids)?;
        let found = records::comparison(&store, &given, 0)?;
        let records: Vec<&Record> = given.iter().map(|one| &one.record).collect();
        Ok::<_, Fault>(page::comparison(&found, &records, &lookup::WORDING))
    })??;
    let reply = Reply::bytes("text/html; charset=utf-8", html);
    Ok(reply.with(header::CONTENT_SECURITY_POLICY, headers::REPORT))
}

fn figures(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let mut wanted = base_first(call)?;
    wanted.truncate(MOST_DRAWN);
    let store = to_read(helper)?;
    let records: Vec<(String, Record)> = wanted
        .iter()
        .map(|id| Ok((format!("record {id}"), record(&store, *id)?)))
        .collect::<Result<_, Fault>>()?;
    let named: Vec<(&str, &Record)> = records
        .iter()
        .map(|(name, record)| (name.as_str(), record))
        .collect();
    Reply::json(&FigureList::of(page::compared_figures(&named, &[])))
}

fn rank(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let ids = ids(&call.given::<RecordsQuery>()?.r)?;
    Privileges::Own.within(|| {
        let given = records::all(&to_read(helper)?, &ids)?;
        Reply::json(&records::ranking(&given, None))
    })?
}

fn history(helper: &Arc<Helper>, call: &Call) -> Result<Reply, Fault> {
    let HistoryQuery { device, job } = call.given()?;
    let job = job.as_deref().filter(|job| !job.is_empty());
    let filter = Filter {
        job: job.map(str::to_string),
        limit: history::LIMIT,
        ..Filter::default()
    };
    Privileges::Own.within(|| {
        let store = to_read(helper)?;
        let rows = history::rows(&store, device, &filter)?;
        let what = format!("`{}`", device.escape_debug());
        Reply::json(&history::of(&store, &rows, &what, &HistoryWish::default())?)
    })?
}
