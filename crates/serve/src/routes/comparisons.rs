//! Records side by side, ranked, and over time.

use crate::answer::{Fault, JSON, Reply};
use crate::door::Door;
use crate::route::{Call, Gives, Route, Run, Verb};
use crate::shape::{Field, ID, Letters, Shape, line, may, must};
use crate::verbs;
use std::sync::Arc;

const RECORDS: Field = must("r", Shape::Text { max: 1000, of: Letters::Ids }, "numbers of records: 7,9");

pub const ROUTES: &[Route] = &[
    Route {
        query: &[
            RECORDS,
            may("base", ID, "which of them the others are compared with; the first by default"),
        ],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/compare",
            "Records side by side: what `compare` prints.",
            Gives::Json(Shape::Open(&[])),
            Run::Call(compare),
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
            Run::Call(rank),
        )
    },
    Route {
        query: &[
            must("device", line(200), "a device, the serial number of a disk, or a target"),
            may("job", line(200), "words of the job, or its fingerprint"),
        ],
        refuses: &[422],
        ..Route::new(
            Verb::Get,
            "/api/v1/history",
            "One device over time: what `history` prints.",
            Gives::Json(Shape::Open(&[])),
            Run::Call(history),
        )
    },
];

fn ids(call: &Call) -> impl Iterator<Item = String> + '_ {
    call.text("r").unwrap_or_default().split(',').map(str::to_string)
}

fn compare(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let mut words = vec!["compare".to_string()];
    words.extend(call.number("base").map(|base| format!("--base={base}")));
    words.extend(ids(call));
    look(door, &words)
}

fn rank(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let words = ["compare".to_string(), "--rank".to_string()].into_iter().chain(ids(call));
    look(door, &words.collect::<Vec<_>>())
}

fn history(door: &Arc<Door>, call: &Call) -> Result<Reply, Fault> {
    let mut words = vec!["history".to_string()];
    words.extend(call.text("job").filter(|job| !job.is_empty()).map(|job| format!("--job={job}")));
    words.extend(["--".to_string(), call.text("device").unwrap_or_default().to_string()]);
    look(door, &words)
}

fn look(door: &Door, words: &[String]) -> Result<Reply, Fault> {
    Ok(Reply::bytes(JSON, verbs::look(&door.options.program, words)?))
}
