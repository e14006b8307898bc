//! A run or a series of loads on a simulated disk.

use super::args::RunArgs;
use crate::commands::job_args::Workload;
use crate::context::Context;
use crate::exit::Failure;
use model::iopath::IoPath;

/// Refuses to load a cluster where a rehearsal was asked for.
pub fn must_be_no_cluster(args: &RunArgs) -> Result<(), Failure> {
    match args.rehearse {
        None => Ok(()),
        Some(_) => Err(Failure::usage(
            "a part of a Ceph cluster cannot be rehearsed: the simulated disk stands in for a local one. Name a directory, a \
             file or a block device.",
        )
        .on("--rehearse")),
    }
}

/// The machine with a simulated disk, where a rehearsal was asked for.
///
/// # Errors
/// What of a run cannot be rehearsed.
pub fn begin(
    args: &RunArgs,
    context: &Context,
    (workload, path): (&Workload, &IoPath),
) -> Result<Option<Context>, Failure> {
    let Some(rehearse) = &args.rehearse else {
        return Ok(None);
    };
    if let Some((knob, value)) = rehearse.values().next() {
        return Err(Failure::usage(format!(
            "a run changes no setting, so {}={value} can have no effect. Name the disk alone.",
            knob.id
        ))
        .on("--rehearse"));
    }
    let first = workload.sections.first();
    let seed = args.seed.or(first.map(|section| section.job.randseed));
    let seed = seed.unwrap_or_default();
    rehearse.begin(context, path, seed).map(Some)
}
