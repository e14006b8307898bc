//! What is to outlive a reboot, and the file that would make it so.

use super::{Knob, SubjectFiles};
use model::subject::Subject;

/// A value that a knob takes, of a subject of this machine.
#[derive(Clone, Debug)]
pub struct CheckedValue {
    /// The knob.
    pub knob: &'static Knob,
    /// The subject.
    pub files: SubjectFiles,
    /// A plain word that the knob takes.
    pub value: String,
}

/// Settings of one device that a record proved. There is no other way to make one than [`super::proven::wish`], which
/// checks every word of it against the catalogue and the machine.
#[derive(Clone, Debug)]
pub struct SettingWish {
    device: String,
    values: Vec<CheckedValue>,
    record: i64,
}

impl SettingWish {
    /// Of values that were checked.
    pub(super) fn new(device: String, values: Vec<CheckedValue>, record: i64) -> SettingWish {
        SettingWish {
            device,
            values,
            record,
        }
    }

    /// Kernel name of the device on which they were proved: one plain name below `/sys/block`.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The values in the order of writing.
    pub fn values(&self) -> &[CheckedValue] {
        &self.values
    }

    /// The record that proved them.
    pub fn record(&self) -> i64 {
        self.record
    }

    /// Those of its values whose subject a way to persist takes.
    pub(super) fn part(&self, takes: fn(&Subject) -> bool) -> SettingWish {
        let values = self
            .values
            .iter()
            .filter(|value| takes(value.files.subject()));
        SettingWish {
            values: values.cloned().collect(),
            ..self.clone()
        }
    }
}

/// A file to be written whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistPlan {
    /// Absolute path.
    pub path: String,
    /// Its content.
    pub content: String,
    /// What to run for it to act before the next boot, for people.
    pub activate: String,
}
