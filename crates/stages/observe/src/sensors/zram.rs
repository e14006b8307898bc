//! # Compressed RAM disks
//!
//! What a zram device holds, how well it compresses, and what it wrote back to its disk.
//!
//! ## What it reads
//! `/sys/block/zram*/{mm_stat,io_stat,bd_stat}` (Documentation/admin-guide/blockdev/zram.rst), the devices that have a
//! size. Before Linux 4.1 the files `orig_data_size`, `compr_data_size` and `mem_used_total` stand for the first.
//!
//! ## Metrics
//! - `zram.<device>.orig_bytes`, `compressed_bytes`, `used_bytes`, `limit_bytes`, `used_max_bytes`, `same_pages`,
//!   `compacted_pages`, `huge_pages`
//! - `zram.<device>.failed_reads`, `failed_writes`, `invalid_ios`, `freed_pages`
//! - `zram.<device>.backing_pages`, `backing_read_pages`, `backing_written_pages`: of 4 KiB, Linux 4.19 and later with a
//!   backing device
//!
//! ## Cost
//! Three short reads a device, once a second.
//!
//! ## When absent
//! No zram device has a size when it starts.
//!
//! ## Example
//! `zram.zram0.orig_bytes` 4 GiB in `used_bytes` 1 GiB: three quarters of the memory is saved.

use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, parse};
use host::Host;
use model::field::Field;
use model::field::Formula::{Last, Rate};
use model::sample::MetricKind::{Counter, Gauge};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "zram",
    since: "0.1.0",
    every_ms: 1000,
    reads: &[
        "/sys/block/zram*/mm_stat",
        "/sys/block/zram*/io_stat",
        "/sys/block/zram*/bd_stat",
    ],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const USED: &str = "memory it takes, its allocator's waste included";
const WASTE: &str = "memory it takes: the allocator rounds up";

/// In the order of the columns of `mm_stat`, `io_stat` and `bd_stat`.
static METRICS: &[Metric] = &[
    metric(
        "zram.{}.orig_bytes",
        "bytes",
        Gauge,
        "data stored, before compression",
        "",
    ),
    metric(
        "zram.{}.compressed_bytes",
        "bytes",
        Gauge,
        "the same after compression",
        WASTE,
    ),
    metric("zram.{}.used_bytes", "bytes", Gauge, USED, ""),
    metric(
        "zram.{}.limit_bytes",
        "bytes",
        Gauge,
        "the most it may take; 0 for no limit",
        "",
    ),
    metric(
        "zram.{}.used_max_bytes",
        "bytes",
        Gauge,
        "the most it ever took",
        "",
    ),
    metric(
        "zram.{}.same_pages",
        "pages",
        Gauge,
        "pages of one repeated word, which take no memory",
        "",
    ),
    metric(
        "zram.{}.compacted_pages",
        "pages",
        Counter,
        "pages freed by compaction",
        "",
    ),
    metric(
        "zram.{}.huge_pages",
        "pages",
        Gauge,
        "pages that do not compress; Linux 4.19 and later",
        "",
    ),
    metric(
        "zram.{}.failed_reads",
        "ios",
        Counter,
        "reads that failed",
        "",
    ),
    metric(
        "zram.{}.failed_writes",
        "ios",
        Counter,
        "writes that failed, mostly for lack of memory",
        "",
    ),
    metric(
        "zram.{}.invalid_ios",
        "ios",
        Counter,
        "I/Os that are no multiple of a page; 0 since Linux 6.4",
        "",
    ),
    metric(
        "zram.{}.freed_pages",
        "pages",
        Counter,
        "pages freed by swap or discard",
        "",
    ),
    metric(
        "zram.{}.backing_pages",
        "pages",
        Gauge,
        "pages of 4 KiB that are on the backing device",
        "",
    ),
    metric(
        "zram.{}.backing_read_pages",
        "pages",
        Counter,
        "pages of 4 KiB read from it",
        "",
    ),
    metric(
        "zram.{}.backing_written_pages",
        "pages",
        Counter,
        "pages of 4 KiB written to it",
        "",
    ),
];

const PAGE_BYTES: f64 = 4096.0;

static FIELDS: &[Field] = &[
    field(
        "zram.{}.orig_bytes",
        "bytes",
        Last(&["zram.{}.orig_bytes"], 1.0),
        "data stored, before compression",
        "",
    ),
    field(
        "zram.{}.compressed_bytes",
        "bytes",
        Last(&["zram.{}.compressed_bytes"], 1.0),
        "data stored, after compression",
        WASTE,
    ),
    field(
        "zram.{}.used_bytes",
        "bytes",
        Last(&["zram.{}.used_bytes"], 1.0),
        USED,
        "",
    ),
    field(
        "zram.{}.huge_pages",
        "pages",
        Last(&["zram.{}.huge_pages"], 1.0),
        "pages that do not compress",
        "",
    ),
    field(
        "zram.{}.failed_writes_per_s",
        "/s",
        Rate(&["zram.{}.failed_writes"], 1.0),
        "writes that failed, mostly for lack of memory",
        "",
    ),
    field(
        "zram.{}.backing_bytes",
        "bytes",
        Last(&["zram.{}.backing_pages"], PAGE_BYTES),
        "data on the backing device",
        "",
    ),
    field(
        "zram.{}.backing_read_bytes_per_s",
        "bytes/s",
        Rate(&["zram.{}.backing_read_pages"], PAGE_BYTES),
        "read from the backing device",
        "",
    ),
    field(
        "zram.{}.backing_write_bytes_per_s",
        "bytes/s",
        Rate(&["zram.{}.backing_written_pages"], PAGE_BYTES),
        "written to the backing device",
        "",
    ),
];

/// Files with the places of their columns.
const FILES: [(&str, std::ops::Range<usize>); 3] =
    [("mm_stat", 0..8), ("io_stat", 8..12), ("bd_stat", 12..15)];
/// What stood for the first three columns before Linux 4.1.
const OLD_FILES: [&str; 3] = ["orig_data_size", "compr_data_size", "mem_used_total"];

struct Zram {
    host: Host,
    devices: Vec<String>,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let has_size = |name: &String| {
        name.starts_with("zram")
            && host
                .number(&format!("/sys/block/{name}/disksize"))
                .is_some_and(|size| size > 0)
    };
    let devices: Vec<String> = host
        .list("/sys/block")
        .into_iter()
        .filter(has_size)
        .collect();
    match devices.is_empty() {
        true => Err("no zram device has a size".into()),
        false => Ok(Box::new(Zram {
            host: host.clone(),
            devices,
        })),
    }
}

impl SensorSource for Zram {
    fn columns(&self) -> Vec<SensorColumn> {
        self.devices
            .iter()
            .flat_map(|name| SensorColumn::all_of(METRICS, name))
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for (name, cells) in self.devices.iter().zip(row.chunks_exact_mut(METRICS.len())) {
            for (file, places) in &FILES {
                if let Some(text) = self.host.text(&format!("/sys/block/{name}/{file}")) {
                    parse::fill(&mut cells[places.clone()], parse::words(text.as_bytes()));
                }
            }
            for (cell, file) in cells
                .iter_mut()
                .zip(OLD_FILES)
                .filter(|(cell, _)| cell.is_nan())
            {
                let number = self.host.number(&format!("/sys/block/{name}/{file}"));
                *cell = number.map_or(f64::NAN, |number| number as f64);
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
    fn three_files_of_a_new_kernel() {
        let files = [
            ("/sys/block/zram0/disksize", "1048576"),
            (
                "/sys/block/zram0/mm_stat",
                "  4096 74 12288 0 12288 5 0 1 0",
            ),
            ("/sys/block/zram0/io_stat", " 0 2 0 7"),
            ("/sys/block/zram0/bd_stat", " 3 4 5"),
            ("/sys/block/zram1/disksize", "0"),
        ];
        let row = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        let values: Vec<f64> = row.iter().map(|(_, value)| value.unwrap()).collect();
        let expected = [
            4096.0, 74.0, 12288.0, 0.0, 12288.0, 5.0, 0.0, 1.0, 0.0, 2.0, 0.0, 7.0, 3.0, 4.0, 5.0,
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn single_files_of_linux_3_14() {
        let files = [
            ("/sys/block/zram0/disksize", "1048576"),
            ("/sys/block/zram0/orig_data_size", "4096"),
            ("/sys/block/zram0/compr_data_size", "74"),
            ("/sys/block/zram0/mem_used_total", "12288"),
        ];
        let row = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        let values: Vec<Option<f64>> = row[..4].iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [Some(4096.0), Some(74.0), Some(12288.0), None]);
    }

    #[test]
    fn a_device_without_a_size_is_none() {
        let error = read_once(
            &SENSOR,
            &[("/sys/block/zram0/disksize", "0")],
            &Scope::default(),
        )
        .unwrap_err();
        assert!(error.contains("zram"), "{error}");
    }
}
