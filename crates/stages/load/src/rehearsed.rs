//! A load in a rehearsal: no thread and no I/O; what it gets done is what the simulated disk says.

use super::counters::{BIN_NS, Counters, lane};
use super::running::Begun;
use super::worker::Shared;
use super::{Engine, Running};
use host::clock::FastClock;
use host::{Rehearsal, RehearsedLoad, process};
use model::job::{Job, Rate, Sharing};
use simulator::{Demand, StepDone};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A disk of so many parts that work beside each other, each of which does one I/O at a time.
const PARTS: f64 = 8.0;
/// What one I/O takes there, s.
const SERVICE_S: f64 = 400e-6;
/// What the disk moves at the most, bytes per second.
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
    /// Of all jobs together.
    counters: Arc<Counters>,
    /// Of each job, the first of which counts for all.
    jobs: Vec<Arc<Counters>>,
    origin_ns: Option<u64>,
    /// I/Os so far, each way; they say which part of the spread the next one is of.
    done: [u64; 2],
    /// I/Os after which it ends by itself; none where it never does.
    whole: Option<u64>,
}

/// Starts a load on the simulated disk.
pub fn start(
    rehearsal: &Arc<Rehearsal>,
    (engine, job): (&'static Engine, &Job),
    (file_bytes, notes): (u64, Vec<String>),
) -> Running {
    let shared = Arc::new(Shared::default());
    shared.depth_limit.store(job.iodepth, Relaxed);
    // It costs the CPUs nothing that a load in earnest would.
    shared.set_cpu(process::CpuTime::default());
    let counters: Vec<Arc<Counters>> = (0..job.numjobs)
        .map(|_| Arc::new(Counters::new(engine.operations.len(), job.open_loop)))
        .collect();
    let load = StagedLoad {
        job: Arc::new(job.clone()),
        has_depth: engine.has_depth,
        shared: Arc::clone(&shared),
        counters: Arc::clone(&counters[0]),
        jobs: counters.clone(),
        origin_ns: None,
        done: [0; 2],
        whole: whole_ios(job, file_bytes),
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
            most_iops: if self.is_over() {
                Some(0.0)
            } else {
                self.most_iops()
            },
            depth,
            alone_s: 1.0 / quiet_iops(1, self.job.bs),
            reads: match (self.job.rw.reads(), self.job.rw.writes()) {
                (true, true) => f64::from(self.job.rwmixread) / 100.0,
                (reads, _) => f64::from(u8::from(reads)),
            },
            bytes: self.job.bs,
        }
    }

    fn take(&mut self, begin_ns: u64, done: &StepDone) {
        if self.is_over() {
            return;
        }
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
        let is_over = self.is_over();
        let inflight = if is_over { 0 } else { self.demand().depth };
        self.counters.inflight.store(inflight, Relaxed);
        for job in &self.jobs {
            let _ = (job.first_ns).compare_exchange(0, begin_ns, Relaxed, Relaxed);
            job.last_ns.store(begin_ns + BIN_NS, Relaxed);
            job.is_done.store(is_over, Relaxed);
        }
    }
}

impl StagedLoad {
    /// What its rates allow; none where nothing bounds it.
    fn most_iops(&self) -> Option<f64> {
        let (job, rates) = (&self.job, &self.job.rates);
        let ways = [(job.rw.reads(), rates.read), (job.rw.writes(), rates.write)];
        let used = ways.into_iter().filter(|(is_used, _)| *is_used);
        let each = used.map(|(_, rate)| match rate {
            Rate::Free => None,
            Rate::Iops(iops) => Some(iops as f64),
            Rate::Bytes(bytes) => Some(bytes as f64 / job.bs.max(1) as f64),
        });
        let all: Option<f64> = each.sum();
        all.map(|iops| iops * f64::from(job.numjobs))
    }

    fn is_over(&self) -> bool {
        let done: u64 = self.done.iter().sum();
        self.whole.is_some_and(|whole| done >= whole)
    }

    fn take_alike(&self, lane: usize, (latency_ns, count): (u64, u64)) {
        let counters = &self.counters;
        counters.completed_alike(lane, self.job.bs, (latency_ns, count));
        if self.job.open_loop {
            (0..count).for_each(|_| counters.served(latency_ns));
        }
    }
}

/// The I/Os of all jobs together, where they end by themselves: each has a share of the file, or all of one.
fn whole_ios(job: &Job, file_bytes: u64) -> Option<u64> {
    let jobs = u64::from(job.numjobs);
    let range_bytes = match job.files.sharing {
        Sharing::Shares => file_bytes / jobs.max(1),
        Sharing::Same | Sharing::Own => file_bytes,
    };
    let bytes = job.bytes_to_move(range_bytes)?;
    Some(bytes.saturating_mul(jobs).div_ceil(job.bs.max(1)))
}

/// What a quiet disk gets done of blocks of a size, so many of them in flight: each is at one of its parts, whichever.
fn quiet_iops(depth: u32, bytes: u64) -> f64 {
    let at_work = PARTS * (1.0 - (1.0 - 1.0 / PARTS).powf(f64::from(depth)));
    let by_bytes = BYTES_PER_S_MAX / bytes.max(1) as f64;
    (at_work / SERVICE_S).min(by_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_disk_is_bound_by_depth_then_by_its_own_limits() {
        assert!((quiet_iops(1, 4096) - 2_500.0).abs() < 1e-6);
        assert!((12_000.0..14_000.0).contains(&quiet_iops(8, 4096)));
        assert!((19_000.0..20_000.0).contains(&quiet_iops(32, 4096)));
        assert!((quiet_iops(32, 1 << 20) - 572.2).abs() < 0.1);
        let mean = SPREAD.iter().sum::<f64>() / SPREAD.len() as f64;
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
    }
}
