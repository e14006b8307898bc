//! Stage 7: the only writer of settings. current → desired → checkpoint → write → read back → keep or revert.
//!
//! A knob is one file in `knobs/`. Writing needs a [`host::Journal`], which refuses any path whose old value is not on
//! disk; so the type is the permission, and `undo` can put everything back after any death.

#[cfg(test)]
mod fixture;
pub mod knobs;
pub mod persist;
pub mod proven;
mod queue;
mod set;
mod wish;

pub use queue::Queue;
pub use set::{KnobError, checkpoint_paths, set, shown};
pub use wish::{PersistPlan, Wish};

use host::Host;
use model::change::{Class, Risk};
use model::job::Job;

/// One setting of a block device's queue.
#[derive(Debug)]
pub struct Knob {
    /// Its name, which is the file's and the attribute's.
    pub id: &'static str,
    /// Version of iodyno that first had it.
    pub since: &'static str,
    /// What it does, in half a sentence.
    pub summary: &'static str,
    /// How long a switch keeps acting.
    pub class: Class,
    /// What it can cost.
    pub risk: Risk,
    /// Place in the order of writing and of restoring; lower is earlier.
    pub order: u8,
    /// Other attributes of the queue that a write of this one may change, saved and restored with it. A trailing `*`
    /// stands for every file of a directory.
    pub disturbs: &'static [&'static str],
    /// Why it cannot matter for this job on this queue, if so.
    pub pointless: fn(&Queue, &Job) -> Option<String>,
    /// The values worth trying on this queue, the one it has now first. One value or none: nothing to try.
    pub choices: fn(&Queue) -> Vec<String>,
    /// Why the queue cannot take this value, if so.
    pub rejects: fn(&Queue, &str) -> Option<String>,
}

impl Knob {
    /// The knob of this id.
    pub fn find(id: &str) -> Option<&'static Knob> {
        knobs::ALL.iter().copied().find(|knob| knob.id == id)
    }

    /// How long a switch keeps acting under this load. Buffered writes leave dirty pages for later windows to pay, and
    /// buffered reads leave cached ones, whatever the knob.
    pub fn class_under(&self, job: &Job) -> Class {
        match (job.direct, job.rw.writes(), self.class) {
            (true, _, class) => class,
            (false, true, _) | (false, _, Class::Slow) => Class::Slow,
            (false, false, _) => Class::Learned,
        }
    }
}

/// A way to make a setting outlive a reboot, as the distribution expects it.
#[derive(Debug)]
pub struct Persist {
    /// Its name, which is the file's.
    pub id: &'static str,
    /// Version of iodyno that first had it.
    pub since: &'static str,
    /// What it writes, in half a sentence.
    pub summary: &'static str,
    /// Whether it can be used on this machine, or why not.
    pub available: fn(&Host) -> Result<(), String>,
    /// The file to write and its whole content, or why there is none for this device.
    pub plan: fn(&Host, &Wish) -> Result<PersistPlan, String>,
}

/// `current` first, then the others without it and without repeats.
pub(crate) fn current_first(
    current: String,
    others: impl IntoIterator<Item = String>,
) -> Vec<String> {
    let mut values = vec![current];
    for value in others {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}
