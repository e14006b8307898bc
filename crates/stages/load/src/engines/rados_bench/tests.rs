//! Tests of what needs no cluster; what needs one is in `crates/iodyno/tests/ceph.rs`.

use super::*;
use crate::defaults;

fn job(rw: Rw) -> Job {
    Job {
        rw,
        ..defaults::of(ENGINE.id)
    }
}

#[test]
fn what_rados_bench_cannot_do_is_said() {
    for rw in [Rw::Write, Rw::Read, Rw::Randread] {
        assert!(check(&job(rw)).is_ok(), "{rw:?}");
    }
    let refused = |job: Job| check(&job).unwrap_err().to_string();
    assert!(refused(job(Rw::Randrw)).contains("--engine fio"));
    let jobs = refused(Job {
        numjobs: 4,
        ..job(Rw::Write)
    });
    assert!(
        jobs.starts_with("--numjobs with --ioengine=rados_bench: rados bench is one process"),
        "{jobs}"
    );
    let mut late = job(Rw::Write);
    late.engine_options.insert("deadline".into(), "0".into());
    assert!(refused(late).contains("from 1 to 3600"));
}

#[test]
fn what_is_written_is_bounded() {
    let facts = PoolFacts {
        free: Some((8 << 30, None)),
        ..PoolFacts::default()
    };
    let write = Job {
        iodepth: 16,
        bs: 4 << 20,
        ..job(Rw::Write)
    };
    let of = |job: &Job, mode, facts: &PoolFacts| objects(job, mode, facts);
    assert_eq!(
        of(&write, BenchMode::Write, &facts),
        1024 - 16,
        "half, with those in flight"
    );
    let quota = PoolFacts {
        free: Some((8 << 30, Some(1000))),
        ..PoolFacts::default()
    };
    assert_eq!(of(&write, BenchMode::Write, &quota), 500 - 1 - 16);
    let sized = Job {
        size: 256 << 20,
        ..write.clone()
    };
    assert_eq!(of(&sized, BenchMode::Write, &facts), 64);
    assert_eq!(of(&write, BenchMode::Seq, &facts), 256);
    let small = Job { bs: 4096, ..write };
    assert_eq!(of(&small, BenchMode::Rand, &facts), 4096);
}

#[test]
fn the_engine_is_for_pools_alone() {
    let dir = host::files::temporary_dir("rados-bench").unwrap();
    let target = crate::loop_device::opened(dir.path());
    let error = crate::prepare(
        &host::Host::live(),
        &target,
        &job(Rw::Write),
        &crate::Consent::default(),
        &host::signals::Stop::new(),
        &mut |_, _| {},
    )
    .unwrap_err()
    .to_string();
    assert!(error.contains("rados://POOL"), "{error}");
}
