//! # Read-ahead too small for streams
//!
//! ## What it finds
//! A read-ahead of less than 32 KiB, or on a network file system less than one of its reads (`rsize`). It is a warning where one
//! buffered stream reached less than six tenths of a direct one.
//!
//! ## Why it matters
//! A buffered stream waits for the device once in every window. With windows of a page or none it is a latency test.
//!
//! ## What to try
//! 128 KiB, the kernel's default, and more for streams. For random reads of a database small values can be right, though 0 rarely is.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 0
//! expect: note says "0 KiB" about sda
//! ```
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 4
//! probe: stream read=500@2ms bs=1m
//! probe: buffered-stream read=60@16ms bs=1m
//! field: disk.size_read_bytes sda 4096
//! expect: warning says "12 % of a direct one" about sda
//! ```
//! ```scene
//! unbacked: nfs4 mount=/srv rsize=1048576
//! setting: bdi/read_ahead_kb = 128
//! expect: note says "less than one read" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! ```
//! Measured, and streams do not mind:
//! ```scene
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! probe: stream read=500@2ms bs=1m
//! probe: buffered-stream read=470@2ms bs=1m
//! ```
//! ```scene
//! unbacked: nfs4 mount=/srv rsize=1048576
//! setting: bdi/read_ahead_kb = 15360
//! ```
//!
//! ## Seen
//! On a live kernel: a loop device with a read-ahead of 0 (Linux 6.18): 13 MB/s buffered, 86 MB/s with 128 KiB, 1,600 MB/s direct.
//!
//! ## Sources
//! - Linux `mm/readahead.c`; `include/linux/pagemap.h`, `VM_READAHEAD_PAGES`: 128 KiB
//! - Linux commit c128e575514c, "NFS: Optimise the default readahead size", 5.4: from 15 reads down to 128 KiB
//! - Six tenths, nine tenths and 32 KiB are proposals of this project.

use crate::causes_help_queue::read_ahead;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::proposal::TuneProposal;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_too_small",
    since: "0.1.0",
    summary: "so little read-ahead that buffered streams wait for every few pages",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "copying from the page cache takes the CPU that the stream runs on: then that CPU is full, and a larger window changes nothing",
        "the file lies in pieces: then a direct stream of the same file is slow too",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("read_ahead_kb=0,128,1024")
            .rw("read")
            .bs("128k")
            .buffered()
    }),
    contrast: None,
    knob: Some("read_ahead_kb"),
    explains: &[TimePlace::PageCache],
    yields_to: &[],
    judge,
};

/// Below this a window is small, KiB.
const SMALL_KIB: f64 = 32.0;
/// A buffered stream below this share of a direct one waits.
const FALL: f64 = 0.6;
/// From this share on nothing is amiss.
const FINE: f64 = 0.9;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let (layer, window) = read_ahead(scene)?;
    let kib = window.number()?;
    let one_read = layer.number("rsize").map(|bytes| bytes / 1024.0);
    if kib >= SMALL_KIB && one_read.is_none_or(|one| kib >= one) {
        return None;
    }
    let rate = |role| {
        scene
            .probe(role)
            .map(Probe::bytes_per_s)
            .filter(|rate| *rate > 0.0)
    };
    let rates = rate(Role::Stream).zip(rate(Role::BufferedStream));
    if rates.is_some_and(|(direct, buffered)| buffered >= FINE * direct) {
        return None;
    }
    let slow = rates.filter(|(direct, buffered)| *buffered < FALL * direct);
    let name = &layer.name;
    let (level, claim) = match (slow, one_read) {
        (Some((direct, buffered)), _) => {
            let percent = buffered / direct * 100.0;
            let claim = format!(
                "{name} is read {kib} KiB ahead: a buffered stream reaches {percent} of a direct one.",
                kib = units::whole(kib),
                percent = units::percent_whole(percent)
            );
            (Level::Warning, claim)
        }
        (None, Some(one)) if kib < one => {
            let claim = format!(
                "{name} is read {kib} KiB ahead, less than one read of {one} KiB.",
                kib = units::whole(kib),
                one = units::whole(one)
            );
            (Level::Note, claim)
        }
        _ => (
            Level::Note,
            format!(
                "{name} is read {kib} KiB ahead: streams wait for every few pages.",
                kib = units::whole(kib)
            ),
        ),
    };
    let mut finding = found(level, name, claim)
        .shows(&window.name, kib)
        .refuted_by("a buffered stream is no faster with 128 KiB and more")
        .advise("Compare 128 KiB and more under streams; files opened before keep the old value.")
        .gains(slow.map_or(0.2, |(direct, buffered)| (direct / buffered - 1.0).min(3.0)));
    if let Some((direct, buffered)) = slow {
        finding = finding
            .costs("buffered stream", 1.0 - buffered / direct)
            .shows("direct stream", units::bytes_per_s(direct))
            .shows("buffered stream", units::bytes_per_s(buffered));
    }
    Some(finding)
}
