//! # An array that is not whole, or is being made whole
//!
//! ## What it finds
//! In the path's facts, where no sensor looked (a captured machine, `inspect`): an md array that lacks members, has failed ones,
//! does not run, or is being resynchronised, rebuilt, reshaped or checked. While sensors look, `array_degraded` and `array_syncing`
//! say it, and this stays silent.
//!
//! ## Why it matters
//! A parity array without a member computes each of its reads from all others, a mirror reads from what is left, and a
//! synchronisation competes for all disks. What was measured in that state is not what the array gives.
//!
//! ## What to try
//! `mdadm --detail`; replace the disk or wait for the end before anything is compared or tuned.
//!
//! ## Example
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 degraded=1 array_state=clean sync_action=idle failed_members=sdc1
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! expect: warning says "lacks 1 of its 3" says "sdc1" about md0
//! ```
//! ```scene
//! stacked: md0 stack=raid1 raid_disks=2 degraded=0 array_state=active sync_action=resync sync_completed=37_/_100
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! expect: warning says "resync" about md0
//! ```
//! ```scene
//! stacked: md0 stack=raid0 raid_disks=2 array_state=broken
//! disk: sda transport=sata
//! expect: warning says "broken" about md0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 degraded=0 array_state=clean sync_action=idle
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! disk: +sdc transport=sata
//! ```
//! ```scene
//! stacked: md0 stack=raid5 raid_disks=3 degraded=1 array_state=clean sync_action=idle
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! field: md.degraded_disks md0 1
//! ```
//! ```scene
//! stacked: md0 stack=raid1 raid_disks=2 degraded=0 array_state=read-auto
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! ```
//!
//! ## Seen
//! In the lab: RAID 5 of three with one member failed and removed, then added: the facts were degraded 1, then recover; the sensors saw
//! both too, so that this stays silent in a check.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/md.rst`: `degraded`, `array_state`, `sync_action`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "array_not_whole",
    since: "0.1.0",
    summary: "an array that lacks members, does not run or is being synchronised",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the state has changed since the facts were taken: then cat /proc/mdstat shows all members and no progress",
    ],
    experiment: Experiment::Line("sudo mdadm --detail /dev/{device}; cat /proc/mdstat"),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let is_watched = |array: &str| {
        let has = |id: &str| {
            scene
                .frames()
                .any(|(_, frame)| frame.get(id, array).is_some())
        };
        has("md.degraded_disks") || has("md.sync_bytes_per_s")
    };
    let arrays = scene
        .of_kind(LayerKind::Stacked)
        .filter(|array| !is_watched(&array.name));
    arrays.filter_map(finding).collect()
}

fn finding(array: &Layer) -> Option<Finding> {
    let name = &array.name;
    let missing = array.number("degraded").filter(|missing| *missing > 0.0);
    let state = array
        .fact("array_state")
        .filter(|state| matches!(*state, "broken" | "inactive" | "clear"));
    let action = array
        .fact("sync_action")
        .filter(|action| !matches!(*action, "idle" | "frozen"));
    let (claim, evidence, gain) = if let Some(missing) = missing {
        let disks = array.fact("raid_disks").unwrap_or("?");
        let failed = array
            .fact("failed_members")
            .map_or_else(String::new, |names| format!(", {names} failed"));
        // A RAID 5 of three serves half of its random reads with two disks' work each.
        (
            format!(
                "{name} lacks {missing} of its {disks} disks{failed}: it is slower and less safe than it should be.",
                missing = units::whole(missing)
            ),
            ("degraded", units::whole(missing)),
            0.5,
        )
    } else if let Some(state) = state {
        (
            format!("{name} does not serve I/O: its state is {state}."),
            ("array_state", state.to_string()),
            1.0,
        )
    } else {
        let action = action?;
        let done = array
            .fact("sync_completed")
            .map_or_else(String::new, |done| format!(" ({done})"));
        // sync_speed_max lets a rebuild have all of an idle disk, and half of one that is used.
        (
            format!("{name} is busy with a {action}{done}, which competes with its I/O."),
            ("sync_action", action.to_string()),
            0.3,
        )
    };
    Some(
        warning(name, claim)
            .shows(evidence.0, evidence.1)
            .refuted_by("cat /proc/mdstat shows every member up and no progress line")
            .advise(format!(
                "See mdadm --detail /dev/{name}; measure and tune when the array is whole."
            ))
            .gains(gain),
    )
}
