//! A job in fio's own words: what is handed to the program. The job itself is said by `language`; what is here is the
//! setting: files, ranges, the time, and what fio prints.

use super::ceph::FioCeph;
use crate::LoadError;
use crate::language;
use crate::source::Span;
use model::job::{BlockSize, Buffers, Fallocate, FileSet, Job, Section, Sharing};

/// Longer than any load, ms: fio is told to stop, it does not stop by itself.
const FOREVER_MS: u64 = 10 * 365 * 86_400_000;

/// Where and with what a job runs, beside what the job says.
#[derive(Debug)]
pub struct FioSetting<'a> {
    /// fio's name of its engine.
    pub ioengine: &'a str,
    /// The files of each owner, as fio is to open them.
    pub files: &'a [Vec<String>],
    /// How a part of a Ceph cluster is reached, in place of files.
    pub ceph: Option<&'a FioCeph>,
    /// The bytes of each file to work on.
    pub span: Span,
    /// Seed of offsets and data.
    pub seed: u64,
    /// Whether this fio prints all kinds of latencies with their bins (3.18).
    pub has_lat_percentiles: bool,
}

/// The command line after the program's name. The error says what fio cannot do.
pub fn of(job: &Job, setting: &FioSetting<'_>) -> Result<Vec<String>, LoadError> {
    if job.open_loop {
        return Err(LoadError::usage(
            "an open loop with the engine fio",
            "fio counts latency from the real submission, not from the intended start",
            "Use io_uring or libaio of iodyno",
        ));
    }
    let sizes = job.sizes();
    let three = [&sizes.read, &sizes.write, &sizes.trim];
    let has = |kind: fn(&BlockSize) -> bool| three.iter().any(|size| kind(size));
    if has(|size| matches!(size, BlockSize::Range(..)))
        && has(|size| matches!(size, BlockSize::Split(_)))
    {
        return Err(LoadError::usage(
            "bsrange and bssplit in one job",
            "fio takes one of them",
            "Use the same kind for all directions",
        ));
    }
    let mut all = Words::default();
    if !job.rw.changes() {
        all.flags(&["readonly"]);
    }
    all.flags(&["output-format=json+", "eta=never"]);
    all.0.extend(language::to_words(&Section {
        job: said(job, setting),
        ..Section::default()
    }));
    // Nothing is made, nothing is laid out: the files are there, and of the right size. Nothing is left behind.
    all.flags(&[
        "thread",
        "group_reporting",
        "allow_file_create=0",
        "fallocate=none",
        "exitall_on_error",
    ]);
    all.flags(&["verify_state_save=0"]);
    if setting.has_lat_percentiles {
        all.flags(&["lat_percentiles=1", "clat_percentiles=1"]);
    }
    // iodyno's own blocks never repeat, compressible or not.
    all.add_if(
        matches!(job.buffers, Buffers::Compressible(_)) && job.rw.writes(),
        "refill_buffers",
        1,
    );
    all.0.extend(sections(job, setting));
    Ok(all.0)
}

/// The job without what the setting says, and without what iodyno does itself: the files and their making, the wait
/// before the start, the end of the time.
fn said(job: &Job, setting: &FioSetting<'_>) -> Job {
    let is_endless = job.time_based;
    Job {
        ioengine: setting.ioengine.into(),
        files: FileSet {
            sharing: Sharing::Same,
            ..FileSet::default()
        },
        fallocate: Fallocate::Reserved,
        size: 0,
        size_percent: 0,
        offset: 0,
        offset_increment: 0,
        runtime_ms: if is_endless {
            FOREVER_MS
        } else {
            job.runtime_ms
        },
        loops: if is_endless { 1 } else { job.loops },
        io_size: if is_endless { 0 } else { job.io_size },
        startdelay_ms: 0,
        // There is no page cache of the kernel's above a cluster's library.
        direct: job.direct && setting.ceph.is_none(),
        numjobs: 1,
        group_reporting: false,
        // fio keeps the sign.
        randseed: setting.seed >> 1,
        randrepeat: true,
        ..job.clone()
    }
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        self.0.push(format!("--{name}={value}"));
    }

    fn add_if(&mut self, is_set: bool, name: &str, value: impl std::fmt::Display) {
        if is_set {
            self.add(name, value);
        }
    }

    fn flags(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(|word| format!("--{word}")));
    }
}

/// One section for each owner of files, or one with all jobs on the same file.
fn sections(job: &Job, setting: &FioSetting<'_>) -> Vec<String> {
    let mut all = Words::default();
    if let Some(ceph) = setting.ceph {
        all.0 = ceph.section(job);
        // The objects of a pool are all of the range.
        if ceph.objects.is_none() {
            all.range(job, setting.span, job.numjobs, 1);
        }
        return all.0;
    }
    let jobs = if setting.files.len() > 1 {
        1
    } else {
        job.numjobs
    };
    for (index, files) in setting.files.iter().enumerate() {
        all.add("name", format!("job{index}"));
        all.add("filename", files.join(":"));
        let end = setting.span.start + share(job, setting.span, jobs).0;
        all.add_if(files.len() > 1, "filesize", end);
        all.range(job, setting.span, jobs, files.len() as u64);
    }
    all.0
}

/// The bytes of each job, and how far apart the jobs begin. Jobs that share a file go over contiguous shares of it, as
/// those of the native engines do.
fn share(job: &Job, span: Span, jobs: u32) -> (u64, u64) {
    let is_shared_out = job.files.sharing == Sharing::Shares && !job.rw.is_random() && jobs > 1;
    if !is_shared_out {
        return (span.bytes, job.offset_increment);
    }
    let share = span.bytes / u64::from(jobs) / job.bs.max(1) * job.bs;
    (share, share)
}

impl Words {
    /// What the jobs of a section work on.
    fn range(&mut self, job: &Job, span: Span, jobs: u32, files: u64) {
        let (size, step) = share(job, span, jobs);
        self.add("offset", span.start);
        self.add_if(jobs > 1 && step > 0, "offset_increment", step);
        self.add("size", size * files);
        self.add("numjobs", jobs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::{Distribution, PerDirection, Rate, Rw, SyncMode};

    fn words(job: &Job, files: &[Vec<String>]) -> String {
        let span = Span {
            start: 0,
            bytes: 1 << 20,
        };
        let setting = FioSetting {
            ioengine: "libaio",
            files,
            ceph: None,
            span,
            seed: 14,
            has_lat_percentiles: true,
        };
        of(job, &setting).unwrap().join(" ")
    }

    fn one() -> Vec<Vec<String>> {
        vec![vec!["/dev/sdx".into()]]
    }

    #[test]
    fn a_job_becomes_what_a_user_would_have_typed() {
        let job = Job {
            rw: Rw::Randrw,
            rwmixread: 70,
            numjobs: 4,
            rates: PerDirection {
                write: Rate::Bytes(1000),
                ..PerDirection::default()
            },
            ..Job::default()
        };
        let words = words(&job, &one());
        for wanted in [
            "--rw=randrw --rwmixread=70",
            "--ioengine=libaio",
            "--iodepth=32 --direct=1",
            "--rate=0,1000,0",
            "--randseed=7",
            "--filename=/dev/sdx --offset=0 --size=1048576 --numjobs=4",
            "--time_based --runtime=315360000",
            "--refill_buffers",
            "--verify_state_save=0",
        ] {
            assert!(words.contains(wanted), "{wanted} is not in {words}");
        }
        assert!(!words.contains("--readonly"), "{words}");
    }

    #[test]
    fn sequential_jobs_on_one_file_have_shares_and_owners_have_sections() {
        let job = Job {
            rw: Rw::Read,
            bs: 4096,
            numjobs: 3,
            ..Job::default()
        };
        assert!(
            words(&job, &one()).contains("--offset_increment=348160 --size=348160 --numjobs=3")
        );
        let files = vec![
            vec!["a".to_string(), "b".to_string()],
            vec!["c".to_string(), "d".to_string()],
        ];
        let words = words(&job, &files);
        assert!(
            words.contains(
                "--name=job0 --filename=a:b --filesize=1048576 --offset=0 --size=2097152 --numjobs=1"
            ),
            "{words}"
        );
        assert!(words.contains("--name=job1 --filename=c:d"), "{words}");
    }

    #[test]
    fn what_iodyno_does_itself_is_not_said_and_what_is_handed_on_replaces() {
        let job = Job {
            startdelay_ms: 5_000,
            size: 1 << 30,
            offset: 4096,
            io_size: 1 << 30,
            loops: 3,
            files: FileSet {
                names: vec!["/dev/other".into()],
                directory: Some("/srv".into()),
                ..FileSet::default()
            },
            iodepth: 8,
            handed_on: vec![
                ("zonemode".into(), "strided".into()),
                ("iodepth".into(), "9".into()),
                ("hipri".into(), String::new()),
            ],
            ..Job::default()
        };
        let words = words(&job, &one());
        for absent in [
            "startdelay",
            "io_size",
            "loops",
            "/dev/other",
            "/srv",
            "1g",
            "iodepth=8",
            "randrepeat",
        ] {
            assert!(!words.contains(absent), "{absent} is in {words}");
        }
        assert!(
            words.contains("--zonemode=strided --iodepth=9 --hipri --thread"),
            "{words}"
        );
    }

    #[test]
    fn the_rarer_options_have_their_names() {
        let job = Job {
            rw: Rw::Read,
            rw_stride: 16384,
            time_based: false,
            runtime_ms: 1_500,
            loops: 2,
            distribution: Distribution::Zoned(vec![(60, 10), (40, 90)]),
            block_sizes: Some(PerDirection::all(BlockSize::Split(vec![
                (4096, 60),
                (65536, 40),
            ]))),
            sync: SyncMode::Dsync,
            ..Job::default()
        };
        let words = words(&job, &one());
        for wanted in [
            "--readonly",
            "--rw=read:16k",
            "zoned:60/10:40/90",
            "--bssplit=4k/60:64k/40 --loops=2",
            "--sync=dsync --runtime=1500ms",
        ] {
            assert!(words.contains(wanted), "{wanted} is not in {words}");
        }
        assert!(!words.contains("time_based"));
        let setting = FioSetting {
            ioengine: "psync",
            files: &one(),
            ceph: None,
            span: Span {
                start: 0,
                bytes: 4096,
            },
            seed: 1,
            has_lat_percentiles: false,
        };
        assert!(
            of(
                &Job {
                    open_loop: true,
                    ..Job::default()
                },
                &setting
            )
            .is_err()
        );
        let sizes = PerDirection {
            write: BlockSize::Split(vec![(4096, 50), (8192, 50)]),
            ..PerDirection::all(BlockSize::Range(4096, 8192))
        };
        assert!(
            of(
                &Job {
                    block_sizes: Some(sizes),
                    ..Job::default()
                },
                &setting
            )
            .is_err()
        );
    }
}
