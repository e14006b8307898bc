//! # A metadata server that is full or late
//!
//! Also: MDS, cache pressure, `MDS_CACHE_OVERSIZED`, `MDS_CLIENT_RECALL`, `MDS_SLOW_REQUEST`, laggy, `mds_cache_memory_limit`.
//!
//! ## What it finds
//! Of a CephFS: metadata servers that report too large a cache, clients that do not give back what they hold, slow requests, slow
//! writes of their journal or trimming that lags; servers that the monitors call laggy, and file systems without a server.
//!
//! ## Why it matters
//! Opening, creating, listing and `stat` are answered by this server alone; data goes to the OSDs past it. A full cache makes it read
//! metadata from its pool again and again, and a server without a successor stops everything when it fails.
//!
//! ## What to try
//! `ceph config set mds mds_cache_memory_limit 8589934592` where its host has the memory; fewer files held open by the client that
//! `ceph health detail` names; `ceph fs set NAME max_mds 2` where one CPU is full.
//!
//! ## Example
//! ```scene
//! cluster: ceph cephfs=tank mds=a_up:active health_checks=MDS__CACHE__OVERSIZED_1_MDSs_report_oversized_cache
//! pool: meta pool_size=3
//! expect: warning says "1 MDSs report oversized cache" about ceph
//! ```
//! ```scene
//! cluster: ceph cephfs=tank mds=a_up:active(laggy_or_crashed) mds_laggy=1
//! pool: meta pool_size=3
//! expect: warning says "laggy" about ceph
//! ```
//! Of several file systems the checks do not tell which one they mean, so that is a note:
//! ```scene
//! cluster: ceph cephfs=tank file_systems=2 mds=a_up:active health_checks=MDS__CACHE__OVERSIZED_1_MDSs_report_oversized_cache
//! pool: meta pool_size=3
//! expect: note says "The cluster reports of its metadata servers: 1 MDSs report" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph cephfs=tank mds=a_up:active mds_active=1 health_checks=OSDMAP__FLAGS_noout_flag(s)_set
//! pool: meta pool_size=3
//! ```
//! A pool beside a file system of the cluster:
//! ```scene
//! cluster: ceph health_checks=MDS__CACHE__OVERSIZED_1_MDSs_report_oversized_cache
//! pool: vms pool_size=3
//! ```
//!
//! ## Seen
//! Not produced: it is the cluster's own report.
//!
//! ## Sources
//! - Ceph documentation: CephFS health messages; MDS Cache Configuration: a cache is oversized at 1.5 times its limit
//!   (`mds_health_cache_threshold`)
//! - Ceph `src/mds/FSMap.cc`: `laggy or crashed` behind the state of a server that sends no beacons

use crate::ceph_parts::{checks, cluster, words};
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "metadata_server_full",
    since: "0.1.0",
    summary: "a CephFS metadata server with a full cache, slow requests or no beacons",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the OSDs of the metadata pool are slow: then MDS_SLOW_METADATA_IO is among the checks, and ceph osd perf shows them",
        "one client holds very many files: then ceph tell mds.NAME client ls shows its num_caps",
    ],
    experiment: Experiment::Line(
        "{ceph} fs status # caps and dentries of each server, and its requests a second, while the load runs",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const CHECKS: &[&str] = &[
    "MDS_ALL_DOWN",
    "FS_DEGRADED",
    "MDS_DAMAGE",
    "MDS_UP_LESS_THAN_MAX",
    "MDS_CACHE_OVERSIZED",
    "MDS_CLIENT_RECALL",
    "MDS_CLIENT_RECALL_MANY",
    "MDS_CLIENT_LATE_RELEASE",
    "MDS_CLIENT_LATE_RELEASE_MANY",
    "MDS_SLOW_REQUEST",
    "MDS_SLOW_METADATA_IO",
    "MDS_TRIM",
];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let name = cluster.fact("cephfs")?;
    let said = checks(cluster, CHECKS);
    let laggy = cluster.number("mds_laggy").filter(|count| *count > 0.0);
    let is_one = cluster
        .number("file_systems")
        .is_none_or(|count| count <= 1.0);
    let (level, claim) = match (said.first(), laggy) {
        (Some(check), _) if is_one => {
            let words = words(check).trim_end_matches('.');
            (Level::Warning, format!("The file system {name}: {words}."))
        }
        (_, Some(_)) => {
            let claim = format!(
                "The file system {name} has a metadata server that is laggy or has crashed."
            );
            (Level::Warning, claim)
        }
        // The checks are the cluster's, and name no file system.
        (Some(check), None) => {
            let words = words(check).trim_end_matches('.');
            let claim = format!("The cluster reports of its metadata servers: {words}.");
            (Level::Note, claim)
        }
        (None, None) => return None,
    };
    let fact = |name: &str| cluster.fact(name).unwrap_or("not known").to_string();
    Some(
        found(level, &cluster.name, claim)
            .shows("mds", fact("mds"))
            .shows("mds_caps", fact("mds_caps"))
            .shows("mds_standbys", fact("mds_standbys"))
            .shows(
                "the cluster says",
                if said.is_empty() {
                    "nothing".into()
                } else {
                    said.join("; ")
                },
            )
            .refuted_by("opening and listing files is as fast as on an idle file system")
            .advise(
                "Give it more memory (mds_cache_memory_limit), or find the client that holds most.",
            )
            .gains(0.3),
    )
}
