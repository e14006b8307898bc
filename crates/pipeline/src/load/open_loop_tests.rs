//! Open loops: a stall that a closed loop hides shows in full.

use super::loop_device::StallingDevice;
use super::*;
use host::Host;
use host::signals::Stop;
use model::job::{Arrivals, Job, PerDirection, Rate, Rw};
use model::record::LoadResult;

/// How long the device is stalled, ms.
const STALL_MS: u64 = 400;
const RATE: u64 = 500;

fn job(ioengine: &str, open_loop: bool, arrivals: Arrivals) -> Job {
    Job {
        ioengine: ioengine.into(),
        rw: Rw::Randwrite,
        rates: PerDirection::all(Rate::Iops(RATE)),
        iodepth: 4,
        open_loop,
        arrivals,
        ..Job::default()
    }
}

/// Two seconds of load on a device that stalls once; none where it could not be made to.
fn with_a_stall(device: &StallingDevice, job: &Job) -> Option<LoadResult> {
    let consent = Consent { destroy_data: true, ..Consent::default() };
    let prepared =
        prepare(&Host::live(), device.path(), job, &consent, &Stop::new(), &mut |_, _| {}).unwrap();
    let running = start(&prepared, job, 1, Region::WHOLE).unwrap();
    assert!(running.wait_ms(800, &Stop::new()), "{:?}", running.failure());
    let did_stall = device.stall_ms(STALL_MS);
    assert!(running.wait_ms(800, &Stop::new()), "{:?}", running.failure());
    did_stall.then(|| running.finish())
}

/// I/Os that waited at least `ms`.
fn slower_than(result: &LoadResult, ms: u64) -> f64 {
    let latency = &result.write.latency;
    let share = (0..1000).find(|share| latency.quantile_ns(f64::from(*share) / 1e3) >= Some(ms * 1_000_000));
    share.map_or(0.0, |share| 1.0 - f64::from(share) / 1e3) * result.write.ios as f64
}

#[test]
fn a_stall_shows_in_an_open_loop_and_hides_in_a_closed_one() {
    let Some(device) = StallingDevice::attach(32 << 20) else { return };
    for engine in ["io_uring", "libaio"] {
        for arrivals in [Arrivals::Linear, Arrivals::Poisson] {
            let Some(open) = with_a_stall(&device, &job(engine, true, arrivals)) else { return };
            let label = format!("{engine} {arrivals:?}");
            let hit_ms = open.write.latency.quantile_ns(1.0).unwrap() / 1_000_000;
            assert!(hit_ms >= STALL_MS * 9 / 10, "{label}: {hit_ms} ms at most");
            let tail_ms = open.write.latency.quantile_ns(0.95).unwrap() / 1_000_000;
            assert!(tail_ms >= STALL_MS / 4, "{label}: p95 is {tail_ms} ms");
            // Those that were due in the first half of the stall, 100 of them, waited at least half of it.
            let hit = slower_than(&open, STALL_MS / 2);
            assert!((60.0..250.0).contains(&hit), "{label}: {hit} hit");
            let service = open.service.as_ref().unwrap();
            assert_eq!(service.total(), open.write.ios, "{label}");
            // Only what was in flight had a long service: the queue has four places.
            assert!(service.quantile_ns(0.95).unwrap() < STALL_MS * 250_000, "{label}");
            let seconds = open.elapsed_ms / 1e3;
            assert!(
                (open.iops() / RATE as f64 - 1.0).abs() < 0.15,
                "{label}: {} in {seconds} s",
                open.write.ios
            );
        }
        let Some(closed) = with_a_stall(&device, &job(engine, false, Arrivals::Linear)) else { return };
        let hit = slower_than(&closed, STALL_MS / 2);
        assert!(hit < 10.0 && closed.service.is_none(), "{engine}: {hit} hit");
        assert!(closed.write.latency.quantile_ns(0.98).unwrap() < STALL_MS * 250_000, "{engine}");
    }
}

#[test]
fn what_was_never_submitted_is_counted() {
    let dir = host::files::temporary_dir("open").unwrap();
    let job = Job {
        size: 8 << 20,
        rates: PerDirection::all(Rate::Iops(50_000_000)),
        open_loop: true,
        iodepth: 1,
        ..Job::default()
    };
    let prepared =
        prepare(&Host::live(), dir.path(), &job, &Consent::default(), &Stop::new(), &mut |_, _| {}).unwrap();
    let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
    assert!(running.wait_ms(200, &Stop::new()));
    let result = running.finish();
    let note = result.notes.iter().find(|note| note.contains("arrivals were never submitted")).unwrap();
    let waiting: u64 = note.split(' ').next().unwrap().parse().unwrap();
    let due = result.elapsed_ms * 50_000.0;
    let counted = (waiting + result.read.ios) as f64;
    assert!((counted / due - 1.0).abs() < 0.1, "{waiting} waiting and {} done of {due}", result.read.ios);
    assert!(result.read.latency.quantile_ns(0.9) > result.service.unwrap().quantile_ns(0.9));
}
