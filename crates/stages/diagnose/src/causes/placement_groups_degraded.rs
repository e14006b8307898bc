//! # Placement groups without all of their copies
//!
//! Also: degraded, undersized, inactive, down, `PG_DEGRADED`, `PG_AVAILABILITY`, OSD down, OSD out.
//!
//! ## What it finds
//! Placement groups that lack copies (degraded, undersized) or that answer nothing (inactive, peering, down), and OSDs that are down.
//!
//! ## Why it matters
//! What is inactive holds its clients for ever, without an error. What is degraded is slower to write, since objects are recovered
//! before they are changed, and is one failure nearer to being lost.
//!
//! ## What to try
//! `ceph health detail` names the OSDs and placement groups; `systemctl status ceph-osd@N` on the host of one that is down.
//!
//! ## Example
//! ```scene
//! cluster: ceph cluster_pgs=33 pgs_degraded=7 pgs_undersized=7 osds=3 osds_up=2 pg_states=26_active+clean,_7_active+undersized+degraded
//! pool: vms pool_size=2
//! osd: osd.1 osd_up=no osd_host=n1
//! expect: warning says "7 of 33 placement groups lack copies" says "1 of 3 OSDs is down" about ceph
//! ```
//! ```scene
//! cluster: ceph cluster_pgs=33 pgs_inactive=2 osds=3 osds_up=3
//! pool: vms pool_size=2
//! expect: warning says "2 of 33 placement groups answer nothing" about ceph
//! ```
//! ```scene
//! cluster: ceph cluster_pgs=33 osds=12 osds_up=11
//! pool: vms pool_size=3
//! expect: note says "1 of 12 OSDs is down" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph cluster_pgs=33 osds=3 osds_up=3 pg_states=33_active+clean
//! pool: vms pool_size=2
//! ```
//!
//! ## Seen
//! Not produced: the states are those of Ceph's documentation.
//!
//! ## Sources
//! - Ceph documentation: Placement Group States; Health checks, `PG_DEGRADED`, `PG_AVAILABILITY`, `OSD_DOWN`

use crate::ceph_parts::cluster;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::LayerKind;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "placement_groups_degraded",
    since: "0.1.0",
    summary: "placement groups that lack copies or answer nothing, and OSDs that are down",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "an OSD is only restarting: then all are active+clean again within a minute",
        "the rule cannot be met with the hosts that there are: then the placement groups stay undersized with all OSDs up",
    ],
    experiment: Experiment::Line(
        "{ceph} health detail # which placement groups and OSDs it is, and whether they become fewer",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let count = |name: &str| cluster.number(name).unwrap_or(0.0);
    let lacking = count("pgs_degraded").max(count("pgs_undersized"));
    let silent = count("pgs_inactive");
    let down = (count("osds") - count("osds_up")).max(0.0);
    let all = cluster.fact("cluster_pgs").unwrap_or("the");
    let mut parts = Vec::new();
    if silent > 0.0 {
        parts.push(format!(
            "{} of {all} placement groups answer nothing",
            units::whole(silent)
        ));
    }
    if lacking > 0.0 {
        parts.push(format!(
            "{} of {all} placement groups lack copies",
            units::whole(lacking)
        ));
    }
    if down > 0.0 && cluster.fact("osds_up").is_some() {
        let verb = if down == 1.0 { "is" } else { "are" };
        parts.push(format!(
            "{} of {} OSDs {verb} down",
            units::whole(down),
            units::whole(count("osds"))
        ));
    }
    if parts.is_empty() {
        return None;
    }
    let level = match silent + lacking > 0.0 {
        true => Level::Warning,
        false => Level::Note,
    };
    let of_path = scene
        .of_kind(LayerKind::Osd)
        .filter(|osd| osd.fact("osd_up") == Some("no"));
    let names: Vec<&str> = of_path.map(|osd| osd.name.as_str()).collect();
    let names = if names.is_empty() {
        "none of this path".into()
    } else {
        names.join(" ")
    };
    Some(
        found(level, &cluster.name, format!("{}.", parts.join("; ")))
            .shows(
                "pg_states",
                cluster.fact("pg_states").unwrap_or("not known"),
            )
            .shows("OSDs that are down", names)
            .refuted_by("ceph status shows all placement groups active+clean")
            .advise(
                "Bring back the OSDs that ceph health detail names, or let the cluster recover.",
            )
            // What answers nothing takes all of the time of what waits for it.
            .gains(if silent > 0.0 { 1.0 } else { 0.05 }),
    )
}
