//! The production load of a loop device, made by another load.

use crate::loop_device::{LoopDevice, opened};
use crate::patience::{until, until_counted};
use crate::{Consent, Prepared, Region, Running, lane, prepare, start};
use host::Host;
use host::signals::Stop;
use model::job::{Job, Rw};
use model::record::Direction;

fn ready(target: &std::path::Path, job: &Job, device: &str) -> Prepared {
    let consent = Consent {
        destroy_data: true,
        ..Consent::default()
    };
    let mut prepared = prepare(
        &Host::live(),
        &opened(target),
        job,
        &consent,
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap();
    prepared.set_device(Some(device.into()));
    prepared
}

fn looking_on() -> Job {
    Job {
        ioengine: "none".into(),
        ..Job::default()
    }
}

/// Bins so far in which there were I/Os.
fn full_bins(running: &Running) -> usize {
    let bins = (host::clock::monotonic_ns() - running.origin_ns()) / running.bin_ns();
    let bins = running.bins(0, bins as usize).unwrap();
    bins.iter().filter(|count| **count > 0).count()
}

/// Requests of 4 KiB, one in flight. Linux counts a request's bytes in blk_update_request and the request itself in
/// blk_account_io_done a moment later (block/blk-mq.c, 6.18): a look between the two, at either end, sees the bytes alone.
fn assert_bytes_of_requests(side: &Direction) {
    assert!(
        side.bytes.abs_diff(side.ios * 4096) <= 4096,
        "{} bytes of {} requests of 4 KiB, one in flight",
        side.bytes,
        side.ios
    );
}

#[test]
#[ignore = "live"]
fn counts_what_others_do() {
    let Some(disk) = LoopDevice::attach(64 << 20) else {
        return;
    };
    let name = disk
        .path
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let theirs = Job {
        ioengine: "psync".into(),
        rw: Rw::Randwrite,
        numjobs: 1,
        ..Job::default()
    };
    let load = start(
        &ready(&disk.path, &theirs, &name),
        &theirs,
        1,
        Region::WHOLE,
    )
    .unwrap();
    until_counted(&load, "the load to look at", |seen| seen.ios > 0);
    let before = load.snapshot();
    let running = start(
        &ready(&disk.path, &looking_on(), &name),
        &looking_on(),
        1,
        Region::WHOLE,
    )
    .unwrap();
    until_counted(&running, "the first look", |seen| {
        seen.side(lane::WRITE).ios() > 0
    });
    // From here on nothing may be missed.
    let watched = load.snapshot();
    assert!(
        until(|| full_bins(&running) > 50),
        "the rate is known while it runs, {} bins of it",
        full_bins(&running)
    );
    let done = load.finish().write.ios;
    let (least, most) = (done - watched.ios, done - before.ios);
    until_counted(&running, "the last look", |seen| seen.ios >= least);
    let result = running.finish();
    assert!(
        (least..=most).contains(&result.write.ios),
        "{} of {least} to {most}",
        result.write.ios
    );
    assert_bytes_of_requests(&result.write);
    let binned: u64 = result.bins.iter().map(|count| u64::from(*count)).sum();
    assert_eq!(binned, result.ios());
    assert_eq!(
        (result.latency().total(), result.cpu_user_ms),
        (0, 0.0),
        "nothing that was not measured is told"
    );
    assert!(
        result
            .notes
            .iter()
            .any(|note| note.starts_with("mean time of a write request"))
    );
}

#[test]
#[ignore = "live"]
fn an_idle_device_is_no_load() {
    let Some(disk) = LoopDevice::attach(8 << 20) else {
        return;
    };
    let name = disk
        .path
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let running = start(
        &ready(&disk.path, &looking_on(), &name),
        &looking_on(),
        1,
        Region::WHOLE,
    )
    .unwrap();
    // Whoever looks at new devices may have looked at this one just now: then it was not idle.
    until(|| running.failure().is_some() || running.snapshot().ios > 0);
    let (failure, ios) = (running.failure(), running.snapshot().ios);
    skip::measured(
        skip::Outcome::won_if(failure.is_some()),
        format!("{ios} I/Os of others"),
    );
    let said = failure.map(|failure| failure.to_string());
    assert!(
        said.iter()
            .all(|said| said.contains("there is no load to judge")),
        "{said:?}"
    );
}

#[test]
fn a_target_without_a_device_is_refused() {
    let prepared = ready(&std::env::temp_dir(), &looking_on(), "x");
    let mut bare = prepared;
    bare.set_device(None);
    let error = start(&bare, &looking_on(), 1, Region::WHOLE)
        .unwrap_err()
        .to_string();
    assert!(error.contains("no block device below"), "{error}");
}
