//! # Questions to an idle peer
//!
//! ## What it does
//! How many questions in a row may stay without an answer before an idle connection counts as broken.
//!
//! ## Unit and default
//! Questions; 9 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine.
//!
//! ## Recommended
//! `container-host` says 3: with its other values a dead peer is noticed after 660 s, by default after 7875 s.
//!
//! ## Known against it
//! Three lost packets end a connection that is only slow. A container with a network namespace of its own has its own
//! value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_keepalive_probes`
//! - network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_keepalive_probes",
    since: "0.1.0",
    name: "net.ipv4.tcp_keepalive_probes",
    summary: "how soon a dead peer is noticed",
    acts: ActsOn::Nothing,
};
