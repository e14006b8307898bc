//! The OSDs of a pool: each as a layer, the worst where they are many, and what is true of all of them as facts of the pool.

use super::answers::{Answers, number, text, whole};
use super::crush::Tree;
use crate::Draft;
use model::iopath::{Layer, LayerKind};
use model::osd_trouble::worst_osds;
use model::units;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// So many OSDs of a pool become layers, the worst; beside them up to as many that are nearly full.
const LAYERS_MAX: usize = 64;

/// One OSD, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Osd {
    id: i64,
    is_up: Option<bool>,
    is_in: Option<bool>,
    host: Option<String>,
    class: Option<String>,
    devices: Option<String>,
    objectstore: Option<String>,
    data_spins: Option<bool>,
    is_metadata_apart: Option<bool>,
    metadata_spins: Option<bool>,
    commit_ms: Option<f64>,
    apply_ms: Option<f64>,
    used_share: Option<f64>,
    bytes: Option<f64>,
    pgs: Option<i64>,
}

/// The OSDs that a tree names.
pub(super) fn read(answers: &Answers, tree: &Tree<'_>, nodes: &[(i64, &Value)]) -> Vec<Osd> {
    let by_id = |question: &str, list: &str| -> BTreeMap<i64, &Value> {
        let values = answers.list(question, list).iter();
        values
            .filter_map(|value| Some((whole(value, "/id")?, value)))
            .collect()
    };
    let perf = perf(answers);
    let about = by_id("osd metadata", "");
    nodes
        .iter()
        .map(|(id, node)| {
            let ms = |name: &str| Some(number(perf.get(id)?, name)? / 1e6);
            let of = |name: &str| text(about.get(id)?, name);
            let is = |name: &str| Some(of(name)? == "1");
            Osd {
                id: *id,
                is_up: text(node, "/status").map(|status| status == "up"),
                is_in: number(node, "/reweight").map(|weight| weight > 0.0),
                host: tree.holder(*id, "host").or_else(|| of("/hostname")),
                class: text(node, "/device_class"),
                devices: of("/devices"),
                objectstore: of("/osd_objectstore"),
                data_spins: is("/bluestore_bdev_rotational"),
                is_metadata_apart: is("/bluefs_dedicated_db"),
                metadata_spins: is("/bluefs_db_rotational"),
                commit_ms: ms("/perf_stats/commit_latency_ns"),
                apply_ms: ms("/perf_stats/apply_latency_ns"),
                used_share: number(node, "/utilization").map(|percent| percent / 100.0),
                bytes: number(node, "/kb").map(|kib| kib * 1024.0),
                pgs: whole(node, "/pgs"),
            }
        })
        .collect()
}

/// What `osd perf` says of each. Up to Ceph 13 the list stood one level higher.
fn perf(answers: &Answers) -> BTreeMap<i64, &Value> {
    let places = ["/osdstats/osd_perf_infos", "/osd_perf_infos"];
    let lists = places.map(|place| answers.list("osd perf", place));
    let all = lists.into_iter().flatten();
    all.filter_map(|value| Some((whole(value, "/id")?, value)))
        .collect()
}

/// Writes what is true of all of them on the pool, and gives those that are worth a layer.
pub(super) fn describe(pool: &mut Draft, osds: &[Osd], nearfull: f64) -> Vec<Layer> {
    let count = |is_it: &dyn Fn(&Osd) -> bool| osds.iter().filter(|osd| is_it(osd)).count();
    let mut hosts: BTreeMap<&String, usize> = BTreeMap::new();
    let named = osds.iter().filter_map(|osd| osd.host.as_ref());
    named.for_each(|host| *hosts.entry(host).or_default() += 1);
    let fullest = osds
        .iter()
        .filter_map(|osd| osd.used_share)
        .max_by(f64::total_cmp);
    let is_known = osds.iter().any(|osd| osd.is_up.is_some());
    pool.fact("osds", Some(osds.len().to_string()));
    pool.fact(
        "osds_up",
        is_known.then(|| count(&|osd| osd.is_up == Some(true)).to_string()),
    );
    pool.fact(
        "osds_in",
        is_known.then(|| count(&|osd| osd.is_in == Some(true)).to_string()),
    );
    pool.fact(
        "osd_hosts",
        (!hosts.is_empty()).then(|| hosts.len().to_string()),
    );
    pool.fact(
        "osds_per_host_max",
        hosts.values().max().map(|count| count.to_string()),
    );
    pool.fact(
        "osd_used_share_max",
        fullest.map(|share| units::decimals(share, 4)),
    );
    let slowest = osds
        .iter()
        .filter_map(|osd| osd.commit_ms)
        .max_by(f64::total_cmp);
    let all: Vec<f64> = osds.iter().filter_map(|osd| osd.commit_ms).collect();
    pool.fact("osd_commit_ms_median", median(&all).map(ms));
    pool.fact("osd_commit_ms_max", slowest.map(ms));
    let peers = peers(osds);
    let mut order: Vec<&Osd> = osds.iter().collect();
    order.sort_by_key(|osd| osd.id);
    let layers: Vec<Layer> = order.into_iter().map(|osd| layer(osd, &peers)).collect();
    let worst = worst_osds(&layers, nearfull, LAYERS_MAX).into_iter();
    worst.cloned().collect()
}

/// The commit latencies that an OSD's own is compared with, ms: their median, and the median distance from it.
type Peers = (f64, f64);

/// What the OSDs of each device class are compared with; the only one of its class is compared with all. Ceph counts in whole
/// milliseconds, so 0 is less than one, or no commit at all.
fn peers(osds: &[Osd]) -> BTreeMap<Option<&String>, Peers> {
    let all: Vec<f64> = osds.iter().filter_map(|osd| osd.commit_ms).collect();
    let classes: BTreeSet<Option<&String>> = osds.iter().map(|osd| osd.class.as_ref()).collect();
    let of = |class: Option<&String>| {
        let same = osds.iter().filter(|osd| osd.class.as_ref() == class);
        let same: Vec<f64> = same.filter_map(|osd| osd.commit_ms).collect();
        let peers = if same.len() > 1 { &same } else { &all };
        let middle = median(peers)?;
        let distances: Vec<f64> = peers.iter().map(|ms| (ms - middle).abs()).collect();
        (peers.len() > 1).then_some((middle, median(&distances)?))
    };
    let known = classes
        .into_iter()
        .filter_map(|class| Some((class, of(class)?)));
    known.collect()
}

/// The middle one; of an even number the lower of the two in the middle, so that of two OSDs a slow one is measured by the
/// other.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

fn ms(value: f64) -> String {
    units::decimals(value, 3)
}

fn layer(osd: &Osd, peers: &BTreeMap<Option<&String>, Peers>) -> Layer {
    let mut draft = Draft::of_cluster(LayerKind::Osd, &format!("osd.{}", osd.id));
    let yes = |is: bool| if is { "yes" } else { "no" };
    draft.fact("osd_up", osd.is_up.map(yes));
    draft.fact("osd_in", osd.is_in.map(yes));
    draft.fact("osd_host", osd.host.clone());
    draft.fact("device_class", osd.class.clone());
    draft.fact("osd_devices", osd.devices.clone());
    draft.fact("objectstore", osd.objectstore.clone());
    draft.fact("data_spins", osd.data_spins.map(yes));
    draft.fact("metadata_apart", osd.is_metadata_apart.map(yes));
    draft.fact("metadata_spins", osd.metadata_spins.map(yes));
    draft.fact("commit_ms", osd.commit_ms.map(ms));
    draft.fact("apply_ms", osd.apply_ms.map(ms));
    let peers = peers.get(&osd.class.as_ref());
    draft.fact("peers_commit_ms", peers.map(|(middle, _)| ms(*middle)));
    draft.fact("peers_spread_ms", peers.map(|(_, spread)| ms(*spread)));
    draft.fact(
        "used_share",
        osd.used_share.map(|share| units::decimals(share, 4)),
    );
    draft.fact("size_bytes", osd.bytes.map(units::whole));
    draft.fact("pgs", osd.pgs.map(|pgs| pgs.to_string()));
    draft.layer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_one_is_measured_by_the_others() {
        let osd = |id: i64, commit_ms: f64| Osd {
            id,
            commit_ms: Some(commit_ms),
            ..Osd::default()
        };
        let of = |all: &[f64]| {
            let osds: Vec<Osd> = all.iter().zip(0..).map(|(ms, id)| osd(id, *ms)).collect();
            peers(&osds).get(&None).copied()
        };
        assert_eq!(of(&[2.0, 100.0]), Some((2.0, 0.0)));
        assert_eq!(of(&[2.0, 3.0, 100.0]), Some((3.0, 1.0)));
        assert_eq!(of(&[0.0, 0.0, 100.0]), Some((0.0, 0.0)));
        assert_eq!(
            (of(&[100.0]), of(&[])),
            (None, None),
            "nobody to compare with"
        );
    }

    #[test]
    fn the_only_one_of_its_class_is_measured_by_all() {
        let osd = |class: &str, commit_ms: f64| Osd {
            class: Some(class.into()),
            commit_ms: Some(commit_ms),
            ..Osd::default()
        };
        let osds = [osd("hdd", 8.0), osd("hdd", 9.0), osd("ssd", 400.0)];
        let (of, ssd, hdd) = (peers(&osds), "ssd".to_string(), "hdd".to_string());
        assert_eq!(of[&Some(&ssd)], (9.0, 1.0));
        assert_eq!(of[&Some(&hdd)], (8.0, 0.0));
    }

    #[test]
    fn of_many_the_worst_are_shown() {
        let mut osds: Vec<Osd> = (0..500)
            .map(|id| Osd {
                id,
                is_up: Some(id != 444),
                is_in: Some(true),
                commit_ms: Some(if id == 333 { 80.0 } else { 2.0 }),
                used_share: Some(if id == 222 { 0.9 } else { 0.5 }),
                host: Some(format!("n{}", id / 6)),
                ..Osd::default()
            })
            .collect();
        osds.reverse();
        let mut pool = Draft::of_cluster(LayerKind::Pool, "p");
        let layers = describe(&mut pool, &osds, 0.85);
        let names: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(layers.len(), LAYERS_MAX);
        for name in ["osd.222", "osd.333", "osd.444"] {
            assert!(names.contains(&name), "{names:?}");
        }
        assert_eq!(
            (pool.known("osds"), pool.known("osds_up")),
            (Some("500"), Some("499"))
        );
        assert_eq!(
            (pool.known("osd_hosts"), pool.known("osds_per_host_max")),
            (Some("84"), Some("6"))
        );
    }
}
