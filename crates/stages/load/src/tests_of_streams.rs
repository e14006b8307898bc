//! Whole loads on real files: what is reached, in what order it ends, and what reading back finds.

use super::data::Data;
use super::loop_device::opened;
use super::patience::{until_counted, until_over};
use super::source::{CHECKS, NextStage, OffsetSource, SourceKind, Span, Surroundings};
use super::*;
use host::Host;
use host::files::{Access, DataFile, TemporaryDir, temporary_dir};
use host::signals::Stop;
use model::failure::Exit;
use model::job::{Distribution, Fallocate, FileSet, Job, Rw, Sharing, Verify, VerifyMethod};
use model::record::LoadResult;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn job(rw: Rw) -> Job {
    Job {
        ioengine: "psync".into(),
        rw,
        time_based: false,
        iodepth: 1,
        direct: false,
        size: 1 << 20,
        ..Job::default()
    }
}

fn verifying(rw: Rw) -> Job {
    let verify = Verify {
        method: VerifyMethod::Crc32c,
        interval: 0,
        read_back: true,
        fatal: false,
    };
    Job {
        verify: Some(verify),
        ..job(rw)
    }
}

fn ready(target: &Path, job: &Job) -> Result<Prepared, LoadError> {
    let consent = Consent {
        overwrite: true,
        ..Consent::default()
    };
    prepare(
        &Host::live(),
        &opened(target),
        job,
        &consent,
        &Stop::new(),
        &mut |_, _| {},
    )
}

/// Runs a job to its own end.
fn whole(target: &Path, job: &Job) -> LoadResult {
    let prepared = ready(target, job).unwrap();
    let running = start(&prepared, job, 1, Region::WHOLE).unwrap();
    until_over(&running);
    assert!(running.failure().is_none(), "{:?}", running.failure());
    running.finish()
}

/// A file of so many bytes, all `x`.
fn file(bytes: usize) -> (TemporaryDir, PathBuf) {
    let dir = temporary_dir("streams").unwrap();
    let path = dir.path().join("data");
    host::files::write_atomically(&path, &"x".repeat(bytes)).unwrap();
    (dir, path)
}

/// Which of the file's 4 KiB blocks are not all `x`.
fn changed(path: &Path) -> Vec<usize> {
    let data = DataFile::open(path, Access::default()).unwrap();
    let mut bytes = vec![0; data.bytes() as usize];
    assert_eq!(data.read_at(&mut bytes, 0).unwrap(), bytes.len());
    let blocks = bytes.chunks(4096).enumerate();
    blocks
        .filter(|(_, block)| block.iter().any(|byte| *byte != b'x'))
        .map(|(index, _)| index)
        .collect()
}

#[test]
fn jobs_end_by_themselves_and_sync_at_the_end() {
    let dir = temporary_dir("streams").unwrap();
    let result = whole(
        dir.path(),
        &Job {
            loops: 3,
            ..job(Rw::Randread)
        },
    );
    assert_eq!((result.read.bytes, result.read.ios), (3 << 20, 768));
    let result = whole(
        dir.path(),
        &Job {
            io_size: 100 << 10,
            fsync: 10,
            end_fsync: true,
            ..job(Rw::Write)
        },
    );
    assert_eq!((result.write.ios, result.sync.ios), (25, 3));
    let two = FileSet {
        nrfiles: 2,
        sharing: Sharing::Own,
        ..FileSet::default()
    };
    let result = whole(
        dir.path(),
        &Job {
            files: two,
            numjobs: 3,
            end_fsync: true,
            ..job(Rw::Write)
        },
    );
    assert_eq!((result.write.bytes, result.sync.ios), (3 << 20, 6));
}

#[test]
fn each_job_keeps_to_its_own_part() {
    let same = |offset: u64, offset_increment: u64, size: u64, numjobs: u32, rw| {
        let (_dir, path) = file(64 << 12);
        let files = FileSet {
            sharing: Sharing::Same,
            ..FileSet::default()
        };
        let job = Job {
            files,
            offset: offset << 12,
            offset_increment: offset_increment << 12,
            size: size << 12,
            numjobs,
            ..job(rw)
        };
        let result = whole(&path, &job);
        (changed(&path), result.write.ios)
    };
    assert_eq!(same(8, 0, 16, 1, Rw::Write), ((8..24).collect(), 16));
    assert_eq!(
        same(0, 20, 4, 3, Rw::Randwrite),
        ([0..4, 20..24, 40..44].into_iter().flatten().collect(), 12)
    );
    // Without a size each job goes on to the end, as in fio.
    assert_eq!(same(4, 30, 0, 2, Rw::Write), ((4..64).collect(), 60 + 30));
    let (_dir, path) = file(64 << 12);
    let files = FileSet {
        sharing: Sharing::Same,
        ..FileSet::default()
    };
    whole(
        &path,
        &Job {
            files,
            size: 0,
            size_percent: 25,
            offset: 40 << 12,
            ..job(Rw::Write)
        },
    );
    assert_eq!(changed(&path), (40..56).collect::<Vec<_>>());
    // An offset that is no multiple of the block.
    let (_dir, path) = file(64 << 12);
    whole(
        &path,
        &Job {
            bs: 8192,
            size: 16_384,
            offset: 12_288,
            ..job(Rw::Randwrite)
        },
    );
    assert_eq!(changed(&path), [3, 4, 5, 6]);
}

#[test]
fn what_does_not_fit_is_named() {
    let (_dir, path) = file(64 << 12);
    let cases = [
        (
            Job {
                size: 1 << 20,
                ..job(Rw::Read)
            },
            "--size=1048576: ",
            "has 256 KiB only",
        ),
        (
            Job {
                size: 128 << 10,
                offset: 192 << 10,
                ..job(Rw::Read)
            },
            "--offset=192 KiB --size=131072",
            "Ask for less",
        ),
        (
            Job {
                size: 0,
                offset: 1 << 20,
                ..job(Rw::Read)
            },
            "--offset=1.00 MiB",
            "nothing is left",
        ),
    ];
    for (job, what, why) in cases {
        let error = ready(&path, &job).unwrap_err();
        assert_eq!(error.exit(), Exit::Usage);
        let text = error.to_string();
        assert!(text.contains(what) && text.contains(why), "{text}");
    }
    let error = ready(
        path.parent().unwrap(),
        &Job {
            size: 0,
            size_percent: 50,
            ..job(Rw::Read)
        },
    )
    .unwrap_err();
    assert!(error.to_string().contains("--size=50%"), "{error}");
}

#[test]
fn files_are_made_as_asked_unless_they_are_read() {
    let dir = temporary_dir("streams").unwrap();
    let cases = [
        (Fallocate::Written, Some(1 << 20), 1 << 20),
        (Fallocate::None, Some(0), 0),
        (Fallocate::Truncate, Some(0), 1 << 20),
        (Fallocate::Reserved, Some(0), 1 << 20),
    ];
    for (fallocate, written, length) in cases {
        let prepared = match ready(
            dir.path(),
            &Job {
                fallocate,
                ..job(Rw::Write)
            },
        ) {
            Err(error) if fallocate == Fallocate::Reserved => {
                skip::missing("machine:fallocate", error);
                continue;
            }
            other => other.unwrap(),
        };
        let file = prepared.files(0)[0].reopen(Access::default()).unwrap();
        assert_eq!(file.bytes(), length, "{fallocate:?}");
        assert!(
            [written, None].contains(&file.written_bytes(1 << 20)),
            "{fallocate:?}"
        );
        let running = start(
            &prepared,
            &Job {
                fallocate,
                ..job(Rw::Write)
            },
            1,
            Region::WHOLE,
        )
        .unwrap();
        until_over(&running);
        assert_eq!(running.finish().write.bytes, 1 << 20);
        let read = ready(
            dir.path(),
            &Job {
                fallocate,
                ..job(Rw::Randrw)
            },
        )
        .unwrap();
        assert!(
            [Some(1 << 20), None].contains(&read.files(0)[0].written_bytes(1 << 20)),
            "{fallocate:?}"
        );
    }
}

#[test]
fn all_that_was_written_is_read_back_and_counted() {
    let dir = temporary_dir("streams").unwrap();
    for (label, job, blocks) in [
        ("sequential", verifying(Rw::Write), 256),
        (
            "two passes and a bit",
            Job {
                io_size: (2 << 20) + (40 << 12),
                ..verifying(Rw::Randwrite)
            },
            256,
        ),
        (
            "with repeats",
            Job {
                distribution: Distribution::Zipf(1.1),
                ..verifying(Rw::Randwrite)
            },
            256,
        ),
        (
            "two jobs on one range",
            Job {
                numjobs: 2,
                ..verifying(Rw::Randwrite)
            },
            512,
        ),
        (
            "direct",
            Job {
                direct: true,
                ..verifying(Rw::Randwrite)
            },
            256,
        ),
    ] {
        let result = whole(dir.path(), &job);
        let verified = result.verified.unwrap();
        assert_eq!(
            (verified.blocks, verified.bad),
            (blocks, 0),
            "{label}: {:?}",
            verified.first_bad
        );
        assert_eq!(result.read.ios, blocks, "{label}");
        assert_eq!(result.sync.ios, u64::from(job.numjobs), "{label}");
    }
}

#[test]
fn a_timed_load_is_wound_down_and_read_back() {
    let dir = temporary_dir("streams").unwrap();
    let job = Job {
        time_based: true,
        ..verifying(Rw::Randrw)
    };
    let prepared = ready(dir.path(), &job).unwrap();
    let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
    until_counted(&running, "a timed load", |seen| {
        seen.side(lane::WRITE).ios() > 0
    });
    assert!(running.wind_down(&job), "it reads back");
    until_over(&running);
    let result = running.finish();
    let verified = result.verified.unwrap();
    assert_eq!(verified.bad, 0, "{:?}", verified.first_bad);
    assert!(verified.blocks > 0 && result.write.ios > 0);
}

/// Does what an engine does with a source, one I/O at a time, and tells what reading back finds; `before_reading` gets
/// the file once all is written.
fn by_hand(job: &Job, path: &Path, before_reading: impl Fn(&DataFile)) -> (u64, Vec<String>) {
    let file = DataFile::open(
        path,
        Access {
            write: true,
            ..Access::default()
        },
    )
    .unwrap();
    let (span, next) = (
        Span {
            start: 0,
            bytes: file.bytes(),
        },
        Arc::new(NextStage::default()),
    );
    let mut data = Data::new(job, 5).with_names(vec![path.to_string_lossy().into_owned()]);
    let mut buffer = vec![0; job.max_bs() as usize];
    data.initial(&mut buffer, 0);
    let (mut checked, mut bad) = (0, Vec::new());
    loop {
        let around = Surroundings {
            next: Arc::clone(&next),
            ..Surroundings::default()
        };
        let mut source = OffsetSource::new(job, span, 1, 5).within(around);
        while let Some(io) = source.next_io() {
            let block = &mut buffer[..io.bytes as usize];
            match io.kind {
                SourceKind::Write => {
                    data.prepare(block, &io);
                    assert_eq!(file.write_at(block, io.offset).unwrap(), block.len());
                }
                SourceKind::Read => {
                    let mut read = vec![0; block.len()];
                    assert_eq!(file.read_at(&mut read, io.offset).unwrap(), read.len());
                    checked += u64::from(io.number & CHECKS != 0);
                    bad.extend(data.check(&read, &io));
                }
                _ => before_reading(&file),
            }
        }
        if !next.is_there() {
            return (checked, bad);
        }
    }
}

#[test]
fn injected_corruption_is_found_at_its_offset() {
    for rw in [Rw::Write, Rw::Randwrite] {
        for distribution in [Distribution::Random, Distribution::Normal(20.0)] {
            let (_dir, path) = file(1 << 20);
            let job = Job {
                distribution,
                bs: 16_384,
                ..verifying(rw)
            };
            let (checked, bad) = by_hand(&job, &path, |_| {});
            assert!(checked == 64 && bad.is_empty(), "{bad:?}");
            let (checked, bad) = by_hand(&job, &path, |file| {
                // The byte comes from its complement: whatever was there, it is wrong now.
                let mut byte = [0];
                file.read_at(&mut byte, 500_000).unwrap();
                file.write_at(&[!byte[0]], 500_000).unwrap();
            });
            assert_eq!(checked, 64);
            let wanted = format!("{}, byte {}: ", path.display(), 500_000 / 16_384 * 16_384);
            assert!(
                !bad.is_empty() || job.rw == Rw::Randwrite,
                "nothing was found"
            );
            assert!(bad.iter().all(|said| said.starts_with(&wanted)), "{bad:?}");
        }
    }
}

#[test]
fn lost_and_misplaced_writes_are_found() {
    let (_dir, path) = file(1 << 20);
    // Two passes; then one block is put back as the first pass left it, and one is copied over another.
    let job = Job {
        loops: 2,
        ..verifying(Rw::Write)
    };
    let first = Job {
        loops: 1,
        ..job.clone()
    };
    by_hand(&first, &path, |_| {});
    let old = DataFile::open(&path, Access::default()).unwrap();
    let mut block = vec![0; 4096];
    old.read_at(&mut block, 7 << 12).unwrap();
    let (_, bad) = by_hand(&job, &path, |file| {
        file.write_at(&block, 7 << 12).unwrap();
        let mut other = vec![0; 4096];
        file.read_at(&mut other, 9 << 12).unwrap();
        file.write_at(&other, 8 << 12).unwrap();
    });
    let name = path.display();
    assert_eq!(
        bad,
        [
            format!("{name}, byte 28672: expected write 263, found the older write 7"),
            format!(
                "{name}, byte 32768: expected write 264, found data that was written at byte 36864"
            ),
        ]
    );
}

#[test]
fn a_later_reader_finds_corruption_and_a_fatal_one_ends() {
    let (_dir, path) = file(1 << 20);
    let quiet = |mut job: Job| {
        job.verify = job.verify.map(|verify| Verify {
            read_back: false,
            ..verify
        });
        job
    };
    let result = whole(&path, &quiet(verifying(Rw::Randwrite)));
    assert!(result.verified.is_none() && result.read.ios == 0);
    let reader = quiet(verifying(Rw::Read));
    let verified = whole(&path, &reader).verified.unwrap();
    assert_eq!((verified.blocks, verified.bad), (256, 0));
    let file = DataFile::open(
        &path,
        Access {
            write: true,
            ..Access::default()
        },
    )
    .unwrap();
    for byte in [300_000, 900_000] {
        file.write_at(b"damage", byte).unwrap();
    }
    let verified = whole(&path, &reader).verified.unwrap();
    assert_eq!((verified.blocks, verified.bad), (256, 2));
    assert!(verified.first_bad[0].starts_with(&format!(
        "{}, byte {}: ",
        path.display(),
        300_000 / 4096 * 4096
    )));
    let mut fatal = reader;
    fatal.verify = fatal.verify.map(|verify| Verify {
        fatal: true,
        ..verify
    });
    let prepared = ready(&path, &fatal).unwrap();
    let running = start(&prepared, &fatal, 1, Region::WHOLE).unwrap();
    assert!(
        !running.wind_down(&fatal),
        "a reader has nothing to do at its end"
    );
    until_over(&running);
    assert!(
        running
            .failure()
            .unwrap()
            .to_string()
            .contains("byte 299008")
    );
    assert_eq!(running.finish().verified.unwrap().bad, 1);
}
