//! # A write-ahead log
//!
//! ## What it measures
//! 8k appends, each followed by fdatasync, one at a time: commit latency. The figure to look at is the latency of
//! `sync`, median and p99.9; the rate is its inverse.
//!
//! ## When to use it
//! To choose between volumes for a log, to see whether a write cache is protected (an fdatasync in a few tens of
//! microseconds on a disk without power-loss protection means that somebody lies), and to judge barriers and write
//! cache settings.
//!
//! ## Job
//! ```text
//! [wal]
//! ioengine=psync
//! direct=0
//! rw=write
//! bs=8k
//! size=512m
//! fdatasync=1
//! time_based=1
//! runtime=20
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /var/lib/postgresql/pg_wal --preset wal
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "wal",
    since: "0.1.0",
    summary: "8k appends with fdatasync after each: what a commit waits for",
};
