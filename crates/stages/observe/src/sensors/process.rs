//! # Processes
//!
//! Who reads and writes: the storage I/O of each process that does any.
//!
//! ## What it reads
//! `/proc/PID/io` (Documentation/filesystems/proc.rst) of processes; threads that have ended are in it. Those that do
//! I/O are held open and read every second. The quiet ones take turns: every 3 s, and every 10 s for those that never
//! read or wrote anything, such as kernel threads. `/proc` is listed when a process was born since, at most every 2 s.
//!
//! ## Metrics
//! Of `<name>.<pid>`, since the process began: `process.<it>.read_bytes` and `write_bytes` that were for storage,
//! `cancelled_write_bytes`, the calls `syscr` and `syscw`, and the bytes `rchar` and `wchar` that those moved. A process
//! has series once it has moved 1 MiB, or anything in three readings. What smaller ones do is added up in `others`. Series
//! stay when their process ends, so there are at most 584 of them with seven each; from the 257th on it takes more to get
//! them, 2 MiB first and twice as much every 32 processes. A name is that of the moment when the process was noticed.
//!
//! ## Cost
//! About 3 µs for a process that does I/O, 6 µs for a quiet one. However many there are, the quiet ones are looked at
//! less often rather than take more than 0.2 % of a CPU; a note says how late a busy one is noticed then. At most 256
//! files are held open; where more processes do I/O, those that were still for longest are looked at in turn again.
//!
//! ## When absent
//! The kernel was built without CONFIG_TASK_IO_ACCOUNTING. Without root only processes of the same user can be seen.
//!
//! ## Example
//! `process.mysqld.2211.write_bytes` grows by 400 MB in a second: mysqld made that much to be written.

pub(crate) mod account;
mod watch;

use crate::{Metric, Opened, Scope, Sensor, SensorColumn, SensorSource};
use account::COUNT;
use host::Host;
use model::field::{Field, Formula};
use model::sample::MetricKind::Counter;
use watch::Watch;

/// What this file measures.
pub static SENSOR: Sensor = Sensor {
    id: "process",
    since: "0.1.0",
    every_ms: 1000,
    reads: &["/proc/PID/io", "/proc/PID/stat", "/proc/loadavg"],
    metrics: METRICS,
    fields: FIELDS,
    open,
};

const fn metric(
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    cannot_tell: &'static str,
) -> Metric {
    Metric {
        name,
        unit,
        kind: Counter,
        meaning,
        cannot_tell,
    }
}

/// In the order of the lines of `/proc/PID/io`.
static METRICS: &[Metric] = &[
    metric(
        "process.{}.rchar",
        "bytes",
        "bytes that read calls returned",
        "whether a disk was involved: the page cache, pipes and sockets count as well",
    ),
    metric(
        "process.{}.wchar",
        "bytes",
        "bytes that write calls took",
        "whether a disk was involved: pipes and sockets count as well",
    ),
    metric(
        "process.{}.syscr",
        "calls",
        "read calls",
        "I/Os of a disk: pipes and sockets count, pages that are mapped and io_uring's reads do not",
    ),
    metric(
        "process.{}.syscw",
        "calls",
        "write calls",
        "I/Os of a disk: pipes and sockets count, pages that are mapped and io_uring's writes do not",
    ),
    metric(
        "process.{}.read_bytes",
        "bytes",
        "bytes that had to come from storage, read ahead included",
        "from which device; what network file systems read is not always in it",
    ),
    metric(
        "process.{}.write_bytes",
        "bytes",
        "bytes it made to be written to storage",
        "when and to which device: a buffered write counts when its page becomes dirty, and the disk comes later",
    ),
    metric(
        "process.{}.cancelled_write_bytes",
        "bytes",
        "bytes counted as written that never will be: the file was cut or deleted first",
        "who wrote them: it counts for the process that deleted the file",
    ),
];

const fn rate(
    name: &'static str,
    unit: &'static str,
    of: &'static [&'static str],
    meaning: &'static str,
    cannot_tell: &'static str,
) -> Field {
    Field {
        name,
        unit,
        meaning,
        cannot_tell,
        formula: Formula::Rate(of, 1.0),
    }
}

static FIELDS: &[Field] = &[
    rate(
        "process.{}.read_bytes_per_s",
        "bytes/s",
        &["process.{}.read_bytes"],
        "bytes a process had to get from storage",
        "from which device, and what a process did before it was noticed or after its last second",
    ),
    rate(
        "process.{}.write_bytes_per_s",
        "bytes/s",
        &["process.{}.write_bytes"],
        "bytes a process made to be written to storage",
        "when they are written: buffered writes count when they dirty pages, and kernel workers write them later",
    ),
    rate(
        "process.{}.cancelled_bytes_per_s",
        "bytes/s",
        &["process.{}.cancelled_write_bytes"],
        "bytes that were to be written and never will be, because the file was cut or deleted",
        "whose they were: they count for who deleted the file",
    ),
    rate(
        "process.{}.reads_per_s",
        "/s",
        &["process.{}.syscr"],
        "read calls, answered by anything",
        "I/Os of a disk: pipes and sockets count, mapped pages and io_uring do not",
    ),
    rate(
        "process.{}.writes_per_s",
        "/s",
        &["process.{}.syscw"],
        "write calls, taken by anything",
        "I/Os of a disk: pipes and sockets count, mapped pages and io_uring do not",
    ),
    rate(
        "process.{}.asked_read_bytes_per_s",
        "bytes/s",
        &["process.{}.rchar"],
        "bytes that read calls returned; far more than came from storage means that the page cache serves them",
        "whether a disk was involved: pipes and sockets count as well",
    ),
    rate(
        "process.{}.asked_write_bytes_per_s",
        "bytes/s",
        &["process.{}.wchar"],
        "bytes that write calls took",
        "whether a disk was involved: pipes and sockets count as well",
    ),
];

struct Processes {
    watch: Watch,
    /// How many subjects have columns; `others` is the first.
    told: usize,
}

fn open(host: &Host, _scope: &Scope) -> Opened {
    let pids = watch::pids(host);
    if pids.is_empty() {
        return Err("/proc lists no processes".into());
    }
    if !pids
        .iter()
        .any(|pid| host.exists(&format!("/proc/{pid}/io")))
    {
        return Err(
            "this kernel does not account I/O by process (CONFIG_TASK_IO_ACCOUNTING)".into(),
        );
    }
    Ok(Box::new(Processes {
        watch: Watch::new(host),
        told: 1,
    }))
}

fn columns_of(subject: &str) -> impl Iterator<Item = SensorColumn> {
    METRICS
        .iter()
        .map(move |metric| SensorColumn::of(metric, subject))
}

impl SensorSource for Processes {
    fn columns(&self) -> Vec<SensorColumn> {
        columns_of("others").collect()
    }

    fn new_columns(&mut self) -> Vec<SensorColumn> {
        let fresh = &self.watch.subjects()[self.told - 1..];
        self.told += fresh.len();
        fresh
            .iter()
            .flat_map(|subject| columns_of(subject))
            .collect()
    }

    fn read(&mut self, row: &mut [f64]) -> host::Result<()> {
        self.watch.look(host::clock::monotonic_ns());
        for (slot, account) in self.watch.accounts() {
            // A process that has just got its series has no cells yet: they come with the next sample.
            if let Some(cells) = row.get_mut(slot * COUNT..(slot + 1) * COUNT) {
                account.fill(cells);
            }
        }
        Ok(())
    }

    fn notes(&self) -> Vec<String> {
        self.watch.notes()
    }
}

#[cfg(test)]
mod tests;
