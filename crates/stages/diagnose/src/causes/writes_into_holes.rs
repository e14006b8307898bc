//! # Writes into blocks that are not there yet
//!
//! ## What it finds
//! A loop device over a file with holes. It is a warning where the disks below did half again as many writes as the load sent.
//!
//! ## Why it matters
//! The first write to each block allocates: metadata, journal and a lock beside the data. The second one does not, so the same test is
//! faster when it is run again, and a virtual disk is slow until it has been filled.
//!
//! ## What to try
//! `fallocate` and one pass of writes beforehand (blocks that are allocated and never written still cost a conversion each), which
//! `iodyno loop create` does for a new file; or a partition or volume in place of the file.
//!
//! ## Example
//! ```scene
//! loop: loop0 dio=1 backing_sparse=yes backing_fstype=ext4
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! expect: note says "holes" about loop0
//! ```
//! ```scene
//! loop: loop0 dio=1 backing_sparse=yes backing_fstype=ext4
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! probe: write write=1000@1ms bs=4k
//! field: disk.writes_per_s sda 2100
//! expect: warning says "2.1 writes" about loop0
//! ```
//! The journal joins what it writes, and only the time shows the allocating:
//! ```scene
//! loop: loop0 dio=1 backing_sparse=yes backing_fstype=ext4
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! probe: write write=1000@1ms bs=4k
//! field: disk.writes_per_s sda 1020
//! expect: note says "holes" about loop0
//! ```
//! The journal of the file system above writes along:
//! ```scene
//! filesystem: ext4 mount=/srv super_options=rw,sync
//! loop: loop0 dio=1 backing_sparse=yes backing_fstype=ext4
//! filesystem: ext4 mount=/
//! disk: sda transport=sata
//! probe: write write=1000@1ms bs=4k
//! field: disk.writes_per_s loop0 2100
//! field: disk.writes_per_s sda 2120
//! expect: note says "holes" about loop0
//! ```
//!
//! ## Stays silent
//! ```scene
//! loop: loop0 dio=1 backing_sparse=no backing_fstype=ext4
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv
//! disk: sda transport=sata
//! probe: write write=1000@1ms bs=4k
//! field: disk.writes_per_s sda 2100
//! ```
//!
//! ## Seen
//! In the lab: `loop_sparse`.
//!
//! ## Sources
//! - fallocate(2); Linux `fs/ext4/extents.c`, unwritten extents; `fs/iomap/direct-io.c`
//! - Half again as many is a proposal of this project: above what the journal adds to a load that writes over.

use crate::causes_help_queue::of_disks;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "writes_into_holes",
    since: "0.1.0",
    summary: "a loop device over a file with holes, whose first writes allocate",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "others write to the same disks: then an idle second shows their writes",
        "the array below writes parity or mirrors: then the second pass over the same blocks costs as many writes",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -direct=1 -size=256m -loops=2 # on scratch: the second pass is faster",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Writes of the disks for each of the load.
const TIMES: f64 = 1.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::Loop)
        .filter_map(|layer| finding(scene, layer))
        .collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    if layer.fact("backing_sparse") != Some("yes") {
        return None;
    }
    let times = writes_for_each(scene, layer);
    let name = &layer.name;
    let costly = times.filter(|times| *times >= TIMES);
    let (level, claim) = match costly {
        Some(times) => (
            Level::Warning,
            format!(
                "The file of {name} has holes: each write became {times} writes of the disks.",
                times = units::decimals(times, 1)
            ),
        ),
        None => (
            Level::Note,
            format!("The file of {name} has holes: first writes allocate, later ones do not."),
        ),
    };
    let finding = found(level, name, claim)
        .shows("backing_sparse", "yes")
        .shows(
            "writes of the disks",
            times.map_or("not measured".into(), |times| {
                format!("{times} for each", times = units::decimals(times, 1))
            }),
        )
        .refuted_by("a second pass over the same blocks is no faster")
        .advise(
            "Write the file full once before measuring, make one that is (iodyno loop create), or use a partition or volume.",
        )
        .costs(
            "random writes",
            costly.map_or(0.0, |times| 1.0 - 1.0 / times),
        )
        .gains(costly.map_or(0.1, |times| (times - 1.0).min(2.0)));
    Some(finding)
}

/// Writes of the disks for each write of the loop device, which has those of its own file system's journal and of others above it
/// too; for each of the load where the device's are not known. What others wrote to the disks past it before is taken off.
fn writes_for_each(scene: &Scene<'_>, layer: &Layer) -> Option<f64> {
    let probe = scene.probe(Role::Write)?;
    let of_loop = |frame: &Frame| frame.get("disk.writes_per_s", &layer.name);
    let below = |frame: &Frame| of_disks(scene, frame, "disk.writes_per_s");
    let past = |idle: &Frame| Some((below(idle)? - of_loop(idle).unwrap_or(0.0)).max(0.0));
    let others = scene.idle().and_then(past).unwrap_or(0.0);
    let written = (below(&probe.frame)? - others).max(0.0);
    let asked = of_loop(&probe.frame).unwrap_or_else(|| probe.iops());
    (asked > 0.0).then(|| written / asked)
}
