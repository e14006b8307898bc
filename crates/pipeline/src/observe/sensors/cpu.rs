//! # CPU time
//!
//! Where each CPU's time goes, so that a CPU which only serves interrupts is seen among idle ones.
//!
//! ## What it reads
//! `/proc/stat` (proc(5)), the lines of single CPUs.
//!
//! ## Metrics
//! `cpu.<n>.user`, `nice`, `system`, `idle`, `iowait`, `irq`, `softirq`, `steal`: ticks of 1/100 s since boot. A CPU
//! that goes offline leaves gaps.
//!
//! ## Cost
//! One read per sample; the kernel also sums up all interrupts for the file, which grows with CPUs and lines.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `cpu.1.softirq` grows by 61 ticks in a second: CPU 1 spends 61 % of its time in soft interrupts.

use crate::observe::{Column, Metric, Opened, Scope, Sensor, Source, parse};
use host::{Host, Sampled};
use model::sample::MetricKind::Counter;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "cpu",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/stat"],
    metrics: METRICS,
    fields: &[],
    open,
};

/// In the order of the columns.
static METRICS: &[Metric] = &[
    Metric {
        name: "cpu.{}.user",
        unit: "ticks",
        kind: Counter,
        meaning: "time in user mode, guests included",
        cannot_tell: "",
    },
    Metric {
        name: "cpu.{}.nice",
        unit: "ticks",
        kind: Counter,
        meaning: "time in user mode at lowered priority",
        cannot_tell: "",
    },
    Metric {
        name: "cpu.{}.system",
        unit: "ticks",
        kind: Counter,
        meaning: "time in the kernel",
        cannot_tell: "",
    },
    Metric {
        name: "cpu.{}.idle",
        unit: "ticks",
        kind: Counter,
        meaning: "time with nothing to do",
        cannot_tell: "",
    },
    Metric {
        name: "cpu.{}.iowait",
        unit: "ticks",
        kind: Counter,
        meaning: "idle time while a task that last ran here waited for a disk",
        cannot_tell: "that a disk is the bottleneck: any other work to do turns it into user time",
    },
    Metric {
        name: "cpu.{}.irq",
        unit: "ticks",
        kind: Counter,
        meaning: "time in interrupt handlers",
        cannot_tell: "short interrupts where the kernel only counts ticks",
    },
    Metric {
        name: "cpu.{}.softirq",
        unit: "ticks",
        kind: Counter,
        meaning: "time in soft interrupts, block completions among them",
        cannot_tell: "",
    },
    Metric {
        name: "cpu.{}.steal",
        unit: "ticks",
        kind: Counter,
        meaning: "time the hypervisor gave to others",
        cannot_tell: "",
    },
];

struct Cpu {
    file: Sampled,
    numbers: Vec<u64>,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let mut file = host.sampled("/proc/stat").map_err(|error| error.to_string())?;
    let text = file.read().map_err(|error| error.to_string())?;
    let numbers: Vec<u64> = cpu_lines(text).map(|(number, _)| number).collect();
    match numbers.is_empty() {
        true => Err("/proc/stat lists no CPU".into()),
        false => Ok(Box::new(Cpu { file, numbers })),
    }
}

/// The CPU's number and its columns. The CPUs come first in the file, after the line of their sum.
fn cpu_lines(text: &[u8]) -> impl Iterator<Item = (u64, impl Iterator<Item = &[u8]>)> {
    parse::lines(text).map_while(|line| line.strip_prefix(b"cpu")).filter_map(|rest| {
        let is_sum = rest.first() == Some(&b' ');
        let mut words = parse::words(rest);
        let number = if is_sum { None } else { parse::number(words.next()?) };
        Some((number?, words))
    })
}

impl Source for Cpu {
    fn columns(&self) -> Vec<Column> {
        let of_cpu =
            |number: &u64| METRICS.iter().map(|metric| Column::of(metric, &number.to_string())).collect();
        self.numbers.iter().flat_map(of_cpu as fn(&u64) -> Vec<Column>).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let text = self.file.read()?;
        for (number, words) in cpu_lines(text) {
            if let Some(index) = self.numbers.iter().position(|known| *known == number) {
                let start = index * METRICS.len();
                parse::fill(&mut row[start..start + METRICS.len()], words);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sensor_tests::read_once;

    #[test]
    fn single_cpus_without_their_sum() {
        let text = "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu3 11 12 13 14 15 16 17 18 0 0\nintr 5 0\n";
        let row = read_once(&SENSOR, &[("/proc/stat", text)], &Scope::default()).unwrap();
        assert_eq!(row.len(), 16);
        assert_eq!((row[0].0.as_str(), row[0].1), ("cpu.0.user", Some(1.0)));
        assert_eq!((row[15].0.as_str(), row[15].1), ("cpu.3.steal", Some(18.0)));
    }
}
