//! # Read-ahead that nobody uses
//!
//! ## What it finds
//! Disks that read more than twice what a random buffered load gets of them, with a read-ahead of 64 KiB and more. Of production it
//! notes a process that makes the disks read more than twice what it asks for.
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
//! ## Stays silent
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
//! - Twice is a proposal of this project: a file's own metadata reads stay well below.

use crate::diagnose::causes_help_queue::{amplification, read_ahead};
use crate::diagnose::finding::{With, found, note};
use crate::diagnose::{Cause, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
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
    experiment: "iodyno tune {target} --rw randread --bs 4k --direct 0 --knob read_ahead_kb=0,16,32,64,128",
    knob: Some("read_ahead_kb"),
    judge,
};

/// Read over asked for, from which it is amplification.
const TIMES: f64 = 2.0;
/// What kernels give for decades, KiB, and from how much on even that is certainly too large here.
const USUAL_KIB: f64 = 128.0;
const CERTAIN_TIMES: f64 = 6.0;
/// A smaller window cannot be the reason, KiB.
const LEAST_KIB: f64 = 64.0;
/// Production that reads less is not worth a word, bytes a second.
const BUSY: f64 = 5e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some((layer, window)) = read_ahead(scene) else { return Vec::new() };
    let Some(kib) = window.number().filter(|kib| *kib >= LEAST_KIB) else { return Vec::new() };
    let measured = amplification(scene).map(|times| measured(layer, kib, times));
    // A measurement of our own decides; production is looked at where there is none.
    measured.unwrap_or_else(|| production(scene, layer, kib)).into_iter().collect()
}

fn measured(layer: &Layer, kib: f64, times: f64) -> Option<Finding> {
    if times <= TIMES {
        return None;
    }
    let claim = format!("Random buffered reads make the disks read {times:.1} times what they get.");
    // Short loads on small scratch come near their own cached blocks, where the kernel takes them for a stream: up to the
    // usual window that is no certain loss.
    let level = if kib > USUAL_KIB || times > CERTAIN_TIMES { Level::Warning } else { Level::Note };
    let finding = found(level, &layer.name, claim)
        .shows("read_ahead_kb", kib)
        .shows("read by the disks", format!("{times:.1} times what the load got"))
        .refuted_by("the disks read as much with read_ahead_kb 0")
        .advise("Compare smaller values, about four times the size of the reads; files opened before keep the old one.")
        .gains((times - 1.0).min(3.0) / 2.0);
    Some(finding)
}

fn production(scene: &Scene<'_>, layer: &Layer, kib: f64) -> Option<Finding> {
    let frame = scene.idle()?;
    // Reads through a mapping are asked for by faults, not by calls.
    let faulted = frame.get("vm.major_faults_per_s", "")? * 4096.0;
    let (process, read, asked) = frame.each("process.read_bytes_per_s").find_map(|(process, read)| {
        let asked = frame.get("process.asked_read_bytes_per_s", process)? + faulted;
        (read > BUSY && read > TIMES * asked).then_some((process, read, asked))
    })?;
    let times = read / asked.max(1.0);
    let claim = format!("{process} makes the disks read {times:.1} times what it asks for.");
    let finding = note(&layer.name, claim)
        .shows("read_ahead_kb", kib)
        .shows("read for it", units::bytes_per_s(read))
        .shows("asked for", units::bytes_per_s(asked))
        .refuted_by("as much is read for it with read_ahead_kb 0 and files opened anew")
        .advise("Compare smaller values under this load, or let the program advise RANDOM.")
        .gains(0.3);
    Some(finding)
}
