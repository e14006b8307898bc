//! # rados bench makes the load on a pool
//!
//! Also: `rados bench`, `rados`, `ceph`.
//!
//! ## What it does
//! Starts Ceph's own `rados bench` on a pool (`rados://POOL`) and reads its table while it runs: the rate over time is
//! that of its rows of each second, the counts, the mean, the least and the greatest latency are its sums at the end.
//! `--rw write` writes new objects, `read` reads them in their order (`seq`), `randread` in random order (`rand`). For
//! reads the objects are written first; how many is said before. All objects are in a namespace of iodyno's own
//! (`iodyno-…`) and are removed at the end. They are written down before they are made, so that after a kill
//! `iodyno status` shows them and `iodyno undo` removes them.
//!
//! ## Options
//! `rw` (write, read, randread), `bs` (also the size of an object), `iodepth` (`-t` of rados bench), `runtime`, `size`
//! (what is written at the most), and these by `--engine-option`:
//!
//! - `deadline`: seconds for which the cluster may complete nothing, from 1 to 3600; by default 30.
//! - `text`: a new file, to which what rados bench printed is written.
//!
//! ## Danger to data
//! None for objects of others: the load has a namespace of its own. Where the target names one (`rados://POOL/NAMESPACE`,
//! for users whose rights end there), it is used; names then hold the machine and the process, and one that is taken
//! ends the run before it begins. A pool that is full or nearly full is refused, since a full OSD holds all its clients for
//! ever, and of what the pool can still take (MAX AVAIL, and its quotas) at most half is written, with what is in flight. A
//! `rados` that starts another one elsewhere gives other names than those that were written down, and that ends the load. The
//! load takes from the cluster's other clients what it gets.
//!
//! ## Limits
//! rados bench tells no percentiles, and none are made up: `--engine fio` gives them on the same pool. Its seconds are whole. A
//! pass over the objects with `read` ends when all are read, which may be before the time. Objects that were just written
//! are in the OSDs' memory, so reads of few objects measure that. When nothing is completed for `deadline` seconds, rados
//! bench is ended: the record keeps what was completed until then and says so, and the command fails.
//!
//! ## Example
//! ```text
//! iodyno run rados://bench --rw write --bs 4m --iodepth 16 --runtime 30s
//! iodyno run rados://bench --rw randread --runtime 30s
//! ```

use crate::ceph::bench::{Bench, BenchEnd, BenchMode, BenchWish};
use crate::ceph::{CephPlace, CephPreparing, PoolFacts, WantedRoom};
use crate::counters::lane;
use crate::device::spread;
use crate::options::Options;
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Prepared, Runs};
use host::clock;
use host::process::CpuTime;
use imports::importers::rados_bench::RadosBenchRow;
use model::failure::Exit;
use model::imported::Imported;
use model::job::{Job, Rw, SCRATCH_BYTES};
use model::units;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "rados_bench",
    since: "0.1.0",
    summary: "Ceph's rados bench on a pool, read while it runs",
    has_depth: true,
    runs: Runs::Program,
    needs: Needs::Pool,
    operations: &[],
    open,
};

/// How often it is looked at, ns.
const LOOK_NS: u64 = 20_000_000;
/// Objects that are written for reads at the most, where no size is given: small ones would take long.
const READ_OBJECTS: u64 = 4096;
/// The longest writing of objects for reads, s; it ends when all are written.
const FILL_S: u64 = 86_400;
/// What the end of the time may differ from the end of the run, ns.
const END_NS: u64 = 300_000_000;

/// Checks what rados bench cannot do, which it says and does not do something similar instead.
pub fn check(job: &Job) -> Result<(), LoadError> {
    mode(job)?;
    let refused: [(bool, &str, &str); 7] = [
        (
            job.numjobs != 1,
            "--numjobs",
            "rados bench is one process. Ask for more with --iodepth",
        ),
        (
            job.is_paced(),
            "a rate",
            "rados bench goes as fast as it can. Use --engine fio",
        ),
        (
            job.fsync > 0 || job.end_fsync,
            "fsync",
            "a write of RADOS is durable when it is answered. Leave it out",
        ),
        (
            job.verify.is_some(),
            "verify",
            "rados bench checks what it reads by itself. Leave it out",
        ),
        (
            job.block_sizes.is_some(),
            "several block sizes",
            "rados bench has one. Use --engine fio",
        ),
        (
            job.offset > 0 || job.offset_increment > 0,
            "an offset",
            "objects are read and written whole. Leave it out",
        ),
        (
            !job.handed_on.is_empty(),
            "options in fio's words alone",
            "rados bench has no such options. Use --engine fio",
        ),
    ];
    match refused.into_iter().find(|(is_asked, ..)| *is_asked) {
        Some((_, what, why)) => Err(usage(what, why)),
        None => options(job).map(|_| ()),
    }
}

fn usage(what: &str, why: &str) -> LoadError {
    let (why, advice) = why.split_once(". ").unwrap_or((why, ""));
    LoadError::usage(format!("{what} with --ioengine={}", ENGINE.id), why, advice)
}

fn mode(job: &Job) -> Result<BenchMode, LoadError> {
    match job.rw {
        Rw::Write => Ok(BenchMode::Write),
        Rw::Read => Ok(BenchMode::Seq),
        Rw::Randread => Ok(BenchMode::Rand),
        other => Err(LoadError::usage(
            format!("--rw={} with --ioengine={}", other.word(), ENGINE.id),
            "rados bench writes new objects (write), reads them in order (read) or at random (randread)",
            "Choose one of these, or --engine fio, which can mix and overwrite",
        )),
    }
}

/// The engine's own options: how long nothing may be completed, ns, and the file for what rados bench prints.
fn options(job: &Job) -> Result<(u64, Option<String>), LoadError> {
    let options = Options::of(job, ENGINE.id, &["deadline", "text"])?;
    let seconds = options.number("deadline", 30, 1, 3600)?;
    Ok((
        seconds * 1_000_000_000,
        options.text("text").map(str::to_string),
    ))
}

fn wish(job: &Job, mode: BenchMode, most_objects: u64) -> Result<BenchWish, LoadError> {
    Ok(BenchWish {
        mode,
        seconds: job.runtime_ms.div_ceil(1000).max(1),
        concurrent: job.iodepth,
        block_bytes: job.bs,
        most_objects,
        patience_ns: options(job)?.0,
    })
}

/// Makes a pool ready: for reads their objects.
pub fn prepared(
    place: CephPlace,
    job: &Job,
    facts: &PoolFacts,
    with: &mut CephPreparing<'_>,
) -> Result<Prepared, LoadError> {
    let mode = mode(job)?;
    let objects = objects(job, mode, facts);
    // Those in flight come on top, and the run has an object of its own.
    let at_most = objects.saturating_add(job.iodepth.into());
    let wanted = WantedRoom {
        bytes: at_most.saturating_mul(job.bs),
        objects: at_most.saturating_add(1),
        is_sized: job.size > 0,
    };
    facts.room(&place, wanted)?;
    let mut notes = facts.notes.clone();
    let (size, namespace) = (units::bytes((objects * job.bs) as f64), place.namespace());
    match mode {
        BenchMode::Write => notes.push(format!(
            "writes at most {objects} new objects ({size}) in the namespace {namespace}, removed at the end"
        )),
        _ => {
            let note = format!("{objects} objects ({size}) to be read are written in the namespace {namespace} first, and removed at the end");
            (with.say)(note.clone());
            notes.push(note);
            fill(&place, &wish(job, BenchMode::Write, objects)?, with)?;
        }
    }
    Ok(Prepared::of_ceph(with.host, place, objects * job.bs, notes))
}

/// How many objects are written at the most: what was asked for, else for writes what there is room for beside those in
/// flight, and for reads as much as scratch has.
fn objects(job: &Job, mode: BenchMode, facts: &PoolFacts) -> u64 {
    let depth = u64::from(job.iodepth);
    let bytes = match mode {
        _ if job.size > 0 => job.size,
        BenchMode::Write => {
            let (bytes, objects) = facts.most().unwrap_or_default();
            let objects = objects.map_or(u64::MAX, |most| most.saturating_sub(1));
            let objects = objects.min(bytes / job.bs).saturating_sub(depth);
            objects.saturating_mul(job.bs)
        }
        _ => SCRATCH_BYTES
            .min(READ_OBJECTS.saturating_mul(job.bs))
            .max(job.bs),
    };
    (bytes / job.bs).max(depth).max(1)
}

/// Writes the objects that are to be read.
fn fill(
    place: &CephPlace,
    wish: &BenchWish,
    with: &mut CephPreparing<'_>,
) -> Result<(), LoadError> {
    let wish = BenchWish {
        seconds: FILL_S,
        ..*wish
    };
    let mut bench = Bench::start(place, &wish)?;
    let total = wish.most_objects * wish.block_bytes;
    while !bench.has_ended() {
        if let Some(last) = bench.look().last() {
            (with.progress)(
                (last.finished as u64)
                    .saturating_mul(wish.block_bytes)
                    .min(total),
                total,
            );
        }
        if with.stop.is_asked() {
            return Err(LoadError::Stopped {
                target: model::text::shown(&place.path),
                signal: with.stop.signal_name(),
            });
        }
        if let Some(why) = bench.is_stuck() {
            return Err(place.error(why, "", Exit::Failed));
        }
        clock::sleep_ns(LOOK_NS);
    }
    match bench.end() {
        BenchEnd::Whole(_) => {
            place.wrote(wish.most_objects);
            Ok(())
        }
        BenchEnd::BrokenOff(why) => Err(place.error(
            why,
            "The objects to be read could not be written",
            Exit::Failed,
        )),
    }
}

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let place = worker.place.ceph().ok_or_else(|| {
        OpenError::Failed(LoadError::NoTarget {
            target: model::text::shown(worker.place.path()),
            why: "rados bench loads a pool of a Ceph cluster: rados://POOL".into(),
        })
    })?;
    let started = || {
        let (job, mode) = (&worker.job, mode(&worker.job)?);
        let objects = worker.span.bytes.max(job.bs) / job.bs;
        let wish = wish(job, mode, objects)?;
        Bench::start(place, &wish).map(|bench| (wish, bench))
    };
    let (wish, bench) = started().map_err(OpenError::Failed)?;
    let seconds = worker.job.runtime_ms.div_ceil(1000);
    let mut notes = vec![
        "rados bench tells no percentiles, so there are none: --engine fio gives them on the same pool".to_string(),
    ];
    if !worker.job.runtime_ms.is_multiple_of(1000) {
        notes.push(format!(
            "rados bench counts whole seconds: it ran for {seconds} s"
        ));
    }
    Ok(Opened {
        description: format!("rados bench ({} in flight)", wish.concurrent),
        notes,
        drive: Box::new(move |worker| Drive::new(worker, wish, bench).run()),
    })
}

/// A run at work.
struct Drive<'a> {
    worker: &'a Worker,
    wish: BenchWish,
    bench: Bench,
    lane: usize,
    /// When its second 0 was, ns of the load's clock, once a row was seen.
    zero_ns: Option<u64>,
    /// What the last row had.
    second: u64,
    finished: u64,
}

impl Drive<'_> {
    fn new(worker: &Worker, wish: BenchWish, bench: Bench) -> Drive<'_> {
        let lane = match wish.mode {
            BenchMode::Write => lane::WRITE,
            _ => lane::READ,
        };
        Drive {
            worker,
            wish,
            bench,
            lane,
            zero_ns: None,
            second: 0,
            finished: 0,
        }
    }

    fn run(mut self) {
        // The client's work is another process's.
        self.worker.shared.set_cpu(CpuTime::default());
        // Its own deadline ends it, so it may be waited for.
        self.worker.shared.cleaning.fetch_add(1, Relaxed);
        let end = self.until_end();
        self.worker.shared.cleaning.fetch_sub(1, Relaxed);
        self.keep_text();
        match end {
            Some(BenchEnd::Whole(sums)) => self.conclude(&sums),
            Some(BenchEnd::BrokenOff(why)) if self.finished == 0 => {
                let place = self.worker.place.ceph();
                let error = |place: &std::sync::Arc<CephPlace>| place.error(why, "", Exit::Failed);
                if let Some(error) = place.map(error) {
                    self.worker.shared.fail(error);
                }
            }
            Some(BenchEnd::BrokenOff(why)) => self.broken_off(why),
            None => self.worker.shared.note(
                "stopped before rados bench told its sums: the counts are those of its table"
                    .into(),
            ),
        }
        self.worker.counters.inflight.store(0, Relaxed);
    }

    /// Looks until it has ended or is given up; none where it was stopped on request.
    fn until_end(&mut self) -> Option<BenchEnd> {
        loop {
            let has_ended = self.bench.has_ended();
            for row in self.bench.look() {
                self.book(&row);
            }
            if has_ended {
                return Some(self.bench.end());
            }
            if let Some(why) = self.bench.is_stuck() {
                return Some(BenchEnd::BrokenOff(self.with_fullness(why)));
            }
            if self.worker.is_stopping() && !self.is_time_over() {
                return None;
            }
            clock::sleep_ns(LOOK_NS);
        }
    }

    /// A reason with what the pool says of itself by now: it may have filled up.
    fn with_fullness(&self, why: String) -> String {
        let place = self.worker.place.ceph();
        let full = place.and_then(|place| PoolFacts::of(place).ok());
        match full.map(|facts| facts.full).filter(|full| !full.is_empty()) {
            Some(full) => format!("{why}. Of the pool the cluster says: {}", full.join("; ")),
            None => why,
        }
    }

    /// Whether the time of the job is over: then it ends by itself, and tells its sums.
    fn is_time_over(&self) -> bool {
        let over_ns = self.worker.origin_ns + self.worker.job.runtime_ms * 1_000_000;
        self.worker.clock.now_ns() + END_NS >= over_ns
    }

    /// Counts what a row says, over the seconds since the last one.
    fn book(&mut self, row: &RadosBenchRow) {
        let now_ns = self.worker.clock.now_ns();
        let second_ns = |second: u64| second.saturating_mul(1_000_000_000);
        let zero_ns = *self
            .zero_ns
            .get_or_insert(now_ns.saturating_sub(second_ns(row.second)));
        let done = (row.finished as u64).saturating_sub(self.finished);
        let counters = &self.worker.counters;
        counters.counted(self.lane, done, done.saturating_mul(self.wish.block_bytes));
        let since = |second| (zero_ns + second_ns(second)).saturating_sub(self.worker.origin_ns);
        for (at_ns, count) in spread(since(self.second), since(row.second), done) {
            counters.bin(at_ns, count);
        }
        counters.first_ns.store(zero_ns, Relaxed);
        counters
            .last_ns
            .store(zero_ns + second_ns(row.second), Relaxed);
        counters.inflight.store(self.wish.concurrent, Relaxed);
        (self.second, self.finished) = (row.second, self.finished + done);
    }

    /// Takes over the sums.
    fn conclude(&self, sums: &Imported) {
        let counters = &self.worker.counters;
        let load = sums.load.as_ref();
        let side = load.and_then(|load| load.write.as_ref().or(load.read.as_ref()));
        let Some(side) = side else { return };
        let ios = side.ios.unwrap_or(self.finished);
        counters.forget_counted();
        counters.counted(self.lane, ios, ios.saturating_mul(self.block_bytes(sums)));
        if let Some(elapsed_ms) = load.and_then(|load| load.elapsed_ms) {
            let now_ns = self.worker.clock.now_ns();
            counters.last_ns.store(now_ns, Relaxed);
            let first_ns = now_ns.saturating_sub((elapsed_ms * 1e6) as u64);
            counters.first_ns.store(first_ns, Relaxed);
        }
        self.worker.shared.tell(side.clone());
        if self.wish.mode == BenchMode::Write
            && let Some(place) = self.worker.place.ceph()
        {
            place.wrote(ios);
        }
        self.ended_early(ios);
    }

    /// What one I/O moved; reads have the size that the objects were written with.
    fn block_bytes(&self, sums: &Imported) -> u64 {
        let said = sums
            .facts
            .get("bs")
            .and_then(|text| units::parse_bytes(text).ok());
        said.unwrap_or(self.wish.block_bytes)
    }

    fn ended_early(&self, ios: u64) {
        let had_ns = self.worker.counters.last_ns.load(Relaxed)
            - self.worker.counters.first_ns.load(Relaxed);
        let is_early = had_ns + 1_000_000_000 < self.wish.seconds.saturating_mul(1_000_000_000);
        let why = match self.wish.mode {
            BenchMode::Seq => "all objects were read once",
            BenchMode::Write if ios >= self.wish.most_objects => "as much was written as may be",
            _ => return,
        };
        if is_early {
            self.worker.shared.note(format!(
                "it ended before its time: {why}. A larger --size makes it longer"
            ));
        }
    }

    fn broken_off(&self, why: String) {
        self.worker.shared.break_off(format!(
            "rados bench was given up after {} s of its table: {why}",
            self.second
        ));
    }

    /// Writes what rados bench printed to the file that was asked for.
    fn keep_text(&self) {
        let Ok((_, Some(path))) = options(&self.worker.job) else {
            return;
        };
        let written = host::files::write_new(Path::new(&path), &self.bench.text());
        if let Err(error) = written {
            self.worker
                .shared
                .note(format!("what rados bench printed is not kept: {error}"));
        }
    }
}

#[cfg(test)]
mod tests;
