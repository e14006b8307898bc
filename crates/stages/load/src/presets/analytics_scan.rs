//! # A scan of large tables
//!
//! ## What it measures
//! Four readers, each at 1 MiB and depth 4 over a share of its own: the bandwidth of a column store or a Spark
//! executor. Latency matters little.
//!
//! ## When to use it
//! To see the link, the array or the cloud volume's bandwidth cap, and to tune read-ahead's big brother,
//! max_sectors_kb.
//!
//! ## Job
//! ```text
//! [scan]
//! ioengine=io_uring
//! direct=1
//! rw=read
//! bs=1m
//! iodepth=4
//! numjobs=4
//! size=2g
//! time_based=1
//! runtime=20
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /data --preset analytics_scan
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "analytics_scan",
    since: "0.1.0",
    summary: "four streams of 1 MiB reads: bandwidth",
};
