//! # Answers to a connection
//!
//! ## What it does
//! How often the answer to an incoming connection is sent again before it is forgotten.
//!
//! ## Unit and default
//! Attempts; 5 by default: the end comes after 63 s.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine.
//!
//! ## Recommended
//! `container-host` says 1.
//!
//! ## Known against it
//! Two lost packets lose a connection. Against floods of SYN packets there are SYN cookies, on by default. A container
//! with a network namespace of its own has its own value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_synack_retries`, `tcp_syncookies`
//! - network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_synack_retries",
    since: "0.1.0",
    name: "net.ipv4.tcp_synack_retries",
    summary: "answers to incoming connections",
    acts: ActsOn::Nothing,
};
