//! # Encryption that hands each I/O to another thread
//!
//! ## What it finds
//! A dm-crypt volume without `no_read_workqueue` and `no_write_workqueue` above a disk that answers in microseconds. It is a note: what
//! the queues cost depends on the CPU's instructions for the cipher.
//!
//! ## Why it matters
//! dm-crypt passes reads and writes through kernel threads, which was made for slow disks and ciphers in software. On fast flash with AES instructions the
//! way through the threads takes longer than the cipher.
//!
//! ## What to try
//! `cryptsetup refresh --perf-no_read_workqueue --perf-no_write_workqueue NAME`, which can be done while the volume is in use.
//!
//! ## Example
//! ```scene
//! stacked: dm-0 stack=encrypted mapping=crypt cipher=aes-xts-plain64
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! expect: note says "through kernel threads" about dm-0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: dm-0 stack=encrypted mapping=crypt crypt_flags=no__read__workqueue_no__write__workqueue
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! ```
//! ```scene
//! stacked: dm-0 stack=encrypted mapping=crypt
//! disk: sda transport=sata rotational=1
//! ```
//! ```scene
//! machine: kernel=5.4.0
//! stacked: dm-0 stack=encrypted mapping=crypt
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! ```
//!
//! ## Seen
//! In the lab: `crypt_workqueues`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/device-mapper/dm-crypt.rst`, `no_read_workqueue` (5.9 and later)
//! - Korchagin, "Speeding up Linux disk encryption", Cloudflare, 2020

use crate::finding::{With, note};
use crate::{Cause, Experiment, Medium, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::time_account::TimePlace;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "encryption_in_workqueues",
    since: "0.1.0",
    summary: "dm-crypt on fast flash passes each I/O through kernel threads",
    level: Level::Note,
    risk: Risk::CostsLatency,
    competing: &[
        "the cipher itself takes the time: `cryptsetup benchmark` gives its rate, and a rate near the volume's decides",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} # before and after cryptsetup refresh --perf-no_read_workqueue --perf-no_write_workqueue on {device}'s name",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Mapping],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    // The flags came with 5.9.
    let has_flags = scene.kernel().is_none_or(|version| version.at_least(5, 9));
    scene
        .of_kind(LayerKind::Stacked)
        .filter(|_| has_flags)
        .filter_map(|volume| finding(scene, volume))
        .collect()
}

fn finding(scene: &Scene<'_>, volume: &Layer) -> Option<Finding> {
    let is_crypt = volume.fact("mapping") == Some("crypt");
    let flags = volume.fact("crypt_flags").unwrap_or_default();
    let disk = volume
        .walk()
        .into_iter()
        .find(|layer| layer.kind == LayerKind::Disk)?;
    let is_fast = scene.medium_of(disk) == Some(Medium::Nvme);
    (is_crypt && is_fast && !flags.contains("no_read_workqueue")).then(|| {
        let name = &volume.name;
        note(name, format!("{name} passes each I/O through kernel threads to encrypt it; {} is fast enough to do without.", disk.name))
            .shows("crypt_flags", if flags.is_empty() { "none" } else { flags })
            .refuted_by("latency at depth 1 is the same without the queues")
            .advise("Try the volume without the two work queues.")
            .gains(0.2)
    })
}
