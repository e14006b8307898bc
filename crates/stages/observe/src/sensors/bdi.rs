//! # Write-back by device
//!
//! How much of the dirty memory belongs to each device, and how fast the kernel believes the device can write.
//!
//! ## What it reads
//! `/sys/class/bdi/<major>:<minor>/{read_ahead_kb,min_ratio,max_ratio}` (Documentation/ABI/testing/sysfs-class-bdi) and
//! `/sys/kernel/debug/bdi/<major>:<minor>/stats`, of the devices that were named, else of the whole ones that had seen
//! I/O when it started.
//!
//! ## Metrics
//! - `bdi.<device>.read_ahead_kib`, `min_ratio_percent`, `max_ratio_percent`: limits
//! - `bdi.<device>.writeback_kib`, `reclaimable_kib`, `dirty_threshold_kib`, `dirtied_kib`, `written_kib`,
//!   `write_bandwidth_kib_per_s`: from debugfs
//!
//! ## Cost
//! Four short reads a device, once a second. For the last one the kernel walks the device's list of dirty inodes under
//! its lock, which is why it is not read more often.
//!
//! ## When absent
//! None of the devices has a directory in /sys/class/bdi. Without rights, without debugfs mounted or under lockdown only
//! the limits are there, with a note.
//!
//! ## Example
//! `bdi.sdb.dirty_bytes` near `bdi.sdb.dirty_threshold_bytes` of a slow stick while the machine's own threshold is far:
//! its writers are throttled, others are not.

use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, devices, parse};
use host::{Host, Sampled};
use model::field::Field;
use model::field::Formula::{Last, Rate};
use model::sample::MetricKind::{Counter, Gauge};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "bdi",
    since: "0.1.0",
    every_ms: 1000,
    reads: &["/sys/class/bdi/*/*", "/sys/kernel/debug/bdi/*/stats"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const DIRTY: &str = "pages of this device that are dirty and not yet under write-back";
const NOT_FILES: &str = "which files or programs they are of";
const BANDWIDTH: &str = "what the kernel believes the device can write";
const BELIEF: &str = "what it can do: it is learned from what was written, in steps of 200 ms";
const THRESHOLD: &str = "dirty memory at which those who write to this device are throttled";
const SHARE: &str =
    "a fixed limit: it is the device's share of the machine's, by its bandwidth, and moves";

/// The limits, then what debugfs has.
static METRICS: &[Metric] = &[
    metric(
        "bdi.{}.read_ahead_kib",
        "KiB",
        Gauge,
        "most that is read ahead",
        "what files opened before a change use",
    ),
    metric(
        "bdi.{}.min_ratio_percent",
        "percent",
        Gauge,
        "share of the dirty memory that it always has",
        "",
    ),
    metric(
        "bdi.{}.max_ratio_percent",
        "percent",
        Gauge,
        "share of the dirty memory that it may have",
        "",
    ),
    metric(
        "bdi.{}.writeback_kib",
        "KiB",
        Gauge,
        "pages under write-back",
        NOT_FILES,
    ),
    metric("bdi.{}.reclaimable_kib", "KiB", Gauge, DIRTY, NOT_FILES),
    metric("bdi.{}.dirty_threshold_kib", "KiB", Gauge, THRESHOLD, SHARE),
    metric(
        "bdi.{}.dirtied_kib",
        "KiB",
        Counter,
        "pages made dirty",
        NOT_FILES,
    ),
    metric(
        "bdi.{}.written_kib",
        "KiB",
        Counter,
        "pages written back",
        NOT_FILES,
    ),
    metric(
        "bdi.{}.write_bandwidth_kib_per_s",
        "KiB/s",
        Gauge,
        BANDWIDTH,
        BELIEF,
    ),
];

const KIB: f64 = 1024.0;

static FIELDS: &[Field] = &[
    field(
        "bdi.{}.dirty_bytes",
        "bytes",
        Last(&["bdi.{}.reclaimable_kib"], KIB),
        DIRTY,
        NOT_FILES,
    ),
    field(
        "bdi.{}.writeback_bytes",
        "bytes",
        Last(&["bdi.{}.writeback_kib"], KIB),
        "pages under write-back",
        NOT_FILES,
    ),
    field(
        "bdi.{}.dirty_threshold_bytes",
        "bytes",
        Last(&["bdi.{}.dirty_threshold_kib"], KIB),
        THRESHOLD,
        SHARE,
    ),
    field(
        "bdi.{}.dirtied_bytes_per_s",
        "bytes/s",
        Rate(&["bdi.{}.dirtied_kib"], KIB),
        "pages made dirty",
        "how much was written to them: a page that is dirty already counts no more",
    ),
    field(
        "bdi.{}.written_bytes_per_s",
        "bytes/s",
        Rate(&["bdi.{}.written_kib"], KIB),
        "pages written back",
        "writes that went around the page cache",
    ),
    field(
        "bdi.{}.write_bandwidth_bytes_per_s",
        "bytes/s",
        Last(&["bdi.{}.write_bandwidth_kib_per_s"], KIB),
        BANDWIDTH,
        BELIEF,
    ),
    field(
        "bdi.{}.max_ratio_percent",
        "percent",
        Last(&["bdi.{}.max_ratio_percent"], 1.0),
        "share of the dirty memory that it may have",
        "",
    ),
    field(
        "bdi.{}.read_ahead_bytes",
        "bytes",
        Last(&["bdi.{}.read_ahead_kib"], KIB),
        "most that is read ahead",
        "what files opened before a change use",
    ),
];

const LIMITS: [&str; 3] = ["read_ahead_kb", "min_ratio", "max_ratio"];

/// Place of a line of `stats` among the metrics. Kernels differ in which lines they have, and in their order.
fn place(word: &[u8]) -> Option<usize> {
    match word {
        b"BdiWriteback:" => Some(3),
        b"BdiReclaimable:" => Some(4),
        b"BdiDirtyThresh:" => Some(5),
        b"BdiDirtied:" => Some(6),
        b"BdiWritten:" => Some(7),
        b"BdiWriteBandwidth:" => Some(8),
        _ => None,
    }
}

struct Bdi {
    devices: Vec<BdiDevice>,
    /// Why debugfs tells nothing.
    refusal: Option<String>,
}

struct BdiDevice {
    name: String,
    limits: [Option<Sampled>; 3],
    stats: Option<Sampled>,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let mut refusal = None;
    let device = |name: String| {
        let number = host.text(&format!(
            "/sys/class/block/{}/dev",
            devices::directory(&name)
        ))?;
        let directory = format!("/sys/class/bdi/{}", number.trim());
        let limits = LIMITS.map(|limit| host.sampled(&format!("{directory}/{limit}")).ok());
        limits[0].as_ref()?;
        let stats = host.sampled(&format!("/sys/kernel/debug/bdi/{}/stats", number.trim()));
        let stats = stats
            .map_err(|error| refusal.get_or_insert(error.to_string()).clone())
            .ok();
        Some(BdiDevice {
            name,
            limits,
            stats,
        })
    };
    let devices: Vec<BdiDevice> = devices::chosen(host, scope)
        .into_iter()
        .filter_map(device)
        .collect();
    match devices.is_empty() {
        true => Err(
            "none of the devices has a directory in /sys/class/bdi; partitions have their disk's"
                .into(),
        ),
        false => Ok(Box::new(Bdi { devices, refusal })),
    }
}

impl BdiDevice {
    fn width(&self) -> usize {
        if self.stats.is_some() {
            METRICS.len()
        } else {
            LIMITS.len()
        }
    }
}

impl SensorSource for Bdi {
    fn columns(&self) -> Vec<SensorColumn> {
        let of_device =
            |device: &BdiDevice| SensorColumn::all_of(&METRICS[..device.width()], &device.name);
        self.devices.iter().flat_map(of_device).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let mut rest = row;
        for device in &mut self.devices {
            let (cells, behind) = rest.split_at_mut(device.width());
            rest = behind;
            // What a device that is gone cannot tell any more stays a gap.
            for (cell, limit) in cells.iter_mut().zip(&mut device.limits) {
                if let Some(Ok(text)) = limit.as_mut().map(Sampled::read) {
                    parse::fill(std::slice::from_mut(cell), parse::words(text));
                }
            }
            let Some(Ok(text)) = device.stats.as_mut().map(Sampled::read) else {
                continue;
            };
            for line in parse::lines(text) {
                let mut words = parse::words(line);
                if let Some(place) = words.next().and_then(place) {
                    parse::fill(&mut cells[place..=place], words);
                }
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let note = |refusal| {
            format!(
                "Only the limits are known: {refusal}; where root may read a mounted debugfs there is more."
            )
        };
        self.refusal.as_ref().map(note).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{machine, read_once};

    const STATS: &str = "BdiWriteback:               64 kB\nBdiReclaimable:           2048 kB\nBdiDirtyThresh:          \
        4096 kB\nDirtyThresh:            80000 kB\nBackgroundThresh:       40000 kB\nBdiDirtied:               9000 \
        kB\nBdiWritten:               8000 kB\nBdiWriteBandwidth:      102400 kBps\nb_dirty:                     1\nstate: 1";

    #[test]
    fn limits_and_what_debugfs_has() {
        let files = [
            ("/sys/class/block/sda/dev", "8:0"),
            ("/sys/class/bdi/8:0/read_ahead_kb", "128"),
            ("/sys/class/bdi/8:0/min_ratio", "0"),
            ("/sys/class/bdi/8:0/max_ratio", "100"),
            ("/sys/kernel/debug/bdi/8:0/stats", STATS),
        ];
        let row = read_once(&SENSOR, &files, &Scope::devices(&["sda"])).unwrap();
        let values: Vec<f64> = row.iter().map(|(_, value)| value.unwrap()).collect();
        assert_eq!(
            values,
            [
                128.0, 0.0, 100.0, 64.0, 2048.0, 4096.0, 9000.0, 8000.0, 102400.0
            ]
        );
        assert_eq!(row[4].0, "bdi.sda.reclaimable_kib");
    }

    #[test]
    fn without_debugfs_there_are_limits_and_a_note() {
        let files = [
            ("/sys/class/block/sda/dev", "8:0"),
            ("/sys/class/bdi/8:0/read_ahead_kb", "128"),
            ("/sys/class/bdi/8:0/max_ratio", "100"),
        ];
        let source = open(&machine(&files, &[]), &Scope::devices(&["sda"])).unwrap();
        assert_eq!(source.columns().len(), 3);
        assert!(
            source.notes()[0].contains("/sys/kernel/debug/bdi/8:0/stats"),
            "{:?}",
            source.notes()
        );
        assert!(open(&machine(&[], &[]), &Scope::devices(&["sda"])).is_err());
    }
}
