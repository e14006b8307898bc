//! # A RAID array that lacks disks
//!
//! ## What it finds
//! An md array with fewer working members than it should have.
//!
//! ## Why it matters
//! Reads of a RAID 5 or 6 with a missing disk are computed from all the others; a mirror reads from what is left. And the next
//! failure may take the data.
//!
//! ## What to try
//! Replace the disk before anything is measured or tuned: `mdadm --detail` names it.
//!
//! ## Example
//! ```fields
//! md.degraded_disks md0 1
//! expect: wrong says "md0"
//! ```
//!
//! ## Stays silent
//! ```fields
//! md.degraded_disks md0 0
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/md.rst`, `degraded`

use crate::LiveRule;
use crate::finding::{With, wrong};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "array_degraded",
    since: "0.1.0",
    summary: "an array that lacks disks",
    level: Level::Wrong,
    our_doing: None,
    explains: &[],
    yields_to: &["array_not_whole"],
    judge,
};

fn judge(frame: &Frame) -> Vec<Finding> {
    let lacking = frame
        .each("md.degraded_disks")
        .filter(|(_, missing)| *missing > 0.0);
    let finding = |(array, missing): (&str, f64)| {
        wrong(
            array,
            format!(
                "{array} lacks {missing} of its disks: it is slower than it should be, and less safe."
            , missing = units::whole(missing)),
        )
        .shows("md.degraded_disks", units::whole(missing))
        .advise(format!("Replace the disk that `mdadm --detail /dev/{array}` names, then measure."))
    };
    lacking.map(finding).collect()
}
