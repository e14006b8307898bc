//! # Coordinated omission: a rate that waits for the device
//!
//! ## What it finds
//! `rate_iops` or `rate` in a closed loop, also with `rate_process=poisson`.
//!
//! ## Why it matters
//! When the device stalls, a closed loop sends nothing. A second without answers is then one slow I/O in place of
//! the thousand that clients would have had, and the tail is too good by as much. This is called coordinated
//! omission.
//!
//! ## What to try
//! `--open-loop` with an engine that keeps many in flight: I/Os arrive by the clock, and latency counts from the
//! moment at which each was meant to start.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -rate_iops=5000 -time_based -runtime=60
//! expect: warning says "hides the wait" fix open_loop=1
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread -rate_iops=500 -rate_process=poisson
//! expect: warning says "hides the wait"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread rate_iops=5000 open_loop
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! ```
//!
//! ## Sources
//! - Gil Tene, How not to measure latency; fio HOWTO, `rate_process`, `io_submit_mode`; fio issue 1501

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;
use model::job::engines::is_synchronous;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "coordinated_omission",
    since: "0.1.0",
    summary: "a fixed rate whose stalls are not counted",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_closed = |section: &&Section| section.job.is_paced() && !section.job.open_loop;
    block_sections(facts)
        .filter(is_closed)
        .map(finding)
        .collect()
}

fn finding(section: &Section) -> Finding {
    let claim = "A fixed rate in a closed loop: while the device stalls fewer I/Os are sent, which hides the wait that \
                 clients would have had; the tail looks too good.";
    let finding = warning(&section.name, claim).at(section, &["rate_iops", "rate", "rate_process"]);
    if is_synchronous(section.job.effective_engine()) {
        return finding.advise(
            "Use io_uring or libaio with --open-loop; an engine with one in flight cannot.",
        );
    }
    if section.job.ioengine == "fio" {
        return finding
            .advise("Use iodyno's own io_uring or libaio with --open-loop; fio has no open loop.");
    }
    finding
        .advise("Use --open-loop: latency then counts from the intended start.")
        .set("open_loop", 1)
}
