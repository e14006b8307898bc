//! # I/Os in flight
//!
//! How many reads and how many writes each device has been given and has not completed.
//!
//! ## What it reads
//! `/sys/class/block/<device>/inflight` (Documentation/block/stat.rst): of the devices and partitions that were named,
//! else of all whole devices that had seen I/O when it started.
//!
//! ## Metrics
//! `inflight.<device>.read_ios`, `inflight.<device>.write_ios`: at the moment of the sample. The fields have the same
//! names. Writes include flushes and, before Linux 4.19, discards.
//!
//! ## Cost
//! One short read a device for which `/proc/diskstats`, read just before, has any in flight; the others have none and are
//! not asked. The kernel looks through the tags of all its hardware queues for the answer: dear on disks with many deep
//! queues, where the sampler reads it less often.
//!
//! ## When absent
//! /sys is not mounted, or none of the devices has the file. A device that is pulled leaves gaps.
//!
//! ## Example
//! `inflight.nvme0n1.write_ios` at 1,023 beside `inflight.nvme0n1.read_ios` at 1: reads wait among writes.

use crate::declare::{field, metric};
use crate::{Flights, Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, devices, parse};
use host::{Host, Sampled};
use model::field::Field;
use model::field::Formula::Last;
use model::sample::MetricKind::Gauge;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "inflight",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/sys/class/block/*/inflight"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const MOMENT: &str = "what happened between two samples, nor which layer holds the requests";

static METRICS: &[Metric] = &[
    metric(
        "inflight.{}.read_ios",
        "ios",
        Gauge,
        "reads sent and not completed",
        MOMENT,
    ),
    metric(
        "inflight.{}.write_ios",
        "ios",
        Gauge,
        "writes and flushes sent and not completed",
        MOMENT,
    ),
];

static FIELDS: &[Field] = &[
    field(
        "inflight.{}.read_ios",
        "ios",
        Last(&["inflight.{}.read_ios"], 1.0),
        "reads sent and not completed",
        MOMENT,
    ),
    field(
        "inflight.{}.write_ios",
        "ios",
        Last(&["inflight.{}.write_ios"], 1.0),
        "writes and flushes sent and not completed",
        MOMENT,
    ),
];

struct Inflight {
    files: Vec<(String, Sampled)>,
    flights: Flights,
    /// By device: whether it was just seen with nothing in flight.
    idle: Vec<bool>,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let file = |name: String| {
        let path = format!("/sys/class/block/{}/inflight", devices::directory(&name));
        Some((name, host.sampled(&path).ok()?))
    };
    let files: Vec<_> = devices::chosen(host, scope)
        .into_iter()
        .filter_map(file)
        .collect();
    match files.is_empty() {
        true => Err("none of the devices has /sys/class/block/*/inflight".into()),
        false => Ok(Box::new(Inflight {
            files,
            flights: scope.flights.clone(),
            idle: Vec::new(),
        })),
    }
}

impl SensorSource for Inflight {
    fn columns(&self) -> Vec<SensorColumn> {
        let of_device = |(name, _): &(String, Sampled)| SensorColumn::all_of(METRICS, name);
        self.files.iter().flat_map(of_device).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        self.flights.idle(
            self.files.iter().map(|(name, _)| name.as_str()),
            &mut self.idle,
        );
        let cells = row.chunks_mut(METRICS.len());
        for (((_, file), is_idle), cells) in self.files.iter_mut().zip(&self.idle).zip(cells) {
            if *is_idle {
                cells.fill(0.0);
                continue;
            }
            // A device that is gone has gaps, the others go on.
            if let Ok(text) = file.read() {
                parse::fill(cells, parse::words(text));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{machine, read_once};

    #[test]
    fn reads_and_writes_of_the_named_devices() {
        let files = [
            ("/sys/class/block/sda/inflight", "       3        14"),
            ("/sys/class/block/sda1/inflight", "       0        2"),
            ("/sys/class/block/sdb/inflight", "broken"),
        ];
        let row = read_once(
            &SENSOR,
            &files,
            &Scope::devices(&["sda", "sda1", "sdb", "sdc"]),
        )
        .unwrap();
        let values: Vec<Option<f64>> = row.iter().map(|(_, value)| *value).collect();
        assert_eq!(
            values,
            [Some(3.0), Some(14.0), Some(0.0), Some(2.0), None, None]
        );
        assert_eq!(row[3].0, "inflight.sda1.write_ios");
    }

    #[test]
    fn devices_with_nothing_in_flight_are_not_asked() {
        let files = [
            ("/sys/class/block/sda/inflight", "3 14"),
            ("/sys/class/block/sdb/inflight", "2 1"),
        ];
        let scope = Scope::devices(&["sda", "sdb"]);
        let mut source = open(&machine(&files, &[]), &scope).unwrap();
        let mut row = [f64::NAN; 4];
        // A thread that is held up in between asks all the same.
        let spared = (0..1000).any(|_| {
            scope
                .flights
                .note([("sda", false), ("sdb", true)].into_iter());
            source.read(&mut row).unwrap();
            row == [3.0, 14.0, 0.0, 0.0]
        });
        assert!(spared, "{row:?}");
        scope.flights.note(std::iter::empty());
        source.read(&mut row).unwrap();
        assert_eq!(row, [3.0, 14.0, 2.0, 1.0]);
    }

    #[test]
    fn without_a_device_it_says_why() {
        let error = read_once(&SENSOR, &[], &Scope::devices(&["sda"])).unwrap_err();
        assert!(error.contains("inflight"), "{error}");
    }
}
