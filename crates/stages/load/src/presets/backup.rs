//! # A backup beside the daily load
//!
//! ## What it measures
//! One sequential reader at 1 MiB takes all it can get, while random 4k reads at depth 1 stand for the users: how
//! much does the backup hurt them?
//!
//! ## When to use it
//! To choose a scheduler or an io.cost, io.max or ionice setting that lets a backup run by day. Compare the p99 of
//! `users` with a run of that section alone.
//!
//! ## Job
//! ```text
//! [global]
//! direct=1
//! time_based=1
//! runtime=30
//! size=2g
//! filename=data
//!
//! [users]
//! ioengine=io_uring
//! rw=randread
//! bs=4k
//! iodepth=1
//!
//! [backup]
//! ioengine=io_uring
//! rw=read
//! bs=1m
//! iodepth=8
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /srv --preset backup
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "backup",
    since: "0.1.0",
    summary: "one greedy 1 MiB reader beside small random reads: who suffers",
};
