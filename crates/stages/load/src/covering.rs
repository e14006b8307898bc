//! One job whose needs cover those of several, so that a target is made ready once for all of them.

use super::prepare::{job_start, last_start, scratch_bytes};
use model::job::{Job, Rw};

/// The covering job: writes if any writes, direct if any is, the largest blocks, files and number of jobs, and the range
/// from the first byte that any works on to the last. A single job covers itself.
pub fn covering(jobs: &[&Job], is_directory: bool) -> Job {
    let [first, others @ ..] = jobs else {
        return Job::default();
    };
    let mut all = Job::clone(first);
    if others.is_empty() {
        return all;
    }
    let reads = jobs.iter().any(|job| job.rw.reads());
    if let Some(changing) = jobs.iter().find(|job| job.rw.changes()) {
        all.rw = if reads { Rw::Randrw } else { changing.rw };
    }
    let most = |of: fn(&Job) -> u64| jobs.iter().map(|job| of(job)).max().unwrap_or(0);
    all.direct = jobs.iter().any(|job| job.direct);
    all.numjobs = most(|job| job.numjobs.into()) as u32;
    all.bs = most(Job::max_bs);
    all.block_sizes = None;
    // Depth and engine are for the threads, which are not started yet; each job is checked by itself.
    all.iodepth = 1;
    if is_directory {
        all.files.nrfiles = most(|job| job.files.count().into()) as u32;
        all.files.filesize = most(scratch_bytes);
        (all.size, all.size_percent, all.offset, all.offset_increment) = (0, 0, 0, 0);
    } else {
        cover_range(&mut all, jobs);
    }
    all
}

/// On a file or a device: all there is from the first start on, unless every job names its end.
fn cover_range(all: &mut Job, jobs: &[&Job]) {
    let start = jobs.iter().map(|job| job_start(job)).min().unwrap_or(0);
    let end = jobs
        .iter()
        .map(|job| last_start(job).saturating_add(job.size))
        .max()
        .unwrap_or(0);
    let is_open = jobs.iter().any(|job| job.size == 0 || job.size_percent > 0);
    all.size = if is_open { 0 } else { end - start };
    (all.offset, all.offset_increment, all.size_percent) = (start, 0, 0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::{FileSet, Sharing};

    fn same(job: Job) -> Job {
        Job {
            files: FileSet {
                sharing: Sharing::Same,
                ..FileSet::default()
            },
            ..job
        }
    }

    #[test]
    fn everybody_is_covered() {
        let reader = same(Job {
            size: 1100 << 20,
            bs: 1 << 20,
            ..Job::default()
        });
        let writer = same(Job {
            rw: Rw::Write,
            size: 1 << 20,
            offset: 3 << 20,
            direct: false,
            ..Job::default()
        });
        let spread = same(Job {
            size: 1 << 20,
            offset: 1 << 20,
            offset_increment: 2 << 30,
            numjobs: 3,
            ..Job::default()
        });
        let all = covering(&[&reader, &writer, &spread], true);
        assert!(all.rw.reads() && all.rw.writes() && all.direct);
        assert_eq!(
            (all.bs, all.numjobs, scratch_bytes(&all)),
            (1 << 20, 3, (4 << 30) + (2 << 20))
        );
        let unsized_one = same(Job::default());
        assert_eq!(
            scratch_bytes(&covering(&[&reader, &unsized_one], true)),
            1100 << 20
        );
        assert_eq!(
            scratch_bytes(&covering(&[&writer, &unsized_one], true)),
            1 << 30
        );
        let on_device = covering(&[&writer, &spread], false);
        assert_eq!(
            (on_device.offset, on_device.size),
            (1 << 20, (4 << 30) + (1 << 20))
        );
        assert_eq!(covering(&[&writer, &unsized_one], false).size, 0);
        assert_eq!(covering(&[&writer], false), writer);
    }
}
