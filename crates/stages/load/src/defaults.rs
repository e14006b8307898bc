//! What an engine does when nothing is said: the engines differ in what they are for.

use host::files::FileKind;
use model::job::{Job, Rw, Sharing};

/// The job of an engine before any option is applied. Without a `runtime` the engines that have an amount of work to do
/// (`stream`, `files`) end when it is done; the others run for the usual time.
pub fn of(ioengine: &str) -> Job {
    let job = Job {
        ioengine: ioengine.into(),
        ..Job::default()
    };
    match ioengine {
        "stream" => Job {
            rw: Rw::Write,
            bs: 1 << 20,
            end_fsync: true,
            ..until_done(job)
        },
        "files" => until_done(job),
        // As rados bench itself.
        "rados_bench" => Job {
            rw: Rw::Write,
            bs: 4 << 20,
            iodepth: 16,
            ..job
        },
        // A command decides how long it runs.
        "command" => Job {
            time_based: false,
            runtime_ms: 0,
            ..job
        },
        _ => job,
    }
}

/// The job on a target: in a directory each stream has a file of its own, as each dd has. On one file the streams would
/// wait for each other.
pub fn on(job: &mut Job, kind: FileKind) {
    if job.ioengine == "stream"
        && kind == FileKind::Directory
        && job.files.sharing == Sharing::Shares
    {
        job.files.sharing = Sharing::Own;
    }
}

/// fio's job on a target that is one file or device: it stands in for `filename`, so all jobs work on it.
pub fn stand_in(job: &mut Job, kind: FileKind) {
    if kind != FileKind::Directory && job.files.sharing == Sharing::Own && job.files.count() == 1 {
        job.files.sharing = Sharing::Same;
    }
}

fn until_done(job: Job) -> Job {
    Job {
        direct: false,
        iodepth: 1,
        time_based: false,
        runtime_ms: 0,
        ..job
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_what_dd_does() {
        let job = of("stream");
        assert_eq!(
            (job.rw, job.bs, job.direct, job.end_fsync),
            (Rw::Write, 1 << 20, false, true)
        );
        assert!(
            !job.time_based && job.runtime_ms == 0,
            "it ends when all is moved"
        );
        assert_eq!(of("io_uring"), Job::default());
        let mut of_directory = job.clone();
        on(&mut of_directory, FileKind::File);
        assert_eq!(of_directory, job);
        on(&mut of_directory, FileKind::Directory);
        assert_eq!(of_directory.files.sharing, Sharing::Own);
    }
}
