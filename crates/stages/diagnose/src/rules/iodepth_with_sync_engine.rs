//! # A depth that a synchronous engine cannot reach
//!
//! ## What it finds
//! An `iodepth` above 1 with an engine that waits for each request: `psync`, `sync`, `vsync`, `pvsync`, `pvsync2`,
//! `mmap`. fio says so in a `note:` line and runs all the same.
//!
//! ## Why it matters
//! psync is fio's default engine, so a job that names none has it. The result then is that of one request at a time
//! for each job: on a disk that serves many at once it is a latency test, not one of capacity.
//!
//! ## What to try
//! `ioengine=io_uring`, or `libaio` with `direct=1`; or `iodepth=1`, if one request at a time is what is wanted.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -iodepth=64 -direct=1 -rw=read -filename=/dev/sda -numjobs=50
//! target: device 480g
//! expect: wrong says "one request in flight" says "numjobs = 50" fix ioengine=io_uring
//! ```
//!
//! ```facts
//! fio: -bs=4k -direct=1 -iodepth=64 -rw=randwrite -size=16G
//! expect: wrong says "the job names no engine" fix ioengine=io_uring
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=psync -iodepth=1 -rw=read -numjobs=64
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -iodepth=64 -rw=randread
//! ```
//!
//! ## Sources
//! - fio HOWTO, `iodepth`; fio issue 1388

use crate::facts::{async_engine, block_sections};
use crate::finding::{With, wrong};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::engines::is_synchronous;
use model::job::{Job, Section};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "iodepth_with_sync_engine",
    since: "0.1.0",
    summary: "a depth that the engine cannot reach",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let deep = block_sections(facts).filter(|section| asks_for_depth(section));
    deep.map(|section| finding(facts, section)).collect()
}

/// iodyno's own words have a depth whether or not somebody asked for it.
fn asks_for_depth(section: &Section) -> bool {
    let job = &section.job;
    let is_asked = !section.given.is_empty() || job.iodepth != Job::default().iodepth;
    // The stream engine is one request at a time by its nature, and nobody takes it for another.
    is_asked
        && job.iodepth > 1
        && job.effective_engine() != "stream"
        && is_synchronous(job.effective_engine())
}

fn finding(facts: &RuleFacts<'_>, section: &Section) -> Finding {
    let Job {
        iodepth, numjobs, ..
    } = &section.job;
    let ioengine = section.job.effective_engine();
    let is_named = section.given.is_empty() || section.option("ioengine").is_some();
    let unnamed = if is_named {
        ""
    } else {
        " (fio's default: the job names no engine)"
    };
    let claim = format!(
        "iodepth={iodepth} with ioengine={ioengine}{unnamed}: {ioengine} has one request in flight, so the real depth \
         is numjobs = {numjobs}."
    );
    wrong(&section.name, claim)
        .shows("iodepth", iodepth)
        .shows("ioengine", ioengine)
        .advise("Use io_uring, or libaio with direct=1; or say iodepth=1.")
        .set("ioengine", async_engine(facts))
        .at(section, &["iodepth", "ioengine"])
}
