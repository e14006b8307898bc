//! # Read-ahead that nobody uses
//!
//! ## What it finds
//! Disks that read more than twice what a random buffered load gets of them, with a read-ahead of 64 KiB and more. Of production it
//! notes a process that makes the disks read more than twice what it asks for.
//!
//! Calls at random read nothing ahead, faults through a mapping always do. So it notes a window that somebody made larger than the
//! kernel's own and that takes the disk as long as ten random reads.
//!
//! ## Why it matters
//! The device moves bytes that nobody wants, they push wanted ones out of the page cache, and each small read takes as long as a
//! large one.
//!
//! ## What to try
//! Smaller `read_ahead_kb`, about four times the size of the reads: in a published case 16 KiB was best for reads of 4 KiB, 44 %
//! above 128 KiB together with spread interrupts, and 0 was worse than either. Programs can say `posix_fadvise(RANDOM)` or
//! `madvise(RANDOM)` by themselves, which costs streams nothing.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! setting: read_ahead_kb = 4096
//! probe: buffered-random read=1000@1ms bs=4k
//! field: disk.read_bytes_per_s sda 32000000
//! expect: warning says "7.8 times" about sda
//! ```
//! The bdi of the file system acts, not the queue's:
//! ```scene
//! filesystem: btrfs mount=/srv options=rw,relatime
//! setting: bdi/read_ahead_kb = 4096
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! probe: buffered-random read=1000@1ms bs=4k
//! field: disk.read_bytes_per_s sda 20480000
//! expect: warning says "5.0 times" about /srv
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! field: process.read_bytes_per_s 812_mysqld 120000000
//! field: process.asked_read_bytes_per_s 812_mysqld 20000000
//! field: vm.major_faults_per_s 3
//! expect: note says "6.0 times what it asks for" about sda
//! ```
//!
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: read_ahead_kb = 16384
//! default: read_ahead_kb = 128
//! probe: latency read=5000@200us
//! probe: stream read=400@2ms bs=1m
//! probe: buffered-random read=1000@1ms bs=16k
//! field: disk.read_bytes_per_s sda 16384000
//! expect: note says "through a mapping" says "random reads" about sda
//! ```
//!
//! ## Stays silent
//! On platters as much is read in the time of few random reads:
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 4096
//! default: read_ahead_kb = 128
//! probe: latency read=100@10ms
//! probe: stream read=180@5ms bs=1m
//! ```
//! The kernel's own choice for this device:
//! ```scene
//! disk: vda transport=virtio
//! setting: read_ahead_kb = 8192
//! default: read_ahead_kb = 8192
//! probe: latency read=5000@200us
//! probe: stream read=400@2ms bs=1m
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 4096
//! probe: buffered-random read=1000@1ms bs=4k
//! field: disk.read_bytes_per_s sda 4300000
//! ```
//! Others read meanwhile, and did before:
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! field: disk.read_bytes_per_s sda 30000000
//! probe: buffered-random read=1000@1ms bs=4k
//! field: disk.read_bytes_per_s sda 34000000
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 0
//! probe: buffered-random read=1000@1ms bs=4k
//! field: disk.read_bytes_per_s sda 32000000
//! ```
//!
//! ## Seen
//! On a live kernel: faults through a mapping of a loop device with 8192 KiB (Linux 6.18), 430 times. Calls at random read nothing ahead
//! there, whatever the value.
//!
//! ## Sources
//! - Linux `mm/readahead.c`, `mm/filemap.c` (`do_sync_mmap_readahead` reads a whole window around every fault)
//! - posix_fadvise(2); Azure/AKS issue 5743: 64 MiB of read-ahead under random reads
//! - Twice is a proposal of this project: a file's own metadata reads stay well below. So are the ten random reads that a window
//!   may cost: a platter of today reads 2 MiB in the time of one, and 4 MiB are the largest value in common advice for it.

use crate::causes_help_queue::{amplification, read_ahead, slower_than_direct};
use crate::finding::{With, found, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::iopath::{Layer, Setting};
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_too_large",
    since: "0.1.0",
    summary: "disks that read far more than random buffered reads get of them",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "someone else reads from the disks: then the bytes stay with read_ahead_kb 0",
        "the file system reads whole records or extents (compression, encryption, checksums): then read_ahead_kb changes nothing",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("read_ahead_kb=0,16,32,64,128")
            .rw("randread")
            .bs("4k")
            .buffered()
    }),
    contrast: None,
    knob: Some("read_ahead_kb"),
    explains: &[],
    yields_to: &["readahead_default_jumped"],
    judge,
};

/// Read over asked for, from which it is amplification.
const TIMES: f64 = 2.0;
/// What kernels give for decades, KiB, and from how much on even that is certainly too large here.
const USUAL_KIB: f64 = 128.0;
const CERTAIN_TIMES: f64 = 6.0;
/// A smaller window cannot be the reason, KiB.
const LEAST_KIB: f64 = 64.0;
/// A window that takes as long as this many random reads is a burden to every fault.
const READS: f64 = 10.0;
/// Production that reads less is not worth a word, bytes a second.
const BUSY: f64 = 5e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some((layer, window)) = read_ahead(scene) else {
        return Vec::new();
    };
    let Some(kib) = window.number().filter(|kib| *kib >= LEAST_KIB) else {
        return Vec::new();
    };
    let measured = amplification(scene).map(|times| measured(scene, layer, kib, times));
    // A measurement of our own decides; production is looked at where there is none.
    let seen = measured.unwrap_or_else(|| production(scene, layer, kib));
    seen.or_else(|| burden(scene, layer, window, kib))
        .into_iter()
        .collect()
}

/// What a fault through a mapping costs with a window that is not the kernel's own.
fn burden(scene: &Scene<'_>, layer: &Layer, window: &Setting, kib: f64) -> Option<Finding> {
    let usual = window
        .default
        .as_ref()
        .and_then(|default| default.value.parse().ok())
        .unwrap_or(0.0);
    let stream = scene
        .probe(Role::Stream)
        .map(Probe::bytes_per_s)
        .filter(|rate| *rate > 0.0)?;
    let single_us = scene
        .probe(Role::Latency)?
        .mean_us()
        .filter(|us| *us > 0.0)?;
    let window_us = kib * 1024.0 / stream * 1e6;
    let reads = window_us / single_us;
    if kib <= f64::max(usual, USUAL_KIB) || reads < READS {
        return None;
    }
    let claim = format!(
        "A fault through a mapping reads {} around it: {} of the disk's time, as much as {reads} random reads take.",
        units::bytes(kib * 1024.0),
        units::duration_ns(window_us * 1e3),
        reads = units::whole(reads)
    );
    let finding = note(&layer.name, claim)
        .shows("read_ahead_kb", kib)
        .shows("one stream", units::bytes_per_s(stream))
        .shows("one random read", units::duration_ns(single_us * 1e3))
        .refuted_by("nothing on this file system reads through mappings, or what does advises RANDOM")
        .advise("Compare smaller values where databases or search engines map their files; streams are content with less.")
        .gains(0.2);
    Some(finding)
}

fn measured(scene: &Scene<'_>, layer: &Layer, kib: f64, times: f64) -> Option<Finding> {
    if times <= TIMES {
        return None;
    }
    let claim = format!(
        "Random buffered reads make the disks read {times} times what they get.",
        times = units::decimals(times, 1)
    );
    // Short loads on small scratch come near their own cached blocks, where the kernel takes them for a stream: up to the
    // usual window that is no certain loss.
    let level = if kib > USUAL_KIB || times > CERTAIN_TIMES {
        Level::Warning
    } else {
        Level::Note
    };
    let finding = found(level, &layer.name, claim)
        .shows("read_ahead_kb", kib)
        .shows("read by the disks", format!("{times} times what the load got", times = units::decimals(times, 1)))
        .refuted_by("the disks read as much with read_ahead_kb 0")
        .advise("Compare smaller values, about four times the size of the reads; files opened before keep the old one.")
        .costs("buffered random reads", slower_than_direct(scene))
        .gains((times - 1.0).min(3.0) / 2.0);
    Some(finding)
}

fn production(scene: &Scene<'_>, layer: &Layer, kib: f64) -> Option<Finding> {
    let frame = scene.idle()?;
    // Reads through a mapping are asked for by faults, not by calls.
    let faulted = frame.get("vm.major_faults_per_s", "")? * 4096.0;
    let (process, read, asked) =
        frame
            .each("process.read_bytes_per_s")
            .find_map(|(process, read)| {
                let asked = frame.get("process.asked_read_bytes_per_s", process)? + faulted;
                (read > BUSY && read > TIMES * asked).then_some((process, read, asked))
            })?;
    let times = read / asked.max(1.0);
    let claim = format!(
        "{process} makes the disks read {times} times what it asks for.",
        times = units::decimals(times, 1)
    );
    let finding = note(&layer.name, claim)
        .shows("read_ahead_kb", kib)
        .shows("read for it", units::bytes_per_s(read))
        .shows("asked for", units::bytes_per_s(asked))
        .refuted_by("as much is read for it with read_ahead_kb 0 and files opened anew")
        .advise("Compare smaller values under this load, or let the program advise RANDOM.")
        .gains(0.3);
    Some(finding)
}
