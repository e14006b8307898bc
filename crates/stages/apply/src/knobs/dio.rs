//! # Direct I/O of a loop device to its file
//!
//! ## What it does
//! With 0 a loop device reads and writes its file through the page cache: what the file system on it caches is cached
//! once more, and its writes are done when they are in memory. With 1 they go to the disk below, many at a time.
//!
//! ## Who should change it
//! Image files that are mounted and loaded: containers, build roots, snaps. 1 where memory is short, where latency counts
//! or where the loop device shall behave like its disk; 0 where the file is read again and again by several.
//!
//! ## Risk and how it is undone
//! Performance only. Flushes reach the disk with both. With 0 a machine that loses power loses more of what was not
//! flushed, and what is read from memory says nothing of a disk: the design syncs at the end of each window, so that
//! writes are counted when they are on the disk.
//!
//! ## Kernel versions
//! 4.4 and newer, by an ioctl (LOOP_SET_DIRECT_IO); sysfs shows it. EINVAL where the file system has no direct I/O or the
//! device's blocks are smaller than those of the disk below.
//!
//! ## Example
//! ```text
//! iodyno tune /mnt/image --rw randwrite --iodepth 16 --budget 10m --knob dio
//! ```
//!
//! ## Sources
//! - Linux `drivers/block/loop.c`, `loop_set_dio`; losetup(8), `--direct-io`

use crate::{Knob, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dio",
    since: "0.1.0",
    summary: "whether a loop device passes its file's page cache by",
    on: SubjectKind::Loop,
    attribute: "dio",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    refusals: &[(
        libc::EINVAL,
        "the file below cannot be used with direct I/O: its file system has none, or the disk's blocks are larger",
    )],
    choices: |device| values::choices(&KNOB, device, &["0", "1"]),
    rejects: |_, value| values::not_one_of(value, &["0", "1"]),
    ..Knob::PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_on_or_off() {
        crate::fixture::tries(&KNOB, "0", &["0", "1"], &["2", "on"]);
    }
}
