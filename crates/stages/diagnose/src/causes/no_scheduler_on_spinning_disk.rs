//! # A spinning disk without a scheduler
//!
//! ## What it finds
//! The scheduler none or noop on a spinning disk that no controller or hypervisor stands before. It is a warning where several
//! streams together were slower than half of one.
//!
//! ## Why it matters
//! Nothing sorts the requests that wait and nothing keeps streams apart: the disk sorts the 32 that it takes by itself, and
//! the head travels between the streams for every request.
//!
//! ## What to try
//! `mq-deadline` (the kernel's default for such disks) or `bfq`.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = [none] mq-deadline bfq
//! expect: note says "nothing sorts" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = [none] mq-deadline bfq
//! probe: stream read=180@5ms bs=1m
//! probe: streams read=54@70ms bs=1m numjobs=4
//! expect: warning says "30 % of one" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = none [mq-deadline] bfq
//! ```
//! ```scene
//! disk: sda transport=sas rotational=1 raid_controller=megaraid_sas
//! setting: scheduler = [none] mq-deadline
//! ```
//! ```scene
//! disk: vda transport=virtio rotational=1
//! setting: scheduler = [none] mq-deadline
//! ```
//! Measured: the disk's own queue sorts well enough.
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = [none] mq-deadline bfq
//! probe: stream read=180@5ms bs=1m
//! probe: streams read=170@20ms bs=1m numjobs=4
//! ```
//!
//! ## Seen
//! In the lab: `platter_unsorted`, on a machine that does not say that it is a guest, as a note without a load.
//!
//! ## Sources
//! - Linux `block/elevator.c`, `elevator_get_default`: mq-deadline for devices of one hardware queue
//! - Linux `Documentation/block/switching-sched.rst`, `Documentation/block/deadline-iosched.rst`
//! - The bounds of a half and nine tenths are proposals of this project: large streams cost a sorted disk less than that.

use crate::causes_help_queue::{is_spinning, scheduler, streams};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "no_scheduler_on_spinning_disk",
    since: "0.1.0",
    summary: "a spinning disk whose requests nothing sorts",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the streams lie far apart, and any order travels: then mq-deadline is no faster",
        "the disk only claims to spin: then one random read takes less than a millisecond",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("scheduler=none,mq-deadline,bfq")
            .rw("read")
            .bs("64k")
            .numjobs(4)
    }),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Below this share of one stream, several together show that nothing keeps them apart.
const FALL: f64 = 0.5;
/// From this share on, they show that nothing is amiss.
const FINE: f64 = 0.9;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let word = scheduler(disk).filter(|word| matches!(*word, "none" | "noop"))?;
    let streams = streams(scene);
    if !is_spinning(scene, disk) || streams.is_some_and(|(one, several)| several >= FINE * one) {
        return None;
    }
    let streams = streams.filter(|(one, several)| *several < FALL * one);
    let name = &disk.name;
    let (level, claim) = match streams {
        Some((one, several)) => {
            let percent = several / one * 100.0;
            let claim = format!(
                "{name} spins and has the scheduler {word}: several streams together reach {percent} of one.",
                percent = units::percent_whole(percent)
            );
            (Level::Warning, claim)
        }
        None => (
            Level::Note,
            format!("{name} spins and has the scheduler {word}: nothing sorts what waits for it."),
        ),
    };
    let mut finding = found(level, name, claim)
        .shows("scheduler", word)
        .shows("rotational", 1)
        .refuted_by("mq-deadline is no faster in an experiment with this load")
        .advise("Choose mq-deadline or bfq.")
        .gains(streams.map_or(0.2, |(one, several)| (one / several - 1.0).min(2.0)));
    if let Some((one, several)) = streams {
        finding = finding
            .costs("several streams", 1.0 - several / one)
            .shows("one stream", units::bytes_per_s(one))
            .shows("several streams", units::bytes_per_s(several));
    }
    Some(finding)
}
