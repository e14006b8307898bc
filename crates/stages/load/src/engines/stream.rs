//! # Sequential streams, as dd makes them
//!
//! ## What it does
//! Each job is a thread that writes or reads its file, or its share of one, from front to end in large blocks: 1 MiB,
//! through the page cache, unless the job says otherwise. A writing stream ends with fsync, and that time is part of the
//! result (`dd conv=fsync`): without it the figure is that of memory. How long the writing took, how much was only in the
//! page cache then, and how long fsync took are told for each stream. A reading stream begins after the cached pages of
//! its file were dropped.
//!
//! In a directory each stream has a file of its own, of `size` bytes; streams on one file or device share it out among
//! them.
//!
//! ## Options
//! `rw` (write or read), `bs`, `size`, `numjobs`, `direct`, `io_size`, `loops`, `end_fsync`, `runtime`, `cpus_allowed` as
//! everywhere. Without `runtime` a stream ends when its bytes are moved; with it, it goes round until the time is over.
//!
//! ## Danger to data
//! A writing stream destroys what the target holds; the gates before the load decide whether it may.
//!
//! ## Limits
//! Scratch files are written in full before, so a writing stream overwrites blocks that the file system has allocated
//! already; dd into a new file pays for that as well. Streams that write into one file wait for each other in most file
//! systems, and the fsync of the first writes out what the others wrote. How much is only in the page cache is known from Linux 6.5 on.
//! One I/O at a time in each stream; speed limits and random order have no meaning and are refused.
//!
//! ## Example
//! ```text
//! iodyno run /srv --ioengine stream --rw write --size 4g --numjobs 3
//! ```

use crate::pattern::{Blocks, refresh};
use crate::source::{Io, SourceKind};
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Runs};
use host::files::DataFile;
use model::job::Rw;
use report::Report;
use stats::dice::mix64;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

mod report;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "stream",
    since: "0.1.0",
    summary: "sequential streams as dd makes them, with fsync in the time",
    has_depth: false,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let job = &worker.job;
    let refused = |what: String, why: &str, advice: &str| {
        Err(OpenError::Failed(LoadError::Usage {
            what,
            why: why.into(),
            advice: advice.into(),
        }))
    };
    if !matches!(job.rw, Rw::Read | Rw::Write) {
        let what = format!("--rw={} with the engine stream", job.rw.word());
        return refused(
            what,
            "a stream goes from front to end in one direction",
            "Use --rw=write or --rw=read",
        );
    }
    if job.is_paced() {
        return refused(
            "a rate with the engine stream".into(),
            "a stream goes as fast as it can",
            "Leave it out, or use psync",
        );
    }
    let fresh = || Arc::new(Report::new(job.numjobs)) as Arc<dyn Any + Send + Sync>;
    let report = Arc::clone(worker.shared.common.get_or_init(fresh)).downcast::<Report>();
    // The slot belongs to this load, and all its threads run this engine.
    let Ok(report) = report else {
        return Err(OpenError::Refused("its threads do not agree".into()));
    };
    let end = if job.rw.writes() && job.end_fsync {
        ", fsync at the end"
    } else {
        ""
    };
    let cache = if job.direct {
        "direct"
    } else {
        "through the page cache"
    };
    Ok(Opened {
        description: format!("stream: {} stream(s) {cache}{end}", job.numjobs),
        notes: Vec::new(),
        drive: Box::new(move |worker| drive(worker, &report)),
    })
}

/// What one stream did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamDone {
    /// Which, from 0.
    pub index: u32,
    /// Bytes moved.
    pub bytes: u64,
    /// Time of moving them, ns.
    pub moving_ns: u64,
    /// Bytes that were only in the page cache then, where the kernel tells.
    pub unwritten_bytes: Option<u64>,
    /// Time of fsync, ns, where there was one.
    pub sync_ns: Option<u64>,
}

fn drive(worker: &Worker, report: &Report) {
    let begun_ns = worker.clock.now_ns();
    worker.counters.inflight.store(1, Relaxed);
    let bytes = transfer(worker);
    let mut done = StreamDone {
        index: worker.index,
        bytes,
        ..StreamDone::default()
    };
    done.moving_ns = worker.clock.now_ns().saturating_sub(begun_ns);
    if worker.job.rw.writes() && worker.job.end_fsync && worker.shared.failure().is_none() {
        done.unwritten_bytes = worker
            .files
            .iter()
            .map(|file| file.unwritten_bytes(worker.span.start, worker.span.bytes))
            .sum();
        done.sync_ns = Some(sync(worker));
    }
    worker.counters.inflight.store(0, Relaxed);
    for note in report.add(done, worker.job.rw) {
        worker.shared.note(note);
    }
}

/// Moves blocks until all is moved or the load is stopped; the bytes moved.
fn transfer(worker: &Worker) -> u64 {
    let (job, span) = (&worker.job, worker.span);
    let files = worker.files.len() as u64;
    let limit = job.bytes_to_move(span.bytes * files).unwrap_or(u64::MAX);
    let mut blocks = Blocks::random(1, job.bs as usize, worker.seed);
    let (mut moved, mut number) = (0u64, 0u64);
    while moved < limit && !worker.is_stopping() && !worker.shared.is_winding_down.load(Relaxed) {
        // One file after the other, then all again.
        let at = moved % (span.bytes * files);
        let (file, within) = ((at / span.bytes) as u16, at % span.bytes);
        if at == 0 && moved > 0 && !job.rw.writes() && !job.direct && job.invalidate {
            // Read again, it would come from memory.
            worker
                .files
                .iter()
                .for_each(|file| _ = file.drop_cache(span.start, span.bytes));
        }
        let bytes = job.bs.min(limit - moved).min(span.bytes - within);
        let kind = if job.rw.writes() {
            SourceKind::Write
        } else {
            SourceKind::Read
        };
        let io = Io {
            offset: span.start + within,
            number,
            bytes: bytes as u32,
            file,
            kind,
        };
        let block = &mut blocks.get(0)[..bytes as usize];
        if kind == SourceKind::Write {
            refresh(block, mix64(worker.seed) ^ number);
        }
        let started_ns = worker.clock.now_ns();
        if let Err(errno) = whole(&worker.files[usize::from(file)], io, block) {
            worker.fail(io, errno);
            break;
        }
        book(worker, kind, bytes, started_ns);
        worker
            .counters
            .bin(worker.clock.now_ns().saturating_sub(worker.origin_ns), 1);
        moved += bytes;
        number += 1;
    }
    moved
}

/// Moves one whole block; an errno, or 0 at the end of the file.
fn whole(file: &DataFile, io: Io, block: &mut [u8]) -> Result<(), i32> {
    let mut done = 0;
    while done < block.len() {
        let at = io.offset + done as u64;
        let moved = match io.kind {
            SourceKind::Write => file.write_at(&block[done..], at),
            _ => file.read_at(&mut block[done..], at),
        };
        match moved {
            Ok(0) => return Err(0),
            Ok(count) => done += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
        }
    }
    Ok(())
}

fn book(worker: &Worker, kind: SourceKind, bytes: u64, started_ns: u64) -> u64 {
    let now_ns = worker.clock.now_ns();
    let took_ns = now_ns.saturating_sub(started_ns);
    worker.counters.completed(kind.lane(), bytes, took_ns);
    worker.counters.last_ns.store(now_ns, Relaxed);
    took_ns
}

/// fsync of all files of the stream; how long it took.
fn sync(worker: &Worker) -> u64 {
    let started_ns = worker.clock.now_ns();
    for (index, file) in worker.files.iter().enumerate() {
        if let Err(error) = file.sync() {
            let io = Io {
                offset: 0,
                number: 0,
                bytes: 0,
                file: index as u16,
                kind: SourceKind::Sync,
            };
            worker.fail(io, error.errno().unwrap_or(libc::EIO));
        }
    }
    book(worker, SourceKind::Sync, 0, started_ns)
}

#[cfg(test)]
mod tests;
