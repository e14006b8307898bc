//! # Control groups
//!
//! The I/O, the pressure and the dirty memory of control groups: which service or container a disk works for.
//!
//! ## What it reads
//! Version 2: `io.stat`, `io.pressure`, `io.max`, `memory.current`, `memory.max`, `memory.stat`
//! (Documentation/admin-guide/cgroup-v2.rst). Version 1: `blkio.throttle.io_service_bytes` and `io_serviced`, those of
//! the group with everything below it where the kernel has them (`_recursive`), else those of bfq or cfq; the limits in
//! `blkio.throttle.*_device`; `memory.usage_in_bytes`, `memory.stat` (Documentation/admin-guide/cgroup-v1). Where both
//! versions are mounted each file is taken from where it is. Groups: the one iodyno runs in, those named, the root, and
//! of the two levels below it up to 64 at a time that have done I/O; new ones are looked for every 10 s. The series of groups
//! that are gone stay, so there are at most 4,096.
//!
//! ## Metrics
//! Of the group's path (`root` for the root): `cgroup.<path>.read_bytes`, `read_ios`, `write_bytes`, `write_ios`,
//! `discard_bytes`, `discard_ios`, added up over the disks at the bottom: stacked devices would count the same I/O again.
//! `io_some_us` and `io_full_us` (Linux 4.20), `memory`. Of the own group and named ones also `dirty`, `writeback`,
//! `memory_limit` and the limits of I/O that are set, of several disks the lowest. With io.cost or io.latency on, what
//! they tell: `cost_usage_us`, `cost_wait_us`, `latency_us`. A series comes when there is something to tell.
//!
//! ## Cost
//! Every second, three short reads a group; the kernel adds up its counters of every CPU for them. `memory.stat` is dear
//! and read of few groups only for that reason.
//!
//! ## When absent
//! No control groups are mounted, or without the controllers for I/O and memory; in a container only its own may be seen.
//! Since Linux 6.10 version 1 counts a disk from the first limit on that a group has on it: before, bytes and I/Os are
//! absent, and a note names the disk.
//!
//! ## Example
//! `cgroup.system.slice/backup.service.read_bytes` grows by 180 MB in a second while the database waits: look there.

mod group;
mod hierarchy;
mod parts;

use crate::declare::{field_of, metric};
use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use group::SampledGroup;
use hierarchy::Hierarchies;
use host::{Host, clock};
use model::field::{Field, Formula};
use model::sample::MetricKind::{Counter, Gauge};
use parts::Disks;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "cgroup",
    since: "0.1.0",
    every_ms: 1000,
    reads: &[
        "/proc/self/cgroup",
        "/proc/self/mountinfo",
        "/sys/fs/cgroup/*",
    ],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const BUFFERED: &str = "buffered writes under version 1, or on file systems without writeback accounting: those \
                        count for the root";
const WHOSE: &str = "which disk: it is the sum of all";

/// In the order of the places in [`parts`].
static METRICS: &[Metric] = &[
    metric(
        "cgroup.{}.read_bytes",
        "bytes",
        Counter,
        "bytes read by the group and those below it",
        WHOSE,
    ),
    metric(
        "cgroup.{}.write_bytes",
        "bytes",
        Counter,
        "bytes written for the group and those below it",
        BUFFERED,
    ),
    metric(
        "cgroup.{}.read_ios",
        "ios",
        Counter,
        "reads sent to disks",
        "merges: I/Os are counted before them",
    ),
    metric(
        "cgroup.{}.write_ios",
        "ios",
        Counter,
        "writes sent to disks",
        BUFFERED,
    ),
    metric(
        "cgroup.{}.discard_bytes",
        "bytes",
        Counter,
        "bytes discarded",
        "",
    ),
    metric(
        "cgroup.{}.discard_ios",
        "ios",
        Counter,
        "discards sent to disks",
        "",
    ),
    metric(
        "cgroup.{}.cost_usage_us",
        "us",
        Counter,
        "device time that io.cost charged to the group",
        "real device time: it comes from a model of the device",
    ),
    metric(
        "cgroup.{}.cost_wait_us",
        "us",
        Counter,
        "time the group's I/O was held back by io.cost",
        "",
    ),
    metric(
        "cgroup.{}.latency_us",
        "us",
        Gauge,
        "mean latency that io.latency sees, of the slowest disk",
        "",
    ),
    metric(
        "cgroup.{}.io_some_us",
        "us",
        Counter,
        "time during which some task of the group waited for I/O",
        "for which disk, or whether a limit of the group was the reason",
    ),
    metric(
        "cgroup.{}.io_full_us",
        "us",
        Counter,
        "time during which no task of the group could go on",
        "for which disk, or whether a limit of the group was the reason",
    ),
    metric(
        "cgroup.{}.memory",
        "bytes",
        Gauge,
        "memory charged to the group, page cache included",
        "how much of it is needed: cache can be had back",
    ),
    metric(
        "cgroup.{}.dirty",
        "bytes",
        Gauge,
        "dirty pages charged to the group",
        "who dirtied them: a page belongs to the group that touched it first",
    ),
    metric(
        "cgroup.{}.writeback",
        "bytes",
        Gauge,
        "pages of the group that are being written",
        "",
    ),
    metric(
        "cgroup.{}.memory_limit",
        "bytes",
        Gauge,
        "the most memory it may have, where that is limited",
        "limits of the groups above it",
    ),
    metric(
        "cgroup.{}.read_bytes_limit",
        "bytes/s",
        Gauge,
        "the most it may read, where that is limited",
        "limits of the groups above it",
    ),
    metric(
        "cgroup.{}.write_bytes_limit",
        "bytes/s",
        Gauge,
        "the most it may write, where that is limited",
        "limits of the groups above it",
    ),
    metric(
        "cgroup.{}.read_ios_limit",
        "ios/s",
        Gauge,
        "the most reads it may send, where that is limited",
        "limits of the groups above it",
    ),
    metric(
        "cgroup.{}.write_ios_limit",
        "ios/s",
        Gauge,
        "the most writes it may send, where that is limited",
        "limits of the groups above it",
    ),
];

const PERCENT_OF_US: f64 = 100.0 / 1e6;

/// A field whose meaning is that of its metric.
const fn field(name: &'static str, unit: &'static str, place: usize, formula: Formula) -> Field {
    field_of(&METRICS[place], name, unit, formula)
}

static FIELDS: &[Field] = &[
    field(
        "cgroup.{}.read_bytes_per_s",
        "bytes/s",
        0,
        Formula::Rate(&["cgroup.{}.read_bytes"], 1.0),
    ),
    field(
        "cgroup.{}.write_bytes_per_s",
        "bytes/s",
        1,
        Formula::Rate(&["cgroup.{}.write_bytes"], 1.0),
    ),
    field(
        "cgroup.{}.reads_per_s",
        "/s",
        2,
        Formula::Rate(&["cgroup.{}.read_ios"], 1.0),
    ),
    field(
        "cgroup.{}.writes_per_s",
        "/s",
        3,
        Formula::Rate(&["cgroup.{}.write_ios"], 1.0),
    ),
    field(
        "cgroup.{}.discard_bytes_per_s",
        "bytes/s",
        4,
        Formula::Rate(&["cgroup.{}.discard_bytes"], 1.0),
    ),
    field(
        "cgroup.{}.discards_per_s",
        "/s",
        5,
        Formula::Rate(&["cgroup.{}.discard_ios"], 1.0),
    ),
    field(
        "cgroup.{}.cost_percent",
        "percent",
        6,
        Formula::Rate(&["cgroup.{}.cost_usage_us"], PERCENT_OF_US),
    ),
    field(
        "cgroup.{}.cost_wait_percent",
        "percent",
        7,
        Formula::Rate(&["cgroup.{}.cost_wait_us"], PERCENT_OF_US),
    ),
    field(
        "cgroup.{}.latency_ms",
        "ms",
        8,
        Formula::Last(&["cgroup.{}.latency_us"], 1e-3),
    ),
    field(
        "cgroup.{}.io_some_percent",
        "percent",
        9,
        Formula::Rate(&["cgroup.{}.io_some_us"], PERCENT_OF_US),
    ),
    field(
        "cgroup.{}.io_full_percent",
        "percent",
        10,
        Formula::Rate(&["cgroup.{}.io_full_us"], PERCENT_OF_US),
    ),
    field(
        "cgroup.{}.memory_bytes",
        "bytes",
        11,
        Formula::Last(&["cgroup.{}.memory"], 1.0),
    ),
    field(
        "cgroup.{}.dirty_bytes",
        "bytes",
        12,
        Formula::Last(&["cgroup.{}.dirty"], 1.0),
    ),
    field(
        "cgroup.{}.writeback_bytes",
        "bytes",
        13,
        Formula::Last(&["cgroup.{}.writeback"], 1.0),
    ),
    field(
        "cgroup.{}.memory_limit_bytes",
        "bytes",
        14,
        Formula::Last(&["cgroup.{}.memory_limit"], 1.0),
    ),
    field(
        "cgroup.{}.read_limit_bytes_per_s",
        "bytes/s",
        15,
        Formula::Last(&["cgroup.{}.read_bytes_limit"], 1.0),
    ),
    field(
        "cgroup.{}.write_limit_bytes_per_s",
        "bytes/s",
        16,
        Formula::Last(&["cgroup.{}.write_bytes_limit"], 1.0),
    ),
    field(
        "cgroup.{}.read_limit_per_s",
        "/s",
        17,
        Formula::Last(&["cgroup.{}.read_ios_limit"], 1.0),
    ),
    field(
        "cgroup.{}.write_limit_per_s",
        "/s",
        18,
        Formula::Last(&["cgroup.{}.write_ios_limit"], 1.0),
    ),
];

/// Groups that nobody named and that are there, beside the root.
const FOUND_MAX: usize = 64;
/// Series of all groups that ever were, since series never go away.
const COLUMNS_MAX: usize = 4096;
/// New groups that are looked at in one search.
const LOOKED_AT_MAX: usize = 256;
const SEARCH_NS: u64 = 10_000_000_000;

struct Cgroups {
    host: Host,
    trees: Hierarchies,
    disks: Disks,
    groups: Vec<SampledGroup>,
    columns: Vec<SensorColumn>,
    searched_ns: u64,
    is_crowded: bool,
    is_full: bool,
}

fn open(host: &Host, scope: &Scope) -> Opened {
    let trees = Hierarchies::find(host);
    if trees.is_empty() {
        return Err(
            "no control groups are mounted here, or none with counters of I/O or memory".into(),
        );
    }
    let named: Vec<String> = trees
        .own()
        .into_iter()
        .chain(scope.cgroups.iter().cloned())
        .collect();
    let mut sensor = Cgroups {
        host: host.clone(),
        disks: Disks::default(),
        groups: Vec::new(),
        columns: Vec::new(),
        searched_ns: clock::monotonic_ns(),
        is_crowded: false,
        is_full: false,
        trees,
    };
    sensor.refresh_disks();
    for path in named {
        sensor.add(&path, true);
    }
    sensor.add("/", false);
    sensor.search();
    sensor.name_series();
    match sensor.columns.is_empty() {
        true => Err("control groups are mounted, but none with counters of I/O or memory".into()),
        false => Ok(Box::new(sensor)),
    }
}

impl Cgroups {
    fn knows(&self, path: &str) -> bool {
        self.groups.iter().any(|group| group.path() == path)
    }

    fn add(&mut self, path: &str, is_named: bool) {
        if !self.knows(path) {
            let mut group = SampledGroup::open(&self.host, &self.trees, path, is_named);
            group.read(&self.disks);
            self.groups.push(group);
        }
    }

    fn refresh_disks(&mut self) {
        self.disks.refresh(&self.host);
        let root = self.trees.root_counters(&self.host);
        self.disks.refresh_counted(&self.host, root);
    }

    /// Adds groups that have begun to do I/O, and opens again those that were removed and made anew.
    fn search(&mut self) {
        self.refresh_disks();
        for group in self.groups.iter_mut().filter(|group| group.is_gone()) {
            group.reopen(&self.host, &self.trees);
        }
        let new = self
            .trees
            .below_root(&self.host)
            .into_iter()
            .filter(|path| !self.knows(path));
        let new: Vec<String> = new.take(LOOKED_AT_MAX).collect();
        self.is_crowded = false;
        for path in new {
            let mut group = SampledGroup::open(&self.host, &self.trees, &path, false);
            group.read(&self.disks);
            if !group.has_done_io() {
                continue;
            }
            if self.found() >= FOUND_MAX {
                self.is_crowded = true;
                return;
            }
            if self.columns.len() >= COLUMNS_MAX {
                self.is_full = true;
                return;
            }
            self.groups.push(group);
        }
    }

    /// Groups that are there without having been named.
    fn found(&self) -> usize {
        let found =
            |group: &&SampledGroup| !group.is_named() && !group.is_gone() && group.path() != "/";
        self.groups.iter().filter(found).count()
    }

    /// Makes series of what has something to tell and has none yet.
    fn name_series(&mut self) {
        for group in &mut self.groups {
            for place in group.nameless() {
                if self.columns.len() >= COLUMNS_MAX {
                    self.is_full = true;
                    return;
                }
                self.columns
                    .push(SensorColumn::of(&METRICS[place], group.subject()));
                group.name(place, self.columns.len() - 1);
            }
        }
    }
}

impl SensorSource for Cgroups {
    fn columns(&self) -> Vec<SensorColumn> {
        self.columns.clone()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let now_ns = clock::monotonic_ns();
        if now_ns.saturating_sub(self.searched_ns) > SEARCH_NS {
            self.searched_ns = now_ns;
            self.search();
        }
        let known = self.columns.len();
        self.name_series();
        self.columns[known..].to_vec()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        for group in &mut self.groups {
            group.read(&self.disks);
            group.fill(row);
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        let crowded = self.is_crowded.then(|| {
            format!("More than {FOUND_MAX} control groups do I/O; the others have to be named to be seen.")
        });
        let full = self.is_full.then(|| {
            format!("Control groups that came and went have taken all {COLUMNS_MAX} series; new ones are not seen.")
        });
        let uncounted = self.disks.uncounted();
        let blind = (!uncounted.is_empty()).then(|| {
            format!(
                "Control groups of version 1 count no I/O of {}: the kernel begins with the first limit that a group has on a disk.",
                uncounted.join(", ")
            )
        });
        crowded.into_iter().chain(full).chain(blind).collect()
    }
}

#[cfg(test)]
mod tests;
