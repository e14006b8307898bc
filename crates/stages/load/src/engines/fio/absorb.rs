//! fio's numbers become the load's: histograms bucket by bucket, bytes, syncs, CPU time, errors.

use super::program::{Ended, after, told};
use super::unusable;
use crate::lane;
use crate::worker::Worker;
use imports::fio_json::{Direction, Latency};
use std::sync::atomic::Ordering::Relaxed;

/// Takes over what fio measured; `end_ns` is when it was asked to end or had ended.
pub fn all(worker: &Worker, ended: &Ended, end_ns: u64) {
    let counters = &worker.counters;
    // What the device counted was an estimate for those who watched.
    counters.forget_counted();
    let mut is_complete = true;
    let mut runtime_ms = 0;
    for job in ended.output.parts() {
        let sides = [
            (lane::READ, &job.read),
            (lane::WRITE, &job.write),
            (lane::TRIM, &job.trim),
            (lane::SYNC, &job.sync),
        ];
        for (lane, side) in sides
            .into_iter()
            .chain(job.mixed.as_ref().map(|mixed| (lane::READ, mixed)))
        {
            is_complete &= absorb(worker, lane, side);
        }
        runtime_ms = runtime_ms.max(job.runtime_ms);
    }
    if !is_complete {
        worker.shared.note(format!(
            "{} told no histogram of some I/Os: they are counted, and their latencies are missing",
            ended.output.version_text
        ));
    }
    counters.inflight.store(0, Relaxed);
    counters.last_ns.store(end_ns, Relaxed);
    counters
        .first_ns
        .store(end_ns.saturating_sub(runtime_ms * 1_000_000), Relaxed);
    worker.shared.set_cpu(ended.cpu);
    failures(worker, ended);
}

/// One direction of one job; false when some latencies are not known.
fn absorb(worker: &Worker, lane: usize, side: &Direction) -> bool {
    let bins = |latency: &Option<Latency>| latency.as_ref()?.bins.clone();
    let histogram = bins(&side.lat)
        .filter(|bins| bins.total() > 0)
        .or_else(|| bins(&side.clat))
        .unwrap_or_default();
    worker.counters.absorb(lane, &histogram, side.bytes);
    let untimed = side.ios.saturating_sub(histogram.total());
    worker.counters.counted(lane, untimed, 0);
    untimed == 0
}

/// An error of fio's is the load's, in fio's words.
fn failures(worker: &Worker, ended: &Ended) {
    let said = told(&ended.output);
    if let Some(job) = ended.output.jobs.iter().find(|job| job.error != 0) {
        worker.shared.fail(unusable(format!(
            "{} failed: {said}{}",
            job.name,
            after(&ended.stderr)
        )));
        return;
    }
    let said = if said.is_empty() {
        said
    } else {
        format!("; fio said: {said}")
    };
    // 128 and 130 are what it ends with after SIGINT in some versions.
    if !matches!(ended.status, Some(0 | 128 | 130)) {
        let status = ended
            .status
            .map_or("a signal".into(), |status| format!("status {status}"));
        worker.shared.note(format!(
            "fio ended with {status}{said}{}",
            after(&ended.stderr)
        ));
    }
    let passed_over: u64 = ended.output.parts().map(|job| job.errors).sum();
    if passed_over > 0 {
        worker.shared.note(format!(
            "{passed_over} I/Os failed and were passed over by fio{said}"
        ));
    }
}
