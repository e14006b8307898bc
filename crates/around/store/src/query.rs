//! Finding records. Nothing here reads a document.

use crate::columns::{digest, short_name};
use crate::error::StoreError;
use crate::{Store, job_words};
use rusqlite::types::Value;
use serde::{Deserialize, Serialize};

/// What records to find: all conditions hold. The default finds everything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Host name.
    pub host: Option<String>,
    /// Kernel name of any block device on the path, with or without `/dev/`.
    pub device: Option<String>,
    /// Serial number of any disk on the path, or the digest of it that a [`RecordRow`] has.
    pub serial: Option<String>,
    /// What the user named, or a path below which that lies.
    pub target: Option<String>,
    /// Words of the job (`randread bs=4k`, `4K random read`), or its fingerprint.
    pub job: Option<String>,
    /// Kernel release, or how it begins: `6.1` finds `6.1.0-18-amd64` and not `6.18`.
    pub kernel: Option<String>,
    /// What made it: `run`, `tune`, `check`, `watch`, `import`.
    pub verb: Option<String>,
    /// A tag.
    pub tag: Option<String>,
    /// Name of a setting on the path or of the machine, and the value it had.
    pub setting: Option<(String, Option<String>)>,
    /// Measured at or after this moment, ms since 1970.
    pub since_unix_ms: Option<i64>,
    /// Measured before this moment, ms since 1970.
    pub until_unix_ms: Option<i64>,
    /// A piece of text in the summary, the target, the job, the model, a tag or a note; capitals do not matter.
    pub text: Option<String>,
    /// Only records with a smaller number: what comes after a page of results.
    pub before_id: Option<i64>,
    /// How many at most.
    pub limit: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Filter {
            host: None,
            device: None,
            serial: None,
            target: None,
            job: None,
            kernel: None,
            verb: None,
            tag: None,
            setting: None,
            since_unix_ms: None,
            until_unix_ms: None,
            text: None,
            before_id: None,
            limit: u32::MAX,
        }
    }
}

/// A record's line in a list. What is not known is none; times of I/O are ns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "RecordRow")
)]
pub struct RecordRow {
    /// Number of the record.
    pub id: i64,
    /// When it was measured, ms since 1970.
    pub unix_ms: i64,
    /// `run`, `tune`, `check`, `watch` or `import`.
    pub verb: String,
    /// What the user named.
    pub target: String,
    /// Kernel name of the device whose queue counts.
    pub device: Option<String>,
    /// Digest of the serial number of the disk, where there is one disk and it told.
    pub serial: Option<String>,
    /// Model of the disk, where there is one disk and it told.
    pub model: Option<String>,
    /// Host name; empty for an import that does not tell.
    pub host: String,
    /// Kernel release; empty for an import that does not tell.
    pub kernel: String,
    /// The job for people: `4K random read, depth 32, direct`.
    pub job: Option<String>,
    /// Its fingerprint: the same for the same job on any device. None where an import does not tell all of it.
    pub job_print: Option<String>,
    /// The sentence a person needs.
    pub summary: String,
    /// Its tags, sorted.
    pub tags: Vec<String>,
    /// Number of notes.
    pub note_count: u32,
    /// How long the load ran, ms.
    pub elapsed_ms: Option<f64>,
    /// I/Os per second, all directions.
    pub iops: Option<f64>,
    /// Bytes per second, all directions.
    pub bytes_per_s: Option<f64>,
    /// Mean latency.
    pub mean_ns: Option<f64>,
    /// Median latency.
    pub p50_ns: Option<f64>,
    /// 99th percentile.
    pub p99_ns: Option<f64>,
    /// 99.9th percentile.
    pub p999_ns: Option<f64>,
    /// Values of sensors in it.
    pub samples: i64,
    /// Length of its document, bytes of JSON.
    pub document_bytes: i64,
}

const SELECT: &str = "
    SELECT record.id, record.unix_ms, record.verb, record.target, record.device, record.serial, record.model,
        record.host, record.kernel, record.job, record.job_print, record.summary, record.elapsed_ms, record.iops,
        record.bytes_per_s, record.mean_ns, record.p50_ns, record.p99_ns, record.p999_ns, record.samples,
        record.document_bytes,
        (SELECT group_concat(name) FROM tag WHERE tag.record = record.id),
        (SELECT count(*) FROM note WHERE note.record = record.id)
    FROM record";

impl Store {
    /// The records that a filter finds, those that came last first.
    pub fn query(&self, filter: &Filter) -> Result<Vec<RecordRow>, StoreError> {
        let (conditions, values) = conditions(filter);
        let clause = if conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", conditions.join(" AND "))
        };
        let sql = format!(
            "{SELECT} {clause} ORDER BY record.id DESC LIMIT {}",
            filter.limit
        );
        self.rows(&sql, values).map_err(|error| self.failed(&error))
    }

    /// The line of one record.
    pub fn row(&self, id: i64) -> Result<RecordRow, StoreError> {
        let rows = self.rows(
            &format!("{SELECT} WHERE record.id = ?"),
            vec![Value::Integer(id)],
        );
        rows.map_err(|error| self.failed(&error))?
            .pop()
            .ok_or_else(|| self.missing(id))
    }

    /// Other records of the same job on a like device, those that came last first: the same disk, the same model, or a
    /// device of the same name on the same host. What an import does not tell of its job is taken to be the same.
    pub fn like(&self, id: i64) -> Result<Vec<RecordRow>, StoreError> {
        self.row(id)?;
        let sql = format!(
            "{SELECT} JOIN record AS it ON it.id = ?
             WHERE record.id <> it.id AND record.job_core = it.job_core
                 AND (record.job_print = it.job_print OR record.job_print IS NULL OR it.job_print IS NULL)
                 AND (record.serial = it.serial OR record.model = it.model
                     OR (record.host = it.host AND record.host <> '' AND record.device = it.device
                         AND (record.model = it.model OR record.model IS NULL OR it.model IS NULL)))
             ORDER BY record.id DESC"
        );
        self.rows(&sql, vec![Value::Integer(id)])
            .map_err(|error| self.failed(&error))
    }

    fn rows(&self, sql: &str, values: Vec<Value>) -> rusqlite::Result<Vec<RecordRow>> {
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), row)?;
        rows.collect()
    }
}

/// Conditions with a `?` for each value, in order.
fn conditions(filter: &Filter) -> (Vec<&'static str>, Vec<Value>) {
    let mut found = Vec::new();
    found.extend(where_it_ran(filter));
    found.extend(what_it_was(filter));
    found.extend(when_it_came(filter));
    let (conditions, values): (Vec<&str>, Vec<Vec<Value>>) = found.into_iter().unzip();
    (conditions, values.into_iter().flatten().collect())
}

/// A condition and its values.
type Condition = (&'static str, Vec<Value>);

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// Host, device, target and kernel.
fn where_it_ran(filter: &Filter) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    if let Some(host) = &filter.host {
        found.push(("record.host = ?", vec![text(host)]));
    }
    if let Some(device) = &filter.device {
        found.push((
            "record.id IN (SELECT record FROM device WHERE name = ?)",
            vec![text(short_name(device))],
        ));
    }
    if let Some(serial) = &filter.serial {
        found.push((
            "record.id IN (SELECT record FROM device WHERE serial IN (?, ?))",
            vec![text(serial), text(&digest(serial))],
        ));
    }
    if let Some(target) = &filter.target {
        let whole = target.trim_end_matches('/');
        let below = format!("{whole}/");
        let length = Value::Integer(below.chars().count() as i64);
        let given = [target, whole, target, whole].map(text).into_iter();
        let given = given.chain([length.clone(), text(&below), length, text(&below)]);
        found.push((TARGET, given.collect()));
    }
    if let Some(kernel) = &filter.kernel {
        let length = kernel.chars().count() as i64;
        let given = vec![
            Value::Integer(length),
            text(kernel),
            Value::Integer(length + 1),
        ];
        found.push((KERNEL, given));
    }
    found
}

/// Verb, tag, job and setting.
fn what_it_was(filter: &Filter) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    if let Some(verb) = &filter.verb {
        found.push(("record.verb = ?", vec![text(verb)]));
    }
    if let Some(tag) = &filter.tag {
        found.push((
            "record.id IN (SELECT record FROM tag WHERE name = ?)",
            vec![text(tag)],
        ));
    }
    for word in filter.job.iter().flat_map(|job| job_words::tokens(job)) {
        found.push((
            "(instr(record.job_words, ?) > 0 OR record.job_print = ?)",
            vec![text(&format!(" {word} ")), text(&word)],
        ));
    }
    match &filter.setting {
        None => {}
        Some((name, None)) => found.push((SETTING_NAMED, vec![text(name)])),
        Some((name, Some(value))) => found.push((SETTING_OF_VALUE, vec![text(name), text(value)])),
    }
    found
}

/// Times, free text, and the page of a list.
fn when_it_came(filter: &Filter) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    if let Some(since) = filter.since_unix_ms {
        found.push(("record.unix_ms >= ?", vec![Value::Integer(since)]));
    }
    if let Some(until) = filter.until_unix_ms {
        found.push(("record.unix_ms < ?", vec![Value::Integer(until)]));
    }
    if let Some(piece) = &filter.text {
        found.push((TEXT, vec![text(&piece.to_lowercase())]));
    }
    if let Some(before) = filter.before_id {
        found.push(("record.id < ?", vec![Value::Integer(before)]));
    }
    found
}

const TARGET: &str =
    "(record.target IN (?, ?) OR record.path IN (?, ?) OR substr(record.target, 1, ?) = ?
     OR substr(record.path, 1, ?) = ?)";

const KERNEL: &str =
    "(substr(record.kernel, 1, ?) = ? AND substr(record.kernel, ?, 1) NOT BETWEEN '0' AND '9')";

const SETTING_NAMED: &str = "record.id IN (SELECT record FROM record_setting
    WHERE setting IN (SELECT id FROM setting WHERE name = ?))";

const SETTING_OF_VALUE: &str = "record.id IN (SELECT record FROM record_setting
    WHERE setting = (SELECT id FROM setting WHERE name = ? AND value = ?))";

const TEXT: &str =
    "instr(lower(concat_ws(char(10), record.summary, record.target, record.path, record.job, record.model,
    (SELECT group_concat(name) FROM tag WHERE tag.record = record.id),
    (SELECT group_concat(text, char(10)) FROM note WHERE note.record = record.id))), ?) > 0";

fn row(row: &rusqlite::Row) -> rusqlite::Result<RecordRow> {
    let tags: Option<String> = row.get(21)?;
    let mut tags: Vec<String> = tags
        .iter()
        .flat_map(|tags| tags.split(','))
        .map(str::to_string)
        .collect();
    tags.sort_unstable();
    Ok(RecordRow {
        id: row.get(0)?,
        unix_ms: row.get(1)?,
        verb: row.get(2)?,
        target: row.get(3)?,
        device: row.get(4)?,
        serial: row.get(5)?,
        model: row.get(6)?,
        host: row.get(7)?,
        kernel: row.get(8)?,
        job: row.get(9)?,
        job_print: row.get(10)?,
        summary: row.get(11)?,
        elapsed_ms: row.get(12)?,
        iops: row.get(13)?,
        bytes_per_s: row.get(14)?,
        mean_ns: row.get(15)?,
        p50_ns: row.get(16)?,
        p99_ns: row.get(17)?,
        p999_ns: row.get(18)?,
        samples: row.get(19)?,
        document_bytes: row.get(20)?,
        tags,
        note_count: row.get(22)?,
    })
}
