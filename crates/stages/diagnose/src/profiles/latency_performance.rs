//! # TuneD: latency
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for latency: dirty pages are written out early.
//!
//! ## Settings
//! ```text
//! vm.dirty_ratio = 10
//! vm.dirty_background_ratio = 3
//! vm.swappiness = 10
//! ```
//!
//! ## Known against it
//! A share of memory is still gigabytes on large machines. Most of what the profile does for the latency of fast disks
//! is to keep CPUs awake (`force_latency`), which is not compared: `iodyno explain cpu_latency_us`.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile latency-performance -- -rw=randwrite -bs=4k -direct=0
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/latency-performance/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "latency_performance",
    since: "0.1.0",
    summary: "TuneD's profile for latency",
    from: "TuneD 2bfa4423, profiles/latency-performance/tuned.conf",
    includes: None,
    settings: &[
        ("vm.dirty_ratio", Wanted::Is("10")),
        ("vm.dirty_background_ratio", Wanted::Is("3")),
        ("vm.swappiness", Wanted::Is("10")),
    ],
};
