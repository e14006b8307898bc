//! What the streams of jobs look like.

use super::*;
use crate::offsets::tests_of_skew::chi_square_fits;
use model::job::{FileSet, PerDirection, Rw, Verify, VerifyMethod};

pub fn span(bytes: u64) -> Span {
    Span { start: 0, bytes }
}

/// All I/Os of a job that ends, at most a million, through all its stages.
pub fn all_of(job: &Job, span: Span, files: usize) -> Vec<Io> {
    let next = Arc::new(NextStage::default());
    let mut ios = Vec::new();
    loop {
        let around = Surroundings {
            next: Arc::clone(&next),
            ..Surroundings::default()
        };
        let mut source = OffsetSource::new(job, span, files, 7).within(around);
        while let Some(io) = source.next_io() {
            ios.push(io);
            assert!(ios.len() < 1_000_000, "the job does not end");
        }
        if !next.is_there() {
            return ios;
        }
    }
}

fn ending(rw: Rw) -> Job {
    Job {
        rw,
        time_based: false,
        ..Job::default()
    }
}

fn offsets(ios: &[Io]) -> Vec<u64> {
    ios.iter().map(|io| io.offset / 4096).collect()
}

#[test]
fn the_mix_is_kept_and_repeatable() {
    // Plain and general streams mix alike.
    for fsync in [0, 1 << 30] {
        let job = Job {
            rw: Rw::Randrw,
            rwmixread: 70,
            fsync,
            ..Job::default()
        };
        let mut source = OffsetSource::new(&job, span(4_096_000), 1, 7);
        let ios: Vec<Io> = (0..100_000).map(|_| source.next_io().unwrap()).collect();
        let draws: Vec<usize> = ios.iter().map(|io| io.kind as usize).collect();
        chi_square_fits("rwmixread=70", &[0.7, 0.3], &draws);
        let mut again = OffsetSource::new(&job, span(4_096_000), 1, 7);
        assert!(ios.iter().all(|io| Some(*io) == again.next_io()));
    }
}

#[test]
fn a_sequential_mix_has_two_places() {
    let mut source = OffsetSource::new(
        &Job {
            rw: Rw::Rw,
            ..Job::default()
        },
        span(4_096_000),
        1,
        7,
    );
    let (mut read, mut write) = (0, 0);
    for _ in 0..100 {
        let io = source.next_io().unwrap();
        let next = if io.kind == SourceKind::Write {
            &mut write
        } else {
            &mut read
        };
        assert_eq!(io.offset, *next);
        *next += 4096;
    }
    assert!(read > 0 && write > 0);
}

#[test]
fn every_kind_moves_its_size_once_and_ends() {
    for rw in Rw::ALL {
        // With `loops`, with a cadence that makes it a general stream, and plain.
        for (loops, fsync) in [(1, 0), (3, 0), (1, 1 << 30), (3, 1 << 30)] {
            let job = Job {
                loops,
                fsync,
                ..ending(rw)
            };
            let ios = all_of(&job, span(1 << 20), 1);
            let label = format!("{rw:?} loops={loops} fsync={fsync}");
            assert_eq!(
                ios.iter().map(|io| u64::from(io.bytes)).sum::<u64>(),
                u64::from(loops) << 20,
                "{label}"
            );
            let wanted = |kind| match kind {
                SourceKind::Read => rw.reads(),
                SourceKind::Write => rw.writes(),
                SourceKind::Trim => rw.trims(),
                _ => false,
            };
            assert!(ios.iter().all(|io| wanted(io.kind)), "{label}");
            assert_eq!(
                ios.iter().map(|io| io.number).collect::<Vec<_>>(),
                (0..ios.len() as u64).collect::<Vec<_>>()
            );
            if rw.is_random() {
                for pass in ios.chunks(256) {
                    let mut blocks = offsets(pass);
                    blocks.sort_unstable();
                    assert_eq!(blocks, (0..256).collect::<Vec<_>>(), "{label}");
                }
            }
        }
    }
}

#[test]
fn plain_and_general_streams_are_the_same() {
    for rw in [Rw::Read, Rw::Randread, Rw::Trim, Rw::Rw, Rw::Randrw] {
        let plain = Job {
            rw,
            ..Job::default()
        };
        let general = Job {
            fsync: 1 << 30,
            ..plain.clone()
        };
        let mut streams =
            [plain, general].map(|job| OffsetSource::new(&job, span(300 << 12), 1, 7));
        for _ in 0..10_000 {
            let ios = streams.each_mut().map(|stream| stream.next_io());
            assert_eq!(ios[0], ios[1]);
        }
    }
}

#[test]
fn io_size_ends_exactly() {
    for (io_size, blocks) in [
        (1, 1),
        (4096, 1),
        (8192, 2),
        (8193, 3),
        (3 << 20, 768),
        ((1 << 20) + 1, 256),
    ] {
        for rw in [Rw::Write, Rw::Randread] {
            let job = Job {
                io_size,
                ..ending(rw)
            };
            assert_eq!(
                all_of(&job, span(1 << 20), 1).len(),
                blocks,
                "{rw:?} {io_size}"
            );
        }
    }
}

#[test]
fn strides_leave_holes_and_repeat_nothing() {
    let job = Job {
        rw_stride: 12_288,
        ..ending(Rw::Read)
    };
    let ios = all_of(
        &Job {
            io_size: 64 << 12,
            ..job
        },
        span(256 << 12),
        1,
    );
    assert_eq!(offsets(&ios), (0..64).map(|n| n * 4).collect::<Vec<_>>());
    let backwards = Job {
        rw_stride: -8192,
        ..ending(Rw::Read)
    };
    let ios = all_of(&backwards, span(16 << 12), 1);
    assert_eq!(
        offsets(&ios),
        std::iter::once(0).chain((0..15).rev()).collect::<Vec<_>>()[..16].to_vec()
    );
}

#[test]
fn rows_go_on_or_repeat() {
    let row = Job {
        rw: Rw::Randread,
        rw_every: 8,
        ..Job::default()
    };
    let mut source = OffsetSource::new(&row, span(4096 << 12), 1, 7);
    let ios: Vec<Io> = (0..800).map(|_| source.next_io().unwrap()).collect();
    let in_rows = ios.chunks(8).filter(|row| {
        row.windows(2)
            .all(|pair| pair[1].offset == pair[0].offset + 4096)
    });
    assert!(in_rows.count() >= 97, "all but those that meet the end");
    let mut source = OffsetSource::new(
        &Job {
            rw_identical: true,
            ..row
        },
        span(4096 << 12),
        1,
        7,
    );
    let ios: Vec<Io> = (0..800).map(|_| source.next_io().unwrap()).collect();
    assert!(
        ios.chunks(8)
            .all(|row| row.iter().all(|io| io.offset == row[0].offset))
    );
    let places: std::collections::HashSet<u64> = ios.iter().map(|io| io.offset).collect();
    assert_eq!(
        places.len(),
        100,
        "the first I/Os of rows do not repeat in a pass"
    );
}

#[test]
fn a_share_of_random_io_goes_on_where_the_last_ended() {
    let job = Job {
        rw: Rw::Randread,
        percentage_random: 25,
        norandommap: true,
        ..Job::default()
    };
    let mut source = OffsetSource::new(&job, span(1 << 40), 1, 7);
    let ios: Vec<Io> = (0..100_001).map(|_| source.next_io().unwrap()).collect();
    let jumps = ios
        .windows(2)
        .map(|pair| usize::from(pair[1].offset == pair[0].offset + 4096))
        .collect::<Vec<_>>();
    chi_square_fits("percentage_random=25", &[0.25, 0.75], &jumps);
}

#[test]
fn norandommap_draws_with_repeats() {
    let job = Job {
        norandommap: true,
        ..ending(Rw::Randread)
    };
    let ios = all_of(&job, span(4096 << 12), 1);
    let distinct: std::collections::HashSet<u64> = ios.iter().map(|io| io.offset).collect();
    // 1 − 1/e of the blocks are met.
    assert!((2500..2680).contains(&distinct.len()), "{}", distinct.len());
}

#[test]
fn sizes_keep_their_shares_and_their_place() {
    let split = BlockSize::Split(vec![(4096, 60), (16_384, 30), (65_536, 10)]);
    let job = Job {
        bs: 4096,
        block_sizes: Some(PerDirection {
            read: split,
            write: BlockSize::Range(4096, 32_768),
            trim: BlockSize::Fixed(4096),
        }),
        rw: Rw::Randrw,
        ..Job::default()
    };
    for rw in [Rw::Randrw, Rw::Rw] {
        let mut source = OffsetSource::new(&Job { rw, ..job.clone() }, span(1 << 20), 1, 7);
        let ios: Vec<Io> = (0..200_000).map(|_| source.next_io().unwrap()).collect();
        assert!(
            ios.iter()
                .all(|io| io.offset % 4096 == 0 && io.offset + u64::from(io.bytes) <= 1 << 20)
        );
        let of = |kind| ios.iter().filter(move |io| io.kind == kind);
        let reads: Vec<usize> = of(SourceKind::Read)
            .map(|io| {
                [4096, 16_384, 65_536]
                    .iter()
                    .position(|bytes| *bytes == io.bytes)
                    .unwrap()
            })
            .collect();
        chi_square_fits("bssplit", &[0.6, 0.3, 0.1], &reads);
        let writes: Vec<usize> = of(SourceKind::Write)
            .map(|io| io.bytes as usize / 4096 - 1)
            .collect();
        chi_square_fits("bsrange", &[0.125; 8], &writes);
    }
}

#[test]
fn blockalign_puts_blocks_between_blocks() {
    let job = Job {
        bs: 16_384,
        blockalign: 4096,
        ..ending(Rw::Randread)
    };
    let ios = all_of(&job, span(64 << 20), 1);
    assert_eq!(ios.len(), 4096);
    assert!(
        ios.iter()
            .all(|io| io.offset % 4096 == 0 && io.offset + 16_384 <= 64 << 20)
    );
    assert!(ios.iter().any(|io| io.offset % 16_384 != 0));
}

#[test]
fn files_take_turns_and_skew_reaches_each() {
    let files = FileSet {
        nrfiles: 3,
        ..FileSet::default()
    };
    let job = Job {
        files,
        distribution: Distribution::Zipf(1.2),
        ..ending(Rw::Randread)
    };
    let ios = all_of(&job, span(1 << 20), 3);
    assert_eq!(ios.len(), 768);
    assert!(
        ios.iter()
            .enumerate()
            .all(|(index, io)| usize::from(io.file) == index % 3)
    );
    let first = |file: u16| {
        ios.iter()
            .filter(move |io| io.file == file)
            .map(|io| io.offset)
            .collect::<Vec<_>>()
    };
    assert_ne!(first(0), first(1), "files have orders of their own");
}

#[test]
fn syncs_follow_their_cadence_and_the_end() {
    let job = Job {
        fsync: 4,
        fdatasync: 2,
        end_fsync: true,
        ..ending(Rw::Write)
    };
    let kinds: Vec<SourceKind> = all_of(&job, span(8 << 12), 1)
        .iter()
        .map(|io| io.kind)
        .collect();
    use SourceKind::{Datasync as D, Sync as S, Write as W};
    assert_eq!(kinds, [W, W, D, W, W, S, W, W, D, W, W, S]);
    let reads = Job {
        fsync: 1,
        end_fsync: true,
        ..ending(Rw::Read)
    };
    assert!(
        all_of(&reads, span(8 << 12), 1)
            .iter()
            .all(|io| io.kind == SourceKind::Read)
    );
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
        ..ending(rw)
    }
}

/// The last write of each block, of what comes before the first read that checks.
fn last_writes(ios: &[Io]) -> std::collections::BTreeMap<(u16, u64), u64> {
    ios.iter()
        .filter(|io| io.kind == SourceKind::Write)
        .map(|io| ((io.file, io.offset), io.number))
        .collect()
}

#[test]
fn the_last_write_of_every_block_is_read_back_in_order() {
    for rw in [Rw::Write, Rw::Randwrite, Rw::Rw, Rw::Randrw] {
        for files in [1, 3] {
            for blocks in [1, 100, 256, 257, 400, 1000, 2600] {
                let job = Job {
                    io_size: blocks << 12,
                    ..verifying(rw)
                };
                let ios = all_of(&job, span(256 << 12), files);
                let (reads, rest): (Vec<Io>, Vec<Io>) = ios
                    .into_iter()
                    .partition(|io| io.kind == SourceKind::Read && io.number & CHECKS != 0);
                let label = format!("{rw:?} files={files} blocks={blocks}");
                let syncs = rest
                    .iter()
                    .rev()
                    .take_while(|io| io.kind == SourceKind::Sync)
                    .count();
                assert_eq!(syncs, files, "{label}");
                assert_eq!(rest.len() as u64, blocks + files as u64, "{label}");
                let checked: std::collections::BTreeMap<(u16, u64), u64> = reads
                    .iter()
                    .map(|io| ((io.file, io.offset), io.number & !CHECKS))
                    .collect();
                assert_eq!(
                    checked.len(),
                    reads.len(),
                    "{label}: a block was read twice"
                );
                assert_eq!(checked, last_writes(&rest), "{label}");
                assert!(
                    reads.windows(2).all(|pair| pair[0].number < pair[1].number),
                    "{label}"
                );
            }
        }
    }
}

#[test]
fn orders_with_repeats_are_read_back_whole() {
    for distribution in [Distribution::Random, Distribution::Zipf(1.1)] {
        let job = Job {
            distribution,
            norandommap: true,
            ..verifying(Rw::Randwrite)
        };
        let ios = all_of(&job, span(64 << 12), 1);
        let reads = ios.iter().filter(|io| io.kind == SourceKind::Read);
        assert!(reads.clone().all(|io| io.number & ANY_WRITE != 0));
        assert_eq!(reads.count(), 64);
    }
}

#[test]
fn winding_down_reads_back_what_was_handed_out() {
    for (rw, blocks) in [(Rw::Randwrite, 1000), (Rw::Write, 256), (Rw::Randrw, 777)] {
        let job = Job {
            time_based: true,
            ..verifying(rw)
        };
        let (next, flag) = (
            Arc::new(NextStage::default()),
            Arc::new(AtomicBool::new(false)),
        );
        let around = || Surroundings {
            files: Vec::new(),
            next: next.clone(),
            is_winding_down: flag.clone(),
        };
        let mut source = OffsetSource::new(&job, span(256 << 12), 1, 7).within(around());
        let (mut ios, mut reads) = (Vec::new(), std::collections::BTreeMap::new());
        loop {
            match source.next_io() {
                Some(io) if io.number & CHECKS != 0 && io.kind == SourceKind::Read => {
                    reads.insert((io.file, io.offset), io.number & !CHECKS);
                }
                Some(io) => ios.push(io),
                None if next.is_there() => {
                    source = OffsetSource::new(&job, span(256 << 12), 1, 7).within(around())
                }
                None => break,
            }
            if ios.len() == blocks {
                flag.store(true, Relaxed);
            }
        }
        assert_eq!(reads, last_writes(&ios), "{rw:?}");
    }
}

#[test]
fn a_stream_costs_little_memory() {
    let job = Job {
        distribution: Distribution::Zipf(1.2),
        ..Job::default()
    };
    let mut source = OffsetSource::new(&job, span(1 << 50), 1, 7);
    assert!(std::mem::size_of::<OffsetSource>() + std::mem::size_of::<SourceStage>() < 4096);
    assert!((0..100_000).all(|_| source.next_io().unwrap().offset < 1 << 50));
}

fn kinds_of_streams() -> [(&'static str, Job); 8] {
    let plain = Job::default();
    [
        (
            "sequential",
            Job {
                rw: Rw::Read,
                ..plain.clone()
            },
        ),
        ("random", plain.clone()),
        (
            "random mix",
            Job {
                rw: Rw::Randrw,
                ..plain.clone()
            },
        ),
        (
            "random, general",
            Job {
                fsync: 1,
                ..plain.clone()
            },
        ),
        (
            "norandommap",
            Job {
                norandommap: true,
                ..plain.clone()
            },
        ),
        (
            "zipf 1.2",
            Job {
                distribution: Distribution::Zipf(1.2),
                ..plain.clone()
            },
        ),
        (
            "pareto 0.2",
            Job {
                distribution: Distribution::Pareto(0.2),
                ..plain.clone()
            },
        ),
        (
            "normal 10",
            Job {
                distribution: Distribution::Normal(10.0),
                ..plain.clone()
            },
        ),
    ]
}

/// Prints what one I/O of each kind of stream costs: `cargo test -p load --release -- --ignored cost_of`.
#[test]
#[ignore = "live"]
fn cost_of_an_io() {
    for (label, job) in kinds_of_streams() {
        let mut source = OffsetSource::new(&job, span(1 << 40), 1, 7);
        let mut sum = 0u64;
        let best = (0..5)
            .map(|_| {
                let before = host::clock::monotonic_ns();
                (0..2_000_000).for_each(|_| {
                    sum = sum.wrapping_add(source.next_io().map_or(0, |io| io.offset))
                });
                host::clock::monotonic_ns() - before
            })
            .min();
        println!(
            "{label}: {:.2} ns ({sum:x})",
            best.unwrap_or(0) as f64 / 2e6
        );
    }
}
