//! What an engine does when nothing is said: the engines differ in what they are for.

use model::job::{Job, Rw};

/// The job of an engine before any option is applied. Without a `runtime` the engines that have an amount of work to do
/// (`stream`, `files`) end when it is done; the others run for the usual time.
pub fn of(ioengine: &str) -> Job {
    let job = Job { ioengine: ioengine.into(), ..Job::default() };
    match ioengine {
        "stream" => Job { rw: Rw::Write, bs: 1 << 20, end_fsync: true, ..until_done(job) },
        "files" => until_done(job),
        _ => job,
    }
}

fn until_done(job: Job) -> Job {
    Job { direct: false, iodepth: 1, time_based: false, runtime_ms: 0, ..job }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_what_dd_does() {
        let job = of("stream");
        assert_eq!((job.rw, job.bs, job.direct, job.end_fsync), (Rw::Write, 1 << 20, false, true));
        assert!(!job.time_based && job.runtime_ms == 0, "it ends when all is moved");
        assert_eq!(of("io_uring"), Job::default());
    }
}
