//! # Share of memory at which background writeback begins
//!
//! ## What it does
//! The share of memory that is dirty when background writeback begins, a knob: `iodyno explain dirty_background_ratio` says
//! what it does, what it risks and how it is undone.
//!
//! ## Unit and default
//! Percent, 0 to 100; 10 by default. 0 is read where `vm.dirty_background_bytes` holds. At or above the limit of
//! writers the kernel takes half of that limit.
//!
//! ## What it does to storage
//! It acts on buffered writes alone: a low value keeps the disk busy early and evenly, a high one lets a storm gather.
//!
//! ## Recommended
//! TuneD 10 in throughput-performance, 5 in virtual-host, 3 in latency-performance, mssql and oracle.
//!
//! ## Known against it
//! A share of large memory is still much: 3 % of 256 GiB are 7.7 GiB. Bytes say what is meant. Too low a value writes
//! pages that would soon have been written again.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_background_ratio`
//! - Linux `mm/page-writeback.c`, `domain_dirty_limits`
//! - TuneD 2bfa4423, `profiles/*/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_dirty_background_ratio",
    since: "0.1.0",
    name: "vm.dirty_background_ratio",
    summary: "writeback begins when this share of memory is dirty",
    acts: ActsOn::BufferedWrites,
};
