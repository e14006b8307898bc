//! # Writers at the limit of dirty pages
//!
//! ## What it finds
//! Dirty pages, those being written included, above the middle between background threshold and limit, by the work of others: seen
//! before a check loads anything, or while it only reads. A control group that made half of them and more is named: all others wait
//! for its write-back.
//!
//! ## Why it matters
//! From there on every process that writes is made to wait in balance_dirty_pages, whatever disk it writes to. A buffered
//! write is then as slow as the device, and the waits come in lumps.
//!
//! ## What to try
//! A limit of some seconds of what the disk writes (`vm.dirty_bytes`, `vm.dirty_background_bytes` a quarter of it) makes the waits short and
//! even; more bandwidth makes them go. A larger ratio postpones them and makes them longer.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! field: memory.dirty_bytes 2000000000
//! field: memory.writeback_bytes 500000000
//! field: memory.dirty_threshold_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1500000000
//! expect: warning says "2.33 GiB"
//! ```
//! ```scene
//! disk: sda transport=sata
//! probe: depth read=9000@1ms
//! field: memory.dirty_bytes 2500000000
//! field: memory.dirty_threshold_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1500000000
//! field: vm.dirtied_bytes_per_s 400000000
//! field: vm.written_bytes_per_s 120000000
//! expect: warning says "written at 114 MiB/s"
//! ```
//! One container writes, and the others wait:
//! ```scene
//! disk: sda transport=sata
//! field: memory.dirty_bytes 2600000000
//! field: memory.dirty_threshold_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1500000000
//! field: cgroup.dirty_bytes docker 2300000000
//! field: cgroup.dirty_bytes docker/4f 2200000000
//! field: cgroup.dirty_bytes docker/5a 100000000
//! expect: warning says "85 % of them are docker/4f's"
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! field: memory.dirty_bytes 2000000000
//! field: memory.dirty_threshold_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1500000000
//! ```
//! Left over, and nobody makes more:
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=9000@1ms
//! field: memory.dirty_bytes 2900000000
//! field: memory.dirty_threshold_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1500000000
//! field: vm.dirtied_bytes_per_s 40000
//! ```
//! Our own buffered load fills it on purpose:
//! ```scene
//! disk: sda transport=sata
//! probe: buffered-write write=9000@1ms
//! field: memory.dirty_bytes 2900000000
//! field: memory.dirty_threshold_bytes 3000000000
//! field: memory.dirty_background_threshold_bytes 1500000000
//! ```
//!
//! ## Seen
//! In the lab: `dirty_limit_filled`.
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `dirty_freerun_ceiling`, `balance_dirty_pages`
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_bytes`, `dirty_background_bytes`
//! - Some seconds of bandwidth is a proposal of this project: what a writer may be kept waiting and a crash may lose.

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::proposal::TuneProposal;
use model::text::short_group;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "dirty_limit_reached",
    since: "0.1.0",
    summary: "writers of this machine that wait because too many pages are dirty",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "a single slow device holds the dirty pages: then `iodyno watch` shows bdi.dirty_bytes of that device near the whole",
        "a limit that is tiny: then few pages are dirty, and vm.dirty_bytes says so",
        "a control group's memory limit, which scales the limit down: then cgroup.dirty_bytes is near its share",
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

/// Who has this share of the dirty pages is whom the others wait for.
const MOST: f64 = 0.5;
/// Others make at least this dirty, bytes a second.
const OTHERS: f64 = 5e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let is_theirs = |role: Role| {
        matches!(
            role,
            Role::Idle | Role::Latency | Role::Depth | Role::Stream | Role::Streams
        )
    };
    let mut frames = scene.frames().filter(|(role, _)| is_theirs(*role));
    frames
        .find_map(|(_, frame)| finding(frame))
        .into_iter()
        .collect()
}

fn finding(frame: &Frame) -> Option<Finding> {
    let of = |id: &str| frame.get(id, "");
    let dirty = of("memory.dirty_bytes")? + of("memory.writeback_bytes").unwrap_or(0.0);
    let limit = of("memory.dirty_threshold_bytes")?;
    let background = of("memory.dirty_background_threshold_bytes")?;
    let free_run = (limit + background) / 2.0;
    // What a load of ours left behind is not made any more.
    let is_over = of("vm.dirtied_bytes_per_s").is_some_and(|dirtied| dirtied < OTHERS);
    if dirty <= free_run || limit <= 0.0 || is_over {
        return None;
    }
    let rates = of("vm.dirtied_bytes_per_s").zip(of("vm.written_bytes_per_s"));
    let pace = rates.map_or(String::new(), |(dirtied, written)| {
        let (dirtied, written) = (units::bytes_per_s(dirtied), units::bytes_per_s(written));
        format!(" They are made at {dirtied} and written at {written}.")
    });
    let theirs = largest_group(frame, dirty).map_or(String::new(), |(group, share)| {
        let (share, group) = (units::share(share), short_group(group));
        format!(" {share} of them are {group}'s, and writers of every other group wait for its write-back.")
    });
    let claim = format!(
        "{} of pages are dirty or being written, above the {} from which every writer waits.{pace}{theirs}",
        units::bytes(dirty),
        units::bytes(free_run)
    );
    let finding = warning("", claim)
        .shows("dirty and being written", units::bytes(dirty))
        .shows("memory.dirty_threshold_bytes", units::bytes(limit))
        .shows("memory.dirty_background_threshold_bytes", units::bytes(background))
        .refuted_by("no process is found in balance_dirty_pages (/proc/PID/stack)")
        .advise("Size vm.dirty_bytes to some seconds of what the disk writes, or find who writes so much.")
        .gains(0.5);
    Some(finding)
}

/// The control group that has most of the dirty pages itself, and its share: a group above others counts theirs as well.
fn largest_group(frame: &Frame, dirty: f64) -> Option<(&str, f64)> {
    let of = |group: &str| {
        let bytes = |id: &str| frame.get(id, group).unwrap_or(0.0);
        bytes("cgroup.dirty_bytes") + bytes("cgroup.writeback_bytes")
    };
    let groups = frame.each("cgroup.dirty_bytes").map(|(group, _)| group);
    let large = groups
        .filter(|group| !group.trim_matches('/').is_empty())
        .map(|group| (group, (of(group) / dirty).min(1.0)))
        .filter(|(_, share)| *share >= MOST);
    large.max_by_key(|(group, _)| group.len())
}
