//! # One CPU share for each session
//!
//! ## What it does
//! Whether the tasks of one session (a terminal, a login) share the CPU with other sessions as one group.
//!
//! ## Unit and default
//! 0 or 1; 1 by default where the kernel was built so.
//!
//! ## What it does to storage
//! Nothing in the path of an I/O: it divides CPU time.
//!
//! ## Recommended
//! TuneD 0 in postgresql: its processes are one session, and would get one share together.
//!
//! ## Known against it
//! Services of systemd are in control groups of their own, where it does not act.
//!
//! ## Sources
//! - sched(7), the autogroup feature
//! - TuneD 2bfa4423, `profiles/postgresql/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_sched_autogroup_enabled",
    since: "0.1.0",
    name: "kernel.sched_autogroup_enabled",
    summary: "shares of CPU time",
    acts: ActsOn::Nothing,
};
