//! # An fsync that waits for the data of others
//!
//! Also: `data=ordered`, `data=writeback`.
//!
//! ## What it finds
//! On ext4 with `data=ordered`, small synced writes whose fsync takes five times what the device needs for a write and a flush, while
//! others make pages dirty.
//!
//! ## Why it matters
//! A commit of the journal first writes the data of every file in the transaction that got new blocks. A log of a few bytes then waits
//! for somebody's copy of gigabytes.
//!
//! ## What to try
//! A file system of its own for the log; less dirty data (`vm.dirty_background_bytes`); files that are allocated beforehand, whose
//! blocks are not new. `data=writeback` ends it too and shows old data in new files after a crash: not without consent.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@1ms sync=100@50ms
//! field: disk.await_flush_ms sda 2
//! field: disk.await_write_ms sda 3
//! field: vm.dirtied_bytes_per_s 80000000
//! expect: warning says "the device's write and flush 5.00 ms" about /srv
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,noatime journal=ordered
//! disk: sda transport=sata
//! field: vm.dirtied_bytes_per_s 90000000
//! probe: fsync write=100@1ms sync=100@100ms
//! field: disk.await_flush_ms sda 2
//! field: disk.await_write_ms sda 3
//! expect: warning says "the commit has to write" about /srv
//! ```
//!
//! ## Stays silent
//! Short enough, whoever writes:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@100us sync=100@2ms
//! field: disk.await_flush_ms sda 0.05
//! field: disk.await_write_ms sda 0.05
//! field: vm.dirtied_bytes_per_s 80000000
//! ```
//! Nobody else writes:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@1ms sync=100@50ms
//! field: disk.await_flush_ms sda 2
//! field: disk.await_write_ms sda 3
//! field: vm.dirtied_bytes_per_s 900000
//! ```
//! The device takes the time:
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@1ms sync=100@50ms
//! field: disk.await_flush_ms sda 20
//! field: disk.await_write_ms sda 20
//! field: vm.dirtied_bytes_per_s 80000000
//! ```
//! ```scene
//! filesystem: xfs mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! probe: fsync write=100@1ms sync=100@50ms
//! field: disk.await_flush_ms sda 2
//! field: disk.await_write_ms sda 3
//! field: vm.dirtied_bytes_per_s 80000000
//! ```
//!
//! ## Seen
//! In the lab: `commit_behind_copy`, on an ext4 mounted with `dioread_lock`, which was the default before Linux 5.6.
//!
//! ## Sources
//! - ext4(5), `data=ordered`; Linux `fs/jbd2/commit.c`, `journal_submit_data_buffers`
//! - Linux `Documentation/filesystems/ext4/journal.rst`
//! - Fivefold, 10 ms and 5 MB/s are proposals of this project: a commit itself takes a few writes and one or two flushes.

use crate::causes_help_queue::mounted_with;
use crate::finding::{With, warning};
use crate::{Cause, Contrast, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "fsync_waits_for_others",
    since: "0.1.0",
    summary: "syncs on ext4 that wait until the new data of other files is written",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "writeback fills the device's queue and the sync's own writes stand behind it: then disk.await_write_ms is high too, and wbt or kyber helps",
        "others sync as well, and commits queue up: then disk.flushes_per_s is above this load's own",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=write -bs=4k -fsync=1 -overwrite=1 -size=64m # again with -fdatasync=1 in place of -fsync=1: a sync of data in blocks that are not new needs no commit",
    ),
    contrast: Some(Contrast {
        with: "-rw=write -bs=4k -fsync=1 -overwrite=1 -size=64m",
        without: "-rw=write -bs=4k -fdatasync=1 -overwrite=1 -size=64m",
        words: "whose syncs need no commit (fdatasync of blocks that are not new)",
    }),
    knob: None,
    explains: &[TimePlace::Journal],
    yields_to: &[],
    judge,
};

/// A sync over write and flush of the device.
const TIMES: f64 = 5.0;
/// A shorter sync keeps nobody waiting, ms.
const LEAST_MS: f64 = 10.0;
/// Others write at least this, bytes a second.
const OTHERS: f64 = 5e6;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let ext4 = scene.file_system().filter(|layer| is_ordered(layer));
    ext4.and_then(|layer| finding(scene, layer))
        .into_iter()
        .collect()
}

fn is_ordered(layer: &Layer) -> bool {
    let is_other = ["data=writeback", "data=journal"]
        .iter()
        .any(|option| mounted_with(layer, option));
    let says_other = layer.fact("journal").is_some_and(|mode| mode != "ordered");
    layer.fact("fstype") == Some("ext4") && !is_other && !says_other
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let probe = scene.probe(Role::Fsync)?;
    let sync_ms = probe.load.sync.latency.mean_ns()? / 1e6;
    // The queue below the file system: a loop device's own flush contains those of the disks below it.
    let device = scene.path.queue_device()?;
    let of = |id: &str| probe.frame.get(id, &device.name);
    let device_ms = of("disk.await_flush_ms")? + of("disk.await_write_ms")?;
    let seen = [Some(&probe.frame), scene.idle()].into_iter().flatten();
    let dirtied = seen
        .filter_map(|frame| frame.get("vm.dirtied_bytes_per_s", ""))
        .max_by(f64::total_cmp)?;
    let others = dirtied - probe.bytes_per_s();
    if sync_ms < TIMES * device_ms || sync_ms < LEAST_MS || others < OTHERS {
        return None;
    }
    let ms = |ms: f64| units::duration_ns(ms * 1e6);
    let claim = format!(
        "An fsync on {} takes {}, the device's write and flush {}; meanwhile others make {} dirty, which the commit has to write \
         first.",
        layer.name,
        ms(sync_ms),
        ms(device_ms),
        units::bytes_per_s(others)
    );
    let finding = warning(&layer.name, claim)
        .shows("fsync, mean", ms(sync_ms))
        .shows("await of write and flush", ms(device_ms))
        .shows("made dirty by others", units::bytes_per_s(others))
        .refuted_by("fsync takes as long when nobody else writes")
        .advise("Keep what is synced on a file system of its own, or have less dirty; data=writeback costs safety.")
        .costs(probe.phrase(), 1.0 - device_ms / sync_ms)
        .gains((sync_ms / device_ms - 1.0).min(3.0));
    Some(finding)
}
