//! # Throttled by heat
//!
//! ## What it finds
//! A CPU or a package of CPUs that counted a thermal event in the last seconds.
//!
//! ## Why it matters
//! It runs slower than it can until it has cooled down. A measurement drifts, and a comparison with a cooler moment or machine
//! compares the cooling.
//!
//! ## What to try
//! Better airflow. Measure again when the temperature is steady.
//!
//! ## Example
//! ```fields
//! throttle.events_per_s cpu0 3
//! expect: warning says "cpu0"
//! ```
//!
//! ## Stays silent
//! ```fields
//! throttle.events_per_s cpu0 0
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/thermal/intel_powerclamp.rst`, `arch/x86/include` therm_throt counters

use crate::LiveRule;
use crate::finding::{With, warning};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "throttled_by_heat",
    since: "0.1.0",
    summary: "a CPU throttled by heat",
    level: Level::Warning,
    our_doing: None,
    explains: &[],
    yields_to: &["disk_slowed_by_heat"],
    judge,
};

fn judge(frame: &Frame) -> Vec<Finding> {
    let throttled = frame
        .each("throttle.events_per_s")
        .filter(|(_, events)| *events > 0.0);
    let finding = |(what, events): (&str, f64)| {
        warning(what, format!("{what} was slowed down because of heat."))
            .shows("throttle.events_per_s", units::decimals(events, 1))
            .refuted_by("the rate is the same when it is cool")
            .advise(
                "Let it cool down or cool it better, and measure again at a steady temperature.",
            )
    };
    throttled.map(finding).collect()
}
