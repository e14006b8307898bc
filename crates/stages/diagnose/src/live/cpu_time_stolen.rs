//! # CPU time that the hypervisor gave to others
//!
//! ## What it finds
//! A CPU that could not run for more than 5 % of the time although it had work, because the hypervisor ran somebody else.
//!
//! ## Why it matters
//! Completions wait while the CPU that should handle them is not running: latency grows without anything in this machine or its
//! disks being slow.
//!
//! ## What to try
//! Compare at another time of day, on another host, or with an instance whose CPUs are not shared.
//!
//! ## Example
//! ```fields
//! cpu.steal_percent 0 12
//! cpu.steal_percent 1 1
//! expect: warning says "CPU 0"
//! ```
//!
//! ## Stays silent
//! ```fields
//! cpu.steal_percent 0 2
//! cpu.steal_percent 1 0
//! ```
//!
//! ## Sources
//! - proc(5), `/proc/stat`

use crate::LiveRule;
use crate::finding::{UNDER_WHICH, With, warning};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "cpu_time_stolen",
    since: "0.1.0",
    summary: "CPU time that the hypervisor gave away",
    level: Level::Warning,
    our_doing: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const PERCENT_MIN: f64 = 5.0;

fn judge(frame: &Frame) -> Vec<Finding> {
    let worst = frame
        .each("cpu.steal_percent")
        .max_by(|one, other| one.1.total_cmp(&other.1));
    let found = worst
        .filter(|(_, percent)| *percent > PERCENT_MIN)
        .map(|(cpu, percent)| {
            warning(
                "",
                format!(
                    "CPU {cpu} was not run for {percent} of the time: the hypervisor ran others.",
                    percent = units::percent_whole(percent)
                ),
            )
            .shows(
                "cpu.steal_percent",
                format!(
                    "{percent} on CPU {cpu}",
                    percent = units::decimals(percent, 1)
                ),
            )
            .costs(UNDER_WHICH, percent / 100.0)
            .refuted_by("latency is the same in times without steal")
            .advise("Measure again at another time or on another host before you judge the disk.")
        });
    found.into_iter().collect()
}
