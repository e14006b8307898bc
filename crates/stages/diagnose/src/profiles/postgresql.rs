//! # TuneD: PostgreSQL
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for PostgreSQL, which writes its tables through the page cache and syncs at
//! checkpoints: dirty limits in bytes keep the syncs short.
//!
//! ## Settings
//! Those of `throughput-performance`, less what these replace (a ratio and its bytes replace each other):
//! ```text
//! vm.dirty_background_bytes = 67108864
//! vm.dirty_bytes = 536870912
//! vm.swappiness = 3
//! kernel.sched_autogroup_enabled = 0
//! ```
//!
//! ## Known against it
//! The same bytes for a hard disk and for an NVMe disk. Its settings of the scheduler (`sched_min_granularity_ns` and
//! others) are no kernel parameters since Linux 5.13 and are not compared.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile postgresql -- -rw=randwrite -bs=8k -direct=0 -fdatasync=32
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/postgresql/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "postgresql",
    since: "0.1.0",
    summary: "TuneD's profile for PostgreSQL",
    from: "TuneD 2bfa4423, profiles/postgresql/tuned.conf",
    includes: Some(&super::throughput_performance::PROFILE),
    settings: &[
        ("vm.dirty_background_bytes", Wanted::Is("67108864")),
        ("vm.dirty_bytes", Wanted::Is("536870912")),
        ("vm.swappiness", Wanted::Is("3")),
        ("kernel.sched_autogroup_enabled", Wanted::Is("0")),
    ],
};
