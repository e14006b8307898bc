//! # The device takes the time
//!
//! ## What it finds
//! A disk in which I/Os spent four fifths and more of their time between driver and completion (D2C), in every load that was
//! traced.
//!
//! ## Why it matters
//! What a queue setting can save is in the rest. Scheduler, merging and request numbers are then not worth a try at this depth;
//! the device, its link, its cache, the cloud's limit or the interrupts are.
//!
//! ## What to try
//! Nothing in the queue. Compare with what the device should give: link, medium, promise of the cloud.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: latency read=100@9ms
//! span: sda read D2C 8900us
//! span: sda read Q2C 9ms
//! expect: note says "99 % of the time" about sda
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=9000@100us
//! span: nvme0n1 read D2C 90us
//! span: nvme0n1 read Q2C 100us
//! probe: depth read=90000@300us depth=32
//! span: nvme0n1 read D2C 260us
//! span: nvme0n1 read Q2C 300us
//! expect: note says "% of the time" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=90000@300us depth=32
//! span: nvme0n1 read D2C 100us
//! span: nvme0n1 read Q2C 300us
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=90000@300us depth=32
//! ```
//!
//! ## Seen
//! On a live kernel: the virtual disk below a loop device (Linux 6.18), 92 % of the time under reads and writes at random.
//!
//! ## Sources
//! - btt(1) and its user guide: D2C, Q2C
//! - The four fifths are a proposal of this project: what is left to win in the queue is then smaller than usual noise.

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::layers::Span;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "device_takes_the_time",
    since: "0.1.0",
    summary: "nearly all of the time passes in driver and device, so that no queue setting can help much",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "completions wait for a CPU that is full of interrupts, which D2C contains: then that CPU shows it, and spreading interrupts helps",
        "the hypervisor or the provider holds I/O back, which looks like the device: then latency has two steps",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --layers auto -- -rw=randread -bs=4k -iodepth=1 -direct=1",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// From this share on nothing else matters.
const MOST: f64 = 0.8;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let of_load = |probe: &model::check::Probe| {
        let (device, whole) = (
            probe.span_us(&disk.name, Span::D2C)?,
            probe.span_us(&disk.name, Span::Q2C)?,
        );
        (whole > 0.0).then_some((device / whole, device))
    };
    let (share, us) = scene
        .probes
        .iter()
        .filter_map(of_load)
        .min_by(|one, other| one.0.total_cmp(&other.0))?;
    if share < MOST {
        return None;
    }
    // Traced bio by bio and request by request, the parts may pass the whole by a little.
    let percent = (share * 100.0).min(100.0);
    let claim = format!(
        "{percent} of the time of an I/O and more passes in the driver and {} itself: queue settings can win the rest at most.",
        disk.name,
        percent = units::percent_whole(percent)
    );
    let finding = note(&disk.name, claim)
        .shows(
            "D2C",
            format!(
                "{} of Q2C, {percent}",
                units::duration_ns(us * 1e3),
                percent = units::percent_whole(percent)
            ),
        )
        .refuted_by("a queue setting changes the latency by more than the rest")
        .advise(
            "Leave scheduler and nr_requests alone; look at the device, its link and its limits.",
        );
    Some(finding)
}
