//! # Most of receive buffers
//!
//! ## What it does
//! The largest receive buffer that a program may ask for with setsockopt. TCP that sizes its buffers itself goes by
//! `net.ipv4.tcp_rmem`.
//!
//! ## Unit and default
//! Bytes; 212992 on most machines; one with Linux 6.18 had 4194304.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. Over the network it acts on programs that ask for a size, which switches TCP's
//! own sizing off.
//!
//! ## Recommended
//! `container-host` names it without a value; TuneD 4194304 in mssql and oracle.
//!
//! ## Known against it
//! On long and fast ways a fixed buffer is slower than TCP's own sizing.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/net.rst`, `rmem_max`; Linux `Documentation/networking/ip-sysctl.rst`, `tcp_rmem`
//! - TuneD 2bfa4423, `profiles/mssql/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_core_rmem_max",
    since: "0.1.0",
    name: "net.core.rmem_max",
    summary: "the largest buffer that a socket may ask for",
    acts: ActsOn::Nothing,
};
