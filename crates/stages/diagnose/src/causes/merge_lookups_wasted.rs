//! # CPU spent on neighbours that are not there
//!
//! ## What it finds
//! More than 500,000 requests a second to a device of which none is merged, with `nomerges` 0 and the CPUs busy in the kernel.
//!
//! ## Why it matters
//! Every request looks for a neighbour to join: in the batch of its thread, and in the scheduler's tree. At such rates that
//! is time the CPU does not have.
//!
//! ## What to try
//! `nomerges=2`. It is worth some percent of CPU and costs sequential small I/O dearly: for devices that serve nothing but
//! random I/O.
//!
//! ## Example
//! ```scene
//! machine: cpus_online=0-1
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: nomerges = 0
//! field: disk.reads_per_s nvme0n1 700000
//! field: disk.read_merged_percent nvme0n1 0
//! field: cpu.system_percent 0 80
//! field: cpu.system_percent 1 70
//! expect: note says "700000 requests a second" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: nomerges = 0
//! probe: depth read=600000@400us depth=256
//! field: disk.reads_per_s nvme0n1 600000
//! field: disk.read_merged_percent nvme0n1 0.01
//! field: cpu.system_percent 0 90
//! expect: note says "none of which is merged" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: nomerges = 0
//! field: disk.reads_per_s nvme0n1 300000
//! field: disk.read_merged_percent nvme0n1 0
//! field: cpu.system_percent 0 90
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: nomerges = 0
//! field: disk.reads_per_s nvme0n1 700000
//! field: disk.read_merged_percent nvme0n1 20
//! field: cpu.system_percent 0 90
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: nomerges = 2
//! field: disk.reads_per_s nvme0n1 700000
//! field: disk.read_merged_percent nvme0n1 0
//! field: cpu.system_percent 0 90
//! ```
//!
//! ## Seen
//! Not produced: it takes a device that serves 500,000 I/Os a second; the fastest here, a loop device over memory, ends at
//! 223,000, and zram, which is faster, merges nothing and looks for nothing.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `nomerges`; `block/blk-merge.c`, `blk_attempt_plug_merge`
//! - The 500,000 a second and half a CPU are proposals of this project: below, the look-ups are lost in the noise.

use crate::causes_help_queue::number;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "merge_lookups_wasted",
    since: "0.1.0",
    summary: "very many random requests that each look for a neighbour in vain",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the CPU time goes elsewhere: then nomerges=2 saves none, and `perf top` shows where",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("nomerges=0,2").iodepth(256)),
    contrast: None,
    knob: Some("nomerges"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Requests a second from which the look-ups cost.
const MANY_PER_S: f64 = 500_000.0;
/// Merged up to this many percent is none.
const NONE_PERCENT: f64 = 0.1;
/// Time of the busiest CPU in the kernel, percent.
const BUSY_PERCENT: f64 = 50.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    // zram, arrays and mapped devices pass on what they get as it comes and look for no neighbour.
    let has_requests = |layer: &&Layer| matches!(layer.kind, LayerKind::Disk | LayerKind::Loop);
    let disks = scene
        .queues()
        .filter(has_requests)
        .filter(|disk| number(disk, "nomerges") == Some(0.0));
    disks
        .filter_map(|disk| scene.frames().find_map(|(_, frame)| finding(disk, frame)))
        .collect()
}

fn finding(disk: &Layer, frame: &Frame) -> Option<Finding> {
    let of = |id: &str| frame.get(id, &disk.name);
    let rate = of("disk.reads_per_s").unwrap_or(0.0) + of("disk.writes_per_s").unwrap_or(0.0);
    let merged = of("disk.read_merged_percent")
        .unwrap_or(0.0)
        .max(of("disk.write_merged_percent").unwrap_or(0.0));
    let system = frame
        .each("cpu.system_percent")
        .map(|(_, percent)| percent)
        .max_by(f64::total_cmp)?;
    if rate < MANY_PER_S || merged > NONE_PERCENT || system < BUSY_PERCENT {
        return None;
    }
    let claim = format!(
        "{} gets {rate} requests a second, none of which is merged, and each looks for a neighbour.",
        disk.name,
        rate = units::whole(rate)
    );
    let finding = note(&disk.name, claim)
        .shows("nomerges", 0)
        .shows(
            "merged",
            format!("{merged} %", merged = units::decimals(merged, 2)),
        )
        .shows("busiest CPU, in the kernel", units::percent_whole(system))
        .refuted_by("nomerges=2 changes neither rate nor CPU time")
        .advise("Compare nomerges 2, for devices without sequential small I/O only.")
        .gains(0.05);
    Some(finding)
}
