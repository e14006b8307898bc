//! # Disk counters
//!
//! What each device completed: requests, merges, sectors and time, for reads, writes, discards and flushes.
//!
//! ## What it reads
//! `/proc/diskstats` (Documentation/admin-guide/iostats.rst): the lines of the devices that were named, else of all
//! whole devices that have seen I/O, as iostat has it. Partitions are read when they are named. Few devices among many
//! are read from `/sys/class/block/<device>/stat`, which has the same counters, and the whole file with every fifth
//! reading, unless all that were named are there. A device that comes, or is used for the first time, has series from
//! when the whole file says so; one that goes leaves gaps. One device's `queue/iostats`, held open, is looked at with a
//! reading, each at least every hundred readings or so.
//!
//! ## Metrics
//! `disk.<device>.read_ios` and so on, raw since boot. Lines have 14 columns, 18 from Linux 4.18 (discards) and 20 from
//! 5.5 (flushes); what a kernel lacks has no series. Times are 32-bit and wrap after 49.7 days of summed waiting, which
//! a busy device reaches within hours; a counter that fell otherwise was reset, and that step has no data. Partitions
//! before Linux 2.6.25 have four columns of their own, which are told from the others. Flushes are not counted on
//! partitions.
//!
//! The fields are iostat's columns: `disk.reads_per_s` (r/s), `disk.await_read_ms` (r_await), `disk.size_read_bytes`
//! (rareq-sz), `disk.read_merged_percent` (%rrqm), `disk.queue_mean_ios` (aqu-sz), `disk.busy_percent` (%util) and so on.
//! There is no svctm: it divided busy time by requests, which says nothing once two are served at a time.
//!
//! ## Cost
//! One read per sample, for which the kernel prints a line for each device it has: 40 µs with 41 devices on Linux 6.18.
//! Where less than a third of them is watched, their own files cost less: 2 µs each.
//!
//! ## When absent
//! /proc is not mounted, or none of the devices is listed. A device whose `queue/iostats` is 0 has no data, with a note:
//! the kernel keeps its line and counts nothing. Stacked devices and zram count all the same on many kernels.
//!
//! ## Example
//! `disk.vda.read_ios` from 380215 to 381239 in a second: 1,024 reads completed.

mod alone;

use crate::scan::Scan;
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource, devices, parse};
use host::{Host, Sampled};
use kernel::stat::COLUMNS_LEAST;
use model::sample::MetricKind::{Counter, Counter32, Gauge};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "diskstats",
    since: "0.1.0",
    every_ms: 0,
    reads: &[
        "/proc/diskstats",
        "/sys/class/block/*/stat",
        "/sys/class/block/*/queue/iostats",
    ],
    metrics: METRICS,
    fields: model::field::disk::FIELDS,
    open,
};

/// In the order of the columns after the device's name.
static METRICS: &[Metric] = &[
    Metric {
        name: "disk.{}.read_ios",
        unit: "ios",
        kind: Counter,
        meaning: "reads completed",
        cannot_tell: "how many the program asked for: merged ones count once",
    },
    Metric {
        name: "disk.{}.read_merges",
        unit: "ios",
        kind: Counter,
        meaning: "reads that joined another request before it was sent",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.read_sectors",
        unit: "sectors",
        kind: Counter,
        meaning: "512-byte sectors read, whatever the device's block is",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.read_ms",
        unit: "ms",
        kind: Counter32,
        meaning: "time reads took from submission to completion, summed over them; wraps at 2^32",
        cannot_tell: "which layer the time was spent in",
    },
    Metric {
        name: "disk.{}.write_ios",
        unit: "ios",
        kind: Counter,
        meaning: "writes completed",
        cannot_tell: "when the program wrote: buffered writes come later",
    },
    Metric {
        name: "disk.{}.write_merges",
        unit: "ios",
        kind: Counter,
        meaning: "writes that joined another request before it was sent",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.write_sectors",
        unit: "sectors",
        kind: Counter,
        meaning: "512-byte sectors written",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.write_ms",
        unit: "ms",
        kind: Counter32,
        meaning: "time writes took from submission to completion, summed; wraps at 2^32",
        cannot_tell: "which layer the time was spent in",
    },
    Metric {
        name: "disk.{}.in_flight",
        unit: "ios",
        kind: Gauge,
        meaning: "requests sent and not completed at this moment",
        cannot_tell: "what happened between two samples",
    },
    Metric {
        name: "disk.{}.io_ticks_ms",
        unit: "ms",
        kind: Counter32,
        meaning: "time during which anything was in flight; wraps at 2^32",
        cannot_tell: "how busy a device is that serves requests in parallel",
    },
    Metric {
        name: "disk.{}.queue_ms",
        unit: "ms",
        kind: Counter32,
        meaning: "time all requests took, summed, those in flight included; wraps at 2^32",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.discard_ios",
        unit: "ios",
        kind: Counter,
        meaning: "discards completed; Linux 4.18 and later",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.discard_merges",
        unit: "ios",
        kind: Counter,
        meaning: "discards that joined another request",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.discard_sectors",
        unit: "sectors",
        kind: Counter,
        meaning: "512-byte sectors discarded",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.discard_ms",
        unit: "ms",
        kind: Counter32,
        meaning: "time discards took, summed; wraps at 2^32",
        cannot_tell: "",
    },
    Metric {
        name: "disk.{}.flush_ios",
        unit: "ios",
        kind: Counter,
        meaning: "flushes completed; Linux 5.5 and later",
        cannot_tell: "how many the program asked for: flushes in flight together are sent as one",
    },
    Metric {
        name: "disk.{}.flush_ms",
        unit: "ms",
        kind: Counter32,
        meaning: "time flushes took, summed; wraps at 2^32",
        cannot_tell: "",
    },
];

/// Which metric each counter of a line is.
static WHOLE: [usize; 17] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
/// Of a partition before Linux 2.6.25: reads, sectors read, writes, sectors written.
static OLD_PARTITION: [usize; 4] = [0, 2, 4, 6];
/// Place of the I/Os in flight among the counters of a whole line.
const IN_FLIGHT: usize = 8;
/// Each device's `queue/iostats` is looked at once in so many readings, or one with each reading where there are more.
const READINGS_OF_A_ROUND: usize = 100;

struct Diskstats {
    host: Host,
    file: Sampled,
    scope: Scope,
    lines: Vec<DiskstatsLine>,
    devices: Vec<DiskstatsDevice>,
    width: usize,
    readings: usize,
}

/// A line of the file, at its place: devices keep their order while none comes or goes.
struct DiskstatsLine {
    name: Vec<u8>,
    state: DiskstatsState,
}

#[derive(Clone, Copy, PartialEq)]
enum DiskstatsState {
    /// A partition, or a device that was not asked for.
    Unwanted,
    /// No I/O so far.
    Idle,
    /// It gets its series with the next reading.
    Fresh(&'static [usize]),
    /// The place among the devices.
    Read(usize),
}

struct DiskstatsDevice {
    name: String,
    start: usize,
    metrics: &'static [usize],
    /// `queue/iostats`, of a partition its disk's, held open while the device is there.
    setting: Option<Sampled>,
    /// Its own counters, held open while the device is there.
    stat: Option<Sampled>,
    /// It is 0.
    is_stopped: bool,
    /// Nothing was in flight at the last reading.
    is_idle: bool,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let mut file = host
        .sampled("/proc/diskstats")
        .map_err(|error| error.to_string())?;
    let text = file.read().map_err(|error| error.to_string())?;
    let state = |line: &[u8]| {
        let mut scan = Scan::new(line);
        let name = name(&mut scan);
        DiskstatsLine {
            name: name.to_vec(),
            state: state(host, scope, name, scan),
        }
    };
    let lines: Vec<DiskstatsLine> = parse::lines(text).map(state).collect();
    let mut disks = Diskstats {
        host: host.clone(),
        file,
        scope: scope.clone(),
        lines,
        devices: Vec::new(),
        width: 0,
        readings: 0,
    };
    disks.adopt();
    (0..disks.devices.len()).for_each(|place| disks.look(place));
    match disks.devices.is_empty() {
        true => Err("/proc/diskstats lists none of the devices".into()),
        false => Ok(Box::new(disks)),
    }
}

/// The name of a line's device; the counters are next.
fn name<'a>(scan: &mut Scan<'a>) -> &'a [u8] {
    let _numbers = (scan.number(), scan.number());
    scan.word()
}

/// What is to become of a line.
fn state(host: &Host, scope: &Scope, name: &[u8], mut counters: Scan<'_>) -> DiskstatsState {
    let Ok(name) = std::str::from_utf8(name) else {
        return DiskstatsState::Unwanted;
    };
    let is_named = scope.devices.iter().any(|wanted| wanted == name);
    let is_wanted = is_named || scope.devices.is_empty() && devices::is_whole(host, name);
    if !is_wanted {
        return DiskstatsState::Unwanted;
    }
    let (mut count, mut is_used) = (0, false);
    while let Some(number) = counters.number() {
        is_used |= number != 0;
        count += 1;
    }
    match count {
        0..COLUMNS_LEAST if count != OLD_PARTITION.len() => DiskstatsState::Unwanted,
        _ if !is_named && !is_used => DiskstatsState::Idle,
        4 => DiskstatsState::Fresh(&OLD_PARTITION),
        _ => DiskstatsState::Fresh(&WHOLE[..count.min(WHOLE.len())]),
    }
}

/// Whether anything but zeroes follows.
fn is_used(mut counters: Scan<'_>) -> bool {
    std::iter::from_fn(|| counters.number()).any(|number| number != 0)
}

impl Diskstats {
    /// Gives the fresh lines a device each, and those of devices that came back theirs.
    fn adopt(&mut self) {
        for line in &mut self.lines {
            let DiskstatsState::Fresh(metrics) = line.state else {
                continue;
            };
            let known = self
                .devices
                .iter()
                .position(|device| device.name.as_bytes() == line.name);
            let place = known.unwrap_or(self.devices.len());
            if known.is_none() {
                let name = String::from_utf8_lossy(&line.name).into_owned();
                self.devices
                    .push(DiskstatsDevice::new(name, self.width, metrics));
                self.width += metrics.len();
            }
            line.state = DiskstatsState::Read(place);
        }
    }

    /// Whether a device counts.
    fn look(&mut self, place: usize) {
        let Some(device) = self.devices.get_mut(place) else {
            return;
        };
        let directory = || format!("/sys/class/block/{}", devices::directory(&device.name));
        if device.setting.is_none() {
            device.setting = setting(&self.host, &directory());
        }
        if device.stat.is_none() && device.metrics.len() >= COLUMNS_LEAST {
            device.stat = alone::open(&self.host, &device.name);
        }
        let text = device.setting.as_mut().map(Sampled::read);
        let is_off = matches!(text, Some(Ok(text)) if Scan::new(text).number() == Some(0));
        let is_gone = matches!(text, Some(Err(_)));
        device.is_stopped = is_off && !counts_anyway(&self.host, &directory());
        if is_gone {
            (device.setting, device.stat) = (None, None);
        }
    }

    /// Whether a device may come: any, where none was named.
    fn is_awaiting(&self) -> bool {
        let is_there = |name: &String| self.devices.iter().any(|device| device.name == *name);
        self.scope.devices.is_empty() || !self.scope.devices.iter().all(is_there)
    }

    /// Reads every device that counts from its own file; false where one has none or is gone.
    fn read_alone(&mut self, row: &mut [f64]) -> bool {
        self.devices
            .iter_mut()
            .filter(|device| !device.is_stopped)
            .all(|device| {
                let cells = &mut row[device.start..device.start + device.metrics.len()];
                let is_there = device
                    .stat
                    .as_mut()
                    .is_some_and(|stat| alone::fill(stat, cells));
                if is_there {
                    device.note_flight(cells);
                } else {
                    cells.fill(f64::NAN);
                    device.stat = None;
                }
                is_there
            })
    }

    /// Reads the whole file.
    fn read_table(&mut self, row: &mut [f64]) -> host::Result<()> {
        let mut scan = Scan::new(self.file.read()?);
        let mut expected = 0;
        while !scan.is_done() {
            let name = name(&mut scan);
            let new = || state(&self.host, &self.scope, name, scan);
            let place = place(&mut self.lines, expected, name, new);
            expected = place + 1;
            let line = &mut self.lines[place];
            if line.state == DiskstatsState::Idle && is_used(scan) {
                line.state = state(&self.host, &self.scope, name, scan);
            }
            if let DiskstatsState::Read(device) = line.state {
                let device = &mut self.devices[device];
                if !device.is_stopped {
                    let cells = &mut row[device.start..device.start + device.metrics.len()];
                    scan.fill(cells);
                    device.note_flight(cells);
                }
            }
            scan.line();
        }
        Ok(())
    }

    /// Looks at one device's setting now and then.
    fn look_in_turn(&mut self) {
        let count = self.devices.len();
        let between = (READINGS_OF_A_ROUND / count.max(1)).max(1);
        // The first round was made by open.
        self.readings += 1;
        if self.readings.is_multiple_of(between) {
            self.look(self.readings / between % count.max(1));
        }
    }
}

/// A device's `queue/iostats`; a partition has its disk's.
fn setting(host: &Host, directory: &str) -> Option<Sampled> {
    let own = host.sampled(&format!("{directory}/queue/iostats"));
    own.or_else(|_| host.sampled(&format!("{directory}/../queue/iostats")))
        .ok()
}

/// Drivers without requests (dm, md, zram) count by themselves, and many kernels show 0 for them and count all the same:
/// dm, md and zram of 5.10 and dm of 6.1 do, as their captures in testdata/hosts show. The head of an NVMe subsystem with
/// multipath counts nothing where it shows 0: 6.1 leaves that to the hidden devices of its paths.
fn counts_anyway(host: &Host, directory: &str) -> bool {
    let is_by_itself = |path: String| {
        path.starts_with("/sys/devices/virtual/")
            && !path.starts_with("/sys/devices/virtual/nvme-subsystem/")
    };
    host.resolve(directory).is_some_and(is_by_itself) && !host.exists(&format!("{directory}/mq"))
}

impl DiskstatsDevice {
    fn new(name: String, start: usize, metrics: &'static [usize]) -> DiskstatsDevice {
        DiskstatsDevice {
            name,
            start,
            metrics,
            setting: None,
            stat: None,
            is_stopped: false,
            is_idle: false,
        }
    }

    /// Whether nothing is in flight, by the counters of a reading.
    fn note_flight(&mut self, cells: &[f64]) {
        self.is_idle = cells.len() > IN_FLIGHT && cells[IN_FLIGHT] == 0.0;
    }

    fn columns(&self) -> impl Iterator<Item = SensorColumn> {
        self.metrics
            .iter()
            .map(|metric| SensorColumn::of(&METRICS[*metric], &self.name))
    }
}

/// The line's place in the list: the same as last time, unless a device came or went.
fn place(
    lines: &mut Vec<DiskstatsLine>,
    expected: usize,
    name: &[u8],
    new: impl FnOnce() -> DiskstatsState,
) -> usize {
    if lines.get(expected).is_some_and(|line| line.name == name) {
        return expected;
    }
    lines
        .iter()
        .position(|line| line.name == name)
        .unwrap_or_else(|| {
            lines.push(DiskstatsLine {
                name: name.to_vec(),
                state: new(),
            });
            lines.len() - 1
        })
}

impl SensorSource for Diskstats {
    fn columns(&self) -> Vec<SensorColumn> {
        self.devices
            .iter()
            .flat_map(DiskstatsDevice::columns)
            .collect()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let known = self.devices.len();
        self.adopt();
        (known..self.devices.len()).for_each(|place| self.look(place));
        self.devices[known..]
            .iter()
            .flat_map(DiskstatsDevice::columns)
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        self.look_in_turn();
        // Of a device that is gone or counts nothing it is not known.
        self.devices
            .iter_mut()
            .for_each(|device| device.is_idle = false);
        let (devices, lines) = (self.devices.len(), self.lines.len());
        let is_told = alone::is_due(devices, lines, self.readings, self.is_awaiting())
            && self.read_alone(row);
        if !is_told {
            self.read_table(row)?;
        }
        self.scope.flights.note(
            self.devices
                .iter()
                .map(|device| (device.name.as_str(), device.is_idle)),
        );
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let stopped = self.devices.iter().filter(|device| device.is_stopped);
        let note = |device: &DiskstatsDevice| {
            format!(
                "{}: no data while queue/iostats is 0; the kernel counts nothing then.",
                device.name
            )
        };
        stopped.map(note).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{machine, names, read_once, readings};
    use kernel::counter::Width;
    use kernel::stat::COLUMNS;

    const OLD: &str =
        "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n   8       1 sda1 0 0 0 0 0 0 0 0 0 0 0";
    const FIFTEEN: &str = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15";
    const NEW: &str = " 254 0 vda 380215 8327 9251938 141512 10146 14476 4592840 55608 0 16204 197580 4061 25 2323072 427 \
        884 31\n   7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";

    #[test]
    fn metrics_wrap_where_the_columns_of_the_kernel_do() {
        assert_eq!(WHOLE.len(), COLUMNS.len());
        for (place, column) in WHOLE.iter().zip(COLUMNS) {
            let metric = &METRICS[*place];
            assert_eq!(metric.name, format!("disk.{{}}.{}", column.name));
            let kind = match column.width {
                Some(Width::Bits32) => Counter32,
                Some(Width::Bits64) => Counter,
                None => Gauge,
            };
            assert_eq!(metric.kind, kind, "{}", metric.name);
        }
    }

    #[test]
    fn eleven_counters_have_no_discards() {
        let row = read_once(
            &SENSOR,
            &[("/proc/diskstats", OLD)],
            &Scope::devices(&["sda", "sda1"]),
        )
        .unwrap();
        assert_eq!(row.len(), 22);
        assert_eq!(
            (row[0].0.as_str(), row[0].1),
            ("disk.sda.read_ios", Some(1.0))
        );
        assert_eq!(
            (row[10].0.as_str(), row[10].1),
            ("disk.sda.queue_ms", Some(11.0))
        );
        assert_eq!(
            (row[11].0.as_str(), row[11].1),
            ("disk.sda1.read_ios", Some(0.0))
        );
    }

    #[test]
    fn fifteen_counters_have_no_flushes() {
        let row = read_once(&SENSOR, &[("/proc/diskstats", FIFTEEN)], &Scope::default()).unwrap();
        assert_eq!(
            (row.len(), row[14].0.as_str(), row[14].1),
            (15, "disk.sda.discard_ms", Some(15.0))
        );
    }

    #[test]
    fn seventeen_counters_have_flushes_and_idle_devices_are_left_out() {
        let row = read_once(&SENSOR, &[("/proc/diskstats", NEW)], &Scope::default()).unwrap();
        assert_eq!(row.len(), 17);
        assert_eq!(
            (row[16].0.as_str(), row[16].1),
            ("disk.vda.flush_ms", Some(31.0))
        );
        assert_eq!(row[13].1, Some(2323072.0));
    }

    #[test]
    fn partitions_are_read_when_they_are_named() {
        let text = " 8 0 sda 9 2 3 4 5 6 7 8 9 10 11\n 8 1 sda1 5 6 7 8\n 8 2 sda2 1 2 3";
        let files = [
            ("/proc/diskstats", text),
            ("/sys/class/block/sda1/partition", "1"),
            ("/sys/class/block/sda2/partition", "2"),
        ];
        let whole = read_once(&SENSOR, &files, &Scope::default()).unwrap();
        assert_eq!(whole.len(), 11, "{whole:?}");
        let old = read_once(&SENSOR, &files, &Scope::devices(&["sda1", "sda2"])).unwrap();
        let names: Vec<(&str, f64)> = old
            .iter()
            .map(|(name, value)| (name.as_str(), value.unwrap()))
            .collect();
        let four = [
            ("read_ios", 5.0),
            ("read_sectors", 6.0),
            ("write_ios", 7.0),
            ("write_sectors", 8.0),
        ];
        let four = four.map(|(name, value)| (format!("disk.sda1.{name}"), value));
        assert_eq!(
            names,
            four.each_ref().map(|(name, value)| (name.as_str(), *value))
        );
    }

    #[test]
    fn a_device_that_counts_nothing_has_no_data_and_a_note() {
        let text = " 8 0 sda 9 2 3 4 5 6 7 8 9 10 11\n 8 1 sda1 9 2 3 4 5 6 7 8 9 10 11\n 8 16 sdb 1 2 3 4 5 6 7 8 9 10 11";
        let files = [
            ("/proc/diskstats", text),
            ("/sys/devices/sda/queue/iostats", "0"),
            ("/sys/devices/sda/sda1/partition", "1"),
            ("/sys/devices/sdb/queue/iostats", "1"),
        ];
        let host = machine(
            &files,
            &[
                ("/sys/class/block/sda", "/sys/devices/sda"),
                ("/sys/class/block/sda1", "/sys/devices/sda/sda1"),
                ("/sys/class/block/sdb", "/sys/devices/sdb"),
            ],
        );
        let mut source = open(&host, &Scope::devices(&["sda", "sda1", "sdb"])).unwrap();
        let rows = readings(source.as_mut(), 1);
        let seen: Vec<bool> = rows[0].iter().map(|cell| !cell.is_nan()).collect();
        assert_eq!(seen, [[false; 11], [false; 11], [true; 11]].concat());
        let notes = source.notes();
        assert!(
            notes.len() == 2 && notes[0].starts_with("sda: no data while queue/iostats is 0"),
            "{notes:?}"
        );
    }

    #[test]
    fn what_counts_by_itself_is_read_whatever_iostats_says() {
        let line = " 1 0 0 0 0 0 0 0 0 0 0";
        let text = format!(" 254 0 dm-0{line}\n 259 0 nvme0n1{line}\n 259 1 nvme1n1{line}");
        let places = [
            ("dm-0", "/sys/devices/virtual/block/dm-0", "0"),
            (
                "nvme0n1",
                "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1",
                "0",
            ),
            (
                "nvme1n1",
                "/sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1",
                "1",
            ),
        ];
        let settings =
            places.map(|(_, place, iostats)| (format!("{place}/queue/iostats"), iostats));
        let links = places.map(|(name, place, _)| (format!("/sys/class/block/{name}"), place));
        let files: Vec<(&str, &str)> = [("/proc/diskstats", text.as_str())]
            .into_iter()
            .chain(
                settings
                    .iter()
                    .map(|(path, iostats)| (path.as_str(), *iostats)),
            )
            .collect();
        let links = links
            .each_ref()
            .map(|(path, place)| (path.as_str(), *place));
        let host = machine(&files, &links);
        let mut source = open(&host, &Scope::devices(&["dm-0", "nvme0n1", "nvme1n1"])).unwrap();
        let seen: Vec<bool> = readings(source.as_mut(), 1)[0]
            .iter()
            .map(|cell| !cell.is_nan())
            .collect();
        assert_eq!(seen, [[true; 11], [false; 11], [true; 11]].concat());
        assert!(
            source.notes()[0].starts_with("nvme0n1: no data"),
            "{:?}",
            source.notes()
        );
    }

    #[test]
    fn devices_come_and_go() {
        let dir = host::files::temporary_dir("diskstats").unwrap();
        let path = dir.path().join("diskstats");
        let write = |text: &str| host::files::write_atomically(&path, text).unwrap();
        let line = |name: &str, first: u32| format!(" 8 0 {name} {first} 0 0 0 0 0 0 0 0 0 0\n");
        write(&(line("sda", 1) + &line("sdb", 0)));
        let live = Host::live();
        let file = || live.sampled(&path.to_string_lossy()).unwrap();
        let mut disks = Diskstats {
            file: file(),
            host: live.clone(),
            scope: Scope::default(),
            lines: Vec::new(),
            devices: Vec::new(),
            width: 0,
            readings: 0,
        };
        readings(&mut disks, 1);
        assert_eq!(
            names(&disks.new_columns()).first().map(String::as_str),
            Some("disk.sda.read_ios")
        );
        // sdb is used for the first time, sdc is plugged in, sda is gone.
        write(&(line("sdc", 3) + &line("sdb", 2)));
        disks.file = file();
        readings(&mut disks, 1);
        let mut row = vec![f64::NAN; 33];
        assert_eq!(disks.new_columns().len(), 22);
        disks.read(&mut row).unwrap();
        let starts = |name: &str| {
            disks
                .devices
                .iter()
                .find(|device| device.name == name)
                .unwrap()
                .start
        };
        assert!(row[..11].iter().all(|cell| cell.is_nan()), "{row:?}");
        assert_eq!((row[starts("sdb")], row[starts("sdc")]), (2.0, 3.0));
        // sda is back, with counters of its own.
        write(&line("sda", 5));
        disks.file = file();
        assert!(disks.new_columns().is_empty());
        row.fill(f64::NAN);
        disks.read(&mut row).unwrap();
        assert_eq!(row.iter().filter(|cell| !cell.is_nan()).count(), 11);
        assert_eq!(row[0], 5.0);
    }

    #[test]
    fn an_unknown_device_is_told() {
        let error = read_once(
            &SENSOR,
            &[("/proc/diskstats", OLD)],
            &Scope::devices(&["nvme0n1"]),
        )
        .unwrap_err();
        assert!(error.contains("none of the devices"), "{error}");
    }
}
