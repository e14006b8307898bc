//! # Power saving that delays I/Os after a pause
//!
//! ## What it finds
//! Link power management of SATA, or power states of an NVMe that the kernel lets it enter, while the slowest I/Os of
//! the check took at least 1 ms and twenty times the median. The thresholds are proposals of this project; a policy
//! alone is the default of many distributions and no finding.
//!
//! ## Why it matters
//! A link or a controller that sleeps has to wake up before the first I/O after a pause. A steady load never sees it; a
//! quiet database does.
//!
//! ## What to try
//! Keep it awake and look whether the tail goes: `max_performance` as the link's policy, or 0 us as the NVMe's
//! tolerance. It costs some watts.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! setting: link_power_management_policy = min_power
//! probe: latency read=980@120us+15@12ms elapsed=1s depth=1
//! expect: note says "min_power" about sda
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! setting: nvme/ps_max_latency_us = 100000
//! probe: latency read=900@85us+5@9ms elapsed=1s depth=1
//! expect: note says "wake up" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! setting: link_power_management_policy = med_power_with_dipm
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! setting: nvme/ps_max_latency_us = 100000
//! probe: latency read=995@85us+5@300us elapsed=1s depth=1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! setting: nvme/ps_max_latency_us = 0
//! probe: latency read=900@85us+5@9ms elapsed=1s depth=1
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: link_power_management_policy = max_performance
//! probe: latency read=70@8ms+5@30ms elapsed=1s depth=1
//! ```
//!
//! ## Seen
//! Not produced: it takes a link or a controller that sleeps. QEMU's AHCI accepts the policies and does nothing, its NVMe has one
//! power state.
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-class-scsi_host`, `link_power_management_policy`
//! - Linux `Documentation/ABI/testing/sysfs-devices-power`, `pm_qos_latency_tolerance_us`; `nvme_core.default_ps_max_latency_us` in kernel-parameters.txt
//! - TuneD, plugin scsi_host

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "power_saving_delays",
    since: "0.1.0",
    summary: "power states that delay the first I/O after a pause",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "another load or garbage collection makes the tail: then it is as long under a steady load",
        "the CPU sleeps, not the disk: then holding /dev/cpu_dma_latency at 0 shortens the median too",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randread -bs=4k -direct=1 -rate_iops=20 -runtime=30 # p99.9 before and after the disk is held awake: max_performance in link_power_management_policy, or 0 in pm_qos_latency_tolerance_us",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Completion],
    yields_to: &[],
    judge,
};

/// The policies under which a SATA link sleeps.
const SLEEPY: &[&str] = &[
    "min_power",
    "med_power_with_dipm",
    "medium_power",
    "min_power_with_partial",
];

const TIMES: f64 = 20.0;
const LONG_US: f64 = 1000.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

/// The setting that lets it sleep, and its value.
fn sleeps(disk: &Layer) -> Option<(&'static str, String)> {
    let policy = disk
        .setting("link_power_management_policy")
        .and_then(|one| one.chosen());
    if let Some(policy) = policy.filter(|policy| SLEEPY.contains(policy)) {
        return Some(("link_power_management_policy", policy.into()));
    }
    let tolerance = disk
        .setting("nvme/ps_max_latency_us")?
        .number()
        .filter(|us| *us > 0.0)?;
    Some(("nvme/ps_max_latency_us", units::whole(tolerance)))
}

/// How to keep awake what this setting lets sleep.
fn experiment(scene: &Scene<'_>, setting: &str) -> String {
    let awake = match setting {
        "nvme/ps_max_latency_us" => "0 in the controller's power/pm_qos_latency_tolerance_us",
        _ => "max_performance in the host's link_power_management_policy",
    };
    let load = "-rw=randread -bs=4k -direct=1 -rate_iops=20 -runtime=30";
    format!(
        "iodyno run {} -- {load} # p99.9 before and after the disk is held awake: {awake}",
        scene.path.as_argument()
    )
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let (setting, value) = sleeps(disk)?;
    let probe = scene.probe(Role::Latency)?;
    let (middle, slow) = (probe.percentile_us(0.5)?, probe.percentile_us(0.999)?);
    if slow < LONG_US || slow < TIMES * middle {
        return None;
    }
    let words = |us: f64| units::duration_ns(us * 1e3);
    let claim = format!(
        "{}: the slowest reads took {} where the median is {}; with {setting} at {value} it may have had to wake up.",
        disk.name,
        words(slow),
        words(middle)
    );
    Some(
        note(&disk.name, claim)
            .shows(setting, &value)
            .shows("p99.9", words(slow))
            .refuted_by("the tail is as long with power saving off, or under a steady load")
            .experiment(experiment(scene, setting))
            .advise("Turn power saving of this disk off for a minute and compare the tail.")
            .gains(0.05),
    )
}
