//! Schedules: when the I/Os of a limited rate are due.
//!
//! A schedule is a sequence of moments from the load's origin on, decided by the rate and the seed alone. It forgets
//! nothing: what a stall held up stays due, in a closed loop as in fio, in an open loop because that is its meaning.
//! The state is the next moment; however far the load is behind, it takes no memory.

use super::source::{Io, SourceKind};
use model::job::{Arrivals, Job, Rate};
use stats::dice::mix64;

/// Longest sleep before a thread looks again whether it is to stop, ns.
pub const SLICE_NS: u64 = 10_000_000;

const SECOND_NS: u128 = 1_000_000_000;

/// The moments at which the I/Os of one direction are due.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    rate: Rate,
    arrivals: Arrivals,
    due_ns: u64,
    /// What division left over of the moment before, in fractions of `1 / rate` ns: a day's schedule is exact.
    carry: u128,
    seed: u64,
    number: u64,
}

impl Schedule {
    /// From `start_ns` on; none without a rate. Evenly spaced arrivals begin there, random ones one gap later.
    pub fn new(
        rate: Rate,
        arrivals: Arrivals,
        bs: u64,
        start_ns: u64,
        seed: u64,
    ) -> Option<Schedule> {
        let mut schedule = Schedule {
            rate,
            arrivals,
            due_ns: start_ns,
            carry: 0,
            seed,
            number: 0,
        };
        if arrivals == Arrivals::Poisson {
            schedule.advance(bs);
        }
        (!rate.is_free()).then_some(schedule)
    }

    /// Goes on to the one after an I/O of `bytes`.
    pub fn advance(&mut self, bytes: u64) {
        let (units, per_s) = match self.rate {
            Rate::Free => return,
            Rate::Iops(iops) => (1, iops.max(1)),
            Rate::Bytes(rate) => (bytes, rate.max(1)),
        };
        self.number += 1;
        match self.arrivals {
            Arrivals::Linear => {
                let left = u128::from(units) * SECOND_NS + self.carry;
                self.due_ns += (left / u128::from(per_s)) as u64;
                self.carry = left % u128::from(per_s);
            }
            Arrivals::Poisson => {
                // 53 random bits in (0, 1]: the logarithm is finite, and the longest gap is 37 times the mean.
                let random = ((mix64(self.seed ^ mix64(self.number)) >> 11) + 1) as f64
                    / (1u64 << 53) as f64;
                let mean_ns = units as f64 * SECOND_NS as f64 / per_s as f64;
                self.due_ns += (-random.ln() * mean_ns).round() as u64;
            }
        }
    }

    /// How many are due until `now_ns` if each moves `bytes`.
    pub fn waiting(&self, now_ns: u64, bytes: u64) -> u64 {
        /// Counted one by one; beyond, the rate alone tells.
        const ONE_BY_ONE: u64 = 1_000_000;
        let (mut ahead, mut count) = (*self, 0);
        while ahead.due_ns <= now_ns && count < ONE_BY_ONE {
            ahead.advance(bytes);
            count += 1;
        }
        let rest_ns = u128::from((now_ns + 1).saturating_sub(ahead.due_ns));
        let per_s = match self.rate {
            Rate::Free => 0,
            Rate::Iops(iops) => iops,
            Rate::Bytes(rate) => rate / bytes.max(1),
        };
        count + (rest_ns * u128::from(per_s) / SECOND_NS) as u64
    }
}

/// The schedules of a job thread: one for each direction.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    schedules: [Option<Schedule>; 3],
    sizes: [u64; 3],
    /// What a mix does besides reading.
    mix: Option<SourceKind>,
    is_open_loop: bool,
}

impl Pace {
    /// The job's limits from `start_ns` on.
    pub fn new(job: &Job, start_ns: u64, seed: u64) -> Pace {
        let sizes = job.sizes();
        let directions = [
            (job.rates.read, job.rw.reads(), sizes.read.max()),
            (job.rates.write, job.rw.writes(), sizes.write.max()),
            (job.rates.trim, job.rw.trims(), sizes.trim.max()),
        ];
        let mut number = 0;
        let schedules = directions.map(|(rate, is_used, bytes)| {
            number += 1;
            Schedule::new(
                rate,
                job.arrivals,
                bytes,
                start_ns,
                mix64(seed ^ mix64(number)),
            )
            .filter(|_| is_used)
        });
        let change = if job.rw.trims() {
            SourceKind::Trim
        } else {
            SourceKind::Write
        };
        Pace {
            schedules,
            sizes: directions.map(|(_, _, bytes)| bytes),
            mix: (job.rw.reads() && job.rw.changes()).then_some(change),
            is_open_loop: job.open_loop,
        }
    }

    /// Whether there is a rate to keep.
    pub fn is_limited(&self) -> bool {
        self.schedules.iter().any(Option::is_some)
    }

    /// When the next I/O of a kind is due, ns; 0 where nothing limits it.
    pub fn due_ns(&self, kind: SourceKind) -> u64 {
        let schedule = self.schedules.get(kind as usize).copied().flatten();
        schedule.map_or(0, |schedule| schedule.due_ns)
    }

    /// Takes an I/O from the schedule of its direction.
    pub fn take(&mut self, io: &Io) {
        if let Some(schedule) = self
            .schedules
            .get_mut(io.kind as usize)
            .and_then(Option::as_mut)
        {
            schedule.advance(io.bytes.into());
        }
    }

    /// The direction that the next I/O of a mix must have; none where the mix may choose. In a closed loop, as in fio,
    /// the mix chooses while both directions are due; in an open loop whichever arrived first goes first.
    pub fn turn(&self, now_ns: u64) -> Option<SourceKind> {
        let change = self.mix.filter(|_| self.is_limited())?;
        let (read_ns, change_ns) = (self.due_ns(SourceKind::Read), self.due_ns(change));
        let both_are_due = read_ns <= now_ns && change_ns <= now_ns;
        match both_are_due && !self.is_open_loop {
            true => None,
            false if read_ns <= change_ns => Some(SourceKind::Read),
            false => Some(change),
        }
    }

    /// I/Os that are due until `now_ns` and were not taken.
    pub fn waiting(&self, now_ns: u64) -> u64 {
        let schedules = self.schedules.iter().zip(self.sizes);
        schedules
            .filter_map(|(schedule, bytes)| Some(schedule.as_ref()?.waiting(now_ns, bytes)))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::{PerDirection, Rw};

    fn moments(rate: Rate, arrivals: Arrivals, seed: u64, count: usize) -> Vec<u64> {
        let mut schedule = Schedule::new(rate, arrivals, 4096, 1_000, seed).unwrap();
        let next = || {
            let due_ns = schedule.due_ns;
            schedule.advance(4096);
            due_ns
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn even_arrivals_are_exact_for_days() {
        // 3 does not divide a second; after a day no ns is lost.
        let day = moments(Rate::Iops(3), Arrivals::Linear, 1, 3 * 86_400 + 1);
        assert_eq!(day[1], 1_000 + 333_333_333);
        assert_eq!(*day.last().unwrap(), 1_000 + 86_400 * 1_000_000_000);
        let bytes = moments(Rate::Bytes(3 * 4096), Arrivals::Linear, 1, 4);
        assert_eq!(bytes, [1_000, 333_334_333, 666_667_666, 1_000_001_000]);
        assert!(Schedule::new(Rate::Free, Arrivals::Linear, 4096, 0, 1).is_none());
    }

    /// Kolmogorov's distance between the gaps and the exponential distribution.
    fn distance(moments: &[u64], mean_ns: f64) -> f64 {
        let mut gaps: Vec<f64> = moments
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) as f64)
            .collect();
        gaps.sort_by(f64::total_cmp);
        let count = gaps.len() as f64;
        let distances = gaps.iter().enumerate().map(|(index, gap)| {
            let wanted = 1.0 - (-gap / mean_ns).exp();
            (wanted - index as f64 / count)
                .abs()
                .max((wanted - (index + 1) as f64 / count).abs())
        });
        distances.fold(0.0, f64::max)
    }

    #[test]
    fn random_arrivals_are_a_poisson_process() {
        const COUNT: usize = 10_000;
        let (mut far, mut dependent) = (0, 0);
        for seed in 1..=100 {
            let moments = moments(Rate::Iops(5_000), Arrivals::Poisson, seed, COUNT + 1);
            // Kolmogorov and Smirnov: 1.358 / √n is passed by one correct sequence in twenty, 2.2 by one in 10,000.
            let found = distance(&moments, 200_000.0) * (COUNT as f64).sqrt();
            assert!(found < 2.2, "seed {seed}: {found}");
            far += u32::from(found > 1.358);
            let gaps: Vec<f64> = moments
                .windows(2)
                .map(|pair| (pair[1] - pair[0]) as f64 - 2e5)
                .collect();
            let neighbours: f64 = gaps.windows(2).map(|pair| pair[0] * pair[1]).sum();
            let variance: f64 = gaps.iter().map(|gap| gap * gap).sum();
            dependent += u32::from((neighbours / variance).abs() > 1.96 / (COUNT as f64).sqrt());
        }
        // Five of a hundred are expected of each; eleven or more come once in a hundred.
        assert!(
            far <= 11 && dependent <= 11,
            "{far} sequences are not exponential, {dependent} not independent"
        );
        assert!(
            distance(
                &moments(Rate::Iops(5_000), Arrivals::Linear, 1, 1_001),
                200_000.0
            ) > 0.3
        );
        let twice = [
            moments(Rate::Iops(9), Arrivals::Poisson, 7, 50),
            moments(Rate::Iops(9), Arrivals::Poisson, 7, 50),
        ];
        assert_eq!(twice[0], twice[1]);
        assert_ne!(twice[0], moments(Rate::Iops(9), Arrivals::Poisson, 8, 50));
    }

    #[test]
    fn what_waits_is_counted_without_being_kept() {
        for arrivals in [Arrivals::Linear, Arrivals::Poisson] {
            let schedule = Schedule::new(Rate::Iops(1_000), arrivals, 4096, 0, 3).unwrap();
            let (mut ahead, mut count) = (schedule, 0);
            while ahead.due_ns <= 5_000_000_000 {
                ahead.advance(4096);
                count += 1;
            }
            assert_eq!(schedule.waiting(5_000_000_000, 4096), count);
        }
        let day = Schedule::new(Rate::Iops(1_000_000), Arrivals::Linear, 4096, 0, 3).unwrap();
        assert_eq!(day.waiting(86_400_000_000_000 - 1, 4096), 86_400_000_000);
    }

    fn io(kind: SourceKind) -> Io {
        Io {
            offset: 0,
            number: 0,
            bytes: 4096,
            file: 0,
            kind,
        }
    }

    #[test]
    fn each_direction_of_a_mix_keeps_its_own_rate() {
        let rates = PerDirection {
            read: Rate::Iops(900),
            write: Rate::Iops(100),
            trim: Rate::Free,
        };
        for open_loop in [false, true] {
            let job = Job {
                rw: Rw::Randrw,
                rates,
                open_loop,
                ..Job::default()
            };
            let mut pace = Pace::new(&job, 0, 1);
            let (mut now_ns, mut taken) = (0, [0, 0]);
            while now_ns < 1_000_000_000 {
                // The mix, where it may choose, would always read.
                let kind = pace.turn(now_ns).unwrap_or(SourceKind::Read);
                match pace.due_ns(kind) <= now_ns {
                    true => {
                        pace.take(&io(kind));
                        taken[kind as usize] += 1;
                    }
                    false => now_ns = pace.due_ns(kind),
                }
            }
            assert_eq!(taken, [900, 100], "open loop {open_loop}");
        }
        let reads = Job {
            rates,
            ..Job::default()
        };
        let pace = Pace::new(&reads, 5, 1);
        assert_eq!(
            (
                pace.turn(5),
                pace.due_ns(SourceKind::Read),
                pace.due_ns(SourceKind::Sync)
            ),
            (None, 5, 0)
        );
        assert!(!Pace::new(&Job::default(), 5, 1).is_limited());
    }
}
