//! # TuneD: hosts of virtual machines
//!
//! ## What it is for
//! The kernel parameters of TuneD's profile for machines that run virtual machines under KVM.
//!
//! ## Settings
//! Those of `throughput-performance`, less what these replace (a ratio and its bytes replace each other):
//! ```text
//! vm.dirty_background_ratio = 5
//! ```
//!
//! ## Known against it
//! Disks of guests that are opened with `cache=none` use direct I/O: dirty limits of the host do not act on them.
//!
//! ## Example
//! ```console
//! $ iodyno check / --no-load --profile virtual-host -- -rw=randrw -bs=4k -direct=1
//! ```
//!
//! ## Sources
//! - https://github.com/redhat-performance/tuned, commit 2bfa4423 (2026-08), `profiles/virtual-host/tuned.conf`

use crate::{Profile, Wanted};

/// The profile.
pub static PROFILE: Profile = Profile {
    id: "virtual_host",
    since: "0.1.0",
    summary: "TuneD's profile for hosts of virtual machines",
    from: "TuneD 2bfa4423, profiles/virtual-host/tuned.conf",
    includes: Some(&super::throughput_performance::PROFILE),
    settings: &[("vm.dirty_background_ratio", Wanted::Is("5"))],
};
