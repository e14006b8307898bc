//! # A clock that is slow to read
//!
//! ## What it finds
//! A kernel clock source that is read through a device: `hpet`, `acpi_pm`, `jiffies`, `pit`, `refined-jiffies`.
//!
//! ## Why it matters
//! Each latency needs two readings. A TSC takes some 20 ns; these take around a microsecond or are too coarse, so
//! the tool's own ceiling falls and short latencies are mostly the clock's. Machines fall back to them when the TSC
//! is found unstable, and some virtual machines start with them.
//!
//! ## What to try
//! `clocksource=tsc`, or `kvm-clock` in a guest, where the kernel takes it; the kernel log says why it left it.
//!
//! ## Example
//! ```facts
//! own: rw=randread
//! machine: clocksource=hpet
//! expect: warning says "hpet"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread
//! machine: clocksource=tsc
//! ```
//!
//! ```facts
//! own: rw=randread
//! machine: clocksource=kvm-clock
//! ```
//!
//! ## Sources
//! - Linux `/sys/devices/system/clocksource/clocksource0/current_clocksource`; fio issue 533

use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "slow_clock",
    since: "0.1.0",
    summary: "a clock that costs more than what it measures",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &[],
    judge,
};

const SLOW: &[&str] = &["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"];

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let clock = facts
        .machine
        .clocksource
        .as_deref()
        .filter(|clock| SLOW.contains(clock));
    let finding = |clock: &str| {
        let claim = format!(
            "The kernel's clock is {clock}, which takes about a microsecond to read or is coarse: short latencies and \
             high rates are partly the clock's."
        );
        warning("", claim)
            .shows("clocksource", clock)
            .refuted_by(
                "The rate is the same with gtod_reduce in fio, which reads the clock seldom.",
            )
            .advise("Use the TSC, or kvm-clock in a guest; the kernel log says why it was left.")
    };
    clock.map(finding).into_iter().collect()
}
