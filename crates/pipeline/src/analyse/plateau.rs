//! How a token bucket looks from inside: a rate that is flat to the per cent, with I/Os that had a token beside I/Os
//! that waited for one, or after a beginning that was faster.

use super::spread::{mean, squares};
use model::histogram::Histogram;

/// Rates count as flat up to this standard deviation over the mean. A proposal of this project, like all thresholds
/// here: a bucket refills by the clock, a medium does not.
pub const FLAT: f64 = 0.03;

/// A beginning that was so many times faster was the bucket's stock.
pub const BURST: f64 = 1.3;

/// The later half must have so many intervals.
pub const LEAST: usize = 10;

const STEP: f64 = 4.0;
const PLATEAU: f64 = 1.6;

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
    let stock_intervals = if had_stock { stock_length(first, settled) } else { 0 };
    (had_stock || steps.is_some()).then_some(Plateau { settled, highest, had_stock, steps, stock_intervals })
}

/// Standard deviation over mean; none of fewer than two values or a mean of 0.
pub fn variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let is_defined = values.len() > 1 && mean > 0.0;
    is_defined.then(|| (squares(values) / (values.len() - 1) as f64).sqrt() / mean)
}

/// The two latencies, where there are two steps: fast ones that had a token, and a plateau of those that waited.
pub fn two_steps(latency: &Histogram) -> Option<(u64, u64)> {
    let quantile = |share: f64| latency.quantile_ns(share).map(|ns| ns.max(1));
    let (middle, upper, top) = (quantile(0.5)?, quantile(0.75)?, quantile(0.95)?);
    let is_step = upper as f64 >= STEP * middle as f64 && top as f64 <= PLATEAU * upper as f64;
    is_step.then_some((middle, upper))
}

/// Where the rate comes down to the plateau for good, in intervals.
fn stock_length(first: &[f64], settled: f64) -> usize {
    let middle = settled * (1.0 + BURST) / 2.0;
    first.iter().rposition(|rate| *rate > middle).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::histogram::bucket_of;

    fn latency(parts: &[(u64, u64)]) -> Histogram {
        let mut histogram = Histogram::new();
        parts.iter().for_each(|(ns, count)| histogram.add_count(bucket_of(*ns), *count));
        histogram
    }

    #[test]
    fn a_stock_is_told_from_a_flat_rate() {
        let one_speed = latency(&[(1_000_000, 1000)]);
        let mut rates = vec![6000.0; 4];
        rates.extend(vec![3000.0; 20]);
        let plateau = of(&rates, &one_speed).unwrap();
        assert_eq!((plateau.settled, plateau.highest, plateau.stock_intervals), (3000.0, 6000.0, 4));
        assert_eq!(of(&[3000.0; 24], &one_speed), None, "a disk that is equally fast all the time");
    }

    #[test]
    fn two_steps_of_latency_are_a_cap_though_the_rate_was_never_higher() {
        let two_speeds = latency(&[(947_000, 60), (8_000_000, 40)]);
        let plateau = of(&[20_150.0; 20], &two_speeds).unwrap();
        assert!(!plateau.had_stock && plateau.steps.unwrap().1 > 7_900_000);
    }

    #[test]
    fn few_intervals_and_noise_say_nothing() {
        let two_speeds = latency(&[(947_000, 60), (8_000_000, 40)]);
        assert_eq!(of(&[20_150.0; 18], &two_speeds), None);
        let noisy: Vec<f64> = (0..40).map(|i| 20_000.0 + 2000.0 * f64::from(i % 2)).collect();
        assert_eq!(of(&noisy, &two_speeds), None);
        assert_eq!(of(&[], &two_speeds), None);
    }
}
