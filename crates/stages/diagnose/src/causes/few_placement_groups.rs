//! # A pool with few placement groups
//!
//! Also: PG, `pg_num`, autoscaler, `POOL_TOO_FEW_PGS`, `TOO_FEW_PGS`, `mon_target_pg_per_osd`.
//!
//! ## What it finds
//! A pool with fewer placement groups than its rule has OSDs: then some OSDs answer no read of it at all (a warning). With an erasure
//! code as many OSDs of each placement group answer as there are parts of data. A pool that the cluster's autoscaler would give more,
//! or that the cluster itself calls too coarse, is a note.
//!
//! ## Why it matters
//! A placement group lies on as many OSDs as the pool has copies, and the first of them answers all of its reads. With one placement
//! group, a cluster of a hundred disks is as fast as one of them; with few, chance decides which disks have twice the work.
//!
//! ## What to try
//! `ceph osd pool set POOL pg_num N`, a power of two at which each OSD holds about 100 over all pools (`mon_target_pg_per_osd`), or
//! `ceph osd pool set POOL pg_autoscale_mode on`, with `bulk` for a pool that will be large. The data moves meanwhile.
//!
//! ## Example
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 pg_num=1 osds=12 osds_in=12 pg_autoscale_mode=off pg_num_wanted=128
//! expect: warning says "1 placement group" says "12 OSDs" about vms
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__WARN
//! pool: vms pool_size=3 pg_num=16 osds=12 osds_in=12 pg_autoscale_mode=warn pg_num_wanted=256 pg_num_off=yes
//! expect: note says "256" about vms
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: cold pool_type=erasure-coded pool_size=6 pool_min_size=5 pg_num=4 osds=48 osds_in=48
//! expect: warning says "at most 20 of them answer its reads" about cold
//! ```
//!
//! ## Stays silent
//! An erasure code of 8 parts of data and 3 more:
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: cold pool_type=erasure-coded pool_size=11 pool_min_size=9 pg_num=32 osds=100 osds_in=100
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 pg_num=16 osds=12 osds_in=12 pg_autoscale_mode=on pg_num_wanted=32
//! ```
//! A file system's metadata needs little room:
//! ```scene
//! cluster: ceph cephfs=tank metadata_pool=meta data_pools=data
//! pool: meta pool_size=3 pg_num=8 osds=12 osds_in=12 pg_autoscale_mode=on pg_num_wanted=16
//! ```
//!
//! ## Seen
//! Not produced: the arithmetic is that of Ceph's placement.
//!
//! ## Sources
//! - Ceph documentation: Placement Groups; Health checks, `POOL_TOO_FEW_PGS`, `TOO_FEW_PGS`; `mon_target_pg_per_osd`, default 100
//! - Ceph documentation: Architecture, Calculating PG IDs: reads go to the primary of the acting set
//! - Ceph `src/pybind/mgr/pg_autoscaler/module.py`: `would_adjust` from a factor of 3 on

use crate::ceph_parts::{cluster, pools};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "few_placement_groups",
    since: "0.1.0",
    summary: "a Ceph pool with too few placement groups for its OSDs",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "all I/O goes to one object or image, and few stripes of it: then more placement groups change nothing",
        "the cap is the client or the network: then the busiest OSD has time to spare",
    ],
    experiment: Experiment::Line(
        "{ceph} osd df tree # while the load runs, with iostat on the hosts: few OSDs work, or all do",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let metadata = cluster(scene).and_then(|cluster| cluster.fact("metadata_pool"));
    let is_small = |pool: &Layer| metadata == Some(pool.name.as_str());
    pools(scene)
        .filter_map(|pool| finding(pool, is_small(pool)))
        .collect()
}

/// How many OSDs of a placement group answer a read: the first, or with an erasure code those of the parts of data. How many those
/// are is not told, and `min_size` is no less: Ceph lets nobody set it lower, and sets it one higher by itself.
fn answering_each(pool: &Layer) -> f64 {
    let parts = || pool.number("pool_min_size").or(pool.number("pool_size"));
    match pool.fact("pool_type") {
        Some("erasure-coded") => parts().unwrap_or(1.0).max(1.0),
        _ => 1.0,
    }
}

/// A pool of metadata holds little, and works in memory: there only what the autoscaler says counts.
fn finding(pool: &Layer, is_small: bool) -> Option<Finding> {
    let pgs = pool.number("pg_num").filter(|pgs| *pgs >= 1.0)?;
    let osds = pool.number("osds_in").or(pool.number("osds"))?;
    let wanted = pool.number("pg_num_wanted").filter(|wanted| *wanted > pgs);
    let is_off = pool.fact("pg_num_off") == Some("yes");
    let groups = match pgs {
        1.0 => "1 placement group".to_string(),
        _ => format!("{} placement groups", units::whole(pgs)),
    };
    let answering = pgs * answering_each(pool);
    let (level, claim, gain) = if answering < osds && !is_small {
        let gain = (osds / answering - 1.0).min(3.0);
        let answering = match answering {
            1.0 => "one of them answers all of its reads".to_string(),
            _ => format!(
                "at most {} of them answer its reads",
                units::whole(answering)
            ),
        };
        let claim = format!(
            "The pool {} has {groups} on {} OSDs: {answering}.",
            pool.name,
            units::whole(osds)
        );
        (Level::Warning, claim, gain)
    } else if let Some(wanted) = wanted.filter(|_| is_off) {
        let claim = format!(
            "The pool {} has {groups}; the cluster's autoscaler would give it {}.",
            pool.name,
            units::whole(wanted)
        );
        (Level::Note, claim, 0.1)
    } else {
        return None;
    };
    let fact = |name: &str| pool.fact(name).unwrap_or("not known").to_string();
    Some(
        found(level, &pool.name, claim)
            .shows("pg_num", fact("pg_num"))
            .shows("pool_size", fact("pool_size"))
            .shows("pg_autoscale_mode", fact("pg_autoscale_mode"))
            .shows("pg_num_wanted", fact("pg_num_wanted"))
            .refuted_by("under load all OSDs are as busy as each other")
            .advise(
                "Give the pool more placement groups, a power of two, or let the autoscaler do it.",
            )
            .gains(gain),
    )
}
