//! # Largest segment of shared memory
//!
//! ## What it does
//! The largest segment of System V shared memory that a program may create.
//!
//! ## Unit and default
//! Bytes; since Linux 3.16 as good as no limit (18446744073692774399), before it 33554432.
//!
//! ## What it does to storage
//! Nothing: no I/O of a disk passes it. Databases keep their own cache in such memory; its size is theirs to choose.
//!
//! ## Recommended
//! `container-host` says 80 % of the memory; TuneD 4398046511104 (4 TiB) in oracle.
//!
//! ## Known against it
//! Since Linux 3.16 the value only takes away: the default is larger. PostgreSQL 9.3 and newer use hardly any of this
//! memory. A container with an IPC namespace of its own has its own limits: the host's do not act in it.
//!
//! ## Sources
//! - shmget(2), `SHMMAX`; ipc_namespaces(7)
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_shmmax",
    since: "0.1.0",
    name: "kernel.shmmax",
    summary: "a limit of shared memory",
    acts: ActsOn::Nothing,
};
