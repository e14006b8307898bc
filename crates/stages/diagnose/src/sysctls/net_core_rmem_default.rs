//! # Default of receive buffers
//!
//! ## What it does
//! How large the receive buffer of a socket is that says nothing itself. TCP has its own: `net.ipv4.tcp_rmem` overrides
//! it.
//!
//! ## Unit and default
//! Bytes; 212992 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. NFS, iSCSI and Ceph go over TCP, which does not use it.
//!
//! ## Recommended
//! `container-host` names it without a value; TuneD 262144 in mssql and oracle.
//!
//! ## Known against it
//! A value without a number is no advice. Large buffers for each socket cost memory, and TCP sizes its own.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/net.rst`, `rmem_default`; Linux `Documentation/networking/ip-sysctl.rst`, `tcp_rmem`
//! - TuneD 2bfa4423, `profiles/mssql/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_core_rmem_default",
    since: "0.1.0",
    name: "net.core.rmem_default",
    summary: "buffers of sockets other than TCP's",
    acts: ActsOn::Nothing,
};
