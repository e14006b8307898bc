//! # Segments of shared memory
//!
//! ## What it does
//! The most segments of System V shared memory.
//!
//! ## Unit and default
//! Segments; 4096 by default.
//!
//! ## What it does to storage
//! Nothing: no I/O of a disk passes it.
//!
//! ## Recommended
//! `container-host` (as `shmni`) and TuneD's oracle say 4096, which is the default.
//!
//! ## Known against it
//! Nothing, and nothing is gained: it has been the default since Linux 2.4.
//!
//! ## Sources
//! - shmget(2), `SHMMNI`
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_shmmni",
    since: "0.1.0",
    name: "kernel.shmmni",
    summary: "a limit of shared memory",
    acts: ActsOn::Nothing,
};
