//! # Age of dirty pages that are written out
//!
//! ## What it does
//! How old a dirty page may become, a knob: `iodyno explain dirty_expire_centisecs` says what it does, what it risks
//! and how it is undone.
//!
//! ## Unit and default
//! Hundredths of a second; 3000 by default.
//!
//! ## What it does to storage
//! It acts on buffered writes alone. `iodyno tune --knob vm.dirty_expire_centisecs=A,B` measures it.
//!
//! ## Recommended
//! TuneD 500 in mssql and oracle.
//!
//! ## Known against it
//! Pages that change often are written six times as often as with the default. A database that writes with direct I/O
//! or syncs itself gains nothing.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_expire_centisecs`
//! - TuneD 2bfa4423, `profiles/mssql/tuned.conf`, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "vm_dirty_expire_centisecs",
    since: "0.1.0",
    name: "vm.dirty_expire_centisecs",
    summary: "dirty pages are written out when they are this old",
    acts: ActsOn::BufferedWrites,
};
