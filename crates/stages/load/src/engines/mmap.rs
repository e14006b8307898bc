//! # One I/O at a time: memory-mapped files
//!
//! ## What it does
//! Each job is a thread that maps its files and copies blocks out of the mapping or into it. A page that is not in the
//! page cache is read by the page fault that the copy takes; the latency of a read is that of its copy, faults
//! included. What was written is on the device only after `msync`, which a sync of the job calls (`fsync`, `fdatasync`),
//! or with `sync=dsync` or `sync=sync` each write.
//!
//! ## Options
//! All options of the I/O, its rate and its pauses. `direct=1` is refused: a mapping is the page cache. `iodepth` has no
//! meaning here: the depth of each job is 1, and the result says so where more was asked for.
//!
//! ## Danger to data
//! Jobs that write or trim destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! - A device error, a full file system or a file that was shortened reaches a mapping as the signal SIGBUS. It is
//!   caught, the page that cannot be had is replaced by zeros of this process alone, and the load ends with the place
//!   and `Input/output error`, or with the end of the file.
//! - An error of writing back is seen by a sync of the job, and by nobody if there is none.
//! - A file larger than the address space does not fit: no limit in practice on 64 bits.
//!
//! ## Example
//! ```text
//! iodyno run /srv -- --ioengine=mmap --rw=randread --bs=4k --direct=0
//! ```
#![allow(
    unsafe_code,
    reason = "mappings are memory that the kernel shares with a file"
)]

mod bus;
mod mapping;

use crate::blocking::{self, Calls};
use crate::source::{Io, SourceKind};
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Runs};
use mapping::Mapping;
use model::job::SyncMode;

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "mmap",
    since: "0.1.0",
    summary: "copies out of and into mapped files, one I/O at a time in each job",
    has_depth: false,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    if worker.job.direct {
        return Err(OpenError::Failed(LoadError::usage(
            "--direct=1 with --ioengine=mmap",
            "a mapping always goes through the page cache",
            "Use --direct=0, or another engine for direct I/O",
        )));
    }
    bus::catch();
    let can_write = worker.job.rw.changes();
    let map = |file| {
        Mapping::new(file, can_write).map_err(|error| {
            let why = format!("mapping {}: {error}", model::text::shown(file.path()));
            OpenError::Failed(LoadError::Engine {
                engine: ENGINE.id.into(),
                why,
            })
        })
    };
    let mappings = worker.files.iter().map(map).collect::<Result<_, _>>()?;
    Ok(blocking::opened(ENGINE.id, worker, Mmap { mappings }))
}

struct Mmap {
    mappings: Vec<Mapping>,
}

impl Calls for Mmap {
    fn transfer(&mut self, worker: &Worker, io: Io, block: &mut [u8]) -> Result<(), i32> {
        let mapping = &mut self.mappings[usize::from(io.file)];
        let is_sound = match io.kind {
            SourceKind::Write => mapping.write(io.offset, block),
            _ => mapping.read(io.offset, block),
        };
        if !is_sound {
            return Err(reason(worker, io));
        }
        if io.kind == SourceKind::Write && worker.job.sync != SyncMode::None {
            return mapping.sync(io.offset, block.len());
        }
        Ok(())
    }

    fn act(&mut self, worker: &Worker, io: Io) -> Result<(), i32> {
        match io.kind {
            SourceKind::Trim => worker.do_and_wait(io),
            _ => self.mappings[usize::from(io.file)].sync_all(),
        }
    }
}

/// Why a page could not be had: the file ends before it, or the device failed.
fn reason(worker: &Worker, io: Io) -> i32 {
    let bytes = worker.files[usize::from(io.file)]
        .bytes_now()
        .unwrap_or(u64::MAX);
    if io.offset + u64::from(io.bytes) > bytes {
        0
    } else {
        libc::EIO
    }
}
