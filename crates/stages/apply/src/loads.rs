//! Why a setting cannot matter for a load, where it acts on one kind of I/O alone.

use crate::SubjectFiles;
use model::job::Job;

/// It acts on reads.
pub fn of_reads(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    (!job.rw.reads()).then(|| "it acts on reads only".into())
}

/// It acts on writes.
pub fn of_writes(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    (!job.rw.writes()).then(|| "it acts on writes only".into())
}

/// It gives to reads what it takes from writes, or the other way round.
pub fn mixed(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let is_mixed = job.rw.reads() && job.rw.writes();
    (!is_mixed).then(|| "it acts where reads and writes meet".into())
}

/// It acts on dirty pages.
pub fn of_buffered_writes(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    (job.direct || !job.rw.writes()).then(|| "it acts on buffered writes only".into())
}

/// It acts on what the page cache holds.
pub fn through_the_page_cache(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    job.direct.then(|| "direct I/O does not use it".into())
}

/// I/Os that a load keeps under way.
pub fn in_flight(job: &Job) -> u64 {
    u64::from(job.iodepth) * u64::from(job.numjobs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{any_subject, files, queue};
    use crate::knobs;
    use model::job::Rw;
    use model::subject::SubjectKind;

    #[test]
    fn each_knows_its_loads() {
        let queue = queue(&[]);
        let matters = |of: crate::Pointless, direct, rw| {
            let job = Job {
                direct,
                rw,
                ..Job::default()
            };
            of(&queue, &job, &[]).is_none()
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

    /// The job of such words.
    fn job(words: &str) -> Job {
        let words: Vec<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        let mut job = Job::default();
        for pair in words.chunks(2) {
            match pair {
                ["--direct", "0"] => job.direct = false,
                ["--rw", rw] => job.rw = Rw::from_word(rw).unwrap(),
                ["--iodepth", depth] => job.iodepth = depth.parse().unwrap(),
                ["--numjobs", jobs] => job.numjobs = jobs.parse().unwrap(),
                ["--fsync", writes] => job.fsync = writes.parse().unwrap(),
                ["--bs", "1m"] => job.bs = 1 << 20,
                ["--budget", "20m"] | ["--ioengine", "none"] => {}
                ["--command", _] => job.ioengine = "command".into(),
                other => panic!("{other:?}"),
            }
        }
        job
    }

    #[test]
    fn the_load_that_a_knob_names_is_one_that_it_acts_on() {
        for knob in knobs::ALL.iter().filter(|knob| !knob.load.is_empty()) {
            let files = match knob.on {
                SubjectKind::Mount | SubjectKind::FileSystem | SubjectKind::CpuLatency => {
                    queue(&[])
                }
                kind => files(
                    any_subject(kind),
                    &[(knob.attribute, "1"), ("max_ratio", "10")],
                ),
            };
            let why = (knob.pointless)(&files, &job(knob.load), &[]);
            // What no job says: whether there is swap, and the group of a load that is not ours.
            let is_elsewhere = |why: &String| why.contains("no swap") || why.contains("not in");
            let is_known = why.as_ref().is_none_or(is_elsewhere);
            assert!(is_known, "{}: {why:?}", knob.id);
        }
    }

    #[test]
    fn a_knob_that_the_default_load_does_not_reach_names_another() {
        for knob in knobs::ALL.iter().filter(|knob| knob.load.is_empty()) {
            let kind = match knob.on {
                SubjectKind::Mount | SubjectKind::FileSystem | SubjectKind::CpuLatency => {
                    SubjectKind::Queue
                }
                kind => kind,
            };
            let files = files(any_subject(kind), &[(knob.attribute, "1")]);
            let why = (knob.pointless)(&files, &Job::default(), &[]);
            let is_machine = why.as_ref().is_some_and(|why| why.contains("one CPU"));
            assert!(why.is_none() || is_machine, "{}: {why:?}", knob.id);
        }
    }
}
