//! # A fair scheduler on a fast disk
//!
//! ## What it finds
//! bfq, or cfq on kernels before 5.0, on a device that answers faster than a platter can. It is a warning where the loads
//! of a check were traced and requests spent more than three tenths of their time in the scheduler although the device
//! had room for them.
//!
//! ## Why it matters
//! Both give each process a slice of time in turn, take a lock for every request, and may wait for a process that could
//! send more. A platter repays that; on flash the waiting is the larger part. A published comparison has up to 63 %
//! less throughput with a scheduler than without on NVMe, and up to 99 % lower tails of readers beside writers: which of
//! the two matters depends on the load.
//!
//! ## What to try
//! `none` or `mq-deadline`. Where readers need protection from writers, bfq with `low_latency=0` and `slice_idle=0`.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: scheduler = none mq-deadline [bfq]
//! queues: 4 tags=1023
//! expect: note says "bfq" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: scheduler = none mq-deadline [bfq]
//! queues: 4 tags=1023
//! probe: depth read=30000@1ms depth=32
//! span: nvme0n1 read I2D 600us
//! span: nvme0n1 read Q2C 1ms
//! expect: warning says "60 % of their time in bfq" about nvme0n1
//! ```
//! A virtual disk that says it spins and answers in 200 us:
//! ```scene
//! disk: vda transport=virtio rotational=1
//! setting: scheduler = none mq-deadline [bfq]
//! probe: latency read=5000@200us depth=1
//! expect: note says "bfq" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = none mq-deadline [bfq]
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: scheduler = [none] mq-deadline bfq
//! ```
//! Measured, and it costs nothing here:
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: scheduler = none mq-deadline [bfq]
//! setting: queue_depth = 32
//! probe: depth read=30000@1ms depth=16
//! span: sda read I2D 40us
//! span: sda read Q2C 1ms
//! ```
//!
//! ## Seen
//! In the lab: an NVMe disk with bfq (Linux 6.1), as a note. A loop device with bfq (Linux 6.18) was traced: the scheduler took less than a
//! tenth of the time, and the rule stayed silent.
//!
//! ## Sources
//! - Linux `Documentation/block/bfq-iosched.rst`, `slice_idle`, `low_latency`
//! - Ren et al., "BFQ, Multiqueue-Deadline, or Kyber?", ICPE 2024, doi 10.1145/3629526.3645053
//! - The shares of three tenths and a tenth are proposals of this project: a tenth is within the spread of repeated runs.

use crate::causes_help_queue::{is_fast, scheduler, share_of};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::layers::Span;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "bfq_on_flash",
    since: "0.1.0",
    summary: "bfq or cfq on a disk that answers faster than a platter",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the device is full, and requests would wait in any queue: then D2C grows with the depth, and none is no faster",
        "one CPU is full of interrupts: then none is no faster, and that CPU shows it in `iodyno watch`",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("scheduler=none,mq-deadline")),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// From this share of an I/O's time on, the scheduler counts as what holds it up.
const HELD: f64 = 0.3;
/// Up to this share it does not matter.
const HARMLESS: f64 = 0.1;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .queues()
        .filter_map(|layer| finding(scene, layer))
        .collect()
}

/// The schedulers that this kernel offers instead, as a knob takes them: kernels before 5.0 have other words.
fn others(layer: &Layer) -> String {
    let text = layer
        .setting("scheduler")
        .and_then(|setting| setting.value.value())
        .unwrap_or_default();
    let words = text
        .split_whitespace()
        .filter(|word| ["none", "mq-deadline", "noop", "deadline"].contains(word));
    words.collect::<Vec<_>>().join(",")
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let word = scheduler(layer).filter(|word| matches!(*word, "bfq" | "cfq"))?;
    let held = share_of(scene, layer, &[Span::I2D]);
    if !is_fast(scene, layer) || held.is_some_and(|(share, _)| share < HARMLESS) {
        return None;
    }
    let name = &layer.name;
    let held = held.filter(|(share, _)| *share >= HELD);
    let (level, claim, gain) = match held {
        Some((share, probe)) => {
            let (percent, depth) = (share * 100.0, probe.load.depth.max(1));
            let claim = format!(
                "Requests to {name} spent {percent} of their time in {word}, at depth {depth}, which the device takes.",
                percent = units::percent_whole(percent)
            );
            (
                Level::Warning,
                claim,
                (share / (1.0 - share).max(0.1)).min(3.0),
            )
        }
        None => {
            let claim = format!(
                "{name} is fast and has the scheduler {word}, which was made for platters."
            );
            (Level::Note, claim, 0.2)
        }
    };
    let mut finding = found(level, name, claim)
        .shows("scheduler", word)
        .refuted_by("none is no faster in an experiment with this load")
        .tune(TuneProposal::new(format!("scheduler={}", others(layer))))
        .advise(format!(
            "Compare {} under your load; readers beside writers may need {word}.",
            others(layer).replace(',', " and ")
        ))
        .gains(gain);
    if let Some((share, probe)) = held {
        finding = finding
            .costs(probe.phrase(), share)
            .shows("I2D", format!("{} of Q2C", units::share(share)));
    }
    Some(finding)
}
