//! # Pause between questions to an idle peer
//!
//! ## What it does
//! How long the kernel waits between two questions to an idle peer that did not answer.
//!
//! ## Unit and default
//! Seconds; 75 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine.
//!
//! ## Recommended
//! `container-host` says 20.
//!
//! ## Known against it
//! Together with three questions, a break of one minute ends idle connections. A container with a network namespace of
//! its own has its own value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_keepalive_intvl`
//! - network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_keepalive_intvl",
    since: "0.1.0",
    name: "net.ipv4.tcp_keepalive_intvl",
    summary: "how soon a dead peer is noticed",
    acts: ActsOn::Nothing,
};
