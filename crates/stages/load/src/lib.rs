//! Stage 2, load: puts a target under a job and counts what comes back.
//!
//! [`prepare`] makes the target ready (gates, scratch file, alignment), [`start`] sets threads to work on it, and
//! [`Running`] is what the caller watches and ends. An engine is one file below `engines/`: it turns the order of
//! offsets (`worker::Worker::source`) into I/O and reports each completion to its counters. The stage writes data of
//! the target and nothing else.
//!
//! The load runs until [`Running::finish`]; `Job::runtime_ms` is the caller's to keep, because an experiment cuts one
//! load into many windows.

mod blocking;
mod ceph;
mod check;
mod counters;
mod covering;
mod data;
pub mod dataset;
pub mod defaults;
mod device;
pub mod engines;
mod error;
mod feed;
mod gates;
pub mod language;
mod layout;
mod notes;
mod offsets;
mod options;
mod pattern;
mod prepare;
mod preset;
pub mod presets;
mod rate;
mod rehearsed;
mod room;
mod running;
mod series;
mod signatures;
mod source;
mod start;
mod tree_cleanup;
mod worker;

pub use ceph::{CephPlace, CephPreparing, prepare as prepare_ceph};
pub use check::{fits as check_fit, job as check_job};
pub use counters::lane;
pub use counters::{BIN_NS, BINS};
pub use covering::covering;
pub use error::LoadError;
pub use gates::{Keepers, keepers};
pub use layout::{write as write_whole, write_zeros};
pub use prepare::{LoadTarget, Prepared, ScratchPlace, loadable, prepare};
pub use preset::Preset;
pub use running::{Running, RunningSide, Snapshot};
pub use start::start;
pub use worker::PrintedRate;

/// A way to produce the load.
#[derive(Debug)]
pub struct Engine {
    /// The name used in jobs: fio's own where fio has the same engine.
    pub id: &'static str,
    /// The version that brought it.
    pub since: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// Whether it keeps `iodepth` I/Os in flight; without, every job has one.
    pub has_depth: bool,
    /// How many threads it wants.
    pub runs: Runs,
    /// What it works on.
    pub needs: Needs,
    /// Its operations besides reading, writing, trimming and syncing, in the order of their lanes.
    pub operations: &'static [&'static str],
    /// Sets the engine up for one job thread, on that thread.
    pub(crate) open: fn(&worker::Worker) -> Result<worker::Opened, worker::OpenError>,
}

/// How many threads an engine wants, and so who counts its I/Os while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// One for each of the job's `numjobs`, which counts what it does.
    PerJob,
    /// One that drives another program, which makes the load of all jobs and counts it at its end.
    Program,
    /// One that makes no load and only looks on.
    LookingOn,
    /// One that runs a command of the user's, which makes the load, and looks on.
    Command,
}

/// What an engine works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Files with content, or a device.
    Files,
    /// A directory in which it makes and removes what it likes.
    Directory,
    /// A pool of a Ceph cluster, in which it makes objects of its own.
    Pool,
    /// Nothing that has to be made ready: it changes nothing.
    Nothing,
}

impl Engine {
    /// The engine of an id.
    pub fn find(id: &str) -> Option<&'static Engine> {
        engines::ALL.iter().copied().find(|engine| engine.id == id)
    }

    /// Whether I/Os can arrive by the clock (`Job::open_loop`): it keeps several in flight itself.
    pub fn takes_arrivals(&self) -> bool {
        self.has_depth && self.runs == Runs::PerJob
    }

    /// Whether the load is made by another program, which counts by itself.
    pub fn is_another_program(&self) -> bool {
        self.runs == Runs::Program
    }

    /// Whether the load is there already, so that it can be neither started nor ended.
    pub fn is_of_others(&self) -> bool {
        self.runs == Runs::LookingOn
    }

    /// Whether the job's words on blocks and depth say what is asked of the device.
    pub fn does_what_the_job_says(&self) -> bool {
        self.needs != Needs::Nothing
    }

    /// Whether the device's own counters tell its rate while it runs: then they cannot tell ours from foreign I/O.
    pub fn is_counted_by_the_device(&self) -> bool {
        self.runs != Runs::PerJob
    }
}

/// What the user allowed to be destroyed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consent {
    /// The content of a block device.
    pub destroy_data: bool,
    /// The content of an existing regular file.
    pub overwrite: bool,
    /// A file-system, RAID, LVM or partition-table signature on the device.
    pub force_signature: bool,
    /// Running the command that the job names: only where the user typed it, never where it came with a file.
    pub run_command: bool,
}

/// The contiguous share of the target that a load works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Which share, from 0.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Region {
    /// All of it.
    pub const WHOLE: Region = Region { index: 0, of: 1 };

    /// The first (0) or the second (1) half.
    pub fn half(index: u32) -> Region {
        Region {
            index: index.min(1),
            of: 2,
        }
    }
}

#[cfg(test)]
mod loop_device;
#[cfg(test)]
mod open_loop_tests;
#[cfg(test)]
mod patience;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_streams;
