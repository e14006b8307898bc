//! Open loops: a stall that a closed loop hides shows in full.

use super::loop_device::{StallingDevice, opened};
use super::patience::until_counted;
use super::*;
use host::Host;
use host::signals::Stop;
use model::job::{Arrivals, Job, PerDirection, Rate, Rw};
use model::record::LoadResult;
use skip::Outcome;

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

/// Two seconds of load on a device that stalls once, and whether the machine kept up with the load until the stall; none
/// where it could not be made to.
fn with_a_stall(device: &StallingDevice, job: &Job) -> Option<(LoadResult, bool)> {
    let consent = Consent {
        destroy_data: true,
        ..Consent::default()
    };
    let prepared = prepare(
        &Host::live(),
        &opened(device.path()),
        job,
        &consent,
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap();
    let running = start(&prepared, job, 1, Region::WHOLE).unwrap();
    until_counted(&running, "before the stall", |seen| seen.ios > 0);
    assert!(
        running.wait_ms(800, &Stop::new()),
        "{:?}",
        running.failure()
    );
    let seen = running.snapshot();
    let due = seen.at_ns.saturating_sub(running.origin_ns()) as f64 / 1e9 * RATE as f64;
    let latency_ns = seen
        .side(lane::WRITE)
        .latency
        .quantile_ns(0.95)
        .unwrap_or(u64::MAX);
    let kept_up = seen.ios as f64 > 0.85 * due && latency_ns < STALL_MS * 250_000;
    let did_stall = device.stall_ms(STALL_MS);
    assert!(
        running.wait_ms(800, &Stop::new()),
        "{:?}",
        running.failure()
    );
    did_stall.then(|| (running.finish(), kept_up))
}

/// I/Os that waited at least `ms`.
fn slower_than(result: &LoadResult, ms: u64) -> f64 {
    let latency = &result.write.latency;
    let share = (0..1000)
        .find(|share| latency.quantile_ns(f64::from(*share) / 1e3) >= Some(ms * 1_000_000));
    share.map_or(0.0, |share| 1.0 - f64::from(share) / 1e3) * result.write.ios as f64
}

/// What must be so whatever else the machine does, and whether the rest is so as well: other stalls than ours, which a
/// busy machine has, add to the tail.
fn check_open(open: &LoadResult, label: &str) -> Result<(), String> {
    let hit_ms = open.write.latency.quantile_ns(1.0).unwrap() / 1_000_000;
    assert!(hit_ms >= STALL_MS * 9 / 10, "{label}: {hit_ms} ms at most");
    // Those that were due in the first half of the stall, 100 of them, waited at least half of it.
    let hit = slower_than(open, STALL_MS / 2);
    assert!(hit >= 60.0, "{label}: {hit} hit");
    let service = open.service.as_ref().unwrap();
    assert_eq!(service.total(), open.write.ios, "{label}");
    let tail_ms = open.write.latency.quantile_ns(0.95).unwrap() / 1_000_000;
    let service_ms = service.quantile_ns(0.95).unwrap() / 1_000_000;
    let kept = open.iops() / RATE as f64;
    // Only what was in flight had a long service: the queue has four places.
    let is_ours_alone = tail_ms >= STALL_MS / 4 && hit < 250.0 && service_ms < STALL_MS / 4;
    (is_ours_alone && (kept - 1.0).abs() < 0.15).then_some(()).ok_or(format!(
        "{label}: p95 is {tail_ms} ms, {hit} hit, the service's p95 is {service_ms} ms, {kept} of the rate"
    ))
}

fn check_closed(closed: &LoadResult, engine: &str) -> Result<(), String> {
    assert!(closed.service.is_none(), "{engine}");
    let hit = slower_than(closed, STALL_MS / 2);
    let most_ns = closed.write.latency.quantile_ns(0.98).unwrap();
    let is_hidden = hit < 10.0 && most_ns < STALL_MS * 250_000;
    is_hidden
        .then_some(())
        .ok_or(format!("{engine}: {hit} hit, p98 is {most_ns} ns"))
}

/// Loads and notes what came of it: where the machine did not keep up with the load before the stall, what is looked for may
/// be hidden by its own. False where no device can be stalled.
fn is_measured(
    device: &StallingDevice,
    job: &Job,
    check: impl Fn(&LoadResult) -> Result<(), String>,
) -> bool {
    let Some((result, kept_up)) = with_a_stall(device, job) else {
        return false;
    };
    match check(&result) {
        Ok(()) => skip::measured(Outcome::Won, ""),
        Err(why) if kept_up => skip::measured(Outcome::Wrong, why),
        Err(why) => skip::measured(Outcome::Undecided, why),
    }
    true
}

#[test]
#[ignore = "live"]
fn a_stall_shows_in_an_open_loop_and_hides_in_a_closed_one() {
    let Some(device) = StallingDevice::attach(32 << 20) else {
        return;
    };
    for engine in ["io_uring", "libaio"] {
        for arrivals in [Arrivals::Linear, Arrivals::Poisson] {
            let label = format!("{engine} {arrivals:?}");
            let job = job(engine, true, arrivals);
            if !is_measured(&device, &job, |open| check_open(open, &label)) {
                return;
            }
        }
        let job = job(engine, false, Arrivals::Linear);
        if !is_measured(&device, &job, |closed| check_closed(closed, engine)) {
            return;
        }
    }
}

#[test]
#[ignore = "live"]
fn what_was_never_submitted_is_counted() {
    let dir = host::files::temporary_dir("open").unwrap();
    let job = Job {
        size: 8 << 20,
        rates: PerDirection::all(Rate::Iops(50_000_000)),
        open_loop: true,
        iodepth: 1,
        ..Job::default()
    };
    let prepared = prepare(
        &Host::live(),
        &opened(dir.path()),
        &job,
        &Consent::default(),
        &Stop::new(),
        &mut |_, _| {},
    )
    .unwrap();
    let running = start(&prepared, &job, 1, Region::WHOLE).unwrap();
    until_counted(&running, "an open loop", |seen| seen.ios > 100);
    let (origin_ns, least_ns) = (running.origin_ns(), host::clock::monotonic_ns());
    let result = running.finish();
    let most_ns = host::clock::monotonic_ns();
    let note = result
        .notes
        .iter()
        .find(|note| note.contains("arrivals were never submitted"))
        .unwrap();
    let waiting: u64 = note.split(' ').next().unwrap().parse().unwrap();
    // One is due every 20 ns; the load was stopped between these two moments.
    let due = |at_ns: u64| (at_ns - origin_ns) as f64 / 20.0;
    let counted = (waiting + result.read.ios) as f64;
    let (least, most) = (due(least_ns) * 0.99, due(most_ns) * 1.01);
    assert!(
        (least..=most).contains(&counted),
        "{waiting} and {} are not {least} to {most}",
        result.read.ios
    );
    assert!(result.read.latency.quantile_ns(0.9) > result.service.unwrap().quantile_ns(0.9));
}
