//! # A page cache that is too small for what is read
//!
//! ## What it finds
//! Production reads of which half and more are pages that were in memory a short while ago and had to go.
//!
//! ## Why it matters
//! The disk reads the same data again and again: a little more memory would answer. In a container the group's limit decides, and
//! its page cache counts against that limit.
//!
//! ## What to try
//! More memory for the machine or the group (`memory.max`, `memory.high`), less for what else fills it, or less read-ahead. A program
//! with a cache of its own (`innodb_buffer_pool_size`) is better served by direct I/O.
//!
//! ## Example
//! ```scene
//! machine: memory_limit_bytes=1g
//! disk: sda transport=sata
//! field: vm.refaults_per_s 20000
//! field: vm.paged_in_bytes_per_s 100000000
//! expect: warning says "82 %" says "1.00 GiB"
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: vm.refaults_per_s 10000
//! field: vm.paged_in_bytes_per_s 60000000
//! expect: warning says "68 %"
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! field: vm.refaults_per_s 300
//! field: vm.paged_in_bytes_per_s 1300000
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: vm.refaults_per_s 5000
//! field: vm.paged_in_bytes_per_s 500000000
//! ```
//! Our own load reads past the cache on purpose:
//! ```scene
//! disk: sda transport=sata
//! probe: buffered-random read=10000@1ms
//! field: vm.refaults_per_s 10000
//! field: vm.paged_in_bytes_per_s 40000000
//! ```
//!
//! ## Seen
//! On a live kernel: a file of 200 MB read again and again in a control group of 64 MiB (Linux 6.18): 314,000 refaults a second.
//!
//! ## Sources
//! - Linux `mm/workingset.c`; `Documentation/admin-guide/cgroup-v2.rst`, `workingset_refault_file`
//! - One half and 10 MB/s are proposals of this project: below, the cure would not be noticed.

use crate::finding::{With, warning};
use crate::seen::BEFORE;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "page_cache_too_small",
    since: "0.1.0",
    summary: "reads of pages that were in memory shortly before",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "swap is read back, which refaults too: then vm.swapped_in_bytes_per_s is as high",
        "one large scan passes through: then it ends, and the refaults with it",
    ],
    experiment: Experiment::Line(
        "iodyno watch # vm.refaults_per_s, while the group's memory.high, or the free memory, is a tenth more",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::PageCache, TimePlace::Memory],
    yields_to: &[],
    judge,
};

/// Share of the reads that are refaults.
const SHARE: f64 = 0.5;
/// Fewer bytes a second do not matter.
const LEAST: f64 = 10e6;
/// Pages are counted; of this size unless the machine says otherwise.
const PAGE: f64 = 4096.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let of = |id: &str| scene.idle()?.get(id, "");
    let machine = scene.path.machine.as_ref();
    let page = machine
        .and_then(|machine| machine.number("page_bytes"))
        .unwrap_or(PAGE);
    let (again, read) = (
        of("vm.refaults_per_s")? * page,
        of("vm.paged_in_bytes_per_s")?,
    );
    let share = again / read.max(1.0);
    let is_swap = of("vm.swapped_in_bytes_per_s").is_some_and(|swapped| swapped > again / 2.0);
    if again < LEAST || share < SHARE || is_swap {
        return None;
    }
    let limit = machine.and_then(|machine| machine.number("memory_limit_bytes"));
    let within = limit.map_or(String::new(), |limit| {
        format!(" (this group may have {})", units::bytes(limit))
    });
    let claim = format!(
        "{} of what is read was in memory shortly before and had to go{within}.",
        units::share(share.min(1.0))
    );
    let finding = warning("", claim)
        .shows("read again", units::bytes_per_s(again))
        .shows("read", units::bytes_per_s(read))
        .refuted_by("as much is read with more memory")
        .advise("Give the page cache more memory, or let the program cache by itself and read directly.")
        .costs(BEFORE, share)
        .gains(share.min(1.0));
    Some(finding)
}
