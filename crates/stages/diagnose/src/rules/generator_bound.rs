//! # The load's own CPU was the limit
//!
//! ## What it finds
//! CPU time of the load of more than 90 % of one CPU for each of its jobs. The 90 % are a proposal of this project.
//!
//! ## Why it matters
//! A job that never sleeps cannot submit faster: what was measured is this CPU with this engine. One thread ends at
//! some hundred thousand IOPS, which is less than a fast NVMe disk has.
//!
//! ## What to try
//! More jobs, each on a CPU of its own; larger blocks; io_uring.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=64 -numjobs=1
//! result: read=5000000@120us elapsed=10s cpu=9.8s
//! expect: warning says "98 % of a CPU"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=64 -numjobs=2
//! result: read=5000000@120us elapsed=10s cpu=9.8s
//! ```
//!
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=64 -numjobs=1
//! result: read=500000@120us elapsed=10s cpu=8.9s
//! ```
//!
//! ## Sources
//! - fio issue 1206; Ren et al., ICPE 2024: on NVMe the CPU is the first limit

use crate::finding::{With, warning};
use crate::measured::stages;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "generator_bound",
    since: "0.1.0",
    summary: "a CPU that was the limit",
    level: Level::Warning,
    when: When::AfterLoad,
    in_check: Some(Level::Note),
    explains: &[],
    yields_to: &[],
    judge,
};

const BUSY: f64 = 0.9;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    stages(facts).iter().filter_map(|stage| {
        let jobs: u32 = stage.sections.iter().map(|section| section.job.numjobs.max(1)).sum();
        let threads = facts.machine.cpus.map_or(jobs, |cpus| jobs.min(cpus));
        // CPU time is the whole process's, so the sections of a stage have it in common; the largest is the whole.
        let cpu = |load: &model::record::LoadResult| load.cpu_user_ms + load.cpu_system_ms;
        let used_ms = stage.sections.iter().map(|section| cpu(&section.load)).fold(0.0, f64::max);
        let share = used_ms / stage.window.length_ms().max(1.0) / f64::from(threads.max(1));
        let ios: u64 = stage.sections.iter().map(|section| section.load.ios()).sum();
        let claim = format!(
            "Each job used {} of a CPU: the rate is what this CPU can submit, and the disk may well have more.", units::share(share));
        let finding = warning(stage.name(), claim)
            .shows("CPU per I/O", units::duration_ns(used_ms * 1e6 / ios.max(1) as f64))
            .shows("jobs", jobs)
            .refuted_by("Twice the jobs, on CPUs of their own, give the same rate.")
            .advise("Use more jobs, larger blocks, or a lighter engine.");
        (share > BUSY).then_some(finding)
    }).collect()
}
