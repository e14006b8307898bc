//! # Both a ratio and bytes for dirty pages
//!
//! ## What it finds
//! Files that set `vm.dirty_ratio` and others that set `vm.dirty_bytes`, or the same for the background threshold.
//!
//! ## Why it matters
//! They are two spellings of one limit, and writing one sets the other to 0. Which holds depends on the order of files, on tuned and on
//! who ran `sysctl` last; the file that lost looks as if it worked.
//!
//! ## What to try
//! One of them in one place. Bytes do not grow with memory, and memory grew faster than disks.
//!
//! ## Example
//! ```scene
//! setting: vm.dirty_ratio = 0
//! owner: vm.dirty_ratio tuned profile_throughput-performance wants 40
//! setting: vm.dirty_bytes = 536870912
//! owner: vm.dirty_bytes sysctl_file /etc/sysctl.d/9-db.conf:2 wants 536870912
//! disk: sda transport=sata
//! expect: warning says "vm.dirty_bytes holds (536870912)"
//! ```
//! ```scene
//! setting: vm.dirty_background_ratio = 3
//! owner: vm.dirty_background_ratio sysctl_file /etc/sysctl.conf:7 wants 3
//! setting: vm.dirty_background_bytes = 0
//! owner: vm.dirty_background_bytes sysctl_file /etc/sysctl.d/9-db.conf:2 wants 67108864
//! disk: sda transport=sata
//! expect: warning says "vm.dirty_background_ratio holds (3)"
//! ```
//!
//! ## Stays silent
//! ```scene
//! setting: vm.dirty_ratio = 40
//! owner: vm.dirty_ratio tuned profile_throughput-performance wants 40
//! setting: vm.dirty_bytes = 0
//! disk: sda transport=sata
//! ```
//! A file that writes 0 to the other on purpose:
//! ```scene
//! setting: vm.dirty_ratio = 0
//! owner: vm.dirty_ratio sysctl_file /etc/sysctl.d/9-db.conf:1 wants 0
//! setting: vm.dirty_bytes = 536870912
//! owner: vm.dirty_bytes sysctl_file /etc/sysctl.d/9-db.conf:2 wants 536870912
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! In the lab: `dirty_both_configured`.
//!
//! ## Sources
//! - Linux commit 2da02997e08d, "mm: add dirty_background_bytes and dirty_bytes sysctls"
//! - redhat-performance/tuned pull request 880: a parent's ratio and a child's bytes

use crate::causes_help_queue::{DIRTY_PAIRS, configured};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Setting;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "dirty_ratio_and_bytes",
    since: "0.1.0",
    summary: "a ratio and bytes configured for the same limit of dirty pages: the last writer zeroes the other",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "one of the files is not read at boot: then `systemd-analyze cat-config sysctl.d` does not list it",
    ],
    experiment: Experiment::Line(
        "sudo sysctl --system; sysctl vm.dirty_ratio vm.dirty_bytes # the one that is 0 was overruled",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    DIRTY_PAIRS
        .into_iter()
        .filter_map(|(ratio, bytes)| finding(scene, ratio, bytes))
        .collect()
}

fn finding(scene: &Scene<'_>, ratio: &str, bytes: &str) -> Option<Finding> {
    let (ratio, bytes) = (
        scene.path.machine_setting(ratio)?,
        scene.path.machine_setting(bytes)?,
    );
    let wanting = |setting: &Setting| {
        let owners = configured(setting).filter(|owner| owner.wants.as_deref() != Some("0"));
        owners
            .last()
            .map(|owner| (owner.place.clone(), owner.wants.clone().unwrap_or_default()))
    };
    let (one, other) = (wanting(ratio)?, wanting(bytes)?);
    let holds = if bytes.number()? > 0.0 { bytes } else { ratio };
    let now = holds.chosen()?;
    let claim = format!(
        "{} and {} are both configured; {} holds ({now}), and the other was set to 0 by it.",
        ratio.name, bytes.name, holds.name
    );
    let finding = warning("", claim)
        .shows(&holds.name, now)
        .shows(&one.0, format!("{} = {}", ratio.name, one.1))
        .shows(&other.0, format!("{} = {}", bytes.name, other.1))
        .refuted_by("only one of the two is written at boot")
        .advise("Keep one of the two, in one place.")
        .gains(0.05);
    Some(finding)
}
