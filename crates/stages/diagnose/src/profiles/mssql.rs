//! # TuneD: SQL Server
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for Microsoft SQL Server.
//!
//! ## Settings
//! Those of `throughput-performance`, less what these replace (a ratio and its bytes replace each other):
//! ```text
//! vm.dirty_background_ratio = 3
//! vm.dirty_ratio = 80
//! vm.dirty_expire_centisecs = 500
//! vm.dirty_writeback_centisecs = 100
//! vm.swappiness = 1
//! vm.max_map_count = 1600000
//! net.core.rmem_default = 262144
//! net.core.rmem_max = 4194304
//! net.core.wmem_default = 262144
//! net.core.wmem_max = 1048576
//! kernel.numa_balancing = 0
//! ```
//!
//! ## Known against it
//! A limit of 80 % leaves reclaim hardly a clean page when something else writes: `iodyno explain dirty_ratio_high`.
//! The server's own files are written with direct I/O, on which dirty limits do not act.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile mssql -- -rw=randwrite -bs=8k -direct=1
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/mssql/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "mssql",
    since: "0.1.0",
    summary: "TuneD's profile for SQL Server",
    from: "TuneD 2bfa4423, profiles/mssql/tuned.conf",
    includes: Some(&super::throughput_performance::PROFILE),
    settings: &[
        ("vm.dirty_background_ratio", Wanted::Is("3")),
        ("vm.dirty_ratio", Wanted::Is("80")),
        ("vm.dirty_expire_centisecs", Wanted::Is("500")),
        ("vm.dirty_writeback_centisecs", Wanted::Is("100")),
        ("vm.swappiness", Wanted::Is("1")),
        ("vm.max_map_count", Wanted::Is("1600000")),
        ("net.core.rmem_default", Wanted::Is("262144")),
        ("net.core.rmem_max", Wanted::Is("4194304")),
        ("net.core.wmem_default", Wanted::Is("262144")),
        ("net.core.wmem_max", Wanted::Is("1048576")),
        ("kernel.numa_balancing", Wanted::Is("0")),
    ],
};
