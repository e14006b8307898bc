//! What is to outlive a reboot, and the file that would make it so.

use super::Knob;

/// Settings of one device that a record proved. There is no other way to make one than [`super::proven::wish`], which
/// checks every word of it against the catalogue and the machine.
#[derive(Clone, Debug)]
pub struct Wish {
    device: String,
    values: Vec<(&'static Knob, String)>,
    record: i64,
}

impl Wish {
    /// Of values that were checked.
    pub(super) fn new(device: String, values: Vec<(&'static Knob, String)>, record: i64) -> Wish {
        Wish {
            device,
            values,
            record,
        }
    }

    /// Kernel name of the device: one plain name below `/sys/block`.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// Knobs and their values, plain words that the knobs take, in the order of writing.
    pub fn values(&self) -> &[(&'static Knob, String)] {
        &self.values
    }

    /// The record that proved them.
    pub fn record(&self) -> i64 {
        self.record
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
