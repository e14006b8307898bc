//! # Writes that fall off a cliff
//!
//! ## What it finds
//! On a flash disk of this machine, a write load of the check that began fast and fell to 60 % or less at one moment (a proposal of
//! this project), and stayed there: the fast cache is full.
//!
//! ## Why it matters
//! Consumer disks write to single-level cells first and fold them later; a new disk writes to erased blocks. What a short test shows
//! holds for some gigabytes. A database that writes all day gets the rate after the cliff.
//!
//! ## What to try
//! Plan with the second figure. `iodyno run --steady` writes until the rate holds; more spare space (trim, a smaller partition)
//! makes the fast part longer.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: write-stream write=9000@100us bs=128k elapsed=2s
//! bins: 800 810 790 805 800 795 802 798 800 801 150 152 148 150 149 151 150 150 149 150
//! expect: warning says "1,000 ms" says "19 %" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: write-stream write=9000@100us bs=128k elapsed=2s
//! bins: 800 810 790 805 800 795 802 798 800 801 700 702 708 710 709 701 700 700 709 700
//! ```
//! A queue that filled:
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: write-stream write=900@100us bs=128k elapsed=1s
//! bins: 800 810 150 152 148 150 149 151 150 150
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: write-stream write=9000@100us bs=128k elapsed=2s
//! bins: 800 810 790 805 800 795 802 798 800 801 150 152 148 150 149 151 150 150 149 150
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: write write=900@1ms elapsed=2s
//! bins: 80 81 79 80 80 79 80 79 80 80 15 15 14 15 14 15 15 15 14 15
//! ```
//!
//! ## Seen
//! In the lab: `write_cache_fills`, an NVMe disk that QEMU lets write at 60 MiB/s for six seconds and then at 10. A virtual
//! disk's fall is a provider's limit, told elsewhere.
//!
//! ## Sources
//! - SNIA: Solid State Storage Performance Test Specification, fresh out of box, transition and steady state
//! - data sheets of consumer SSDs: Samsung 870 EVO ("after TurboWrite": 300 MB/s for 250 GB)

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Medium, Scene};
use analyse::cliff;
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "write_cliff",
    since: "0.1.0",
    summary: "writes of a flash disk that are fast only until its cache is full",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "heat: then the drive's throttle counters rose and reads became slower too",
        "others began to write: then the disk's counters show more writes than the load's own",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --steady -- -ioengine=io_uring -rw=write -bs=128k -iodepth=8 -direct=1",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const AFTER_MAX: f64 = 0.6;
/// Both levels have to last this long: the queue of a device that is filled for the first time is over sooner.
const LEVEL_MS: u64 = 1_000;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let is_flash = matches!(scene.medium(), Some(Medium::Flash | Medium::Nvme));
    let writes = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Write | Role::WriteStream));
    let device = scene.disks().first().map_or("", |disk| disk.name.as_str());
    writes
        .filter(|_| is_flash)
        .filter_map(|probe| finding(probe, device))
        .take(1)
        .collect()
}

fn finding(probe: &Probe, device: &str) -> Option<Finding> {
    let rates: Vec<f64> = probe
        .load
        .bins
        .iter()
        .map(|count| f64::from(*count))
        .collect();
    let drop = cliff::first_drop(&rates).filter(|drop| drop.after <= drop.burst * AFTER_MAX)?;
    let after_ms = drop.at as u64 * probe.load.bin_ms;
    let left_ms = (rates.len() - drop.at.min(rates.len())) as u64 * probe.load.bin_ms;
    if after_ms < LEVEL_MS || left_ms < LEVEL_MS {
        return None;
    }
    let percent = drop.after / drop.burst * 100.0;
    let per_bin = probe.job.bs as f64 * 1e3 / probe.load.bin_ms.max(1) as f64;
    let rate = |level: f64| units::bytes_per_s(level * per_bin);
    let written = drop.burst * drop.at as f64 * probe.job.bs as f64;
    Some(
        warning(
            device,
            format!("After {} ms of writing {device} fell to {percent} of its rate.", grouped(after_ms), percent = units::percent_whole(percent)),
        )
        .shows("bytes a second", format!("{}, then {}", rate(drop.burst), rate(drop.after)))
        .shows("written before", units::bytes(written))
        .refuted_by("the rate rises again while the load goes on")
        .advise("Count on the lower rate; write longer (iodyno run --steady) to see whether it is the last.")
        .gains(0.0),
    )
}

/// `1,000`: thousands apart.
fn grouped(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", number / 1000, number % 1000),
    }
}
