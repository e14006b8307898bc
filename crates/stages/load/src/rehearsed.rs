//! A load in a rehearsal: no thread and no I/O; what it gets done is what the simulated disk says.

use super::counters::{BIN_NS, Counters, lane};
use super::running::Begun;
use super::worker::Shared;
use super::{Engine, Running};
use host::clock::FastClock;
use host::{Rehearsal, RehearsedLoad, process};
use model::job::Job;
use simulator::{Demand, StepDone};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// What one I/O takes on a disk that has nothing else to do, s.
const SERVICE_S: f64 = 100e-6;
/// What the disk gets done at the most, I/Os and bytes per second.
const IOPS_MAX: f64 = 20_000.0;
const BYTES_PER_S_MAX: f64 = 600e6;
/// How long I/Os take, as parts of their mean: twenty equal parts of them, as disks spread them.
const SPREAD: [f64; 20] = [
    0.62, 0.95, 0.71, 1.10, 0.78, 1.04, 0.83, 1.21, 0.87, 0.99, 0.90, 1.16, 0.92, 1.36, 0.75, 1.01,
    0.67, 1.28, 0.97, 1.88,
];

/// The load as the disk sees it.
struct StagedLoad {
    job: Arc<Job>,
    has_depth: bool,
    shared: Arc<Shared>,
    counters: Arc<Counters>,
    origin_ns: Option<u64>,
    /// I/Os so far, each way; they say which part of the spread the next one is of.
    done: [u64; 2],
}

/// Starts a load on the simulated disk.
pub fn start(
    rehearsal: &Arc<Rehearsal>,
    (engine, job): (&'static Engine, &Job),
    notes: Vec<String>,
) -> Running {
    let shared = Arc::new(Shared::default());
    shared.depth_limit.store(job.iodepth, Relaxed);
    let counters: Vec<Arc<Counters>> = (0..job.numjobs)
        .map(|_| Arc::new(Counters::new(engine.operations.len(), job.open_loop)))
        .collect();
    let load = StagedLoad {
        job: Arc::new(job.clone()),
        has_depth: engine.has_depth,
        shared: Arc::clone(&shared),
        // What the jobs do together is all that anybody asks for.
        counters: Arc::clone(&counters[0]),
        origin_ns: None,
        done: [0; 2],
    };
    let (stage, origin_ns) = rehearsal.begin(Box::new(load));
    let begun = Begun {
        engine,
        description: format!("{} (rehearsed)", engine.id),
        notes,
        origin_ns,
        cpu_before: process::cpu_time(),
        shared,
        clock: FastClock::calibrate(),
        depth: if engine.has_depth { job.iodepth } else { 1 },
        stage: Some(stage),
    };
    Running::new(begun, counters, Vec::new())
}

impl RehearsedLoad for StagedLoad {
    fn demand(&self) -> Demand {
        let limit = self.shared.depth_limit.load(Relaxed);
        let depth = match self.has_depth {
            true => self.job.iodepth.min(limit),
            false => 1,
        };
        let depth = depth.saturating_mul(self.job.numjobs).max(1);
        Demand {
            iops: quiet_iops(depth, self.job.bs),
            depth,
            reads: match (self.job.rw.reads(), self.job.rw.writes()) {
                (true, true) => f64::from(self.job.rwmixread) / 100.0,
                (reads, _) => f64::from(u8::from(reads)),
            },
            bytes: self.job.bs,
        }
    }

    fn take(&mut self, begin_ns: u64, done: &StepDone) {
        let origin_ns = *self.origin_ns.get_or_insert(begin_ns);
        let ios = done.reads + done.writes;
        for (way, (lane, count)) in [(lane::READ, done.reads), (lane::WRITE, done.writes)]
            .into_iter()
            .enumerate()
        {
            let parts = SPREAD.len() as u64;
            for (at, part) in (0..parts).zip(SPREAD) {
                // Those that are left over take their turns.
                let turn = (at + parts - self.done[way] % parts) % parts;
                let count = count / parts + u64::from(turn < count % parts);
                let latency_ns = (done.latency_ns * part) as u64;
                self.take_alike(lane, (latency_ns, count));
            }
            self.done[way] += count;
        }
        self.counters.bin(begin_ns - origin_ns, ios as u32);
        let first = &self.counters.first_ns;
        let _ = first.compare_exchange(0, begin_ns, Relaxed, Relaxed);
        self.counters.last_ns.store(begin_ns + BIN_NS, Relaxed);
        self.counters.inflight.store(self.demand().depth, Relaxed);
    }
}

impl StagedLoad {
    fn take_alike(&self, lane: usize, (latency_ns, count): (u64, u64)) {
        let counters = &self.counters;
        counters.completed_alike(lane, self.job.bs, (latency_ns, count));
        if self.job.open_loop {
            (0..count).for_each(|_| counters.served(latency_ns));
        }
    }
}

/// What a quiet disk gets done of blocks of a size, so many of them in flight.
fn quiet_iops(depth: u32, bytes: u64) -> f64 {
    let by_depth = f64::from(depth) / SERVICE_S;
    let by_bytes = BYTES_PER_S_MAX / bytes.max(1) as f64;
    by_depth.min(IOPS_MAX).min(by_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_disk_is_bound_by_depth_then_by_its_own_limits() {
        assert_eq!(quiet_iops(1, 4096), 10_000.0);
        assert_eq!(quiet_iops(32, 4096), IOPS_MAX);
        assert!((quiet_iops(32, 1 << 20) - 572.2).abs() < 0.1);
        let mean = SPREAD.iter().sum::<f64>() / SPREAD.len() as f64;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
    }
}
