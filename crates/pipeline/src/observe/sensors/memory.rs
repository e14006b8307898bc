//! # Memory and dirty pages
//!
//! What buffered I/O does to memory: the page cache, and how much of it waits to be written.
//!
//! ## What it reads
//! `/proc/meminfo` (Documentation/filesystems/proc.rst).
//!
//! ## Metrics
//! `memory.free`, `memory.available`, `memory.cached`, `memory.dirty`, `memory.writeback`: bytes at the moment of
//! sampling.
//!
//! ## Cost
//! One short read per sample.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `memory.dirty` climbs to 2 GiB, then `memory.writeback` follows: the writes were buffered, the disk comes later.

use crate::observe::{Column, Metric, Opened, Scope, Sensor, Source, parse};
use host::{Host, Sampled};
use model::sample::MetricKind::Gauge;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "memory",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/meminfo"],
    metrics: METRICS,
    fields: &[],
    open,
};

/// In the order of [`KEYS`].
static METRICS: &[Metric] = &[
    Metric {
        name: "memory.free",
        unit: "bytes",
        kind: Gauge,
        meaning: "memory nobody uses",
        cannot_tell: "how much could be had: most of the page cache could, too",
    },
    Metric {
        name: "memory.available",
        unit: "bytes",
        kind: Gauge,
        meaning: "memory a program could get without swapping; Linux 3.14 and later",
        cannot_tell: "",
    },
    Metric {
        name: "memory.cached",
        unit: "bytes",
        kind: Gauge,
        meaning: "page cache, dirty pages and tmpfs included",
        cannot_tell: "",
    },
    Metric {
        name: "memory.dirty",
        unit: "bytes",
        kind: Gauge,
        meaning: "pages written by programs and not yet sent to a disk",
        cannot_tell: "which disk they are for",
    },
    Metric {
        name: "memory.writeback",
        unit: "bytes",
        kind: Gauge,
        meaning: "pages being sent to a disk now",
        cannot_tell: "which disk they go to",
    },
];

const KEYS: [&[u8]; 5] = [b"MemFree:", b"MemAvailable:", b"Cached:", b"Dirty:", b"Writeback:"];

struct Memory(Sampled);

fn open(host: &Host, _scope: &Scope) -> Opened {
    let file = host.sampled("/proc/meminfo").map_err(|error| error.to_string())?;
    Ok(Box::new(Memory(file)))
}

impl Source for Memory {
    fn columns(&self) -> Vec<Column> {
        METRICS.iter().map(|metric| Column::of(metric, "")).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let text = self.0.read()?;
        let mut left = KEYS.len();
        for line in parse::lines(text) {
            let mut words = parse::words(line);
            let key = words.next().unwrap_or_default();
            let Some(index) = KEYS.iter().position(|known| *known == key) else { continue };
            // The unit is written `kB` and means 1,024 bytes.
            if let Some(kib) = words.next().and_then(parse::number) {
                row[index] = kib as f64 * 1024.0;
            }
            left -= 1;
            if left == 0 {
                break;
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
    fn kib_become_bytes_and_old_kernels_leave_a_gap() {
        let text = "MemTotal: 100 kB\nMemFree:   10 kB\nCached:  20 kB\nDirty: 4 kB\nWriteback: 0 kB\n";
        let row = read_once(&SENSOR, &[("/proc/meminfo", text)], &Scope::default()).unwrap();
        let values: Vec<Option<f64>> = row.iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [Some(10240.0), None, Some(20480.0), Some(4096.0), Some(0.0)]);
        assert_eq!(row[3].0, "memory.dirty");
    }
}
