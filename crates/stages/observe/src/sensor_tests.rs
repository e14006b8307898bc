//! What all sensors have in common, and the helper with which each tests itself.

use crate::{Scope, Sensor, SensorColumn, SensorSource, sensors};
use host::{Archive, Host};
use model::change::Attribute;
use model::field::{Field, Formula};
use model::sample::MetricKind;
use std::collections::BTreeSet;

/// A machine with these files, and links from the first of two paths to the second.
pub(super) fn machine(files: &[(&str, &str)], links: &[(&str, &str)]) -> Host {
    let mut text = String::from("iodyno-host 1\n");
    for (path, content) in files {
        text += &format!(
            "path: {path}\nlines: {}\n{content}\n",
            content.split('\n').count()
        );
    }
    for (path, to) in links {
        text += &format!("path: {path}\nlink: {to}\n");
    }
    Host::from_archive(Archive::parse(&text).unwrap())
}

/// Readings as the sampler takes them: rows as wide as the series known by then.
pub(super) fn readings(source: &mut dyn SensorSource, count: usize) -> Vec<Vec<f64>> {
    let mut width = source.columns().len();
    let mut read = || {
        width += source.new_columns().len();
        let mut row = vec![f64::NAN; width];
        source.read(&mut row).unwrap();
        row
    };
    (0..count).map(|_| read()).collect()
}

/// Names of series.
pub(super) fn names(columns: &[SensorColumn]) -> Vec<String> {
    columns.iter().map(|column| column.name.clone()).collect()
}

/// One read of a sensor on a machine with these files: the series by name.
pub(super) fn read_once(
    sensor: &Sensor,
    files: &[(&str, &str)],
    scope: &Scope,
) -> Result<Vec<(String, Option<f64>)>, String> {
    let mut archive = Archive::default();
    for (path, text) in files {
        archive.insert(path, Attribute::Value((*text).to_string()));
    }
    let mut source = (sensor.open)(&Host::from_archive(archive), scope)?;
    let columns = source.columns();
    let mut row = vec![f64::NAN; columns.len()];
    source.read(&mut row).map_err(|error| error.to_string())?;
    let value = |value: f64| (!value.is_nan()).then_some(value);
    Ok(columns
        .into_iter()
        .map(|column| column.name)
        .zip(row.into_iter().map(value))
        .collect())
}

/// A text with bytes lost, doubled and replaced, the same for the same seed.
pub(super) fn damaged(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit.max(1)
    };
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=below(5) {
        let at = below(bytes.len());
        match below(5) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + below(60)).min(bytes.len()))),
            2 => bytes
                .splice(at..at, b"99999999999999999999999".iter().copied())
                .for_each(drop),
            3 => bytes
                .splice(at..at, b" : -1 =\n\xff".iter().copied())
                .for_each(drop),
            _ if !bytes.is_empty() => bytes[at] = b"0 \n:(=-M\0"[below(9)],
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn ids_are_sorted_and_every_metric_is_explained() {
    let ids: Vec<&str> = sensors::ALL.iter().map(|sensor| sensor.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    for metric in sensors::ALL.iter().flat_map(|sensor| sensor.metrics) {
        assert!(
            !metric.meaning.is_empty() && !metric.unit.is_empty(),
            "{}",
            metric.name
        );
    }
}

#[test]
fn series_have_names_of_their_own() {
    let mut seen = BTreeSet::new();
    for sensor in sensors::ALL {
        let Ok(source) = (sensor.open)(&Host::live(), &Scope::default()) else {
            continue;
        };
        for column in source.columns() {
            assert!(seen.insert(column.name.clone()), "{} twice", column.name);
        }
    }
}

#[test]
fn fields_are_made_of_series_of_their_own_sensor() {
    let mut ids = BTreeSet::new();
    for sensor in sensors::ALL {
        for field in sensor.fields {
            assert!(ids.insert(field.id()), "{} twice", field.id());
            assert!(
                !field.meaning.is_empty() && !field.unit.is_empty(),
                "{}",
                field.name
            );
            assert!(
                !field.cannot_tell.ends_with('.'),
                "{} continues a sentence",
                field.name
            );
            made_of(field, sensor);
        }
    }
}

fn made_of(field: &Field, sensor: &Sensor) {
    let (counters, gauges): (Vec<&str>, Vec<&str>) = match field.formula {
        Formula::Last(of, _) => (vec![], of.to_vec()),
        Formula::Rate(of, _) => (of.to_vec(), vec![]),
        Formula::Ratio(of, per, _) => ([of, per].concat(), vec![]),
    };
    assert!(
        !counters.is_empty() || !gauges.is_empty(),
        "{} is made of nothing",
        field.name
    );
    let kind = |name: &str| {
        let metric = sensor.metrics.iter().find(|metric| metric.name == name);
        metric
            .unwrap_or_else(|| panic!("{} of {}: no such series", name, field.name))
            .kind
    };
    for name in gauges {
        let _ = kind(name);
    }
    for name in counters {
        assert_ne!(
            kind(name),
            MetricKind::Gauge,
            "{} of {} does not count",
            name,
            field.name
        );
        assert_eq!(
            name.contains("{}"),
            field.name.contains("{}"),
            "{}",
            field.name
        );
    }
}

/// A machine on which every sensor of the disk side finds something.
const WHOLE: &[(&str, &str)] = &[
    (
        "/proc/diskstats",
        "8 0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n8 1 sda1 1 2 3 4\n7 0 loop0 0 0 0 0 0 0 0 0 0 0 0",
    ),
    (
        "/proc/stat",
        "cpu 1 2 3\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6 7\nintr 5 0 3\nctxt 70\nprocs_running 2",
    ),
    (
        "/proc/interrupts",
        "  CPU0 CPU1\n 9: 1 2 IO-APIC virtio3\n 16: 5 0 PCI-MSI-edge ahci\nLOC: 1 1 Local timer\nERR: 0",
    ),
    (
        "/proc/softirqs",
        "   CPU0 CPU1\n TIMER: 2000 5\n BLOCK: 7 80000\n IRQ_POLL: 0 0\n TASKLET: 3 0",
    ),
    ("/sys/class/block/sda/inflight", "  3  14"),
    ("/sys/class/block/sda/dev", "8:0"),
    ("/sys/class/bdi/8:0/read_ahead_kb", "128"),
    (
        "/sys/kernel/debug/bdi/8:0/stats",
        "BdiWriteback: 64 kB\nBdiDirtied: 9000 kB\nstate: 1",
    ),
    ("/sys/block/md0/md/array_state", "clean"),
    ("/sys/block/md0/md/sync_completed", "30 / 120"),
    ("/sys/block/md0/md/raid_disks", "4 (3)"),
    ("/sys/block/zram0/disksize", "1048576"),
    ("/sys/block/zram0/mm_stat", "4096 74 12288 0 12288 5 0 1 0"),
    ("/sys/block/loop0/loop/backing_file", "/srv/disk (deleted)"),
    ("/sys/block/loop0/size", "8"),
    (
        "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
        "3",
    ),
];

#[test]
fn damaged_files_break_no_sensor() {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below.max(1)
    };
    const INTO: [&str; 8] = [
        "",
        " ",
        "\n",
        "-1",
        "18446744073709551615",
        "99999999999999999999",
        "/",
        "CPU",
    ];
    for round in 0..1500 {
        let (place, into) = (random(WHOLE.len()), INTO[random(INTO.len())]);
        let mut files: Vec<(&str, String)> = WHOLE
            .iter()
            .map(|(path, text)| (*path, (*text).to_string()))
            .collect();
        let text = &mut files[place].1;
        let (from, length) = (random(text.len()), random(6));
        text.replace_range(from..(from + length).min(text.len()), into);
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        let host = machine(&files, &[]);
        for sensor in sensors::ALL {
            let Ok(mut source) = (sensor.open)(&host, &Scope::default()) else {
                continue;
            };
            let mut width = source.columns().len();
            for _ in 0..2 {
                width += source.new_columns().len();
                let mut row = vec![f64::NAN; width];
                let _ = source.read(&mut row);
                let is_sane = |cell: &f64| cell.is_nan() || cell.is_finite();
                assert!(
                    row.iter().all(is_sane),
                    "{} in round {round}: {row:?}",
                    sensor.id
                );
            }
        }
    }
}
