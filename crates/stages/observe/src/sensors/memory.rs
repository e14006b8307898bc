//! # Memory and dirty pages
//!
//! What buffered I/O does to memory: the page cache, and how much of it waits to be written.
//!
//! ## What it reads
//! `/proc/meminfo` (Documentation/filesystems/proc.rst). The limits that dirty pages run into are the kernel's own
//! figures in `/proc/vmstat`: see the sensor `vmstat`.
//!
//! ## Metrics
//! `memory.total`, `free`, `available`, `buffers`, `cached`, `dirty`, `writeback`: bytes at the moment of sampling.
//! `memory.available` came with Linux 3.14.
//!
//! ## Cost
//! One short read per sample.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `memory.dirty` climbs to 2 GiB, then `memory.writeback` follows: the writes were buffered, the disk comes later.

use crate::declare::field_of;
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::{Host, Sampled};
use kernel::meminfo;
use model::field::{Field, Formula};
use model::sample::MetricKind::Gauge;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "memory",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/meminfo"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const fn gauge(name: &'static str, meaning: &'static str, cannot_tell: &'static str) -> Metric {
    Metric {
        name,
        unit: "bytes",
        kind: Gauge,
        meaning,
        cannot_tell,
    }
}

/// In the order of [`KEYS`].
static METRICS: &[Metric] = &[
    gauge("memory.total", "memory the kernel manages", ""),
    gauge(
        "memory.free",
        "memory nobody uses",
        "how much could be had: most of the page cache could, too",
    ),
    gauge(
        "memory.available",
        "memory a program could get without swapping; Linux 3.14 and later",
        "that having it is free: the cache it is taken from has to be read again",
    ),
    gauge(
        "memory.buffers",
        "page cache of block devices themselves, most of it metadata",
        "",
    ),
    gauge(
        "memory.cached",
        "page cache of files, dirty pages and tmpfs included",
        "which files it holds",
    ),
    gauge(
        "memory.dirty",
        "pages written by programs and not yet sent to a disk",
        "which disk they are for",
    ),
    gauge(
        "memory.writeback",
        "pages being sent to a disk now",
        "which disk they go to",
    ),
];

const KEYS: [&[u8]; 7] = [
    b"MemTotal",
    b"MemFree",
    b"MemAvailable",
    b"Buffers",
    b"Cached",
    b"Dirty",
    b"Writeback",
];

const fn field(name: &'static str, of: &'static [&'static str], place: usize) -> Field {
    field_of(&METRICS[place], name, "bytes", Formula::Last(of, 1.0))
}

static FIELDS: &[Field] = &[
    field("memory.total_bytes", &["memory.total"], 0),
    field("memory.free_bytes", &["memory.free"], 1),
    field("memory.available_bytes", &["memory.available"], 2),
    field("memory.buffers_bytes", &["memory.buffers"], 3),
    field("memory.cached_bytes", &["memory.cached"], 4),
    field("memory.dirty_bytes", &["memory.dirty"], 5),
    field("memory.writeback_bytes", &["memory.writeback"], 6),
];

struct Memory(Sampled);

fn open(host: &Host, _scope: &Scope) -> Opened {
    let file = host
        .sampled("/proc/meminfo")
        .map_err(|error| error.to_string())?;
    Ok(Box::new(Memory(file)))
}

impl SensorSource for Memory {
    fn columns(&self) -> Vec<SensorColumn> {
        METRICS
            .iter()
            .map(|metric| SensorColumn::of(metric, ""))
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let wanted = meminfo::fields(self.0.read()?).filter_map(|(name, value)| {
            let index = KEYS.iter().position(|known| *known == name)?;
            Some((index, value))
        });
        // The rest of the file is not read once all of them are found.
        for (index, bytes) in wanted.take(KEYS.len()) {
            row[index] = bytes as f64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{damaged, read_once};

    const TEXT: &str = "MemTotal: 100 kB\nMemFree:   10 kB\nBuffers: 1 kB\nCached:  20 kB\nDirty: 4 kB\nWriteback: 0 kB\n";

    #[test]
    fn kib_become_bytes_and_old_kernels_leave_a_gap() {
        let row = read_once(&SENSOR, &[("/proc/meminfo", TEXT)], &Scope::default()).unwrap();
        let values: Vec<Option<f64>> = row.iter().map(|(_, value)| *value).collect();
        let kib = |kib: f64| Some(kib * 1024.0);
        assert_eq!(
            values,
            [
                kib(100.0),
                kib(10.0),
                None,
                kib(1.0),
                kib(20.0),
                kib(4.0),
                kib(0.0)
            ]
        );
        assert_eq!(row[5].0, "memory.dirty");
    }

    #[test]
    fn damage_leaves_gaps() {
        for seed in 0..500 {
            let text = damaged(TEXT, seed);
            let row = read_once(&SENSOR, &[("/proc/meminfo", &text)], &Scope::default()).unwrap();
            assert!(
                row.iter()
                    .all(|(_, value)| value.is_none_or(|value| value >= 0.0)),
                "seed {seed}"
            );
        }
    }
}
