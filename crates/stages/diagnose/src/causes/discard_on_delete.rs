//! # Discards in the way of reads
//!
//! ## What it finds
//! A file system mounted with `discard`, and discards that take a tenth of the time and more, with reads beside them that take three
//! times as long as alone. On SATA, where most disks cannot queue a TRIM, it notes the option by itself.
//!
//! ## Why it matters
//! Each deletion sends discards at once. A TRIM that is not queued waits until the disk is empty and everything else waits for it.
//!
//! ## What to try
//! `fstrim.timer` once a week in place of the option; a smaller `discard_max_bytes` cuts a discard into shorter ones; btrfs has
//! `discard=async`.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,discard
//! disk: sda transport=sata rotational=0
//! expect: note says "TRIM" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,discard
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.discards_per_s nvme0n1 40
//! field: disk.await_discard_ms nvme0n1 25
//! field: disk.await_read_ms nvme0n1 4
//! probe: latency read=9000@100us
//! field: disk.await_read_ms nvme0n1 0.1
//! expect: warning says "40 discards a second" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,discard
//! disk: vda transport=virtio
//! ```
//! ```scene
//! filesystem: btrfs mount=/srv options=rw,relatime,discard=async
//! disk: sda transport=sata rotational=0
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,discard
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.discards_per_s nvme0n1 40
//! field: disk.await_discard_ms nvme0n1 0.5
//! field: disk.await_read_ms nvme0n1 0.1
//! probe: latency read=9000@100us
//! field: disk.await_read_ms nvme0n1 0.1
//! ```
//! Large reads of several streams take long by their nature:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,discard
//! disk: vda transport=virtio
//! probe: latency read=9000@100us
//! field: disk.await_read_ms vda 0.1
//! probe: streams read=900@16ms bs=1m
//! field: disk.discards_per_s vda 5
//! field: disk.await_discard_ms vda 25
//! field: disk.await_read_ms vda 16
//! ```
//!
//! ## Seen
//! In the lab: `discard_mounted`, as a note; no disk here or there takes long for a discard, which the warning needs.
//!
//! ## Sources
//! - ext4(5), xfs(5), btrfs(5), `discard`; fstrim(8); Linux `Documentation/ABI/stable/sysfs-block`, `discard_max_bytes`
//! - Linux `drivers/ata/libata-core.c`, `ATA_QUIRK_NO_NCQ_TRIM`: disks whose queued TRIM is switched off
//! - A tenth of the time and threefold are proposals of this project.

use crate::causes_help_queue::mounted_with;
use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "discard_on_delete",
    since: "0.1.0",
    summary: "discards at every deletion, which reads wait for",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the writes that come with the deletions slow the reads: then reads are slow without discards too",
        "another program trims (fstrim, LVM issue_discards): then discards go on after a remount without the option",
    ],
    experiment: Experiment::Line(
        "iodyno watch # disk.await_read_ms under the same deletions, before and after mount -o remount,nodiscard {device}",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Time in discards, ms in a second.
const BUSY_MS: f64 = 100.0;
/// Reads take this many times as long.
const GROWTH: f64 = 3.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let mounted = scene
        .of_kind(LayerKind::FileSystem)
        .filter(|layer| mounted_with(layer, "discard"));
    mounted.filter_map(|layer| finding(scene, layer)).collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let disks = || {
        layer
            .walk()
            .into_iter()
            .filter(|below| below.kind == LayerKind::Disk)
    };
    if let Some(measured) = disks().find_map(|disk| measured(scene, layer, disk)) {
        return Some(measured);
    }
    let is_sata = |disk: &Layer| {
        disk.fact("transport") == Some("sata") && disk.fact("rotational") == Some("0")
    };
    let disk = disks().find(|disk| is_sata(disk))?;
    let claim = format!(
        "{} discards at every deletion, and {} is a SATA disk, most of which stop everything for a TRIM.",
        layer.name, disk.name
    );
    let finding = note(&layer.name, claim)
        .shows("options", layer.fact("options").unwrap_or_default())
        .refuted_by("reads take no longer while large files are deleted")
        .advise("Trim once a week with fstrim.timer in place of the option.")
        .gains(0.05);
    Some(finding)
}

fn measured(scene: &Scene<'_>, layer: &Layer, disk: &Layer) -> Option<Finding> {
    let reads = |frame: &Frame| frame.get("disk.await_read_ms", &disk.name);
    // A stream's reads are large and wait for each other: beside discards or not, they take longer than single small ones.
    let is_alike = |role: &Role| matches!(role, Role::Idle | Role::Latency | Role::BufferedRandom);
    let alike = || scene.frames().filter(move |(role, _)| is_alike(role));
    let alone = alike()
        .filter_map(|(_, frame)| reads(frame))
        .min_by(f64::total_cmp)?;
    let (rate, await_ms, beside) = alike().find_map(|(_, frame)| {
        let of = |id: &str| frame.get(id, &disk.name);
        let (rate, await_ms) = (of("disk.discards_per_s")?, of("disk.await_discard_ms")?);
        let beside = reads(frame)?;
        (rate * await_ms >= BUSY_MS && beside > GROWTH * alone).then_some((rate, await_ms, beside))
    })?;
    let ms = |ms: f64| units::duration_ns(ms * 1e6);
    let claim = format!(
        "{} sends {rate} discards a second of {} each, and reads beside them take {} in place of {}.",
        layer.name,
        ms(await_ms),
        ms(beside),
        ms(alone),
        rate = units::whole(rate)
    );
    let finding = warning(&layer.name, claim)
        .shows("disk.discards_per_s", units::whole(rate))
        .shows("disk.await_discard_ms", units::decimals(await_ms, 2))
        .shows("disk.await_read_ms", format!("{alone} and {beside}", alone = units::decimals(alone, 2), beside = units::decimals(beside, 2)))
        .refuted_by("reads are as slow when the file system is mounted without discard")
        .advise("Trim once a week with fstrim.timer in place of the option, or lower discard_max_bytes.")
        .costs("reads beside discards", 1.0 - alone / beside)
        .gains((beside / alone - 1.0).min(2.0));
    Some(finding)
}
