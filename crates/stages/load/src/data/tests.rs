//! What is written, and what a check says about what is read.

use super::*;
use crate::source::SourceKind;
use model::job::{PerDirection, Rw, Verify, VerifyMethod};

fn verifying() -> Job {
    let verify = Verify {
        method: VerifyMethod::Crc32c,
        interval: 0,
        read_back: true,
        fatal: false,
    };
    Job {
        rw: Rw::Randwrite,
        verify: Some(verify),
        ..Job::default()
    }
}

fn io(offset: u64, number: u64, bytes: u32, kind: SourceKind) -> Io {
    Io {
        offset,
        number,
        bytes,
        file: 0,
        kind,
    }
}

fn written(data: &mut Data, offset: u64, number: u64, bytes: usize) -> Vec<u8> {
    let mut buffer = vec![0; bytes];
    data.initial(&mut buffer, 3);
    data.prepare(
        &mut buffer,
        &io(offset, number, bytes as u32, SourceKind::Write),
    );
    buffer
}

#[test]
fn plain_data_is_new_in_every_write() {
    let job = Job {
        rw: Rw::Randwrite,
        ..Job::default()
    };
    let mut data = Data::new(&job, 5);
    let mut buffer = vec![0; 4096];
    data.initial(&mut buffer, 0);
    let mut words = std::collections::HashSet::new();
    for number in 0..50 {
        data.prepare(&mut buffer, &io(0, number, 4096, SourceKind::Write));
        assert!(buffer.chunks(8).all(|word| words.insert(word.to_vec())));
    }
    assert!(!data.checks());
    let mut reader = vec![0; 64];
    Data::new(&Job::default(), 5).initial(&mut reader, 0);
    assert_eq!(reader, [0; 64], "a job that writes nothing needs no data");
}

#[test]
fn zeros_and_compressible_data_stay_so() {
    for (buffers, share) in [
        (Buffers::Zeros, 1.0),
        (Buffers::Compressible(70), 0.7),
        (Buffers::Compressible(0), 0.0),
    ] {
        let mut data = Data::new(
            &Job {
                rw: Rw::Write,
                buffers,
                ..Job::default()
            },
            5,
        );
        let mut buffer = vec![1; 65_536];
        data.initial(&mut buffer, 0);
        let mut before = Vec::new();
        for number in 0..20 {
            data.prepare(&mut buffer, &io(0, number, 65_536, SourceKind::Write));
            assert!(buffers == Buffers::Zeros || buffer != before);
            before = buffer.clone();
        }
        for chunk in buffer.chunks(4096) {
            let zeros = chunk.iter().filter(|byte| **byte == 0).count() as f64 / 4096.0;
            assert!((zeros - share).abs() < 0.03, "{buffers:?}: {zeros}");
        }
    }
}

#[test]
fn what_was_written_passes_and_every_damage_is_told_with_its_place() {
    let mut data = Data::new(&verifying(), 5).with_names(vec!["/srv/data".into()]);
    let good = written(&mut data, 8192, 17, 4096);
    let read = io(8192, CHECKS | 17, 4096, SourceKind::Read);
    assert_eq!(data.check(&good, &read), None);
    assert_ne!(&good[40..80], &written(&mut data, 8192, 18, 4096)[40..80]);

    let mut flipped = good.clone();
    flipped[3000] ^= 4;
    let said = data.check(&flipped, &read).unwrap();
    assert!(
        said.starts_with(
            "/srv/data, byte 8192: the 4096 bytes do not match their checksum: crc32c "
        ),
        "{said}"
    );
    let said = data.check(&[0xab; 4096], &read).unwrap();
    assert!(
        said.contains("expected the header of write 17, found the bytes [ab, ab, ab"),
        "{said}"
    );
    let elsewhere = written(&mut data, 4096, 17, 4096);
    let said = data.check(&elsewhere, &read).unwrap();
    assert_eq!(
        said,
        "/srv/data, byte 8192: expected write 17, found data that was written at byte 4096"
    );
    let stale = written(&mut data, 8192, 16, 4096);
    assert!(
        data.check(&stale, &read)
            .unwrap()
            .ends_with("expected write 17, found the older write 16")
    );
    let newer = written(&mut data, 8192, 20, 4096);
    assert!(
        data.check(&newer, &read)
            .unwrap()
            .ends_with("found the newer write 20")
    );
    let other = written(&mut Data::new(&verifying(), 6), 8192, 17, 4096);
    assert!(
        data.check(&other, &read)
            .unwrap()
            .contains("another job or run")
    );
    // Where any write may be the last, all of the job's own are right, at their place only.
    let any = Io {
        number: CHECKS | ANY_WRITE | 17,
        ..read
    };
    assert_eq!(data.check(&stale, &any), None);
    assert!(
        data.check(&elsewhere, &any)
            .unwrap()
            .contains("write 17 or a later one")
    );
}

#[test]
fn the_first_bad_interval_is_named() {
    let mut job = Job {
        bs: 65_536,
        ..verifying()
    };
    job.verify = job.verify.map(|verify| Verify {
        interval: 4096,
        ..verify
    });
    let mut data = Data::new(&job, 5);
    let mut block = written(&mut data, 1 << 20, 2, 65_536);
    let read = io(1 << 20, CHECKS | 2, 65_536, SourceKind::Read);
    assert_eq!(data.check(&block, &read), None);
    block[5 * 4096 + 77] ^= 1;
    block[9 * 4096 + 77] ^= 1;
    let said = data.check(&block, &read).unwrap();
    assert!(
        said.starts_with(&format!(
            "file 0, byte {}: the 4096 bytes",
            (1 << 20) + 5 * 4096
        )),
        "{said}"
    );
}

#[test]
fn data_without_a_header_is_lost_to_a_reader_and_says_nothing_in_a_mix() {
    let read = io(0, 3, 4096, SourceKind::Read);
    let reader = Job {
        rw: Rw::Read,
        ..verifying()
    };
    for job in [
        reader.clone(),
        Job {
            rw: Rw::Randrw,
            ..verifying()
        },
    ] {
        let mut data = Data::new(&job, 5);
        assert_eq!(
            data.check(&[9; 4096], &read).is_some(),
            job.rw == Rw::Read,
            "{:?}",
            job.rw
        );
        let mut block = written(&mut Data::new(&verifying(), 5), 0, 1, 4096);
        assert_eq!(data.check(&block, &read), None);
        block[100] ^= 1;
        assert!(data.check(&block, &read).is_some());
    }
    // An earlier run had another seed; its data is whole all the same.
    let earlier = written(&mut Data::new(&verifying(), 99), 0, 1, 4096);
    assert_eq!(Data::new(&reader, 5).check(&earlier, &read), None);
    // A read may meet the write of its block in flight.
    let mut block = written(&mut Data::new(&verifying(), 5), 0, 1, 4096);
    block[100] ^= 1;
    for job in [
        Job {
            rw: Rw::Rw,
            ..verifying()
        },
        Job {
            rw: Rw::Randrw,
            norandommap: true,
            ..verifying()
        },
    ] {
        assert_eq!(Data::new(&job, 5).check(&block, &read), None);
    }
}

#[test]
fn intervals_divide_every_block_and_place() {
    let with = |change: &dyn Fn(&mut Job)| {
        let mut job = verifying();
        change(&mut job);
        interval_bytes(&job)
    };
    assert_eq!(with(&|_| {}), 4096);
    assert_eq!(with(&|job| job.blockalign = 512), 512);
    assert_eq!(with(&|job| job.rw_stride = 1024), 1024);
    let split = BlockSize::Split(vec![(4096, 50), (6144, 50)]);
    assert_eq!(
        with(&|job| job.block_sizes = Some(PerDirection::all(split.clone()))),
        2048
    );
    let asked = |interval| Verify {
        interval,
        ..verifying().verify.unwrap()
    };
    assert_eq!(with(&|job| job.verify = Some(asked(512))), 512);
    assert_eq!(
        with(&|job| job.verify = Some(asked(3000))),
        4096,
        "a block is not a multiple of 3000"
    );
}
