//! # A mix that is not what its share says
//!
//! ## What it finds
//! A read/write mix with one request in flight in all; or one with different block sizes for reads and writes.
//!
//! ## Why it matters
//! With one request in flight reads and writes take turns: no read ever waits behind a write, which is what a mix
//! is run for. `rwmixread` counts I/Os: with different sizes the bytes are shared out otherwise.
//!
//! ## What to try
//! A depth of 8 and more, or a reader and a writer as two sections; state the share of bytes beside that of I/Os.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randrw -rwmixread=70
//! expect: note says "take turns"
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randrw -rwmixread=70 -iodepth=32 -bs=4k,64k
//! expect: note says "13 % of the bytes"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randrw -rwmixread=70 -iodepth=32
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randrw -rwmixread=70 -numjobs=8
//! ```
//!
//! ## Sources
//! - fio HOWTO, `rwmixread`

use crate::facts::{block_sections, depth_asked};
use crate::finding::{With, note};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{BlockSize, Section};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "mix_takes_turns",
    since: "0.1.0",
    summary: "a mix whose reads and writes never meet, or whose shares are not bytes",
    level: Level::Note,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let mixes =
        block_sections(facts).filter(|section| section.job.rw.reads() && section.job.rw.writes());
    mixes.filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let job = &section.job;
    let sizes = job.sizes();
    let claim = if depth_asked(job) == 1 {
        "A mix with one request in flight: reads and writes take turns, and no read ever waits behind a write.".into()
    } else if sizes.read != sizes.write {
        let read = mean_bytes(&sizes.read) * f64::from(job.rwmixread);
        let write = mean_bytes(&sizes.write) * f64::from(100 - job.rwmixread.min(100));
        format!(
            "rwmixread={} counts I/Os: with these block sizes reads are {} of the bytes.",
            job.rwmixread,
            units::percent_whole(read / (read + write).max(1.0) * 100.0)
        )
    } else {
        return None;
    };
    let finding = note(&section.name, claim)
        .shows("rwmixread", job.rwmixread)
        .advise("Use a deeper queue, or a reader and a writer as two sections, and state the share of bytes.")
        .at(section, &["rwmixread", "rw", "readwrite"]);
    Some(finding)
}

fn mean_bytes(size: &BlockSize) -> f64 {
    match size {
        BlockSize::Fixed(bytes) => *bytes as f64,
        BlockSize::Range(low, high) => (low + high) as f64 / 2.0,
        BlockSize::Split(parts) => parts
            .iter()
            .map(|(bytes, share)| *bytes as f64 * f64::from(*share) / 100.0)
            .sum(),
    }
}
