//! # Containers that share a disk without shares
//!
//! ## What it finds
//! Two or more control groups that each did a fifth and more of the I/O while the check loaded nothing, on a machine
//! that waited for I/O, with no io.cost that would divide the disk between them.
//!
//! ## Why it matters
//! Whoever has more I/Os in flight gets more of the disk. Together they do less than each would alone, on rotating
//! disks by far, and the slowest is not the one that asks for most.
//!
//! ## What to try
//! Weights: `io.weight` with io.cost, or bfq's own on a slow disk; or limits for the greedy one; or another disk.
//! `iodyno limit DIR --containers 2 --weights 100,400` tells whether weights are kept there.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! field: cgroup.reads_per_s /system.slice/db.service 400
//! field: cgroup.reads_per_s /system.slice/backup.service 900
//! field: pressure.some_percent io 61
//! expect: note says "2 control groups" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! field: cgroup.reads_per_s /system.slice/db.service 400
//! field: cgroup.reads_per_s /system.slice/backup.service 3
//! field: pressure.some_percent io 61
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: cgroup.reads_per_s /system.slice/db.service 400
//! field: cgroup.reads_per_s /system.slice/backup.service 900
//! field: pressure.some_percent io 2
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: cgroup.reads_per_s /system.slice/db.service 400
//! field: cgroup.reads_per_s /system.slice/backup.service 900
//! field: cgroup.cost_percent /system.slice/db.service 30
//! field: pressure.some_percent io 61
//! ```
//! ```scene
//! disk: sda transport=sata
//! field: cgroup.reads_per_s /system.slice 1300
//! field: cgroup.reads_per_s /system.slice/backup.service 1300
//! field: pressure.some_percent io 61
//! ```
//!
//! ## Seen
//! In the lab: `groups_on_one_disk`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, io.weight, io.cost.qos
//! - A field report of four containers on one disk that together did less than one
//! - The fifth of the I/O and the fifth of the time waiting are proposals of this project.

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::text::short_group;
use model::time_account::TimePlace;
use model::units;
use std::collections::BTreeMap;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "groups_share_disk",
    since: "0.1.0",
    summary: "control groups that compete for one disk",
    level: Level::Note,
    risk: Risk::CostsLatency,
    competing: &["they wait for something else than each other: then one alone is as slow"],
    experiment: Experiment::Line(
        "iodyno watch # the I/O of the groups a second, while the greediest is stopped for a minute",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Request],
    yields_to: &[],
    judge,
};

const SHARE_MIN: f64 = 0.2;
const WAITING_MIN: f64 = 20.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .idle()
        .and_then(|frame| finding(scene, frame))
        .into_iter()
        .collect()
}

/// I/Os a second of each group, without those that a group below it did.
fn leaves(frame: &Frame) -> Vec<(&str, f64)> {
    let mut rates: BTreeMap<&str, f64> = BTreeMap::new();
    for id in ["cgroup.reads_per_s", "cgroup.writes_per_s"] {
        frame
            .each(id)
            .for_each(|(group, rate)| *rates.entry(group).or_default() += rate);
    }
    let has_child = |group: &str| {
        let below = format!("{}/", group.trim_end_matches('/'));
        rates
            .keys()
            .any(|other| *other != group && other.starts_with(&below))
    };
    rates
        .iter()
        .filter(|(group, _)| !has_child(group))
        .map(|(group, rate)| (*group, *rate))
        .collect()
}

fn finding(scene: &Scene<'_>, frame: &Frame) -> Option<Finding> {
    let groups = leaves(frame);
    let total: f64 = groups.iter().map(|(_, rate)| rate).sum();
    let mut large: Vec<_> = groups
        .into_iter()
        .filter(|(_, rate)| *rate >= SHARE_MIN * total)
        .collect();
    large.sort_by(|one, other| other.1.total_cmp(&one.1));
    let waiting = frame.get("pressure.some_percent", "io")?;
    let has_cost = frame.each("cgroup.cost_percent").next().is_some();
    if large.len() < 2 || total < 1.0 || waiting < WAITING_MIN || has_cost {
        return None;
    }
    let device = scene.path.queue_device()?;
    let names: Vec<_> = large.iter().map(|(group, _)| short_group(group)).collect();
    let claim = format!(
        "{} control groups share the disk and tasks waited for I/O {waiting} of the time: {}.",
        large.len(),
        names.join(", "),
        waiting = units::percent_whole(waiting)
    );
    let mut finding =
        note(&device.name, claim).shows("pressure.some_percent io", units::percent_whole(waiting));
    for (group, rate) in large {
        finding = finding.shows(
            &short_group(group),
            format!("{rate} I/Os a second", rate = units::whole(rate)),
        );
    }
    Some(
        finding
            .refuted_by("one of them alone is as slow")
            .advise(
                "Give the one that matters a weight (io.weight with io.cost) or limit the other.",
            )
            .gains(0.2),
    )
}
