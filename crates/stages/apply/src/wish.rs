//! What is to outlive a reboot, and the file that would make it so.

use super::{Knob, SubjectFiles};

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

/// Who stands behind values that are to outlive a reboot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The record of this number proved them.
    Record(i64),
    /// Nobody: somebody asked for them.
    Nobody,
}

impl Proof {
    /// What stands in the name of a file: `7`, `set`.
    pub fn name(self) -> String {
        match self {
            Proof::Record(id) => id.to_string(),
            Proof::Nobody => "set".into(),
        }
    }

    /// The comment in front of what is written, of one line.
    pub fn comment(self) -> String {
        let said = match self {
            Proof::Record(id) => format!("iodyno: record {id} proved these values"),
            Proof::Nobody => "iodyno set: nobody has proved these values".into(),
        };
        format!("# Written by {said}. Take them back: iodyno undo")
    }
}

/// Settings of one device. Of a record they come from [`super::proven::wish`], which checks every word of it against the
/// catalogue and the machine; what was typed was checked as it was read. Whoever makes a line of one refuses what is no
/// plain word once more.
#[derive(Clone, Debug)]
pub struct SettingWish {
    device: String,
    values: Vec<CheckedValue>,
    proof: Proof,
}

impl SettingWish {
    /// Of values that were checked.
    pub(super) fn new(device: String, values: Vec<CheckedValue>, record: i64) -> SettingWish {
        SettingWish {
            device,
            values,
            proof: Proof::Record(record),
        }
    }

    /// Of values that somebody asked for, without a proof.
    pub fn unproved(device: &str, values: &[CheckedValue]) -> SettingWish {
        SettingWish {
            device: device.to_string(),
            values: values.to_vec(),
            proof: Proof::Nobody,
        }
    }

    /// Kernel name of the device below which they act: one plain name below `/sys/block`.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// The values in the order of writing.
    pub fn values(&self) -> &[CheckedValue] {
        &self.values
    }

    /// Who stands behind them.
    pub fn proof(&self) -> Proof {
        self.proof
    }

    /// Some of its values, by their place among them.
    pub(super) fn part(&self, chosen: &[usize]) -> SettingWish {
        let values = self.values.iter().enumerate();
        let values = values.filter(|(index, _)| chosen.contains(index));
        SettingWish {
            values: values.map(|(_, value)| value.clone()).collect(),
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
    /// A path of the same kind that sorts after those of others; none where names do not decide.
    pub later: Option<String>,
    /// Of a file that belongs to somebody else, what is in it now: then it is shown as a change first.
    pub before: Option<String>,
}
