//! # Reads that become slower while the load stays the same
//!
//! ## What it finds
//! On a disk of this machine (not a virtual one or one on the network, where a provider's limit looks the same), a read load of the
//! check that lost 30 % of its rate or more from some moment on and stayed there; or the single reads at the end of a check
//! that take half as long again as those at its beginning. The shares are proposals of this project.
//!
//! ## Why it matters
//! Nothing that the machine asked for changed, so the device did: it retries, cleans up, is too hot, or its link fell back.
//! Everything measured after that moment is about another disk.
//!
//! ## What to try
//! `smartctl -a` or `nvme smart-log` before and after; the kernel's log; then the same load again when it is cool and idle.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=30000@500us depth=16
//! bins: 900 910 905 890 900 905 898 900 401 400 398 402 400 403 399 400
//! expect: note says "56 %" about nvme0n1
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! field: health.light_throttlings sda 3
//! probe: latency read=1000@100us
//! probe: depth read=9000@300us depth=8
//! probe: latency read=500@220us
//! field: health.light_throttlings sda 5
//! expect: note says "single reads" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: depth read=30000@500us depth=16
//! bins: 900 910 905 890 900 905 898 900 870 910 905 890 900 905 898 900
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=30000@500us depth=16
//! bins: 900 910 905 890 900 905 898 900 401 400 398 402 400 403 399 400
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=1000@100us
//! probe: latency read=1000@110us
//! ```
//!
//! ## Seen
//! In the lab: `bfq_on_nvme`, `cgroup_limit`.
//!
//! ## Sources
//! - NVM Express Base Specification 2.0, SMART / Health Information log
//! - Hao et al.: The tail at store, FAST 2016: slow disks and SSDs in the field

use crate::finding::{With, note};
use crate::{Cause, Experiment, Medium, Scene};
use analyse::cliff;
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "reads_slow_down",
    since: "0.1.0",
    summary: "reads that become slower though the load stays the same",
    level: Level::Note,
    risk: Risk::NeedsCare,
    competing: &[
        "others began to use the disk: then its counters show more I/Os than the load's own",
        "the drive's cache served the first part: then a range many times as large is slow from the start",
        "heat: then the temperature and the drive's throttle counters rose meanwhile",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=16 -direct=1 -time_based -runtime=60 # beside iodyno watch {device}",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const DROP_MIN: f64 = 0.3;
const LONGER_MIN: f64 = 1.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let is_local = matches!(
        scene.medium(),
        Some(Medium::Rotational | Medium::Flash | Medium::Nvme)
    );
    if !is_local {
        return Vec::new();
    }
    let dropped = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Depth | Role::Latency | Role::Stream));
    dropped
        .filter_map(drop_of)
        .next()
        .or_else(|| longer(scene))
        .map(|finding| about(scene, finding))
        .into_iter()
        .collect()
}

fn drop_of(probe: &Probe) -> Option<Finding> {
    let rates: Vec<f64> = probe
        .load
        .bins
        .iter()
        .map(|count| f64::from(*count))
        .collect();
    let drop = cliff::first_drop(&rates)?;
    let lost = 1.0 - drop.after / drop.burst;
    let after_ms = drop.at as u64 * probe.load.bin_ms;
    let per_s = 1e3 / probe.load.bin_ms.max(1) as f64;
    (lost >= DROP_MIN).then(|| {
        note(
            "",
            format!(
                "Reads became {} slower after {after_ms} ms of an unchanged load.",
                units::share(lost)
            ),
        )
        .shows(
            "reads a second",
            format!(
                "{}, then {}",
                units::whole(drop.burst * per_s),
                units::whole(drop.after * per_s)
            ),
        )
    })
}

fn longer(scene: &Scene<'_>) -> Option<Finding> {
    let first = scene.probe(Role::Latency)?.mean_us()?;
    let last = scene.all(Role::Latency).last()?.mean_us()?;
    (last > first * LONGER_MIN).then(|| {
        note(
            "",
            format!(
                "After the loads single reads take {last} µs, before them {first} µs.",
                last = units::whole(last),
                first = units::whole(first)
            ),
        )
        .shows(
            "latency at depth 1",
            format!(
                "{first} µs, then {last} µs",
                first = units::whole(first),
                last = units::whole(last)
            ),
        )
    })
}

/// The disk that it is about, and what its own counters of heat say.
fn about(scene: &Scene<'_>, mut finding: Finding) -> Finding {
    finding.section = scene
        .disks()
        .first()
        .map_or(String::new(), |disk| disk.name.clone());
    let hot = ["health.light_throttlings", "health.heavy_throttlings"].map(|id| {
        let values: Vec<f64> = scene
            .frames()
            .filter_map(|(_, frame)| frame.get(id, &finding.section))
            .collect();
        values
            .first()
            .zip(values.last())
            .map(|(first, last)| last - first)
    });
    let hot: Vec<f64> = hot.into_iter().flatten().collect();
    let slowed = if hot.is_empty() {
        "not readable".into()
    } else {
        format!("{} more", units::whole(hot.iter().sum::<f64>()))
    };
    finding
        .shows("throttle counters of the drive", slowed)
        .refuted_by("a second load of the same kind holds its rate to the end")
        .advise("Read the drive's own log before and after (smartctl -a, nvme smart-log), and repeat when it is cool.")
}
