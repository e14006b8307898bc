//! # Ceph cluster
//!
//! Also: `ceph`, RADOS, pool, OSD, placement group, CRUSH, CephFS, MDS, `ceph osd perf`.
//!
//! ## What it reads
//! Behind `rados://POOL` and `rbd://POOL/IMAGE`, and for `inspect`, `check` and `diff` also behind an rbd device or a mounted CephFS, the
//! cluster is asked through the program `ceph`,
//! with the configuration and the user that it finds by itself or that stand in the target: `status`, `health detail`, `osd dump`,
//! `osd df tree` (or `osd tree`), `osd perf`, `osd crush rule dump`, `osd metadata`, `df detail`, `osd pool autoscale-status`; of a file system also
//! `fs dump` and `fs status`. Each is asked once, for 10 s at the most, all together for 30 s. Nothing is changed.
//!
//! A capture keeps the answers, cut to what is read: no serial numbers, addresses or keys are in them.
//!
//! ## Fields
//! Of the cluster:
//!
//! - `cluster_fsid`, `ceph_version`: of its OSDs, all versions that there are
//! - `unanswered`: what is not known, and why: no program, no keyring, no rights, no answer in time
//! - `health`: `HEALTH_OK`, `HEALTH_WARN`, `HEALTH_ERR`; `health_checks`: each check that is not muted with its words
//! - `mons`, `mons_in_quorum`, `mgr_active`, `mgr_standbys`; `osds`, `osds_up`, `osds_in`: also of a pool
//! - `osd_flags`: `noout`, `noscrub`, `norecover` and the like; the usual ones are left out
//! - `cluster_pgs`, `pg_states`; `pgs_recovering` (or backfilling), `pgs_waiting_to_recover`, `pgs_toofull`, `pgs_degraded`,
//!   `pgs_undersized`, `pgs_inactive`, `pgs_scrubbing`, `pgs_deep_scrubbing`: how many of them
//! - `degraded_share`, `misplaced_share`: of the copies of objects
//! - `recovering_bytes_per_s`, `recovering_objects_per_s`, `client_read_bytes_per_s`, `client_write_bytes_per_s`,
//!   `client_reads_per_s`, `client_writes_per_s`: over the last seconds, as the cluster counts
//! - `nearfull_ratio`, `backfillfull_ratio`, `full_ratio`: the cluster's own; `total_bytes`, `free_bytes`: raw, of all OSDs
//! - `cephfs`, `file_systems`: how many the cluster has; `metadata_pool`, `data_pools`; `mds`: the servers by rank with their states; `mds_wanted`, `mds_active`, `mds_laggy`,
//!   `mds_standbys`, `mds_clients`, `mds_caps`, `mds_dentries`, `mds_requests_per_s`
//!
//! Of a pool:
//!
//! - `pool_type`: replicated or erasure-coded; `erasure_profile`; `pool_size`, `pool_min_size`, `application`
//! - `crush_rule`, `failure_domain`: the type of bucket of which no two hold the same data; `rule_types`: the types that all steps of
//!   the rule choose; `rule_class`: the device class
//! - `pg_num`, `pg_autoscale_mode`; `pg_num_wanted`: what the autoscaler would choose; `pg_num_off`: where it finds that far enough off
//! - `stored_bytes`, `max_avail_bytes`: without copies; `pool_used_share`; `quota_bytes`, `quota_objects`
//! - `osd_hosts`, `osds_per_host_max`, `osd_used_share_max`, `osd_commit_ms_median`, `osd_commit_ms_max`: over the OSDs that its rule can choose
//!
//! Of an OSD; of a pool with more than 64 those that are down, out or slow beside their peers before the others, and all that are
//! nearly full, up to 64 more:
//!
//! - `osd_up`, `osd_in`, `osd_host`, `device_class`, `osd_devices`: the disks of that host; `objectstore`, `size_bytes`, `used_share`, `pgs`
//! - `data_spins`; `metadata_apart`: whether BlueStore's database has a disk of its own; `metadata_spins`: whether that one spins
//! - `commit_ms`, `apply_ms`: over its last interval of reporting, some seconds; Ceph counts whole milliseconds, so 0 is
//!   less than one, or no I/O
//! - `peers_commit_ms`, `peers_spread_ms`: the median of the OSDs of its device class in this pool (of all where it is the
//!   only one of its class), and the median distance from it
//!
//! ## Example
//! `health` HEALTH_WARN, `nearfull_ratio` 0.8500; pool `volumes`: `pool_size` 3, `pg_num` 128, `failure_domain` host; `osd.7`:
//! `osd_host` node3, `osd_devices` sdd, `commit_ms` 41.000, `peers_commit_ms` 3.000.

pub(crate) use answers::host_names;

mod answers;
mod crush;
mod files;
mod osds;
mod pools;
mod state;
#[cfg(test)]
mod tests;

use crate::{CephWanted, Collector, Draft, Survey};
use answers::Answers;
use crush::Tree;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "rados_cluster",
    since: "0.1.0",
    kinds: &[LayerKind::Cluster],
    reads: &["/usr/bin/ceph"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let Some(client) = draft.ceph.clone() else {
        return;
    };
    let has_files = matches!(client.wanted, CephWanted::Files(_));
    let Some(answers) = Answers::of(survey.host, &client.cluster, has_files) else {
        let why = "this capture has no answers of the Ceph cluster";
        draft.fact("unanswered", Some(why));
        return;
    };
    let mut refusals = answers.refusals.clone();
    let fsid = state::fsid(&answers);
    if let (Some(here), Some(there)) = (&fsid, &client.fsid)
        && here != there
    {
        let why = format!(
            "the program `ceph` here speaks with the cluster {here}, and this is one of the cluster {there}"
        );
        survey.notes.push(format!("Ceph cluster: {why}."));
        draft.fact("unanswered", Some(why));
        return;
    }
    state::describe(&answers, draft);
    let pools = match &client.wanted {
        CephWanted::Pool(name) => vec![name.clone()],
        CephWanted::Files(name) => files::describe(&answers, draft, name.as_deref()),
    };
    let tree = Tree::of(&answers);
    for name in &pools {
        match pools::named(&answers, name) {
            Some(pool) => draft
                .layer
                .below
                .push(pools::layer(&answers, &tree, pool, name)),
            None if answers.at("osd dump", "/pools").is_some() => {
                refusals.push(format!(
                    "osd dump: the cluster has no pool {}",
                    model::text::clean_to(name, 100)
                ));
            }
            None => {}
        }
    }
    let told = refusals
        .iter()
        .map(|refusal| format!("Ceph cluster: not known: {refusal}."));
    survey.notes.extend(told);
    draft.fact(
        "unanswered",
        Some(refusals.join("; ")).filter(|all| !all.is_empty()),
    );
}
