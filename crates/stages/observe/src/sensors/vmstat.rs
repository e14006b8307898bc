//! # Virtual memory counters
//!
//! How fast pages are dirtied and written, and the limits at which the kernel makes writers wait.
//!
//! ## What it reads
//! `/proc/vmstat` (mm/vmstat.c). Pages are told as bytes, of this machine's page size; of a captured machine, of 4 KiB.
//!
//! ## Metrics
//! Gauges, bytes: `vm.dirty`, `vm.writeback`, `vm.dirty_threshold`, `vm.dirty_background_threshold`, as the kernel
//! computes them from memory, `vm.dirty_ratio` and `vm.dirty_bytes` (Linux 2.6.37 and later). Counters since boot:
//! `vm.dirtied`, `vm.written`, `vm.paged_in`, `vm.paged_out`, `vm.swapped_in`, `vm.swapped_out` and
//! `vm.reclaim_written` in bytes; `vm.major_faults`, `vm.alloc_stalls` (of all zones) and `vm.refaults` (of files;
//! before 5.9 of all pages) in events; `vm.throttled_written` in bytes from 5.16. No kernel counts here how often or how
//! long `balance_dirty_pages` made a writer wait: `memory.dirty_bytes` between the thresholds and the pressure of I/O
//! are what there is.
//!
//! ## Cost
//! One read of 3 to 5 KB, for which the kernel adds up the counters of every CPU: about 40 µs, so it is done twice a
//! second at most. Dirty pages themselves are read at every sample, by the sensor `memory`.
//!
//! ## When absent
//! /proc is not mounted, or the kernel was built without CONFIG_VM_EVENT_COUNTERS, which leaves some series out.
//!
//! ## Example
//! `vm.dirtied_bytes_per_s` at 2 GB/s over `vm.written_bytes_per_s` at 400 MB/s: dirty pages grow until writers wait.

use crate::declare::{field_of, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, parse};
use host::{Host, Sampled};
use model::field::{Field, Formula};
use model::sample::MetricKind::{Counter, Gauge};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "vmstat",
    since: "0.1.0",
    every_ms: 500,
    reads: &["/proc/vmstat"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

/// In the order in which [`VmstatScale`] and the fields name them.
static METRICS: &[Metric] = &[
    metric(
        "vm.dirty",
        "bytes",
        Gauge,
        "dirty pages, beside the thresholds of the same moment",
        "",
    ),
    metric(
        "vm.writeback",
        "bytes",
        Gauge,
        "pages being sent to a disk now",
        "",
    ),
    metric(
        "vm.dirty_threshold",
        "bytes",
        Gauge,
        "dirty pages at which every writer has to wait; slowing begins halfway from the background threshold",
        "the limit of one control group or of one slow disk, which are lower",
    ),
    metric(
        "vm.dirty_background_threshold",
        "bytes",
        Gauge,
        "dirty pages at which the kernel begins to write by itself",
        "when old pages are written: after dirty_expire_centisecs, whatever their number",
    ),
    metric(
        "vm.dirtied",
        "bytes",
        Counter,
        "pages that became dirty",
        "how much programs wrote: a page written again while dirty counts once",
    ),
    metric(
        "vm.written",
        "bytes",
        Counter,
        "pages whose writing back was begun",
        "direct I/O, which never dirties a page",
    ),
    metric(
        "vm.paged_in",
        "bytes",
        Counter,
        "read from block devices, direct I/O included",
        "which device; stacked ones that issue I/O anew, such as loops, count again",
    ),
    metric(
        "vm.paged_out",
        "bytes",
        Counter,
        "written to block devices, direct I/O included",
        "which device; stacked ones that issue I/O anew, such as loops, count again",
    ),
    metric("vm.swapped_in", "bytes", Counter, "read back from swap", ""),
    metric("vm.swapped_out", "bytes", Counter, "written to swap", ""),
    metric(
        "vm.major_faults",
        "faults",
        Counter,
        "page faults that had to wait for a read",
        "reads by system calls, which fault nothing",
    ),
    metric(
        "vm.alloc_stalls",
        "events",
        Counter,
        "allocations that had to reclaim memory themselves first",
        "how long they took",
    ),
    metric(
        "vm.refaults",
        "pages",
        Counter,
        "pages read again soon after they were evicted: the cache is too small",
        "whose pages; before Linux 5.9 pages of programs count too",
    ),
    metric(
        "vm.reclaim_written",
        "bytes",
        Counter,
        "dirty pages that reclaim had to write itself, page by page",
        "",
    ),
    metric(
        "vm.throttled_written",
        "bytes",
        Counter,
        "written while reclaim waited for writing; Linux 5.16 and later",
        "writers that wait for dirty pages: those are not counted anywhere in this file",
    ),
];

/// What a number of the file is multiplied by.
#[derive(Clone, Copy)]
enum VmstatScale {
    Pages,
    Kib,
    One,
}

/// Key, place in [`METRICS`], scale. What has several keys is added up.
const KEYS: &[(&[u8], usize, VmstatScale)] = &[
    (b"nr_dirty", 0, VmstatScale::Pages),
    (b"nr_writeback", 1, VmstatScale::Pages),
    (b"nr_dirty_threshold", 2, VmstatScale::Pages),
    (b"nr_dirty_background_threshold", 3, VmstatScale::Pages),
    (b"nr_dirtied", 4, VmstatScale::Pages),
    (b"nr_written", 5, VmstatScale::Pages),
    (b"pgpgin", 6, VmstatScale::Kib),
    (b"pgpgout", 7, VmstatScale::Kib),
    (b"pswpin", 8, VmstatScale::Pages),
    (b"pswpout", 9, VmstatScale::Pages),
    (b"pgmajfault", 10, VmstatScale::One),
    (b"allocstall", 11, VmstatScale::One),
    (b"allocstall_dma", 11, VmstatScale::One),
    (b"allocstall_dma32", 11, VmstatScale::One),
    (b"allocstall_normal", 11, VmstatScale::One),
    (b"allocstall_high", 11, VmstatScale::One),
    (b"allocstall_movable", 11, VmstatScale::One),
    (b"allocstall_device", 11, VmstatScale::One),
    (b"workingset_refault", 12, VmstatScale::One),
    (b"workingset_refault_file", 12, VmstatScale::One),
    (b"nr_vmscan_write", 13, VmstatScale::Pages),
    (b"nr_throttled_written", 14, VmstatScale::Pages),
];

const fn last(name: &'static str, of: &'static [&'static str], place: usize) -> Field {
    field_of(&METRICS[place], name, "bytes", Formula::Last(of, 1.0))
}

const fn rate(
    name: &'static str,
    unit: &'static str,
    of: &'static [&'static str],
    place: usize,
) -> Field {
    field_of(&METRICS[place], name, unit, Formula::Rate(of, 1.0))
}

static FIELDS: &[Field] = &[
    last("memory.dirty_threshold_bytes", &["vm.dirty_threshold"], 2),
    last(
        "memory.dirty_background_threshold_bytes",
        &["vm.dirty_background_threshold"],
        3,
    ),
    rate("vm.dirtied_bytes_per_s", "bytes/s", &["vm.dirtied"], 4),
    rate("vm.written_bytes_per_s", "bytes/s", &["vm.written"], 5),
    rate("vm.paged_in_bytes_per_s", "bytes/s", &["vm.paged_in"], 6),
    rate("vm.paged_out_bytes_per_s", "bytes/s", &["vm.paged_out"], 7),
    rate(
        "vm.swapped_in_bytes_per_s",
        "bytes/s",
        &["vm.swapped_in"],
        8,
    ),
    rate(
        "vm.swapped_out_bytes_per_s",
        "bytes/s",
        &["vm.swapped_out"],
        9,
    ),
    rate("vm.major_faults_per_s", "/s", &["vm.major_faults"], 10),
    rate("vm.alloc_stalls_per_s", "/s", &["vm.alloc_stalls"], 11),
    rate("vm.refaults_per_s", "/s", &["vm.refaults"], 12),
    rate(
        "vm.reclaim_written_bytes_per_s",
        "bytes/s",
        &["vm.reclaim_written"],
        13,
    ),
    rate(
        "vm.throttled_written_bytes_per_s",
        "bytes/s",
        &["vm.throttled_written"],
        14,
    ),
];

struct Vmstat {
    file: Sampled,
    page_bytes: f64,
    /// Places in [`METRICS`] of the series that this kernel has.
    present: Vec<usize>,
    /// For each line of the file the key of [`KEYS`] it has, up to the last one: the lines of a running kernel stay.
    lines: Vec<Option<usize>>,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let mut file = host
        .sampled("/proc/vmstat")
        .map_err(|error| error.to_string())?;
    let text = file.read().map_err(|error| error.to_string())?;
    let mut lines: Vec<Option<usize>> = parse::lines(text).map(key_of).collect();
    lines.truncate(
        lines
            .iter()
            .rposition(Option::is_some)
            .map_or(0, |last| last + 1),
    );
    let mut present: Vec<usize> = lines.iter().flatten().map(|key| KEYS[*key].1).collect();
    present.sort_unstable();
    present.dedup();
    if present.is_empty() {
        return Err("/proc/vmstat has none of the counters that matter to storage".into());
    }
    let page_bytes = if host.is_live() {
        host::rights::page_bytes()
    } else {
        4096
    };
    Ok(Box::new(Vmstat {
        file,
        page_bytes: page_bytes as f64,
        present,
        lines,
    }))
}

fn key_of(line: &[u8]) -> Option<usize> {
    KEYS.iter()
        .position(|(key, ..)| number_after(line, key).is_some())
}

fn number_after(line: &[u8], key: &[u8]) -> Option<u64> {
    parse::number(line.strip_prefix(key)?.strip_prefix(b" ")?)
}

impl SensorSource for Vmstat {
    fn columns(&self) -> Vec<SensorColumn> {
        self.present
            .iter()
            .map(|place| SensorColumn::of(&METRICS[*place], ""))
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let text = self.file.read()?;
        for (line, key) in parse::lines(text).zip(&self.lines) {
            let Some((name, place, scale)) = key.map(|key| KEYS[key]) else {
                continue;
            };
            let Some(number) = number_after(line, name) else {
                continue;
            };
            let times = match scale {
                VmstatScale::Pages => self.page_bytes,
                VmstatScale::Kib => 1024.0,
                VmstatScale::One => 1.0,
            };
            let Some(cell) = self.present.iter().position(|one| *one == place) else {
                continue;
            };
            let before = if row[cell].is_nan() { 0.0 } else { row[cell] };
            row[cell] = before + number as f64 * times;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{damaged, read_once};

    const TEXT: &str = "nr_free_pages 4\nnr_dirty 10\nnr_writeback 2\nnr_dirtied 300\nnr_written 200\n\
        nr_dirty_threshold 1000\nnr_dirty_background_threshold 500\npgpgin 7\nallocstall_dma 1\n\
        allocstall_normal 2\nallocstall_movable 4\npgmajfault 9\nworkingset_refault_anon 3\n\
        workingset_refault_file 5\nnr_unstable 0\n";

    fn value(text: &str, name: &str) -> Option<f64> {
        let row = read_once(&SENSOR, &[("/proc/vmstat", text)], &Scope::default()).unwrap();
        row.into_iter().find(|(series, _)| series == name)?.1
    }

    #[test]
    fn pages_and_kib_become_bytes_and_zones_one_number() {
        assert_eq!(value(TEXT, "vm.dirty"), Some(40_960.0));
        assert_eq!(
            value(TEXT, "vm.dirty_background_threshold"),
            Some(500.0 * 4096.0)
        );
        assert_eq!(value(TEXT, "vm.paged_in"), Some(7168.0));
        assert_eq!(value(TEXT, "vm.alloc_stalls"), Some(7.0));
        assert_eq!(
            value(TEXT, "vm.refaults"),
            Some(5.0),
            "those of files alone"
        );
        assert_eq!(
            value(TEXT, "vm.throttled_written"),
            None,
            "this kernel has none"
        );
        assert_eq!(
            value("allocstall 3\nworkingset_refault 8\n", "vm.alloc_stalls"),
            Some(3.0)
        );
        assert_eq!(
            value("allocstall 3\nworkingset_refault 8\n", "vm.refaults"),
            Some(8.0)
        );
    }

    #[test]
    fn damage_leaves_gaps() {
        for seed in 0..500 {
            let text = damaged(TEXT, seed);
            let Ok(row) = read_once(&SENSOR, &[("/proc/vmstat", &text)], &Scope::default()) else {
                continue;
            };
            assert!(
                row.iter()
                    .all(|(_, value)| value.is_none_or(|value| value >= 0.0)),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn a_machine_without_the_file_says_so() {
        assert!(
            read_once(&SENSOR, &[], &Scope::default())
                .unwrap_err()
                .contains("/proc/vmstat")
        );
    }
}
