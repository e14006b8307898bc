//! # Reads drowned by writeback
//!
//! ## What it finds
//! Reads that take more than ten times as long while dirty pages are written back as they do alone, on a disk without writeback
//! throttling (`wbt_lat_usec` 0 or not set up) whose scheduler does not share the disk out either.
//!
//! ## Why it matters
//! The flusher hands in thousands of requests at once, and every read stands behind them: a copy of a file stops a database.
//!
//! ## What to try
//! `wbt_lat_usec=-1`, the kernel's own target; `kyber` or `bfq`; smaller `vm.dirty_background_bytes`, so that less is written
//! at a time.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: scheduler = none [mq-deadline] kyber
//! setting: wbt_lat_usec = 0
//! field: disk.write_bytes_per_s sda 300000000
//! field: disk.await_read_ms sda 40
//! field: vm.written_bytes_per_s 290000000
//! probe: latency read=5000@200us
//! field: disk.write_bytes_per_s sda 0
//! field: disk.await_read_ms sda 0.2
//! expect: warning says "40.0 ms" about sda
//! ```
//! ```scene
//! disk: vda transport=virtio
//! setting: scheduler = [none] mq-deadline
//! setting: wbt_lat_usec = EINVAL
//! probe: latency read=5000@500us
//! field: disk.await_read_ms vda 0.5
//! probe: buffered-write write=900@1ms bs=1m
//! field: disk.write_bytes_per_s vda 200000000
//! field: disk.await_read_ms vda 30
//! field: vm.written_bytes_per_s 200000000
//! expect: warning says "30.0 ms" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: scheduler = none [mq-deadline] kyber
//! setting: wbt_lat_usec = 2000
//! field: disk.write_bytes_per_s sda 300000000
//! field: disk.await_read_ms sda 40
//! field: vm.written_bytes_per_s 290000000
//! probe: latency read=5000@200us
//! field: disk.await_read_ms sda 0.2
//! ```
//! Direct writes, which it would not throttle:
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: scheduler = none [mq-deadline]
//! setting: wbt_lat_usec = 0
//! field: disk.write_bytes_per_s sda 300000000
//! field: disk.await_read_ms sda 40
//! field: vm.written_bytes_per_s 1000000
//! probe: latency read=5000@200us
//! field: disk.await_read_ms sda 0.2
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = none mq-deadline [bfq]
//! setting: wbt_lat_usec = 0
//! field: disk.write_bytes_per_s sda 100000000
//! field: disk.await_read_ms sda 400
//! field: vm.written_bytes_per_s 100000000
//! probe: latency read=100@9ms
//! field: disk.await_read_ms sda 9
//! ```
//!
//! ## Seen
//! In the lab: `reads_under_writeback`.
//!
//! ## Sources
//! - Linux `block/blk-wbt.c`; commit e34cbd307477, "blk-wbt: add general throttling mechanism"
//! - Tenfold, 10 MB/s and the half that is writeback are proposals of this project: what a reader notices.

use crate::causes_help_queue::{number, scheduler};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "writeback_unthrottled",
    since: "0.1.0",
    summary: "reads that take ten times as long while dirty pages are written, and nothing keeps the writes back",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the disk itself stalls reads while it writes: then direct writes at the same rate do the same",
        "the reads are larger or more meanwhile: then their size and rate differ between the two times",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("wbt_lat_usec=0,2000,75000")
            .rw("randrw")
            .buffered()
    }),
    contrast: None,
    knob: Some("wbt_lat_usec"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Reads take this many times as long.
const GROWTH: f64 = 10.0;
/// Fewer bytes a second written do not count as a storm, more do not count as quiet.
const STORM: f64 = 10e6;
/// The mean of fewer reads a second says nothing.
const FEW_PER_S: f64 = 5.0;
/// The share of the writes that is writeback.
const BUFFERED: f64 = 0.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .queues()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let is_throttled = number(disk, "wbt_lat_usec").is_some_and(|target| target != 0.0);
    if is_throttled
        || disk.setting("wbt_lat_usec").is_none()
        || matches!(scheduler(disk)?, "bfq" | "kyber")
    {
        return None;
    }
    let of = |frame: &Frame, id: &str| frame.get(id, &disk.name);
    let written = |frame: &Frame| of(frame, "disk.write_bytes_per_s").unwrap_or(0.0);
    let quiet = scene.frames().filter(|(_, frame)| written(frame) < STORM);
    let alone = quiet
        .filter_map(|(_, frame)| of(frame, "disk.await_read_ms"))
        .min_by(f64::total_cmp)?;
    let buffered = |frame: &Frame| frame.get("vm.written_bytes_per_s", "").unwrap_or(0.0);
    let storms = scene.frames().filter(|(_, frame)| {
        written(frame) >= STORM
            && buffered(frame) >= BUFFERED * written(frame)
            && of(frame, "disk.reads_per_s").is_none_or(|rate| rate >= FEW_PER_S)
    });
    let (beside, rate) = storms
        .filter_map(|(_, frame)| Some((of(frame, "disk.await_read_ms")?, written(frame))))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(beside, _)| alone > 0.0 && *beside > GROWTH * alone)?;
    let ms = |ms: f64| units::duration_ns(ms * 1e6);
    let claim = format!(
        "Reads of {} take {} while dirty pages are written and {} otherwise; nothing keeps the writeback back.",
        disk.name,
        ms(beside),
        ms(alone)
    );
    let wbt = disk
        .setting("wbt_lat_usec")
        .map(|setting| setting.value.to_string())
        .unwrap_or_default();
    let finding = warning(&disk.name, claim)
        .shows("wbt_lat_usec", wbt)
        .shows("written back", units::bytes_per_s(rate))
        .shows(
            "await of reads",
            format!("{} and {}", ms(alone), ms(beside)),
        )
        .refuted_by("reads are as slow with wbt_lat_usec -1 or kyber")
        .advise(
            "Switch writeback throttling on (-1 writes the kernel's own target), or choose kyber.",
        )
        .gains(1.0);
    Some(finding)
}
