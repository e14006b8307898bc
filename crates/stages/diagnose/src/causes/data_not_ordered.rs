//! # Data not ordered before the journal
//!
//! Also: `journal_data_writeback`.
//!
//! ## What it finds
//! An ext3 or ext4 whose journal does not wait for the data of new blocks: mounted with `data=writeback`, or so by its defaults
//! (`tune2fs -o journal_data_writeback`). It is a note: some want it.
//!
//! ## Why it matters
//! A commit no longer writes out what other programs have dirty, so an fsync is no longer as slow as they are. After a crash, files that
//! were growing can show what was in their blocks before, which may be somebody else's. The file system itself stays whole.
//!
//! ## What to try
//! Measure what it is worth: ext4 does not change the mode of a mounted file system, so mount it the other way between two runs. Databases
//! that write into files of full length and sync them gain little.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,data=writeback
//! disk: sda transport=sata
//! expect: note says "data=writeback" says "crash" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime journal=writeback
//! disk: sda transport=sata
//! expect: note says "data=writeback" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime journal=ordered
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime,data=journal journal=journal
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 on a loop device mounted with `data=writeback` (Linux 6.18).
//!
//! ## Sources
//! - ext4(5), `data={journal|ordered|writeback}`; Linux `Documentation/admin-guide/ext4.rst`, "Data Mode"
//! - Linux `fs/ext4/super.c`, `ext4_check_opt_consistency`: "Cannot change data mode on remount"

use crate::causes_help_queue::mounted_with;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "data_not_ordered",
    since: "0.1.0",
    summary: "a journal that does not wait for data: quick syncs for the price of old blocks in new files after a crash",
    level: Level::Note,
    risk: Risk::NeedsCare,
    competing: &[
        "only files of full length are written: then neither the gain nor the danger is there",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -fsync=1 -size=64m # before and after a mount with data=ordered",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// As mount options have it.
const OPTION: &str = "data=writeback";

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::FileSystem)
        .filter(|layer| is_not_ordered(layer))
        .map(finding)
        .collect()
}

fn is_not_ordered(layer: &Layer) -> bool {
    let is_by_default = layer.fact("journal") == Some("writeback");
    matches!(layer.fact("fstype"), Some("ext3" | "ext4"))
        && (is_by_default || mounted_with(layer, OPTION))
}

fn finding(layer: &Layer) -> Finding {
    let claim = format!(
        "{} is mounted with {OPTION}: after a crash, files that were growing can show old blocks.",
        layer.name
    );
    note(&layer.name, claim)
        .shows("option", OPTION)
        .refuted_by("a mount with data=ordered is as fast under the same load")
        .advise("Keep it where files are written anew after a crash; measure what it is worth by a mount with data=ordered.")
}
