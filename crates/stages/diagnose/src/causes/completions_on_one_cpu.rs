//! # Completions sent to one CPU by soft interrupt
//!
//! ## What it finds
//! A load of 20,000 I/Os a second or more in which one CPU spent more than half of its time in soft interrupts, block
//! completions among them, while `rq_affinity` sends completions away from the CPU that took the interrupt. The thresholds are
//! a proposal of this project.
//!
//! ## Why it matters
//! Each completion costs a message to another CPU and a soft interrupt there. Where one CPU submits everything, it also completes
//! everything. Whether 0, 1 or 2 is better depends on the load, and in published comparisons the differences vanished when
//! they were repeated: measure it.
//!
//! ## What to try
//! `iodyno tune` with `rq_affinity`, and more submitters.
//!
//! ## Example
//! ```scene
//! machine: cpus_online=0-7
//! disk: vda transport=virtio
//! setting: rq_affinity = 2
//! probe: depth read=60000@500us depth=32
//! field: disk.reads_per_s vda 60000
//! field: cpu.softirq_percent 3 61
//! field: cpu.softirq_percent 0 2
//! field: softirq.cpu.block_per_s 3 50000
//! expect: note says "CPU 3" says "rq_affinity is 2" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cpus_online=0-7
//! disk: vda transport=virtio
//! setting: rq_affinity = 0
//! probe: depth read=60000@500us depth=32
//! field: disk.reads_per_s vda 60000
//! field: cpu.softirq_percent 3 61
//! field: softirq.cpu.block_per_s 3 50000
//! ```
//! ```scene
//! machine: cpus_online=0-7
//! disk: vda transport=virtio
//! setting: rq_affinity = 1
//! probe: depth read=60000@500us depth=32
//! field: disk.reads_per_s vda 60000
//! field: cpu.softirq_percent 3 61
//! field: softirq.cpu.block_per_s 3 900
//! ```
//! ```scene
//! machine: cpus_online=0-7
//! disk: vda transport=virtio
//! setting: rq_affinity = 1
//! ```
//!
//! ## Seen
//! Not produced: it takes a CPU that is half filled by completions. An emulated CPU of the lab ends at 10,000 I/Os a second, and
//! the virtual disk here, whose one vector and completions do lie on one CPU, is capped before they fill it.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `rq_affinity`; commit c7c22e4d5c1f
//! - Linux `block/blk-mq.c`, `blk_mq_complete_request_remote`

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::check::Probe;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "completions_on_one_cpu",
    since: "0.1.0",
    summary: "a CPU full of completions that rq_affinity sent to it",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "network packets fill that CPU: then its block soft interrupts are few and NET_RX in /proc/softirqs grows",
        "one submitter is all there is: then a second job on another CPU raises the rate at any rq_affinity",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("rq_affinity")),
    contrast: None,
    knob: Some("rq_affinity"),
    explains: &[TimePlace::Completion],
    yields_to: &[],
    judge,
};

const IOPS_MIN: f64 = 20_000.0;
const SOFTIRQ_PERCENT_MIN: f64 = 50.0;
/// Block soft interrupts for each I/O that make them its completions.
const PER_IO_MIN: f64 = 0.3;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let one = |disk: &Layer| {
        let affinity = disk
            .setting("rq_affinity")?
            .number()
            .filter(|value| *value > 0.0)?;
        scene
            .probes
            .iter()
            .find_map(|probe| finding(probe, disk, affinity))
    };
    let has_others = parts::cpus(scene).is_some_and(|cpus| cpus > 1);
    scene
        .disks()
        .into_iter()
        .filter(|_| has_others)
        .filter_map(one)
        .collect()
}

fn finding(probe: &Probe, disk: &Layer, affinity: f64) -> Option<Finding> {
    let frame = &probe.frame;
    let rate = parts::rate(frame, &disk.name).filter(|rate| *rate >= IOPS_MIN)?;
    let (cpu, percent) = frame
        .each("cpu.softirq_percent")
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let completions = frame.get("softirq.cpu.block_per_s", cpu)?;
    let is_full = percent > SOFTIRQ_PERCENT_MIN && completions > rate * PER_IO_MIN;
    is_full.then(|| {
        let claim = format!(
            "CPU {cpu} spends {percent} of its time on completions: rq_affinity is {affinity}.",
            percent = units::percent_whole(percent),
            affinity = units::whole(affinity)
        );
        note(&disk.name, claim)
            .shows(
                "cpu.softirq_percent",
                format!("{percent} on CPU {cpu}", percent = units::whole(percent)),
            )
            .shows(
                "softirq.cpu.block_per_s",
                format!(
                    "{completions} of {rate} I/Os",
                    completions = units::whole(completions),
                    rate = units::whole(rate)
                ),
            )
            .shows("rq_affinity", affinity)
            .refuted_by("an experiment with 0, 1 and 2 finds them equal")
            .advise("Try the other values of rq_affinity under this load.")
            .gains(0.05)
    })
}
