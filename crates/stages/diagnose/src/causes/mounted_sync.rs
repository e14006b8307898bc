//! # A file system that syncs every write
//!
//! ## What it finds
//! A file system that is mounted with `sync`, or with `dirsync`, which is a note.
//!
//! ## Why it matters
//! With `sync` each write, a buffered one too, returns only when the disk has it: the page cache gathers nothing, and each small
//! write costs a commit of the journal and a flush. With `dirsync` that holds for making, renaming and removing files.
//!
//! ## What to try
//! Mount without the option. A program that needs its data on the disk says so itself (fsync, O_DSYNC); one that does not loses at
//! a power cut what it wrote in the last seconds.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime super_options=rw,sync
//! disk: sda transport=sata
//! expect: warning says "each write waits" about /srv
//! ```
//! ```scene
//! filesystem: xfs mount=/srv options=rw,relatime super_options=rw,dirsync
//! disk: sda transport=sata
//! expect: note says "made, renamed and removed" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime super_options=rw
//! disk: sda transport=sata
//! ```
//! A network file system's `sync` is its protocol's own:
//! ```scene
//! unbacked: nfs4 mount=/srv options=rw,relatime super_options=rw,sync
//! ```
//!
//! ## Seen
//! On a live kernel: ext4 on a loop device (Linux 6.18), buffered writes of 4 KiB: 196 k and 201 k a second, and 1.99 k and 1.87 k
//! with `sync`, by turns.
//!
//! ## Sources
//! - mount(8), `sync` and `dirsync`; Linux `include/linux/fs.h`, `IS_SYNC` and `IS_DIRSYNC`; `fs/sync.c`, `generic_write_sync`

use crate::causes_help_queue::mounted_with;
use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::text::shell_word;
use model::time_account::TimePlace;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "mounted_sync",
    since: "0.1.0",
    summary: "a mount option that makes each write wait for the disk",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "every write of the programs is synced by themselves: then the option costs nothing",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -direct=0 -size=64m # before and after mount -o remount,async {target}",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Journal, TimePlace::FileSystem],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let systems = scene.of_kind(LayerKind::FileSystem);
    systems.filter_map(finding).collect()
}

fn finding(layer: &Layer) -> Option<Finding> {
    let name = &layer.name;
    let found = if mounted_with(layer, "sync") {
        let claim = format!(
            "{name} is mounted with sync: each write waits until the disk has it, buffered writes too."
        );
        warning(name, claim).shows("option", "sync").gains(1.0)
    } else if mounted_with(layer, "dirsync") {
        let claim = format!(
            "{name} is mounted with dirsync: files are made, renamed and removed at the disk's pace."
        );
        note(name, claim).shows("option", "dirsync").gains(0.1)
    } else {
        return None;
    };
    let place = shell_word(name);
    let found = found
        .refuted_by("buffered writes are no faster after mount -o remount,async")
        .advise(format!(
            "sudo mount -o remount,async {place} # where the programs sync what must not be lost; until the next mount, and for good \
             without the word in /etc/fstab"
        ));
    Some(found)
}
