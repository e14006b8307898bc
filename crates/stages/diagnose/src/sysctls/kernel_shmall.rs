//! # Shared memory of the machine
//!
//! ## What it does
//! The most System V shared memory of all programs together.
//!
//! ## Unit and default
//! Pages (4096 bytes on most machines); since Linux 3.16 as good as no limit (18446744073692774399), before it 2097152.
//!
//! ## What it does to storage
//! Nothing: no I/O of a disk passes it.
//!
//! ## Recommended
//! `container-host` says `kernel.shmmax` / 4096, so 80 % of the memory; TuneD 1073741824 pages (4 TiB) in oracle.
//!
//! ## Known against it
//! Since Linux 3.16 the value only takes away. It counts pages: written as bytes it is 4096 times what was meant. A
//! container with an IPC namespace of its own has its own limits: the host's do not act in it.
//!
//! ## Sources
//! - shmget(2), `SHMALL`; ipc_namespaces(7)
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_shmall",
    since: "0.1.0",
    name: "kernel.shmall",
    summary: "a limit of shared memory",
    acts: ActsOn::Nothing,
};
