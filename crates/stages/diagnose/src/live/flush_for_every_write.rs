//! # A flush for nearly every write
//!
//! ## What it finds
//! A device that gets more than 50 flushes a second, and at least one for two writes.
//!
//! ## Why it matters
//! Every flush waits until the device has its cache on the medium. The rate is then set by the time of one flush, and neither
//! the scheduler nor the depth changes it much.
//!
//! ## What to try
//! Group commits in the program (a database's commit delay), a log on a device with power-loss protection (its cache needs no
//! flush), or fewer fsyncs where the data may be lost.
//!
//! ## Example
//! ```fields
//! disk.flushes_per_s vda 400
//! disk.writes_per_s vda 410
//! disk.await_flush_ms vda 2.1
//! expect: note says "flush"
//! ```
//!
//! ## Stays silent
//! ```fields
//! disk.flushes_per_s vda 20
//! disk.writes_per_s vda 900
//! ```
//!
//! ## Sources
//! - Linux `Documentation/block/writeback_cache_control.rst`

use crate::LiveRule;
use crate::finding::{With, note};
use analyse::fields::Frame;
use model::check::Role;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "flush_for_every_write",
    since: "0.1.0",
    summary: "a flush for nearly every write",
    level: Level::Note,
    our_doing: Some(&[Role::Fsync]),
    explains: &[],
    yields_to: &[],
    judge,
};

const FLUSHES_MIN_PER_S: f64 = 50.0;
const PER_WRITE_MIN: f64 = 0.5;

fn judge(frame: &Frame) -> Vec<Finding> {
    let many = frame
        .each("disk.flushes_per_s")
        .filter(|(device, flushes)| {
            let writes = frame.get("disk.writes_per_s", device).unwrap_or(0.0);
            *flushes > FLUSHES_MIN_PER_S && *flushes >= writes * PER_WRITE_MIN
        });
    let finding = |(device, flushes): (&str, f64)| {
        let writes = frame.get("disk.writes_per_s", device).unwrap_or(0.0);
        let each = frame.get("disk.await_flush_ms", device);
        let took = each.map_or_else(String::new, |ms| {
            format!(", each takes {}", units::duration_ns(ms * 1e6))
        });
        note(device, format!("{device} gets {flushes} flushes a second for {writes} writes{took}: fsync sets the pace.", flushes = units::whole(flushes), writes = units::whole(writes)))
            .shows("disk.flushes_per_s", units::whole(flushes))
            .shows("disk.writes_per_s", units::whole(writes))
            .refuted_by("the rate of writes grows with the depth")
            .advise("Group commits, or put the log on a device with power-loss protection.")
    };
    many.map(finding).collect()
}
