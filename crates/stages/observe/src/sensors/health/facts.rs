//! What disks tell about themselves: each a series and a field of the same name, which shows what it counts to.

use crate::Metric;
use crate::declare::{field, metric};
use model::field::Field;
use model::field::Formula::Last;
use model::sample::MetricKind::{Counter, Gauge};

macro_rules! facts {
    ($(($name:literal, $unit:literal, $kind:ident, $meaning:expr, $cannot_tell:expr $(,)?)),* $(,)?) => {
        /// Ordered as the fields.
        pub static METRICS: &[Metric] =
            &[$(metric(concat!("health.{}.", $name), $unit, $kind, $meaning, $cannot_tell)),*];

        /// As they are since the disk was made, not since boot.
        pub static FIELDS: &[Field] = &[$(field(
            concat!("health.{}.", $name),
            $unit,
            Last(&[concat!("health.{}.", $name)], 1.0),
            $meaning,
            $cannot_tell,
        )),*];
    };
}

const CABLE: &str = "that the medium is bad: it is the link, mostly a cable or a backplane";

facts![
    (
        "critical_warning",
        "bits",
        Gauge,
        "NVMe: 1 spare low, 2 too hot or cold, 4 unreliable, 8 read only, 16 no power backup; 0 is well",
        "",
    ),
    (
        "failure_predicted",
        "flag",
        Gauge,
        "SCSI: 1 when the disk expects to fail",
        "that 0 is well: few failures are predicted"
    ),
    (
        "percentage_used",
        "percent",
        Gauge,
        "share of its promised life that is used up; may pass 100",
        "when it fails: it is what the maker promised, not what is left",
    ),
    (
        "wear_normalized",
        "of 100",
        Gauge,
        "SATA SSD: 100 is new, and it falls (the first of attributes 231, 233, 177)",
        "the same from one maker to the next: none defines it alike",
    ),
    (
        "available_spare_percent",
        "percent",
        Gauge,
        "NVMe: spare blocks that are left",
        ""
    ),
    (
        "spare_threshold_percent",
        "percent",
        Gauge,
        "NVMe: where it warns of few spare blocks",
        ""
    ),
    (
        "temperature_celsius",
        "celsius",
        Gauge,
        "temperature as the disk tells it",
        "how hot its hottest part is"
    ),
    (
        "media_errors",
        "errors",
        Counter,
        "NVMe: times that data could not be recovered",
        "which data"
    ),
    (
        "error_log_entries",
        "errors",
        Counter,
        "NVMe: entries ever made in its log of errors",
        "anything bad: refused commands count"
    ),
    (
        "reallocated_sectors",
        "disk sectors",
        Counter,
        "ATA attribute 5: replaced by spare ones",
        ""
    ),
    (
        "pending_sectors",
        "disk sectors",
        Gauge,
        "ATA attribute 197: unreadable, to be replaced when written",
        ""
    ),
    (
        "offline_uncorrectable_sectors",
        "disk sectors",
        Gauge,
        "ATA attribute 198: found unreadable by itself",
        ""
    ),
    (
        "reported_uncorrectable",
        "errors",
        Counter,
        "ATA attribute 187: reads that it gave up",
        ""
    ),
    (
        "crc_errors",
        "errors",
        Counter,
        "ATA attribute 199: damaged transfers",
        CABLE
    ),
    (
        "read_uncorrected_errors",
        "errors",
        Counter,
        "SCSI: reads that it gave up",
        ""
    ),
    (
        "write_uncorrected_errors",
        "errors",
        Counter,
        "SCSI: writes that it gave up",
        ""
    ),
    (
        "read_corrected_errors",
        "errors",
        Counter,
        "SCSI: reads that were put right",
        "anything bad: they are normal"
    ),
    (
        "power_on_hours",
        "h",
        Counter,
        "time under power",
        "time under load"
    ),
    (
        "power_cycles",
        "times",
        Counter,
        "times that it was switched on",
        ""
    ),
    (
        "unsafe_shutdowns",
        "times",
        Counter,
        "NVMe: times that power went without a goodbye",
        "that data was lost"
    ),
    (
        "read_bytes",
        "bytes",
        Counter,
        "NVMe: read by all hosts ever, in steps of 512,000",
        ""
    ),
    (
        "written_bytes",
        "bytes",
        Counter,
        "NVMe: written by all hosts ever, in steps of 512,000",
        "what the medium wrote, which is more"
    ),
    (
        "controller_busy_minutes",
        "min",
        Counter,
        "NVMe: time with commands under way",
        ""
    ),
    (
        "warning_temperature_minutes",
        "min",
        Counter,
        "NVMe: time above its warning temperature",
        ""
    ),
    (
        "critical_temperature_minutes",
        "min",
        Counter,
        "NVMe: time above its critical temperature",
        ""
    ),
    (
        "light_throttlings",
        "times",
        Counter,
        "NVMe: times that it slowed down a little for heat",
        "slowing that the maker does not count"
    ),
    (
        "heavy_throttlings",
        "times",
        Counter,
        "NVMe: times that it slowed down much for heat",
        "slowing that the maker does not count"
    ),
    (
        "light_throttling_seconds",
        "s",
        Counter,
        "NVMe: time so slowed a little",
        ""
    ),
    (
        "heavy_throttling_seconds",
        "s",
        Counter,
        "NVMe: time so slowed much",
        ""
    ),
];

/// What one disk tells: names as above, without what stands before them.
pub type HealthFacts = Vec<(&'static str, f64)>;

/// The metric of a fact.
pub fn place(name: &str) -> Option<usize> {
    METRICS
        .iter()
        .position(|metric| metric.name.strip_prefix("health.{}.") == Some(name))
}
