//! # Disk counters
//!
//! What each device completed: requests, merges, sectors and time, for reads, writes, discards and flushes.
//!
//! ## What it reads
//! `/proc/diskstats` (Documentation/admin-guide/iostats.rst), the lines of the devices on the I/O path.
//!
//! ## Metrics
//! `disk.<device>.read_ios` and so on, raw since boot. Lines have 14 columns, 18 from Linux 4.18 (discards) and 20 from
//! 5.5 (flushes); what a kernel lacks has no series. Times are 32-bit and wrap after 49.7 days of summed waiting, which
//! a busy device reaches within hours.
//!
//! ## Cost
//! One read per sample whatever the number of devices; the kernel prints a line for each device it has.
//!
//! ## When absent
//! /proc is not mounted, or none of the devices is listed. `queue/iostats` at 0 stops the counters, not the lines.
//!
//! ## Example
//! `disk.vda.read_ios` from 380215 to 381239 in a second: 1,024 reads completed.

mod fields;

use crate::observe::{Column, Metric, Opened, Scope, Sensor, Source, parse};
use host::{Host, Sampled};
use model::sample::MetricKind::{Counter, Counter32, Gauge};

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "diskstats",
    since: "0.1.0",
    every_ms: 0,
    reads: &["/proc/diskstats"],
    metrics: METRICS,
    fields: fields::FIELDS,
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

/// Before the counters: major number, minor number, name.
const COLUMNS_BEFORE: usize = 3;

struct Diskstats {
    file: Sampled,
    devices: Vec<Device>,
}

struct Device {
    name: String,
    fields: usize,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let mut file = host.sampled("/proc/diskstats").map_err(|error| error.to_string())?;
    let text = file.read().map_err(|error| error.to_string())?;
    let devices: Vec<Device> = parse::lines(text).filter_map(|line| device(line, scope)).collect();
    match devices.is_empty() {
        true => Err("/proc/diskstats lists none of the devices".into()),
        false => Ok(Box::new(Diskstats { file, devices })),
    }
}

/// The device of a line, when it is asked for; without a choice, when it has seen I/O.
fn device(line: &[u8], scope: &Scope) -> Option<Device> {
    let name = std::str::from_utf8(parse::words(line).nth(2)?).ok()?;
    let counters = || parse::words(line).skip(COLUMNS_BEFORE);
    let is_wanted = match scope.devices.as_slice() {
        [] => counters().any(|word| word != b"0"),
        names => names.iter().any(|wanted| wanted == name),
    };
    is_wanted.then(|| Device { name: name.to_string(), fields: counters().count().min(METRICS.len()) })
}

impl Source for Diskstats {
    fn columns(&self) -> Vec<Column> {
        let of_device = |device: &Device| {
            let name = device.name.clone();
            METRICS[..device.fields].iter().map(move |metric| Column::of(metric, &name)).collect::<Vec<_>>()
        };
        self.devices.iter().flat_map(of_device).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let text = self.file.read()?;
        for line in parse::lines(text) {
            let mut words = parse::words(line).skip(COLUMNS_BEFORE - 1);
            let Some(name) = words.next() else { continue };
            let mut start = 0;
            for device in &self.devices {
                if device.name.as_bytes() == name {
                    parse::fill(&mut row[start..start + device.fields], words);
                    break;
                }
                start += device.fields;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sensor_tests::read_once;

    const OLD: &str = "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n   8       1 sda1 0 0 0 0 0 0 0 0 0 0 0";
    const NEW: &str = " 254 0 vda 380215 8327 9251938 141512 10146 14476 4592840 55608 0 16204 197580 4061 25 2323072 427 \
        884 31\n   7 0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0";

    #[test]
    fn fourteen_columns_have_no_discards() {
        let row = read_once(&SENSOR, &[("/proc/diskstats", OLD)], &Scope::devices(&["sda", "sda1"])).unwrap();
        assert_eq!(row.len(), 22);
        assert_eq!((row[0].0.as_str(), row[0].1), ("disk.sda.read_ios", Some(1.0)));
        assert_eq!((row[10].0.as_str(), row[10].1), ("disk.sda.queue_ms", Some(11.0)));
        assert_eq!((row[11].0.as_str(), row[11].1), ("disk.sda1.read_ios", Some(0.0)));
    }

    #[test]
    fn twenty_columns_have_flushes_and_idle_devices_are_left_out() {
        let row = read_once(&SENSOR, &[("/proc/diskstats", NEW)], &Scope::default()).unwrap();
        assert_eq!(row.len(), 17);
        assert_eq!((row[16].0.as_str(), row[16].1), ("disk.vda.flush_ms", Some(31.0)));
        assert_eq!(row[13].1, Some(2323072.0));
    }

    #[test]
    fn an_unknown_device_is_told() {
        let error =
            read_once(&SENSOR, &[("/proc/diskstats", OLD)], &Scope::devices(&["nvme0n1"])).unwrap_err();
        assert!(error.contains("none of the devices"), "{error}");
    }
}
