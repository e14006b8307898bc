//! # Many guests that start at once
//!
//! ## What it measures
//! Sixteen readers, mostly random, with the block sizes of a guest's start: a boot storm on an image store. 90 % of
//! the I/O are reads.
//!
//! ## When to use it
//! To size the store of a hypervisor or of a desktop farm. The time of a boot follows the p50 at this concurrency,
//! the slowest guest the p99.
//!
//! ## Job
//! ```text
//! [boot]
//! ioengine=io_uring
//! direct=1
//! rw=randrw
//! rwmixread=90
//! bssplit=4k/45:8k/10:16k/15:32k/15:64k/15
//! iodepth=4
//! numjobs=16
//! size=2g
//! time_based=1
//! runtime=30
//! filename=images
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /var/lib/libvirt/images --preset vm_boot
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "vm_boot",
    since: "0.1.0",
    summary: "sixteen guests reading mixed sizes at once",
};
