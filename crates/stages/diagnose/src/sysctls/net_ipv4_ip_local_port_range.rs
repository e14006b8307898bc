//! # Ports of outgoing connections
//!
//! ## What it does
//! The first and the last port that the kernel gives to outgoing connections.
//!
//! ## Unit and default
//! Two ports; 32768 60999 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. Clients of NFS use reserved ports below 1024.
//!
//! ## Recommended
//! `container-host` says 32768 65500, which is 4501 ports more; TuneD 9000 65499 in oracle.
//!
//! ## Known against it
//! A range that begins low takes ports that services listen on: keep those in `net.ipv4.ip_local_reserved_ports`. Node
//! ports of Kubernetes (30000 to 32767) lie in TuneD's range.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `ip_local_port_range`
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_ip_local_port_range",
    since: "0.1.0",
    name: "net.ipv4.ip_local_port_range",
    summary: "ports of outgoing connections",
    acts: ActsOn::Nothing,
};
