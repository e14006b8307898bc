//! # A container's share of the dirty pages
//!
//! ## What it finds
//! A control group whose dirty pages reach the limit that its memory limit leaves it: the kernel takes `vm.dirty_ratio` of the
//! group's memory, not of the machine's. It is a warning where the group's tasks stand still for I/O meanwhile.
//!
//! ## Why it matters
//! In a container of 1 GiB writers wait from some 150 MiB on, on a machine where the same program writes gigabytes at memory speed.
//!
//! ## What to try
//! A larger memory limit, direct I/O, or `fsync` in small pieces. `vm.dirty_bytes` of the machine is scaled down the same way.
//!
//! ## Example
//! ```scene
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! field: cgroup.memory_limit_bytes app.slice 1073741824
//! field: cgroup.dirty_bytes app.slice 150000000
//! field: cgroup.writeback_bytes app.slice 40000000
//! field: cgroup.io_full_percent app.slice 45
//! expect: warning says "app.slice" says "45 %"
//! ```
//! ```scene
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! field: cgroup.memory_limit_bytes app.slice 1073741824
//! field: cgroup.dirty_bytes app.slice 170000000
//! field: cgroup.io_full_percent app.slice 1
//! expect: note says "app.slice"
//! ```
//!
//! ## Stays silent
//! ```scene
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! field: cgroup.memory_limit_bytes app.slice 68719476736
//! field: cgroup.dirty_bytes app.slice 190000000
//! field: cgroup.io_full_percent app.slice 45
//! ```
//! ```scene
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! field: cgroup.dirty_bytes app.slice 190000000
//! field: cgroup.io_full_percent app.slice 45
//! ```
//!
//! ## Seen
//! Not produced: it needs version 2 control groups with the memory controller, which this machine gives to version 1; a guest of the lab
//! can have them.
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `domain_dirty_limits` of a memory control group
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, Writeback
//! - 10 % of standing still is a proposal of this project.

use crate::diagnose::finding::{With, found};
use crate::diagnose::{Cause, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Setting;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cgroup_dirty_limit",
    since: "0.1.0",
    summary: "a control group whose writers wait at the dirty limit of its small memory",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "`io.max` of the group holds its writes back: then cgroup.write_bytes_per_s equals cgroup.write_limit_bytes_per_s",
        "the machine's own limit is reached: then memory.dirty_bytes is near memory.dirty_threshold_bytes",
    ],
    experiment: "double memory.max of the group for a minute and watch cgroup.io_full_percent in `iodyno watch`",
    knob: None,
    judge,
};

/// Standing still from this share of the time on, percent.
const STILL_PERCENT: f64 = 10.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let percent =
        |name: &str| scene.path.machine_setting(name).and_then(Setting::number).filter(|set| *set > 0.0);
    let ratios = percent("vm.dirty_ratio").zip(percent("vm.dirty_background_ratio"));
    let Some((ratio, background)) = ratios else { return Vec::new() };
    let free_run = (ratio + background.min(ratio)) / 200.0;
    let found = |frame: &Frame| {
        let each = frame.each("cgroup.dirty_bytes");
        each.filter_map(|(group, dirty)| finding(frame, group, dirty, free_run)).collect::<Vec<_>>()
    };
    scene.frames().map(|(_, frame)| found(frame)).find(|found| !found.is_empty()).unwrap_or_default()
}

fn finding(frame: &Frame, group: &str, dirty: f64, free_run: f64) -> Option<Finding> {
    let of = |id: &str| frame.get(id, group);
    let limit = of("cgroup.memory_limit_bytes").filter(|limit| *limit > 0.0)?;
    let dirty = dirty + of("cgroup.writeback_bytes").unwrap_or(0.0);
    if dirty < free_run * limit {
        return None;
    }
    let still = of("cgroup.io_full_percent").unwrap_or(0.0);
    let start = format!(
        "{group} may have {} of memory, so its writers wait from {} of dirty pages on, and {} are",
        units::bytes(limit),
        units::bytes(free_run * limit),
        units::bytes(dirty)
    );
    let (level, claim) = if still >= STILL_PERCENT {
        (Level::Warning, format!("{start}; all of it stood still {still:.0} % of the time."))
    } else {
        (Level::Note, format!("{start}."))
    };
    let finding = found(level, "", claim)
        .shows("cgroup.dirty_bytes", units::bytes(dirty))
        .shows("cgroup.memory_limit_bytes", units::bytes(limit))
        .shows("cgroup.io_full_percent", format!("{still:.0} %"))
        .refuted_by("the tasks stand still as long with twice the memory")
        .advise("Give the group more memory, or have it write directly or sync in small pieces.")
        .gains(if level == Level::Warning { still / 100.0 } else { 0.05 });
    Some(finding)
}
