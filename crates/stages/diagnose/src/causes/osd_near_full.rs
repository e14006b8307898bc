//! # OSDs with little room
//!
//! Also: nearfull, backfillfull, full, `OSD_NEARFULL`, `POOL_FULL`, `mon_osd_nearfull_ratio`.
//!
//! ## What it finds
//! OSDs of the path's pools that are filled beyond the cluster's own ratios (`nearfull_ratio`, `backfillfull_ratio`, `full_ratio`), and
//! pools that the cluster itself calls full or nearly so.
//!
//! ## Why it matters
//! One full OSD stops the writes of every pool that it holds a part of: clients then wait, without an error and without an end. A
//! nearly full one gets no more backfill, so a disk that fails meanwhile is not replaced. BlueStore fragments before that.
//!
//! ## What to try
//! Which one is fullest counts, not the mean: `ceph balancer status`, `ceph osd reweight-by-utilization`. Delete, or add OSDs. Raising the
//! ratios takes away the room that recovery needs.
//!
//! ## Example
//! ```scene
//! cluster: ceph nearfull_ratio=0.85 backfillfull_ratio=0.90 full_ratio=0.95
//! pool: vms pool_size=3 osds=3
//! osd: osd.0 used_share=0.41
//! osd: +osd.1 used_share=0.87 osd_host=n3 osd_devices=sdd
//! expect: warning says "osd.1 (sdd on n3) is 87" says "nearly full" about ceph
//! ```
//! ```scene
//! cluster: ceph nearfull_ratio=0.85 backfillfull_ratio=0.90 full_ratio=0.95 health_checks=OSD__FULL_1_full_osd(s)
//! pool: vms pool_size=3 osds=3
//! osd: osd.0 used_share=0.96
//! osd: +osd.1 used_share=0.96
//! expect: warning says "2 OSDs are" says "writes wait" about ceph
//! ```
//! ```scene
//! cluster: ceph nearfull_ratio=0.85 health_checks=POOL__NEARFULL_1_pool(s)_nearfull
//! pool: vms pool_size=3 osds=3
//! osd: osd.0 used_share=0.40
//! expect: warning says "1 pool(s) nearfull" about ceph
//! ```
//!
//! ## Stays silent
//! The cluster's own ratio counts, whatever the default is:
//! ```scene
//! cluster: ceph nearfull_ratio=0.90 backfillfull_ratio=0.92 full_ratio=0.95
//! pool: vms pool_size=3 osds=3
//! osd: osd.0 used_share=0.88
//! ```
//!
//! ## Seen
//! Not produced: the ratios are the cluster's own.
//!
//! ## Sources
//! - Ceph documentation: Health checks, `OSD_NEARFULL`, `OSD_BACKFILLFULL`, `OSD_FULL`, `POOL_FULL`; Storage Capacity:
//!   the ratios stand in the OSD map, `ceph osd dump`

use crate::ceph_parts::{checks, cluster, osd_words, osds, words};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "osd_near_full",
    since: "0.1.0",
    summary: "OSDs or pools of a Ceph cluster that are full or nearly so",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "data lies unevenly, and the others have room: then VAR in ceph osd df differs much from 1",
        "the ratios were lowered by hand: then ceph osd dump shows others than 0.85, 0.90 and 0.95",
    ],
    experiment: Experiment::Line(
        "{ceph} osd df tree # whether all are as full, or the data lies unevenly",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What the cluster says of itself, of pools too.
const CHECKS: &[&str] = &[
    "OSD_NEARFULL",
    "OSD_BACKFILLFULL",
    "OSD_FULL",
    "POOL_FULL",
    "POOL_NEARFULL",
    "POOL_NEAR_FULL",
    "POOL_BACKFILLFULL",
];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let said = checks(cluster, CHECKS);
    // The first that is passed is the worst.
    let ratios = ["full_ratio", "backfillfull_ratio", "nearfull_ratio"];
    let passed = ratios.into_iter().find_map(|name| {
        let ratio = cluster.number(name).filter(|ratio| *ratio > 0.0)?;
        let full = beyond(scene, ratio);
        (!full.is_empty()).then_some((name, ratio, full))
    });
    let claim = match (&passed, said.first()) {
        (Some((name, _, full)), _) => {
            let who = match full[..] {
                [osd] => format!("{} is {} full", osd_words(osd), used(osd)),
                _ => format!("{} OSDs are up to {} full", full.len(), used(full[0])),
            };
            format!("{who}, {}.", meaning(name))
        }
        (None, Some(check)) => format!("The cluster reports: {}.", words(check)),
        (None, None) => return None,
    };
    let ratio = passed.map(|(name, ratio, _)| (name, units::share(ratio)));
    let (name, ratio) =
        ratio.unwrap_or(("nearfull_ratio", "not passed by an OSD of this path".into()));
    let said = if said.is_empty() {
        "nothing".into()
    } else {
        said.join("; ")
    };
    Some(
        warning(&cluster.name, claim)
            .shows(name, ratio)
            .shows("the cluster says", said)
            .refuted_by("ceph osd df shows them below the ratios of ceph osd dump")
            .advise(
                "Delete, balance or add OSDs before one is full: then writes wait without an end.",
            )
            .gains(0.05),
    )
}

/// The OSDs that are filled to a ratio and more, the fullest first.
fn beyond<'a>(scene: &Scene<'a>, ratio: f64) -> Vec<&'a Layer> {
    let used = |osd: &Layer| osd.number("used_share").unwrap_or(0.0);
    let mut full: Vec<&Layer> = osds(scene)
        .into_iter()
        .filter(|osd| used(osd) >= ratio)
        .collect();
    full.sort_by(|one, other| used(other).total_cmp(&used(one)));
    full
}

fn used(osd: &Layer) -> String {
    osd.number("used_share")
        .map_or_else(String::new, units::share)
}

fn meaning(ratio: &str) -> &'static str {
    match ratio {
        "full_ratio" => "beyond full: writes wait without an end",
        "backfillfull_ratio" => {
            "too full for backfill: copies that are lost are not made anew there"
        }
        _ => "nearly full: a few more and writes stop",
    }
}
