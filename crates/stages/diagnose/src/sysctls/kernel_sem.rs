//! # System V semaphores
//!
//! ## What it does
//! Four limits of System V semaphores: in one set (SEMMSL), in all (SEMMNS), operations in one call (SEMOPM), sets
//! (SEMMNI).
//!
//! ## Unit and default
//! Four numbers; 32000 1024000000 500 32000 since Linux 3.19, 250 32000 32 128 before it.
//!
//! ## What it does to storage
//! Nothing: no I/O of a disk passes it.
//!
//! ## Recommended
//! `container-host` and TuneD's oracle say 250 32000 100 128, the value of Oracle's manual for old kernels.
//!
//! ## Known against it
//! Since Linux 3.19 all four limits become smaller than the default: 128 sets where 32000 were free. A container with
//! an IPC namespace of its own has its own limits: the host's do not act in it.
//!
//! ## Sources
//! - Linux commit e843e7d2c88b; semget(2), `SEMMSL`, `SEMMNI`; semop(2), `SEMOPM`; ipc_namespaces(7)
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "kernel_sem",
    since: "0.1.0",
    name: "kernel.sem",
    summary: "limits of semaphores",
    acts: ActsOn::Nothing,
};
