//! What a control group's limit does to a job: hold it, hold it once the page cache is full, or be passed by.

use super::facts::{CgroupLimit, RuleFacts, is_block_io};
use super::measured::MeasuredStage;
use model::group_hold::{Hold, hold};
use model::iopath::LayerKind;
use model::job::Job;
use model::record::LoadResult;

/// How a limit acts on the jobs of these facts that it is on, the loosest first; none where it is on none of them.
pub fn hold_of(facts: &RuleFacts<'_>, limit: &CgroupLimit) -> Option<Hold> {
    let layers = facts.layers();
    let of_files = layers
        .iter()
        .rfind(|layer| layer.kind == LayerKind::FileSystem);
    let fstype = of_files.and_then(|layer| layer.fact("fstype"));
    let is_on = |job: &&Job| match limit.is_on_reads() {
        true => job.rw.reads(),
        false => job.rw.writes(),
    };
    let jobs = facts.sections.iter().map(|section| &section.job);
    let holds = jobs
        .filter(|job| is_block_io(job))
        .filter(is_on)
        .map(|job| hold(limit, job, fstype));
    holds.max_by_key(|hold| *hold as u8)
}

/// So far from the limit is no measuring error.
const NEAR: f64 = 0.03;
/// What the kernel may give in advance: it counts by slices of 100 ms, and lets through what the next one has
/// (`block/blk-throttle.c`; 10.6 MiB/s of 10 in 3 s on Linux 6.18).
const AHEAD_S: f64 = 0.2;

/// The limits that the rate of a stage is.
pub fn reached<'f>(facts: &'f RuleFacts<'_>, stage: &MeasuredStage<'_>) -> Vec<&'f CgroupLimit> {
    let mut limits = facts.limits();
    let holds = |limit: &CgroupLimit| !matches!(hold_of(facts, limit), None | Some(Hold::PassedBy));
    limits.retain(|limit| holds(limit) && is_reached(limit, stage));
    limits
}

fn is_reached(limit: &CgroupLimit, stage: &MeasuredStage<'_>) -> bool {
    let seconds = stage.window.length_ms().max(1.0) / 1e3;
    let sections = || stage.sections.iter();
    let of = |load: &LoadResult| match limit.is_on_reads() {
        true => load.read.ios,
        false => load.write.ios,
    };
    let (done, one) = match (limit.is_in_bytes(), limit.is_on_reads()) {
        (false, _) => (sections().map(|section| of(&section.load)).sum(), 1),
        (true, is_on_reads) => {
            let bytes = if is_on_reads {
                stage.read_bytes
            } else {
                stage.write_bytes
            };
            let largest = sections().map(|section| section.job.max_bs()).max();
            (bytes as u64, largest.unwrap_or(0))
        }
    };
    let allowed = limit.limit.max(1) as f64 * seconds;
    // What is under way at the end is not counted.
    let least = allowed * (1.0 - NEAR) - one as f64;
    (least.max(f64::MIN_POSITIVE)..=allowed * (1.0 + NEAR) + ahead(limit, one))
        .contains(&(done as f64))
}

/// What a limit may let through beyond its rate, whatever the time: in its unit. `one` is what one I/O counts.
pub fn ahead(limit: &CgroupLimit, one: u64) -> f64 {
    AHEAD_S * limit.limit.max(1) as f64 + one as f64
}
