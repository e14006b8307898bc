//! # TuneD: virtual machines
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for virtual machines.
//!
//! ## Settings
//! Those of `throughput-performance`, less what these replace (a ratio and its bytes replace each other):
//! ```text
//! vm.dirty_ratio = 30
//! vm.swappiness = 30
//! ```
//!
//! ## Known against it
//! What the guest gathers as dirty pages, the host may gather once more behind it.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile virtual-guest -- -rw=write -bs=1m -direct=0
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/virtual-guest/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "virtual_guest",
    since: "0.1.0",
    summary: "TuneD's profile for virtual machines",
    from: "TuneD 2bfa4423, profiles/virtual-guest/tuned.conf",
    includes: Some(&super::throughput_performance::PROFILE),
    settings: &[
        ("vm.dirty_ratio", Wanted::Is("30")),
        ("vm.swappiness", Wanted::Is("30")),
    ],
};
