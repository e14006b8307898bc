//! # Share of memory that may be dirty
//!
//! ## What it does
//! The share of memory that may be dirty before writers wait, a knob: `iodyno explain dirty_ratio` says what it does, what
//! it risks and how it is undone.
//!
//! ## Unit and default
//! Percent, 0 to 100; 20 by default. 0 is read where `vm.dirty_bytes` holds.
//!
//! ## What it does to storage
//! It acts on buffered writes alone. Direct I/O makes no dirty pages and is never slowed down by it. A larger value
//! makes no disk faster: it lets more be promised before the disk is waited for.
//!
//! ## Recommended
//! `container-host` says 30 to 50; TuneD 40 in throughput-performance and oracle, 30 in virtual-guest, 10 in
//! latency-performance, 80 in mssql. Those who wait for fsync do better with seconds of the disk's writing in
//! `vm.dirty_bytes`.
//!
//! ## Known against it
//! What is dirty at a power cut is lost, and each fsync may wait behind it. On 256 GiB, 40 % is some 100 GiB: on a disk
//! of 200 MiB/s over eight minutes. A container with a memory limit is not helped: under version 2 of control groups
//! the share is of the container's own memory, under version 1 its limit fills with pages that only reclaim writes out.
//! `iodyno explain dirty_ratio_high` judges it here.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_ratio`
//! - Linux `mm/page-writeback.c`, `domain_dirty_limits`, `balance_dirty_pages`
//! - TuneD 2bfa4423, `profiles/*/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_dirty_ratio",
    since: "0.1.0",
    name: "vm.dirty_ratio",
    summary: "writers wait when this share of memory is dirty",
    acts: ActsOn::BufferedWrites,
};
