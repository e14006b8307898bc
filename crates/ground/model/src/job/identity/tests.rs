//! Who tells a job, in what words and with which engine does not matter; what changes the load does.

use super::super::{
    Arrivals, BlockSize, Buffers, Distribution, PerDirection, Rate, SyncMode, Thinktime, Verify,
    VerifyMethod,
};
use super::*;

fn told(pairs: &[(&str, &str)]) -> Identity {
    let facts = pairs
        .iter()
        .map(|(name, word)| (name.to_string(), word.to_string()));
    Identity::told(&facts.collect())
}

/// Stores hold hashes of this text: whoever changes it changes [`VERSION`] and the schema of the store.
#[test]
fn the_text_of_version_1() {
    let text = Identity::of(&Job::default()).text().unwrap();
    assert_eq!(
        text,
        "job/2 rw=randread bs=4k direct=1 iodepth=32 numjobs=1"
    );
    let job = Job {
        rw: Rw::Randrw,
        direct: false,
        distribution: Distribution::Zipf(1.2),
        rates: PerDirection::all(Rate::Iops(100)),
        arrivals: Arrivals::Poisson,
        open_loop: true,
        ..Job::default()
    };
    assert_eq!(
        Identity::of(&job).text().unwrap(),
        "job/2 rw=randrw bs=4k direct=0 iodepth=32 numjobs=1 rwmixread=50 rate=100/s arrivals=open poisson \
         distribution=zipf:1.2"
    );
    let files = Job {
        ioengine: "files".into(),
        engine_options: [("files".to_string(), "100".to_string())].into(),
        ..Job::default()
    };
    assert_eq!(
        Identity::of(&files).text().unwrap(),
        "job/2 numjobs=1 options=files=100 load=small files"
    );
}

#[test]
fn a_job_and_another_tools_words_for_it_are_the_same() {
    let own = Identity::of(&Job::default());
    assert_eq!(own.core(), "rw=randread bs=4k iodepth=32 numjobs=1");
    let facts = [
        ("rw", "randread"),
        ("bs", "4096B-4096B"),
        ("iodepth", "32"),
        ("numjobs", "1"),
    ];
    let short = told(&facts);
    assert_eq!((short.core(), short.text()), (own.core(), None));
    let whole = told(
        &[
            &facts[..],
            &[("direct", "1"), ("fsync", "0"), ("sync", "0")],
        ]
        .concat(),
    );
    assert_eq!(whole.text(), own.text());
    let synced = Job {
        sync: SyncMode::Sync,
        rw_every: 8,
        ..Job::default()
    };
    let further = [("direct", "1"), ("rw", "randread:8"), ("sync", "1")];
    let theirs = told(&[&facts[1..], &further].concat());
    assert_eq!(theirs.text(), Identity::of(&synced).text());
}

#[test]
fn whatever_changes_the_load_changes_the_identity() {
    let change = |change: fn(&mut Job)| {
        let mut job = Job::default();
        change(&mut job);
        Identity::of(&job).text().unwrap()
    };
    let others = [
        change(|job| job.direct = false),
        change(|job| job.fsync = 1),
        change(|job| job.end_fsync = true),
        change(|job| job.bs = 8192),
        change(|job| job.block_sizes = Some(PerDirection::all(BlockSize::Range(4096, 8192)))),
        change(|job| job.sync = SyncMode::Dsync),
        change(|job| job.distribution = Distribution::Zipf(1.2)),
        change(|job| job.percentage_random = 50),
        change(|job| job.rw_stride = 4096),
        change(|job| job.rw_every = 2),
        change(|job| job.rates.read = Rate::Iops(4096)),
        change(|job| job.rates.read = Rate::Bytes(4096)),
        change(|job| {
            job.thinktime = Thinktime {
                us: 10,
                ..Thinktime::default()
            }
        }),
        change(|job| job.buffers = Buffers::Zeros),
        change(|job| {
            job.verify = Some(Verify {
                method: VerifyMethod::Crc32c,
                interval: 0,
                read_back: true,
                fatal: true,
            })
        }),
        change(|job| job.iodepth_batch = 8),
        change(|job| job.iodepth_low = 8),
        change(|job| job.handed_on = vec![("lockmem".into(), "1g".into())]),
        change(|job| job.ioengine = "psync".into()),
        change(|_| {}),
    ];
    let distinct: std::collections::BTreeSet<&String> = others.iter().collect();
    assert_eq!(distinct.len(), others.len(), "{others:#?}");
}

#[test]
fn how_long_and_by_which_call_is_beside_the_point() {
    let other = Job {
        runtime_ms: 1,
        randseed: 7,
        ioengine: "libaio".into(),
        size: 1 << 30,
        iodepth_batch: 1,
        ..Job::default()
    };
    assert_eq!(Identity::of(&other), Identity::of(&Job::default()));
    let engine = |engine: &str, iodepth| {
        Identity::of(&Job {
            ioengine: engine.into(),
            iodepth,
            ..Job::default()
        })
    };
    for name in ["psync", "mmap", "stream"] {
        assert_eq!(engine(name, 64), engine("io_uring", 1), "{name}");
    }
    assert_eq!(
        told(&[("ioengine", "psync"), ("iodepth", "64")]).get("iodepth"),
        Some("1")
    );
}

#[test]
fn sizes_and_flags_of_other_tools() {
    for text in [
        "4096B-4096B",
        "4K-4K/4K-4K/4K-4K",
        "4 KiB",
        "(R) 4096B-4096B, (W) 4096B-4096B",
        "4k",
    ] {
        assert_eq!(told(&[("bs", text)]).get("bs"), Some("4k"), "{text}");
    }
    assert_eq!(told(&[("bs", "4k-64k")]).get("bs"), Some("4k-64k"));
    assert_eq!(told(&[("rw", "read:16k")]).get("rw_stride"), Some("16384"));
    let both = |buffered| told(&[("direct", "1"), ("buffered", buffered)]);
    assert_eq!(both("0").get("direct"), Some("1"));
    assert_eq!(both("1").get("direct"), None);
    assert_eq!(told(&[("buffered", "1")]).get("direct"), Some("0"));
}
