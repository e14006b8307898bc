//! Records for tests: runs of a known rate, and a result of fio's text.

use model::histogram::Histogram;
use model::imported::{Imported, LatencyFigures, LoadFigures, Samples, SideFigures};
use model::iopath::{IoPath, Layer, LayerKind};
use model::record::{Interval, IntervalSide, LoadResult, Provenance, Record, RecordBody, RunBody};
use stats::dice::Dice;

/// What random 4 KiB reads of a known rate gave over so many seconds; noise is a share of the rate.
pub fn load(iops: f64, noise: f64, seconds: u64) -> LoadResult {
    let mut dice = Dice::new(iops as u64 ^ seconds);
    let mut load = LoadResult {
        elapsed_ms: seconds as f64 * 1e3,
        cpu_system_ms: 500.0,
        ..LoadResult::default()
    };
    let mean_ns = 32.0 / iops * 1e9;
    for second in 0..seconds {
        let ios = (iops * (1.0 + noise * dice.normal())).max(1.0) as u64;
        let mut latency = Histogram::new();
        (0..ios.min(2_000))
            .for_each(|_| latency.record((-mean_ns * (1.0 - dice.share()).ln()) as u64));
        let quantile = |share| latency.quantile_ns(share).unwrap_or(0);
        let read = IntervalSide {
            ios,
            bytes: ios * 4096,
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
        };
        load.intervals.push(Interval {
            start_ms: second * 1000,
            length_ms: 1000,
            read,
            ..Interval::default()
        });
        load.read.ios += ios;
        load.read.bytes += ios * 4096;
        load.read.latency.merge(&latency);
    }
    load
}

/// A record of such a run on `vda` of the machine `db-1`.
pub fn run(iops: f64, noise: f64, seconds: u64) -> Record {
    of(RecordBody::Run(RunBody {
        load: Some(load(iops, noise, seconds)),
        ..RunBody::default()
    }))
}

/// What a record of a run holds, to be changed.
pub fn run_of(record: &mut Record) -> &mut RunBody {
    match &mut record.body {
        RecordBody::Run(run) => run,
        other => panic!("a record of {}", other.verb()),
    }
}

/// A record of anything, there.
pub fn of(body: RecordBody) -> Record {
    let mut target = Layer::new(LayerKind::Target, "/srv");
    let mut file_system = Layer::new(LayerKind::FileSystem, "/srv");
    file_system.facts.insert("fstype".into(), "ext4".into());
    let mut disk = Layer::new(LayerKind::Disk, "vda");
    disk.facts.insert("model".into(), "QEMU".into());
    file_system.below = vec![disk];
    target.below = vec![file_system];
    let provenance = Provenance {
        iodyno: "0.1.0".into(),
        hostname: "db-1".into(),
        kernel: "6.1.0".into(),
        started_unix_ms: 1_700_000_000_000,
        ..Provenance::default()
    };
    Record::of(body, provenance, IoPath::new("/srv", target))
}

/// A sequential read as the normal text of fio tells it.
pub fn fio_text(iops: f64, facts: &[(&str, &str)]) -> Record {
    let latency = |kind: &str, mean_ns: f64, percentiles: &[(f64, f64)]| LatencyFigures {
        kind: kind.into(),
        mean_ns: Some(mean_ns),
        percentiles: percentiles.to_vec(),
        ..LatencyFigures::default()
    };
    let listed = [
        (50.0, 947e3),
        (95.0, 8_455e3),
        (99.0, 9_634e3),
        (99.9, 12_780e3),
    ];
    let side = SideFigures {
        iops: Some(iops),
        bytes_per_s: Some(iops * 4096.0),
        iops_samples: Some(Samples {
            count: 260,
            min: 19_168.0,
            max: 61_556.0,
            mean: iops,
            stddev: iops * 0.128,
        }),
        latencies: vec![
            latency("slat", 7_490.0, &[]),
            latency("clat", 3_168_010.0, &listed),
            latency("lat", 3_175_580.0, &[]),
        ],
        ..SideFigures::default()
    };
    let imported = Imported {
        importer: "fio_text".into(),
        tool: "fio-3.7".into(),
        file: "/tmp/old.txt".into(),
        lines: Some((12, 40)),
        name: "job".into(),
        load: Some(LoadFigures {
            read: Some(side),
            cpu_user_pct: Some(3.16),
            cpu_system_pct: Some(22.20),
            ..LoadFigures::default()
        }),
        facts: facts
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
        ..Imported::default()
    };
    Record {
        path: IoPath::new("old.txt", Layer::new(LayerKind::Target, "old.txt")),
        ..of(RecordBody::Import(imported))
    }
}
