//! # First question to an idle peer
//!
//! ## What it does
//! How long a connection is idle before the kernel asks whether the other side is still there; only where a program
//! switched SO_KEEPALIVE on.
//!
//! ## Unit and default
//! Seconds; 7200 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. With network storage it decides how soon a dead server is noticed; most clients
//! set their own.
//!
//! ## Recommended
//! `container-host` says 600.
//!
//! ## Known against it
//! Nothing; firewalls that forget idle connections after 15 minutes are a reason for it. A container with a network
//! namespace of its own has its own value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_keepalive_time`
//! - network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_keepalive_time",
    since: "0.1.0",
    name: "net.ipv4.tcp_keepalive_time",
    summary: "how soon a dead peer is noticed",
    acts: ActsOn::Nothing,
};
