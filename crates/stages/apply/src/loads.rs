//! Why a setting cannot matter for a load, where it acts on one kind of I/O alone.

use crate::SubjectFiles;
use model::job::Job;

/// It acts on reads.
pub fn of_reads(_: &SubjectFiles, job: &Job) -> Option<String> {
    (!job.rw.reads()).then(|| "it acts on reads only".into())
}

/// It acts on writes.
pub fn of_writes(_: &SubjectFiles, job: &Job) -> Option<String> {
    (!job.rw.writes()).then(|| "it acts on writes only".into())
}

/// It gives to reads what it takes from writes, or the other way round.
pub fn mixed(_: &SubjectFiles, job: &Job) -> Option<String> {
    let is_mixed = job.rw.reads() && job.rw.writes();
    (!is_mixed).then(|| "it acts where reads and writes meet".into())
}

/// It acts on dirty pages.
pub fn of_buffered_writes(_: &SubjectFiles, job: &Job) -> Option<String> {
    (job.direct || !job.rw.writes()).then(|| "it acts on buffered writes only".into())
}

/// It acts on what the page cache holds.
pub fn through_the_page_cache(_: &SubjectFiles, job: &Job) -> Option<String> {
    job.direct.then(|| "direct I/O does not use it".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::queue;
    use model::job::Rw;

    #[test]
    fn each_knows_its_loads() {
        let queue = queue(&[]);
        let matters = |of: fn(&SubjectFiles, &Job) -> Option<String>, direct, rw| {
            let job = Job {
                direct,
                rw,
                ..Job::default()
            };
            of(&queue, &job).is_none()
        };
        assert!(matters(of_reads, true, Rw::Randread) && !matters(of_reads, true, Rw::Write));
        assert!(matters(of_writes, true, Rw::Randrw) && !matters(of_writes, true, Rw::Read));
        assert!(matters(mixed, true, Rw::Randrw) && !matters(mixed, true, Rw::Randread));
        assert!(matters(of_buffered_writes, false, Rw::Write));
        assert!(!matters(of_buffered_writes, true, Rw::Write));
        assert!(!matters(of_buffered_writes, false, Rw::Read));
        assert!(matters(through_the_page_cache, false, Rw::Read));
        assert!(!matters(through_the_page_cache, true, Rw::Read));
    }
}
