//! # io_uring switched off
//!
//! ## What it finds
//! A job with `io_uring` where `kernel.io_uring_disabled` is 2, or 1, which leaves it to the privileged and one
//! group.
//!
//! ## Why it matters
//! The job fails at its first call. Containers often forbid io_uring as well, by seccomp, which shows only then.
//!
//! ## What to try
//! `ioengine=libaio` with `direct=1`.
//!
//! ## Example
//! ```facts
//! own: rw=randread
//! machine: io_uring_disabled=2
//! expect: wrong says "io_uring_disabled" fix ioengine=libaio
//! ```
//!
//! ```facts
//! own: rw=randread
//! machine: io_uring_disabled=1
//! expect: note says "privileged"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread
//! machine: io_uring_disabled=0
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=8
//! machine: io_uring_disabled=2
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/kernel.rst`, `io_uring_disabled`, since 6.6

use crate::facts::block_sections;
use crate::finding::{With, note, wrong};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "io_uring_disabled",
    since: "0.1.0",
    summary: "an engine that the kernel does not allow",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let Some(disabled) = facts.machine.io_uring_disabled.filter(|value| *value > 0) else {
        return Vec::new();
    };
    let users =
        block_sections(facts).filter(|section| section.job.effective_engine() == "io_uring");
    users.map(|section| finding(section, disabled)).collect()
}

fn finding(section: &Section, disabled: u8) -> Finding {
    let finding = match disabled {
        1 => note(
            &section.name,
            "kernel.io_uring_disabled is 1: io_uring is for the privileged and one group, and fails for others.",
        ),
        _ => wrong(
            &section.name,
            "kernel.io_uring_disabled is 2: no process may use io_uring, the job would fail.",
        )
        .set("ioengine", "libaio"),
    };
    finding
        .shows("kernel.io_uring_disabled", disabled)
        .advise("Use ioengine=libaio with direct=1.")
        .at(section, &["ioengine"])
}
