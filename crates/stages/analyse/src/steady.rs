//! Whether a load has settled: SNIA's rule over rounds, or fio's over seconds.
//!
//! SNIA's (Solid State Storage Performance Test Specification, steady state): in a window of 5 rounds, the largest and
//! the smallest value are no more than 20 % of the mean apart, and the fitted line changes by no more than 10 % of the
//! mean over the window. A round is one minute there; here it is what it is said to be.
//!
//! fio's (`steadystate.c`): one value a second; in the window, the rise of the fitted line per second, or the largest
//! distance from the mean, is below a limit in per cent of the mean.

use super::cliff::{self, slope};
use model::job::{SteadyMetric, SteadyRule};
use model::steady::{Cliff, Criterion, Steadiness, Verdict};
use stats::mean;

/// Rounds of SNIA's window.
pub const WINDOW_ROUNDS: usize = 5;

const SNIA_RANGE: f64 = 0.20;
const SNIA_SLOPE: f64 = 0.10;

/// Samples kept in a record; more are averaged in pairs.
const MOST_SAMPLES: usize = 6_000;

/// What was completed in one span of the load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SteadySample {
    /// Length, ms.
    pub ms: f64,
    /// I/Os.
    pub ios: u64,
    /// Bytes.
    pub bytes: u64,
    /// Sum of all latencies, ns.
    pub latency_sum_ns: f64,
}

impl SteadySample {
    fn add(&mut self, other: &SteadySample) {
        self.ms += other.ms;
        self.ios += other.ios;
        self.bytes += other.bytes;
        self.latency_sum_ns += other.latency_sum_ns;
    }

    fn value(&self, metric: SteadyMetric) -> f64 {
        match metric {
            SteadyMetric::Iops => self.ios as f64 / self.ms.max(1e-6) * 1e3,
            SteadyMetric::Bw => self.bytes as f64 / self.ms.max(1e-6) * 1e3,
            SteadyMetric::Lat => self.latency_sum_ns / self.ios.max(1) as f64,
        }
    }
}

/// Range, slope and deviation of a window; `holds` is left false.
fn look(window: &[f64]) -> Verdict {
    let centre = mean(window);
    if window.is_empty() || centre <= 0.0 {
        return Verdict::default();
    }
    let (low, high) = window.iter().fold((f64::MAX, f64::MIN), |(low, high), v| {
        (low.min(*v), high.max(*v))
    });
    Verdict {
        mean: centre,
        range: (high - low) / centre,
        slope: slope(window) * (window.len() as f64 - 1.0) / centre,
        deviation: (high - centre).max(centre - low) / centre,
        holds: false,
    }
}

/// SNIA's rule on the last 5 rounds; none before there are 5.
pub fn snia(rounds: &[f64]) -> Option<Verdict> {
    let window = rounds.get(rounds.len().checked_sub(WINDOW_ROUNDS)?..)?;
    let seen = look(window);
    let holds = seen.mean > 0.0 && seen.range <= SNIA_RANGE && seen.slope.abs() <= SNIA_SLOPE;
    Some(Verdict { holds, ..seen })
}

/// fio's rule on the last window of values of a second each; none before there is one.
pub fn fio(seconds: &[f64], rule: &SteadyRule) -> Option<Verdict> {
    let length = (rule.window_ms / 1000).max(2) as usize;
    let window = seconds.get(seconds.len().checked_sub(length)?..)?;
    let seen = look(window);
    let share = if rule.slope {
        seen.slope.abs() / (length as f64 - 1.0)
    } else {
        seen.deviation
    };
    Some(Verdict {
        holds: seen.mean > 0.0 && share * 100.0 < rule.limit_percent,
        ..seen
    })
}

/// Watches a load sample by sample and says when it has settled.
#[derive(Clone, Debug)]
pub struct Watch {
    criterion: Criterion,
    limit_ms: u64,
    sample_ms: u64,
    samples: Vec<f64>,
    bytes: Vec<u64>,
    round: SteadySample,
    rounds: Vec<f64>,
    window: Option<Verdict>,
    elapsed_ms: f64,
    attained_ms: Option<u64>,
}

impl Watch {
    /// Nothing seen yet.
    pub fn new(criterion: Criterion, limit_ms: u64) -> Watch {
        let round_ms = match criterion {
            Criterion::Snia { round_ms, .. } => round_ms,
            Criterion::Fio(_) => 1_000,
        };
        Watch {
            criterion,
            limit_ms,
            sample_ms: (round_ms / 10).clamp(100, 1_000).min(round_ms.max(1)),
            samples: Vec::new(),
            bytes: Vec::new(),
            round: SteadySample::default(),
            rounds: Vec::new(),
            window: None,
            elapsed_ms: 0.0,
            attained_ms: None,
        }
    }

    /// How long each sample is to be, ms.
    pub fn sample_ms(&self) -> u64 {
        self.sample_ms
    }

    /// Rounds that are over.
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// What the last window looked like.
    pub fn window(&self) -> Option<&Verdict> {
        self.window.as_ref()
    }

    fn round_ms(&self) -> f64 {
        match self.criterion {
            Criterion::Snia { round_ms, .. } => round_ms as f64,
            Criterion::Fio(_) => 1_000.0,
        }
    }

    fn metric(&self) -> SteadyMetric {
        match self.criterion {
            Criterion::Snia { metric, .. } => metric,
            Criterion::Fio(rule) => rule.metric,
        }
    }

    /// Takes the next sample; whether the load has settled, now or before.
    pub fn push(&mut self, sample: &SteadySample) -> bool {
        self.elapsed_ms += sample.ms;
        self.samples.push(sample.value(self.metric()));
        self.bytes.push(sample.bytes);
        self.round.add(sample);
        // Samples are cut by a timer and may be a little short.
        if self.round.ms + self.sample_ms as f64 / 2.0 >= self.round_ms() {
            let round = std::mem::take(&mut self.round);
            self.end_round(&round);
        }
        self.attained_ms.is_some()
    }

    fn end_round(&mut self, round: &SteadySample) {
        let is_ramp = matches!(self.criterion, Criterion::Fio(rule) if self.elapsed_ms < rule.ramp_ms as f64 + 500.0 && rule.ramp_ms > 0);
        if is_ramp {
            return;
        }
        self.rounds.push(round.value(self.metric()));
        self.window = match &self.criterion {
            Criterion::Snia { .. } => snia(&self.rounds),
            Criterion::Fio(rule) => fio(&self.rounds, rule),
        };
        if self.attained_ms.is_none() && self.window.is_some_and(|window| window.holds) {
            self.attained_ms = Some(self.elapsed_ms as u64);
        }
    }

    /// What all of it says. A latency has no cliff: there it is the rates that fall.
    pub fn finish(mut self) -> Steadiness {
        let is_rate = self.metric() != SteadyMetric::Lat;
        let cliff = cliff::first_drop(&self.samples)
            .filter(|_| is_rate)
            .map(|drop| Cliff {
                at_ms: (drop.at as f64 / self.samples.len() as f64 * self.elapsed_ms) as u64,
                bytes: self.bytes[..drop.at].iter().sum(),
                burst: drop.burst,
                after: drop.after,
            });
        let first = self
            .rounds
            .first()
            .copied()
            .unwrap_or_else(|| mean(&self.samples));
        let last = self
            .rounds
            .last()
            .copied()
            .unwrap_or_else(|| mean(&self.samples));
        while self.samples.len() > MOST_SAMPLES {
            self.samples = self.samples.chunks(2).map(mean).collect();
            self.sample_ms *= 2;
        }
        Steadiness {
            criterion: self.criterion,
            attained: self.attained_ms.is_some(),
            attained_ms: self.attained_ms,
            limit_ms: self.limit_ms,
            sustained: self.window.map_or(last, |window| window.mean),
            window: self.window,
            rounds: self.rounds,
            samples: self.samples,
            sample_ms: self.sample_ms,
            burst: cliff.map_or(first, |cliff| cliff.burst),
            cliff,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Dice;

    fn snia_of(values: [f64; 5]) -> bool {
        snia(&values).unwrap().holds
    }

    #[test]
    fn snias_rule_is_kept_to_the_letter() {
        assert!(snia_of([100.0; 5]));
        // Range exactly 20 % of the mean, no slope.
        assert!(
            snia_of([100.0, 110.0, 90.0, 110.0, 90.0].map(|v| v * 7.0))
                == (20.0 / 100.0 <= SNIA_RANGE)
        );
        assert!(snia_of([110.0, 90.0, 100.0, 90.0, 110.0]));
        assert!(
            !snia_of([111.0, 90.0, 100.0, 90.0, 111.0]),
            "range above 20 %"
        );
        assert!(
            snia_of([95.5, 97.5, 100.0, 102.5, 104.5]),
            "the line rises by 9.2 %"
        );
        assert!(
            !snia_of([94.0, 97.0, 100.0, 103.0, 106.0]),
            "the line rises by 12 %"
        );
        assert!(!snia_of([106.0, 103.0, 100.0, 97.0, 94.0]), "or falls");
        assert_eq!(snia(&[1.0; 4]), None);
        assert!(
            !snia(&[0.0; 5]).unwrap().holds,
            "a stalled device is not steady"
        );
    }

    #[test]
    fn fios_rule_looks_at_the_slope_per_second_or_the_distance() {
        let rule = |slope, limit_percent| SteadyRule {
            metric: SteadyMetric::Iops,
            slope,
            limit_percent,
            window_ms: 10_000,
            ramp_ms: 0,
        };
        let rising: Vec<f64> = (0..10).map(|i| 1000.0 + 5.0 * f64::from(i)).collect();
        // 5 per second of a mean of 1022.5 is 0.489 %.
        assert!(fio(&rising, &rule(true, 0.5)).unwrap().holds);
        assert!(!fio(&rising, &rule(true, 0.48)).unwrap().holds);
        assert!(fio(&rising, &rule(false, 2.3)).unwrap().holds);
        assert!(!fio(&rising, &rule(false, 2.1)).unwrap().holds);
        assert_eq!(fio(&rising[..9], &rule(true, 9.0)), None);
    }

    fn sample(iops: f64) -> SteadySample {
        SteadySample {
            ms: 1_000.0,
            ios: iops as u64,
            bytes: iops as u64 * 4096,
            latency_sum_ns: 0.0,
        }
    }

    #[test]
    fn a_drive_with_a_cache_is_watched_past_its_cliff() {
        let criterion = Criterion::Snia {
            metric: SteadyMetric::Iops,
            round_ms: 10_000,
        };
        let mut watch = Watch::new(criterion, 600_000);
        assert_eq!(watch.sample_ms(), 1_000);
        let mut dice = Dice::new(9);
        let mut second = 0;
        // The cache lasts 33 s, so no window of 5 rounds before the cliff is whole; then the level is 8,000.
        while second < 600
            && !watch.push(&sample(
                if second < 33 { 50_000.0 } else { 8_000.0 } * (1.0 + 0.03 * dice.normal()),
            ))
        {
            second += 1;
        }
        let found = watch.finish();
        assert_eq!(
            found.attained_ms,
            Some(90_000),
            "rounds 5 to 9 are the first five of one level"
        );
        let cliff = found.cliff.unwrap();
        assert!((32_000..=34_000).contains(&cliff.at_ms), "{cliff:?}");
        assert!((cliff.bytes as f64 / (33.0 * 50_000.0 * 4096.0) - 1.0).abs() < 0.04);
        assert!(
            (found.burst / 50_000.0 - 1.0).abs() < 0.03
                && (found.sustained / 8_000.0 - 1.0).abs() < 0.03
        );
    }

    #[test]
    fn a_decline_is_never_steady_and_has_no_cliff() {
        let criterion = Criterion::Snia {
            metric: SteadyMetric::Bw,
            round_ms: 1_000,
        };
        let mut watch = Watch::new(criterion, 60_000);
        for second in 0..60 {
            let steps = (0..10).any(|_| {
                let part = sample(40_000.0 * 0.96f64.powi(second));
                watch.push(&SteadySample {
                    ms: 100.0,
                    ios: part.ios / 10,
                    bytes: part.bytes / 10,
                    ..part
                })
            });
            assert!(!steps, "second {second}");
        }
        let found = watch.finish();
        assert!(!found.attained && found.cliff.is_none() && found.rounds.len() == 60);
        assert!(found.window.unwrap().slope < -0.10 && found.burst > 5.0 * found.sustained);
    }

    #[test]
    fn fios_ramp_is_not_looked_at_and_long_loads_stay_small() {
        let rule = SteadyRule {
            metric: SteadyMetric::Iops,
            slope: false,
            limit_percent: 1.0,
            window_ms: 5_000,
            ramp_ms: 3_000,
        };
        let mut watch = Watch::new(Criterion::Fio(rule), 60_000);
        let taken = (0..60)
            .take_while(|_| !watch.push(&sample(1_000.0)))
            .count();
        assert_eq!(taken, 7, "three seconds of ramp, then five of window");
        let mut long = Watch::new(
            Criterion::Snia {
                metric: SteadyMetric::Iops,
                round_ms: 60_000,
            },
            u64::MAX,
        );
        (0..86_400).for_each(|i| _ = long.push(&sample(f64::from(i % 7_000))));
        let found = long.finish();
        assert!(
            found.samples.len() <= MOST_SAMPLES && found.sample_ms == 16_000,
            "{}",
            found.sample_ms
        );
    }
}
