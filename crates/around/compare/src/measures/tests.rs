//! Records in, comparable numbers out.

use super::*;
use crate::fixture::{self, fio_text, load, run, run_of};
use model::check::{CheckResult, Probe, Role};
use model::histogram::Histogram;
use model::job::{Job, Rw};
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span, SpanTimes};
use model::record::{Interval, TuneBody, WatchBody};
use model::sample::{MetricKind, SampleSeries, SensorLog};

fn get<'a>(part: &'a Part, name: &str) -> &'a Measure {
    part.measures
        .iter()
        .find(|one| one.name == name)
        .unwrap_or_else(|| panic!("{name} in {:?}", names(part)))
}

fn names(part: &Part) -> Vec<&str> {
    part.measures.iter().map(|one| one.name.as_str()).collect()
}

#[test]
fn a_run_has_rates_from_its_seconds_and_percentiles_from_its_counts() {
    let subject = of("7", Some(7), &run(10_000.0, 0.02, 60));
    let part = &subject.parts[0];
    assert_eq!(
        names(part),
        [
            "read.iops",
            "read.bw",
            "read.mean",
            "read.p50",
            "read.p95",
            "read.p99",
            "read.p99.9",
            "read.max",
            "cpu_per_io"
        ]
    );
    let iops = get(part, "read.iops");
    assert_eq!(
        (iops.basis, iops.n, iops.better),
        (Basis::Batches, 30, Better::More)
    );
    assert!(iops.low.unwrap() < iops.value && iops.value < iops.high.unwrap());
    assert!(iops.high.unwrap() / iops.low.unwrap() < 1.04, "{iops:?}");
    let p99 = get(part, "read.p99");
    assert_eq!(
        (p99.basis, p99.better, p99.unit.as_str()),
        (Basis::Counts, Better::Less, "ns")
    );
    assert!(p99.low.unwrap() <= p99.value && p99.value <= p99.high.unwrap());
    assert_eq!(get(part, "read.max").basis, Basis::OneFigure);
    assert_eq!(
        (subject.device.as_str(), subject.stack.as_str()),
        ("vda", "target/ext4/disk")
    );
}

#[test]
fn a_short_run_uses_its_bins_and_a_shorter_one_says_one_figure() {
    let mut record = run(10_000.0, 0.02, 3);
    let part = of("7", None, &record).parts.remove(0);
    assert_eq!(get(&part, "read.iops").basis, Basis::OneFigure);
    let load = run_of(&mut record).load.as_mut().unwrap();
    (load.bin_ms, load.bins) = (100, (0..30).map(|bin| 990 + bin % 20).collect());
    let part = of("7", None, &record).parts.remove(0);
    assert_eq!(get(&part, "read.iops").basis, Basis::Batches);
    let mut few = run_of(&mut record).load.take().unwrap();
    few.read.latency = Histogram::new();
    (0..100).for_each(|_| few.read.latency.record(1_000));
    run_of(&mut record).load = Some(few);
    let part = of("7", None, &record).parts.remove(0);
    assert!(
        !names(&part).contains(&"read.p99"),
        "one I/O beyond it is no percentile: {:?}",
        names(&part)
    );
}

#[test]
fn a_mix_has_totals_and_each_direction_its_own() {
    let mut record = run(10_000.0, 0.02, 20);
    record.job = Job {
        rw: Rw::Randrw,
        ..Job::default()
    };
    let load = run_of(&mut record).load.as_mut().unwrap();
    load.write = load.read.clone();
    load.intervals = load
        .intervals
        .iter()
        .map(|one| Interval {
            write: one.read,
            ..one.clone()
        })
        .collect();
    let part = of("7", None, &record).parts.remove(0);
    assert!((get(&part, "iops").value / get(&part, "read.iops").value - 2.0).abs() < 1e-9);
    assert_eq!(get(&part, "bw").basis, Basis::Batches);
    assert!(names(&part).contains(&"write.p99"));
}

#[test]
fn sections_and_layers_are_told_apart() {
    let mut record = run(10_000.0, 0.02, 20);
    let mut times = Histogram::new();
    (0..100).for_each(|_| times.record(80_000));
    let spans = [
        (LayerSide::Read, Span::D2C),
        (LayerSide::Read, Span::Q2C),
        (LayerSide::Read, Span::G2C),
    ];
    let spans = spans
        .map(|(side, span)| SpanTimes {
            side,
            span,
            times: times.clone(),
        })
        .to_vec();
    let device = |name: &str| DeviceLayers {
        device: name.into(),
        devno: String::new(),
        spans: spans.clone(),
        counters: Default::default(),
    };
    run_of(&mut record).layers = Some(LayerTimes {
        devices: vec![device("dm-0"), device("vda")],
        ..LayerTimes::default()
    });
    let part = of("7", None, &record).parts.remove(0);
    assert_eq!(
        names(&part)[9..],
        ["read.d2c", "read.q2c", "read.d2c.2", "read.q2c.2"]
    );
    let section = |name: &str| model::record::SectionResult {
        elsewhere: String::new(),
        name: name.into(),
        stage: 0,
        start_ms: 0,
        job: Job::default(),
        load: load(5_000.0, 0.02, 20),
    };
    run_of(&mut record).sections = vec![section("db"), section("log")];
    let subject = of("7", None, &record);
    assert_eq!(
        subject
            .parts
            .iter()
            .map(|part| part.name.as_str())
            .collect::<Vec<_>>(),
        ["db", "log"]
    );
}

#[test]
fn another_tools_figures_have_the_interval_of_its_samples_or_none() {
    let subject = of(
        "old.txt:12",
        None,
        &fio_text(20_151.0, &[("rw", "read"), ("bs", "4k"), ("iodepth", "64")]),
    );
    assert_eq!(
        (subject.source.as_str(), subject.host.as_str()),
        ("fio-3.7", "")
    );
    let part = &subject.parts[0];
    let iops = get(part, "read.iops");
    assert_eq!((iops.basis, iops.n), (Basis::Samples, 260));
    assert!(iops.high.unwrap() / iops.value < 1.02);
    assert_eq!(get(part, "read.p99").basis, Basis::OneFigure);
    assert_eq!(get(part, "read.bw").low, None);
    assert_eq!(get(part, "read.mean").value, 3_175_580.0, "lat, not clat");
    assert!((get(part, "cpu_per_io").value - 0.2536 / 20_151.0 * 1e9).abs() < 1.0);
}

#[test]
fn cpu_per_io_is_cpu_time_by_the_number_of_ios() {
    let mut record = fio_text(97_846.0, &[("rw", "randread")]);
    let RecordBody::Import(imported) = &mut record.body else {
        panic!("an import")
    };
    // Four jobs at once, 0.98 and 17.15 % of each: 72.52 % of a CPU.
    let load = imported.load.as_mut().unwrap();
    (load.cpu_user_pct, load.cpu_system_pct) = (Some(3.92), Some(68.6));
    load.elapsed_ms = Some(1_000.0);
    load.read.as_mut().unwrap().ios = Some(97_846);
    let part = of("1", None, &record).parts.remove(0);
    assert!((get(&part, "cpu_per_io").value - 7_411.6).abs() < 1.0);
}

#[test]
fn percentiles_of_counts_are_not_beyond_the_greatest() {
    let mut record = fio_text(1_000.0, &[("rw", "read")]);
    let RecordBody::Import(imported) = &mut record.body else {
        panic!("an import")
    };
    let mut histogram = Histogram::new();
    (0..20_000).for_each(|_| histogram.record(7_890_000));
    let side = imported.load.as_mut().unwrap().read.as_mut().unwrap();
    side.latencies = vec![model::imported::LatencyFigures {
        kind: "lat".into(),
        mean_ns: Some(7_890_000.0),
        max_ns: Some(7_890_000.0),
        histogram: Some(histogram),
        ..Default::default()
    }];
    let part = of("1", None, &record).parts.remove(0);
    assert_eq!(get(&part, "read.p99.9").value, 7_890_000.0);
}

#[test]
fn transactions_have_measures_of_their_own_and_are_no_iops() {
    let mut record = fio_text(1.0, &[("numjobs", "16"), ("mode", "oltp_write_only")]);
    let RecordBody::Import(imported) = &mut record.body else {
        panic!("an import")
    };
    (imported.tool, imported.importer) = ("sysbench 1.0.20".into(), "sysbench_oltp".into());
    imported.load = Some(model::imported::LoadFigures {
        operations: vec![model::imported::OperationFigures {
            name: "transactions".into(),
            count: Some(33_768),
            per_s: Some(1_688.01),
            latency: Some(model::imported::LatencyFigures {
                mean_ns: Some(9.47e6),
                percentiles: vec![(95.0, 15.27e6)],
                ..Default::default()
            }),
        }],
        ..Default::default()
    });
    let part = of("1", None, &record).parts.remove(0);
    assert_eq!(
        names(&part),
        [
            "transactions.per_s",
            "transactions.mean",
            "transactions.p95"
        ]
    );
    let rate = get(&part, "transactions.per_s");
    assert_eq!(
        (rate.unit.as_str(), rate.better, rate.value),
        ("/s", Better::More, 1_688.01)
    );
    assert_eq!(part.phrase, "sysbench oltp_write_only, 16 threads");
}

#[test]
fn a_watch_is_compared_by_what_its_disk_did() {
    let mut record = fixture::of(RecordBody::Watch(WatchBody::default()));
    let counter = |name: &str, step: f64| SampleSeries {
        name: name.into(),
        unit: "ios".into(),
        kind: MetricKind::Counter,
        values: (0..20).map(|index| Some(step * f64::from(index))).collect(),
    };
    let mut log = SensorLog::absent("diskstats", "");
    log.no_data = None;
    log.time_ns = (0..20).map(|index| index * 500_000_000).collect();
    log.series = vec![
        counter("disk.vda.read_ios", 50.0),
        counter("disk.vda.read_sectors", 400.0),
        counter("disk.vda.read_ms", 25.0),
        counter("disk.vda.write_ios", 0.0),
    ];
    record.sensors = vec![log];
    let part = of("3", None, &record).parts.remove(0);
    assert_eq!(
        (part.name.as_str(), part.phrase.as_str()),
        ("vda", "what others did")
    );
    assert!((get(&part, "read.iops").value - 100.0).abs() < 1e-9);
    assert!((get(&part, "read.bw").value - 100.0 * 4096.0).abs() < 1e-6);
    assert!((get(&part, "read.await").value - 500_000.0).abs() < 1e-6);
    assert!(
        !names(&part).contains(&"write.iops"),
        "a device that did nothing has no rate"
    );
}

#[test]
fn every_short_load_of_a_check_is_a_part_of_its_own() {
    let probe = |role: Role, iodepth: u32| Probe {
        role,
        job: Job {
            iodepth,
            ..Job::default()
        },
        load: model::record::LoadResult {
            depth: iodepth,
            ..load(5_000.0, 0.0, 2)
        },
        frame: Default::default(),
        layers: None,
        tasks: None,
        start_ms: 0,
    };
    let idle = Probe {
        load: Default::default(),
        ..probe(Role::Idle, 1)
    };
    let probes = vec![idle, probe(Role::Latency, 1), probe(Role::Depth, 32)];
    let record = fixture::of(RecordBody::Check(CheckResult {
        probes,
        ..CheckResult::default()
    }));
    let subject = of("4", Some(4), &record);
    let parts: Vec<&str> = subject
        .parts
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    assert_eq!(
        parts,
        ["one read at a time", "depth 32"],
        "idling is no load"
    );
    assert_eq!(subject.parts[1].job["iodepth"], "32");
}

#[test]
fn a_tune_brings_what_it_proved() {
    let trials = vec![Trial {
        set: vec![],
        base: vec![],
        knob: "scheduler".into(),
        subject: None,
        mark: None,
        device: "vda".into(),
        arms: vec!["none".into(), "bfq".into()],
        aa: false,
        skipped: None,
        summary: "scheduler: nothing beats none".into(),
        verdict: None,
        layers: Vec::new(),
        figures: Vec::new(),
        moved: None,
        windows: Vec::new(),
    }];
    let record = fixture::of(RecordBody::Tune(TuneBody { trials }));
    let other = record.clone();
    let given = [("7", &record), ("9", &other)].map(|(name, record)| crate::compare::Named {
        name,
        id: None,
        record,
    });
    let found = crate::compare::records(&given, 0, &[], &[], false);
    assert_eq!(found.subjects[0].proofs[0].knob, "scheduler");
    assert!(
        found.sentence.contains("proved inside it"),
        "{}",
        found.sentence
    );
    let lines = crate::view::compare::lines(&found, report::text::Paint::Plain);
    assert!(
        lines
            .iter()
            .any(|line| line == "  9, vda: scheduler: nothing beats none"),
        "{lines:#?}"
    );
}
