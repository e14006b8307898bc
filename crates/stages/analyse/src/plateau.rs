//! How a token bucket looks from inside: a rate that is flat to the per cent, with I/Os that had a token beside I/Os
//! that waited for one, or after a beginning that was faster.

use model::histogram::Histogram;
use stats::{mean, standard_deviation};

/// Rates count as flat up to this standard deviation over the mean. A proposal of this project, like all thresholds
/// here: a bucket refills by the clock, a medium does not.
pub const FLAT: f64 = 0.03;

/// A beginning that was so many times faster was the bucket's stock.
pub const BURST: f64 = 1.3;

/// The later half must have so many intervals.
pub const LEAST: usize = 10;

const STEP: f64 = 4.0;
const PLATEAU: f64 = 1.6;
const PULSES_LEAST: usize = 8;
const SIZES_EVEN: f64 = 0.15;
const PERIODS_EVEN: f64 = 0.25;
const MORE_THAN_DEPTH: f64 = 1.2;

/// A rate that is capped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// Mean rate of the flat part, as the intervals were given.
    pub settled: f64,
    /// The highest interval before it.
    pub highest: f64,
    /// Whether that was a stock being used up.
    pub had_stock: bool,
    /// The latency of I/Os that had a token and of those that waited, ns, where there are two steps.
    pub steps: Option<(u64, u64)>,
    /// How many intervals the stock lasted; 0 without one.
    pub stock_intervals: usize,
}

/// The plateau of a load's rates, interval after interval; none where the rate is not flat or only flat.
pub fn of(rates: &[f64], latency: &Histogram) -> Option<Plateau> {
    let (first, last) = rates.split_at(rates.len() / 2);
    let settled = mean(last);
    if last.len() < LEAST || variation(last)? > FLAT {
        return None;
    }
    let highest = first.iter().copied().fold(0.0, f64::max);
    let had_stock = highest >= BURST * settled;
    let steps = two_steps(latency);
    let stock_intervals = if had_stock {
        stock_length(first, settled)
    } else {
        0
    };
    (had_stock || steps.is_some()).then_some(Plateau {
        settled,
        highest,
        had_stock,
        steps,
        stock_intervals,
    })
}

/// Standard deviation over mean; none of fewer than two values or a mean of 0.
pub fn variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let is_defined = values.len() > 1 && mean > 0.0;
    is_defined.then(|| standard_deviation(values) / mean)
}

/// The two latencies, where there are two steps: fast ones that had a token, and a plateau of those that waited.
pub fn two_steps(latency: &Histogram) -> Option<(u64, u64)> {
    let quantile = |share: f64| latency.quantile_ns(share).map(|ns| ns.max(1));
    let (middle, upper, top) = (quantile(0.5)?, quantile(0.75)?, quantile(0.95)?);
    let is_step = upper as f64 >= STEP * middle as f64 && top as f64 <= PLATEAU * upper as f64;
    is_step.then_some((middle, upper))
}

/// Tokens that are handed out by the clock: as many I/Os at once, then nothing until the next tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulses {
    /// Time from one to the next, ms.
    pub period_ms: f64,
    /// I/Os in each.
    pub ios: f64,
}

impl Pulses {
    /// I/Os a second.
    pub fn rate(&self) -> f64 {
        self.ios / self.period_ms * 1e3
    }
}

/// Pulses in the completions of a load: at least half of the bins empty, and bursts of equal size at equal distances.
/// A load whose I/Os all come back together does that too, as many at once as were in flight; so a burst has to have
/// more. Kernels refill a control group's tokens every 100 ms or less often (Linux `block/blk-throttle.c`).
pub fn pulses(bins: &[u32], bin_ms: u64, depth: u32) -> Option<Pulses> {
    let first = bins.iter().position(|count| *count > 0)?;
    let last = bins.iter().rposition(|count| *count > 0)?;
    let bins = &bins[first..=last];
    let mut bursts: Vec<(usize, f64)> = Vec::new();
    for (at, count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        match bursts.last_mut() {
            Some((_, ios)) if bins[at - 1] > 0 => *ios += f64::from(*count),
            _ => bursts.push((at, f64::from(*count))),
        }
    }
    // The first and the last one may be cut.
    let whole = bursts
        .get(1..bursts.len().saturating_sub(1))
        .filter(|whole| whole.len() >= PULSES_LEAST)?;
    let sizes: Vec<f64> = whole.iter().map(|(_, ios)| *ios).collect();
    let periods: Vec<f64> = whole
        .windows(2)
        .map(|two| (two[1].0 - two[0].0) as f64 * bin_ms as f64)
        .collect();
    let empty = bins.iter().filter(|count| **count == 0).count() as f64 / bins.len() as f64;
    let is_even = variation(&sizes)? <= SIZES_EVEN && variation(&periods)? <= PERIODS_EVEN;
    let (ios, period_ms) = (mean(&sizes), mean(&periods));
    let is_pulsed = is_even && empty >= 0.5 && ios >= MORE_THAN_DEPTH * f64::from(depth.max(1));
    is_pulsed.then_some(Pulses { period_ms, ios })
}

/// Where the rate comes down to the plateau for good, in intervals.
fn stock_length(first: &[f64], settled: f64) -> usize {
    let middle = settled * (1.0 + BURST) / 2.0;
    first
        .iter()
        .rposition(|rate| *rate > middle)
        .map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::histogram::bucket_of;

    fn latency(parts: &[(u64, u64)]) -> Histogram {
        let mut histogram = Histogram::new();
        parts
            .iter()
            .for_each(|(ns, count)| histogram.add_count(bucket_of(*ns), *count));
        histogram
    }

    #[test]
    fn a_stock_is_told_from_a_flat_rate() {
        let one_speed = latency(&[(1_000_000, 1000)]);
        let mut rates = vec![6000.0; 4];
        rates.extend(vec![3000.0; 20]);
        let plateau = of(&rates, &one_speed).unwrap();
        assert_eq!(
            (plateau.settled, plateau.highest, plateau.stock_intervals),
            (3000.0, 6000.0, 4)
        );
        assert_eq!(
            of(&[3000.0; 24], &one_speed),
            None,
            "a disk that is equally fast all the time"
        );
    }

    #[test]
    fn two_steps_of_latency_are_a_cap_though_the_rate_was_never_higher() {
        let two_speeds = latency(&[(947_000, 60), (8_000_000, 40)]);
        let plateau = of(&[20_150.0; 20], &two_speeds).unwrap();
        assert!(!plateau.had_stock && plateau.steps.unwrap().1 > 7_900_000);
    }

    #[test]
    fn tokens_that_come_by_the_clock_show_as_pulses() {
        // As blk-throttle gave them at 400 I/Os a second, in bins of 10 ms; now and then over two bins.
        let mut bins = vec![16, 24];
        for round in 0..20 {
            bins.extend([0; 9]);
            if round % 5 == 4 {
                bins.extend([8, 32])
            } else {
                bins.push(40)
            }
        }
        let found = pulses(&bins, 10, 8).unwrap();
        assert!(
            (found.ios - 40.0).abs() < 1e-9 && (found.rate() - 400.0).abs() < 20.0,
            "{found:?}"
        );
        assert_eq!(
            pulses(&bins, 10, 40),
            None,
            "all 40 may have been in flight together"
        );
        let steady = [40; 60];
        let ragged: Vec<u32> = (0..90)
            .map(|i| if i % 7 == 0 || i % 11 == 0 { i } else { 0 })
            .collect();
        assert_eq!(
            [
                pulses(&steady, 10, 8),
                pulses(&ragged, 10, 8),
                pulses(&[], 10, 8)
            ],
            [None; 3]
        );
    }

    #[test]
    fn few_intervals_and_noise_say_nothing() {
        let two_speeds = latency(&[(947_000, 60), (8_000_000, 40)]);
        assert_eq!(of(&[20_150.0; 18], &two_speeds), None);
        let noisy: Vec<f64> = (0..40)
            .map(|i| 20_000.0 + 2000.0 * f64::from(i % 2))
            .collect();
        assert_eq!(of(&noisy, &two_speeds), None);
        assert_eq!(of(&[], &two_speeds), None);
    }
}
