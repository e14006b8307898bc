//! # Read-ahead too small for streams from platters
//!
//! ## What it finds
//! A spinning disk with a read-ahead of 128 KiB or less, under several streams: direct ones that together reach less than eight
//! tenths of one, or buffered readers that keep the disk busy with requests of just that size. It is a warning for the latter.
//!
//! ## Why it matters
//! The head travels between streams once in every window. A window of 128 KiB takes a platter less than a millisecond and the way
//! to the next stream ten, so most of the time goes into travelling.
//!
//! ## What to try
//! 1 to 4 MiB. Linux 6.17 and later choose such a value for disks that spin; its commit measured 36 % more for eight readers with
//! reads of 1 MiB and 189 % more with reads of 128 KiB.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 128
//! probe: stream read=180@5ms bs=1m
//! probe: streams read=90@40ms bs=1m numjobs=4
//! expect: note says "50 % of one" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 128
//! field: disk.busy_percent sda 99
//! field: disk.size_read_bytes sda 131072
//! field: disk.read_bytes_per_s sda 40000000
//! expect: warning says "requests of 128 KiB" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 128
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 4096
//! probe: stream read=180@5ms bs=1m
//! probe: streams read=90@40ms bs=1m numjobs=4
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: read_ahead_kb = 128
//! field: disk.busy_percent sda 99
//! field: disk.size_read_bytes sda 131072
//! field: disk.read_bytes_per_s sda 500000000
//! ```
//! One stream, at the speed of the platter:
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: read_ahead_kb = 128
//! field: disk.busy_percent sda 99
//! field: disk.size_read_bytes sda 131072
//! field: disk.read_bytes_per_s sda 180000000
//! ```
//!
//! ## Seen
//! In the lab: `readahead_for_platters`, a disk that says that it spins, held to 60 reads a second as if its head travelled for
//! each, under four buffered readers: 8.7 MiB/s.
//!
//! ## Sources
//! - Linux commit 459779d04ae8, "block: Improve read ahead size for rotational devices", with its measurements
//! - 80 %, the tenth around the window and 100 MB/s are proposals of this project: disks of today stream more than that.

use crate::causes_help_queue::{is_spinning, number, streams};
use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_small_for_platters",
    since: "0.1.0",
    summary: "a spinning disk that travels between buffered streams because it reads little ahead",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the reads are random and direct and of that size by themselves: then read_ahead_kb changes nothing",
        "the scheduler mixes the streams: then bfq or mq-deadline helps with the same window",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("read_ahead_kb=128,1024,4096")
            .rw("read")
            .bs("128k")
            .numjobs(8)
            .buffered()
    }),
    contrast: None,
    knob: Some("read_ahead_kb"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Windows up to this are small for a platter, KiB.
const SMALL_KIB: f64 = 128.0;
/// Several streams below this share of one.
const FALL: f64 = 0.8;
/// A disk that is the limit, percent.
const BUSY_PERCENT: f64 = 80.0;
/// A platter that streams gives more than this, bytes a second.
const STREAMING: f64 = 100e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let disks = scene
        .disks()
        .into_iter()
        .filter(|disk| is_spinning(scene, disk));
    disks.filter_map(|disk| finding(scene, disk)).collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let kib = number(disk, "read_ahead_kb").filter(|kib| (1.0..=SMALL_KIB).contains(kib))?;
    let name = &disk.name;
    let production = scene.idle().and_then(|frame| travelling(frame, name, kib));
    let finding = match production {
        Some((size, rate)) => {
            let claim = format!(
                "{name} spins and is kept busy by requests of {} KiB, its read-ahead: it gives {} so.",
                units::whole(size / 1024.0),
                units::bytes_per_s(rate)
            );
            warning(name, claim)
                .shows("mean read", units::bytes(size))
                .gains(1.0)
        }
        None => {
            let (one, several) = streams(scene).filter(|(one, several)| *several < FALL * one)?;
            let claim = format!(
                "{name} spins and is read {kib} KiB ahead; several streams together reach {} of one.",
                units::percent_whole(several / one * 100.0),
                kib = units::whole(kib)
            );
            note(name, claim)
                .shows("one stream", units::bytes_per_s(one))
                .shows("several streams", units::bytes_per_s(several))
                .gains(0.36)
        }
    };
    let finding = finding
        .shows("read_ahead_kb", kib)
        .refuted_by("several buffered streams are no faster with 4096 KiB")
        .advise(
            "Compare 1024 and 4096 KiB under several buffered streams; random readers pay for large values.",
        );
    Some(finding)
}

/// Mean read size and rate of a disk whose buffered readers are limited by the read-ahead window and slowed by seeks.
fn travelling(frame: &Frame, disk: &str, kib: f64) -> Option<(f64, f64)> {
    let of = |id: &str| frame.get(id, disk);
    let (busy, size, rate) = (
        of("disk.busy_percent")?,
        of("disk.size_read_bytes")?,
        of("disk.read_bytes_per_s")?,
    );
    let is_window = (0.9..=1.1).contains(&(size / (kib * 1024.0)));
    (busy > BUSY_PERCENT && is_window && rate < STREAMING).then_some((size, rate))
}
