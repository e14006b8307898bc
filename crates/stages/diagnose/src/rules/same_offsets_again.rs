//! # The same offsets in runs that are compared
//!
//! ## What it finds
//! Two sections that run one after the other, read the same file at random and draw the same offsets:
//! `randrepeat=1`, which is fio's default, with one seed, one block size and one range.
//!
//! ## Why it matters
//! The second section asks for exactly the blocks that the first one has just brought into the disk's or the
//! array's cache, in the same order. As an A/B comparison it favours B.
//!
//! ## What to try
//! `randrepeat=0`, or a seed for each section. iodyno's own experiments draw fresh offsets by themselves.
//!
//! ## Example
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -size=4G -filename=/dev/sdb -iodepth=32
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -size=4G -filename=/dev/sdb -iodepth=32 -stonewall
//! expect: warning says "the same offsets as a" fix randrepeat=0
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -size=4G -filename=/dev/sdb
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -size=4G -filename=/dev/sdb -stonewall -randrepeat=0
//! ```
//!
//! ```facts
//! fio: -name=a -ioengine=libaio -direct=1 -rw=randread -size=4G -filename=/dev/sdb
//! fio: -name=b -ioengine=libaio -direct=1 -rw=randread -size=4G -filename=/dev/sdb -bs=16k -stonewall
//! ```
//!
//! ## Sources
//! - fio HOWTO, `randrepeat`

use crate::facts::is_block_io;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Section, Sharing, stages};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "same_offsets_again",
    since: "0.1.0",
    summary: "a second run that reads what the first one has cached",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let stages = stages(facts.sections);
    let mut findings = Vec::new();
    for (index, stage) in stages.iter().enumerate() {
        for section in stage {
            let mut earlier = stages[..index].iter().flatten();
            if let Some(first) = earlier.find(|one| repeats(one, section)) {
                findings.push(finding(first, section));
            }
        }
    }
    findings
}

fn repeats(first: &Section, second: &Section) -> bool {
    let (a, b) = (&first.job, &second.job);
    let reads = |job: &model::job::Job| {
        is_block_io(job)
            && job.rw.is_random()
            && job.rw.reads()
            && job.randrepeat
            && job.files.sharing != Sharing::Own
    };
    let same_place = (a.bs, a.size, a.offset, &a.files) == (b.bs, b.size, b.offset, &b.files);
    reads(a)
        && reads(b)
        && a.randseed == b.randseed
        && a.distribution == b.distribution
        && same_place
}

fn finding(first: &Section, second: &Section) -> Finding {
    let claim = format!(
        "{} reads the same offsets as {} did before it: what that brought into the device's cache is read again, so \
         the two cannot be compared.",
        second.name, first.name
    );
    warning(&second.name, claim)
        .shows("randseed", second.job.randseed)
        .advise("Give each section a seed of its own, or randrepeat=0.")
        .set("randrepeat", 0)
        .at(second, &["randrepeat", "rw", "readwrite"])
}
