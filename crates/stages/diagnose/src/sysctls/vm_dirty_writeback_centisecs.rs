//! # Wake-ups of writeback
//!
//! ## What it does
//! How often the flusher threads look for old pages, a knob: `iodyno explain dirty_writeback_centisecs` says what it
//! does, what it risks and how it is undone.
//!
//! ## Unit and default
//! Hundredths of a second; 500 by default. 0 switches periodic writeback off.
//!
//! ## What it does to storage
//! It acts on buffered writes alone. `iodyno tune --knob vm.dirty_writeback_centisecs=A,B` measures it.
//!
//! ## Recommended
//! TuneD 100 in mssql and oracle.
//!
//! ## Known against it
//! It only refines the age: waking up each second finds nothing to do before `vm.dirty_expire_centisecs` has passed,
//! unless the background limit is reached, which wakes the flusher anyway.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_writeback_centisecs`
//! - TuneD 2bfa4423, `profiles/mssql/tuned.conf`, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_dirty_writeback_centisecs",
    since: "0.1.0",
    name: "vm.dirty_writeback_centisecs",
    summary: "the flusher looks for old pages this often",
    acts: ActsOn::BufferedWrites,
};
