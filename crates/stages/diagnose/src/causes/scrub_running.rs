//! # A cluster that scrubs
//!
//! Also: scrub, deep scrub, `osd_max_scrubs`, `osd_scrub_begin_hour`, `osd_scrub_sleep`.
//!
//! ## What it finds
//! Placement groups that are being scrubbed. Deep scrubs that occupy a quarter or more of the cluster's OSDs are a warning (a proposal
//! of this project): of which pool they are is not told. Fewer, and those that compare only metadata, are a note: each cluster does that all the time.
//!
//! ## Why it matters
//! A deep scrub reads every byte of a placement group on all OSDs that hold it. With `osd_max_scrubs` at its default of 1, each such
//! placement group keeps as many OSDs busy as the pool has copies.
//!
//! ## What to try
//! Hours in which few work: `ceph config set osd osd_scrub_begin_hour 22` and `osd_scrub_end_hour 6`; a larger `osd_scrub_sleep`. Without any
//! scrubs, nobody notices when a disk forgets.
//!
//! ## Example
//! ```scene
//! cluster: ceph pgs_scrubbing=2 pgs_deep_scrubbing=2 cluster_pgs=64 osds_up=12
//! pool: vms pool_size=3 osds_up=12
//! expect: warning says "6 of the cluster's 12 OSDs" about ceph
//! ```
//! ```scene
//! cluster: ceph pgs_scrubbing=5 pgs_deep_scrubbing=4 cluster_pgs=4096 osds_up=500
//! pool: vms pool_size=3 osds_up=12
//! expect: note says "4 placement groups" about ceph
//! ```
//! ```scene
//! cluster: ceph pgs_scrubbing=2 cluster_pgs=64
//! pool: vms pool_size=3 osds_up=12
//! expect: note says "metadata" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph cluster_pgs=64
//! pool: vms pool_size=3 osds_up=12
//! ```
//!
//! ## Seen
//! Not produced: the states are those of Ceph's documentation.
//!
//! ## Sources
//! - Ceph documentation: Placement Group States, `deep`; OSD Config Reference, Scrubbing: `osd_max_scrubs`, `osd_scrub_sleep`

use crate::ceph_parts::{cluster, pools};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "scrub_running",
    since: "0.1.0",
    summary: "a Ceph cluster that scrubs beside the load",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "others load the same OSDs: then the rates of clients in ceph status are high",
        "recovery runs as well: then placement groups are backfilling or recovering",
    ],
    experiment: Experiment::Line(
        "{ceph} osd set nodeep-scrub && {ceph} osd set noscrub # those at work end first, then latency falls if it was this; then the same with unset",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Of the cluster's OSDs at work for deep scrubs.
const SHARE_MIN: f64 = 0.25;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let all = cluster
        .number("pgs_scrubbing")
        .filter(|count| *count > 0.0)?;
    let deep = cluster.number("pgs_deep_scrubbing").unwrap_or(0.0);
    // Pools differ in their copies; this one's stand for all.
    let size = pools(scene)
        .next()
        .and_then(|pool| pool.number("pool_size"));
    let busy = size.zip(cluster.number("osds_up")).map(|(size, osds)| {
        let busy = (deep * size).min(osds);
        (busy, osds, busy / osds.max(1.0))
    });
    let (level, claim, gain) = match busy.filter(|_| deep > 0.0) {
        Some((busy, osds, share)) if share >= SHARE_MIN => {
            let claim = format!(
                "Deep scrubs read everything on up to {} of the cluster's {} OSDs.",
                units::whole(busy),
                units::whole(osds)
            );
            (Level::Warning, claim, share.min(0.5))
        }
        _ if deep > 0.0 => {
            let claim = format!(
                "{} placement groups are being deep-scrubbed.",
                units::whole(deep)
            );
            (Level::Note, claim, 0.05)
        }
        _ => {
            let claim = format!(
                "{} placement groups are being scrubbed, metadata only.",
                units::whole(all)
            );
            (Level::Note, claim, 0.0)
        }
    };
    Some(
        found(level, &cluster.name, claim)
            .shows("pgs_scrubbing", units::whole(all))
            .shows("pgs_deep_scrubbing", units::whole(deep))
            .shows("cluster_pgs", cluster.fact("cluster_pgs").unwrap_or("not known"))
            .refuted_by("latency stays the same while noscrub and nodeep-scrub are set and no scrub is left")
            .advise("Move scrubs to hours in which few work: osd_scrub_begin_hour, osd_scrub_end_hour.")
            .gains(gain),
    )
}
