//! # Limit of dirty pages in bytes
//!
//! ## What it does
//! The bytes that may be dirty before writers wait, a knob: `iodyno explain dirty_bytes` says what it does, what it
//! risks and how it is undone.
//!
//! ## Unit and default
//! Bytes; 0 by default, which means that the ratio holds.
//!
//! ## What it does to storage
//! It acts on buffered writes alone. `iodyno tune --knob vm.dirty_bytes=A,B` measures it.
//!
//! ## Recommended
//! TuneD 536870912 (512 MiB) in postgresql, which replaces the 40 % of the profile that it includes.
//!
//! ## Known against it
//! 512 MiB are a quarter of a second on a fast NVMe disk and five on a hard disk: seconds of the disk's own writing
//! suit more machines than one number.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_bytes`
//! - TuneD 2bfa4423, `profiles/postgresql/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_dirty_bytes",
    since: "0.1.0",
    name: "vm.dirty_bytes",
    summary: "writers wait when this much is dirty",
    acts: ActsOn::BufferedWrites,
};
