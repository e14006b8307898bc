//! Documents that verbs print and the server sends.

use model::subject::Subject;
use serde::{Deserialize, Serialize};
use store::{Note, Origin, RecordRow};

/// What was applied, or would be: `iodyno.apply/2`.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Applied {
    /// `iodyno.apply/2`.
    pub schema: String,
    /// Kernel name of the device that was measured.
    pub device: String,
    /// What was written.
    pub values: Vec<AppliedValue>,
    /// Where the record was made.
    pub origin: Origin,
    /// Files that keep it for after the next boot.
    pub persisted: Vec<String>,
    /// By which it is undone; none where nothing was written.
    pub journal: Option<String>,
}

/// A setting that was applied.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedValue {
    /// The knob.
    pub knob: String,
    /// Whose setting it is.
    pub subject: Subject,
    /// The value.
    pub value: String,
}

/// What was set without a proof, or would be: `iodyno.set/1`.
#[derive(Debug, Serialize)]
pub struct SetDone {
    /// `iodyno.set/1`.
    pub schema: String,
    /// Kernel name of the device below the target.
    pub device: String,
    /// The values asked for, in the order of writing.
    pub values: Vec<SetValue>,
    /// Files that keep them for after the next boot.
    pub persisted: Vec<String>,
    /// By which it is undone; none where nothing was written.
    pub journal: Option<String>,
}

/// A value that was asked for.
#[derive(Debug, Serialize)]
pub struct SetValue {
    /// The knob.
    pub knob: String,
    /// Whose setting it is.
    pub subject: Subject,
    /// The value that was there; none where it could not be read.
    pub was: Option<String>,
    /// The value.
    pub value: String,
}

/// Records that fit a filter: `iodyno.list/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecordList {
    schema: &'static str,
    /// The newest first.
    pub records: Vec<RecordRow>,
}

impl RecordList {
    /// These.
    pub fn of(records: Vec<RecordRow>) -> RecordList {
        RecordList {
            schema: "iodyno.list/1",
            records,
        }
    }
}

/// One record, whole, with what lies beside it: `iodyno.show/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Shown")
)]
pub struct Shown<R> {
    schema: &'static str,
    /// Its number.
    pub id: i64,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its notes, the oldest first.
    pub notes: Vec<Note>,
    /// Records of the same job on a like device.
    pub like: Vec<i64>,
    /// The record.
    pub record: R,
}

impl<R> Shown<R> {
    /// A record with what its store has beside it.
    pub fn of(
        id: i64,
        record: R,
        tags: Vec<String>,
        notes: Vec<Note>,
        like: &[RecordRow],
    ) -> Shown<R> {
        Shown {
            schema: "iodyno.show/1",
            id,
            tags,
            notes,
            like: like.iter().map(|row| row.id).collect(),
            record,
        }
    }
}

/// Records that were deleted: `iodyno.delete/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deleted {
    schema: &'static str,
    /// Their numbers.
    pub deleted: Vec<i64>,
}

impl Deleted {
    /// These.
    pub fn of(deleted: Vec<i64>) -> Deleted {
        Deleted {
            schema: "iodyno.delete/1",
            deleted,
        }
    }
}
