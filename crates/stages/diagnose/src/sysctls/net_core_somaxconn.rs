//! # Queue of connections
//!
//! ## What it does
//! The longest queue of connections that a listening socket may have; what comes beyond it is dropped.
//!
//! ## Unit and default
//! Connections; 4096 since Linux 5.4, 128 before it.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. Over the network it bounds connections that wait to be accepted, not the I/O of
//! those that are.
//!
//! ## Recommended
//! TuneD at least 2048 in throughput-performance and those that include it.
//!
//! ## Known against it
//! Nothing; on Linux 5.4 and newer the default is more.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `somaxconn`
//! - TuneD 2bfa4423, `profiles/throughput-performance/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_core_somaxconn",
    since: "0.1.0",
    name: "net.core.somaxconn",
    summary: "a queue of network connections",
    acts: ActsOn::Nothing,
};
