//! The versions of control groups, alone and together, in containers, and damaged.

use super::*;
use crate::sensor_tests::{damaged, read_once};
use std::collections::BTreeMap;

const UNIFIED: &str = "32 24 0:27 / /sys/fs/cgroup rw,relatime - cgroup2 none rw";
const HYBRID: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
    35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
    38 31 0:35 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,seclabel,blkio\n\
    41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";

type Files<'a> = Vec<(&'a str, &'a str)>;

fn read(files: &Files, scope: &Scope) -> BTreeMap<String, f64> {
    let row = read_once(&SENSOR, files, scope).unwrap();
    row.into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn unified() -> Files<'static> {
    vec![
        ("/proc/self/mountinfo", UNIFIED),
        ("/proc/self/cgroup", "0::/db\n"),
        ("/sys/block/dm-0/dev", "254:0"),
        ("/sys/block/dm-0/slaves/sda", ""),
        ("/sys/block/sda/dev", "8:0"),
        (
            "/sys/fs/cgroup/io.stat",
            "8:0 rbytes=9 wbytes=9 rios=9 wios=9 dbytes=0 dios=0\n",
        ),
        (
            "/sys/fs/cgroup/db/io.stat",
            "254:0 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=0 dios=0\n8:16 \n\
             8:0 rbytes=100 wbytes=200 rios=1 wios=2 dbytes=0 dios=0 cost.usage=70 cost.wait=5\n\
             8:32 rbytes=10 wbytes=0 rios=1 wios=0 dbytes=4096 dios=1 avg_lat=300 win=10\n",
        ),
        (
            "/sys/fs/cgroup/db/io.pressure",
            "some avg10=0.00 total=51\nfull avg10=0.00 total=23\n",
        ),
        (
            "/sys/fs/cgroup/db/io.max",
            "8:0 rbps=2097152 wbps=max riops=max wiops=120\n8:32 rbps=9 wbps=max\n",
        ),
        ("/sys/fs/cgroup/db/memory.current", "8192\n"),
        ("/sys/fs/cgroup/db/memory.max", "max\n"),
        (
            "/sys/fs/cgroup/db/memory.stat",
            "anon 5\nfile 7\nfile_dirty 4096\nfile_writeback 1024\n",
        ),
        ("/sys/fs/cgroup/idle/io.stat", ""),
        (
            "/sys/fs/cgroup/a.slice/backup.service/io.stat",
            "8:0 rbytes=7 wbytes=0 rios=1 wios=0\n",
        ),
        (
            "/sys/fs/cgroup/a.slice/backup.service/memory.stat",
            "file_dirty 1\n",
        ),
        (
            "/sys/fs/cgroup/a.slice/b/c/io.stat",
            "8:0 rbytes=7 wbytes=0 rios=1 wios=0\n",
        ),
    ]
}

#[test]
fn version_2_without_what_stacked_devices_count_again() {
    let values = read(&unified(), &Scope::default());
    let expected = [
        ("read_bytes", 110.0),
        ("write_bytes", 200.0),
        ("read_ios", 2.0),
        ("write_ios", 2.0),
        ("discard_bytes", 4096.0),
        ("discard_ios", 1.0),
        ("cost_usage_us", 70.0),
        ("cost_wait_us", 5.0),
        ("latency_us", 300.0),
        ("io_some_us", 51.0),
        ("io_full_us", 23.0),
        ("memory", 8192.0),
        ("dirty", 4096.0),
        ("writeback", 1024.0),
        ("read_bytes_limit", 9.0),
        ("write_ios_limit", 120.0),
    ];
    for (name, value) in expected {
        assert_eq!(
            values.get(&format!("cgroup.db.{name}")),
            Some(&value),
            "{name}"
        );
    }
    assert_eq!(
        values
            .keys()
            .filter(|name| name.starts_with("cgroup.db."))
            .count(),
        expected.len(),
        "{values:?}"
    );
    assert_eq!(values["cgroup.root.read_ios"], 9.0);
    assert_eq!(values["cgroup.a.slice/backup.service.read_bytes"], 7.0);
    assert!(
        !values
            .keys()
            .any(|name| name.contains("idle") || name.contains("b/c")),
        "{values:?}"
    );
    assert!(
        !values.contains_key("cgroup.a.slice/backup.service.dirty"),
        "dear, and nobody named it"
    );
}

#[test]
fn a_named_group_is_there_however_quiet_and_deep() {
    let scope = Scope {
        cgroups: vec!["/idle".into(), "a.slice/b/c".into()],
        ..Scope::default()
    };
    let values = read(&unified(), &scope);
    assert_eq!(values["cgroup.idle.read_ios"], 0.0);
    assert_eq!(values["cgroup.a.slice/b/c.read_bytes"], 7.0);
}

fn hybrid() -> Files<'static> {
    vec![
        ("/proc/self/mountinfo", HYBRID),
        ("/proc/self/cgroup", "7:blkio:/db\n4:memory:/db\n0::/db\n"),
        (
            "/sys/fs/cgroup/blkio/db/blkio.throttle.io_service_bytes",
            "8:0 Read 1\nTotal 1\n",
        ),
        (
            "/sys/fs/cgroup/blkio/db/blkio.throttle.io_service_bytes_recursive",
            "8:0 Read 4096\n8:0 Write 512\n8:0 Sync 0\n8:0 Discard 8\n8:0 Total 4616\n8:16 Read 4\nTotal 4620\n",
        ),
        (
            "/sys/fs/cgroup/blkio/db/blkio.throttle.io_serviced_recursive",
            "8:0 Read 2\n8:0 Write 1\n",
        ),
        (
            "/sys/fs/cgroup/blkio/db/blkio.throttle.write_bps_device",
            "8:0 1048576\n",
        ),
        (
            "/sys/fs/cgroup/blkio/cfq/blkio.io_service_bytes_recursive",
            "8:0 Read 33\n",
        ),
        (
            "/sys/fs/cgroup/blkio/cfq/blkio.io_serviced_recursive",
            "8:0 Read 3\n8:0 Write 0\n",
        ),
        ("/sys/fs/cgroup/memory/db/memory.usage_in_bytes", "77\n"),
        (
            "/sys/fs/cgroup/memory/db/memory.limit_in_bytes",
            "9223372036854771712\n",
        ),
        (
            "/sys/fs/cgroup/memory/db/memory.stat",
            "dirty 1\ntotal_dirty 12\ntotal_writeback 3\n",
        ),
        (
            "/sys/fs/cgroup/unified/db/io.pressure",
            "some total=5\nfull total=4\n",
        ),
    ]
}

#[test]
fn version_1_beside_version_2_takes_each_from_where_it_is() {
    let values = read(&hybrid(), &Scope::default());
    let expected = [
        ("db.read_bytes", 4100.0),
        ("db.write_bytes", 512.0),
        ("db.discard_bytes", 8.0),
        ("db.read_ios", 2.0),
        ("db.io_some_us", 5.0),
        ("db.memory", 77.0),
        ("db.dirty", 12.0),
        ("db.write_bytes_limit", 1_048_576.0),
        ("cfq.read_bytes", 33.0),
    ];
    for (name, value) in expected {
        assert_eq!(
            values.get(&format!("cgroup.{name}")),
            Some(&value),
            "{name} of {values:?}"
        );
    }
    assert!(
        !values.contains_key("cgroup.db.memory_limit"),
        "no limit is no number"
    );
}

#[test]
fn what_version_1_does_not_count_is_absent_and_named() {
    let mut files = hybrid();
    files.extend([
        ("/sys/block/sda/dev", "8:0"),
        ("/sys/block/sda/size", "100"),
        ("/sys/block/sdb/dev", "8:16"),
        ("/sys/block/sdb/size", "100"),
        (
            "/sys/fs/cgroup/blkio/idle/blkio.throttle.io_service_bytes",
            "Total 0\n",
        ),
    ]);
    let scope = Scope {
        cgroups: vec!["/idle".into()],
        ..Scope::default()
    };
    let root = "/sys/fs/cgroup/blkio/blkio.throttle.io_service_bytes";
    let read_bytes = |text: &'static str| {
        let mut files = files.clone();
        files.push((root, text));
        read(&files, &scope).get("cgroup.idle.read_bytes").copied()
    };
    assert_eq!(read_bytes("8:0 Read 9\nTotal 9\n"), Some(0.0));
    assert_eq!(read_bytes("Total 0\n"), None, "no disk is counted yet");
    let named = |text: &str| {
        let mut all: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (path.to_string(), *text))
            .collect();
        all.push((root.into(), text));
        let mut sensor = empty(captured(&all));
        sensor.search();
        sensor.notes().join(" ")
    };
    assert!(named("8:0 Read 9\n").contains("no I/O of sdb:"));
    assert_eq!(named("8:0 Read 9\n8:16 Read 0\n"), "");
}

#[test]
fn a_container_sees_its_own_group_at_the_mount() {
    let mut files = hybrid();
    let mounts = HYBRID
        .replace("0:35 / ", "0:35 /docker/ab ")
        .replace("0:32 / ", "0:32 /docker/ab ");
    files[0].1 = &mounts;
    files[1].1 = "7:blkio:/docker/ab/db\n4:memory:/docker/ab/db\n0::/../other\n";
    let values = read(&files, &Scope::default());
    assert_eq!(
        (values["cgroup.db.read_ios"], values["cgroup.db.dirty"]),
        (2.0, 12.0)
    );
}

#[test]
fn a_mount_point_may_hold_blanks() {
    let files = vec![
        (
            "/proc/self/mountinfo",
            "1 1 0:1 / /c\\040g rw - cgroup2 none rw",
        ),
        ("/proc/self/cgroup", "0::/\n"),
        ("/c g/io.stat", "8:0 rbytes=5 wbytes=0 rios=1 wios=0\n"),
    ];
    assert_eq!(
        read(&files, &Scope::default())["cgroup.root.read_bytes"],
        5.0
    );
}

#[test]
fn absence_has_its_reason() {
    let scope = Scope::default();
    assert!(
        read_once(&SENSOR, &[], &scope)
            .unwrap_err()
            .contains("no control groups")
    );
    let bare = [
        ("/proc/self/mountinfo", UNIFIED),
        ("/sys/fs/cgroup/cgroup.procs", "1"),
    ];
    assert!(
        read_once(&SENSOR, &bare, &scope)
            .unwrap_err()
            .contains("none with counters")
    );
}

#[test]
fn damage_leaves_gaps() {
    for (files, scope) in [(unified(), Scope::default()), (hybrid(), Scope::default())] {
        for seed in 0..400 {
            let texts: Vec<String> = files
                .iter()
                .enumerate()
                .map(|(place, (_, text))| damaged(text, seed * 40 + place as u64))
                .collect();
            let broken: Files = files
                .iter()
                .zip(&texts)
                .map(|((path, _), text)| (*path, text.as_str()))
                .collect();
            // With the mounts whole, so that the other files are reached.
            let broken = [&files[..2], &broken[2..]].concat();
            let row = read_once(&SENSOR, &broken, &scope).unwrap();
            assert!(
                row.iter()
                    .all(|(_, value)| value.is_none_or(|value| value >= 0.0)),
                "seed {seed}"
            );
            let _ = read_once(
                &SENSOR,
                &[(files[0].0, &texts[0]), (files[1].0, &texts[1])],
                &scope,
            );
        }
    }
}

#[test]
fn a_group_that_begins_to_do_io_gets_series() {
    let files = unified();
    let machine = |files: &Files| {
        let mut archive = host::Archive::default();
        for (path, text) in files {
            archive.insert(path, model::change::Attribute::Value((*text).to_string()));
        }
        Host::from_archive(archive)
    };
    let mut sensor = Cgroups {
        host: machine(&files),
        trees: Hierarchies::find(&machine(&files)),
        disks: Disks::default(),
        groups: Vec::new(),
        columns: Vec::new(),
        searched_ns: clock::monotonic_ns(),
        is_crowded: false,
        is_full: false,
    };
    sensor.add("/db", true);
    assert!(
        sensor
            .new_columns()
            .iter()
            .all(|column| column.name.starts_with("cgroup.db."))
    );
    let mut later = files.clone();
    later.push((
        "/sys/fs/cgroup/new.slice/io.stat",
        "8:0 rbytes=7 wbytes=0 rios=1 wios=0\n",
    ));
    sensor.host = machine(&later);
    sensor.search();
    let fresh: Vec<String> = sensor
        .new_columns()
        .into_iter()
        .map(|column| column.name)
        .collect();
    assert!(
        fresh.contains(&"cgroup.new.slice.read_bytes".to_string()),
        "{fresh:?}"
    );
    let mut short_row = vec![f64::NAN; 3];
    sensor.read(&mut short_row).unwrap();
}

fn captured(files: &[(String, &str)]) -> Host {
    let mut archive = host::Archive::default();
    for (path, text) in files {
        archive.insert(path, model::change::Attribute::Value((*text).to_string()));
    }
    Host::from_archive(archive)
}

/// The mount, and so many groups of a generation that have done I/O.
fn generation(name: &str, groups: usize) -> Vec<(String, &'static str)> {
    let mounts = [
        ("/proc/self/mountinfo".to_string(), UNIFIED),
        ("/proc/self/cgroup".to_string(), "0::/db\n"),
    ];
    let done = "8:0 rbytes=7 wbytes=0 rios=1 wios=0\n";
    let paths =
        (0..groups).map(|group| (format!("/sys/fs/cgroup/{name}{group}.slice/io.stat"), done));
    mounts.into_iter().chain(paths).collect()
}

fn empty(host: Host) -> Cgroups {
    Cgroups {
        trees: Hierarchies::find(&host),
        disks: Disks::default(),
        host,
        groups: Vec::new(),
        columns: Vec::new(),
        searched_ns: clock::monotonic_ns(),
        is_crowded: false,
        is_full: false,
    }
}

#[test]
fn groups_that_are_gone_leave_their_places_to_others() {
    let mut sensor = empty(captured(&generation("old", 100)));
    sensor.search();
    sensor.name_series();
    assert_eq!(sensor.groups.len(), FOUND_MAX);
    assert!(
        sensor.notes()[0].contains("More than 64"),
        "{:?}",
        sensor.notes()
    );
    sensor.host = captured(&generation("new", 10));
    // The open files of the captured moment answer for ever, those of a group that was removed do not.
    for group in &mut sensor.groups {
        group.reopen(&sensor.host, &sensor.trees);
        group.read(&sensor.disks);
    }
    sensor.search();
    assert_eq!((sensor.found(), sensor.groups.len()), (10, FOUND_MAX + 10));
    assert!(sensor.notes().is_empty(), "{:?}", sensor.notes());
}

#[test]
fn the_number_of_series_is_bounded() {
    let mut sensor = empty(captured(&generation("x", 0)));
    for round in 0..20 {
        sensor.host = captured(&generation(&format!("g{round}-"), 64));
        for group in &mut sensor.groups {
            group.reopen(&sensor.host, &sensor.trees);
            group.read(&sensor.disks);
        }
        sensor.search();
        sensor.name_series();
    }
    assert_eq!(sensor.columns.len(), COLUMNS_MAX);
    assert!(
        sensor
            .notes()
            .iter()
            .any(|note| note.contains("4096 series")),
        "{:?}",
        sensor.notes()
    );
}

#[test]
fn what_once_stood_on_another_device_never_counts_again() {
    let stacked = [
        ("/sys/block/dm-0/dev".to_string(), "254:0"),
        ("/sys/block/dm-0/slaves/sda".to_string(), ""),
    ];
    let mut disks = Disks::default();
    disks.refresh(&captured(&stacked));
    disks.refresh(&captured(&stacked[..1]));
    let mut values = [f64::NAN; parts::COUNT];
    parts::io_stat(
        b"254:0 rbytes=900 wbytes=0 rios=9 wios=0\n8:0 rbytes=1 wbytes=0 rios=1 wios=0\n",
        &disks,
        &mut values,
    );
    assert_eq!(values[parts::READ_BYTES], 1.0);
}
