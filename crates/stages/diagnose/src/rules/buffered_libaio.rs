//! # libaio without direct I/O
//!
//! ## What it finds
//! `ioengine=libaio` with buffered I/O.
//!
//! ## Why it matters
//! Linux AIO is asynchronous for direct I/O only. Through the page cache `io_submit` does the whole request before
//! it returns: reads come one after the other, writes are copies into memory. The depth column still shows
//! `iodepth`.
//!
//! ## What to try
//! `direct=1`; or, to measure through the page cache on purpose, `psync` with as many `numjobs` as there are
//! readers.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -bs=4k -buffered=1 -rw=randrw -rwmixread=70 -size=16G -iodepth=64
//! expect: wrong says "io_submit" says "depth is 1" fix direct=1
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -rw=randwrite -iodepth=1
//! expect: warning says "io_submit" fix direct=1
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -bs=4k -direct=1 -rw=randrw -size=16G -iodepth=64
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -bs=4k -rw=randread -size=16G
//! ```
//!
//! ## Sources
//! - fio HOWTO, `iodepth` ("libaio ... buffered I/O is not async"); fio issue 512; io_submit(2)

use crate::facts::block_sections;
use crate::finding::{With, found};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "buffered_libaio",
    since: "0.1.0",
    summary: "libaio without direct I/O",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let buffered =
        |section: &&Section| section.job.effective_engine() == "libaio" && !section.job.direct;
    block_sections(facts)
        .filter(buffered)
        .map(finding)
        .collect()
}

fn finding(section: &Section) -> Finding {
    let job = &section.job;
    let level = if job.iodepth > 1 {
        Level::Wrong
    } else {
        Level::Warning
    };
    let depth = if job.numjobs == 1 {
        "1".into()
    } else {
        format!("numjobs = {}", job.numjobs)
    };
    let work = if job.rw.writes() {
        "a write is a copy into memory"
    } else {
        "a read waits for the disk there"
    };
    let claim = format!(
        "libaio with buffered I/O: io_submit does each request before it returns ({work}), so the real depth is \
         {depth}{}.",
        if job.iodepth > 1 {
            format!(", not {}", job.iodepth)
        } else {
            String::new()
        }
    );
    found(level, &section.name, claim)
        .shows("iodepth", job.iodepth)
        .shows("direct", 0)
        .advise("Use direct=1.")
        .set("direct", 1)
        .at(section, &["buffered", "direct", "ioengine"])
}
