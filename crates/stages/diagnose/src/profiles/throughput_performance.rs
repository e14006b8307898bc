//! # TuneD: throughput
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for servers, which most of its other profiles include and Red Hat's
//! distributions choose for physical servers.
//!
//! ## Settings
//! ```text
//! vm.dirty_ratio = 40
//! vm.dirty_background_ratio = 10
//! vm.swappiness = 10
//! net.core.somaxconn = at least 2048
//! ```
//!
//! ## Known against it
//! 40 % of a large memory is minutes of a disk's writing. The profile also sets read-ahead of 4096 KiB and the CPU
//! governor, which `iodyno inspect` shows with whoever set them; they are no kernel parameters and are not compared.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile throughput-performance -- -rw=write -bs=1m -direct=0
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/throughput-performance/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "throughput_performance",
    since: "0.1.0",
    summary: "TuneD's profile for throughput",
    from: "TuneD 2bfa4423, profiles/throughput-performance/tuned.conf",
    includes: None,
    settings: &[
        ("vm.dirty_ratio", Wanted::Is("40")),
        ("vm.dirty_background_ratio", Wanted::Is("10")),
        ("vm.swappiness", Wanted::Is("10")),
        ("net.core.somaxconn", Wanted::AtLeast(2048)),
    ],
};
