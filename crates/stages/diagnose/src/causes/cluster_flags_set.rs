//! # Flags that hold a cluster
//!
//! Also: `noout`, `norecover`, `nobackfill`, `norebalance`, `noscrub`, `pause`, `OSDMAP_FLAGS`.
//!
//! ## What it finds
//! Flags of the cluster's map: those that stop clients (`pauserd`, `pausewr`, `full`) as a warning, those that hold recovery, scrubs or the
//! marking of OSDs as a note.
//!
//! ## Why it matters
//! They are set for an hour of work and forgotten: without recovery copies stay lost, without scrubs damage stays unseen.
//!
//! ## What to try
//! `ceph osd unset FLAG`, once nobody works on the cluster. What they held back then begins, and takes its share of the disks.
//!
//! ## Example
//! ```scene
//! cluster: ceph osd_flags=pauserd_pausewr
//! pool: vms pool_size=3
//! expect: warning says "pauserd" about ceph
//! ```
//! ```scene
//! cluster: ceph osd_flags=noscrub_nodeep-scrub
//! pool: vms pool_size=3
//! expect: note says "noscrub nodeep-scrub" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3
//! ```
//! ```scene
//! cluster: ceph osd_flags=require__osd__release
//! pool: vms pool_size=3
//! ```
//!
//! ## Seen
//! Not produced: the flags are read, not measured.
//!
//! ## Sources
//! - Ceph documentation: Health checks, `OSDMAP_FLAGS`; Control Commands, `ceph osd set`

use crate::ceph_parts::cluster;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cluster_flags_set",
    since: "0.1.0",
    summary: "flags by which somebody holds a Ceph cluster's clients, recovery or scrubs",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &["somebody works on the cluster now: then the flags go when the work is done"],
    experiment: Experiment::Line(
        "{ceph} health detail # OSDMAP_FLAGS says which are set; then ask who set them",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const STOPPING: &[&str] = &["pauserd", "pausewr", "pause", "full"];
const HOLDING: &[&str] = &[
    "noup",
    "nodown",
    "noout",
    "noin",
    "nobackfill",
    "norebalance",
    "norecover",
    "noscrub",
    "nodeep-scrub",
    "notieragent",
    "nosnaptrim",
];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let flags: Vec<&str> = cluster.fact("osd_flags")?.split(' ').collect();
    let of = |those: &[&str]| {
        let set: Vec<&str> = flags
            .iter()
            .copied()
            .filter(|flag| those.contains(flag))
            .collect();
        (!set.is_empty()).then(|| set.join(" "))
    };
    let (level, claim, gain) = match (of(STOPPING), of(HOLDING)) {
        (Some(flags), _) => (
            Level::Warning,
            format!("The cluster stops its clients by {flags}."),
            1.0,
        ),
        (None, Some(flags)) => (Level::Note, format!("The cluster is held by {flags}."), 0.0),
        (None, None) => return None,
    };
    Some(
        found(level, &cluster.name, claim)
            .shows("osd_flags", flags.join(" "))
            .refuted_by("ceph osd dump shows no such flag")
            .advise("Unset what nobody needs any more: ceph osd unset FLAG.")
            .gains(gain),
    )
}
