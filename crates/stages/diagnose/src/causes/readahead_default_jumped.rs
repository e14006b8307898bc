//! # A read-ahead that the kernel raised by itself
//!
//! ## What it finds
//! A read-ahead of 2 MiB and more that nobody set: derived by kernel 6.17 and later because the disk says that it spins, or from
//! an optimal I/O size that the disk names. It is a warning where random buffered reads were seen to pay for it.
//!
//! ## Why it matters
//! The same image with a newer kernel, or the same kernel on another size of instance, reads 32 to 512 times as far ahead as before.
//! Streams of spinning disks gain by it. Cloud disks often say that they spin, and databases and containers then lose their
//! page cache to pages that nobody reads.
//!
//! ## What to try
//! 128 KiB by a rule of udev, where the load is random; `rotational=0` for a disk that does not spin, before read-ahead is set.
//!
//! ## Example
//! ```scene
//! machine: kernel=6.18.4
//! disk: vda transport=virtio rotational=1
//! setting: read_ahead_kb = 8192
//! expect: note says "kernel 6.18" about vda
//! ```
//! ```scene
//! machine: kernel=6.8.0-1021-azure
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: read_ahead_kb = 65536
//! setting: optimal_io_size = 33554432
//! expect: note says "optimal I/O size" about nvme0n1
//! ```
//! ```scene
//! machine: kernel=6.18.4
//! disk: vda transport=virtio rotational=1
//! setting: read_ahead_kb = 8192
//! probe: buffered-random read=1000@1ms bs=16k
//! field: disk.read_bytes_per_s vda 65536000
//! expect: warning says "4.0 times" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: vda transport=virtio rotational=1
//! setting: read_ahead_kb = 128
//! ```
//! Somebody wants it so:
//! ```scene
//! machine: kernel=6.18.4
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 8192
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 8192
//! ```
//! Measured: random reads do not pay for it here.
//! ```scene
//! machine: kernel=6.18.4
//! disk: vda transport=virtio rotational=1
//! setting: read_ahead_kb = 8192
//! probe: buffered-random read=1000@1ms bs=4k
//! field: disk.read_bytes_per_s vda 4200000
//! ```
//! A platter, which the kernel's reckoning is for:
//! ```scene
//! machine: kernel=6.18.4
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 2560
//! ```
//! An array whose stripe is meant to be read whole:
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 1024
//! setting: optimal_io_size = 524288
//! ```
//!
//! ## Seen
//! On a live kernel: a virtual disk that says it spins, 8192 KiB under Linux 6.18, as a note; as a warning a loop device with as much, whose
//! disk read 430 times what faults through a mapping got.
//!
//! ## Sources
//! - Linux commit 459779d04ae8, "block: Improve read ahead size for rotational devices", 6.17
//! - Linux `block/blk-settings.c`, `blk_apply_bdi_limits`: twice the optimal I/O size
//! - 2 MiB is a proposal of this project: above what arrays have by their stripes, below what the reckoning gives.
//! - Azure/AKS issue 5743; actions/runner-images issue 13770: what it did to random loads

use crate::causes_help_queue::{
    amplification, configured, is_spinning, number, read_ahead, rotational, slower_than_direct,
};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use kernel::release::Release;
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_default_jumped",
    since: "0.1.0",
    summary: "a read-ahead of megabytes that comes from the kernel's own reckoning",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "somebody set it by hand: then it is gone after a boot",
        "the load is made of streams, which gain by it: then 128 KiB is slower in the experiment",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("read_ahead_kb=128,1024,8192")
            .rw("randread")
            .bs("16k")
            .buffered()
    }),
    contrast: None,
    knob: Some("read_ahead_kb"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// From here on it jumped, KiB.
const JUMPED_KIB: f64 = 2048.0;
/// First kernel that derives it from rotation.
const ROTATIONAL_SINCE: Release = Release(6, 17);
/// Read over asked for, as in `readahead_too_large`.
const TIMES: f64 = 2.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    // Only the value that acts matters: a layer above has its own.
    let acting = read_ahead(scene).filter(|(_, window)| window.name == "read_ahead_kb");
    acting
        .and_then(|(layer, _)| finding(scene, layer))
        .into_iter()
        .collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let setting = layer.setting("read_ahead_kb")?;
    let kib = setting.number().filter(|kib| *kib >= JUMPED_KIB)?;
    if configured(setting).next().is_some() {
        return None;
    }
    let kernel = scene.kernel()?;
    let optimal = number(layer, "optimal_io_size").unwrap_or(0.0);
    let why = if optimal * 2.0 >= kib * 1024.0 {
        format!(
            "twice its optimal I/O size of {} KiB",
            units::whole(optimal / 1024.0)
        )
    } else if kernel >= ROTATIONAL_SINCE && rotational(layer) == Some(true) {
        format!("it says that it spins, and kernel {kernel} reads far ahead then")
    } else {
        return None;
    };
    let times = amplification(scene);
    // A platter on a cable is what the kernel's reckoning is for.
    let is_meant = times.is_none() && is_spinning(scene, layer);
    if is_meant || times.is_some_and(|times| times <= TIMES) {
        return None;
    }
    let name = &layer.name;
    let start = format!(
        "{name} is read {kib} KiB ahead by the kernel's own reckoning ({why})",
        kib = units::whole(kib)
    );
    let (level, claim) = match times {
        Some(times) => (
            Level::Warning,
            format!(
                "{start}, and its disks read {times} times what random reads get.",
                times = units::decimals(times, 1)
            ),
        ),
        None => (
            Level::Note,
            format!("{start}; before, and on other disks, it is 128 KiB."),
        ),
    };
    let mut finding = found(level, name, claim)
        .shows("read_ahead_kb", kib)
        .shows("optimal_io_size", optimal)
        .shows(
            "rotational",
            rotational(layer).map_or("unknown", |spins| if spins { "1" } else { "0" }),
        )
        .shows("kernel", kernel.to_string())
        .refuted_by("random buffered reads are as fast and read as much with 128 KiB")
        .advise("Compare 128 KiB under your load, and keep what wins by a rule of udev.")
        .gains(times.map_or(0.2, |times| (times - 1.0).min(3.0) / 2.0));
    if let Some(times) = times {
        finding = finding
            .costs("buffered random reads", slower_than_direct(scene))
            .shows(
                "read by the disks",
                format!(
                    "{times} times what the load got",
                    times = units::decimals(times, 1)
                ),
            );
    }
    Some(finding)
}
