//! Stage 7: the only writer of settings. current → desired → checkpoint → write → read back → keep or revert.
//!
//! A knob is one file in `knobs/`. Writing needs a [`host::Journal`], which refuses any path whose old value is not on
//! disk; so the type is the permission, and `undo` can put everything back after any death.

pub mod export;
#[cfg(test)]
mod fixture;
mod foreign_file;
mod groups;
pub mod knobs;
mod loads;
pub mod ordering;
pub mod persist;
mod persisted;
pub mod proven;
mod reading;
mod served;
mod set;
mod subject_files;
mod together;
mod values;
mod wish;

pub use ordering::rank;
pub use persisted::{KeptFiles, plans};
pub use reading::ValueReading;
pub use set::{KnobError, Rejection, checkpoint_paths, must_take, set};
pub use subject_files::{SubjectFiles, reach, subjects};
pub use together::{NotTogether, together};
pub use wish::{CheckedValue, PersistPlan, Proof, SettingWish};

use host::Host;
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::{Subject, SubjectKind};

/// One setting that can be tried, and everything that has to be known of it.
#[derive(Debug)]
pub struct Knob {
    /// Its name, which is the file's.
    pub id: &'static str,
    /// Version of iodyno that first had it.
    pub since: &'static str,
    /// What it does, in half a sentence.
    pub summary: &'static str,
    /// Whose setting it is.
    pub on: SubjectKind,
    /// Of a queue's settings, whether it acts also where I/O is handed on without a queue of requests, as arrays and
    /// volumes do.
    pub acts_without_requests: bool,
    /// Its file in the subject's directory.
    pub attribute: &'static str,
    /// What its text means.
    pub reading: ValueReading,
    /// How long a switch keeps acting.
    pub class: Class,
    /// How long a switch may plausibly go on acting, ms, where that is longer than knobs of its class have it: a verdict
    /// excludes an effect that fades within this time, and says so where it cannot.
    pub memory_ms: u64,
    /// What it can cost.
    pub risk: Risk,
    /// Its turn, by the gain to be expected, among the knobs that a tune tries unasked: the lowest is first. None: it
    /// is tried only where it is named.
    pub turn: Option<u8>,
    /// Other settings of the subject that a write of this one may change: they are saved with it, and written and
    /// restored after it. A final `/*` stands for every file of a directory.
    pub disturbs: &'static [&'static str],
    /// What is written in place of a value that cannot be written itself; given the value, and what each setting was at
    /// first. None where every value can be.
    pub instead: Option<Instead>,
    /// What the kernel's refusals of a write mean here, by errno.
    pub refusals: &'static [(i32, &'static str)],
    /// The words of a load under which it acts, where the load of `tune` without words is none; for the commands that
    /// iodyno prints.
    pub load: &'static str,
    /// Why it cannot matter for this job on this subject, if so. What the user named beside its own choices comes along:
    /// a bound that is never reached may be reached at a smaller value.
    pub pointless: Pointless,
    /// The values worth trying on this subject, the one it has now first. One value or none: nothing to try.
    pub choices: fn(&SubjectFiles) -> Vec<String>,
    /// Why the subject cannot take this value, if so.
    pub rejects: fn(&SubjectFiles, &str) -> Option<String>,
}

/// Given the subject, the job and the values that the user named: why there is nothing to gain, if so.
pub type Pointless = fn(&SubjectFiles, &Job, &[String]) -> Option<String>;

/// Another setting of the subject with the value to write to it.
pub type Instead =
    fn(value: &str, old: &dyn Fn(&str) -> Option<String>) -> Option<(&'static str, String)>;

impl Knob {
    /// What most knobs are: tried only where they are named, under every load, and alone in what they change. Each says
    /// beside it what it is, and what it takes.
    pub(crate) const PLAIN: Knob = Knob {
        id: "",
        since: "",
        summary: "",
        on: SubjectKind::Queue,
        acts_without_requests: false,
        attribute: "",
        reading: ValueReading::Whole,
        class: Class::Slow,
        memory_ms: 0,
        risk: Risk::NeedsCare,
        turn: None,
        disturbs: &[],
        instead: None,
        refusals: &[],
        load: "",
        pointless: |_, _, _| None,
        choices: |_| Vec::new(),
        rejects: |_, _| None,
    };

    /// The knob of this id, or, of a kernel parameter, of the name that `sysctl` has for it.
    pub fn find(name: &str) -> Option<&'static Knob> {
        let is_it = |knob: &&'static Knob| {
            let is_parameter = knob.on == SubjectKind::Sysctl;
            knob.id == name || (is_parameter && knob.attribute.replace('/', ".") == name)
        };
        knobs::ALL.iter().copied().find(is_it)
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
    /// When it is used.
    pub turn: PersistTurn,
    /// Whose settings it keeps.
    pub takes: fn(&Subject) -> bool,
    /// Whether it can be used on this machine, or why not.
    pub available: fn(&Host) -> Result<(), String>,
    /// The file to write and its whole content for values of such subjects, or why there is none.
    pub plan: fn(&Host, &SettingWish) -> Result<PersistPlan, String>,
}

/// When a way to persist is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersistTurn {
    /// For every value that it can keep.
    First,
    /// For what no other way keeps.
    Last,
    /// Beside the way that keeps a value: it keeps another program from writing it.
    Beside,
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
