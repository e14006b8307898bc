//! # A database under transactions
//!
//! ## What it measures
//! Random 8k reads beside random 8k writes on the same files, both direct, and a log that is written in sequence
//! and made durable after every block, all at once. The log's fsync latency is what a commit waits for; the reads'
//! p99 is what a query waits for.
//!
//! ## When to use it
//! Before putting PostgreSQL, MySQL or Oracle on a volume, and to tune the scheduler and the queue of the disk
//! below one. It says nothing about a database whose data fit in memory.
//!
//! ## Job
//! ```text
//! [global]
//! ioengine=io_uring
//! direct=1
//! bs=8k
//! time_based=1
//! runtime=30
//! size=4g
//!
//! [data-read]
//! filename=data
//! rw=randread
//! iodepth=16
//!
//! [data-write]
//! filename=data
//! rw=randwrite
//! iodepth=8
//!
//! [log]
//! filename=log
//! size=512m
//! rw=write
//! bs=8k
//! iodepth=1
//! fdatasync=1
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /var/lib/postgresql --preset oltp --max-size 1g
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "oltp",
    since: "0.1.0",
    summary: "8k random reads and writes beside a synced log, as a database does",
};
