//! # Timestamps of TCP
//!
//! ## What it does
//! Whether each TCP segment carries a time, by which round trips are measured and old segments told from new ones
//! (PAWS).
//!
//! ## Unit and default
//! 0, 1 or 2; 1 by default.
//!
//! ## What it does to storage
//! Nothing on a disk of this machine. With NFS or iSCSI over a fast network, sequence numbers wrap within seconds, and
//! without timestamps an old segment can be taken for a new one.
//!
//! ## Recommended
//! `container-host` says 0.
//!
//! ## Known against it
//! Leave it at 1. Without it `tcp_tw_reuse` does not act, round trips are measured once a window, and SYN cookies lose
//! window scaling and selective acknowledgement. It saves 12 bytes a segment. A container with a network namespace of
//! its own has its own value: the host's does not act in it.
//!
//! ## Sources
//! - Linux `Documentation/networking/ip-sysctl.rst`, `tcp_timestamps`, `tcp_tw_reuse`; RFC 7323, section 5
//! - Linux `net/ipv4/syncookies.c`, `cookie_init_timestamp`; network_namespaces(7)

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "net_ipv4_tcp_timestamps",
    since: "0.1.0",
    name: "net.ipv4.tcp_timestamps",
    summary: "timestamps of TCP",
    acts: ActsOn::Nothing,
};
