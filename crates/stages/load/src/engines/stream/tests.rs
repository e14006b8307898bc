//! Streams on real files.

use super::ENGINE;
use crate::loop_device::opened;
use crate::patience::{until_counted, until_over};
use crate::{Consent, LoadError, Prepared, Region, defaults, lane, prepare, start};
use host::Host;
use host::files::temporary_dir;
use host::signals::Stop;
use model::job::{Job, PerDirection, Rate, Rw, Sharing};
use model::record::LoadResult;
use std::path::Path;

fn ready(target: &Path, job: &Job) -> Prepared {
    prepare(
        &Host::live(),
        &opened(target),
        job,
        &Consent::default(),
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap()
}

fn job() -> Job {
    Job {
        size: 24 << 20,
        ..defaults::of(ENGINE.id)
    }
}

fn whole(job: &Job) -> Result<LoadResult, LoadError> {
    let dir = temporary_dir("stream").unwrap();
    let running = start(&ready(dir.path(), job), job, 1, Region::WHOLE)?;
    until_over(&running);
    let failure = running.failure();
    let result = running.finish();
    failure.map_or(Ok(result), Err)
}

#[test]
fn every_byte_is_moved_once_and_fsync_is_in_the_time() {
    for sharing in [Sharing::Shares, Sharing::Own] {
        let mut job = Job {
            numjobs: 3,
            ..job()
        };
        job.files.sharing = sharing;
        let result = whole(&job).unwrap();
        let trees = if sharing == Sharing::Own { 3 } else { 1 };
        assert_eq!(result.write.bytes, trees * (24 << 20), "{sharing:?}");
        assert_eq!((result.write.ios, result.sync.ios), (trees * 24, 3));
        let sync_ns = result.sync.latency.quantile_ns(1.0).unwrap();
        assert!(
            result.elapsed_ms * 1e6 > sync_ns as f64 * 0.98,
            "{} ms hold {sync_ns} ns",
            result.elapsed_ms
        );
        let told = result
            .notes
            .iter()
            .filter(|note| note.contains("then fsync in"))
            .count();
        assert_eq!(told, 3, "{:?}", result.notes);
    }
}

#[test]
fn a_read_brings_all_and_a_runtime_goes_round() {
    let result = whole(&Job {
        rw: Rw::Read,
        numjobs: 2,
        ..job()
    })
    .unwrap();
    assert_eq!(
        (result.read.bytes, result.write.ios, result.sync.ios),
        (24 << 20, 0, 0)
    );
    let job = Job {
        rw: Rw::Read,
        time_based: true,
        runtime_ms: 300,
        size: 4 << 20,
        direct: true,
        ..job()
    };
    let dir = temporary_dir("stream").unwrap();
    let running = start(&ready(dir.path(), &job), &job, 1, Region::WHOLE).unwrap();
    until_counted(&running, "more than twice round", |seen| {
        seen.side(lane::READ).bytes > 8 << 20
    });
    assert!(running.finish().read.bytes > 8 << 20);
}

#[test]
fn what_is_written_is_on_the_file() {
    let dir = temporary_dir("stream").unwrap();
    let job = Job {
        numjobs: 2,
        size: 5 << 20,
        io_size: 2_500_000,
        ..job()
    };
    let prepared = ready(dir.path(), &job);
    let file = prepared.all_files().next().unwrap();
    let content = || {
        let mut bytes = vec![0; 5 << 20];
        assert_eq!(file.read_at(&mut bytes, 0).unwrap(), 5 << 20);
        bytes
    };
    let before = content();
    let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
    until_over(&running);
    let result = running.finish();
    assert_eq!(
        result.write.bytes, 5_000_000,
        "each moves io_size, going round its share"
    );
    let after = content();
    let changed = before
        .chunks(4096)
        .zip(after.chunks(4096))
        .filter(|(a, b)| a != b)
        .count();
    assert!(
        (1_100..=1_280).contains(&changed),
        "{changed} of 1280 blocks"
    );
}

#[test]
fn what_is_no_stream_is_refused() {
    let said = |job: Job| whole(&job).unwrap_err().to_string();
    assert!(
        said(Job {
            rw: Rw::Randread,
            ..job()
        })
        .contains("Use --rw=write or --rw=read")
    );
    let rates = PerDirection::all(Rate::Iops(10));
    assert!(said(Job { rates, ..job() }).contains("as fast as it can"));
}
