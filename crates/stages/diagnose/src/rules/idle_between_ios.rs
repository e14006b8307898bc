//! # Pauses long enough to fall asleep in
//!
//! ## What it finds
//! A rate or a `thinktime` that leaves 1 ms and more between the I/Os of all jobs together. The threshold is a
//! proposal of this project.
//!
//! ## Why it matters
//! An idle CPU enters deep C-states, a PCIe link enters ASPM, an NVMe disk its own power states; each takes some
//! ten to some hundred microseconds to come back from. A slower rate then has a higher latency, which is no fault
//! of the disk.
//!
//! ## What to try
//! Say so beside the result; compare with a run in which `/dev/cpu_dma_latency` is held at 0.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -rate_iops=100
//! expect: note says "10.0 ms apart"
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread -thinktime=2000
//! expect: note says "2.00 ms apart"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -rate_iops=2000
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -direct=1 -rw=randread -thinktime=2000 -numjobs=4
//! ```
//!
//! ## Sources
//! - fio issue 1394; Linux `Documentation/power/pm_qos_interface.rst`

use crate::facts::block_sections;
use crate::finding::{With, note};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::{Job, Rate, Section};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "idle_between_ios",
    since: "0.1.0",
    summary: "pauses in which CPU and link fall asleep",
    level: Level::Note,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const LONG_NS: f64 = 1e6;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    block_sections(facts).filter_map(one).collect()
}

fn one(section: &Section) -> Option<Finding> {
    let job = &section.job;
    let each = pause_ns(job)?;
    let apart_ns = each / f64::from(job.numjobs.max(1));
    if apart_ns < LONG_NS {
        return None;
    }
    let claim = format!(
        "I/Os are {} apart: CPU, link and disk fall asleep in between, and waking up is part of each latency.",
        units::duration_ns(apart_ns)
    );
    let finding = note(&section.name, claim)
        .refuted_by("The latency is the same while /dev/cpu_dma_latency is held at 0.")
        .advise("Compare with a run at a higher rate, or with the CPU kept awake.")
        .at(section, &["rate_iops", "rate", "thinktime"]);
    Some(finding)
}

/// Time between two I/Os of one job.
fn pause_ns(job: &Job) -> Option<f64> {
    let per_second = |rate: Rate, bs: u64| match rate {
        Rate::Free => None,
        Rate::Iops(ios) => Some(ios as f64),
        Rate::Bytes(bytes) => Some(bytes as f64 / bs.max(1) as f64),
    };
    let used = [
        (job.rw.reads(), job.rates.read),
        (job.rw.writes(), job.rates.write),
        (job.rw.trims(), job.rates.trim),
    ];
    let rates = used
        .iter()
        .filter(|(used, _)| *used)
        .map(|(_, rate)| per_second(*rate, job.bs));
    let all: Option<f64> = rates.sum();
    let by_rate = all.filter(|ios| *ios > 0.0).map(|ios| 1e9 / ios);
    let blocks = f64::from(job.thinktime.blocks.max(1));
    let by_pause = (job.thinktime.us > 0).then(|| {
        (job.thinktime.us - job.thinktime.spin_us.min(job.thinktime.us)) as f64 * 1e3 / blocks
    });
    by_rate.into_iter().chain(by_pause).reduce(f64::max)
}
