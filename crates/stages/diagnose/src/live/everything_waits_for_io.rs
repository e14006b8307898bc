//! # All work waits for I/O
//!
//! ## What it finds
//! More than 20 % of the time in which every task that had something to do waited for I/O (PSI, `io full`).
//!
//! ## Why it matters
//! This is time that a faster disk would give back at once; unlike iowait it cannot be hidden by other work on the CPUs.
//!
//! ## What to try
//! Look which process and which device: `iodyno watch`, then `iodyno tune` on the device.
//!
//! ## Example
//! ```fields
//! pressure.full_percent io 41
//! pressure.some_percent io 60
//! expect: warning says "41 %"
//! ```
//!
//! ## Stays silent
//! ```fields
//! pressure.full_percent io 3
//! pressure.some_percent io 60
//! ```
//!
//! ## Sources
//! - Linux `Documentation/accounting/psi.rst`

use crate::LiveRule;
use crate::finding::{With, warning};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "everything_waits_for_io",
    since: "0.1.0",
    summary: "a machine in which all work waits for I/O",
    level: Level::Warning,
    our_doing: Some(&[]),
    explains: &[],
    yields_to: &[
        "array_syncing",
        "busy_before_load",
        "device_saturated",
        "writers_wait_for_dirty_pages",
    ],
    judge,
};

const PERCENT_MIN: f64 = 20.0;

fn judge(frame: &Frame) -> Vec<Finding> {
    let full = frame
        .get("pressure.full_percent", "io")
        .filter(|percent| *percent > PERCENT_MIN);
    let found = full.map(|percent| {
        warning(
            "",
            format!(
                "For {percent} of the time everything that had work to do waited for I/O.",
                percent = units::percent_whole(percent)
            ),
        )
        .shows("pressure.full_percent io", units::whole(percent))
        .shows(
            "pressure.some_percent io",
            frame
                .get("pressure.some_percent", "io")
                .map_or("-".into(), units::whole),
        )
        .refuted_by("the rate of the work does not change when the I/O is made faster")
        .advise("Find the device with the longest queue and the process behind it.")
    });
    found.into_iter().collect()
}
