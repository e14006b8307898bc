//! # One stream against three
//!
//! ## What it measures
//! The test of a field report that compared USB sticks, USB bridges and loop devices: 16k direct psync reads by one
//! thread and by three. A disk behind usb-storage falls apart at three streams (102 to 17 MiB/s in the report), one
//! behind UAS or NVMe gains. The three threads read the same blocks, as in the report; a last section gives each
//! its own part.
//!
//! ## When to use it
//! To tell a device that queues from one that does not, and a loop device without direct I/O from a disk.
//!
//! ## Job
//! ```text
//! [global]
//! ioengine=psync
//! direct=1
//! thread
//! bs=16k
//! size=2g
//! time_based=1
//! runtime=15
//! filename=disk
//!
//! [one]
//! rw=read
//! numjobs=1
//!
//! [three]
//! stonewall
//! rw=read
//! numjobs=3
//!
//! [three-random]
//! stonewall
//! rw=randread
//! numjobs=3
//!
//! [three-apart]
//! stonewall
//! rw=read
//! numjobs=3
//! size=640m
//! offset_increment=640m
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /dev/sdd --preset streams_one_three
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "streams_one_three",
    since: "0.1.0",
    summary: "16k sequential reads by one and by three threads, together and apart",
};
