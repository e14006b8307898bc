//! # Interrupts
//!
//! Which CPUs take interrupts, how many each disk's controller sends, and to which CPU.
//!
//! ## What it reads
//! `/proc/interrupts` (proc(5)). Its lines are joined with disks through sysfs: `msi_irqs/` of the PCI function that the
//! disk hangs on, else its `irq`, else the handler's name (`virtio1-req.0`, `mmc0`).
//!
//! ## Metrics
//! - `irq.cpu<n>.all`: all numbered lines, by CPU
//! - `irq.cpu<n>.target`: the lines of the devices on the I/O path, by CPU; absent when none is known
//! - `irq.line<n>.count`: each of those lines
//! - `irq.device.<disk>.count`: the lines of a disk's controller, which are those of all its disks
//! - `irq.device_cpu.<disk>@<n>.count`: the same by CPU: `nvme0n1@4` is what CPU 4 takes for nvme0n1. A pair has a series
//!   from when it first took one; there are at most 1,024 pairs
//!
//! All of them are sums of counts that the kernel keeps in 32 bits for each line and CPU. When one of those wraps, or a
//! line goes, the sum falls, which is a gap rather than a guess. A CPU that goes offline leaves gaps, and when one goes or
//! comes the sums over CPUs have one, since what it counted before leaves or joins them.
//!
//! ## Cost
//! One read per sample. The kernel prints lines × CPUs numbers: the dearest sensor on machines with many of both, where
//! the sampler reads it less often. Of twenty readings all but one end with the last numbered line, which spares the
//! kernel the search for more and the lines without a number; a line that comes behind all others is seen with the next
//! whole one. Disks are joined when it starts, and again when a line is new.
//!
//! ## When absent
//! /proc is not mounted.
//!
//! ## Example
//! `irq.cpu1.target` grows by 20,000 in a second and `irq.cpu0.target` by none: one CPU serves the disk.

mod join;
mod table;

use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::{Host, Sampled};
use model::field::Field;
use model::field::Formula::Rate;
use model::sample::MetricKind::Counter;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "interrupts",
    since: "0.1.0",
    every_ms: 0,
    reads: &[
        "/proc/interrupts",
        "/sys/devices/**/msi_irqs",
        "/sys/devices/**/irq",
    ],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const WITHOUT_NUMBER: &str = "timer and inter-processor interrupts, which have no number";
const SHARED: &str =
    "which disk they were for where a controller has several, nor how many I/Os one completed";

static METRICS: &[Metric] = &[
    metric(
        "irq.cpu{}.all",
        "events",
        Counter,
        "interrupts of all numbered lines that this CPU took",
        WITHOUT_NUMBER,
    ),
    metric(
        "irq.cpu{}.target",
        "events",
        Counter,
        "interrupts of the target's lines that this CPU took",
        SHARED,
    ),
    metric(
        "irq.line{}.count",
        "events",
        Counter,
        "interrupts of one line of the target, all CPUs together",
        SHARED,
    ),
    metric(
        "irq.device.{}.count",
        "events",
        Counter,
        "interrupts of the lines of the disk's controller, all CPUs together",
        SHARED,
    ),
    metric(
        "irq.device_cpu.{}.count",
        "events",
        Counter,
        "interrupts of the lines of the disk's controller that one CPU took: `nvme0n1@4` is CPU 4",
        SHARED,
    ),
];

static FIELDS: &[Field] = &[
    field(
        "irq.cpu{}.all_per_s",
        "/s",
        Rate(&["irq.cpu{}.all"], 1.0),
        "interrupts of all numbered lines that this CPU took",
        WITHOUT_NUMBER,
    ),
    field(
        "irq.cpu{}.target_per_s",
        "/s",
        Rate(&["irq.cpu{}.target"], 1.0),
        "interrupts of the target's lines that this CPU took",
        SHARED,
    ),
    field(
        "irq.line{}.per_s",
        "/s",
        Rate(&["irq.line{}.count"], 1.0),
        "interrupts of one line of the target, all CPUs together",
        SHARED,
    ),
    field(
        "irq.device.{}.per_s",
        "/s",
        Rate(&["irq.device.{}.count"], 1.0),
        "interrupts of the disk's controller, all CPUs together",
        SHARED,
    ),
    field(
        "irq.device_cpu.{}.per_s",
        "/s",
        Rate(&["irq.device_cpu.{}.count"], 1.0),
        "interrupts of the disk's controller that one CPU took: `nvme0n1@4` is CPU 4",
        SHARED,
    ),
];

/// One reading in so many is whole.
const READINGS_A_WHOLE: u32 = 20;

struct Interrupts {
    file: Sampled,
    table: table::InterruptsTable,
    /// The numbered lines of the last whole reading, and how many readings ago that was.
    head: Option<table::InterruptHead>,
    readings: u32,
    /// Cells that have series.
    announced: usize,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let mut file = host
        .sampled("/proc/interrupts")
        .map_err(|error| error.to_string())?;
    let text = file.read().map_err(|error| error.to_string())?;
    let table = table::InterruptsTable::new(host, scope, text);
    match table.is_empty() {
        true => Err("/proc/interrupts has no CPU columns".into()),
        false => Ok(Box::new(Interrupts {
            file,
            announced: table.width(),
            table,
            head: None,
            readings: 0,
        })),
    }
}

impl SensorSource for Interrupts {
    fn columns(&self) -> Vec<SensorColumn> {
        self.table.columns(0..self.announced)
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        if self.table.is_join_due()
            && let Ok(text) = self.file.read()
        {
            self.table.join(text);
        }
        let first = std::mem::replace(&mut self.announced, self.table.width());
        self.table.columns(first..self.announced)
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        self.readings += 1;
        if let Some(head) = self.head.filter(|_| self.readings < READINGS_A_WHOLE) {
            let text = self.file.read_head(head.bytes)?;
            if head.ends(text) {
                self.table.take(text, row);
                return Ok(());
            }
        }
        let text = self.file.read()?;
        (self.head, self.readings) = (table::InterruptHead::of(text), 0);
        self.table.take(text, row);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{machine, names, read_once};

    const TEXT: &str = "           CPU0       CPU2\n 35:  1 2  PCI-MSIX 0-edge virtio1-config\n 36:  10 70341  PCI-MSIX \
        1-edge virtio1-req.0\n 37:  5 0 PCI-MSIX 0-edge virtio2\nLOC: 900 900 Local timer\nERR: 0\n";

    #[test]
    fn the_target_is_told_from_the_rest() {
        let scope = Scope {
            irqs: vec![35, 36],
            ..Scope::default()
        };
        let row = read_once(&SENSOR, &[("/proc/interrupts", TEXT)], &scope).unwrap();
        let mut named: Vec<(&str, f64)> = row
            .iter()
            .map(|(name, value)| (name.as_str(), value.unwrap()))
            .collect();
        named.sort_by_key(|(name, _)| *name);
        assert_eq!(
            named,
            [
                ("irq.cpu0.all", 16.0),
                ("irq.cpu0.target", 11.0),
                ("irq.cpu2.all", 70343.0),
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

    fn virtio(table: &str) -> Host {
        let pci = "/sys/devices/pci0000:00/0000:00:02.0";
        let paths = [
            format!("{pci}/irq"),
            format!("{pci}/msi_irqs/35"),
            format!("{pci}/msi_irqs/36"),
        ];
        let size = format!("{pci}/virtio1/block/vda/size");
        let disk = format!("{pci}/virtio1/block/vda");
        let files = [
            ("/proc/interrupts", table),
            ("/proc/diskstats", "254 0 vda 1 2 3 4 5 6 7 8 9 10 11"),
            (&paths[0], "10"),
            (&paths[1], "msix"),
            (&paths[2], "msix"),
            (&size, "8"),
        ];
        machine(&files, &[("/sys/class/block/vda", &disk)])
    }

    #[test]
    fn a_disk_has_the_lines_of_its_controller() {
        let host = virtio(TEXT);
        let mut source = open(&host, &Scope::default()).unwrap();
        assert_eq!(
            names(&source.columns()),
            ["irq.cpu0.all", "irq.cpu2.all", "irq.device.vda.count"]
        );
        let mut row = [f64::NAN; 3];
        source.read(&mut row).unwrap();
        assert_eq!(row, [16.0, 70343.0, 70354.0]);
    }

    #[test]
    fn a_pair_has_a_series_from_its_first_interrupt() {
        let host = virtio(TEXT);
        let mut table = table::InterruptsTable::new(&host, &Scope::default(), TEXT.as_bytes());
        let mut row = [f64::NAN; 4];
        table.take(TEXT.as_bytes(), &mut row);
        assert_eq!(table.width(), 3, "what was before does not count");
        let later = TEXT.replace("70341", "70350");
        table.take(later.as_bytes(), &mut row);
        assert_eq!(
            names(&table.columns(3..table.width())),
            ["irq.device_cpu.vda@2.count"]
        );
        table.take(later.as_bytes(), &mut row);
        assert_eq!(row, [16.0, 70352.0, 70363.0, 70352.0]);
    }

    #[test]
    fn a_cpu_that_goes_leaves_gaps_and_one_that_comes_has_series() {
        let mut table =
            table::InterruptsTable::new(&virtio(TEXT), &Scope::default(), TEXT.as_bytes());
        let mut row = [f64::NAN; 4];
        table.take(
            b"  CPU2 CPU4\n 35: 2 7 PCI-MSIX virtio1-config\n 36: 1 0 PCI-MSIX virtio1-req.0\n",
            &mut row,
        );
        assert_eq!(table.width(), 4, "{row:?}");
        assert!(row[2].is_nan(), "the sum lost what CPU 0 took: {row:?}");
        table.take(
            b"  CPU2 CPU4\n 35: 2 7 PCI-MSIX virtio1-config\n 36: 1 0 PCI-MSIX virtio1-req.0\n",
            &mut row,
        );
        assert!(row[0].is_nan(), "{row:?}");
        assert_eq!(row[1..], [3.0, 10.0, 7.0]);
    }

    #[test]
    fn a_head_is_taken_until_its_lines_are_others() {
        let head = table::InterruptHead::of(TEXT.as_bytes()).unwrap();
        let numbered = TEXT.find("LOC").unwrap();
        assert_eq!(head.bytes, numbered);
        assert!(head.ends(&TEXT.as_bytes()[..numbered]));
        // Line 36 is gone, or one is new before the last: what was cut off is not where the numbers end.
        let others = [
            TEXT.replace(" 36:", "NMI:"),
            TEXT.replace(" 37:  5 0", " 36:  1 0\n 37:  5 0"),
        ];
        let cut = |text: &str| text.as_bytes()[..numbered.min(text.len())].to_vec();
        assert!(head.ends(&cut(&others[0])), "its last line is the same");
        assert!(!head.ends(&cut(&others[1])) && !head.ends(&cut(&TEXT.replace(" 37:", " 38:"))));
        assert!(!head.ends(&TEXT.as_bytes()[..numbered - 3]));
        assert!(
            table::InterruptHead::of(b"    CPU0\nLOC: 1\n").is_none()
                && table::InterruptHead::of(b"").is_none()
        );
    }

    #[test]
    fn a_line_behind_all_others_is_seen_with_the_next_whole_reading() {
        let dir = host::files::temporary_dir("interrupts").unwrap();
        let path = dir.path().join("interrupts");
        host::files::write_atomically(&path, TEXT).unwrap();
        let live = Host::live();
        let file = || live.sampled(&path.to_string_lossy()).unwrap();
        let table = table::InterruptsTable::new(&virtio(TEXT), &Scope::default(), TEXT.as_bytes());
        let mut source = Interrupts {
            file: file(),
            announced: table.width(),
            table,
            head: None,
            readings: 0,
        };
        let read = |source: &mut Interrupts| {
            let mut row = [f64::NAN; 3];
            source.read(&mut row).unwrap();
            row[0]
        };
        assert_eq!([read(&mut source), read(&mut source)], [16.0, 16.0]);
        let longer = TEXT
            .replace("LOC:", " 40:  100 0 PCI-MSIX 0-edge virtio7\nLOC:")
            .replace("36:  10", "36:  11");
        host::files::write_atomically(&path, &longer).unwrap();
        source.file = file();
        let seen: Vec<f64> = (0..READINGS_A_WHOLE).map(|_| read(&mut source)).collect();
        assert_eq!(seen[0], 17.0, "what is known goes on");
        assert_eq!(seen.last(), Some(&117.0), "{seen:?}");
    }

    #[test]
    fn a_damaged_table_is_survived() {
        let host = virtio(TEXT);
        let mut table = table::InterruptsTable::new(&host, &Scope::default(), TEXT.as_bytes());
        for (seed, byte) in TEXT.bytes().enumerate() {
            let mut text = TEXT.as_bytes().to_vec();
            text[seed] = byte.wrapping_add(seed as u8) ^ 0x15;
            text.truncate(text.len() - seed % 40);
            let mut row = vec![f64::NAN; table.width()];
            table.take(&text, &mut row);
            assert!(row.iter().all(|cell| cell.is_nan() || *cell >= 0.0));
        }
    }
}
