//! # Arrays
//!
//! Whether an array of md is whole, and how far and how fast it is being made so.
//!
//! ## What it reads
//! `/sys/block/md*/md/` (Documentation/admin-guide/md.rst): `array_state`, `sync_action`, `sync_completed`, `sync_speed`,
//! `degraded`, `mismatch_cnt`, `raid_disks`. Arrays that are assembled later have series from then on, where there was one
//! at the start.
//!
//! ## Metrics
//! - `md.<array>.raid_disks`, `md.<array>.degraded_disks`
//! - `md.<array>.sync_percent`, `sync_done_sectors`, `sync_total_sectors`, `sync_kib_per_s`: only while one is under way
//! - `md.<array>.mismatch_sectors`: what the last check found
//! - `md.<array>.sync_action`: 0 idle, 1 resync, 2 recover, 3 check, 4 repair, 5 reshape, 6 frozen
//! - `md.<array>.array_state`: 0 clear, 1 inactive, 2 suspended, 3 readonly, 4 read-auto, 5 clean, 6 active,
//!   7 write-pending, 8 active-idle, 9 broken
//!
//! raid0 and linear have no redundancy and so only the first and the last.
//!
//! ## Cost
//! Seven short reads an array, once a second.
//!
//! ## When absent
//! There is no array of md when it starts.
//!
//! ## Example
//! `md.md0.degraded_disks` 1 and `md.md0.sync_action` 2: a disk is being rebuilt, and takes bandwidth from the load.

use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::Host;
use model::field::Field;
use model::field::Formula::Last;
use model::sample::MetricKind::Gauge;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "md",
    since: "0.1.0",
    every_ms: 1000,
    reads: &["/sys/block/md*/md/*"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const MISMATCH: &str = "bytes at fault: it counts whole stripes, and raid1 under swap or dirty pages mismatches harmlessly";
const SPEED: &str = "what it takes from the load: it yields to other I/O above sync_speed_min";

static METRICS: &[Metric] = &[
    metric(
        "md.{}.raid_disks",
        "disks",
        Gauge,
        "disks that the array should have",
        "",
    ),
    metric(
        "md.{}.degraded_disks",
        "disks",
        Gauge,
        "disks that are missing or failed",
        "which disks",
    ),
    metric(
        "md.{}.sync_percent",
        "percent",
        Gauge,
        "how far the resync, rebuild or check is",
        "",
    ),
    metric(
        "md.{}.sync_done_sectors",
        "sectors",
        Gauge,
        "512-byte sectors of each disk that are done",
        "",
    ),
    metric(
        "md.{}.sync_total_sectors",
        "sectors",
        Gauge,
        "512-byte sectors of each disk that are to be done",
        "",
    ),
    metric(
        "md.{}.sync_kib_per_s",
        "KiB/s",
        Gauge,
        "speed of the last half minute, by disk",
        SPEED,
    ),
    metric(
        "md.{}.mismatch_sectors",
        "sectors",
        Gauge,
        "what the last check or repair found to differ",
        MISMATCH,
    ),
    metric(
        "md.{}.sync_action",
        "code",
        Gauge,
        "what is under way: 0 idle, 1 resync, 2 recover, 3 check",
        "",
    ),
    metric(
        "md.{}.array_state",
        "code",
        Gauge,
        "state: 5 clean, 6 active; others are out of the ordinary",
        "",
    ),
];

static FIELDS: &[Field] = &[
    field(
        "md.{}.degraded_disks",
        "disks",
        Last(&["md.{}.degraded_disks"], 1.0),
        "disks that are missing or failed",
        "which disks",
    ),
    field(
        "md.{}.raid_disks",
        "disks",
        Last(&["md.{}.raid_disks"], 1.0),
        "disks that the array should have",
        "",
    ),
    field(
        "md.{}.sync_percent",
        "percent",
        Last(&["md.{}.sync_percent"], 1.0),
        "how far the resync, rebuild or check is; no data where none is under way",
        "when it ends: it slows down under load",
    ),
    field(
        "md.{}.sync_bytes_per_s",
        "bytes/s",
        Last(&["md.{}.sync_kib_per_s"], 1024.0),
        "speed of the resync, rebuild or check by disk, over the last half minute",
        SPEED,
    ),
    field(
        "md.{}.mismatches",
        "sectors",
        Last(&["md.{}.mismatch_sectors"], 1.0),
        "what the last check or repair found to differ",
        MISMATCH,
    ),
];

const ACTIONS: [&str; 7] = [
    "idle", "resync", "recover", "check", "repair", "reshape", "frozen",
];
const STATES: [&str; 10] = [
    "clear",
    "inactive",
    "suspended",
    "readonly",
    "read-auto",
    "clean",
    "active",
    "write-pending",
    "active-idle",
    "broken",
];

struct Md {
    host: Host,
    arrays: Vec<String>,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    match arrays(host) {
        arrays if arrays.is_empty() => Err("there is no array of md".into()),
        arrays => Ok(Box::new(Md {
            host: host.clone(),
            arrays,
        })),
    }
}

fn arrays(host: &Host) -> Vec<String> {
    let is_array = |name: &String| {
        name.starts_with("md") && host.exists(&format!("/sys/block/{name}/md/array_state"))
    };
    host.list("/sys/block")
        .into_iter()
        .filter(is_array)
        .collect()
}

/// `done / total` while a sync is under way, else `none`; `delayed` while it waits for another array's.
fn progress(text: &str) -> Option<(f64, f64)> {
    let (done, total) = text.split_once('/')?;
    Some((done.trim().parse().ok()?, total.trim().parse().ok()?))
}

fn code(words: &[&str], text: Option<String>) -> f64 {
    let place = text.and_then(|text| words.iter().position(|word| *word == text.trim()));
    place.map_or(f64::NAN, |place| place as f64)
}

fn look(host: &Host, name: &str, cells: &mut [f64]) {
    let text = |file: &str| host.text(&format!("/sys/block/{name}/md/{file}"));
    // `raid_disks` reads `4 (3)` during a reshape: what it will be and what it was.
    let first_word = |file: &str| text(file)?.split_whitespace().next()?.parse::<f64>().ok();
    let number = |file: &str| first_word(file).unwrap_or(f64::NAN);
    let (done, total) = text("sync_completed")
        .as_deref()
        .and_then(progress)
        .unwrap_or((f64::NAN, f64::NAN));
    let values = [
        number("raid_disks"),
        number("degraded"),
        if total > 0.0 {
            100.0 * done / total
        } else {
            f64::NAN
        },
        done,
        total,
        number("sync_speed"),
        number("mismatch_cnt"),
        code(&ACTIONS, text("sync_action")),
        code(&STATES, text("array_state")),
    ];
    cells.copy_from_slice(&values);
}

impl SensorSource for Md {
    fn columns(&self) -> Vec<SensorColumn> {
        self.arrays
            .iter()
            .flat_map(|name| SensorColumn::all_of(METRICS, name))
            .collect()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let new = arrays(&self.host)
            .into_iter()
            .filter(|name| !self.arrays.contains(name));
        let new: Vec<String> = new.collect();
        let columns = new
            .iter()
            .flat_map(|name| SensorColumn::all_of(METRICS, name))
            .collect();
        self.arrays.extend(new);
        columns
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for (name, cells) in self.arrays.iter().zip(row.chunks_exact_mut(METRICS.len())) {
            look(&self.host, name, cells);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::read_once;

    fn values(files: &[(&str, &str)]) -> Vec<Option<f64>> {
        let row = read_once(&SENSOR, files, &Scope::default()).unwrap();
        row.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn a_rebuild_under_way() {
        let files = [
            ("/sys/block/md0/md/array_state", "clean"),
            ("/sys/block/md0/md/sync_action", "recover"),
            ("/sys/block/md0/md/sync_completed", "30 / 120"),
            ("/sys/block/md0/md/sync_speed", "2048"),
            ("/sys/block/md0/md/degraded", "1"),
            ("/sys/block/md0/md/mismatch_cnt", "128"),
            ("/sys/block/md0/md/raid_disks", "4 (3)"),
        ];
        let expected = [4.0, 1.0, 25.0, 30.0, 120.0, 2048.0, 128.0, 2.0, 5.0];
        assert_eq!(values(&files), expected.map(Some));
    }

    #[test]
    fn nothing_under_way_is_no_data_and_raid0_has_no_redundancy() {
        let files = [
            ("/sys/block/md127/md/array_state", "active"),
            ("/sys/block/md127/md/raid_disks", "2"),
            ("/sys/block/md127/md/sync_completed", "none"),
            ("/sys/block/md127/md/sync_speed", "none"),
            ("/sys/block/sda/size", "8"),
        ];
        let none = None;
        assert_eq!(
            values(&files),
            [
                Some(2.0),
                none,
                none,
                none,
                none,
                none,
                none,
                none,
                Some(6.0)
            ]
        );
    }

    #[test]
    fn no_array_is_told() {
        assert!(read_once(&SENSOR, &[("/sys/block/sda/size", "8")], &Scope::default()).is_err());
    }
}
