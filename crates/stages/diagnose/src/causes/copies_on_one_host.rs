//! # All copies on one host
//!
//! Also: failure domain, CRUSH rule, `chooseleaf`, `osd_crush_chooseleaf_type`.
//!
//! ## What it finds
//! A pool of several copies, or of parts of an erasure code, whose CRUSH rule chooses OSDs alone and no hosts, where one host has as
//! many OSDs as there are copies; or whose OSDs all stand in one host, whatever the rule says.
//!
//! ## Why it matters
//! One host that fails, or restarts, takes all copies of some data at once: I/O to it waits until the host is back. Copies on one host
//! also share its network, its controller and its memory, so a write is no faster than the host is with all of them.
//!
//! ## What to try
//! `ceph osd crush rule create-replicated by_host default host`, then `ceph osd pool set POOL crush_rule by_host`: much of the data moves.
//! With fewer hosts than copies no such rule can be met. A cluster of one host can have it in no other way.
//!
//! ## Example
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 failure_domain=osd rule_types=osd crush_rule=flat osds=12 osd_hosts=4 osds_per_host_max=3
//! expect: warning says "may lie on one of its 4 hosts" about vms
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: cold pool_type=erasure-coded pool_size=6 failure_domain=osd rule_types=osd osds=24 osd_hosts=4 osds_per_host_max=6
//! expect: warning says "All 6 parts" about cold
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=2 failure_domain=osd crush_rule=replicated__rule osds=3 osd_hosts=1
//! expect: warning says "one host" about vms
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 failure_domain=host osds=12 osd_hosts=4
//! ```
//! A rule of two steps chooses hosts first:
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: cold pool_type=erasure-coded pool_size=8 failure_domain=osd rule_types=host_osd osds=48 osd_hosts=4 osds_per_host_max=12
//! ```
//! No host has as many OSDs as there are copies:
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 failure_domain=osd rule_types=osd osds=8 osd_hosts=4 osds_per_host_max=2
//! ```
//! A single copy has nothing to keep apart:
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: scratch pool_size=1 failure_domain=osd osds=12 osd_hosts=4
//! ```
//!
//! ## Seen
//! Not produced: the rule is read, not measured.
//!
//! ## Sources
//! - Ceph documentation: CRUSH Maps, failure domains; Pool, PG and CRUSH Config Reference, `osd_crush_chooseleaf_type`

use crate::ceph_parts::pools;
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "copies_on_one_host",
    since: "0.1.0",
    summary: "a Ceph pool whose copies may all lie on one host",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the hosts of the CRUSH map are parts of one machine, or the other way round: then ceph osd tree shows names that are no hosts",
    ],
    experiment: Experiment::Line(
        "{ceph} osd crush rule dump && {ceph} osd tree # the types in the rule's choose steps, and which hosts there are",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    pools(scene).filter_map(finding).collect()
}

fn finding(pool: &Layer) -> Option<Finding> {
    let copies = pool.number("pool_size").filter(|copies| *copies > 1.0)?;
    let hosts = pool.number("osd_hosts")?;
    // A rule can choose hosts first, and OSDs in them last.
    let types = pool.fact("rule_types").unwrap_or_default();
    let is_flat = !types.is_empty() && types.split(' ').all(|kind| kind == "osd");
    let fit = pool.number("osds_per_host_max").unwrap_or(0.0) >= copies;
    let what = match pool.fact("pool_type") {
        Some("erasure-coded") => "parts",
        _ => "copies",
    };
    let claim = match hosts {
        1.0 => format!(
            "All {} {what} of the pool {} lie on one host.",
            units::whole(copies),
            pool.name
        ),
        _ if is_flat && fit => format!(
            "All {} {what} of data of the pool {} may lie on one of its {} hosts.",
            units::whole(copies),
            pool.name,
            units::whole(hosts)
        ),
        _ => return None,
    };
    let fact = |name: &str| pool.fact(name).unwrap_or("not known").to_string();
    Some(
        warning(&pool.name, claim)
            .shows("failure_domain", fact("failure_domain"))
            .shows("crush_rule", fact("crush_rule"))
            .shows("rule_types", fact("rule_types"))
            .shows("osd_hosts", fact("osd_hosts"))
            .shows("osds_per_host_max", fact("osds_per_host_max"))
            .refuted_by("ceph pg dump shows no two OSDs of one host in an acting set")
            .advise(
                "Use a rule whose failure domain is host, once there are as many hosts as copies.",
            ),
    )
}
