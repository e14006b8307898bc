//! # Half closed connections
//!
//! ## What it does
//! How long a connection that its program has closed waits for the other side to close as well (FIN_WAIT_2).
//!
//! ## Unit and default
//! Seconds; 60 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine.
//!
//! ## Recommended
//! `container-host` says 10.
//!
//! ## Known against it
//! It does not shorten TIME_WAIT, for which it is often set: that is 60 s, fixed in the kernel. Slow peers get a reset.
//! A container with a network namespace of its own has its own value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_fin_timeout`
//! - Linux `include/net/tcp.h`, `TCP_TIMEWAIT_LEN`; network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_fin_timeout",
    since: "0.1.0",
    name: "net.ipv4.tcp_fin_timeout",
    summary: "how long half closed connections stay",
    acts: ActsOn::Nothing,
};
