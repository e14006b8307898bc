//! Forced switches, averaged around the switch: how long does a change of arm disturb the rate?
//!
//! Windows that all start with the same hole hide it from any comparison inside short windows; only a profile
//! against the late half of a long enough window shows a drain that is longer for one arm than for the other.

use super::run::{ExperimentRun, Want};
use super::sample::WindowSample;
use super::window::BIN_MS;

/// Ends of the profile's bins, as divisors of the window's length; the reference is the last half.
const DIVISORS: [u64; 5] = [32, 16, 8, 4, 2];
const WARM_UP_MS: u64 = 100;
/// Errors by which a bin is off that counts as unsettled: at first sight, from few switches whose error is itself a guess,
/// and once they are twice as many.
const SCORE_FIRST: f64 = 4.5;
const SCORE: f64 = 3.5;
/// Longer windows of the probe may take this part of what is left, twice.
const PROBE_SHARE: u64 = 4;

/// Where one arm that is settled moves so many times as far as another, that other one is held to one rate by a limit.
const APART: f64 = 4.0;

/// The part of the settled half for which a device that completes nothing stands still.
const STANDSTILL: usize = 4;

/// Length of the probe's windows, which grow by four until the last bin is settled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    pub first_ms: u64,
    pub longest_ms: u64,
    /// Washout that is dropped anyway; shorter disturbances need no second look.
    pub washout_min_ms: u64,
    /// Deviation that counts as unsettled, on the logarithmic scale.
    pub tolerance_ln: f64,
}

/// What the probe found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// Disturbed up to here at most; twice that is a safe washout.
    Within { washout_ms: u64 },
    /// Still disturbed in the second half of windows of this length, the longest that there was time for.
    Not { length_ms: u64 },
}

/// The probe's progress.
#[derive(Clone, Debug)]
pub(super) struct Settle {
    reach: Reach,
    length_ms: u64,
    switches_per_arm: usize,
    order: Vec<usize>,
    warm: bool,
    repeated: bool,
    profiles: Vec<Vec<Profile>>,
    /// Windows of each arm in whose last half nothing was completed for long.
    idle: Vec<usize>,
    found: Option<Settled>,
}

/// What one switch looked like, each against the last half of its window, on the logarithmic scale.
#[derive(Clone, Debug)]
struct Profile {
    /// The bins up to that half.
    bins: [f64; DIVISORS.len()],
    /// The half itself, for each bin in pieces of its length: how far what is settled moves by itself.
    late: [Vec<f64>; DIVISORS.len()],
}

impl Settle {
    pub(super) fn new(run: &mut ExperimentRun, reach: Reach) -> Self {
        let arms = run.plan.arms.len();
        let switches_per_arm = if arms == 2 { 6 } else { 4 };
        let mut settle = Settle {
            reach,
            length_ms: reach.first_ms,
            switches_per_arm,
            order: Vec::new(),
            warm: false,
            repeated: false,
            profiles: vec![Vec::new(); arms],
            idle: vec![0; arms],
            found: None,
        };
        settle.refill(run);
        settle
    }

    /// Visits every arm equally often in random rounds, never the same arm twice in a row.
    fn refill(&mut self, run: &mut ExperimentRun) {
        self.order.clear();
        while self.order.len() < self.switches_per_arm * run.plan.arms.len() {
            let mut round = run.shuffled(run.plan.arms.len());
            if round.first() == self.order.last() {
                round.reverse();
            }
            self.order.extend(round);
        }
        self.order.reverse();
    }

    pub(super) fn want(&self, run: &ExperimentRun) -> Option<Want> {
        let next = *self.order.last()?;
        if !self.warm {
            // The first switch must be a real one, so the load starts under another arm.
            return Some(Want::new((next + 1) % run.plan.arms.len(), WARM_UP_MS, 0));
        }
        Some(Want::new(next, self.length_ms, 0))
    }

    pub(super) fn accept(&mut self, run: &mut ExperimentRun, sample: &WindowSample) {
        if !self.warm {
            self.warm = true;
            return;
        }
        self.order.pop();
        let half = &sample.rates[sample.rates.len() / 2..];
        self.idle[sample.arm] += usize::from(STANDSTILL * longest_standstill(half) > half.len());
        let profile = profile(run, &sample.rates);
        self.profiles[sample.arm].push(profile);
        if self.order.is_empty() {
            self.judge(run);
        }
    }

    /// A disturbance must show twice before it lengthens every window to come: one regime change is enough to fake
    /// it once.
    fn judge(&mut self, run: &mut ExperimentRun) {
        let shortest_bins = (self.reach.washout_min_ms / BIN_MS) as usize;
        let score = if self.repeated { SCORE } else { SCORE_FIRST };
        let unsettled = last_unsettled(&self.profiles, self.reach.tolerance_ln, score)
            .filter(|bin| 2 * edge(self.length_ms, *bin) > shortest_bins);
        let unsettled = self.still_standing().or(unsettled);
        match unsettled {
            None => self.found = Some(Settled::Within { washout_ms: 0 }),
            Some(_) if !self.repeated => {
                self.repeated = true;
                self.refill(run);
            }
            Some(bin) if bin + 1 < DIVISORS.len() => {
                let end_ms = edge(self.length_ms, bin) as u64 * BIN_MS;
                self.found = Some(Settled::Within {
                    washout_ms: 2 * end_ms,
                });
            }
            Some(_) if !self.can_grow(run) => self.found = Some(self.not_yet()),
            Some(_) => {
                self.length_ms = (4 * self.length_ms).min(self.reach.longest_ms);
                self.repeated = false;
                self.profiles.iter_mut().for_each(Vec::clear);
                self.idle.fill(0);
                self.refill(run);
            }
        }
    }

    /// The last bin where some arm stood still for long in the last half of most of its windows: that half is no level to
    /// compare with. A limit of blk-throttle that is lowered pays off first what was let through under the higher one
    /// (Linux 6.18: ten times lower, a second without a completion).
    fn still_standing(&self) -> Option<usize> {
        let stands = |(idle, profiles): (&usize, &Vec<Profile>)| 2 * idle > profiles.len();
        let mut arms = self.idle.iter().zip(&self.profiles);
        arms.any(stands).then_some(DIVISORS.len() - 1)
    }

    /// Whether windows four times as long are wanted, and leave most of the time to what the probe is for.
    fn can_grow(&self, run: &ExperimentRun) -> bool {
        let switches = (self.switches_per_arm * run.plan.arms.len()) as u64;
        let longer_ms = 4 * self.length_ms * switches;
        self.length_ms < self.reach.longest_ms && longer_ms <= run.left_ms() / PROBE_SHARE
    }

    fn not_yet(&self) -> Settled {
        Settled::Not {
            length_ms: self.length_ms,
        }
    }

    /// What was found, once the probe is over.
    pub(super) fn found(&self) -> Settled {
        self.found.unwrap_or(self.not_yet())
    }

    /// Device time still to go if nothing is unsettled, in milliseconds.
    pub(super) fn left_ms(&self) -> u64 {
        self.order.len() as u64 * self.length_ms
    }
}

/// End of a profile bin, in rate bins.
fn edge(length_ms: u64, bin: usize) -> usize {
    ((length_ms / DIVISORS[bin] + BIN_MS / 2) / BIN_MS).max(1) as usize
}

/// The longest run of bins without a completion.
fn longest_standstill(rates: &[f64]) -> usize {
    let runs = rates.split(|rate| *rate > 0.0);
    runs.map(<[f64]>::len).max().unwrap_or(0)
}

fn profile(run: &ExperimentRun, rates: &[f64]) -> Profile {
    let length_ms = rates.len() as u64 * BIN_MS;
    let half = &rates[edge(length_ms, DIVISORS.len() - 1).min(rates.len())..];
    let reference = run.level.of(half);
    let off = |part: &[f64]| run.level.of(part) - reference;
    let bounds: [(usize, usize); DIVISORS.len()] = std::array::from_fn(|bin| {
        let start = if bin == 0 {
            0
        } else {
            edge(length_ms, bin - 1)
        };
        let end = edge(length_ms, bin).clamp(start, rates.len());
        (start.min(end), end)
    });
    Profile {
        bins: bounds.map(|(start, end)| match start == end {
            true => 0.0,
            false => off(&rates[start..end]),
        }),
        late: bounds.map(|(start, end)| {
            let pieces = half.chunks_exact((end - start).max(1));
            pieces.map(off).collect()
        }),
    }
}

/// The last bin in which some arm's median profile is off by more than the tolerance, than its own error, and than what is
/// settled is off by itself.
fn last_unsettled(profiles: &[Vec<Profile>], tolerance_ln: f64, score: f64) -> Option<usize> {
    (0..DIVISORS.len()).rev().find(|&bin| {
        let columns: Vec<Vec<f64>> = profiles
            .iter()
            .map(|arm| arm.iter().map(|profile| profile.bins[bin]).collect())
            .collect();
        let pooled_ln = pooled_error(&columns);
        let errors_ln = profiles.iter().map(|arm| settled_error(arm, bin));
        let calmest_ln = errors_ln.clone().fold(f64::INFINITY, f64::min);
        let arms = columns.iter().zip(profiles).zip(errors_ln);
        arms.into_iter().any(|((column, arm), settled_ln)| {
            let is_apart = settled_ln > APART * calmest_ln;
            let error_ln = if is_apart { settled_ln } else { 0.0 };
            let noise_ln = score * pooled_ln.max(error_ln);
            let limit_ln = tolerance_ln
                .max(noise_ln)
                .max(own_motion(arm, bin, noise_ln));
            stats::median(column).abs() > limit_ln
        })
    })
}

/// Twice the farthest that pieces of a bin's length are off in the last half, in the median over the switches, where that is
/// more than noise; else 0. A limiter that lets requests through by slices (blk-throttle, 100 ms on Linux 6.18) begins a
/// slice with each switch, so that its bursts stand at the same places of every window, in the settled half too. What still
/// drains or drifts is farther off in a bin than twice that: it falls off towards the half.
fn own_motion(arm: &[Profile], bin: usize, noise_ln: f64) -> f64 {
    let pieces = arm.iter().map(|profile| profile.late[bin].len()).min();
    let median_at = |piece: usize| {
        let column: Vec<f64> = arm.iter().map(|one| one.late[bin][piece]).collect();
        stats::median(&column).abs()
    };
    let farthest_ln = (0..pieces.unwrap_or(0)).map(median_at).fold(0.0, f64::max);
    match farthest_ln > noise_ln {
        true => 2.0 * farthest_ln,
        false => 0.0,
    }
}

/// Error of an arm's median by how far pieces of a bin's length are off in the last half: what an arm that is held to one rate
/// says nothing of.
fn settled_error(arm: &[Profile], bin: usize) -> f64 {
    let distances = |profile: &Profile| profile.late[bin].iter().map(|off| off.abs()).collect();
    let all: Vec<f64> = arm.iter().flat_map::<Vec<f64>, _>(distances).collect();
    let pieces = (all.len() / arm.len().max(1)) as f64;
    if pieces < 2.0 {
        return 0.0;
    }
    // A piece is part of the half that it is compared with; the bin is not.
    let apart = ((pieces + 1.0) / (pieces - 1.0)).sqrt();
    apart * median_error(&all, arm.len())
}

/// Error of a median, with the scale pooled over the arms because each alone has only a few switches.
fn pooled_error(columns: &[Vec<f64>]) -> f64 {
    let distances: Vec<f64> = columns
        .iter()
        .flat_map(|column| {
            let centre = stats::median(column);
            column.iter().map(move |value| (value - centre).abs())
        })
        .collect();
    median_error(&distances, columns.iter().map(Vec::len).max().unwrap_or(1)) + 1e-4
}

/// Error of a median over so many switches, from distances to the middle.
fn median_error(distances: &[f64], switches: usize) -> f64 {
    stats::robust_sd(distances) * 1.25 / (switches.max(1) as f64).sqrt()
}
