//! # Loop devices
//!
//! Whether a loop device goes around the page cache, which decides what a test on it measures.
//!
//! ## What it reads
//! `/sys/block/loop*/loop/{dio,autoclear,backing_file}` and `size`, of devices over a file. Direct I/O can be switched
//! while a load runs, and Linux switches it off by itself where the file takes none.
//!
//! ## Metrics
//! - `loop.<device>.direct`: 1 with direct I/O to the file, 0 through the page cache
//! - `loop.<device>.autoclear`: 1 when it is detached with its last user
//! - `loop.<device>.backing_deleted`: 1 when the file has no name any more: its space returns when it is detached
//! - `loop.<device>.device_bytes`: its size, which a file that grew does not change by itself
//!
//! ## Cost
//! Four short reads a device, every five seconds. The file itself is not looked at: it may be on a dead network.
//!
//! ## When absent
//! No loop device stands over a file when it starts.
//!
//! ## Example
//! `loop.loop0.direct` 0 under a load with O_DIRECT: what looks like the disk is the page cache below.

use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::Host;
use model::field::Field;
use model::field::Formula::Last;
use model::sample::MetricKind::Gauge;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "loop_device",
    since: "0.1.0",
    every_ms: 5000,
    reads: &["/sys/block/loop*/loop/*", "/sys/block/loop*/size"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const DIRECT: &str = "1 with direct I/O to the file below, 0 through the page cache";
const NOT_ABOVE: &str = "whether the program above uses direct I/O itself";
const DELETED: &str = "1 when the file below has no name any more";

static METRICS: &[Metric] = &[
    metric("loop.{}.direct", "flag", Gauge, DIRECT, NOT_ABOVE),
    metric(
        "loop.{}.autoclear",
        "flag",
        Gauge,
        "1 when it is detached with its last user",
        "",
    ),
    metric("loop.{}.backing_deleted", "flag", Gauge, DELETED, ""),
    metric(
        "loop.{}.device_bytes",
        "bytes",
        Gauge,
        "size of the device",
        "how much of the file is written",
    ),
];

static FIELDS: &[Field] = &[
    field(
        "loop.{}.direct",
        "flag",
        Last(&["loop.{}.direct"], 1.0),
        DIRECT,
        NOT_ABOVE,
    ),
    field(
        "loop.{}.backing_deleted",
        "flag",
        Last(&["loop.{}.backing_deleted"], 1.0),
        DELETED,
        "",
    ),
    field(
        "loop.{}.device_bytes",
        "bytes",
        Last(&["loop.{}.device_bytes"], 1.0),
        "size of the device",
        "how much of the file is written",
    ),
];

struct Loops {
    host: Host,
    devices: Vec<String>,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    match attached(host) {
        devices if devices.is_empty() => Err("no loop device stands over a file".into()),
        devices => Ok(Box::new(Loops {
            host: host.clone(),
            devices,
        })),
    }
}

/// The directory `loop` is there while a file is.
fn attached(host: &Host) -> Vec<String> {
    let is_attached = |name: &String| {
        name.starts_with("loop") && host.exists(&format!("/sys/block/{name}/loop/backing_file"))
    };
    host.list("/sys/block")
        .into_iter()
        .filter(is_attached)
        .collect()
}

impl SensorSource for Loops {
    fn columns(&self) -> Vec<SensorColumn> {
        self.devices
            .iter()
            .flat_map(|name| SensorColumn::all_of(METRICS, name))
            .collect()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let new: Vec<String> = attached(&self.host)
            .into_iter()
            .filter(|name| !self.devices.contains(name))
            .collect();
        let columns = new
            .iter()
            .flat_map(|name| SensorColumn::all_of(METRICS, name))
            .collect();
        self.devices.extend(new);
        columns
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for (name, cells) in self.devices.iter().zip(row.chunks_exact_mut(METRICS.len())) {
            let Some(backing) = self
                .host
                .text(&format!("/sys/block/{name}/loop/backing_file"))
            else {
                continue;
            };
            let number = |file: &str| {
                self.host
                    .number(&format!("/sys/block/{name}/{file}"))
                    .map(|n| n as f64)
            };
            let sectors = number("size").unwrap_or(f64::NAN);
            let direct = number("loop/dio").unwrap_or(f64::NAN);
            let autoclear = number("loop/autoclear").unwrap_or(f64::NAN);
            let is_deleted = f64::from(backing.ends_with(" (deleted)"));
            cells.copy_from_slice(&[direct, autoclear, is_deleted, sectors * 512.0]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::read_once;

    #[test]
    fn attached_devices_only() {
        let files = [
            ("/sys/block/loop0/loop/backing_file", "/srv/disk (deleted)"),
            ("/sys/block/loop0/loop/dio", "1"),
            ("/sys/block/loop0/loop/autoclear", "0"),
            ("/sys/block/loop0/size", "8"),
            ("/sys/block/loop1/size", "0"),
            // Linux 3.10 has no direct I/O for them.
            ("/sys/block/loop2/loop/backing_file", "/srv/other"),
            ("/sys/block/loop2/loop/autoclear", "1"),
            ("/sys/block/loop2/size", "16"),
        ];
        let row = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        let values: Vec<Option<f64>> = row.iter().map(|(_, value)| *value).collect();
        let first = [1.0, 0.0, 1.0, 4096.0].map(Some);
        assert_eq!(
            values,
            [first, [None, Some(1.0), Some(0.0), Some(8192.0)]].concat()
        );
        assert_eq!(row[0].0, "loop.loop0.direct");
    }

    #[test]
    fn without_one_it_says_so() {
        assert!(
            read_once(
                &SENSOR,
                &[("/sys/block/loop1/size", "0")],
                &Scope::default()
            )
            .is_err()
        );
    }
}
