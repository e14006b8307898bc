//! # Attempts to connect
//!
//! ## What it does
//! How often the first packet of an outgoing connection is sent again before connecting fails.
//!
//! ## Unit and default
//! Attempts; 6 by default: the failure comes after some two minutes.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. With network storage it decides how soon mounting or connecting fails.
//!
//! ## Recommended
//! `container-host` says 2.
//!
//! ## Known against it
//! Connecting fails after a few seconds, so a switch that is busy for that long is an outage. A container with a
//! network namespace of its own has its own value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_syn_retries`
//! - network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_syn_retries",
    since: "0.1.0",
    name: "net.ipv4.tcp_syn_retries",
    summary: "attempts to connect",
    acts: ActsOn::Nothing,
};
