//! # Appending logs
//!
//! ## What it measures
//! Eight writers append 4k through the page cache, each to a file of its own, and fsync once for every 64 blocks:
//! application logs, a message queue's segments.
//!
//! ## When to use it
//! To see what dirty limits, the journal of the file system and the write-back of the kernel make of many small
//! streams. Buffered on purpose: that is how logs are written.
//!
//! ## Job
//! ```text
//! [append]
//! ioengine=psync
//! direct=0
//! rw=write
//! bs=4k
//! fsync=64
//! numjobs=8
//! size=256m
//! time_based=1
//! runtime=20
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /var/log --preset log_append
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "log_append",
    since: "0.1.0",
    summary: "eight buffered appenders with an fsync now and then",
};
