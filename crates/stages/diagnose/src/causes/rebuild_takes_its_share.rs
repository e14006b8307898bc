//! # A rebuild that may take what it wants
//!
//! ## What it finds
//! An md array that is being resynchronised, rebuilt, reshaped or checked, with a `sync_speed_min` of 50 MB/s or more (a proposal of this
//! project: a rotating disk under random I/O moves less). The kernel's default is 1000 KiB/s.
//!
//! ## Why it matters
//! `sync_speed_min` is what the synchronisation takes although others want the disks. A default lets production go first; a high
//! one, left over from a night in which the rebuild had to end soon, lets the rebuild go first.
//!
//! ## What to try
//! `echo 1000 > /sys/block/md0/md/sync_speed_min` while the load matters; the array then stays degraded for longer.
//!
//! ## Example
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 sync_action=recover
//! setting: md/sync_speed_min = 200000 (local)
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! expect: note says "200000 KiB/s" about md0
//! ```
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 sync_action=check
//! setting: md/sync_speed_min = 100000 (system)
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! field: disk.reads_per_s md0 120
//! field: disk.await_read_ms md0 80
//! field: disk.await_read_ms sda 60
//! field: md.sync_bytes_per_s md0 95000000
//! expect: warning says "120 I/Os a second" about md0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 sync_action=recover
//! setting: md/sync_speed_min = 1000 (system)
//! disk: sda transport=sata
//! ```
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 sync_action=idle
//! setting: md/sync_speed_min = 200000 (local)
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! In the lab: a recover at 18 MB/s with sync_speed_min `200000 (local)` beside 1,754 reads a second.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/md.rst`, `sync_speed_min` and `sync_speed_max`; md(4), `/proc/sys/dev/raid/speed_limit_min`

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "rebuild_takes_its_share",
    since: "0.1.0",
    summary: "a rebuild or check that goes before other I/O",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "others load the members apart from the array: then they are slow after the rebuild too",
    ],
    experiment: Experiment::Line(
        "sudo iodyno set sync_speed_min=1000 /dev/{device} # then iodyno watch {device}: await falls if the rebuild was it",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const KIB_PER_S_MIN: f64 = 50_000.0;
/// Somebody works with the array.
const RATE_MIN: f64 = 20.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::Stacked)
        .filter_map(|array| finding(scene, array))
        .collect()
}

fn finding(scene: &Scene<'_>, array: &Layer) -> Option<Finding> {
    let action = array
        .fact("sync_action")
        .filter(|action| !matches!(*action, "idle" | "frozen"))?;
    let text = array.setting("md/sync_speed_min")?.value.value()?;
    // The kernel adds whose value it is: `1000 (system)`.
    let least: f64 = text.split_whitespace().next()?.parse().ok()?;
    if least < KIB_PER_S_MIN {
        return None;
    }
    let name = &array.name;
    let others = scene
        .idle()
        .and_then(|frame| parts::rate(frame, name))
        .filter(|rate| *rate > RATE_MIN);
    let level = if others.is_some() {
        Level::Warning
    } else {
        Level::Note
    };
    let beside = others.map_or_else(String::new, |rate| {
        format!(
            ", beside {rate} I/Os a second of others",
            rate = units::whole(rate)
        )
    });
    let syncs = scene
        .idle()
        .and_then(|frame| frame.get("md.sync_bytes_per_s", name));
    Some(
        found(
            level,
            name,
            format!(
                "The {action} of {name} takes at least {least} KiB/s of each disk{beside}.",
                least = units::whole(least)
            ),
        )
        .shows("md/sync_speed_min", text)
        .shows(
            "md.sync_bytes_per_s",
            syncs.map_or("not measured".into(), units::whole),
        )
        .refuted_by("latency stays the same when sync_speed_min is 1000")
        .advise(format!(
            "Lower /sys/block/{name}/md/sync_speed_min while the load matters."
        ))
        // The synchronisation gives back at most what it takes; half of a disk is the usual case.
        .gains(if others.is_some() { 0.5 } else { 0.1 }),
    )
}
