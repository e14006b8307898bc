//! # CPU time that the hypervisor gave to others
//!
//! ## What it finds
//! A CPU that could not run for more than 5 % of the time although it had work, because the hypervisor ran somebody else. Up to 10 %
//! it is a note: that much is usual where CPUs are shared, and costs the loads no more than that.
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
use crate::finding::{UNDER_WHICH, With, note, warning};
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
/// What one CPU lacks from here on is worth a warning.
const PERCENT_WARNING: f64 = 10.0;

fn judge(frame: &Frame) -> Vec<Finding> {
    let worst = frame
        .each("cpu.steal_percent")
        .max_by(|one, other| one.1.total_cmp(&other.1));
    let found = worst.filter(|(_, percent)| *percent > PERCENT_MIN);
    let found = found.map(|(cpu, percent)| finding(cpu, percent));
    found.into_iter().collect()
}

fn finding(cpu: &str, percent: f64) -> Finding {
    let claim = format!(
        "{percent} steal on CPU {cpu}: the hypervisor gave that time to other guests.",
        percent = units::percent_whole(percent)
    );
    let found = match percent > PERCENT_WARNING {
        true => warning("", claim),
        false => note("", claim),
    };
    let shown = format!("{} on CPU {cpu}", units::decimals(percent, 1));
    found
        .shows("cpu.steal_percent", shown)
        .costs(UNDER_WHICH, percent / 100.0)
        .refuted_by("latency is the same in times without steal")
        .advise("Measure again at another time or on another host before you judge the disk.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_usual_on_shared_cpus_is_a_note() {
        let level = |percent| finding("0", percent).level;
        assert_eq!(level(7.0), Level::Note);
        assert_eq!(level(10.0), Level::Note);
        assert_eq!(level(10.1), Level::Warning);
    }
}
