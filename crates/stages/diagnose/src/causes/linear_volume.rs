//! # A linear volume that uses one disk at a time
//!
//! ## What it finds
//! A mapped device of several disks that are joined one behind the other, not striped. Where a check loaded it, one member
//! did more than nine tenths of the work.
//!
//! ## Why it matters
//! The volume is as large as all of its disks and as fast as one of them: a file lies on one disk, and the others idle.
//!
//! ## What to try
//! Striping: `lvcreate --stripes N` for a new volume, `lvconvert --stripes N` or a copy for an old one. Where the work is spread over
//! many files that lie on different disks, a linear volume is good enough.
//!
//! ## Example
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! expect: warning says "as fast as one" about dm-0
//! ```
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=9000@1ms depth=32
//! field: disk.reads_per_s sda 9000
//! field: disk.reads_per_s sdb 0
//! expect: warning says "sda did 100 % of the work" about dm-0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: dm-0 stack=LVM mapping=striped
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! ```
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! disk: sda transport=sata
//! ```
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: depth read=9000@1ms depth=32
//! field: disk.reads_per_s sda 4600
//! field: disk.reads_per_s sdb 4400
//! ```
//!
//! ## Seen
//! In the lab: `linear_lvm`.
//!
//! ## Sources
//! - lvmraid(7), lvcreate(8); Linux `Documentation/admin-guide/device-mapper/linear.rst`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "linear_volume",
    since: "0.1.0",
    summary: "several disks joined one behind the other, so that one works and the others idle",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the volume is filled to its first disk only: then a fresh file on the later disk is as slow and loads the other disk",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=32 -direct=1 # with iodyno watch on the members",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// From this share of the work on, one member counts as doing all.
const SHARE_MIN: f64 = 0.9;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::Stacked)
        .filter_map(|volume| finding(scene, volume))
        .collect()
}

fn finding(scene: &Scene<'_>, volume: &Layer) -> Option<Finding> {
    let is_linear = volume.fact("mapping") == Some("linear") && volume.below.len() > 1;
    if !is_linear {
        return None;
    }
    let members = volume.below.len();
    let found = |claim: String| {
        warning(&volume.name, claim)
            .shows("mapping", "linear")
            .shows("members", members)
            .refuted_by("the members share the work evenly under this load")
            .advise(
                "Stripe the volume over its disks (lvcreate --stripes, or lvconvert for an existing one).",
            )
            .gains(members as f64 - 1.0)
    };
    let Some((busiest, share)) = busiest(scene, volume) else {
        let claim = format!(
            "{} joins {members} disks one behind the other: it is as fast as one of them.",
            volume.name
        );
        return Some(found(claim));
    };
    (share > SHARE_MIN).then(|| {
        let percent = share * 100.0;
        let claim = format!(
            "{} is not striped: {busiest} did {percent} of the work of {members} disks.",
            volume.name,
            percent = units::percent_whole(percent)
        );
        found(claim).shows(
            "disk.reads_per_s",
            format!(
                "{busiest} {percent}",
                percent = units::percent_whole(percent)
            ),
        )
    })
}

/// The member that read most in the deepest load, and its share; none without a load.
fn busiest<'a>(scene: &Scene<'_>, volume: &'a Layer) -> Option<(&'a str, f64)> {
    let probe = scene.all(Role::Depth).last()?;
    let reads = |name: &str| probe.frame.get("disk.reads_per_s", name).unwrap_or(0.0);
    let members = parts::members(volume).into_iter();
    let rates: Vec<(&str, f64)> = members
        .map(|member| (member.name.as_str(), reads(&member.name)))
        .collect();
    let total: f64 = rates.iter().map(|(_, rate)| rate).sum();
    let busiest = rates
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    (total > 0.0).then_some((busiest.0, busiest.1 / total))
}
