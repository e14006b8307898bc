//! # A setting that is not what a file wants
//!
//! ## What it finds
//! A value that differs from what the last of its owners sets: a rule of udev, tuned, a file of sysctl.d, the command line. Also
//! two owners that want different values.
//!
//! ## Why it matters
//! Either the file never worked, or somebody changed the value by hand, and it goes with the next boot or the next event of the
//! device. Whoever compares machines by their files compares the wrong thing.
//!
//! ## What to try
//! Decide which is right. Then change the file, or apply it: `udevadm trigger`, `sysctl --system`, `tuned-adm verify`.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 4096
//! expect: note says "60-ra.rules:3 wants 4096" about sda
//! ```
//! ```scene
//! setting: vm.swappiness = 60
//! owner: vm.swappiness sysctl_file /etc/sysctl.d/9-db.conf:1 wants 1
//! disk: sda transport=sata
//! expect: note says "9-db.conf:1 wants 1"
//! ```
//! Two that fight:
//! ```scene
//! disk: sda transport=sata
//! setting: scheduler = none [mq-deadline] bfq
//! owner: scheduler udev_rule /usr/lib/udev/rules.d/60-block-scheduler.rules:5 wants bfq
//! owner: scheduler tuned profile wants mq-deadline
//! expect: note says "two owners" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 4096
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 4096
//! ```
//! tuned's form for at least this much:
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 8192
//! owner: read_ahead_kb tuned profile wants >4096
//! ```
//! The pair of ratio and bytes is judged elsewhere:
//! ```scene
//! setting: vm.dirty_ratio = 0
//! owner: vm.dirty_ratio sysctl_file /etc/sysctl.d/9-db.conf:1 wants 40
//! setting: vm.dirty_bytes = 536870912
//! disk: sda transport=sata
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! ```
//!
//! ## Seen
//! In the lab: `drifted_rule`.
//!
//! ## Sources
//! - udev(7), sysctl.d(5), tuned-adm(8) `verify`; TuneD's modifiers of values (`>=`, `<=`)
//! - redhat-performance/tuned issue 101: a profile whose elevator was not applied, in silence

use crate::causes_help_queue::configured;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, Owner, Setting};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "setting_drifted",
    since: "0.1.0",
    summary: "a setting whose value is not what the files of this machine want",
    level: Level::Note,
    risk: Risk::NeedsCare,
    competing: &[
        "somebody is trying a value on purpose: then `iodyno status` or whoever was logged in knows of it",
        "the rule does not match this device: then the value stays as it is after `udevadm trigger --action=change`",
    ],
    experiment: Experiment::Line(
        "iodyno inspect {target} --all # after udevadm trigger --action=change or sysctl --system: what moves had drifted",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Settings that the kernel zeroes when their other half is written.
const PAIRED: [&str; 4] = [
    "vm.dirty_ratio",
    "vm.dirty_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_background_bytes",
];
/// Words that are no scheduler any more are told by another cause.
const GONE: [&str; 3] = ["noop", "deadline", "cfq"];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let of_layer = |layer: &Layer, name: &str| -> Vec<Finding> {
        layer
            .settings
            .iter()
            .filter_map(|setting| finding(setting, name))
            .collect()
    };
    let mut found: Vec<Finding> = scene
        .layers()
        .into_iter()
        .flat_map(|layer| of_layer(layer, &layer.name))
        .collect();
    found.extend(
        scene
            .path
            .machine
            .iter()
            .flat_map(|machine| of_layer(machine, "")),
    );
    found
}

fn finding(setting: &Setting, device: &str) -> Option<Finding> {
    if PAIRED.contains(&setting.name.as_str()) {
        return None;
    }
    let now = setting.chosen()?;
    let owners: Vec<&Owner> = configured(setting).collect();
    let last = owners.last()?;
    let wants = last.wants.as_deref()?;
    if GONE.contains(&wants) {
        return None;
    }
    let name = &setting.name;
    let agrees = |owner: &Owner| {
        owner
            .wants
            .as_deref()
            .is_some_and(|wants| meets(now, wants))
    };
    let claim = if !agrees(last) {
        format!("{name} is {now}, and {} wants {wants}.", last.place)
    } else {
        let other = owners.iter().find(|owner| !agrees(owner))?;
        let theirs = other.wants.as_deref().unwrap_or_default();
        format!(
            "{name} has two owners: {} wants {theirs}, {} wants {wants} and came last.",
            other.place, last.place
        )
    };
    let finding = note(device, claim)
        .shows(name, now)
        .shows(&last.place, wants)
        .refuted_by("the file does not apply to this device or machine")
        .advise("Decide which value is right, and leave one owner that sets it.");
    Some(finding)
}

/// Whether a value is what an owner wants: the same word or number, or within a bound of TuneD.
fn meets(now: &str, wants: &str) -> bool {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    let bound = |sign: char| number(wants.strip_prefix(sign)?.trim_start_matches('='));
    if let Some(least) = bound('>') {
        return number(now).is_some_and(|now| now >= least);
    }
    if let Some(most) = bound('<') {
        return number(now).is_some_and(|now| now <= most);
    }
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    words(now) == words(wants) || (number(now).is_some() && number(now) == number(wants))
}
