//! # Temperatures
//!
//! How hot disks and CPUs are: a disk that throttles itself looks like a slow one.
//!
//! ## What it reads
//! `/sys/class/hwmon/hwmon*/temp*_input` (Documentation/hwmon/sysfs-interface.rst) of the drivers `nvme`, `drivetemp`,
//! `coretemp`, `k10temp`, `zenpower` and `cpu_thermal`, on a thread of its own: a disk that does not answer stops no other
//! sensor.
//!
//! ## Metrics
//! `temperature.<what>.millicelsius`: `nvme0 Composite`, `nvme0 Sensor 1`, `sda`, `cpu0` (the package), `cpu0 Core 3`,
//! `cpu0 Tctl`. `temperature.<what>.critical_millicelsius`: where the device says at what it stops.
//!
//! ## Cost
//! Once a second. An NVMe disk is asked by an admin command at most that often (the driver keeps the answer for a second).
//! Disks of `drivetemp` are asked once a minute, since that may keep them from spinning down, and not while the kernel has
//! them suspended; in between the last answer stands.
//!
//! ## When absent
//! None of these drivers is there: virtual machines, SATA disks without the module `drivetemp` (Linux 5.6).
//!
//! ## Example
//! `temperature.celsius` of `nvme0 Composite` at 84 while writes fall to a third: the disk protects itself.

use crate::aside::Aside;
use crate::declare::{field, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use host::Host;
use model::field::Field;
use model::field::Formula::Last;
use model::sample::MetricKind::Gauge;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "temperature",
    since: "0.1.0",
    every_ms: EVERY_MS,
    reads: &["/sys/class/hwmon/*/temp*"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const EVERY_MS: u64 = 1000;
const WHERE: &str =
    "how hot the hottest part is: drives give a mean or a place of their choice, in whole degrees";
const CRITICAL: &str = "temperature at which the device stops or shuts down";
const EARLIER: &str = "where it slows down, which is earlier";

static METRICS: &[Metric] = &[
    metric(
        "temperature.{}.millicelsius",
        "millicelsius",
        Gauge,
        "temperature",
        WHERE,
    ),
    metric(
        "temperature.{}.critical_millicelsius",
        "millicelsius",
        Gauge,
        CRITICAL,
        EARLIER,
    ),
];

static FIELDS: &[Field] = &[
    field(
        "temperature.{}.celsius",
        "celsius",
        Last(&["temperature.{}.millicelsius"], 0.001),
        "temperature of a disk or CPU",
        WHERE,
    ),
    field(
        "temperature.{}.critical_celsius",
        "celsius",
        Last(&["temperature.{}.critical_millicelsius"], 0.001),
        CRITICAL,
        EARLIER,
    ),
];

const HWMON: &str = "/sys/class/hwmon";
/// Rounds between two questions to a disk that may want to sleep.
const ROUNDS_BETWEEN_DRIVES: u64 = 60;

/// One temperature.
struct SensorPlace {
    subject: String,
    input: String,
    critical: Option<f64>,
    /// Of a disk behind `drivetemp`: where its state is.
    drive: Option<String>,
}

struct Temperature {
    places: Vec<(String, bool)>,
    aside: Aside<Vec<f64>>,
    criticals: Vec<Option<f64>>,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let places = places(host);
    if places.is_empty() {
        return Err("no disk or CPU tells its temperature in /sys/class/hwmon".into());
    }
    let named = places
        .iter()
        .map(|place| (place.subject.clone(), place.critical.is_some()))
        .collect();
    let criticals = places.iter().map(|place| place.critical).collect();
    let host = host.clone();
    let (mut round, mut values) = (0, vec![f64::NAN; places.len()]);
    let aside = Aside::start("iodyno-heat", EVERY_MS, move || {
        for (place, value) in places.iter().zip(&mut values) {
            if place.is_due(&host, round) {
                *value = host
                    .text(&place.input)
                    .and_then(|text| text.trim().parse().ok())
                    .unwrap_or(f64::NAN);
            }
        }
        round += 1;
        values.clone()
    });
    let aside = aside.map_err(|error| format!("no thread to read them: {error}"))?;
    Ok(Box::new(Temperature {
        places: named,
        aside,
        criticals,
    }))
}

impl SensorPlace {
    fn is_due(&self, host: &Host, round: u64) -> bool {
        let Some(drive) = &self.drive else {
            return true;
        };
        round.is_multiple_of(ROUNDS_BETWEEN_DRIVES)
            && host
                .text(&format!("{drive}/power/runtime_status"))
                .is_none_or(|state| state != "suspended")
    }
}

fn places(host: &Host) -> Vec<SensorPlace> {
    let mut places = Vec::new();
    let mut cpus = 0;
    for chip in host.list(HWMON) {
        let directory = format!("{HWMON}/{chip}");
        let Some(name) = host.text(&format!("{directory}/name")) else {
            continue;
        };
        let device = host
            .resolve(&format!("{directory}/device"))
            .unwrap_or_default();
        let owner = device.rsplit('/').next().unwrap_or_default();
        let of = match name.as_str() {
            // The controller, or the PCI function that has it (on older kernels).
            "nvme" if owner.starts_with("nvme") => owner.to_string(),
            "nvme" => host
                .list(&format!("{device}/nvme"))
                .into_iter()
                .next()
                .unwrap_or(owner.into()),
            "drivetemp" => host
                .list(&format!("{device}/block"))
                .into_iter()
                .next()
                .unwrap_or(owner.into()),
            // `coretemp.0` is the first package.
            "coretemp" => format!("cpu{}", owner.rsplit('.').next().unwrap_or("0")),
            "k10temp" | "zenpower" | "cpu_thermal" => {
                cpus += 1;
                format!("cpu{}", cpus - 1)
            }
            _ => continue,
        };
        let is_input = |file: &String| file.starts_with("temp") && file.ends_with("_input");
        for input in host.list(&directory).into_iter().filter(is_input) {
            let stem = format!("{directory}/{}", input.trim_end_matches("_input"));
            let label = host.text(&format!("{stem}_label"));
            places.push(SensorPlace {
                subject: subject(&of, label.as_deref()),
                input: format!("{directory}/{input}"),
                critical: host
                    .text(&format!("{stem}_crit"))
                    .and_then(|text| text.trim().parse().ok()),
                drive: (name == "drivetemp").then(|| device.clone()),
            });
        }
    }
    places
}

/// The package stands for its CPU.
fn subject(of: &str, label: Option<&str>) -> String {
    match label {
        None => of.to_string(),
        Some(label) if label.starts_with("Package id") => of.to_string(),
        Some(label) => format!("{of} {label}"),
    }
}

impl SensorSource for Temperature {
    fn columns(&self) -> Vec<SensorColumn> {
        let of_place = |(subject, has_critical): &(String, bool)| {
            SensorColumn::all_of(&METRICS[..1 + usize::from(*has_critical)], subject)
        };
        self.places.iter().flat_map(of_place).collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        let mut cells = row.iter_mut();
        self.aside.latest(|values, _| {
            for (value, critical) in values.iter().zip(&self.criticals) {
                for value in [Some(*value), *critical].into_iter().flatten() {
                    if let Some(cell) = cells.next() {
                        *cell = value;
                    }
                }
            }
        });
        Ok(())
    }

    fn cost_elsewhere_ns(&self) -> u64 {
        self.aside.cost_cpu_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor_tests::{machine, names};

    const FILES: [(&str, &str); 20] = [
        ("/sys/class/hwmon/hwmon0/name", "acpitz"),
        ("/sys/class/hwmon/hwmon0/temp1_input", "27800"),
        ("/sys/class/hwmon/hwmon1/name", "nvme"),
        ("/sys/class/hwmon/hwmon1/temp1_input", "41850"),
        ("/sys/class/hwmon/hwmon1/temp1_label", "Composite"),
        ("/sys/class/hwmon/hwmon1/temp1_crit", "84850"),
        ("/sys/class/hwmon/hwmon2/name", "drivetemp"),
        ("/sys/class/hwmon/hwmon2/temp1_input", "33000"),
        ("/sys/class/hwmon/hwmon3/name", "coretemp"),
        ("/sys/class/hwmon/hwmon3/temp1_input", "55000"),
        ("/sys/class/hwmon/hwmon3/temp1_label", "Package id 1"),
        ("/sys/class/hwmon/hwmon3/temp2_input", "54000"),
        ("/sys/class/hwmon/hwmon3/temp2_label", "Core 0"),
        ("/sys/class/hwmon/hwmon4/name", "drivetemp"),
        ("/sys/class/hwmon/hwmon4/temp1_input", "20000"),
        ("/sys/devices/pci/nvme/nvme0/state", "live"),
        ("/sys/devices/pci/ata1/0:0:0:0/block/sda/size", "8"),
        ("/sys/devices/pci/ata2/1:0:0:0/block/sdb/size", "8"),
        (
            "/sys/devices/pci/ata2/1:0:0:0/power/runtime_status",
            "suspended",
        ),
        (
            "/sys/devices/platform/coretemp.1/modalias",
            "platform:coretemp",
        ),
    ];

    const LINKS: [(&str, &str); 4] = [
        (
            "/sys/class/hwmon/hwmon1/device",
            "/sys/devices/pci/nvme/nvme0",
        ),
        (
            "/sys/class/hwmon/hwmon2/device",
            "/sys/devices/pci/ata1/0:0:0:0",
        ),
        (
            "/sys/class/hwmon/hwmon3/device",
            "/sys/devices/platform/coretemp.1",
        ),
        (
            "/sys/class/hwmon/hwmon4/device",
            "/sys/devices/pci/ata2/1:0:0:0",
        ),
    ];

    #[test]
    fn disks_and_cpus_by_name() {
        let mut source = open(&machine(&FILES, &LINKS), &Scope::default()).unwrap();
        let columns = names(&source.columns());
        let expected = [
            ("nvme0 Composite.millicelsius", 41850.0),
            ("nvme0 Composite.critical_millicelsius", 84850.0),
            ("sda.millicelsius", 33000.0),
            ("cpu1.millicelsius", 55000.0),
            ("cpu1 Core 0.millicelsius", 54000.0),
            ("sdb.millicelsius", f64::NAN),
        ];
        assert_eq!(
            columns,
            expected.map(|(name, _)| format!("temperature.{name}"))
        );
        let limit_ns = host::clock::monotonic_ns() + 30_000_000_000;
        let mut row = [f64::NAN; 6];
        while row[0].is_nan() {
            assert!(host::clock::monotonic_ns() < limit_ns);
            source.read(&mut row).unwrap();
            host::clock::sleep_ms(5);
        }
        assert_eq!(row[..5], expected.map(|(_, value)| value)[..5]);
        assert!(row[5].is_nan(), "a suspended disk is not asked");
    }

    #[test]
    fn a_machine_without_any_says_so() {
        assert!(
            open(&machine(&[], &[]), &Scope::default()).is_err_and(|error| error.contains("hwmon"))
        );
    }
}
