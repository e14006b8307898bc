//! # A scheduler set where it does not act
//!
//! ## What it finds
//! Somebody sets a scheduler on a mapped device, an array or bcache, which take none; the disks below have another one.
//!
//! ## Why it matters
//! Such devices pass I/O on as it comes, and only `none` can be chosen. Kernels take any word there without an error (seen on 6.1), so
//! that the rule looks as if it worked. What acts is the scheduler of the disks below.
//!
//! ## What to try
//! The same setting on the disks below.
//!
//! ## Example
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! setting: scheduler = none
//! owner: scheduler udev_rule /etc/udev/rules.d/60-io.rules:2 wants bfq
//! disk: sda transport=sata
//! setting: scheduler = none [mq-deadline] bfq
//! expect: warning says "sda has mq-deadline" about dm-0
//! ```
//! ```scene
//! stacked: md0 stack=md_RAID10
//! setting: scheduler = none
//! owner: scheduler tuned profile wants mq-deadline
//! disk: sda transport=sata
//! setting: scheduler = none [bfq]
//! disk: +sdb transport=sata
//! setting: scheduler = none [mq-deadline]
//! expect: warning says "sda has bfq" about md0
//! ```
//! Below, what was meant is set already:
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! setting: scheduler = none
//! owner: scheduler udev_rule /etc/udev/rules.d/60-io.rules:2 wants bfq
//! disk: sda transport=sata
//! setting: scheduler = none mq-deadline [bfq]
//! expect: note says "takes no scheduler" about dm-0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: dm-0 stack=LVM mapping=linear
//! setting: scheduler = none
//! disk: sda transport=sata
//! setting: scheduler = none [mq-deadline] bfq
//! ```
//! Request-based multipath has a queue of its own:
//! ```scene
//! stacked: dm-0 stack=multipath mapping=multipath
//! setting: scheduler = none [mq-deadline] bfq
//! owner: scheduler udev_rule /etc/udev/rules.d/60-io.rules:2 wants mq-deadline
//! disk: sda transport=sas
//! setting: scheduler = [none] mq-deadline
//! ```
//!
//! ## Seen
//! In the lab: `scheduler_on_volume`.
//!
//! ## Sources
//! - Linux `block/elevator.c`, `elv_iosched_store`, `elv_iosched_show`: `none` alone where the queue takes no scheduler
//! - seastar `perftune.py`, which looks for the disks below for the same reason

use crate::causes_help_queue::{configured, scheduler};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use kernel::choice;
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::proposal::TuneProposal;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "scheduler_on_wrong_layer",
    since: "0.1.0",
    summary: "a scheduler set on a mapped device or array, which takes none, while its disks have another",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the rule names the disks too, and this match is only too wide: then the disks have what it wants",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("scheduler")),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::Stacked)
        .filter_map(finding)
        .collect()
}

fn finding(stacked: &Layer) -> Option<Finding> {
    let setting = stacked.setting("scheduler")?;
    // With a queue of its own it lists more than this one word.
    if setting
        .value
        .value()
        .is_none_or(|words| !choice::offered(words).eq(["none"]))
    {
        return None;
    }
    let wanting = configured(setting)
        .filter(|owner| owner.wants.as_deref().is_some_and(|word| word != "none"));
    let owner = wanting.last()?;
    let wants = owner.wants.as_deref()?;
    let disks = stacked
        .walk()
        .into_iter()
        .filter(|layer| layer.kind == LayerKind::Disk);
    let other = disks
        .filter_map(|disk| Some((disk, scheduler(disk)?)))
        .find(|(_, word)| *word != wants && format!("mq-{wants}") != *word);
    let place = &owner.place;
    let start = format!(
        "{place} sets {wants} on {}, which takes no scheduler",
        stacked.name
    );
    let (level, claim) = match other {
        Some((disk, word)) => (
            Level::Warning,
            format!("{start}; {} has {word}.", disk.name),
        ),
        None => (
            Level::Note,
            format!("{start}; its disks have that one already."),
        ),
    };
    let mut finding = found(level, &stacked.name, claim)
        .shows("scheduler", "none")
        .shows(place, wants)
        .refuted_by("queue/scheduler of the mapped device lists more than none")
        .advise("Set it on the disks below.")
        .gains(if other.is_some() { 0.1 } else { 0.0 });
    if let Some((disk, word)) = other {
        finding = finding.shows(&format!("scheduler of {}", disk.name), word);
    }
    Some(finding)
}
