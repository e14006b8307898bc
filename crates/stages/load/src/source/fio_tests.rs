//! The order of I/Os beside fio's own, for everything that no seed decides: fio writes its I/Os into a log
//! (`write_iolog`), and ours have to be the same, offset by offset.

use super::tests::{all_of, span};
use super::*;
use host::files::{read_text, temporary_dir};
use host::spawn;
use model::job::{FileSet, PerDirection, Rw};

/// One line of fio's log: file, kind, offset and bytes.
type Logged = (u16, SourceKind, u64, u32);

/// What fio does with these options; none when it is not installed.
fn fio(options: &[&str]) -> Option<Vec<Logged>> {
    let dir = temporary_dir("iolog").unwrap();
    let text = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let (log, directory) = (
        format!("--write_iolog={}", text("log")),
        format!("--directory={}", text("")),
    );
    let fixed = ["--name=x", "--ioengine=null", "--bs=4k", &log, &directory];
    let all: Vec<&str> = fixed.iter().chain(options).copied().collect();
    let done = match spawn::run("fio", &all) {
        Ok(done) => done,
        Err(error) => {
            skip::missing("fio", error);
            return None;
        }
    };
    assert_eq!(done.status, Some(0), "{options:?}: {}", done.stderr);
    let log = read_text(&dir.path().join("log")).unwrap();
    Some(log.lines().filter_map(logged).collect())
}

/// `124 /tmp/x.0.1 read 8192 4096`; version 2 of the log has no time in front.
fn logged(line: &str) -> Option<Logged> {
    let mut words = line.split_whitespace().rev();
    let (bytes, offset) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let kind = match words.next()? {
        "read" => SourceKind::Read,
        "write" => SourceKind::Write,
        "trim" => SourceKind::Trim,
        "sync" => SourceKind::Sync,
        "datasync" => SourceKind::Datasync,
        _ => return None,
    };
    let file = words.next()?.rsplit('.').next()?.parse().ok()?;
    Some((file, kind, offset, bytes))
}

fn ours(job: &Job, span: Span, files: usize) -> Vec<Logged> {
    let of = |io: Io| (io.file, io.kind, io.offset, io.bytes);
    all_of(job, span, files).into_iter().map(of).collect()
}

/// A sync has no place; fio's log gives the one of the I/O before.
fn without_sync_places(logged: Vec<Logged>) -> Vec<Logged> {
    let place = |(file, kind, offset, bytes)| match kind {
        SourceKind::Sync | SourceKind::Datasync => (file, kind, 0, 0),
        _ => (file, kind, offset, bytes),
    };
    logged.into_iter().map(place).collect()
}

fn same(options: &[&str], job: &Job, span: Span, files: usize) {
    let Some(theirs) = fio(options) else { return };
    assert!(!theirs.is_empty(), "{options:?}: fio did nothing");
    assert_eq!(
        ours(job, span, files),
        without_sync_places(theirs),
        "{options:?}"
    );
}

fn job(rw: Rw) -> Job {
    Job {
        rw,
        time_based: false,
        ..Job::default()
    }
}

const K: u64 = 1 << 10;

#[test]
fn sequential_orders_are_fios() {
    for (word, rw) in [("read", Rw::Read), ("write", Rw::Write), ("trim", Rw::Trim)] {
        same(
            &[&format!("--rw={word}"), "--size=64k"],
            &job(rw),
            span(64 * K),
            1,
        );
    }
    same(
        &["--rw=read", "--size=64k", "--loops=3"],
        &Job {
            loops: 3,
            ..job(Rw::Read)
        },
        span(64 * K),
        1,
    );
    let offset = Span {
        start: 6 * K,
        bytes: 64 * K,
    };
    same(
        &["--rw=read", "--size=64k", "--offset=6k"],
        &job(Rw::Read),
        offset,
        1,
    );
}

#[test]
fn ends_are_fios() {
    for (io_size, loops) in [
        (32, 1),
        (33, 1),
        (64, 1),
        (65, 1),
        (68, 1),
        (100, 1),
        (130, 1),
        (32, 2),
        (48, 3),
        (40, 5),
        (100, 3),
        (150, 2),
    ] {
        let words = [
            &format!("--io_size={io_size}k") as &str,
            &format!("--loops={loops}"),
        ];
        let plain = Job {
            io_size: io_size * K,
            loops,
            ..job(Rw::Read)
        };
        same(
            &[&["--rw=read", "--size=64k"], &words[..]].concat(),
            &plain,
            span(64 * K),
            1,
        );
        let general = Job {
            fsync: 1000,
            ..plain
        };
        assert_eq!(
            ours(&general, span(64 * K), 1),
            ours(&job_of(&general), span(64 * K), 1)
        );
        if let Some(theirs) = fio(&[&["--rw=read", "--size=30k", "--bs=8k"], &words[..]].concat()) {
            for fsync in [0, 1000] {
                let tail = Job {
                    bs: 8 * K,
                    fsync,
                    ..general.clone()
                };
                // What is prepared for a job is whole blocks.
                assert_eq!(
                    ours(&tail, span(24 * K), 1),
                    theirs,
                    "io_size={io_size}k loops={loops}"
                );
            }
        }
    }
}

fn job_of(general: &Job) -> Job {
    Job {
        fsync: 0,
        ..general.clone()
    }
}

#[test]
fn strides_are_fios() {
    for stride in [1i64, 4, 8, 12, 20, 60, 64, 100, -8, -12, -16, -64] {
        for size in [32, 64, 100] {
            let stepping = Job {
                rw_stride: stride * 1024,
                ..job(Rw::Read)
            };
            let words = [format!("--rw=read:{stride}k"), format!("--size={size}k")];
            same(&[&words[0], &words[1]], &stepping, span(size * K), 1);
            let more = Job {
                io_size: 150 * K,
                ..stepping
            };
            same(
                &[&words[0], &words[1], "--io_size=150k"],
                &more,
                span(size * K),
                1,
            );
        }
    }
}

#[test]
fn files_take_turns_as_in_fio() {
    for (files, size, io_size) in [
        (2, 32, 0),
        (3, 48, 0),
        (3, 48, 60),
        (4, 64, 200),
        (5, 20, 0),
    ] {
        let set = FileSet {
            nrfiles: files,
            ..FileSet::default()
        };
        let each = span(size * K / u64::from(files));
        let words = [
            format!("--nrfiles={files}"),
            format!("--size={size}k"),
            format!("--io_size={io_size}k"),
        ];
        let words: Vec<&str> = words
            .iter()
            .take(if io_size > 0 { 3 } else { 2 })
            .map(String::as_str)
            .collect();
        let reads = Job {
            files: set,
            size: size * K,
            io_size: io_size * K,
            ..job(Rw::Read)
        };
        same(
            &[&["--rw=read"], &words[..]].concat(),
            &reads,
            each,
            files as usize,
        );
        if io_size > 0 {
            // Where a sync falls on the end of a pass fio may repeat it at the beginning of the next; ours does not.
            continue;
        }
        let writes = Job {
            rw: Rw::Write,
            fsync: 2,
            ..reads
        };
        same(
            &[&["--rw=write", "--fsync=2"], &words[..]].concat(),
            &writes,
            each,
            files as usize,
        );
    }
}

#[test]
fn syncs_are_fios() {
    for (fsync, fdatasync, loops) in [
        (1, 0, 1),
        (3, 0, 1),
        (3, 0, 2),
        (0, 3, 1),
        (4, 2, 1),
        (5, 5, 1),
    ] {
        let words = [
            format!("--fsync={fsync}"),
            format!("--fdatasync={fdatasync}"),
            format!("--loops={loops}"),
        ];
        let writes = Job {
            fsync,
            fdatasync,
            loops,
            ..job(Rw::Write)
        };
        let options = ["--rw=write", "--size=40k", &words[0], &words[1], &words[2]];
        same(&options, &writes, span(40 * K), 1);
        let and_end = Job {
            end_fsync: true,
            ..writes
        };
        same(
            &[&options[..], &["--end_fsync=1"]].concat(),
            &and_end,
            span(40 * K),
            1,
        );
    }
}

#[test]
fn each_direction_of_a_mix_goes_its_own_way_as_in_fio() {
    // Which direction comes next is chance; where each goes, and where all ends, is not.
    let sizes = |read, write| {
        Some(PerDirection {
            read: BlockSize::Fixed(read),
            write: BlockSize::Fixed(write),
            trim: BlockSize::Fixed(read),
        })
    };
    let options = ["--rw=rw", "--size=1m", "--bs=4k,16k"];
    let Some(theirs) = fio(&options) else { return };
    let ours = ours(
        &Job {
            block_sizes: sizes(4 * K, 16 * K),
            ..job(Rw::Rw)
        },
        span(1 << 20),
        1,
    );
    for kind in [SourceKind::Read, SourceKind::Write] {
        let of = |all: &[Logged]| {
            all.iter()
                .filter(|io| io.1 == kind)
                .map(|io| (io.2, io.3))
                .collect::<Vec<_>>()
        };
        let (ours, theirs) = (of(&ours), of(&theirs));
        let both = ours.len().min(theirs.len());
        assert!(both > 10);
        assert_eq!(ours[..both], theirs[..both]);
    }
    let moved = |all: &[Logged]| all.iter().map(|io| u64::from(io.3)).sum::<u64>();
    assert!(moved(&ours) >= 1 << 20 && moved(&ours) < (1 << 20) + 16 * K);
    assert!(moved(&theirs) >= 1 << 20 && moved(&theirs) < (1 << 20) + 16 * K);
}
