//! # One member that holds up the others
//!
//! ## What it finds
//! In random reads of a striped array or volume, a member that takes at least twice as long as the others do on average and half a
//! millisecond more: a warning. A member that gets at least 20 % more or less than its share of the reads is a note: the range
//! lies unevenly over the members. The factors are proposals of this project.
//!
//! ## Why it matters
//! A stripe is read when its slowest part is there: one tired disk, one slow link or one disk of another model sets the pace of all.
//!
//! ## What to try
//! `smartctl -a` of the slow member, its link speed and its settings beside those of the others.
//!
//! ## Example
//! ```scene
//! stacked: md0 stack=raid0
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! disk: +sdc transport=sata
//! probe: depth read=900@30ms depth=32
//! field: disk.reads_per_s sda 300
//! field: disk.reads_per_s sdb 300
//! field: disk.reads_per_s sdc 300
//! field: disk.await_read_ms sda 10
//! field: disk.await_read_ms sdb 11
//! field: disk.await_read_ms sdc 33
//! expect: warning says "sdc" says "3.1 times" about md0
//! ```
//! ```scene
//! stacked: dm-0 stack=LVM mapping=striped
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=900@30ms depth=32
//! field: disk.reads_per_s sda 800
//! field: disk.reads_per_s sdb 400
//! field: disk.await_read_ms sda 10
//! field: disk.await_read_ms sdb 9
//! expect: note says "67 %" about dm-0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: md0 stack=raid0
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=900@30ms depth=32
//! field: disk.reads_per_s sda 460
//! field: disk.reads_per_s sdb 440
//! field: disk.await_read_ms sda 10
//! field: disk.await_read_ms sdb 12
//! ```
//! Once this one, once the other:
//! ```scene
//! stacked: md0 stack=raid0
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=900@8ms depth=8
//! field: disk.reads_per_s sda 450
//! field: disk.reads_per_s sdb 450
//! field: disk.await_read_ms sda 12
//! field: disk.await_read_ms sdb 4
//! probe: depth read=900@30ms depth=32
//! field: disk.reads_per_s sda 460
//! field: disk.reads_per_s sdb 440
//! field: disk.await_read_ms sda 10
//! field: disk.await_read_ms sdb 30
//! ```
//! ```scene
//! stacked: md0 stack=raid1
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=900@30ms depth=32
//! field: disk.reads_per_s sda 900
//! field: disk.reads_per_s sdb 0
//! field: disk.await_read_ms sda 10
//! ```
//! ```scene
//! stacked: md0 stack=raid0
//! disk: nvme0n1 transport=nvme_(pcie)
//! disk: +nvme1n1 transport=nvme_(pcie)
//! probe: depth read=90000@300us depth=32
//! field: disk.reads_per_s nvme0n1 45000
//! field: disk.reads_per_s nvme1n1 45000
//! field: disk.await_read_ms nvme0n1 0.1
//! field: disk.await_read_ms nvme1n1 0.22
//! ```
//!
//! ## Seen
//! In the lab: RAID 0 of three disks, one of them behind dm-delay: its reads took 65.6 ms, those of the others 9.9 and 12.3 ms.
//!
//! ## Sources
//! - Hao et al.: The tail at store, FAST 2016: a stripe waits for its slowest drive
//! - md(4); Linux `Documentation/admin-guide/device-mapper/striped.rst`

use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::text::shell_word;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "members_unequal",
    since: "0.1.0",
    summary: "a member that is slower than the others, or gets more than its share",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "others use that member (another partition, a rebuild): then it has more I/Os than its share",
        "it is of another model or behind another controller: then its facts differ in iodyno inspect",
    ],
    experiment: Experiment::Line(
        "# the same reads on each member by itself: another one is as slow, or none is",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const SLOWER_TIMES: f64 = 2.0;
const SLOWER_MS: f64 = 0.5;
const UNEVEN: f64 = 0.2;
const READS_MIN: f64 = 50.0;

/// A member with its reads a second and their mean time, ms.
type SeenMembers<'a> = (&'a str, f64, Option<f64>);

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    // A mirror may read from one side alone; parity levels and stripes read from all.
    let is_spread = |volume: &&Layer| {
        matches!(
            volume.fact("stack"),
            Some("raid0" | "raid5" | "raid6" | "raid10")
        ) || volume.fact("mapping") == Some("striped")
    };
    scene
        .of_kind(LayerKind::Stacked)
        .filter(is_spread)
        .filter_map(|volume| finding(scene, volume))
        .collect()
}

fn finding(scene: &Scene<'_>, volume: &Layer) -> Option<Finding> {
    let deepest = scene.curve().last()?.1;
    let frame = &deepest.frame;
    let seen: Vec<SeenMembers<'_>> = parts::members(volume)
        .into_iter()
        .filter_map(|member| seen(frame, member))
        .collect();
    let total: f64 = seen.iter().map(|(_, reads, _)| reads).sum();
    if seen.len() < 2 || total < READS_MIN * seen.len() as f64 {
        return None;
    }
    let advice =
        "Compare that member with the others: smartctl -a, link speed, settings, other users.";
    let refuted = "in a second load another member is the odd one";
    if let Some((name, wait, others)) =
        slow(&seen).filter(|(name, ..)| is_slow_throughout(scene, volume, name))
    {
        let times = wait / others;
        let claim = format!(
            "{}: {name} takes {times} times as long as the other members do.",
            volume.name,
            times = units::decimals(times, 1)
        );
        return Some(
            warning(&volume.name, claim)
                .shows(
                    "disk.await_read_ms",
                    format!(
                        "{name} {wait}, others {others}",
                        wait = units::decimals(wait, 2),
                        others = units::decimals(others, 2)
                    ),
                )
                .refuted_by(refuted)
                .experiment(alone(name))
                .advise(advice)
                .costs(deepest.phrase(), 1.0 - others / wait)
                .gains((times - 1.0).min(3.0)),
        );
    }
    let fair = total / seen.len() as f64;
    let uneven = |seen: &SeenMembers<'_>| (seen.1 - fair).abs();
    let (name, reads, _) = seen.iter().max_by(|one, other| {
        uneven(one)
            .total_cmp(&uneven(other))
            .then(one.1.total_cmp(&other.1))
    })?;
    ((reads - fair).abs() > fair * UNEVEN).then(|| {
        let percent = reads / total * 100.0;
        let claim = format!(
            "{}: {name} serves {percent} of the reads of {} members.",
            volume.name,
            seen.len(),
            percent = units::percent_whole(percent)
        );
        note(&volume.name, claim)
            .shows(
                "disk.reads_per_s",
                format!(
                    "{name} {reads} of {total}",
                    reads = units::whole(*reads),
                    total = units::whole(total)
                ),
            )
            .refuted_by(refuted)
            .experiment(alone(name))
            .advise(advice)
            .gains(0.1)
    })
}

/// Reads of one member.
fn alone(member: &str) -> String {
    format!(
        "iodyno run /dev/{} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=8 -direct=1 # then the same on another member",
        shell_word(member)
    )
}

/// Whether it was the same member at every depth: of short loads, any one can catch a stall.
fn is_slow_throughout(scene: &Scene<'_>, volume: &Layer, member: &str) -> bool {
    let loads = scene
        .probe(Role::Latency)
        .into_iter()
        .chain(scene.curve().into_iter().map(|(_, probe)| probe));
    let mut steps = loads.map(|probe| {
        parts::members(volume)
            .into_iter()
            .filter_map(|member| seen(&probe.frame, member))
            .collect::<Vec<_>>()
    });
    steps.all(|step| slow(&step).is_some_and(|(name, ..)| name == member))
}

fn seen<'a>(frame: &Frame, member: &'a Layer) -> Option<SeenMembers<'a>> {
    let reads = frame.get("disk.reads_per_s", &member.name)?;
    Some((
        &member.name,
        reads,
        frame.get("disk.await_read_ms", &member.name),
    ))
}

/// The slowest member with its time and the mean of the others, where they are far apart.
fn slow<'a>(seen: &[SeenMembers<'a>]) -> Option<(&'a str, f64, f64)> {
    let waits: Vec<(&str, f64)> = seen
        .iter()
        .filter_map(|(name, _, wait)| Some((*name, (*wait)?)))
        .collect();
    let (name, wait) = *waits
        .iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let others: Vec<f64> = waits
        .iter()
        .filter(|(one, _)| *one != name)
        .map(|(_, wait)| *wait)
        .collect();
    let mean = stats::mean(&others);
    (!others.is_empty() && wait > mean * SLOWER_TIMES && wait - mean > SLOWER_MS)
        .then_some((name, wait, mean))
}
