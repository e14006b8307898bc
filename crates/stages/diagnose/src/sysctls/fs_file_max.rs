//! # Open files of the machine
//!
//! ## What it does
//! The most open files that all processes together may have. `fs.file-nr` says how many are open.
//!
//! ## Unit and default
//! Files; by default about one for each 10 KiB of memory, and systemd 240 and newer sets it to the largest number.
//!
//! ## What it does to storage
//! Nothing to its speed. At the limit opening a file fails with ENFILE, and the kernel logs that the limit was reached.
//!
//! ## Recommended
//! `container-host` names it without a value, and beside it the limits of processes and open files of a user, which are
//! no kernel settings (limits.conf, `LimitNOFILE=`). TuneD 6815744 in oracle.
//!
//! ## Known against it
//! On a machine with much memory, or with systemd, TuneD's number is less than the default: it then only takes away.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/fs.rst`, `file-max & file-nr`
//! - Linux `fs/file_table.c`, `files_maxfiles_init`; systemd NEWS, 240
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "fs_file_max",
    since: "0.1.0",
    name: "fs.file-max",
    summary: "a limit of open files",
    acts: ActsOn::Nothing,
};
