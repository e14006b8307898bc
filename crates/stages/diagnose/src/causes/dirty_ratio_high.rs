//! # A large share of memory that may be dirty
//!
//! ## What it finds
//! `vm.dirty_ratio` of 40 and more, which tuning profiles and field reports recommend. From 80 on it is a warning.
//!
//! ## Why it matters
//! The ratio makes no disk faster. It decides how much is promised before a writer waits: that much is lost at a power cut, each
//! fsync may stand behind it, and a copy that "took 10 s" goes on writing for minutes. From 80 % on hardly a clean page is left:
//! programs that want memory wait for the disk as well. Direct I/O makes no dirty pages.
//!
//! ## What to try
//! `vm.dirty_bytes` of some seconds of what the disk writes, which does not grow with the memory. `iodyno explain vm.dirty_ratio`
//! has who recommends which ratio.
//!
//! ## Example
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 40
//! owner: vm.dirty_ratio tuned profile_throughput-performance wants 40
//! setting: vm.dirty_bytes = 0
//! disk: sda transport=sata
//! expect: note says "vm.dirty_ratio is 40: up to 102 GiB may be dirty before writers wait."
//! ```
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 40
//! disk: sda transport=sata
//! probe: write-stream write=200@5ms bs=1m
//! expect: note says "524 s of writing at the measured 200 MiB/s"
//! ```
//! ```scene
//! machine: memory_bytes=16g
//! setting: vm.dirty_ratio = 90
//! disk: sda transport=virtio
//! promise: aws gp3 iops=3000 bytes_per_s=125m
//! expect: warning says "118 s of writing at the promised 125 MiB/s"
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 39
//! setting: vm.dirty_bytes = 0
//! disk: sda transport=sata
//! ```
//! Bytes hold, whatever a file wanted of the ratio:
//! ```scene
//! machine: memory_bytes=256g
//! setting: vm.dirty_ratio = 90
//! setting: vm.dirty_bytes = 536870912
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! Not produced: what it claims is arithmetic. The lab has `dirty_limit_filled`, writers at a limit.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_ratio`; `mm/page-writeback.c`, `balance_dirty_pages`
//! - LWN 572911, "The pernicious USB-stick stall problem"
//! - TuneD, `profiles/throughput-performance/tuned.conf` (40 %), `profiles/mssql/tuned.conf` (80 %)
//! - 40 and 80 % are proposals of this project: twice the kernel's default, and what leaves a fifth of the pages clean.

use crate::causes_help_queue::{configured, dirty_limit, high_dirty_ratio, write_rate};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "dirty_ratio_high",
    since: "0.1.0",
    summary: "a large share of memory may be dirty: more is promised, and nothing is faster",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "what writes here uses direct I/O: then vmstat shows few dirty pages, and the ratio does nothing",
        "bursts are rare and must not wait, and what is lost at a power cut can be made again: then it is as it should be",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("vm.dirty_bytes=268435456,1073741824")
            .rw("randwrite")
            .buffered()
            .budget("20m")
    }),
    contrast: None,
    knob: Some("dirty_bytes"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Nearly all of the memory, percent.
const NEARLY_ALL: f64 = 80.0;
/// The limit that is proposed, in seconds of the disk's writing.
const PROPOSED_S: f64 = 4.0;
/// The limit that is proposed where the disk's rate is not known, and the least one otherwise, bytes.
const PROPOSED: f64 = 1024.0 * MIB;
const PROPOSED_LEAST: f64 = 128.0 * MIB;
const MIB: f64 = 1048576.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let ratio = high_dirty_ratio(scene)?;
    let level = if ratio >= NEARLY_ALL {
        Level::Warning
    } else {
        Level::Note
    };
    let rate = rate(scene);
    let mut finding = found(level, "", claim(scene, ratio, rate))
        .shows("vm.dirty_ratio", units::whole(ratio))
        .refuted_by("buffered writes of your load are slower, and fsync waits as long, with vm.dirty_bytes of some seconds")
        .advise(cure(scene, rate));
    if let Some(memory) = scene.memory_bytes() {
        finding = finding.shows("memory", units::bytes(memory));
    }
    let setting = scene.path.machine_setting("vm.dirty_ratio");
    if let Some(owner) = setting.and_then(|setting| configured(setting).last()) {
        finding = finding.shows("set by", &owner.place);
    }
    Some(finding)
}

/// Bytes a second that the disk writes, and how that is known.
fn rate(scene: &Scene<'_>) -> Option<(f64, &'static str)> {
    let promised = || scene.promise?.bytes_per_s.filter(|rate| *rate > 0.0);
    let measured = write_rate(scene).map(|rate| (rate, "measured"));
    measured.or_else(|| Some((promised()?, "promised")))
}

fn claim(scene: &Scene<'_>, ratio: f64, rate: Option<(f64, &str)>) -> String {
    let ratio = units::whole(ratio);
    let Some(limit) = dirty_limit(scene) else {
        return format!(
            "vm.dirty_ratio is {ratio}: that share of the memory may be dirty before writers wait."
        );
    };
    let start = format!(
        "vm.dirty_ratio is {ratio}: up to {} may be dirty before writers wait",
        units::bytes(limit)
    );
    match rate {
        None => format!("{start}."),
        Some((rate, how)) => format!(
            "{start}, {} s of writing at the {how} {}.",
            units::whole(limit / rate),
            units::bytes_per_s(rate)
        ),
    }
}

/// The command, and what keeps it.
fn cure(scene: &Scene<'_>, rate: Option<(f64, &str)>) -> String {
    let bytes = rate.map_or(PROPOSED, |(rate, _)| {
        (rate * PROPOSED_S).max(PROPOSED_LEAST)
    });
    let setting = format!(
        "vm.dirty_bytes={}",
        units::whole((bytes / MIB).round() * MIB)
    );
    let what = match rate {
        Some(_) => "some seconds of this disk's writing",
        None => "a limit that does not grow with the memory",
    };
    let target = scene.path.as_argument();
    format!(
        "sudo iodyno set {setting} {target} # {what}; the line {setting} in a file of /etc/sysctl.d keeps it"
    )
}
