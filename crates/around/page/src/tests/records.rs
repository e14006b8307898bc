//! Records made for the tests, small copies of what the verbs write.

mod studies;

use model::change::Attribute;
use model::check::{CheckResult, ExpectedWhat, Probe, Role};
use model::finding::{Evidence, Finding, Level};
use model::frame::Frame;
use model::histogram::Histogram;
use model::imported::{Imported, ImportedSeries, LatencyFigures, LoadFigures, SideFigures};
use model::iopath::{
    Interrupt, IoPath, KernelDefault, Layer, LayerKind, Owner, Setting as PathSetting,
};
use model::job::{Job, Rw};
use model::latency_map::{LatencyColumn, LatencyMap};
use model::layers::{ArmSpan, DeviceLayers, LayerSide, LayerTimes, Span, SpanTimes};
use model::record::{
    Direction, Interval, IntervalSide, LoadResult, Provenance, Record, RecordBody, RunBody, Trial,
    TuneBody, WindowRun,
};
use model::sample::{MetricKind, SampleSeries, SensorLog};
use model::time_account::{TimeAccount, TimePart, TimePlace};
use model::verdict::{
    ArmResult, Guard, Outcome, P99, PairRow, Reason, StageCost, Verdict, VerdictStage,
};
use std::collections::BTreeMap;
pub use studies::{dataset, interference, search, sweep};

/// Numbers that look random and are the same every time.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }
}

/// A record with nothing in it.
pub fn bare() -> Record {
    let path = IoPath::new("/srv", Layer::new(LayerKind::Target, "/srv"));
    Record {
        summary: "nothing was measured".into(),
        ..Record::of(
            RecordBody::Run(RunBody::default()),
            Provenance::default(),
            path,
        )
    }
}

/// What a record of a run holds, to be changed.
pub fn run_of(record: &mut Record) -> &mut RunBody {
    match &mut record.body {
        RecordBody::Run(run) => run,
        other => panic!("a record of {}", other.verb()),
    }
}

fn provenance(command: &[&str]) -> Provenance {
    Provenance {
        iodyno: "0.1.0".into(),
        commit: String::new(),
        hostname: "db-3".into(),
        kernel: "6.1.0-30-amd64".into(),
        cpu: "Example CPU, 2 CPUs".into(),
        clock: "tsc".into(),
        started_unix_ms: 1_763_000_000_000,
        command: command.iter().map(|word| (*word).to_string()).collect(),
        kube: None,
        rehearsed: None,
    }
}

fn path() -> IoPath {
    let mut disk = Layer::new(LayerKind::Disk, "vda");
    disk.title = "virtio disk, 100 GiB".into();
    let setting = |name: &str, value: &str, default: Option<&str>| {
        let mut one = PathSetting::new(
            name,
            format!("/sys/block/vda/queue/{name}"),
            Attribute::Value(value.into()),
            true,
        );
        one.default = default.map(|value| KernelDefault {
            value: value.into(),
            because: String::new(),
        });
        one
    };
    disk.settings = vec![
        setting(
            "scheduler",
            "none [mq-deadline] kyber bfq",
            Some("mq-deadline"),
        ),
        setting("nr_requests", "256", Some("256")),
        setting("read_ahead_kb", "4096", Some("128")),
    ];
    disk.settings[2].owners = vec![Owner {
        kind: "udev_rule".into(),
        place: "/etc/udev/rules.d/60-ra.rules:3".into(),
        wants: Some("4096".into()),
        acts: "when the device appears".into(),
    }];
    disk.interrupts = vec![Interrupt {
        irq: 35,
        name: "virtio1-req.0".into(),
        allowed_cpus: Some("0-1".into()),
        effective_cpus: Some("1".into()),
        counts: vec![0, 10],
    }];
    let mut fs = Layer::new(LayerKind::FileSystem, "/srv");
    fs.title = "ext4 on /dev/vda1".into();
    fs.facts.insert("options".into(), "rw,relatime".into());
    fs.below = vec![disk];
    let mut root = Layer::new(LayerKind::Target, "/srv");
    root.title = "directory".into();
    root.below = vec![fs];
    IoPath::new("/srv", root)
}

fn latency(noise: &mut Noise, count: usize, fast_ns: f64, slow_share: f64) -> Histogram {
    let mut histogram = Histogram::new();
    for _ in 0..count {
        let base = if noise.next() < slow_share {
            fast_ns * 60.0
        } else {
            fast_ns
        };
        histogram.record((base * (0.8 + 0.6 * noise.next())) as u64);
    }
    histogram
}

fn counter(name: &str, unit: &str, values: impl Iterator<Item = f64>) -> SampleSeries {
    SampleSeries {
        name: name.into(),
        unit: unit.into(),
        kind: MetricKind::Counter,
        values: values.map(Some).collect(),
    }
}

fn gauge(name: &str, unit: &str, values: impl Iterator<Item = f64>) -> SampleSeries {
    SampleSeries {
        kind: MetricKind::Gauge,
        ..counter(name, unit, values)
    }
}

fn log(sensor: &str, times: usize, every_ms: i64, series: Vec<SampleSeries>) -> SensorLog {
    SensorLog {
        sensor: sensor.into(),
        no_data: None,
        time_ns: (0..times as i64)
            .map(|index| index * every_ms * 1_000_000)
            .collect(),
        series,
        cost_cpu_ns: 3_000_000,
        notes: Vec::new(),
    }
}

/// Sensors of a host with so many CPUs, sampled so often.
fn sensors(times: usize, every_ms: i64, cpus: usize) -> Vec<SensorLog> {
    let n = || 0..times;
    let grows = move |step: f64| (0..times).map(move |index| 1e6 + index as f64 * step);
    let disk = vec![
        counter("disk.vda.read_ios", "ios", grows(2_000.0)),
        counter("disk.vda.write_ios", "ios", grows(900.0)),
        counter("disk.vda.read_sectors", "sectors", grows(16_000.0)),
        counter("disk.vda.write_sectors", "sectors", grows(7_200.0)),
    ];
    let mut cpu = Vec::new();
    let mut irq = Vec::new();
    for index in 0..cpus {
        for (word, step) in [
            ("user", 2.0),
            ("nice", 0.0),
            ("system", 3.0),
            ("idle", 4.0),
            ("iowait", 1.0),
            ("irq", 0.0),
            ("softirq", 0.5),
            ("steal", 0.0),
        ] {
            cpu.push(counter(
                &format!("cpu.{index}.{word}"),
                "ticks",
                grows(step),
            ));
        }
        irq.push(counter(
            &format!("irq.cpu{index}.all"),
            "events",
            grows(if index == 1 { 900.0 } else { 30.0 }),
        ));
    }
    irq.push(counter(
        "irq.device_cpu.vda@1.count",
        "events",
        grows(800.0),
    ));
    let vm = vec![
        gauge(
            "vm.dirty",
            "bytes",
            n().map(|index| 1e8 + 1e7 * (index % 20) as f64),
        ),
        gauge("vm.writeback", "bytes", n().map(|_| 2e7)),
        gauge("vm.dirty_background_threshold", "bytes", n().map(|_| 1e9)),
        gauge("vm.dirty_threshold", "bytes", n().map(|_| 2e9)),
        counter("vm.dirtied", "bytes", grows(5e6)),
        counter("vm.written", "bytes", grows(4.9e6)),
    ];
    let inflight = vec![
        gauge(
            "inflight.vda.read_ios",
            "ios",
            n().map(|index| 20.0 + (index % 5) as f64),
        ),
        gauge("inflight.vda.write_ios", "ios", n().map(|_| 4.0)),
    ];
    vec![
        log("diskstats", times, every_ms, disk),
        log("cpu", times, every_ms, cpu),
        log("interrupts", times, every_ms, irq),
        log("vmstat", times, every_ms, vm),
        log("inflight", times, every_ms, inflight),
        SensorLog::absent("temperature", "no disk tells its temperature"),
    ]
}

fn load(seconds: usize) -> LoadResult {
    let mut noise = Noise(7);
    let mut load = LoadResult {
        engine: "io_uring".into(),
        depth: 32,
        elapsed_ms: seconds as f64 * 1e3,
        ..LoadResult::default()
    };
    let (mut read_all, mut write_all) = (Histogram::new(), Histogram::new());
    for second in 0..seconds as u64 {
        let (read, write) = (
            latency(&mut noise, 1500, 90_000.0, 0.02),
            latency(&mut noise, 700, 300_000.0, 0.1),
        );
        let side = |latency: &Histogram| IntervalSide {
            ios: latency.total(),
            bytes: latency.total() * 4096,
            p50_ns: latency.quantile_ns(0.5).unwrap(),
            p99_ns: latency.quantile_ns(0.99).unwrap(),
        };
        load.intervals.push(Interval {
            start_ms: second * 1000,
            length_ms: 1000,
            read: side(&read),
            write: side(&write),
            inflight: 32,
        });
        load.latency_map
            .read
            .push(LatencyColumn::of(second * 1000, 1000, &read));
        load.latency_map
            .write
            .push(LatencyColumn::of(second * 1000, 1000, &write));
        read_all.merge(&read);
        write_all.merge(&write);
    }
    let direction = |latency: Histogram| Direction {
        ios: latency.total(),
        bytes: latency.total() * 4096,
        latency,
    };
    (load.read, load.write) = (direction(read_all), direction(write_all));
    load
}

/// Puts the load into a group of version 2 with 256 MiB of memory.
pub fn limit_group(record: &mut Record) {
    let mib = f64::from(1 << 20);
    let n = || (0..30).map(f64::from);
    let series = vec![
        gauge("cgroup.pod/a.dirty", "bytes", n().map(move |at| at * mib)),
        gauge("cgroup.pod/a.writeback", "bytes", n().map(move |_| mib)),
        gauge(
            "cgroup.pod/a.memory_limit",
            "bytes",
            n().map(move |_| 256.0 * mib),
        ),
    ];
    record.sensors.push(log("cgroup", 30, 1000, series));
    let mut machine = Layer::new(LayerKind::Machine, "machine");
    machine.facts.insert("cgroup_version".into(), "2".into());
    for (name, value) in [
        ("vm.dirty_ratio", "20"),
        ("vm.dirty_background_ratio", "10"),
    ] {
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        machine.settings.push(model::iopath::Setting::new(
            name,
            path,
            Attribute::Value(value.into()),
            true,
        ));
    }
    record.path.machine = Some(machine);
}

/// A run with everything: a mix, half a minute, sensors, layers, a finding.
pub fn run() -> Record {
    let mut noise = Noise(3);
    let mut span = |span, base| SpanTimes {
        side: LayerSide::Read,
        span,
        times: latency(&mut noise, 2_000, base, 0.02),
    };
    let spans = vec![
        span(Span::Q2G, 400.0),
        span(Span::G2I, 900.0),
        span(Span::I2D, 20_000.0),
        span(Span::D2C, 70_000.0),
        span(Span::Q2C, 91_000.0),
    ];
    let device = DeviceLayers {
        device: "vda".into(),
        devno: "253:0".into(),
        spans,
        counters: BTreeMap::from([("dropped".to_string(), 3)]),
    };
    Record {
        summary: "4K random read/write mix, depth 32, direct: 2.20 k IOPS, p99 5.4 ms".into(),
        provenance: provenance(&["iodyno", "run", "/srv", "--runtime", "30s"]),
        path: path(),
        job: Job {
            rw: Rw::Randrw,
            ..Job::default()
        },
        findings: vec![Finding {
            rule: "noisy_run".into(),
            level: Level::Warning,
            claim: "The rate of single intervals varies by 12 % around 2,200 IOPS.".into(),
            evidence: vec![Evidence {
                name: "intervals".into(),
                value: "30".into(),
            }],
            refuted_by: "A second run varies less.".into(),
            advice: "Compare by iodyno tune.".into(),
            ..Finding::default()
        }],
        sensors: sensors(60, 500, 2),
        body: RecordBody::Run(RunBody {
            load: Some(load(30)),
            layers: Some(LayerTimes {
                source: "eBPF full".into(),
                devices: vec![device],
                outside: Vec::new(),
            }),
            ..RunBody::default()
        }),
        ..bare()
    }
}

/// A run as an earlier version wrote it: no map of latencies.
pub fn old_run() -> Record {
    let mut record = run();
    run_of(&mut record).load.as_mut().unwrap().latency_map = LatencyMap::default();
    record
}

/// A load of one second.
pub fn one_interval() -> Record {
    let mut record = run();
    run_of(&mut record).load = Some(load(1));
    record.sensors = sensors(2, 500, 2);
    record
}

fn pairs(
    noise: &mut Noise,
    stage: VerdictStage,
    arm: &str,
    count: usize,
    effect: f64,
) -> Vec<PairRow> {
    let pair = |index: usize| {
        let wild = if index % 17 == 5 { 6.0 } else { 1.0 };
        let effect_ln = effect.ln_1p() + (noise.next() - 0.5) * 0.08 * wild;
        PairRow {
            stage,
            arm: arm.into(),
            default_first: index.is_multiple_of(2),
            rate_default: 50_000.0,
            rate_arm: 50_000.0 * effect_ln.exp(),
            effect_ln,
        }
    };
    (0..count).map(pair).collect()
}

fn verdict() -> Verdict {
    let mut noise = Noise(11);
    let mut all = pairs(&mut noise, VerdictStage::Pairs, "none", 24, 0.12);
    all.extend(pairs(&mut noise, VerdictStage::Holdout, "none", 30, 0.11));
    Verdict {
        outcome: Outcome::Better,
        arm: "none".into(),
        reason: Reason::Confirmed,
        sentence: "A fresh hold-out confirms it.".into(),
        metric: model::metric::ExperimentMetric::iops(),
        effect: Some(0.11),
        low: Some(0.09),
        high: Some(0.13),
        estimated_in: Some(VerdictStage::Holdout),
        compared: Some("none".into()),
        windows: 140,
        device_ms: 28_000,
        seed: 81_723,
        alpha: 0.05,
        rope: 0.02,
        window_ms: 200,
        washout_ms: 80,
        horizon_ms: 2_000,
        memory_ms: 0,
        raw_effect: Some(0.11),
        lives_in_tail: false,
        smallest_detectable: None,
        p99: Some(P99 {
            ratio: 0.8,
            low: Some(0.7),
            high: Some(0.9),
            guard: Guard::Passed,
        }),
        arms: vec![ArmResult {
            arm: "none".into(),
            effect: Some(0.12),
            low: Some(0.05),
            high: Some(0.2),
            dropped: false,
        }],
        foreign: vec![],
        stages: vec![StageCost {
            stage: VerdictStage::Pairs,
            windows: 48,
            device_ms: 9_600,
        }],
        pairs: all,
        notes: vec!["The effect is the same in all thirds.".into()],
    }
}

/// An experiment that decided.
pub fn tune() -> Record {
    let mut noise = Noise(5);
    let window = |index: usize| {
        let arm = index % 2;
        WindowRun {
            arm,
            stage: if index < 48 {
                VerdictStage::Pairs
            } else {
                VerdictStage::Holdout
            },
            start_ms: 1_000 + index as u64 * 200,
            length_ms: 200,
            discard_ms: 80,
            rate: 50_000.0 * (1.0 + 0.11 * arm as f64) * (0.97 + 0.06 * noise.next()),
            half_depth: false,
        }
    };
    let windows = (0..108).map(window).collect();
    let span = |arm: &str, span, mean_ns: f64| ArmSpan {
        arm: arm.into(),
        device: "vda".into(),
        side: LayerSide::Read,
        span,
        ios: 10_000,
        mean_ns,
        spread_ns: mean_ns / 20.0,
        windows: 8,
        p50_ns: mean_ns as u64,
        p99_ns: mean_ns as u64 * 4,
    };
    let layers = vec![
        span("mq-deadline", Span::I2D, 12_000.0),
        span("mq-deadline", Span::D2C, 88_000.0),
        span("none", Span::G2D, 900.0),
        span("none", Span::D2C, 88_200.0),
    ];
    let summary = "scheduler: mq-deadline → none: +11 % IOPS (9.0 to 13), p99 −20 %".to_string();
    Record {
        summary: summary.clone(),
        provenance: provenance(&["iodyno", "tune", "/srv", "--knob", "scheduler"]),
        path: path(),
        sensors: sensors(60, 500, 2),
        body: RecordBody::Tune(TuneBody {
            trials: vec![Trial {
                set: vec![],
                base: vec![],
                knob: "scheduler".into(),
                subject: None,
                mark: None,
                device: "vda".into(),
                arms: vec!["mq-deadline".into(), "none".into()],
                aa: false,
                skipped: None,
                summary,
                verdict: Some(verdict()),
                layers,
                figures: Vec::new(),
                moved: None,
                windows,
            }],
        }),
        ..bare()
    }
}

/// An experiment that said no.
pub fn refused() -> Record {
    let mut record = tune();
    let trial = &mut record.trials_mut()[0];
    trial.summary = "scheduler: no verdict. Other programs lose what this load gains.".into();
    let summary = trial.summary.clone();
    let verdict = trial.verdict.as_mut().unwrap();
    verdict.outcome = Outcome::Refused;
    verdict.reason = Reason::ForeignIo;
    verdict.sentence =
        "Other programs lose what this load gains: their I/O changes by −12 %.".into();
    (
        verdict.effect,
        verdict.low,
        verdict.high,
        verdict.estimated_in,
        verdict.compared,
    ) = (None, None, None, None, None);
    verdict
        .pairs
        .retain(|pair| pair.stage != VerdictStage::Holdout);
    record.summary = summary;
    record
}

fn account(load: &str, mean_us: f64) -> TimeAccount {
    let part = |(place, share): (TimePlace, f64)| TimePart {
        place,
        share,
        uncertainty: 0.02,
        function: (place == TimePlace::Completion).then(|| "io_cqring_wait".into()),
    };
    let parts = [
        (TimePlace::SystemCall, 0.15),
        (TimePlace::Scheduler, 0.05),
        (TimePlace::Device, 0.7),
        (TimePlace::Completion, 0.1),
    ];
    TimeAccount {
        load: load.into(),
        io: "read".into(),
        mean_us,
        parts: parts.into_iter().map(part).collect(),
        is_traced: true,
        off: 0.0,
    }
}

/// A check of three depths.
pub fn check() -> Record {
    let mut noise = Noise(13);
    let mut probe = |role, depth: u32| {
        let times = latency(&mut noise, 3_000, 80_000.0 * f64::from(depth).sqrt(), 0.01);
        let read = Direction {
            ios: times.total(),
            bytes: times.total() * 4096,
            latency: times,
        };
        let load = LoadResult {
            depth,
            elapsed_ms: 1_000.0,
            read,
            ..LoadResult::default()
        };
        Probe {
            role,
            job: Job::default(),
            load,
            frame: Frame::default(),
            layers: None,
            tasks: None,
            start_ms: 0,
        }
    };
    let probes = vec![
        probe(Role::Latency, 1),
        probe(Role::Depth, 8),
        probe(Role::Depth, 32),
    ];
    let given = model::check::GivenSetting {
        what: ExpectedWhat::RandomReads,
        value: 3_000.0,
        unit: "/s".into(),
        how: "depth 32".into(),
    };
    let expected = model::check::Expected {
        what: ExpectedWhat::RandomReads,
        low: 6_000.0,
        high: 9_000.0,
        unit: "/s".into(),
        because: "a disk of this kind".into(),
        source: "the maker".into(),
    };
    let unseen = vec!["Writes: only a directory is written to.".to_string()];
    let check = CheckResult {
        mode: "quick".into(),
        probes,
        given: vec![given],
        expected: vec![expected],
        accounts: vec![
            account("one read at a time", 80.0),
            account("depth 32", 450.0),
        ],
        unseen,
        next: "iodyno tune /srv".into(),
        ..CheckResult::default()
    };
    Record {
        summary: "vda gives half of what it should".into(),
        path: path(),
        body: RecordBody::Check(check),
        ..bare()
    }
}

/// What fio printed elsewhere.
pub fn import() -> Record {
    let clat = LatencyFigures {
        kind: "clat".into(),
        count: Some(10_000),
        mean_ns: Some(410_000.0),
        percentiles: vec![(50.0, 400_000.0), (99.0, 900_000.0), (99.9, 2_000_000.0)],
        ..LatencyFigures::default()
    };
    let read = SideFigures {
        ios: Some(10_000),
        iops: Some(1_000.0),
        latencies: vec![clat],
        ..SideFigures::default()
    };
    let series = ImportedSeries {
        field: "fio.bw".into(),
        subject: "read".into(),
        unit: "KiB/s".into(),
        time_ms: (1..=10).map(|second| f64::from(second) * 1000.0).collect(),
        values: (1..=10)
            .map(|second| (second != 4).then_some(4_000.0 + f64::from(second)))
            .collect(),
    };
    let imported = Imported {
        importer: "fio_text".into(),
        tool: "fio-3.33".into(),
        file: "notes.txt".into(),
        lines: Some((10, 44)),
        name: "randread".into(),
        lossy: vec!["rates are rounded to three digits".into()],
        units: vec!["KB/s of fio 2.x is KiB/s".into()],
        load: Some(LoadFigures {
            read: Some(read),
            ..LoadFigures::default()
        }),
        series: vec![series],
        facts: BTreeMap::from([("bs".to_string(), "4k".to_string())]),
        ..Imported::default()
    };
    Record {
        summary: "randread: 1.00 k IOPS".into(),
        body: RecordBody::Import(imported),
        ..bare()
    }
}

/// An hour at ten samples a second of a host with many CPUs, and latencies all over.
pub fn hour_of_a_wide_host() -> Record {
    let mut record = run();
    record.sensors = sensors(36_000, 100, 24);
    let load = run_of(&mut record).load.as_mut().unwrap();
    let mut noise = Noise(17);
    let intervals = (0..3_600u64).map(|second| {
        let ios = 40_000 + (noise.next() * 9_000.0) as u64;
        let side = IntervalSide {
            ios,
            bytes: ios * 4096,
            p50_ns: 90_000,
            p99_ns: 4_000_000 + second,
        };
        Interval {
            start_ms: second * 1000,
            length_ms: 1000,
            read: side,
            write: side,
            inflight: 32,
        }
    });
    load.intervals = intervals.collect();
    let mut noise = Noise(19);
    let columns = (0..600u64).map(|column| {
        // Some 120 of 232 rows have something in them: more than any disk shows.
        let rows = (60..180u16).map(|row| (row, 1 + (noise.next() * 4_000.0) as u64));
        LatencyColumn {
            start_ms: column * 6_000,
            length_ms: 6_000,
            rows: rows.collect(),
        }
    });
    load.latency_map.read = columns.collect();
    load.latency_map.write = load.latency_map.read.clone();
    load.elapsed_ms = 3_600_000.0;
    record
}
