//! # TuneD: Oracle
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for Oracle's database.
//!
//! ## Settings
//! Those of `throughput-performance`, less what these replace (a ratio and its bytes replace each other):
//! ```text
//! vm.dirty_background_ratio = 3
//! vm.dirty_ratio = 40
//! vm.dirty_expire_centisecs = 500
//! vm.dirty_writeback_centisecs = 100
//! vm.swappiness = 10
//! kernel.shmmax = 4398046511104
//! kernel.shmall = 1073741824
//! kernel.shmmni = 4096
//! kernel.sem = 250 32000 100 128
//! fs.file-max = 6815744
//! fs.aio-max-nr = 1048576
//! net.ipv4.ip_local_port_range = 9000 65499
//! net.core.rmem_default = 262144
//! net.core.rmem_max = 4194304
//! net.core.wmem_default = 262144
//! net.core.wmem_max = 1048576
//! kernel.panic_on_oops = 1
//! kernel.numa_balancing = 0
//! ```
//!
//! ## Known against it
//! Limits of shared memory, semaphores and files are older than the defaults of today's kernels, and smaller.
//! `fs.aio-max-nr` is the one that keeps the database from failing; it makes nothing faster.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile oracle -- -rw=randrw -bs=8k -direct=1 -ioengine=libaio
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/oracle/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "oracle",
    since: "0.1.0",
    summary: "TuneD's profile for Oracle's database",
    from: "TuneD 2bfa4423, profiles/oracle/tuned.conf",
    includes: Some(&super::throughput_performance::PROFILE),
    settings: &[
        ("vm.dirty_background_ratio", Wanted::Is("3")),
        ("vm.dirty_ratio", Wanted::Is("40")),
        ("vm.dirty_expire_centisecs", Wanted::Is("500")),
        ("vm.dirty_writeback_centisecs", Wanted::Is("100")),
        ("vm.swappiness", Wanted::Is("10")),
        ("kernel.shmmax", Wanted::Is("4398046511104")),
        ("kernel.shmall", Wanted::Is("1073741824")),
        ("kernel.shmmni", Wanted::Is("4096")),
        ("kernel.sem", Wanted::Is("250 32000 100 128")),
        ("fs.file-max", Wanted::Is("6815744")),
        ("fs.aio-max-nr", Wanted::Is("1048576")),
        ("net.ipv4.ip_local_port_range", Wanted::Is("9000 65499")),
        ("net.core.rmem_default", Wanted::Is("262144")),
        ("net.core.rmem_max", Wanted::Is("4194304")),
        ("net.core.wmem_default", Wanted::Is("262144")),
        ("net.core.wmem_max", Wanted::Is("1048576")),
        ("kernel.panic_on_oops", Wanted::Is("1")),
        ("kernel.numa_balancing", Wanted::Is("0")),
    ],
};
