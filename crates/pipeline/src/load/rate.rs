//! Pacing of a job to a fixed rate, closed loop: an I/O is due at its place in the schedule, but never before a slot of
//! the queue is free.

use model::job::{Job, Rate};

/// Longest sleep before a thread looks again whether it is to stop, ns.
pub const SLICE_NS: u64 = 10_000_000;

/// When the next I/O may be submitted.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    interval_ns: u64,
    due_ns: u64,
    /// How far a schedule may lag behind before it gives up the rest: one queue's worth, so that a stalled device is
    /// not followed by an unlimited burst.
    lag_ns: u64,
}

impl Pace {
    /// The job's limit from `start_ns` on.
    pub fn new(job: &Job, start_ns: u64, _seed: u64) -> Pace {
        let rate = if job.rw.reads() { job.rates.read } else { job.rates.write };
        let interval_ns = match rate {
            Rate::Free => 0,
            Rate::Iops(iops) => 1_000_000_000 / iops.max(1),
            Rate::Bytes(bytes) => 1_000_000_000 * job.bs / bytes.max(1),
        };
        Pace { interval_ns, due_ns: start_ns, lag_ns: interval_ns * u64::from(job.iodepth) }
    }

    /// Whether there is a rate to keep.
    #[inline(always)]
    pub fn is_limited(&self) -> bool {
        self.interval_ns != 0
    }

    /// Whether an I/O is due; if so, it is taken from the schedule.
    #[inline(always)]
    pub fn take(&mut self, now_ns: u64) -> bool {
        if now_ns < self.due_ns {
            return false;
        }
        self.due_ns = (self.due_ns + self.interval_ns).max(now_ns.saturating_sub(self.lag_ns));
        true
    }

    /// Time until the next I/O is due, ns.
    pub fn wait_ns(&self, now_ns: u64) -> u64 {
        self.due_ns.saturating_sub(now_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::PerDirection;

    #[test]
    fn keeps_the_rate_and_limits_the_burst() {
        let limited = |rate| Job { rates: PerDirection::all(rate), iodepth: 4, ..Job::default() };
        let mut pace = Pace::new(&limited(Rate::Iops(1000)), 0, 1);
        let taken = (0..100_000u64).filter(|i| pace.take(i * 10_000)).count();
        assert_eq!(taken, 1000, "one second in steps of 10 µs");
        let burst = (0..1000).filter(|_| pace.take(60_000_000_000)).count();
        assert_eq!(burst, 6, "the one in arrears, four of lag, the one due now");
        assert_eq!(pace.wait_ns(60_000_000_000), 1_000_000);
        let mut free = Pace::new(&limited(Rate::Free), 5, 1);
        assert!(!free.is_limited() && free.take(5) && free.take(5));
    }
}
