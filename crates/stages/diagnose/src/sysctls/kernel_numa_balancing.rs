//! # Moving memory to the CPUs that use it
//!
//! ## What it does
//! Whether the kernel looks which CPU uses which page, by unmapping pages now and then, and moves them to that CPU's
//! node.
//!
//! ## Unit and default
//! 0 or 1, and 2 for tiers of memory since Linux 5.18; 1 on machines with several nodes where the kernel was built so,
//! else 0.
//!
//! ## What it does to storage
//! Nothing in the path of an I/O. The page faults that it makes cost CPU time.
//!
//! ## Recommended
//! TuneD 0 in mssql and oracle, which place their memory themselves.
//!
//! ## Known against it
//! Programs that do not place their memory lose by it: they read from the far node.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/kernel.rst`, `numa_balancing`
//! - TuneD 2bfa4423, `profiles/mssql/tuned.conf`, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_numa_balancing",
    since: "0.1.0",
    name: "kernel.numa_balancing",
    summary: "where memory lies",
    acts: ActsOn::Nothing,
};
