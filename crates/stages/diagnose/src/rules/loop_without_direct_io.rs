//! # A loop device in front of a cached file
//!
//! ## What it finds
//! A loop device on the I/O path that reads and writes its backing file through the page cache (`loop/dio` is 0).
//!
//! ## Why it matters
//! `direct=1` bypasses the cache above the loop device. Below it the backing file is cached all the same, so reads
//! come from memory and writes end there: 1,041 MiB/s at 15 µs were once taken for an NVMe disk's.
//!
//! ## What to try
//! `iodyno set dio=1 TARGET`, which `iodyno undo` takes back and which needs a backing file system with direct I/O; or the
//! backing file's disk as the target.
//!
//! ## Example
//! ```facts
//! fio: -filename=/dev/loop1 -direct=1 -iodepth 1 -thread -rw=read -ioengine=psync -bs=16k -size=20G
//! target: device 200g
//! loop: loop1 dio=0
//! disk: sda transport=sata rotational=0
//! expect: wrong says "page cache of its backing file"
//! ```
//!
//! ```facts
//! fio: -filename=/dev/loop1 -rw=read -ioengine=psync -bs=16k -size=20G
//! target: device 200g
//! loop: loop1 dio=0
//! expect: warning says "cached twice"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -filename=/dev/loop1 -direct=1 -rw=read -ioengine=psync -bs=16k -size=20G
//! target: device 200g
//! loop: loop1 dio=1
//! disk: sda transport=sata rotational=0
//! ```
//!
//! ## Sources
//! - losetup(8), `--direct-io`; Linux `drivers/block/loop.c`

use crate::finding::{With, found};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::text::shell_word;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "loop_without_direct_io",
    since: "0.1.0",
    summary: "a loop device whose file is cached",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &["loop_outruns_disk"],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let Some(device) = facts.cached_loop() else {
        return Vec::new();
    };
    let is_direct = facts.sections.iter().any(|section| section.job.direct);
    let name = &device.name;
    let (level, claim) = match is_direct {
        true => (
            Level::Wrong,
            format!(
                "{name} is a loop device without direct I/O: direct=1 ends above it, and what answers is the page \
                 cache of its backing file."
            ),
        ),
        false => (
            Level::Warning,
            format!(
                "{name} is a loop device without direct I/O: blocks are cached twice, above it and below it."
            ),
        ),
    };
    let finding = found(level, "", claim)
        .shows("loop/dio", 0)
        .refuted_by("The disk below the loop device counts as many bytes as the load.")
        .advise(format!(
            "sudo iodyno set dio=1 /dev/{} # turns it on; or load the disk below",
            shell_word(name)
        ));
    vec![finding]
}
