//! # A window too short to call steady
//!
//! ## What it finds
//! `steadystate` with a `steadystate_duration` of less than 10 s. The threshold is a proposal of this project;
//! SNIA's window is five rounds of a minute.
//!
//! ## Why it matters
//! In a few seconds any load looks steady, in particular the one before the cliff. The rule then ends the run in
//! the burst.
//!
//! ## What to try
//! A duration of 60 s and more.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -steadystate=iops_slope:5% -steadystate_duration=5
//! expect: warning says "5.0 s"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randwrite -steadystate=iops_slope:5% -steadystate_duration=10
//! ```
//!
//! ## Sources
//! - SNIA, Solid State Storage Performance Test Specification, steady state; fio issue 1510

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "steady_window_short",
    since: "0.1.0",
    summary: "a steady state that is found by chance",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const SHORT_MS: u64 = 10_000;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts).filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let window_ms = section.job.steadystate?.window_ms;
    if window_ms == 0 || window_ms >= SHORT_MS {
        return None;
    }
    let window = units::span_ms(window_ms);
    let claim = format!(
        "In {window} any load looks steady: the rule may end the run before the rate has settled."
    );
    let finding = warning(&section.name, claim)
        .shows("steadystate_duration", window)
        .advise("Use steadystate_duration=60 or more.")
        .at(section, &["steadystate_duration", "ss_dur", "steadystate"]);
    Some(finding)
}
