//! # A RAID array that is being synchronised
//!
//! ## What it finds
//! An md array that resyncs, rebuilds, reshapes or is checked.
//!
//! ## Why it matters
//! The synchronisation competes with every other I/O for the same disks, and gives way only as far as `sync_speed_min` lets it.
//! What is measured now is not what the array gives.
//!
//! ## What to try
//! Wait for its end, or pause a check with `echo idle > /sys/block/md0/md/sync_action`.
//!
//! ## Example
//! ```fields
//! md.sync_bytes_per_s md0 120000000
//! md.sync_percent md0 37.5
//! expect: warning says "md0"
//! ```
//!
//! ## Stays silent
//! ```fields
//! md.sync_bytes_per_s md0 0
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/md.rst`, `sync_action`, `sync_speed`

use crate::LiveRule;
use crate::finding::{With, warning};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "array_syncing",
    since: "0.1.0",
    summary: "an array that is being synchronised",
    level: Level::Warning,
    our_doing: None,
    explains: &[],
    yields_to: &["rebuild_takes_its_share"],
    judge,
};

fn judge(frame: &Frame) -> Vec<Finding> {
    let syncing = frame
        .each("md.sync_bytes_per_s")
        .filter(|(_, rate)| *rate > 0.0);
    let finding = |(array, rate): (&str, f64)| {
        let rate = units::bytes_per_s(rate);
        let done = frame.get("md.sync_percent", array);
        let so_far = done.map_or_else(String::new, |percent| {
            format!(", {percent} done", percent = units::percent_whole(percent))
        });
        warning(
            array,
            format!(
                "{array} is being synchronised at {rate}{so_far}; it competes with the I/O here."
            ),
        )
        .shows("md.sync_bytes_per_s", rate)
        .refuted_by("rate and latency are the same after its end")
        .advise("Measure when it is done.")
    };
    syncing.map(finding).collect()
}
