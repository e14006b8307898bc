//! The document of a check: what `--json` prints and `--replay` reads again.

use crate::exit::{Exit, Failure};
use model::check::CheckResult;
use model::finding::Finding;
use model::iopath::IoPath;
use model::record::{Provenance, Record};
use model::sample::SensorLog;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Schema of the document.
pub const SCHEMA: &str = "iodyno.check/1";

/// What is printed. Judging it again needs no machine.
#[derive(Debug, Serialize)]
pub struct CheckDocument<'a> {
    schema: &'static str,
    /// Number of the record; none where none was kept.
    id: Option<i64>,
    /// The first line.
    answer: &'a str,
    provenance: &'a Provenance,
    path: &'a IoPath,
    findings: &'a [Finding],
    sensors: &'a [SensorLog],
    #[serde(flatten)]
    check: &'a CheckResult,
}

impl<'a> CheckDocument<'a> {
    /// Of a record that has a check.
    pub fn of(id: Option<i64>, record: &'a Record, check: &'a CheckResult) -> CheckDocument<'a> {
        CheckDocument {
            schema: SCHEMA,
            id,
            answer: &record.summary,
            provenance: &record.provenance,
            path: &record.path,
            findings: &record.findings,
            sensors: &record.sensors,
            check,
        }
    }
}

/// What is read again. The findings of the document are not: they are made anew.
#[derive(Debug, Deserialize)]
pub struct Read {
    /// Where and with what it was made.
    #[serde(default)]
    pub provenance: Provenance,
    /// The path as it was.
    pub path: IoPath,
    /// What sensors counted.
    #[serde(default)]
    pub sensors: Vec<SensorLog>,
    /// The loads and what was known beside them.
    #[serde(skip)]
    pub check: CheckResult,
}

/// Reads a document of `check --json` or of `show --json` of a check.
pub fn read(file: &Path) -> Result<Read, Failure> {
    let bad = |why: String| {
        Failure::new(
            Exit::Failed,
            format!("cannot replay {}: {why}", model::text::shown(file)),
        )
    };
    let text = host::files::read_text(file)?;
    let mut whole: Value =
        serde_json::from_str(&text).map_err(|error| bad(format!("it is no JSON: {error}")))?;
    if let Some(record) = whole.get_mut("record") {
        let mut record = record.take();
        let check = record.get_mut("check").map(Value::take).unwrap_or_default();
        merge(&mut record, check);
        whole = record;
    } else if whole.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
        return Err(bad(format!("it is no document of a check ({SCHEMA})")));
    }
    // These are made anew.
    if let Value::Object(whole) = &mut whole {
        ["given", "expected", "findings"]
            .iter()
            .for_each(|name| drop(whole.remove(*name)));
    }
    let check = whole
        .get("probes")
        .is_some()
        .then(|| model::json::read_value(&whole));
    let check = check.ok_or_else(|| bad("it holds no check".into()))?;
    let check = check.map_err(|error| bad(format!("a part of it is damaged: {error}")))?;
    let read: Read = model::json::read_value(&whole)
        .map_err(|error| bad(format!("a part of it is damaged: {error}")))?;
    Ok(Read { check, ..read })
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}
