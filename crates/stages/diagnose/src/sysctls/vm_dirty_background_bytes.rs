//! # Background writeback in bytes
//!
//! ## What it does
//! The bytes that are dirty when background writeback begins, a knob: `iodyno explain dirty_background_bytes` says what
//! it does, what it risks and how it is undone.
//!
//! ## Unit and default
//! Bytes; 0 by default, which means that the ratio holds.
//!
//! ## What it does to storage
//! It acts on buffered writes alone. `iodyno tune --knob vm.dirty_background_bytes=A,B` measures it.
//!
//! ## Recommended
//! TuneD 67108864 (64 MiB) in postgresql.
//!
//! ## Known against it
//! One number for every disk; pages that are written over and over go out more often.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_background_bytes`
//! - TuneD 2bfa4423, `profiles/postgresql/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_dirty_background_bytes",
    since: "0.1.0",
    name: "vm.dirty_background_bytes",
    summary: "writeback begins when this much is dirty",
    acts: ActsOn::BufferedWrites,
};
