//! # Names of core dumps
//!
//! ## What it does
//! Whether the number of the process is appended to the name of its core dump.
//!
//! ## Unit and default
//! 0 or 1; 0 by default. Without effect where `kernel.core_pattern` has `%p` or pipes the dump to a program.
//!
//! ## What it does to storage
//! Nothing: no I/O of a disk passes it.
//!
//! ## Recommended
//! `container-host` says 1.
//!
//! ## Known against it
//! Dumps that do not replace each other fill the file system on which a program keeps dying.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/kernel.rst`, `core_uses_pid`, `core_pattern`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_core_uses_pid",
    since: "0.1.0",
    name: "kernel.core_uses_pid",
    summary: "names of core dumps",
    acts: ActsOn::Nothing,
};
