//! Scenes as the documentation of a cause writes them: the blocks under Example and Stays silent, which are run as tests.
//!
//! ```text
//! machine: kernel=6.1.0-18-amd64 cpus_online=0-7 memory_bytes=64g     facts of the machine
//! setting: vm.dirty_ratio = 20                      of the layer (or machine) above; ABSENT and EINVAL are words too
//! default: vm.dirty_ratio = 20 because one of a kind
//! owner: vm.dirty_ratio sysctl_file /etc/sysctl.d/9-db.conf:3 wants 20
//! filesystem: ext4 mount=/srv options=rw,relatime   layers from the top down; `_` in a fact's value is a blank, `__` is `_`
//! stacked: dm-0 stack=LVM
//! disk: sda transport=sata rotational=0
//! disk: +sdb transport=sata                         a sibling of the layer above: another member
//! cluster: ceph health=HEALTH__OK                   then `pool: vms …` and `osd: osd.0 …`, of Ceph
//! queues: 4 tags=256                                hardware queues of the layer above
//! interrupt: nvme0q1 allowed=0-3 effective=2 counts=0,0,100,0
//! log: nvme nvme0: I/O 12 QID 3 timeout, aborting
//! promise: aws gp3 iops=3000 bytes_per_s=125m burst_iops=… instance_iops=…
//! probe: latency read=500@200us elapsed=1s          role; parts as 6@1ms+4@8ms; depth=, bs=, numjobs=, cpu= …
//! bins: 10 0 0 12                                   completions of each 100 ms of that load
//! field: disk.await_read_ms sda 3.2                 over that load; before any probe: over an idle second
//! field: psi.io.some_percent 12                     a field without a subject
//! span: sda read D2C 200us                          time by layer over that load; `500@200us` counts
//! tasks: run=200ms delay=500ms throttled=0ms nice=19 fetched=8m   what its thread did of that load's time; the rest it slept
//! tasks: run=200ms worker_run=300ms worker_delay=700ms            what the kernel's workers did for it meanwhile, too
//! sleep: 30 160 jbd2_log_wait_commit do_fsync       seen with I/O on the device, and without; the innermost function first
//! user: stress 1.9                                  a process, and the CPUs that it used
//! expect: warning says "words of the claim" about sda
//! ```

use super::examples::{direction, pairs, time_ns};
use super::scene::Scene;
use model::change::Attribute;
use model::check::{Probe, Promise, Role};
use model::finding::Level;
use model::histogram::{Histogram, bucket_of};
use model::iopath::{
    HardwareQueue, Interrupt, IoPath, KernelDefault, Layer, LayerKind, LogLine, Owner, Setting,
};
use model::job::{Job, Rw};
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span, SpanTimes};
use model::record::LoadResult;
use model::time_account::{CpuUser, SleepSight, TaskTimes};
use model::units::{parse_bytes, parse_duration_ms};

/// One block.
pub struct SceneExample {
    path: IoPath,
    probes: Vec<Probe>,
    promise: Option<Promise>,
    /// What it says will be found.
    pub expected: Vec<Expected>,
}

/// One `expect` line.
pub struct Expected {
    /// The level.
    pub level: Level,
    /// Words of the claim.
    pub says: Vec<String>,
    /// The device or mount that it is about, where the line names one.
    pub about: Option<String>,
}

/// A layer with its place: how many it is a member beside.
struct Placed {
    layer: Layer,
    is_sibling: bool,
}

impl SceneExample {
    /// Reads a block; panics at a line that it does not understand, with the line.
    pub fn parse(text: &str) -> SceneExample {
        let mut example = SceneExample {
            path: IoPath::new("/target", root(Vec::new())),
            probes: Vec::new(),
            promise: None,
            expected: Vec::new(),
        };
        let mut machine = Layer::new(LayerKind::Machine, "machine");
        let (mut layers, mut is_machine): (Vec<Placed>, bool) = (Vec::new(), true);
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let (head, rest) = line
                .split_once(": ")
                .unwrap_or_else(|| panic!("no `name: ` in {line}"));
            let (head, rest) = (head.trim(), rest.trim());
            if let Some(kind) = kind_of(head) {
                layers.push(layer(kind, rest));
                is_machine = false;
                continue;
            }
            let current = match layers.last_mut() {
                Some(placed) if !is_machine => &mut placed.layer,
                _ => &mut machine,
            };
            match head {
                "machine" => {
                    is_machine = true;
                    facts(&mut machine, rest);
                }
                "setting" => current.settings.push(setting(rest)),
                "default" => default(current, rest),
                "owner" => owner(current, rest),
                "queues" => queues(current, rest),
                "interrupt" => current.interrupts.push(interrupt(rest)),
                "log" => example.path.log.push(LogLine {
                    uptime_s: 1.0,
                    text: rest.into(),
                }),
                "promise" => example.promise = Some(promise(rest)),
                "probe" => example.probes.push(probe(rest)),
                "bins" => bins(&mut example.last(line).load, rest),
                "field" => field(example.last_or_idle(), rest),
                "span" => span(example.last(line), rest),
                "tasks" => tasks(example.last(line), rest),
                "sleep" => sleep(example.last(line), rest),
                "user" => user(example.last(line), rest),
                "expect" => example.expected.push(expected(rest)),
                _ => panic!("unknown line: {line}"),
            }
        }
        example.path.root = root(layers);
        example.path.machine = Some(machine);
        example
    }

    /// What the causes are given.
    pub fn scene(&self) -> Scene<'_> {
        Scene {
            path: &self.path,
            probes: &self.probes,
            promise: self.promise.as_ref(),
        }
    }

    fn last(&mut self, line: &str) -> &mut Probe {
        self.probes
            .last_mut()
            .unwrap_or_else(|| panic!("no probe before {line}"))
    }

    fn last_or_idle(&mut self) -> &mut Probe {
        if self.probes.is_empty() {
            self.probes.push(empty(Role::Idle));
        }
        self.probes.last_mut().expect("there is one now")
    }
}

fn kind_of(head: &str) -> Option<LayerKind> {
    Some(match head {
        "filesystem" => LayerKind::FileSystem,
        "unbacked" => LayerKind::Unbacked,
        "partition" => LayerKind::Partition,
        "loop" => LayerKind::Loop,
        "zram" => LayerKind::Zram,
        "stacked" => LayerKind::Stacked,
        "disk" => LayerKind::Disk,
        "cluster" => LayerKind::Cluster,
        "pool" => LayerKind::Pool,
        "osd" => LayerKind::Osd,
        _ => return None,
    })
}

fn layer(kind: LayerKind, rest: &str) -> Placed {
    let (name, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let is_sibling = name.starts_with('+');
    let name = name.trim_start_matches('+');
    let mut layer = Layer::new(kind, name);
    facts(&mut layer, words);
    if matches!(kind, LayerKind::FileSystem | LayerKind::Unbacked) {
        layer.facts.insert("fstype".into(), name.into());
        layer.name = layer
            .facts
            .remove("mount")
            .unwrap_or_else(|| "/target".into());
    }
    Placed { layer, is_sibling }
}

/// Sizes may be written short: `memory_bytes=64g`.
fn facts(layer: &mut Layer, words: &str) {
    for (name, value) in pairs(words) {
        let value = match name.ends_with("_bytes") {
            true => parse_bytes(value).unwrap().to_string(),
            false => value
                .replace("__", "\u{1}")
                .replace('_', " ")
                .replace('\u{1}', "_"),
        };
        layer.facts.insert(name.into(), value);
    }
}

/// The layers below each other; members beside each other below the layer above the first of them.
fn root(layers: Vec<Placed>) -> Layer {
    let mut root = Layer::new(LayerKind::Target, "/target");
    let mut depth: usize = 0;
    for Placed { layer, is_sibling } in layers {
        depth = if is_sibling { depth.max(1) - 1 } else { depth };
        let parent = (0..depth).fold(&mut root, |parent, _| {
            parent.below.last_mut().expect("a layer above")
        });
        parent.below.push(layer);
        depth += 1;
    }
    root
}

fn value(text: &str) -> Attribute {
    match text {
        "ABSENT" => Attribute::Absent,
        "EINVAL" => Attribute::Refused(22),
        text => Attribute::Value(text.into()),
    }
}

fn setting(rest: &str) -> Setting {
    let (name, text) = rest
        .split_once(" = ")
        .unwrap_or_else(|| panic!("no ` = ` in setting {rest}"));
    Setting::new(name, format!("/sys/{name}"), value(text.trim()), true)
}

fn named<'a>(layer: &'a mut Layer, name: &str) -> &'a mut Setting {
    layer
        .settings
        .iter_mut()
        .find(|one| one.name == name)
        .unwrap_or_else(|| panic!("no setting {name} above"))
}

fn default(layer: &mut Layer, rest: &str) {
    let (name, text) = rest.split_once(" = ").expect("default: NAME = VALUE");
    let (text, because) = text.split_once(" because ").unwrap_or((text, ""));
    named(layer, name).default = Some(KernelDefault {
        value: text.into(),
        because: because.into(),
    });
}

fn owner(layer: &mut Layer, rest: &str) {
    let (head, wants) = rest
        .split_once(" wants ")
        .map_or((rest, None), |(head, wants)| (head, Some(wants)));
    let mut words = head.splitn(3, ' ');
    let mut word = || {
        words
            .next()
            .expect("owner: SETTING KIND PLACE [wants VALUE]")
            .to_string()
    };
    let (name, kind, place) = (word(), word(), word());
    let owner = Owner {
        kind,
        place,
        wants: wants.map(Into::into),
        acts: "at boot".into(),
    };
    named(layer, &name).owners.push(owner);
}

fn queues(layer: &mut Layer, rest: &str) {
    let (count, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let tags = pairs(words)
        .find(|(name, _)| *name == "tags")
        .map(|(_, tags)| tags.parse().unwrap());
    let queue = |index: u32| HardwareQueue {
        index,
        cpu_list: index.to_string(),
        nr_tags: tags,
    };
    layer.queues = (0..count.parse().unwrap()).map(queue).collect();
}

fn interrupt(rest: &str) -> Interrupt {
    let (name, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut line = Interrupt {
        irq: 100,
        name: name.into(),
        allowed_cpus: None,
        effective_cpus: None,
        counts: Vec::new(),
    };
    for (word, value) in pairs(words) {
        match word {
            "irq" => line.irq = value.parse().unwrap(),
            "allowed" => line.allowed_cpus = Some(value.into()),
            "effective" => line.effective_cpus = Some(value.into()),
            "counts" => {
                line.counts = value
                    .split(',')
                    .map(|count| count.parse().unwrap())
                    .collect()
            }
            _ => panic!("unknown of an interrupt: {word}"),
        }
    }
    line
}

fn promise(rest: &str) -> Promise {
    let mut promise = Promise {
        source: "an example".into(),
        ..Promise::default()
    };
    let (mut names, number) = (Vec::new(), |text: &str| {
        Some(parse_bytes(text).unwrap() as f64)
    });
    for (name, value) in pairs(rest) {
        match name {
            "iops" => promise.iops = value.parse().ok(),
            "bytes_per_s" => promise.bytes_per_s = number(value),
            "burst_iops" => promise.burst_iops = value.parse().ok(),
            "burst_bytes_per_s" => promise.burst_bytes_per_s = number(value),
            "burst_s" => promise.burst_s = value.parse().ok(),
            "io_unit_bytes" => promise.io_unit_bytes = number(value).map(|bytes| bytes as u64),
            "instance_iops" => promise.instance_iops = value.parse().ok(),
            "instance_bytes_per_s" => promise.instance_bytes_per_s = number(value),
            word => names.push(word.to_string()),
        }
    }
    promise.kind = names.pop().unwrap_or_default();
    promise.provider = names.pop().unwrap_or_default();
    promise
}

fn empty(role: Role) -> Probe {
    let job = Job {
        rw: rw_of(role),
        ..Job::default()
    };
    Probe {
        load: LoadResult {
            elapsed_ms: 1e3,
            ..LoadResult::default()
        },
        ..Probe::of(role, job)
    }
}

fn rw_of(role: Role) -> Rw {
    match role {
        Role::Idle => Job::default().rw,
        Role::Latency | Role::Depth | Role::BufferedRandom => Rw::Randread,
        Role::Stream | Role::Streams | Role::BufferedStream => Rw::Read,
        Role::Write => Rw::Randwrite,
        Role::WriteStream | Role::BufferedWrite | Role::Fsync => Rw::Write,
        Role::Mixed => Rw::Randrw,
    }
}

fn probe(rest: &str) -> Probe {
    let (role, words) = rest.split_once(' ').unwrap_or((rest, ""));
    let role =
        serde_json::from_value(role.into()).unwrap_or_else(|_| panic!("no role is called {role}"));
    let mut probe = empty(role);
    probe.job.bs = pairs(words)
        .find(|(name, _)| *name == "bs")
        .map_or(4096, |(_, bytes)| parse_bytes(bytes).unwrap());
    for (name, value) in pairs(words) {
        let load = &mut probe.load;
        match name {
            "read" => load.read = direction(value, probe.job.bs),
            "write" => load.write = direction(value, probe.job.bs),
            "sync" => load.sync = direction(value, 0),
            "elapsed" => load.elapsed_ms = parse_duration_ms(value).unwrap() as f64,
            "cpu" => load.cpu_system_ms = parse_duration_ms(value).unwrap() as f64,
            "depth" => {
                (load.depth, probe.job.iodepth) = (value.parse().unwrap(), value.parse().unwrap())
            }
            "numjobs" => probe.job.numjobs = value.parse().unwrap(),
            "direct" => probe.job.direct = value == "1",
            "bs" => {}
            _ => panic!("unknown of a probe: {name}"),
        }
    }
    probe
}

fn bins(load: &mut LoadResult, rest: &str) {
    load.bin_ms = 100;
    load.bins = rest
        .split_whitespace()
        .map(|count| count.parse().unwrap())
        .collect();
}

fn field(probe: &mut Probe, rest: &str) {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match words[..] {
        // A subject can have several words (`nvme0 Composite`), and none where there is one of its kind.
        [id, ref subject @ .., value] => {
            probe
                .frame
                .push(id.into(), subject.join(" ").into(), value.parse().unwrap());
        }
        _ => panic!("not a field: {rest}"),
    }
}

fn span(probe: &mut Probe, rest: &str) {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let [device, side, span, time] = words[..] else {
        panic!("span: DEVICE SIDE SPAN TIME, not {rest}")
    };
    let side = *LayerSide::ALL
        .iter()
        .find(|one| one.name() == side)
        .expect("a side");
    let span = *Span::ALL
        .iter()
        .find(|one| one.name() == span)
        .expect("a span");
    let (count, time) = time.split_once('@').unwrap_or(("100", time));
    let mut times = Histogram::new();
    times.add_count(bucket_of(time_ns(time)), count.parse().unwrap());
    let layers = probe.layers.get_or_insert(LayerTimes {
        source: "eBPF full".into(),
        devices: Vec::new(),
        outside: Vec::new(),
    });
    if layers.device(device).is_none() {
        let (device, devno) = (device.to_string(), "8:0".to_string());
        layers.devices.push(DeviceLayers {
            device,
            devno,
            spans: Vec::new(),
            counters: Default::default(),
        });
    }
    let found = layers
        .devices
        .iter_mut()
        .find(|one| one.device == device)
        .expect("just added");
    found.spans.push(SpanTimes { side, span, times });
}

fn tasks(probe: &mut Probe, rest: &str) {
    let looks = 200;
    let mut times = TaskTimes {
        threads: 1,
        alive_ms: probe.load.elapsed_ms,
        looks,
        cpus: 2,
        ..TaskTimes::default()
    };
    for (name, value) in pairs(rest) {
        let ms = || parse_duration_ms(value).unwrap() as f64;
        match name {
            "threads" => {
                times.threads = value.parse().unwrap();
                times.alive_ms *= f64::from(times.threads);
            }
            "run" => times.run_ms = ms(),
            "delay" => times.delay_ms = ms(),
            "worker_run" => times.worker_run_ms = ms(),
            "worker_delay" => times.worker_delay_ms = ms(),
            "throttled" => times.throttled_ms = Some(ms()),
            "fetched" => times.fetched_bytes = parse_bytes(value).ok(),
            "nice" => times.nice = value.parse().unwrap(),
            _ => panic!("unknown of tasks: {name}"),
        }
    }
    let held_ms = times.throttled_ms.unwrap_or(0.0);
    let slept = 1.0 - (times.run_ms + times.delay_ms + held_ms) / times.alive_ms;
    times.asleep = (slept.max(0.0) * looks as f64) as u64;
    probe.load.cpu_system_ms = times.run_ms;
    probe.tasks = Some(times);
}

fn sleep(probe: &mut Probe, rest: &str) {
    let mut words = rest.split_whitespace();
    let mut count = || words.next().unwrap().parse().unwrap();
    let (busy, idle) = (count(), count());
    let functions = words.map(str::to_string).collect();
    let tasks = probe.tasks.as_mut().expect("`tasks:` before it");
    tasks.sleeps.push(SleepSight {
        functions,
        busy,
        idle,
    });
}

fn user(probe: &mut Probe, rest: &str) {
    let (name, cpus) = rest.split_once(' ').expect("user: NAME CPUS");
    let tasks = probe.tasks.as_mut().expect("`tasks:` before it");
    tasks.cpu_users.push(CpuUser {
        name: name.into(),
        pid: 4242,
        cpus: cpus.parse().unwrap(),
    });
}

fn expected(rest: &str) -> Expected {
    let (level, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let level = [Level::Note, Level::Warning, Level::Wrong]
        .into_iter()
        .find(|one| one.word() == level);
    let mut expected = Expected {
        level: level.expect("note, warning or wrong"),
        says: Vec::new(),
        about: None,
    };
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("says \"") {
            let (words, after) = after.split_once('"').expect("a closing quote");
            expected.says.push(words.into());
            rest = after.trim_start();
        } else if let Some(after) = rest.strip_prefix("about ") {
            let (about, after) = after.split_once(' ').unwrap_or((after, ""));
            expected.about = Some(about.into());
            rest = after.trim_start();
        } else {
            panic!("unknown in an expectation: {rest}");
        }
    }
    expected
}
