//! Every sensor on every captured machine that has what sensors read, from Linux 3.10 to 6.18.
//!
//! `IODYNO_BLESS=1 cargo test -p observe --lib sensor_hosts` writes `testdata/golden/sensors` anew, which is due after
//! any change of a sensor or a capture; the diff is then for a person to judge. `testdata/README.md` says what each
//! machine has.

use super::wide_host::wide_host;
use super::{Scope, Sensor, sensors};
use host::{Archive, Host, environment, files};
use model::change::Attribute;
use model::sample::MetricKind;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The machines, oldest first; `NAME.host` and, read again a little later, `NAME.later`.
const MACHINES: [&str; 6] = [
    "linux_3_10",
    "linux_4_18",
    "linux_5_10",
    "linux_6_1",
    "linux_6_12",
    "linux_6_18",
];

/// What each machine has, so that a capture made anew cannot lose it in silence.
const EVERYWHERE: &[&str] = &[
    "/proc/diskstats",
    "/proc/2/comm",
    "/proc/interrupts",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self/cgroup",
    "/proc/softirqs",
    "/proc/stat",
    "/proc/sys/vm/dirty_background_ratio",
    "/proc/uptime",
    "/proc/vmstat",
    "/sys/class/bdi",
    "/sys/devices/system/cpu/cpu0/topology/core_id",
    "/sys/devices/system/cpu/online",
];
const ON_SOME: &[(&[&str], &str)] = &[
    (
        &["linux_5_10", "linux_6_1", "linux_6_12", "linux_6_18"],
        "/proc/pressure/io",
    ),
    (
        &["linux_4_18", "linux_5_10", "linux_6_1", "linux_6_12"],
        "/sys/block/md0/md/sync_completed",
    ),
    (&["linux_4_18"], "/sys/block/md1/md/stripe_cache_active"),
    (
        &["linux_4_18", "linux_5_10", "linux_6_1", "linux_6_12"],
        "/sys/block/zram0/mm_stat",
    ),
    (
        &["linux_4_18", "linux_5_10", "linux_6_1", "linux_6_12"],
        "/sys/block/loop0/loop/backing_file",
    ),
    (
        &["linux_4_18", "linux_5_10", "linux_6_1", "linux_6_12"],
        "/sys/class/hwmon/hwmon0/temp1_input",
    ),
    (
        &[
            "linux_3_10",
            "linux_4_18",
            "linux_5_10",
            "linux_6_1",
            "linux_6_12",
        ],
        "/proc/schedstat",
    ),
    (
        &[
            "linux_3_10",
            "linux_4_18",
            "linux_5_10",
            "linux_6_1",
            "linux_6_12",
        ],
        "/sys/kernel/debug/bdi",
    ),
    (&["linux_3_10"], "/sys/class/hwmon/hwmon1/device/temp5_crit"),
    (
        &["linux_3_10", "linux_4_18"],
        "/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
    ),
    (
        &["linux_3_10", "linux_4_18", "linux_5_10", "linux_6_18"],
        "/sys/fs/cgroup/blkio/blkio.throttle.io_serviced",
    ),
    (&["linux_6_1", "linux_6_12"], "/sys/fs/cgroup/db/io.stat"),
    (
        &["linux_4_18", "linux_5_10", "linux_6_1", "linux_6_12"],
        "/sys/block/nvme0n1/device/device/msi_irqs",
    ),
];

/// Counters that go back between the two moments, each for its own reason.
const GO_BACK: &[(&str, &str)] = &[
    // Wraps at 2^32 on purpose.
    ("linux_3_10", "disk.sdc.queue_ms"),
];

fn testdata(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../testdata")
        .join(below)
}

/// A machine at its first moment.
pub(super) fn machine(name: &str) -> Host {
    Host::open(&testdata(&format!("hosts/{name}.host"))).unwrap()
}

/// The same machine when it was read again.
pub(super) fn machine_later(name: &str) -> Host {
    let text = |end: &str| files::read_text(&testdata(&format!("hosts/{name}.{end}"))).unwrap();
    Host::from_archive(Archive::parse(&format!("{}{}", text("host"), text("later"))).unwrap())
}

/// All devices, and the interrupt lines of the disks.
fn scope(host: &Host) -> Scope {
    let text = host.text("/proc/interrupts").unwrap();
    let is_disk = |line: &&str| {
        ["nvme", "ahci", "megasas", "-req."]
            .iter()
            .any(|word| line.contains(word))
    };
    let irqs = text
        .lines()
        .filter(is_disk)
        .filter_map(|line| line.split(':').next()?.trim().parse().ok());
    Scope {
        irqs: irqs.collect(),
        ..Scope::default()
    }
}

/// The series of one read: name, kind, unit and value.
type Rows = Vec<(String, MetricKind, &'static str, Option<f64>)>;

fn read(sensor: &Sensor, host: &Host) -> Result<Rows, String> {
    let mut source = (sensor.open)(host, &scope(host))?;
    let columns = source.columns();
    let mut row = vec![f64::NAN; columns.len()];
    source
        .read(&mut row)
        .map_err(|error| format!("cannot be read: {error}"))?;
    let value = |value: f64| (!value.is_nan()).then_some(value);
    let rows = columns.into_iter().zip(row);
    Ok(rows
        .map(|(column, cell)| {
            (
                column.name,
                column.metric.kind,
                column.metric.unit,
                value(cell),
            )
        })
        .collect())
}

fn listing(host: &Host) -> String {
    let mut text = String::new();
    for sensor in sensors::ALL {
        match read(sensor, host) {
            Err(reason) => text.push_str(&format!("{}: no data: {reason}\n", sensor.id)),
            Ok(rows) => {
                for (name, _, unit, value) in rows {
                    let value = value.map_or("none".to_string(), |value| value.to_string());
                    text.push_str(&format!("{}: {name} = {value} {unit}\n", sensor.id));
                }
            }
        }
    }
    text
}

#[test]
fn every_sensor_reads_every_machine_as_before() {
    for name in MACHINES {
        let found = listing(&machine(name));
        let path = testdata(&format!("golden/sensors/{name}.txt"));
        if environment::variable("IODYNO_BLESS").is_some() {
            files::create_dirs(path.parent().unwrap()).unwrap();
            files::write_atomically(&path, &found).unwrap();
        }
        let wanted = files::read_text(&path).unwrap_or_default();
        let differs = found
            .lines()
            .zip(wanted.lines())
            .find(|(found, wanted)| found != wanted);
        assert!(
            found == wanted,
            "{} differs, first by {differs:?} ({} lines, {} expected); IODYNO_BLESS=1 writes it anew",
            path.display(),
            found.lines().count(),
            wanted.lines().count()
        );
    }
}

#[test]
fn machines_have_what_sensors_read() {
    for name in MACHINES {
        let (first, later) = (machine(name), machine_later(name));
        for host in [&first, &later] {
            for path in EVERYWHERE {
                assert!(host.exists(path), "{name} lacks {path}");
            }
            for (_, path) in ON_SOME.iter().filter(|(names, _)| names.contains(&name)) {
                assert!(host.exists(path), "{name} lacks {path}");
            }
        }
        let uptime = |host: &Host| -> f64 {
            host.text("/proc/uptime")
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        };
        let passed_s = uptime(&later) - uptime(&first);
        assert!(passed_s > 0.9 && passed_s < 60.0, "{name}: {passed_s} s");
    }
}

#[test]
fn a_sensor_without_data_says_why() {
    for name in MACHINES {
        let host = machine(name);
        for sensor in sensors::ALL {
            match read(sensor, &host) {
                Err(reason) => assert!(
                    reason.split(' ').count() > 2,
                    "{name}: {}: {reason:?}",
                    sensor.id
                ),
                Ok(rows) => assert!(
                    !rows.is_empty(),
                    "{name}: {} gives no series and no reason",
                    sensor.id
                ),
            }
        }
    }
}

#[test]
fn nothing_there_is_no_data_rather_than_a_panic() {
    let bare = Host::from_archive(Archive::default());
    for sensor in sensors::ALL {
        let opened = (sensor.open)(&bare, &Scope::default());
        let reason = opened
            .err()
            .unwrap_or_else(|| panic!("{} opens where there is nothing", sensor.id));
        assert!(reason.split(' ').count() > 2, "{}: {reason:?}", sensor.id);
    }
}

/// Empty and cut files, which a kernel that is going down or a mount that is going away can give.
#[test]
fn cut_files_leave_gaps_and_never_a_panic() {
    let damaged = |keep: usize| {
        let mut archive =
            Archive::parse(&files::read_text(&testdata("hosts/linux_6_12.host")).unwrap()).unwrap();
        for path in [
            "/proc/diskstats",
            "/proc/interrupts",
            "/proc/stat",
            "/proc/softirqs",
            "/proc/vmstat",
        ] {
            archive.rewrite(path, |text| text[..text.len() * keep / 10].to_string());
        }
        Host::from_archive(archive)
    };
    for host in (0..10).map(damaged) {
        for sensor in sensors::ALL {
            let _ = (sensor.open)(&host, &Scope::default()).map(|mut source| {
                let mut row = vec![f64::NAN; source.columns().len()];
                source.read(&mut row)
            });
        }
    }
}

#[test]
fn counters_grow_from_one_moment_to_the_next() {
    for name in MACHINES {
        let (first, later) = (machine(name), machine_later(name));
        let mut grew = 0;
        for sensor in sensors::ALL {
            let (Ok(before), Ok(after)) = (read(sensor, &first), read(sensor, &later)) else {
                continue;
            };
            let after: BTreeMap<String, Option<f64>> = after
                .into_iter()
                .map(|(series, _, _, value)| (series, value))
                .collect();
            for (series, kind, _, value) in before {
                let (Some(value), Some(Some(then))) = (value, after.get(&series)) else {
                    continue;
                };
                if kind == MetricKind::Counter && !GO_BACK.contains(&(name, series.as_str())) {
                    assert!(
                        *then >= value,
                        "{name}: {series} goes back from {value} to {then}"
                    );
                    grew += usize::from(*then > value);
                }
            }
        }
        assert!(grew > 20, "{name}: {grew} counters grew");
    }
}

#[test]
fn a_disk_has_the_counters_of_its_kernel() {
    let counters = [11, 15, 17, 17, 17, 17];
    let diskstats = sensors::ALL
        .iter()
        .find(|sensor| sensor.id == "diskstats")
        .unwrap();
    for (name, expected) in MACHINES.into_iter().zip(counters) {
        let disk = if name == "linux_6_18" {
            "disk.vda."
        } else {
            "disk.sda."
        };
        let rows = read(diskstats, &machine(name)).unwrap();
        let count = rows
            .iter()
            .filter(|(series, ..)| series.starts_with(disk))
            .count();
        assert_eq!(count, expected, "{name}");
    }
}

#[test]
fn old_kernels_have_no_pressure() {
    let pressure = sensors::ALL
        .iter()
        .find(|sensor| sensor.id == "pressure")
        .unwrap();
    for name in MACHINES {
        let found = read(pressure, &machine(name));
        match name {
            "linux_3_10" | "linux_4_18" => assert!(found.unwrap_err().contains("4.20"), "{name}"),
            _ => assert!(
                found
                    .unwrap()
                    .iter()
                    .any(|(series, ..)| series == "pressure.io.some_us"),
                "{name}"
            ),
        }
    }
}

#[test]
fn a_wide_machine_is_read_whole() {
    let host = wide_host(100, 64);
    let text = |path: &str| host.text(path).unwrap();
    assert_eq!(text("/proc/diskstats").lines().count(), 100);
    assert!(
        text("/proc/diskstats")
            .lines()
            .all(|line| line.split_whitespace().count() == 20)
    );
    assert_eq!(
        text("/proc/interrupts")
            .lines()
            .filter(|line| line.contains("nvme"))
            .count(),
        400
    );
    assert_eq!(
        host.attribute("/sys/block/nvme99n1/queue/iostats"),
        Attribute::Value("1".into())
    );
    assert_eq!(
        host.list("/sys/class/block/nvme7n1/device/device/msi_irqs"),
        ["60", "61", "62", "63"]
    );
    let diskstats = sensors::ALL
        .iter()
        .find(|sensor| sensor.id == "diskstats")
        .unwrap();
    let rows = read(diskstats, &host).unwrap();
    assert!(rows.len() >= 1700, "{}", rows.len());
    for sensor in sensors::ALL {
        if let Ok(rows) = read(sensor, &host) {
            assert!(
                rows.iter().any(|(.., value)| value.is_some()),
                "{} reads nothing",
                sensor.id
            );
        }
    }
}
