//! # CPU throttling
//!
//! How often a CPU was slowed because it or its package was too hot: a load's rate falls and no disk is to blame.
//!
//! ## What it reads
//! `/sys/devices/system/cpu/cpu*/thermal_throttle/{core_throttle_count,package_throttle_count}` of Intel CPUs; the package's
//! count of its first CPU.
//!
//! ## Metrics
//! `throttle.cpu<n>.events` and `throttle.package<n>.events`: since boot. Disks' own throttling is in the sensor `health`.
//!
//! ## Cost
//! One short read a CPU, once a second.
//!
//! ## When absent
//! The CPU does not tell: other makers, most virtual machines.
//!
//! ## Example
//! `throttle.package0.events_per_s` at 12 while IOPS fall: the engine is slower, not the disk.

use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, parse};
use host::{Host, Sampled};
use model::field::Field;
use model::field::Formula::{Last, Rate};
use model::sample::MetricKind::Counter;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "throttle",
    since: "0.1.0",
    every_ms: 1000,
    reads: &["/sys/devices/system/cpu/cpu*/thermal_throttle/*"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const MEANING: &str = "times that a CPU or package passed its limit of temperature";
const NOT_HOW: &str =
    "how long or how much it was slowed, nor limits of power, which slow it without an event";

static METRICS: &[Metric] = &[metric(
    "throttle.{}.events",
    "events",
    Counter,
    MEANING,
    NOT_HOW,
)];

static FIELDS: &[Field] = &[
    field(
        "throttle.{}.events",
        "events",
        Last(&["throttle.{}.events"], 1.0),
        "times since boot that a CPU or package passed its limit of temperature",
        NOT_HOW,
    ),
    field(
        "throttle.{}.events_per_s",
        "/s",
        Rate(&["throttle.{}.events"], 1.0),
        MEANING,
        NOT_HOW,
    ),
];

const CPUS: &str = "/sys/devices/system/cpu";

/// Names with their files.
struct Throttle(Vec<(String, Sampled)>);

fn open(host: &Host, _scope: &Scope) -> Opened {
    let mut files: Vec<(String, Sampled)> = Vec::new();
    let is_cpu = |name: &String| {
        name.strip_prefix("cpu")
            .is_some_and(|number| parse::number(number.as_bytes()).is_some())
    };
    for cpu in host.list(CPUS).into_iter().filter(is_cpu) {
        let file = |name: &str| {
            host.sampled(&format!("{CPUS}/{cpu}/thermal_throttle/{name}"))
                .ok()
        };
        let package = host.number(&format!("{CPUS}/{cpu}/topology/physical_package_id"));
        let package = package.map(|package| format!("package{package}"));
        let package = package.filter(|package| files.iter().all(|(known, _)| known != package));
        files.extend(package.and_then(|package| Some((package, file("package_throttle_count")?))));
        files.extend(file("core_throttle_count").map(|file| (cpu.clone(), file)));
    }
    match files.is_empty() {
        true => Err(
            "these CPUs do not tell (no thermal_throttle in /sys/devices/system/cpu/cpu*)".into(),
        ),
        false => Ok(Box::new(Throttle(files))),
    }
}

impl SensorSource for Throttle {
    fn columns(&self) -> Vec<SensorColumn> {
        self.0
            .iter()
            .map(|(name, _)| SensorColumn::of(&METRICS[0], name))
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for ((_, file), cell) in self.0.iter_mut().zip(row) {
            // A CPU that is offline has gaps.
            if let Ok(text) = file.read() {
                parse::fill(std::slice::from_mut(cell), parse::words(text));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::read_once;

    #[test]
    fn cores_and_one_count_for_their_package() {
        let path = |cpu: u32, file: &str| format!("{CPUS}/cpu{cpu}/{file}");
        let files: Vec<(String, &str)> = (0..2)
            .flat_map(|cpu| {
                [
                    (
                        path(cpu, "thermal_throttle/core_throttle_count"),
                        if cpu == 0 { "3" } else { "4" },
                    ),
                    (path(cpu, "thermal_throttle/package_throttle_count"), "9"),
                    (path(cpu, "topology/physical_package_id"), "0"),
                ]
            })
            .chain([(format!("{CPUS}/cpufreq/boost"), "1")])
            .collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        let row = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        let values: Vec<(&str, f64)> = row
            .iter()
            .map(|(name, value)| (name.as_str(), value.unwrap()))
            .collect();
        let expected = [
            ("throttle.package0.events", 9.0),
            ("throttle.cpu0.events", 3.0),
            ("throttle.cpu1.events", 4.0),
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn cpus_that_do_not_tell() {
        let files = [(
            "/sys/devices/system/cpu/cpu0/topology/physical_package_id",
            "0",
        )];
        assert!(
            read_once(&SENSOR, &files, &Scope::default())
                .unwrap_err()
                .contains("thermal_throttle")
        );
    }
}
