//! Records of the shape that runs have: an I/O path with its settings, a latency histogram, intervals, and series of
//! counters that grow by uneven steps. Everything follows from the record's number.

use model::change::Attribute;
use model::iopath::{IoPath, Layer, LayerKind, Setting};
use model::job::{Job, Rw};
use model::record::{Interval, IntervalSide, LoadResult, Provenance, Record};
use model::sample::{MetricKind, SampleSeries, SensorLog};

/// Records of the goal.
pub const RECORDS: u64 = 10_000;
/// Series of a record: a disk's, those of eight CPUs, memory and pressure.
const SERIES: u64 = 100;
/// Samples of a series: ten seconds at 100 ms.
const SAMPLES: u64 = 100;
/// Hosts, with this many disks each.
pub const HOSTS: u64 = 20;
const DISKS: u64 = 10;

/// The 64-bit mix of SplitMix64.
fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The host of a record.
pub fn host(number: u64) -> String {
    format!("db{:02}", number % HOSTS)
}

/// The disk of a record.
pub fn disk(number: u64) -> String {
    format!("nvme{}n1", number / HOSTS % DISKS)
}

/// The record of a number.
pub fn record(number: u64) -> Result<Record, serde_json::Error> {
    let job = Job {
        rw: if number.is_multiple_of(3) {
            Rw::Randwrite
        } else {
            Rw::Randread
        },
        ..Job::default()
    };
    let load = load(number);
    let document = serde_json::json!({
        "schema": "iodyno.record/1", "verb": "run", "target": "/srv/data",
        "summary": format!("{}: {:.1} k IOPS, p99 {:.2} ms", job.phrase(), load.iops() / 1e3, (number % 97) as f64 / 31.0),
        "provenance": Provenance {
            iodyno: "0.1.0".into(),
            commit: String::new(),
            hostname: host(number),
            kernel: format!("6.1.0-{}-amd64", number % 25),
            cpu: "2 × AMD EPYC".into(),
            clock: "tsc".into(),
            started_unix_ms: 1_600_000_000_000 + number * 1_800_000,
            command: ["iodyno", "run", "/srv/data"].map(String::from).to_vec(),
            kube: None,
            rehearsed: None,
        },
        "path": path(number), "job": job, "load": load, "trials": [],
        "sensors": [sensor(number)],
    });
    serde_json::from_value(document)
}

fn path(number: u64) -> IoPath {
    let name = disk(number);
    let mut layer = Layer::new(LayerKind::Disk, &name);
    layer.devno = Some("259:0".into());
    layer.facts.insert(
        "model".into(),
        format!("MODEL {}", number / HOSTS % DISKS % 3),
    );
    layer.facts.insert(
        "serial_digest".into(),
        format!("{:012x}", mix(number % (HOSTS * DISKS)) >> 16),
    );
    let setting = |index: u64| {
        let (name, value) = (
            format!("setting_{index}"),
            mix(number % 40 * 1_000 + index) % 5,
        );
        Setting::new(
            name.clone(),
            format!("/sys/block/x/queue/{name}"),
            Attribute::Value(value.to_string()),
            true,
        )
    };
    layer.settings.extend((0..60).map(setting));
    let scheduler = ["[none] mq-deadline", "none [mq-deadline]"][(number % 2) as usize];
    layer.settings.push(Setting::new(
        "scheduler",
        "/sys/block/x/queue/scheduler",
        Attribute::Value(scheduler.into()),
        true,
    ));
    let mut machine = Layer::new(LayerKind::Machine, "machine");
    machine.settings.extend((100..180).map(setting));
    let mut path = IoPath::new("/srv/data", layer);
    path.machine = Some(machine);
    path
}

fn load(number: u64) -> LoadResult {
    let mut load = LoadResult {
        elapsed_ms: 10_000.0,
        engine: "io_uring".into(),
        depth: 32,
        ..LoadResult::default()
    };
    for draw in 0..2_000 {
        // Latencies over three decades, most of them near 80 µs.
        let random = mix(number * 10_000 + draw);
        let ns = 50_000
            + random % 60_000
            + if random.is_multiple_of(50) {
                random % 20_000_000
            } else {
                0
            };
        load.read.latency.record(ns);
    }
    load.read.ios = 400_000 + mix(number) % 100_000;
    load.read.bytes = load.read.ios * 4096;
    load.intervals = (0..100)
        .map(|index| {
            let ios = 4_000 + mix(number * 100 + index) % 1_000;
            let read = IntervalSide {
                ios,
                bytes: ios * 4096,
                p50_ns: 80_000,
                p99_ns: 90_000 + mix(index) % 400_000,
            };
            Interval {
                start_ms: index * 100,
                length_ms: 100,
                read,
                inflight: 32,
                ..Interval::default()
            }
        })
        .collect();
    load
}

fn sensor(number: u64) -> SensorLog {
    let series = (0..SERIES).map(|index| {
        let seed = number * SERIES + index;
        let (kind, name) = match index % 4 {
            3 => (MetricKind::Gauge, format!("memory.field_{index}_kib")),
            _ => (
                MetricKind::Counter,
                format!("cpu.{}.field_{index}", index % 8),
            ),
        };
        let mut value = mix(seed) % 1_000_000_000;
        let values = (0..SAMPLES).map(|sample| {
            // A third of all counters stand still for most of the time, as they do on machines.
            let step = mix(seed * SAMPLES + sample) % 5_000;
            value += if index.is_multiple_of(3) && !step.is_multiple_of(8) {
                0
            } else {
                step
            };
            Some(value as f64)
        });
        SampleSeries {
            name,
            unit: "events".into(),
            kind,
            values: values.collect(),
        }
    });
    SensorLog {
        sensor: "all".into(),
        no_data: None,
        time_ns: (0..SAMPLES)
            .map(|sample| (sample * 100_000_000 + mix(number * SAMPLES + sample) % 60_000) as i64)
            .collect(),
        series: series.collect(),
        cost_cpu_ns: 4_000_000,
        notes: vec![],
    }
}
