//! # Writeback that comes in bursts
//!
//! ## What it finds
//! Limits of dirty pages so large for the disk that emptying them takes half a minute and more. It is a warning where a buffered
//! or synchronous load stood still for half a second and more between times of work.
//!
//! ## Why it matters
//! The defaults are shares of memory, and memory grew faster than disks. Gigabytes gather in silence, then go out at once: reads
//! and fsyncs stand behind them, and a sawtooth is what the user sees.
//!
//! ## What to try
//! `vm.dirty_background_bytes` of one or two seconds of the disk's write rate and `vm.dirty_bytes` of four times that; earlier and
//! steadier writing costs some merging of pages that are written twice.
//!
//! ## Example
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_bytes = 0
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata rotational=1
//! probe: write-stream write=150@6ms bs=1m
//! expect: note says "350 s"
//! ```
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_bytes = 0
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata rotational=1
//! probe: write-stream write=150@6ms bs=1m
//! probe: buffered-write write=150@6ms bs=1m elapsed=3s
//! bins: 90 95 88 92 0 0 0 0 0 0 0 91 90 94 90 0 0 0 0 0 0 92 90 95
//! expect: warning says "stood still 2 times"
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: memory_bytes=4g
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_bytes = 0
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata rotational=1
//! probe: write-stream write=150@6ms bs=1m
//! ```
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 0
//! setting: vm.dirty_bytes = 536870912
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata rotational=1
//! probe: write-stream write=150@6ms bs=1m
//! ```
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 20
//! disk: sda transport=sata rotational=1
//! ```
//! A ratio that was raised, and no load stood still: `dirty_ratio_high` says it.
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 40
//! disk: sda transport=sata rotational=1
//! probe: write-stream write=150@6ms bs=1m
//! ```
//!
//! ## Seen
//! In the lab: `space_full`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_background_bytes`, `dirty_expire_centisecs`
//! - LWN 572911, "The pernicious USB-stick stall problem"
//! - 30 s and half a second are proposals of this project: the kernel calls pages old after 30 s, and a task hung after more.

use crate::causes_help_queue::{dirty_limit, high_dirty_ratio, write_rate};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "flush_in_bursts",
    since: "0.1.0",
    summary: "limits of dirty pages that take the disk half a minute and more to empty",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the disk itself stands still (flash that cleans up, a token bucket): then direct writes stand still too",
        "the journal commits: then the gaps come every 5 s (ext4 commit=) whatever the limits",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("vm.dirty_background_bytes")
            .rw("write")
            .bs("1m")
            .buffered()
            .budget("20m")
    }),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Emptying may take this long, s.
const LONG_S: f64 = 30.0;
/// A gap is no completion for this long, ms.
const GAP_MS: u64 = 500;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let (limit, rate) = (dirty_limit(scene)?, write_rate(scene)?);
    let seconds = limit / rate;
    if seconds < LONG_S {
        return None;
    }
    let loads = [Role::BufferedWrite, Role::Fsync]
        .into_iter()
        .filter_map(|role| scene.probe(role));
    // Direct writes that stand still are the disk's own doing.
    let own = scene.probe(Role::WriteStream).map_or(0, gaps);
    let gaps = loads
        .map(gaps)
        .max()
        .filter(|count| *count > own)
        .unwrap_or(0);
    // Of a ratio that somebody raised `dirty_ratio_high` says the same.
    if gaps == 0 && high_dirty_ratio(scene).is_some() {
        return None;
    }
    let section = scene.file_system().map_or("", |layer| layer.name.as_str());
    let start = format!(
        "Up to {} may be dirty, which takes this disk {seconds} s to write",
        units::bytes(limit),
        seconds = units::whole(seconds)
    );
    let (level, claim) = match gaps {
        0 => (Level::Note, format!("{start}.")),
        count => (
            Level::Warning,
            format!("{start}; the load stood still {count} times for {GAP_MS} ms and more."),
        ),
    };
    let finding = found(level, section, claim)
        .shows("dirty limit", units::bytes(limit))
        .shows("write rate", units::bytes_per_s(rate))
        .shows("gaps", gaps)
        .refuted_by("the gaps stay with vm.dirty_background_bytes at one second of the write rate")
        .advise("Begin writing earlier: vm.dirty_background_bytes of one or two seconds, vm.dirty_bytes of some more.")
        .gains(if gaps > 0 { 0.5 } else { 0.0 });
    Some(finding)
}

/// How often a load stood still between times of work.
fn gaps(probe: &Probe) -> usize {
    let bin_ms = probe.load.bin_ms.max(1);
    let long = |bins: &[u32]| bins.len() as u64 * bin_ms >= GAP_MS;
    let bins = &probe.load.bins;
    let last = bins.iter().rposition(|count| *count > 0).unwrap_or(0);
    let first = bins.iter().position(|count| *count > 0).unwrap_or(0);
    bins.get(first..=last).map_or(0, |work| {
        work.split(|count| *count > 0)
            .filter(|gap| long(gap))
            .count()
    })
}
