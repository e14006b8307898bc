//! # Operations that an OSD does not finish
//!
//! Also: slow ops, slow requests, blocked requests, `SLOW_OPS`, `osd_op_complaint_time`.
//!
//! ## What it finds
//! Daemons that report operations older than the cluster's own limit (`osd_op_complaint_time`, 30 s by default), and stores that report
//! slow operations of their disk (`BLUESTORE_SLOW_OP_ALERT`).
//!
//! ## Why it matters
//! A client's I/O that is in such an operation has waited for half a minute. It is mostly one disk, one link or one OSD that others
//! wait for, and the operations say which.
//!
//! ## What to try
//! `ceph daemon osd.N dump_ops_in_flight` on its host: `waiting for subops from` names the OSDs waited for, `queued_for_pg` means that the
//! OSD itself has no time.
//!
//! ## Example
//! ```scene
//! cluster: ceph health=HEALTH__WARN health_checks=SLOW__OPS_12_slow_ops,_oldest_one_blocked_for_45_sec,_osd.2_has_slow_ops
//! pool: vms pool_size=3
//! expect: warning says "12 slow ops, oldest one blocked for 45 sec" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health=HEALTH__WARN health_checks=OSDMAP__FLAGS_noout_flag(s)_set
//! pool: vms pool_size=3
//! ```
//!
//! ## Seen
//! Not produced: it is the cluster's own report.
//!
//! ## Sources
//! - Ceph documentation: Health checks, `SLOW_OPS`; Troubleshooting OSDs, slow requests; OSD Config Reference, `osd_op_complaint_time`

use crate::ceph_parts::{checks, cluster, words};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "operations_blocked_in_osds",
    since: "0.1.0",
    summary: "operations that Ceph daemons have had for longer than the cluster allows",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "a disk is slow or broken: then its OSD stands out in ceph osd perf, and smartctl or its kernel's log says so",
        "the network between the OSDs drops packets: then ceph health detail has slow pings, or ip -s link counts drops",
        "an OSD is full, or placement groups are inactive: then ceph health detail says so",
    ],
    experiment: Experiment::Line(
        "{ceph} health detail # then, on the host of the OSD that it names: ceph daemon osd.N dump_ops_in_flight",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const CHECKS: &[&str] = &[
    "SLOW_OPS",
    "REQUEST_SLOW",
    "REQUEST_STUCK",
    "BLUESTORE_SLOW_OP_ALERT",
];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let found = cluster(scene).and_then(|cluster| {
        let said = checks(cluster, CHECKS);
        let claim = format!("The cluster reports {}.", words(said.first()?).trim_end_matches('.'));
        let finding = warning(&cluster.name, claim)
            .shows("health_checks", said.join("; "))
            .refuted_by("ceph health detail names no slow operations a minute later")
            .advise("See what the oldest operations wait for, on the OSD that ceph health detail names.")
            .gains(0.5);
        Some(finding)
    });
    found.into_iter().collect()
}
