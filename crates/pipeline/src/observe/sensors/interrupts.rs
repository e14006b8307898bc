//! # Interrupts
//!
//! Which CPUs take interrupts, and how many come from the target's own lines.
//!
//! ## What it reads
//! `/proc/interrupts` (proc(5)).
//!
//! ## Metrics
//! - `irq.cpu<n>.all`: all numbered lines, by CPU
//! - `irq.cpu<n>.target`: the lines of the devices on the I/O path, by CPU; absent when none is known
//! - `irq.line<n>.count`: each of those lines
//!
//! ## Cost
//! One read per sample. The kernel prints lines × CPUs numbers: the dearest sensor on machines with many of both.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `irq.cpu1.target` grows by 20,000 in a second and `irq.cpu0.target` by none: one CPU serves the disk.

use crate::observe::{Column, Metric, Opened, Scope, Sensor, Source, parse};
use host::{Host, Sampled};
use model::sample::MetricKind::Counter;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "interrupts",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/interrupts"],
    metrics: METRICS,
    fields: &[],
    open,
};

static METRICS: &[Metric] = &[
    Metric {
        name: "irq.cpu{}.all",
        unit: "events",
        kind: Counter,
        meaning: "interrupts of all numbered lines that this CPU took",
        cannot_tell: "timer and inter-processor interrupts, which have no number",
    },
    Metric {
        name: "irq.cpu{}.target",
        unit: "events",
        kind: Counter,
        meaning: "interrupts of the target's lines that this CPU took",
        cannot_tell: "",
    },
    Metric {
        name: "irq.line{}.count",
        unit: "events",
        kind: Counter,
        meaning: "interrupts of one line of the target, all CPUs together",
        cannot_tell: "",
    },
];

/// Rows hold the CPUs' sums, then the CPUs' shares of the target's lines, then those lines.
struct Interrupts {
    file: Sampled,
    cpus: Vec<u64>,
    irqs: Vec<u32>,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let mut file = host.sampled("/proc/interrupts").map_err(|error| error.to_string())?;
    let cpus = cpus(file.read().map_err(|error| error.to_string())?);
    match cpus.is_empty() {
        true => Err("/proc/interrupts has no CPU columns".into()),
        false => Ok(Box::new(Interrupts { file, cpus, irqs: scope.irqs.clone() })),
    }
}

/// CPU numbers of the columns: offline ones are left out, so they are not always 0, 1, 2.
fn cpus(text: &[u8]) -> Vec<u64> {
    let header = parse::lines(text).next().unwrap_or_default();
    parse::words(header).filter_map(|word| parse::number(word.strip_prefix(b"CPU")?)).collect()
}

impl Source for Interrupts {
    fn columns(&self) -> Vec<Column> {
        let [all, target, line] = [&METRICS[0], &METRICS[1], &METRICS[2]];
        let of_cpus = |metric| self.cpus.iter().map(move |cpu| Column::of(metric, &cpu.to_string()));
        let mut columns: Vec<Column> = of_cpus(all).collect();
        if !self.irqs.is_empty() {
            columns.extend(of_cpus(target));
            columns.extend(self.irqs.iter().map(|irq| Column::of(line, &irq.to_string())));
        }
        columns
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let text = self.file.read()?;
        let count = self.cpus.len();
        let header = parse::lines(text).next().unwrap_or_default();
        // A CPU came or went: the columns are no longer ours. Gaps are true, shifted counts would not be.
        if parse::words(header).count() != count {
            return Ok(());
        }
        let (all, rest) = row.split_at_mut(count);
        let (target, lines) = rest.split_at_mut(if self.irqs.is_empty() { 0 } else { count });
        all.fill(0.0);
        target.fill(0.0);
        for (irq, words) in parse::lines(text).skip(1).filter_map(numbered) {
            let ours = self.irqs.iter().position(|known| u64::from(*known) == irq);
            let mut total = 0.0;
            for (cpu, events) in words.map_while(parse::number).take(count).enumerate() {
                all[cpu] += events as f64;
                if ours.is_some() {
                    target[cpu] += events as f64;
                    total += events as f64;
                }
            }
            if let Some(index) = ours {
                lines[index] = total;
            }
        }
        Ok(())
    }
}

/// The number of a line and its counts; lines with letters (`LOC`, `NMI`) are not devices'.
fn numbered(line: &[u8]) -> Option<(u64, impl Iterator<Item = &[u8]>)> {
    let mut words = parse::words(line);
    let irq = parse::number(words.next()?.strip_suffix(b":")?)?;
    Some((irq, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sensor_tests::read_once;

    const TEXT: &str = "           CPU0       CPU2\n 35:  1 2  PCI-MSIX 0-edge virtio1-config\n 36:  10 70341  PCI-MSIX \
        1-edge virtio1-req.0\n 37:  5 0 PCI-MSIX 0-edge virtio2\nLOC: 900 900 Local timer\nERR: 0\n";

    #[test]
    fn the_target_is_told_from_the_rest() {
        let scope = Scope { irqs: vec![35, 36], ..Scope::default() };
        let row = read_once(&SENSOR, &[("/proc/interrupts", TEXT)], &scope).unwrap();
        let named: Vec<(&str, f64)> =
            row.iter().map(|(name, value)| (name.as_str(), value.unwrap())).collect();
        assert_eq!(
            named,
            [
                ("irq.cpu0.all", 16.0),
                ("irq.cpu2.all", 70343.0),
                ("irq.cpu0.target", 11.0),
                ("irq.cpu2.target", 70343.0),
                ("irq.line35.count", 3.0),
                ("irq.line36.count", 70351.0)
            ]
        );
    }

    #[test]
    fn without_known_lines_there_are_only_sums() {
        let row = read_once(&SENSOR, &[("/proc/interrupts", TEXT)], &Scope::default()).unwrap();
        assert_eq!(row.len(), 2);
    }
}
