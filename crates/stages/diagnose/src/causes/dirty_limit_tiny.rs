//! # A limit of dirty pages that is too small
//!
//! ## What it finds
//! A limit below 4 MiB, or one below 64 MiB that the disk writes in less than a quarter of a second. It is also a warning where
//! buffered writes reached less than seven tenths of direct ones at such a limit.
//!
//! ## Why it matters
//! Writers are paced from the middle of a few pages on: each waits for the disk after every small piece, neighbours are not joined,
//! and pages that are written twice go out twice. The limit is shared by all programs and devices of the machine.
//!
//! ## What to try
//! Two to five seconds of what the disk writes, or `vm.dirty_bytes=0` with `vm.dirty_ratio=20`, the kernel's default.
//!
//! ## Example
//! ```scene
//! setting: vm.dirty_bytes = 1048576
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! expect: warning says "1.00 MiB"
//! ```
//! ```scene
//! setting: vm.dirty_bytes = 16777216
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! probe: write-stream write=400@2ms bs=1m
//! probe: buffered-write write=150@6ms bs=1m
//! expect: warning says "38 %"
//! ```
//! ```scene
//! setting: vm.dirty_bytes = 33554432
//! filesystem: ext4 mount=/srv
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: write-stream write=2000@500us bs=1m
//! expect: note says "16.0 ms"
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: memory_bytes=8g
//! setting: vm.dirty_bytes = 0
//! setting: vm.dirty_ratio = 20
//! disk: sda transport=sata
//! ```
//! The default on a small machine:
//! ```scene
//! machine: memory_bytes=256m
//! setting: vm.dirty_bytes = 0
//! setting: vm.dirty_ratio = 20
//! disk: sda transport=sata
//! probe: write-stream write=400@2ms bs=1m
//! probe: buffered-write write=150@6ms bs=1m
//! ```
//! ```scene
//! setting: vm.dirty_bytes = 536870912
//! disk: sda transport=sata
//! probe: write-stream write=400@2ms bs=1m
//! probe: buffered-write write=150@6ms bs=1m
//! ```
//! Measured, and it does no harm here:
//! ```scene
//! setting: vm.dirty_bytes = 16777216
//! disk: sda transport=sata
//! probe: write-stream write=400@2ms bs=1m
//! probe: buffered-write write=390@2ms bs=1m
//! ```
//!
//! ## Seen
//! In the lab: a guest with `vm.dirty_bytes` 65536 wrote 3 MiB/s buffered, and 157 MiB/s with the default; 313 MiB/s direct.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_bytes`; `mm/page-writeback.c`, `balance_dirty_pages`
//! - 4 MiB, 64 MiB and a quarter of a second are proposals of this project: one request of the flusher is 4 MiB and more.

use crate::causes_help_queue::{
    BUFFERED_FINE, BUFFERED_SLOW, buffered_share, configured, dirty_limit, write_rate,
};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Setting;
use model::proposal::TuneProposal;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "dirty_limit_tiny",
    since: "0.1.0",
    summary: "so few pages may be dirty that every buffered writer waits for the disk",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "writeback throttling holds the writes back: then many pages are dirty meanwhile, and wbt_lat_usec 0 helps",
        "the file system allocates while it writes: then a file that is written over is fast at the same limit",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("vm.dirty_bytes")
            .rw("write")
            .bs("1m")
            .buffered()
            .budget("20m")
    }),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Writeback],
    yields_to: &[],
    judge,
};

/// Certain to be too small, bytes.
const TINY: f64 = 4.0 * 1048576.0;
/// Small enough to be the reason, bytes.
const SMALL: f64 = 64.0 * 1048576.0;
/// A ratio below this was chosen by somebody, percent; 0 stands beside bytes.
const LOW_RATIO: f64 = 5.0;
/// Written in less than this, it cannot keep the disk busy, s.
const SHORT_S: f64 = 0.25;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let set = |name: &str| scene.path.machine_setting(name).and_then(Setting::number);
    // A share of little memory is small too, and nobody's mistake.
    let is_chosen = set("vm.dirty_bytes").is_some_and(|bytes| bytes > 0.0)
        || set("vm.dirty_ratio").is_some_and(|ratio| ratio < LOW_RATIO);
    let limit = dirty_limit(scene).filter(|limit| is_chosen && *limit < SMALL && *limit > 0.0)?;
    let share = buffered_share(scene);
    if share.is_some_and(|share| share >= BUFFERED_FINE) {
        return None;
    }
    let seconds = write_rate(scene).map(|rate| limit / rate);
    let slow = share.filter(|share| *share < BUFFERED_SLOW);
    let is_short = seconds.is_some_and(|seconds| seconds < SHORT_S);
    if limit >= TINY && slow.is_none() && !is_short {
        return None;
    }
    let start = format!("Every writer waits when {} are dirty", units::bytes(limit));
    let claim = match (slow, seconds) {
        (Some(share), _) => {
            format!(
                "{start}: buffered writes reach {} of direct ones.",
                units::share(share)
            )
        }
        (None, Some(seconds)) => {
            format!(
                "{start}, which is {} of this disk's writing.",
                units::duration_ns(seconds * 1e9)
            )
        }
        (None, None) => format!("{start}; by default it is a fifth of the memory."),
    };
    let level = if limit < TINY || slow.is_some() {
        Level::Warning
    } else {
        Level::Note
    };
    let section = scene.file_system().map_or("", |layer| layer.name.as_str());
    let mut finding = found(level, section, claim)
        .shows("dirty limit", units::bytes(limit))
        .refuted_by("buffered writes are no faster with a limit of 512 MiB")
        .advise(
            // 0 cannot be written to dirty_bytes; a ratio takes its place (mm/page-writeback.c, dirty_bytes_handler).
            format!(
                "sudo iodyno set vm.dirty_ratio=20 {} # the kernel's default; or raise vm.dirty_bytes to some seconds of the disk's \
                 writing",
                scene.path.as_argument()
            ),
        )
        .gains(slow.map_or(0.5, |share| (1.0 / share - 1.0).min(3.0)));
    if let Some(share) = slow {
        finding = finding.costs("buffered writes", 1.0 - share);
    }
    let setting = scene.path.machine_setting("vm.dirty_bytes");
    if let Some(owner) = setting.and_then(|setting| configured(setting).last()) {
        finding = finding.shows("set by", &owner.place);
    }
    Some(finding)
}
