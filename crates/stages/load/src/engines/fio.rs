//! # The installed fio makes the load
//!
//! ## What it does
//! Starts fio on the files that were made ready, in its own words, and reads its json+ output at the end: counts, bytes
//! and the exact histograms are fio's. While it runs, the rate over time comes from the counters of the block device
//! below the target, so that `tune` can use it. At the end of the time fio is interrupted as by Ctrl-C; when iodyno dies,
//! the kernel kills fio.
//!
//! ## Options
//! Those of the job, as everywhere, and these by `--engine-option`:
//!
//! - `ioengine`: fio's own engine: psync, sync, vsync, pvsync, pvsync2, libaio, io_uring, posixaio or mmap; by default
//!   libaio for direct I/O, psync for buffered.
//!   On a pool of Ceph (`rados://POOL`) it is rados, on an image (`rbd://POOL/IMAGE`) rbd.
//! - `fio_path`: the program; by default the first `fio` of the search path.
//!
//! Options in fio's words that iodyno's own engines do not have are handed on to fio as they were given, and the record
//! holds them.
//!
//! ## Danger to data
//! The same gates as for iodyno's own engines decide whether a job may write. fio gets descriptors of the files that
//! passed them (`/proc/PID/fd/N`), is told to create none, and is started with `--readonly` for a job that only reads.
//! Other engines of fio (falloc, ftruncate, filedelete, exec …) change data or run programs in a job that says it reads,
//! and are refused; so are options that name other files, run programs, or change settings of the machine. fio gains no
//! rights (`no_new_privs`), so a `fio_path` that is setuid or calls sudo stays what it was; under root it keeps the
//! capabilities that loads need, and none to change users, networks or the kernel.
//!
//! On a pool fio works on objects of 4 MiB that are written first (`size`, 1 GiB by default), have names of iodyno's own, and
//! are removed at the end, after a kill by `iodyno undo`. An image that holds data, is a clone or has clones is written with
//! `--destroy-data` only; one that is open elsewhere or mapped is never written. fio is given the configuration file by its
//! name, since it does not look for it where Ceph's own programs do.
//!
//! ## Limits
//! fio's start takes a few tenths of a second, which are no part of the load. Under `tune` the rate is that of requests
//! at the device: merged ones count as one, others' I/O is counted too, and latency is known only at the end, so the
//! tail is not judged. At the end of its time a job with `end_fsync` is synced by fio, which makes that no part of its
//! counts; what it wrote is read back (`verify`) only where the job ends by its size, not when it ends by time: an
//! interrupted fio does not verify. Options that tie sections together (`flow`) are refused, since each section is a fio
//! of its own. Without a block device below the target there is no rate over time. The depth cannot be changed
//! while it runs. CPU time is that of the whole fio process, its start and its report included. Bins of json+ need fio
//! 2.2.12; versions before 3.18 tell completion latency, without the time of submission.
//!
//! ## Example
//! ```text
//! iodyno run /srv --ioengine fio --engine-option ioengine=libaio --rw randread --bs 4k
//! iodyno run rados://bench --engine fio --rw randwrite --bs 4k --iodepth 16
//! iodyno run rbd://vms/test --rw randread --bs 4k --iodepth 16
//! ```

mod absorb;
mod arguments;
mod ceph;
mod limits;
mod program;

pub use ceph::{needs_ceph_engine, prepared, refuse_ceph};

use crate::device::{LOOK_NS, Watched};
use crate::options::Options;
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Runs};
use host::clock;
use imports::fio_json;
use model::job::Job;
use program::Program;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "fio",
    since: "0.1.0",
    summary: "the installed fio, its exact histograms read from json+",
    has_depth: false,
    runs: Runs::Program,
    needs: Needs::Files,
    operations: &[],
    open,
};

/// How long fio may take from its start to its first I/O, ns: after that the load counts as begun all the same.
const START_NS: u64 = 10_000_000_000;
/// How long fio may take to end after it was asked to, ns.
const END_NS: u64 = 50_000_000_000;

/// Checks what the gates cannot see: whether fio would do what the job does not say.
pub fn check(job: &Job) -> Result<(), LoadError> {
    limits::engine(inner(job))?;
    job.handed_on
        .iter()
        .try_for_each(|(name, value)| limits::option(name, value))
}

/// fio's name of the engine that issues the I/O.
fn inner(job: &Job) -> &str {
    match job.effective_engine() {
        // iodyno's own engine for streams does what psync does.
        "stream" => "psync",
        name => name,
    }
}

fn unusable(why: impl Into<String>) -> LoadError {
    LoadError::Engine {
        engine: ENGINE.id.into(),
        why: why.into(),
    }
}

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let options = Options::of(&worker.job, ENGINE.id, &["ioengine", "fio_path"])
        .map_err(OpenError::Failed)?;
    let ioengine = inner(&worker.job);
    let path = options.text("fio_path").unwrap_or("fio");
    let (version, text) = program::version(path).map_err(OpenError::Failed)?;
    let files = files(worker);
    let place = worker.place.ceph();
    let ceph = place.map(|place| ceph::FioCeph::of(place, &worker.job, worker.span.bytes));
    let setting = arguments::FioSetting {
        ioengine,
        files: &files,
        ceph: ceph.as_ref(),
        span: worker.span,
        seed: worker.seed,
        has_lat_percentiles: version >= fio_json::Version::new(3, 18),
    };
    let words = arguments::of(&worker.job, &setting).map_err(OpenError::Failed)?;
    let mut notes = Vec::new();
    let watched = watched(worker, &mut notes);
    let (path, words) = match ceph {
        Some(ceph) => ceph.command(path, words),
        None => (path.to_string(), words),
    };
    if let Some(place) = place.filter(|place| place.target.image.is_some()) {
        crate::ceph::before_fio(place, &worker.job).map_err(OpenError::Failed)?;
    }
    let program = Program::start(&path, &words, START_NS).map_err(OpenError::Failed)?;
    Ok(Opened {
        description: format!("{text}, ioengine {ioengine}"),
        notes,
        drive: Box::new(move |worker| drive(worker, program, watched)),
    })
}

/// The device's counters, or a note on why there is no rate over time.
fn watched(worker: &Worker, notes: &mut Vec<String>) -> Option<Watched> {
    let opened = match &worker.place.device {
        Some(device) => Watched::open(&worker.place.host, device),
        None if worker.place.ceph().is_some() => {
            Err("fio tells its counts at its end, and there is no block device below a part of a cluster".to_string())
        }
        None => Err("there is no block device below the target".to_string()),
    };
    match opened {
        Ok(watched) => {
            notes.push(
                "counts and latencies are fio's; the rate over time is that of requests at the device, of everybody"
                    .into(),
            );
            Some(watched)
        }
        Err(why) => {
            notes.push(format!("no rate over time: {why}"));
            None
        }
    }
}

/// The descriptors of this process, which also reach a file that has no name; by owner.
fn files(worker: &Worker) -> Vec<Vec<String>> {
    use std::os::fd::{AsFd, AsRawFd};
    let pid = host::process::id();
    let paths = worker
        .files
        .iter()
        .map(|file| format!("/proc/{pid}/fd/{}", file.as_fd().as_raw_fd()));
    let paths: Vec<String> = paths.collect();
    paths
        .chunks(worker.job.files.count() as usize)
        .map(<[String]>::to_vec)
        .collect()
}

fn drive(worker: &Worker, mut program: Program, mut watched: Option<Watched>) {
    let begun = watched
        .as_mut()
        .map_or(Ok(()), |watched| watched.begin(worker.clock.now_ns()));
    if let Err(why) = begun {
        worker.shared.fail(unusable(why));
    }
    let mut next_ns = worker.origin_ns;
    while !worker.is_stopping() && !program.has_ended() {
        let now_ns = worker.clock.now_ns();
        next_ns += LOOK_NS * (now_ns.saturating_sub(next_ns) / LOOK_NS + 1);
        clock::sleep_ns(next_ns.saturating_sub(now_ns));
        if let Some(Err(why)) = watched.as_mut().map(|watched| watched.look(worker)) {
            worker.shared.fail(unusable(why));
        }
    }
    let end_ns = worker.clock.now_ns();
    let outcome = program.finish(END_NS);
    // The bins end here; what follows would be others' I/O alone.
    match outcome {
        Ok(ended) => absorb::all(worker, &ended, end_ns),
        Err(error) => worker.shared.fail(match worker.place.ceph() {
            None => error,
            Some(place) => place.error(
                format!("{error}; fio waits for ever for a cluster that does not answer"),
                crate::ceph::LOOK_AT,
                model::failure::Exit::Failed,
            ),
        }),
    }
}

#[cfg(test)]
mod tests;
