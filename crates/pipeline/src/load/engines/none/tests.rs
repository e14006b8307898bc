//! The production load of a loop device, made by another load.

use crate::load::loop_device::LoopDevice;
use crate::load::{Consent, Prepared, Region, lane, prepare, start};
use host::Host;
use host::signals::Stop;
use model::job::{Job, Rw};

fn ready(target: &std::path::Path, job: &Job, device: &str) -> Prepared {
    let consent = Consent { destroy_data: true, ..Consent::default() };
    let mut prepared = prepare(&Host::live(), target, job, &consent, &Stop::new(), &mut |_, _| {}).unwrap();
    prepared.set_device(Some(device.into()));
    prepared
}

fn looking_on() -> Job {
    Job { ioengine: "none".into(), ..Job::default() }
}

#[test]
fn counts_what_others_do() {
    let Some(disk) = LoopDevice::attach(64 << 20) else { return };
    let name = disk.path.file_name().unwrap().to_string_lossy().into_owned();
    let theirs = Job { ioengine: "psync".into(), rw: Rw::Randwrite, numjobs: 1, ..Job::default() };
    let load = start(&ready(&disk.path, &theirs, &name), &theirs, 1, Region::WHOLE).unwrap();
    assert!(load.wait_ms(200, &Stop::new()));
    let before = load.snapshot();
    let running = start(&ready(&disk.path, &looking_on(), &name), &looking_on(), 1, Region::WHOLE).unwrap();
    assert!(running.wait_ms(1_000, &Stop::new()), "{:?}", running.failure());
    assert!(running.snapshot().side(lane::WRITE).ios() > 0, "the rate is known while it runs");
    let result = running.finish();
    let wanted = load.snapshot().since(&before).ios as f64;
    load.finish();
    assert!((result.write.ios as f64 / wanted - 1.0).abs() < 0.2, "{} of {wanted}", result.write.ios);
    assert_eq!(result.write.bytes, result.write.ios * 4096);
    let binned: u64 = result.bins.iter().map(|count| u64::from(*count)).sum();
    assert_eq!(binned, result.ios());
    let full = result.bins.iter().filter(|count| **count > 0).count();
    assert!(full > result.bins.len() / 2, "{full} of {} bins", result.bins.len());
    assert_eq!(
        (result.latency().total(), result.cpu_user_ms),
        (0, 0.0),
        "nothing that was not measured is told"
    );
    assert!(result.notes.iter().any(|note| note.starts_with("mean time of a write request")));
}

#[test]
fn an_idle_device_is_no_load() {
    let Some(disk) = LoopDevice::attach(8 << 20) else { return };
    let name = disk.path.file_name().unwrap().to_string_lossy().into_owned();
    let running = start(&ready(&disk.path, &looking_on(), &name), &looking_on(), 1, Region::WHOLE).unwrap();
    assert!(!running.wait_ms(10_000, &Stop::new()), "it ends by itself");
    let failure = running.failure().unwrap().to_string();
    assert!(failure.contains("there is no load to judge"), "{failure}");
}

#[test]
fn a_target_without_a_device_is_refused() {
    let prepared = ready(&std::env::temp_dir(), &looking_on(), "x");
    let mut bare = prepared;
    bare.set_device(None);
    let error = start(&bare, &looking_on(), 1, Region::WHOLE).unwrap_err().to_string();
    assert!(error.contains("no block device below"), "{error}");
}
