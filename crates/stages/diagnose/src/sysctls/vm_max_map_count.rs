//! # Memory maps of a process
//!
//! ## What it does
//! The most memory maps that one process may have: files, libraries and heaps that it maps.
//!
//! ## Unit and default
//! Maps; 65530 by default, and some distributions set 1048576.
//!
//! ## What it does to storage
//! Nothing to its speed. A program that maps more files than this gets ENOMEM from mmap and stops.
//!
//! ## Recommended
//! TuneD 1600000 in mssql, whose server maps very much.
//!
//! ## Known against it
//! Nothing where a program needs it; it reserves nothing. It is no tuning of I/O.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `max_map_count`
//! - TuneD 2bfa4423, `profiles/mssql/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_max_map_count",
    since: "0.1.0",
    name: "vm.max_map_count",
    summary: "a limit of memory maps",
    acts: ActsOn::Nothing,
};
