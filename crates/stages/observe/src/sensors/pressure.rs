//! # Pressure
//!
//! How long tasks waited for I/O, CPU and memory: whether a slow disk hurts anyone.
//!
//! ## What it reads
//! `/proc/pressure/{io,cpu,memory,irq}` (Documentation/accounting/psi.rst), the totals. `irq` came with Linux 6.1.
//!
//! ## Metrics
//! `pressure.<what>.some_us`: time during which at least one task waited; `pressure.<what>.full_us`: time during which
//! all tasks that were not idle waited. CPU has `full` since Linux 5.13, where it stays 0 for the whole machine; `irq` has
//! nothing else. The percentages are of the time between two samples, not the kernel's averages over 10 s and more.
//!
//! ## Cost
//! Three or four short reads per sample.
//!
//! ## When absent
//! Linux before 4.20, a kernel without CONFIG_PSI, or booted with `psi=0`.
//!
//! ## Example
//! `pressure.io.some_us` grows by 980,000 in a second: some task waited for I/O nearly all the time.

use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, parse};
use host::{Host, Sampled};
use model::field::{Field, Formula};
use model::sample::MetricKind::Counter;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "pressure",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/pressure/*"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

static METRICS: &[Metric] = &[
    Metric {
        name: "pressure.{}.some_us",
        unit: "us",
        kind: Counter,
        meaning: "time during which at least one task waited",
        cannot_tell: "how many tasks waited, or for which disk",
    },
    Metric {
        name: "pressure.{}.full_us",
        unit: "us",
        kind: Counter,
        meaning: "time during which no task could go on",
        cannot_tell: "for which disk they waited",
    },
];

/// Of a second, in which there are 1,000,000 µs, in percent.
const PERCENT: f64 = 100.0 / 1e6;

static FIELDS: &[Field] = &[
    Field {
        name: "pressure.{}.some_percent",
        unit: "percent",
        meaning: "share of the time in which at least one task waited",
        cannot_tell: "how many tasks waited, or for which disk: one that waits all the time gives 100",
        formula: Formula::Rate(&["pressure.{}.some_us"], PERCENT),
    },
    Field {
        name: "pressure.{}.full_percent",
        unit: "percent",
        meaning: "share of the time in which no task that had work could go on",
        cannot_tell: "for which disk they waited",
        formula: Formula::Rate(&["pressure.{}.full_us"], PERCENT),
    },
];

const SUBJECTS: [&str; 4] = ["io", "cpu", "memory", "irq"];

struct Pressure(Vec<(&'static str, Sampled)>);

fn open(host: &Host, _scope: &Scope) -> Opened {
    let file = |subject: &'static str| {
        let mut file = host.sampled(&format!("/proc/pressure/{subject}")).ok()?;
        // With `psi=0` the files are there and answer EOPNOTSUPP.
        file.read().is_ok().then_some((subject, file))
    };
    let files: Vec<_> = SUBJECTS.into_iter().filter_map(file).collect();
    match files.is_empty() {
        true => Err(
            "this kernel does not measure pressure (Linux 4.20 and later with CONFIG_PSI, psi=1)"
                .into(),
        ),
        false => Ok(Box::new(Pressure(files))),
    }
}

impl SensorSource for Pressure {
    fn columns(&self) -> Vec<SensorColumn> {
        let of_file = |(subject, _): &(&str, Sampled)| {
            METRICS
                .iter()
                .map(|metric| SensorColumn::of(metric, subject))
                .collect()
        };
        self.0
            .iter()
            .flat_map(of_file as fn(&(&'static str, Sampled)) -> Vec<SensorColumn>)
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for ((_, file), cells) in self.0.iter_mut().zip(row.chunks_mut(METRICS.len())) {
            // One file that cannot be read leaves its own gap.
            let Ok(text) = file.read() else { continue };
            let (some, full) = parse::pressure_us(text);
            [cells[0], cells[1]] = [some, full];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{damaged, read_once};

    #[test]
    fn totals_and_the_missing_full_line() {
        let io = "some avg10=24.79 avg60=39.12 avg300=16.65 total=74197872\n\
            full avg10=17.26 avg60=22.08 avg300=9.19 total=45485778\n";
        let cpu = "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n";
        let files = [("/proc/pressure/io", io), ("/proc/pressure/cpu", cpu)];
        let row = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        let values: Vec<Option<f64>> = row.iter().map(|(_, value)| *value).collect();
        assert_eq!(
            values,
            [Some(74197872.0), Some(45485778.0), Some(7.0), None]
        );
        assert_eq!(row[2].0, "pressure.cpu.some_us");
    }

    #[test]
    fn damage_leaves_gaps() {
        for seed in 0..500 {
            let io = damaged(
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=1.00 total=9\n",
                seed,
            );
            let row = read_once(&SENSOR, &[("/proc/pressure/io", &io)], &Scope::default()).unwrap();
            assert!(
                row.iter()
                    .all(|(_, value)| value.is_none_or(|value| value >= 0.0)),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn an_old_kernel_says_why() {
        assert!(
            read_once(&SENSOR, &[], &Scope::default())
                .unwrap_err()
                .contains("4.20")
        );
    }
}
