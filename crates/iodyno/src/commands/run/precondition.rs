//! `run --precondition`: SNIA's workload independent preconditioning, the whole range written twice in sequence.
//!
//! A fresh SSD writes to blocks that are erased already, and a used one has to move data first; a load that begins on
//! a fresh one measures a state that never comes back.

use super::args::StudyArgs;
use crate::context::Context;
use crate::exit::Failure;
use crate::live::Teller;
use host::files::FileKind;
use host::signals::Stop;
use load::{Prepared, Region};
use model::job::{Job, PerDirection, Rw, Sharing};
use model::steady::Precondition;
use model::studies::Studies;
use model::units::{bytes, bytes_per_s, span_ms};

/// Block size that SNIA prescribes, bytes.
const BS: u64 = 128 << 10;

const PASSES: u64 = 2;

const DEPTH: u32 = 32;

/// A job for which a target is made ready when it is to be written first, whatever the job itself does. The gates then
/// ask for the consent that writing needs.
pub fn writing(job: &Job) -> Job {
    let rw = if job.rw.changes() {
        job.rw
    } else if job.rw.is_random() {
        Rw::Randrw
    } else {
        Rw::Rw
    };
    Job { rw, ..job.clone() }
}

/// The job for which a plain load's target is made ready.
pub fn prepared_for(args: &StudyArgs, job: &Job) -> Job {
    if args.precondition {
        writing(job)
    } else {
        job.clone()
    }
}

/// For a plain load: wears the target in where that is asked for.
pub fn if_asked(
    args: &StudyArgs,
    context: &Context,
    prepared: &Prepared,
    job: &Job,
    stop: &Stop,
) -> Result<Studies, Failure> {
    let worn = if args.precondition {
        Some(wear_in(context, prepared, job, stop)?)
    } else {
        None
    };
    Ok(Studies {
        precondition: worn,
        ..Studies::default()
    })
}

/// The job that wears the target in: a fast engine, direct where the job is, and one writer for each file.
fn writer(prepared: &Prepared, job: &Job) -> Job {
    let bs = BS
        .min(prepared.file_bytes())
        .next_multiple_of(prepared.align_bytes().max(512));
    Job {
        ioengine: "io_uring".into(),
        rw: Rw::Write,
        bs: if bs > prepared.file_bytes() {
            job.bs
        } else {
            bs
        },
        iodepth: DEPTH,
        numjobs: if job.files.sharing == Sharing::Own {
            prepared.owners() as u32
        } else {
            1
        },
        direct: job.direct,
        rates: PerDirection::default(),
        size: job.size,
        size_percent: job.size_percent,
        offset: job.offset,
        files: job.files.clone(),
        time_based: false,
        runtime_ms: 0,
        randseed: job.randseed,
        ..Job::default()
    }
}

/// Writes the whole target twice, with progress. A stop ends it early, and the result says so.
pub fn wear_in(
    context: &Context,
    prepared: &Prepared,
    job: &Job,
    stop: &Stop,
) -> Result<Precondition, Failure> {
    if prepared.owners() == 0 {
        return Err(Failure::usage(format!(
            "--precondition writes the target before a load, and --ioengine={} works on none. Leave it out",
            job.ioengine
        )));
    }
    let unused = job.offset * prepared.all_files().count() as u64;
    let range_bytes = prepared.bytes().saturating_sub(unused);
    let wanted = range_bytes * PASSES;
    let target = prepared.place().opened();
    let whole_device = target
        .is_ok_and(|target| matches!(target.kind(), FileKind::BlockDevice { .. }))
        && (job.size, job.size_percent, job.offset) == (0, 0, 0);
    let job = writer(prepared, job);
    context.out.note(format!(
        "preconditioning: {} are written twice in sequence before anything is measured",
        bytes(range_bytes as f64)
    ));
    let line = Teller::new(context.out);
    let begin_ns = host::clock::monotonic_ns();
    let mut passes = Vec::new();
    let mut done = 0;
    for _ in 0..PASSES {
        let running = load::start(prepared, &job, job.randseed, Region::WHOLE)?;
        while !running.is_over() && !stop.is_asked() {
            running.wait_ms(50, stop);
            if let Some(failure) = running.failure() {
                return Err(failure.into());
            }
            let now_ns = host::clock::monotonic_ns();
            line.say(progress(
                done + running.snapshot().bytes,
                wanted,
                now_ns - begin_ns,
            ));
        }
        if let Some(failure) = running.failure() {
            return Err(failure.into());
        }
        let pass = running.finish();
        done += pass.write.bytes;
        passes.push(pass.bytes_per_s());
    }
    let elapsed_ms = (host::clock::monotonic_ns() - begin_ns) / 1_000_000;
    prepared.sync()?;
    line.clear();
    Ok(Precondition {
        how: format!(
            "written twice in sequential blocks of {}",
            bytes(job.bs as f64)
        ),
        whole_device,
        range_bytes,
        bytes: done,
        elapsed_ms,
        complete: !stop.is_asked() && passes.len() as u64 == PASSES,
        passes_bytes_per_s: passes,
    })
}

fn progress(done: u64, wanted: u64, elapsed_ns: u64) -> String {
    let rate = done as f64 / elapsed_ns.max(1) as f64 * 1e9;
    let left_ms = (wanted.saturating_sub(done) as f64 / rate.max(1.0) * 1e3) as u64;
    format!(
        "preconditioning: {} of {} written at {}   about {} left",
        bytes(done as f64),
        bytes(wanted as f64),
        bytes_per_s(rate),
        span_ms(left_ms.div_ceil(1000) * 1000)
    )
}
