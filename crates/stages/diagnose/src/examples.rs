//! Facts as the documentation of a rule writes them: the blocks under Example and Stays silent, which are run as tests.
//!
//! ```text
//! fio: -ioengine=psync -iodepth=64 -rw=read -filename=/dev/sda     one section in fio's words; several lines, several
//! own: rw=read numjobs=4                                           one in iodyno's own words
//! target: device 480g | file 1g written=40% | directory free=100g | directory in_memory
//! filesystem: ext4 options=rw,compress=zstd                        layers of the path, from the top down
//! partition: sda1 aligned=no
//! loop: loop0 dio=0
//! disk: sda transport=sata rotational=0 physical_block_bytes=4096
//! interrupt: cpus=1                                                of the layer above
//! memory: 64g
//! machine: cpus=8 kernel=6.1 clocksource=hpet io_uring_disabled=2 nodes=0:0,1:0,2:1
//! limit: sda riops 1000 /db 2                                     the control group that has it, and its version
//! result: read=60000@800us write=10@1ms elapsed=60s cpu=55s        of the sections in turn; parts as 6@1ms+4@8ms
//! intervals: 1000 1000 980                                         I/Os of each second of that result
//! bins: 10 0 0 12                                                  completions of each 100 ms of that result
//! counters: sda read=10g written=0                                 what the device moved during the first stage
//! expect: wrong says "one request in flight" fix direct=1
//! ```

use super::facts::{CgroupLimit, Machine, RuleFacts, TargetFacts, TargetKind};
use super::tests::words::sections_of;
use kernel::release::Release;
use model::finding::Level;
use model::histogram::Histogram;
use model::iopath::{Interrupt, IoPath, Layer, LayerKind};
use model::job::{Arrivals, Buffers, Job, Section, Sharing};
use model::record::{Direction, Interval, IntervalSide, LoadResult, SectionResult};
use model::sample::{MetricKind, SampleSeries, SensorLog};
use model::units::{parse_bytes, parse_duration_ms};

/// One block.
#[derive(Default)]
pub struct Example {
    sections: Vec<Section>,
    target: TargetFacts,
    path: Option<IoPath>,
    machine: Machine,
    load: Vec<SectionResult>,
    sensors: Vec<SensorLog>,
    /// What it says will be found.
    pub expected: Vec<Expected>,
}

/// One `expect` line.
pub struct Expected {
    /// The level.
    pub level: Level,
    /// Words of the claim.
    pub says: Vec<String>,
    /// `option=value`, or `option` for one that goes.
    pub fixes: Vec<String>,
}

impl Example {
    /// Reads a block; panics at a line that it does not understand, with the line.
    pub fn parse(text: &str) -> Example {
        let fio: Vec<&str> = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("fio: "))
            .collect();
        let sections = if fio.is_empty() {
            Vec::new()
        } else {
            sections_of(&fio.join(" "))
        };
        let mut example = Example {
            sections,
            ..Example::default()
        };
        let mut layers = Vec::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (head, rest) = line
                .split_once(": ")
                .unwrap_or_else(|| panic!("no `name: ` in {line}"));
            let rest = rest.trim();
            match head.trim() {
                "fio" => {}
                "own" => example
                    .sections
                    .push(named(own(rest), example.sections.len())),
                "target" => example.target = target(rest),
                "filesystem" | "partition" | "loop" | "disk" | "zram" | "stacked" | "unbacked" => {
                    layers.push(layer(head, rest));
                }
                "interrupt" => interrupt(
                    layers.last_mut().expect("a layer before the interrupt"),
                    rest,
                ),
                "memory" => example.machine.memory_bytes = Some(parse_bytes(rest).unwrap()),
                "machine" => machine(&mut example.machine, rest),
                "limit" => example.machine.cgroup_limits.push(limit(rest)),
                "result" => example.result(rest),
                "intervals" => intervals(
                    &mut example.load.last_mut().expect("a result before").load,
                    rest,
                ),
                "bins" => bins(
                    &mut example.load.last_mut().expect("a result before").load,
                    rest,
                ),
                "counters" => example.counters(rest),
                "expect" => example.expected.push(expected(rest)),
                _ => panic!("unknown line: {line}"),
            }
        }
        example.path = path(layers);
        example
    }

    /// What the rules are given.
    pub fn facts(&self) -> RuleFacts<'_> {
        RuleFacts {
            sections: &self.sections,
            target: self.target.clone(),
            path: self.path.as_ref(),
            machine: self.machine.clone(),
            load: &self.load,
            sensors: &self.sensors,
        }
    }

    /// The same with other sections.
    pub fn with_sections(self, sections: Vec<Section>) -> Example {
        Example { sections, ..self }
    }

    /// The same jobs made by fio with the same engines, as `--engine fio` has them.
    pub fn behind_fio(mut self) -> Example {
        let jobs = self.sections.iter_mut().map(|section| &mut section.job);
        for job in jobs.chain(self.load.iter_mut().map(|result| &mut result.job)) {
            let inner = std::mem::replace(&mut job.ioengine, "fio".into());
            job.engine_options.insert("ioengine".into(), inner);
        }
        self
    }

    fn result(&mut self, rest: &str) {
        let section = &self.sections[self.load.len()];
        let mut load = LoadResult::default();
        for (name, value) in pairs(rest) {
            match name {
                "read" => load.read = direction(value, section.job.sizes().read.max()),
                "write" => load.write = direction(value, section.job.sizes().write.max()),
                "trim" => load.trim = direction(value, section.job.sizes().trim.max()),
                "elapsed" => load.elapsed_ms = parse_duration_ms(value).unwrap() as f64,
                "cpu" => load.cpu_system_ms = parse_duration_ms(value).unwrap() as f64,
                "errors" => load.errors = vec![(5, value.parse().unwrap())],
                _ => panic!("unknown in a result: {name}"),
            }
        }
        let stage = self
            .load
            .last()
            .map_or(0, |last| last.stage + u32::from(section.stonewall));
        let ended = |last: &SectionResult| last.start_ms + last.load.elapsed_ms as u64;
        let start_ms = match (section.stonewall, self.load.last()) {
            (true, Some(last)) => ended(last),
            _ => 0,
        };
        let (name, job) = (section.name.clone(), section.job.clone());
        self.load.push(SectionResult {
            elsewhere: String::new(),
            name,
            stage,
            start_ms,
            job,
            load,
        });
    }

    fn counters(&mut self, rest: &str) {
        let (device, rest) = rest.split_once(' ').expect("a device and its bytes");
        let end_ns = self.load.first().expect("a result before").load.elapsed_ms * 1e6;
        if self.sensors.is_empty() {
            self.sensors.push(SensorLog {
                no_data: None,
                ..SensorLog::absent("diskstats", "")
            });
            self.sensors[0].time_ns = vec![0, end_ns as i64];
        }
        for (name, value) in pairs(rest) {
            let metric = if name == "read" {
                "read_sectors"
            } else {
                "write_sectors"
            };
            self.sensors[0].series.push(SampleSeries {
                name: format!("disk.{device}.{metric}"),
                unit: "sectors".into(),
                kind: MetricKind::Counter,
                values: vec![Some(0.0), Some(parse_bytes(value).unwrap() as f64 / 512.0)],
            });
        }
    }
}

pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split_whitespace()
        .map(|word| word.split_once('=').unwrap_or((word, "")))
}

fn named(section: Section, index: usize) -> Section {
    let name = if section.name.is_empty() {
        format!("job{}", index + 1)
    } else {
        section.name
    };
    Section { name, ..section }
}

/// A job in iodyno's own words: its own defaults, and nothing that was given.
fn own(words: &str) -> Section {
    let mut job = Job::default();
    for (name, value) in pairs(words) {
        match name {
            "rw" => job.rw = model::job::Rw::from_word(value).unwrap(),
            "ioengine" => job.ioengine = value.into(),
            "iodepth" => job.iodepth = value.parse().unwrap(),
            "numjobs" => job.numjobs = value.parse().unwrap(),
            "direct" => job.direct = value == "1",
            "bs" => job.bs = parse_bytes(value).unwrap(),
            "size" => job.size = parse_bytes(value).unwrap(),
            "runtime" => job.runtime_ms = parse_duration_ms(value).unwrap(),
            "rate_iops" => {
                job.rates =
                    model::job::PerDirection::all(model::job::Rate::Iops(value.parse().unwrap()));
            }
            "open_loop" => job.open_loop = true,
            "poisson" => job.arrivals = Arrivals::Poisson,
            "zeros" => job.buffers = Buffers::Zeros,
            "end_fsync" => job.end_fsync = true,
            "cold_passes" => job.cold_passes = true,
            "own_files" => job.files.sharing = Sharing::Own,
            "randrepeat" => job.randrepeat = value == "1",
            "cpus_allowed" => {
                job.cpus_allowed = value.split(',').map(|cpu| cpu.parse().unwrap()).collect()
            }
            _ => panic!("unknown in own words: {name}"),
        }
    }
    Section {
        name: String::new(),
        ..Section::of(job)
    }
}

fn target(text: &str) -> TargetFacts {
    let mut words = text.split_whitespace();
    let kind = match words.next() {
        Some("device") => TargetKind::Device,
        Some("file") => TargetKind::File,
        Some("directory") => TargetKind::Directory,
        other => panic!("unknown kind of target: {other:?}"),
    };
    let mut target = TargetFacts {
        name: "/target".into(),
        kind,
        ..TargetFacts::default()
    };
    for word in words {
        match word.split_once('=') {
            Some(("free", bytes)) => target.free_bytes = Some(parse_bytes(bytes).unwrap()),
            Some(("written", share)) => {
                target.written_share =
                    Some(share.trim_end_matches('%').parse::<f64>().unwrap() / 100.0);
            }
            None if word == "in_memory" => target.is_in_memory = true,
            None => target.bytes = Some(parse_bytes(word).unwrap()),
            _ => panic!("unknown of a target: {word}"),
        }
    }
    target
}

fn layer(head: &str, rest: &str) -> Layer {
    let kind = match head {
        "filesystem" => LayerKind::FileSystem,
        "unbacked" => LayerKind::Unbacked,
        "partition" => LayerKind::Partition,
        "loop" => LayerKind::Loop,
        "zram" => LayerKind::Zram,
        "stacked" => LayerKind::Stacked,
        _ => LayerKind::Disk,
    };
    let (name, facts) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut layer = Layer::new(kind, name);
    for (fact, value) in pairs(facts) {
        layer.facts.insert(fact.into(), value.replace('_', " "));
    }
    if matches!(kind, LayerKind::FileSystem | LayerKind::Unbacked) {
        layer.facts.insert("fstype".into(), name.into());
        layer.name = "/".into();
    }
    layer
}

fn interrupt(layer: &mut Layer, rest: &str) {
    let cpus = rest
        .strip_prefix("cpus=")
        .expect("interrupt: cpus=LIST")
        .to_string();
    layer.interrupts.push(Interrupt {
        irq: 100,
        name: "disk".into(),
        allowed_cpus: Some(cpus.clone()),
        effective_cpus: Some(cpus),
        counts: Vec::new(),
    });
}

fn path(layers: Vec<Layer>) -> Option<IoPath> {
    if layers.is_empty() {
        return None;
    }
    let mut root = Layer::new(LayerKind::Target, "/target");
    let nested = layers
        .into_iter()
        .rev()
        .fold(None, |below: Option<Layer>, mut layer| {
            layer.below.extend(below);
            Some(layer)
        });
    root.below.extend(nested);
    Some(IoPath::new("/target", root))
}

fn machine(machine: &mut Machine, text: &str) {
    for (name, value) in pairs(text) {
        let number = |text: &str| text.parse::<u32>().unwrap();
        match name {
            "cpus" => machine.cpus = Some(number(value)),
            "kernel" => machine.kernel = Release::parse(value),
            "clocksource" => machine.clocksource = Some(value.into()),
            "io_uring_disabled" => machine.io_uring_disabled = Some(value.parse().unwrap()),
            "nodes" => {
                let pair = |text: &str| {
                    text.split_once(':')
                        .map(|(cpu, node)| (number(cpu), number(node)))
                };
                machine.nodes = value.split(',').filter_map(pair).collect();
            }
            _ => panic!("unknown of a machine: {name}"),
        }
    }
}

fn limit(text: &str) -> CgroupLimit {
    let words: Vec<&str> = text.split_whitespace().collect();
    let limit = parse_bytes(words[2]).unwrap();
    CgroupLimit {
        device: words[0].into(),
        what: words[1].into(),
        limit,
        group: words.get(3).copied().unwrap_or_default().into(),
        version: words.get(4).map_or(0, |version| version.parse().unwrap()),
    }
}

/// `600@1ms+400@8ms`: how many took how long.
pub(super) fn direction(text: &str, bs: u64) -> Direction {
    let mut latency = Histogram::new();
    for part in text.split('+') {
        let (count, time) = part
            .split_once('@')
            .unwrap_or_else(|| panic!("no count@time in {part}"));
        latency.add_count(
            model::histogram::bucket_of(time_ns(time)),
            count.parse().unwrap(),
        );
    }
    Direction {
        ios: latency.total(),
        bytes: latency.total() * bs,
        latency,
    }
}

pub(super) fn time_ns(text: &str) -> u64 {
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).unwrap());
    let scale = match unit {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => panic!("unknown unit: {text}"),
    };
    (number.parse::<f64>().unwrap() * scale) as u64
}

fn intervals(load: &mut LoadResult, text: &str) {
    let writes = load.write.ios > 0;
    for (index, ios) in text.split_whitespace().enumerate() {
        let side = IntervalSide {
            ios: ios.parse().unwrap(),
            ..IntervalSide::default()
        };
        let idle = IntervalSide::default();
        let (read, write) = if writes { (idle, side) } else { (side, idle) };
        load.intervals.push(Interval {
            start_ms: index as u64 * 1000,
            length_ms: 1000,
            read,
            write,
            inflight: 1,
        });
    }
}

fn bins(load: &mut LoadResult, text: &str) {
    load.bin_ms = 100;
    load.bins = text
        .split_whitespace()
        .map(|count| count.parse().unwrap())
        .collect();
}

fn expected(text: &str) -> Expected {
    let (level, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    let level = match level {
        "note" => Level::Note,
        "warning" => Level::Warning,
        "wrong" => Level::Wrong,
        _ => panic!("unknown level: {level}"),
    };
    let mut expected = Expected {
        level,
        says: Vec::new(),
        fixes: Vec::new(),
    };
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("says \"") {
            let (words, after) = after.split_once('"').expect("a closing quote");
            expected.says.push(words.into());
            rest = after.trim_start();
        } else if let Some(after) = rest.strip_prefix("fix ") {
            let (fix, after) = after.split_once(' ').unwrap_or((after, ""));
            expected.fixes.push(fix.into());
            rest = after.trim_start();
        } else {
            panic!("unknown in an expectation: {rest}");
        }
    }
    expected
}
