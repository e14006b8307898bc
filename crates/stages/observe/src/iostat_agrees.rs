//! Our figures against those of `iostat -x`, from the same counters.
//!
//! iostat is given the captured machines' files in place of its own /proc, at the first moment and then at the later one;
//! so both compute from the same numbers, and nothing depends on when either looked.

#![allow(
    clippy::disallowed_methods,
    reason = "the files are iostat's, and go with the test"
)]

use super::sensor_hosts::{machine, machine_later};
use super::{Scope, fields, sensors};
use analyse::fields::{Fields, Frame};
use host::{Host, files, spawn};
use model::reading::{Reading, ReadingRow, SeriesName};
use std::sync::Arc;

const MACHINES: [&str; 6] = [
    "linux_3_10",
    "linux_4_18",
    "linux_5_10",
    "linux_6_1",
    "linux_6_12",
    "linux_6_18",
];

/// Our name, iostat's, and what to multiply ours by.
const COLUMNS: &[(&str, &str, f64)] = &[
    ("disk.reads_per_s", "r/s", 1.0),
    ("disk.writes_per_s", "w/s", 1.0),
    ("disk.discards_per_s", "d/s", 1.0),
    ("disk.flushes_per_s", "f/s", 1.0),
    ("disk.read_bytes_per_s", "rkB/s", 1.0 / 1024.0),
    ("disk.write_bytes_per_s", "wkB/s", 1.0 / 1024.0),
    ("disk.read_merges_per_s", "rrqm/s", 1.0),
    ("disk.write_merges_per_s", "wrqm/s", 1.0),
    ("disk.await_read_ms", "r_await", 1.0),
    ("disk.await_write_ms", "w_await", 1.0),
    ("disk.await_discard_ms", "d_await", 1.0),
    ("disk.await_flush_ms", "f_await", 1.0),
    ("disk.size_read_bytes", "rareq-sz", 1.0 / 1024.0),
    ("disk.size_write_bytes", "wareq-sz", 1.0 / 1024.0),
    ("disk.queue_mean_ios", "aqu-sz", 1.0),
    ("disk.busy_percent", "util", 1.0),
];

/// Seconds between the two moments, in the hundredths that iostat sees too.
fn seconds(first: &Host, later: &Host) -> f64 {
    let uptime = |host: &Host| -> f64 {
        host.text("/proc/uptime")
            .unwrap()
            .split(' ')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    uptime(later) - uptime(first)
}

fn ours(first: &Host, later: &Host) -> Frame {
    let sensor = sensors::ALL
        .iter()
        .find(|sensor| sensor.id == "diskstats")
        .unwrap();
    let row = |host: &Host, time_ns: i64| {
        let mut source = (sensor.open)(host, &Scope::default()).unwrap();
        let mut cells = vec![f64::NAN; source.columns().len()];
        source.read(&mut cells).unwrap();
        (
            source.columns(),
            ReadingRow {
                time_ns,
                cells: cells.into(),
            },
        )
    };
    let (columns, from) = row(first, 0);
    let (later_columns, to) = row(later, (seconds(first, later) * 1e9).round() as i64);
    let names = |columns: &[super::SensorColumn]| -> Vec<String> {
        columns.iter().map(|column| column.name.clone()).collect()
    };
    assert_eq!(names(&columns), names(&later_columns));
    let series = columns.iter().map(|one| SeriesName {
        name: one.name.clone(),
        kind: one.metric.kind,
    });
    let reading = Reading {
        sensor: "diskstats",
        series: Arc::new(series.collect()),
        from: Some(from),
        to,
    };
    Fields::new(fields()).frame(&[reading])
}

/// What iostat prints for the time between the two moments; none without iostat or the right to mount.
fn iostat(first: &Host, later: &Host) -> Option<serde_json::Value> {
    let dir = std::env::temp_dir().join(format!("iodyno-iostat-{}", std::process::id()));
    files::create_dirs(&dir).unwrap();
    let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
    for (name, host) in [("first", first), ("later", later)] {
        let uptime = host.text("/proc/uptime").unwrap();
        files::write_atomically(&dir.join(format!("{name}-uptime")), &format!("{uptime}\n"))
            .unwrap();
        for line in host.text("/proc/diskstats").unwrap().lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            // What iostat shows of itself: whole devices, which it reads from /sys.
            if host.exists(&format!("/sys/block/{}", words[2])) {
                let device = dir.join(name).join(words[2]);
                files::create_dirs(&device).unwrap();
                files::write_atomically(
                    &device.join("stat"),
                    &format!("{}\n", words[3..].join(" ")),
                )
                .unwrap();
            }
        }
    }
    // The second report is over the time since the first; the files change as soon as that one is out. They are written
    // in place, because a mount holds on to what it is of.
    let script = format!(
        "set -e
         cp {first}-uptime {now}-uptime; mount --bind {now}-uptime /proc/uptime
         mount -t tmpfs none /sys/block; cp -r {first}/. /sys/block
         S_TIME_FORMAT=ISO LC_ALL=C stdbuf -oL iostat -x -d -o JSON 5 2 | while IFS= read -r line; do
             printf '%s\n' \"$line\"
             case $line in *'\"disk\"'*) cp -r {later}/. /sys/block; cat {later}-uptime >{now}-uptime;; esac
         done",
        first = path("first"),
        later = path("later"),
        now = path("now"),
    );
    let finished = spawn::run("unshare", &["-m", "sh", "-c", &script]);
    std::fs::remove_dir_all(&dir).unwrap();
    let document: serde_json::Value = serde_json::from_str(&finished.ok()?.stdout).ok()?;
    Some(document["sysstat"]["hosts"][0]["statistics"][1]["disk"].clone())
}

#[test]
#[ignore = "live"]
fn every_shared_column_is_iostats() {
    if skip::lacks("iostat") {
        return;
    }
    let mut compared = 0;
    for name in MACHINES {
        let (first, later) = (machine(name), machine_later(name));
        let Some(theirs) = iostat(&first, &later) else {
            return skip::missing("mount", "iostat cannot be shown another /proc");
        };
        let frame = ours(&first, &later);
        for disk in theirs.as_array().unwrap() {
            let device = disk["disk_device"].as_str().unwrap();
            for (id, column, times) in COLUMNS {
                let Some(theirs) = disk[column].as_f64() else {
                    continue;
                };
                // No I/O is 0 for iostat and no data for us; a column that a kernel lacks is 0 there too.
                let Some(ours) = frame.get(id, device).map(|value| value * times) else {
                    assert_eq!(theirs, 0.0, "{name} {device} {column}: we have nothing");
                    continue;
                };
                // A per cent, or one in the last digit that it prints.
                let allowed = (theirs.abs() * 0.01).max(0.011);
                assert!(
                    (ours - theirs).abs() <= allowed,
                    "{name} {device} {column}: {ours} and {theirs}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 200, "{compared} figures were compared");
}
