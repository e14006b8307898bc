//! # A slow network between OSDs
//!
//! Also: `OSD_SLOW_PING_TIME_BACK`, `OSD_SLOW_PING_TIME_FRONT`, heartbeat, `mon_warn_on_slow_ping_ratio`, cluster network, public network.
//!
//! ## What it finds
//! OSDs whose heartbeats to each other take longer than the cluster allows (a twentieth of `osd_heartbeat_grace`, 1 s by default).
//!
//! ## Why it matters
//! A write goes from the first OSD to those with its copies and back before it is done. A link that drops packets, a switch port that
//! fell back to a lower speed or an MTU that does not fit delays each of them, while all disks have time to spare.
//!
//! ## What to try
//! `ceph daemon osd.N dump_osd_network 0` on a host that `ceph health detail` names: which pairs it is. Then `ip -s link` (drops, errors),
//! `ethtool` (speed), `ping -M do -s 8972` (jumbo frames) between these hosts.
//!
//! ## Example
//! ```scene
//! cluster: ceph health_checks=OSD__SLOW__PING__TIME__BACK_Slow_OSD_heartbeats_on_back_(longest_1118.001ms)
//! pool: vms pool_size=3
//! expect: warning says "1118.001ms" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health_checks=SLOW__OPS_3_slow_ops
//! pool: vms pool_size=3
//! ```
//!
//! ## Seen
//! Not produced: it is the cluster's own report.
//!
//! ## Sources
//! - Ceph documentation: Monitoring OSDs and PGs, Network Performance Checks; `mon_warn_on_slow_ping_ratio`, default 0.05

use crate::ceph_parts::{checks, cluster, words};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cluster_network_slow",
    since: "0.1.0",
    summary: "heartbeats between OSDs that take longer than the cluster allows",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "an OSD's host is short of CPU, so that it answers late: then the run queue of that host is long",
        "an OSD hangs in its disk: then its commit latency stands out in ceph osd perf",
    ],
    experiment: Experiment::Line(
        "{ceph} health detail # which pairs of OSDs; then ping and ip -s link between their hosts",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const CHECKS: &[&str] = &["OSD_SLOW_PING_TIME_BACK", "OSD_SLOW_PING_TIME_FRONT"];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let found = cluster(scene).and_then(|cluster| {
        let said = checks(cluster, CHECKS);
        let claim = format!("The network between OSDs is slow: {}.", words(said.first()?).trim_end_matches('.'));
        let finding = warning(&cluster.name, claim)
            .shows("health_checks", said.join("; "))
            .refuted_by("ping between the hosts that ceph health detail names takes less than a millisecond")
            .advise("Look at links, drops and MTU between the hosts that ceph health detail names.")
            .gains(0.5);
        Some(finding)
    });
    found.into_iter().collect()
}
