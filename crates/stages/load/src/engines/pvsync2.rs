//! # One I/O at a time: preadv2 and pwritev2
//!
//! ## What it does
//! Each job is a thread that calls `preadv2` or `pwritev2` with one buffer and waits for it. With the option `hipri` the
//! kernel polls the device for the completion in place of sleeping until its interrupt (`RWF_HIPRI`), which some NVMe
//! devices answer faster and which keeps a CPU busy. The latency of an I/O runs from just before the call to its return.
//!
//! ## Options
//! All options of the I/O, its rate and its pauses. `hipri` (0 or 1) polls; it needs `direct=1`. `iodepth` has no meaning
//! here: the depth of each job is 1, and the result says so where more was asked for.
//!
//! ## Danger to data
//! Jobs that write or trim destroy what the target holds; the gates before the load decide whether they may.
//!
//! ## Limits
//! Linux 4.6 and later. A driver without polling (`/sys/block/*/queue/io_poll` is 0) ignores `hipri` or refuses it with
//! `Operation not supported`, by kernel version; a refusal ends the load and is named. No flag tells from outside
//! whether a completion was polled: the CPU time in the result does.
//!
//! ## Example
//! ```text
//! iodyno run /dev/nvme0n1 -- --ioengine=pvsync2 --hipri --rw=randread --bs=4k --direct=1
//! ```

use crate::blocking::{self, Calls};
use crate::source::{Io, SourceKind};
use crate::worker::{OpenError, Opened, Worker};
use crate::{Engine, LoadError, Needs, Runs};

/// The engine.
pub static ENGINE: Engine = Engine {
    id: "pvsync2",
    since: "0.1.0",
    summary: "preadv2 and pwritev2, one I/O at a time in each job, polled where asked for",
    has_depth: false,
    runs: Runs::PerJob,
    needs: Needs::Files,
    operations: &[],
    open,
};

fn open(worker: &Worker) -> Result<Opened, OpenError> {
    let polls = match worker.job.engine_options.get("hipri").map(String::as_str) {
        None | Some("0") => false,
        Some("1" | "") => true,
        Some(other) => {
            let error = LoadError::usage(
                format!("--hipri={other}"),
                "it is 0 or 1",
                "Leave it out, or give 1 to poll for completions",
            );
            return Err(OpenError::Failed(error));
        }
    };
    if polls && !worker.job.direct {
        let error = LoadError::usage(
            "--hipri with --direct=0",
            "only direct I/O can be polled for",
            "Use --direct=1 as well",
        );
        return Err(OpenError::Failed(error));
    }
    let description = if polls {
        "pvsync2 (RWF_HIPRI)"
    } else {
        ENGINE.id
    };
    let opened = blocking::opened(ENGINE.id, worker, Pvsync2 { polls });
    Ok(Opened {
        description: description.into(),
        ..opened
    })
}

struct Pvsync2 {
    polls: bool,
}

impl Calls for Pvsync2 {
    #[inline(always)]
    fn transfer(&mut self, worker: &Worker, io: Io, block: &mut [u8]) -> Result<(), i32> {
        let file = &worker.files[usize::from(io.file)];
        blocking::whole(block.len(), |done| match io.kind {
            SourceKind::Write => {
                file.write_vectored_at(&block[done..], io.offset + done as u64, self.polls)
            }
            _ => file.read_vectored_at(&mut block[done..], io.offset + done as u64, self.polls),
        })
    }
}
