//! A record as JSON. The document is flat: every part of every kind of record is a member of one object, since that is
//! what stores hold, what other programs read, and what earlier versions wrote.

use super::{LoadResult, Provenance, Record, RecordBody, RunBody, SectionResult, Trial};
use super::{TuneBody, WatchBody};
use crate::check::CheckResult;
use crate::finding::Finding;
use crate::imported::Imported;
use crate::iopath::IoPath;
use crate::job::Job;
use crate::layers::LayerTimes;
use crate::sample::SensorLog;
use crate::studies::Studies;
use crate::text;
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The document.
// One type reads and writes: borrowed of a record it copies nothing, and a field cannot be in one direction alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordDocument<'a> {
    /// `iodyno.record/1`.
    pub schema: Cow<'a, str>,
    /// What made it: `run`, `tune`, `watch`, `check` or `import`.
    pub verb: Cow<'a, str>,
    /// What the user named.
    pub target: Cow<'a, str>,
    /// The sentence a person needs.
    pub summary: Cow<'a, str>,
    /// Where and with what it was made.
    pub provenance: Cow<'a, Provenance>,
    /// The I/O path with every setting as it was at the start.
    pub path: Cow<'a, IoPath>,
    /// The workload.
    pub job: Cow<'a, Job>,
    /// What the load did, for a run; of several sections, the first one's.
    pub load: Option<Cow<'a, LoadResult>>,
    /// The sections, where there are several.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub sections: Cow<'a, [SectionResult]>,
    /// What the rules said, before the load and after it.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub findings: Cow<'a, [Finding]>,
    /// What the sensors read.
    pub sensors: Cow<'a, [SensorLog]>,
    /// Times by layer of the block devices on the path, over the load; none where they were not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<Cow<'a, LayerTimes>>,
    /// The trials, for a tune.
    pub trials: Cow<'a, [Trial]>,
    /// What a series of loads found: a curve, a search, a matrix, the settling.
    #[serde(default, skip_serializing_if = "Studies::is_empty")]
    pub studies: Cow<'a, Studies>,
    /// What a check did and saw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<Cow<'a, CheckResult>>,
    /// What another tool had measured, for an import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Cow<'a, Imported>>,
}

impl<'a> From<&'a Record> for RecordDocument<'a> {
    fn from(record: &'a Record) -> RecordDocument<'a> {
        RecordDocument {
            schema: Cow::Borrowed(&record.schema),
            verb: Cow::Borrowed(record.verb()),
            target: Cow::Borrowed(&record.target),
            summary: Cow::Borrowed(&record.summary),
            provenance: Cow::Borrowed(&record.provenance),
            path: Cow::Borrowed(&record.path),
            job: Cow::Borrowed(&record.job),
            load: record.load().map(Cow::Borrowed),
            sections: Cow::Borrowed(record.sections()),
            findings: Cow::Borrowed(&record.findings),
            sensors: Cow::Borrowed(&record.sensors),
            layers: record.layers().map(Cow::Borrowed),
            trials: Cow::Borrowed(record.trials()),
            studies: Cow::Borrowed(record.studies()),
            check: record.check().map(Cow::Borrowed),
            imported: record.imported().map(Cow::Borrowed),
        }
    }
}

/// What belongs to another verb is left out: no version wrote it, so nobody measured it.
impl TryFrom<RecordDocument<'_>> for Record {
    type Error = RecordFault;

    fn try_from(document: RecordDocument<'_>) -> Result<Record, RecordFault> {
        let body = match &*document.verb {
            "run" => RecordBody::Run(RunBody {
                load: document.load.map(Cow::into_owned),
                sections: document.sections.into_owned(),
                layers: document.layers.map(Cow::into_owned),
                studies: document.studies.into_owned(),
            }),
            "tune" => RecordBody::Tune(TuneBody {
                trials: document.trials.into_owned(),
            }),
            "watch" => RecordBody::Watch(WatchBody {
                layers: document.layers.map(Cow::into_owned),
            }),
            "check" => match document.check {
                Some(check) => RecordBody::Check(check.into_owned()),
                None => return Err(RecordFault::NoPart("check", "check")),
            },
            "import" => match document.imported {
                Some(imported) => RecordBody::Import(imported.into_owned()),
                None => return Err(RecordFault::NoPart("import", "imported")),
            },
            unknown => return Err(RecordFault::UnknownVerb(unknown.into())),
        };
        Ok(Record {
            schema: document.schema.into_owned(),
            target: document.target.into_owned(),
            summary: document.summary.into_owned(),
            provenance: document.provenance.into_owned(),
            path: document.path.into_owned(),
            job: document.job.into_owned(),
            findings: document.findings.into_owned(),
            sensors: document.sensors.into_owned(),
            body,
        })
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RecordDocument::from(self).serialize(serializer)
    }
}

/// Why a document of the right shape is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordFault {
    /// Nothing is known of what such a verb measures.
    UnknownVerb(String),
    /// A verb, and the member without which a record of it says nothing.
    NoPart(&'static str, &'static str),
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordFault::UnknownVerb(verb) => write!(
                f,
                "`{}` is no verb that makes records; this version knows {}",
                text::clean_to(verb, 60),
                RecordBody::VERBS.join(", ")
            ),
            RecordFault::NoPart(verb, part) => {
                write!(f, "a record of `{verb}` has to have `{part}`")
            }
        }
    }
}

impl std::error::Error for RecordFault {}
