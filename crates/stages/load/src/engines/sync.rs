//! # One I/O at a time: lseek, read and write
//!
//! ## What it does
//! Each job is a thread that moves the file's place with `lseek`, where it is not there already, and calls `read` or
//! `write`: what a program does that knows nothing newer. The latency of an I/O runs from before the `lseek` to the
//! return of the call.
//!
//! ## Options
//! All options of the I/O, its rate and its pauses. `iodepth` has no meaning here: the depth of each job is 1, and the
//! result says so where more was asked for.
//!
//! ## Danger to data
//! Jobs that write or trim destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! Random I/O costs two system calls where psync needs one. `read` and `write` lock the file's place, which no other
//! thread shares here: each job has a description of its own.
//!
//! ## Example
//! ```text
//! iodyno run /srv -- --ioengine=sync --rw=read --bs=128k --direct=0
//! ```

use crate::blocking::{self, Calls};
use crate::source::{Io, SourceKind};
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, Needs, Runs};

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "sync",
    since: "0.1.0",
    summary: "lseek, then read or write, one I/O at a time in each job",
    has_depth: false,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    Ok(blocking::opened(
        ENGINE.id,
        worker,
        Sync {
            places: vec![None; worker.files.len()],
        },
    ))
}

struct Sync {
    /// Where each file's next transfer would begin; none where that is not known.
    places: Vec<Option<u64>>,
}

impl Calls for Sync {
    fn transfer(&mut self, worker: &Worker, io: Io, block: &mut [u8]) -> Result<(), i32> {
        let file = &worker.files[usize::from(io.file)];
        let place = &mut self.places[usize::from(io.file)];
        if *place != Some(io.offset) {
            file.seek(io.offset)
                .map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
        }
        *place = None;
        blocking::whole(block.len(), |done| match io.kind {
            SourceKind::Write => file.write_here(&block[done..]),
            _ => file.read_here(&mut block[done..]),
        })?;
        *place = Some(io.offset + block.len() as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocking::Calls;

    #[test]
    fn what_failed_leaves_no_place_behind() {
        let mut sync = Sync {
            places: vec![Some(4096)],
        };
        let (_dir, worker) = crate::tests::worker_on(&[7; 6144]);
        let io = |offset| Io {
            offset,
            number: 0,
            bytes: 4096,
            file: 0,
            kind: SourceKind::Read,
        };
        let mut block = [0; 4096];
        sync.places[0] = None;
        assert_eq!(sync.transfer(&worker, io(0), &mut block), Ok(()));
        assert_eq!((block, sync.places[0]), ([7; 4096], Some(4096)));
        assert_eq!(
            sync.transfer(&worker, io(4096), &mut block),
            Err(0),
            "the end of the file"
        );
        assert_eq!(sync.places[0], None);
        assert_eq!(sync.transfer(&worker, io(0), &mut block), Ok(()));
    }
}
