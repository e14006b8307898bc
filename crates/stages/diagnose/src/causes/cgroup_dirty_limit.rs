//! # A container's share of the dirty pages
//!
//! ## What it finds
//! A control group of version 2 whose dirty pages reach the limit that its memory limit leaves it: the kernel takes `vm.dirty_ratio` of the
//! group's memory, not of the machine's. It is a warning where the group's tasks stand still for I/O meanwhile.
//!
//! Of the group of this process, as a note, also a share so small that writers wait from less than 64 MiB on, which the disk
//! writes in less than a quarter of a second: whatever writes through the page cache there is paced by the disk. Silent where a
//! load showed that it does no harm.
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
//! ```scene
//! machine: memory_limit_bytes=160m
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! probe: write-stream write=300@3ms bs=1m
//! expect: note says "from 24.0 MiB of dirty pages on" says "80.0 ms"
//! ```
//! With bytes set for the machine, the group has the same share of its own memory:
//! ```scene
//! machine: memory_limit_bytes=1g memory_bytes=64g
//! setting: vm.dirty_bytes = 2147483648
//! setting: vm.dirty_background_bytes = 1073741824
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: write-stream write=1500@600us bs=1m
//! expect: note says "from 24.0 MiB of dirty pages on"
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: memory_limit_bytes=8g
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! probe: write-stream write=300@3ms bs=1m
//! ```
//! The buffered writes are as fast as direct ones:
//! ```scene
//! machine: memory_limit_bytes=160m
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! probe: write-stream write=300@3ms bs=1m
//! probe: buffered-write write=290@3ms bs=1m
//! ```
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
//! Under version 1 of control groups the machine's limits are the only ones:
//! ```scene
//! machine: cgroup_version=hybrid memory_limit_bytes=160m
//! setting: vm.dirty_ratio = 20
//! setting: vm.dirty_background_ratio = 10
//! disk: sda transport=sata
//! probe: write-stream write=300@3ms bs=1m
//! ```
//!
//! ## Seen
//! In the lab: `container_copies`, as a warning (the group stood still for 31 % of the time), and `container_small`, as a note.
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `domain_dirty_limits` of a memory control group
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, Writeback
//! - 10 % of standing still is a proposal of this project; 64 MiB and a quarter of a second are those of `dirty_limit_tiny`. A
//!   fifth less than the share counts as reached: what the group's programs have for themselves is no room for pages.

use crate::causes_help_queue::{BUFFERED_FINE, buffered_share, write_rate};
use crate::finding::{With, found, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::dirty::DirtyShares;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::time_account::TimePlace;
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
    experiment: Experiment::Line(
        "iodyno watch # cgroup.io_full_percent, while memory.max of the group is doubled for a minute",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Writeback],
    yields_to: &[],
    judge,
};

/// Standing still from this share of the time on, percent.
const STILL_PERCENT: f64 = 10.0;

/// Dirty pages up to this share of the free run count as reaching it.
const REACHED: f64 = 0.8;
/// Small enough to be felt, bytes.
const SMALL: f64 = 64.0 * 1048576.0;
/// Written in less than this, it cannot keep the disk busy, s.
const SHORT_S: f64 = 0.25;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    // The kernel counts dirty pages against a group's memory only where version 2 has both controllers
    // (include/linux/backing-dev.h, inode_cgwb_enabled; Linux 6.18). Where both versions are mounted, they are in version 1.
    if matches!(
        scene.path.machine_fact("cgroup_version"),
        Some("1" | "hybrid")
    ) {
        return Vec::new();
    }
    let Some(free_run) = DirtyShares::of(scene.path).map(|shares| shares.free_run()) else {
        return Vec::new();
    };
    let found = |frame: &Frame| {
        let each = frame.each("cgroup.dirty_bytes");
        each.filter_map(|(group, dirty)| finding(frame, group, dirty, free_run))
            .collect::<Vec<_>>()
    };
    let seen = scene
        .frames()
        .map(|(_, frame)| found(frame))
        .find(|found| !found.is_empty());
    seen.unwrap_or_else(|| suspected(scene, free_run).into_iter().collect())
}

/// The group of this process: what its writers may have dirty, beside what the disk writes in a moment.
fn suspected(scene: &Scene<'_>, free_run: f64) -> Option<Finding> {
    let limit = scene
        .path
        .machine
        .as_ref()?
        .number("memory_limit_bytes")
        .filter(|limit| *limit > 0.0)?;
    let room = free_run * limit;
    let share = buffered_share(scene);
    let seconds = room / write_rate(scene)?;
    if room >= SMALL || seconds >= SHORT_S || share.is_some_and(|share| share >= BUFFERED_FINE) {
        return None;
    }
    let claim = format!(
        "The group of this process may have {} of memory, so its writers wait from {} of dirty pages on, which is {} of this \
         disk's writing.",
        units::bytes(limit),
        units::bytes(room),
        units::duration_ns(seconds * 1e9)
    );
    let finding = note("", claim)
        .shows("memory limit of the group", units::bytes(limit))
        .refuted_by("buffered writes are no faster with twice the memory")
        .advise("Give the group more memory, or have it write directly or sync in small pieces.")
        .gains(share.map_or(0.1, |share| (1.0 / share - 1.0).min(1.0)));
    Some(finding)
}

fn finding(frame: &Frame, group: &str, dirty: f64, free_run: f64) -> Option<Finding> {
    let of = |id: &str| frame.get(id, group);
    let limit = of("cgroup.memory_limit_bytes").filter(|limit| *limit > 0.0)?;
    let dirty = dirty + of("cgroup.writeback_bytes").unwrap_or(0.0);
    if dirty < REACHED * free_run * limit {
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
        (
            Level::Warning,
            format!(
                "{start}; all of it stood still {still} of the time.",
                still = units::percent_whole(still)
            ),
        )
    } else {
        (Level::Note, format!("{start}."))
    };
    let finding = found(level, "", claim)
        .shows("cgroup.dirty_bytes", units::bytes(dirty))
        .shows("cgroup.memory_limit_bytes", units::bytes(limit))
        .shows("cgroup.io_full_percent", units::percent_whole(still))
        .refuted_by("the tasks stand still as long with twice the memory")
        .advise("Give the group more memory, or have it write directly or sync in small pieces.")
        .gains(if level == Level::Warning {
            still / 100.0
        } else {
            0.05
        });
    Some(finding)
}
