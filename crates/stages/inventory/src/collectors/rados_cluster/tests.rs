//! Answers of clusters, in captures as `inspect --capture` writes them.

use crate::tests::{collect_on, facts};
use crate::{InventoryError, collect};
use host::{Archive, Host};
use model::iopath::{IoPath, LayerKind};

const STATUS: &str = r#"{"fsid":"6e0e","health":{"status":"HEALTH_WARN","checks":{}},"quorum_names":["a","b"],
    "monmap":{"num_mons":3},"osdmap":{"num_osds":3,"num_up_osds":2,"num_in_osds":3},"mgrmap":{"available":true,"num_standbys":1},
    "pgmap":{"pgs_by_state":[{"state_name":"active+clean","count":30},{"state_name":"active+undersized+degraded+remapped+backfilling","count":2},
    {"state_name":"active+clean+scrubbing+deep","count":1}],"num_pgs":33,"degraded_ratio":0.0312,"recovering_bytes_per_sec":1048576},
    "fsmap":{"by_rank":[{"filesystem_id":1,"rank":0,"name":"m","status":"up:active(laggy or crashed)"}],"up:standby":0}}"#;
const HEALTH: &str = r#"{"status":"HEALTH_WARN","checks":{"OSD_DOWN":{"severity":"HEALTH_WARN","summary":{"message":"1 osds down; look","count":1},"muted":false},
    "POOL_NO_REDUNDANCY":{"summary":{"message":"1 pool(s) have no replicas configured"},"muted":true}}}"#;
const DUMP: &str = r#"{"flags":"noout,sortbitwise,purged_snapdirs","full_ratio":0.95,"backfillfull_ratio":0.8999999761581421,
    "nearfull_ratio":0.8500000238418579,"pools":[{"pool":1,"pool_name":"vms","type":1,"size":3,"min_size":2,"crush_rule":1,"pg_num":32,
    "pg_autoscale_mode":"warn","application_metadata":["rbd"]},{"pool":4,"pool_name":"meta","size":2,"crush_rule":0,"pg_num":1},
    {"pool":5,"pool_name":"data","size":2,"crush_rule":0,"pg_num":8}]}"#;
const TREE: &str = r#"{"nodes":[{"id":-1,"name":"default","type":"root","children":[-3,-5]},{"id":-3,"name":"n1","type":"host","children":[0,1]},
    {"id":-5,"name":"n2","type":"host","children":[2,-1]},
    {"id":0,"name":"osd.0","type":"osd","device_class":"ssd","reweight":1,"kb":1024,"utilization":86.25,"pgs":11,"status":"up"},
    {"id":1,"name":"osd.1","type":"osd","device_class":"hdd","reweight":1,"kb":1024,"utilization":10,"pgs":11,"status":"up"},
    {"id":2,"name":"osd.2","type":"osd","device_class":"ssd","reweight":0,"kb":1024,"utilization":12,"pgs":11,"status":"down"}],"stray":[]}"#;
const PERF: &str = r#"{"osdstats":{"osd_perf_infos":[{"id":0,"perf_stats":{"commit_latency_ns":41000000,"apply_latency_ns":41000000}},
    {"id":2,"perf_stats":{"commit_latency_ns":3000000,"apply_latency_ns":3000000}}]}}"#;
const RULES: &str = r#"[{"rule_id":0,"rule_name":"all","steps":[{"op":"take","item_name":"default"},{"op":"choose_firstn","num":0,"type":"osd"},{"op":"emit"}]},
    {"rule_id":1,"rule_name":"fast","steps":[{"op":"take","item_name":"default~ssd"},{"op":"choose_firstn","type":"rack"},{"op":"chooseleaf_firstn","type":"host"},{"op":"emit"}]}]"#;
const ABOUT: &str = r#"[{"id":0,"hostname":"n1","devices":"sdd","osd_objectstore":"bluestore","ceph_version_short":"16.2.15",
     "bluestore_bdev_rotational":"1","bluefs_dedicated_db":"1","bluefs_db_rotational":"0"},
    {"id":2,"hostname":"n2","devices":"sdb","ceph_version_short":"17.2.0"}]"#;
const DF: &str = r#"{"stats":{"total_bytes":3145728,"total_avail_bytes":2097152},"pools":[{"name":"vms","stats":{"stored":500,"max_avail":1000,"percent_used":0.25}}]}"#;
const SCALER: &str = r#"[{"pool_name":"vms","pg_num_final":128,"would_adjust":true}]"#;
const FILES: &str = r#"{"filesystems":[{"id":1,"mdsmap":{"fs_name":"tank","metadata_pool":4,"data_pools":[5],"max_mds":1}}]}"#;
const SERVERS: &str =
    r#"{"clients":[{"clients":3,"fs":"tank"}],"mdsmap":[{"caps":900,"dns":1000,"rate":7}]}"#;

fn answers(changed: &[(&str, &str)]) -> String {
    let all = [
        ("status", STATUS),
        ("health detail", HEALTH),
        ("osd dump", DUMP),
        ("osd df tree", TREE),
        ("osd perf", PERF),
        ("osd crush rule dump", RULES),
        ("osd metadata", ABOUT),
        ("df detail", DF),
        ("osd pool autoscale-status", SCALER),
        ("fs dump", FILES),
        ("fs status", SERVERS),
    ];
    let entry = |(question, answer): &(&str, &str)| {
        let other = changed.iter().find(|(one, _)| one == question);
        let answer = other.map_or(*answer, |(_, answer)| *answer);
        let lines = answer.split('\n').count();
        format!("path: /usr/bin/ceph/{question}\nlines: {lines}\n{answer}\n")
    };
    all.iter().map(entry).collect()
}

fn vms(changed: &[(&str, &str)]) -> IoPath {
    collect_on(&answers(changed), "rados://vms")
}

#[test]
fn a_pool_leads_to_its_cluster_and_to_the_osds_that_its_rule_takes() {
    let path = vms(&[]);
    let kinds: Vec<LayerKind> = path.root.walk().iter().map(|layer| layer.kind).collect();
    use LayerKind::{Cluster, Osd, Pool, Target};
    assert_eq!(kinds, [Target, Cluster, Pool, Osd, Osd]);
    let cluster = |name: &str| facts(&path, "ceph", name);
    assert_eq!(
        (
            cluster("health"),
            cluster("mons"),
            cluster("mons_in_quorum"),
            cluster("osds_up")
        ),
        ("HEALTH_WARN", "3", "2", "2")
    );
    assert_eq!(cluster("health_checks"), "OSD_DOWN 1 osds down, look");
    assert_eq!(
        (cluster("osd_flags"), cluster("nearfull_ratio")),
        ("noout", "0.8500")
    );
    assert_eq!(
        (
            cluster("pgs_recovering"),
            cluster("pgs_degraded"),
            cluster("pgs_deep_scrubbing")
        ),
        ("2", "2", "1")
    );
    assert_eq!(cluster("ceph_version"), "16.2.15 17.2.0");
    let pool = |name: &str| facts(&path, "vms", name);
    assert_eq!(
        (
            pool("pool_size"),
            pool("failure_domain"),
            pool("rule_types"),
            pool("rule_class"),
            pool("application")
        ),
        ("3", "host", "rack host", "ssd", "rbd")
    );
    assert_eq!(
        (
            pool("pg_num"),
            pool("pg_num_wanted"),
            pool("pg_num_off"),
            pool("osd_hosts")
        ),
        ("32", "128", "yes", "2")
    );
    assert_eq!(
        (pool("osds"), pool("osds_in"), pool("osd_used_share_max")),
        ("2", "1", "0.8625")
    );
    let osd = |name: &str| facts(&path, "osd.0", name);
    assert_eq!(
        (
            osd("osd_host"),
            osd("osd_devices"),
            osd("commit_ms"),
            osd("peers_commit_ms")
        ),
        ("n1", "sdd", "41.000", "3.000")
    );
    assert_eq!(facts(&path, "osd.2", "osd_up"), "no");
    assert!(path.notes.is_empty(), "{:?}", path.notes);
}

#[test]
fn where_an_osd_keeps_its_metadata_is_told() {
    let path = vms(&[]);
    let osd = |name: &str| facts(&path, "osd.0", name);
    assert_eq!(osd("data_spins"), "yes");
    assert_eq!(osd("metadata_apart"), "yes");
    assert_eq!(osd("metadata_spins"), "no");
}

#[test]
fn a_mounted_file_system_leads_to_its_pools_and_servers() {
    let mount = "path: /proc/self/mountinfo\nlines: 2\n1 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
         4 1 0:50 / /n rw - ceph admin@6e0e.tank=/ rw,mon_addr=10.0.0.1\npath: /n\ndirectory\n";
    let path = collect_on(&format!("{mount}{}", answers(&[])), "/n");
    let names: Vec<&str> = path
        .of_kind(LayerKind::Pool)
        .map(|pool| pool.name.as_str())
        .collect();
    assert_eq!(names, ["meta", "data"]);
    assert_eq!(facts(&path, "ceph", "file_systems"), "1");
    let cluster = |name: &str| facts(&path, "ceph", name);
    assert_eq!(
        (
            cluster("cephfs"),
            cluster("mds"),
            cluster("mds_laggy"),
            cluster("mds_caps")
        ),
        ("tank", "m up:active(laggy or crashed)", "1", "900")
    );
    let other = mount.replace("6e0e", "7777");
    let path = collect_on(&format!("{other}{}", answers(&[])), "/n");
    assert_eq!(path.of_kind(LayerKind::Pool).count(), 0);
    assert!(
        path.notes[0].contains("speaks with the cluster 6e0e"),
        "{:?}",
        path.notes
    );
}

#[test]
fn an_image_of_the_kernels_client_leads_to_its_pool() {
    let device = "path: /sys/class/block/rbd0\nlink: ../../devices/virtual/block/rbd0\n\
         path: /sys/devices/virtual/block/rbd0/size\nlines: 1\n8\n\
         path: /sys/bus/rbd/devices/0/pool\nlines: 1\nvms\npath: /sys/bus/rbd/devices/0/name\nlines: 1\ndb\n";
    let path = collect_on(&format!("{device}{}", answers(&[])), "rbd0");
    assert_eq!(path.of_kind(LayerKind::Osd).count(), 2);
    // A capture of a version that did not ask.
    let path = collect_on(device, "rbd0");
    assert_eq!(path.of_kind(LayerKind::Pool).count(), 0);
    assert!(facts(&path, "ceph", "unanswered").contains("no answers"));
}

#[test]
fn what_is_not_answered_is_said_and_fails_nothing() {
    let refused =
        "failed: `ceph osd perf` ended with status 13; it said: Error EACCES: access denied";
    let path = vms(&[("osd perf", refused)]);
    assert!(facts(&path, "ceph", "unanswered").starts_with("osd perf: "));
    assert!(path.notes[0].contains("EACCES"), "{:?}", path.notes);
    assert_eq!(facts(&path, "osd.0", "commit_ms"), "");
    assert_eq!(facts(&path, "osd.0", "osd_devices"), "sdd");
    // Without rights for the manager the monitors tell the tree, without figures.
    let tree = format!("path: /usr/bin/ceph/osd tree\nlines: 5\n{TREE}\n");
    let text = answers(&[("osd df tree", refused)]) + &tree;
    let path = collect_on(&text, "rados://vms");
    assert_eq!(path.of_kind(LayerKind::Osd).count(), 2);
    let gone = "failed: there is no program `ceph` in the search path";
    let path = vms(&[("status", gone)]);
    let layers = path.root.walk();
    assert_eq!(
        layers.len(),
        2,
        "only the cluster, of which nothing is known"
    );
    assert!(facts(&path, "ceph", "unanswered").contains("no program"));
    for odd in [
        "[]",
        "{",
        "null",
        "7",
        "{\"pgmap\":{\"pgs_by_state\":{}}}",
        "\"\u{1b}[2J\"",
    ] {
        for question in [
            "status",
            "osd dump",
            "osd df tree",
            "osd perf",
            "osd crush rule dump",
        ] {
            let host = Host::from_archive(
                Archive::parse(&format!("iodyno-host 1\n{}", answers(&[(question, odd)]))).unwrap(),
            );
            let _ = collect(&host, "rados://vms");
        }
    }
}

#[test]
fn older_clusters_say_the_same_elsewhere() {
    let status = STATUS.replace(
        r#""osdmap":{"num_osds":3,"num_up_osds":2,"num_in_osds":3}"#,
        r#""osdmap":{"osdmap":{"num_osds":3,"num_up_osds":2,"num_in_osds":3}}"#,
    );
    let perf = PERF.replace(r#"{"osdstats":"#, "").replace("]}}", "]}");
    let path = vms(&[("status", &status), ("osd perf", &perf)]);
    assert_eq!(facts(&path, "ceph", "osds_up"), "2");
    assert_eq!(facts(&path, "osd.0", "commit_ms"), "41.000");
}

#[test]
fn names_that_are_wrong_are_told() {
    let text = format!("iodyno-host 1\n{}", answers(&[]));
    let host = Host::from_archive(Archive::parse(&text).unwrap());
    let error = collect(&host, "rados://nosuch").unwrap_err();
    assert!(matches!(error, InventoryError::NoPool { .. }));
    let error = collect(&host, "rbd://vms").unwrap_err().to_string();
    assert!(error.contains("names a pool and no image"), "{error}");
}
