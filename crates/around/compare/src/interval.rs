//! Intervals from what one run holds: stretches of it, and the counts of its latencies.
//!
//! Neighbouring seconds of a run are alike, so they are no independent samples. Means are taken over stretches, and what
//! correlation is left between stretches widens the interval as it does for a series whose every value follows the one
//! before it (an autoregression of the first order).

use analyse::spread::ALPHA;
use model::histogram::Histogram;
use stats::{logs, mean, t_quantile};

/// Fewer values than this say nothing about how much they vary.
pub const LEAST: usize = 8;
/// Stretches that a long run is cut into, at most.
const STRETCHES: usize = 30;
/// A correlation above this leaves next to nothing independent.
const CORRELATION_MAX: f64 = 0.9;

/// A mean, half the width of its interval, and how many stretches it rests on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width.
    pub half: f64,
    /// Stretches.
    pub stretches: usize,
}

/// Mean of a series with its interval. None below [`LEAST`] values.
pub fn of_series(values: &[f64]) -> Option<Mean> {
    if values.len() < LEAST || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let stretches = stretches(values);
    let (centre, n) = (mean(values), stretches.len() as f64);
    let correlation = correlation(&stretches);
    let variance = stretches
        .iter()
        .map(|value| (value - centre).powi(2))
        .sum::<f64>()
        / (n - 1.0);
    let widening = (1.0 + correlation) / (1.0 - correlation);
    let freedom = ((n - 1.0) / widening).floor().max(2.0) as usize;
    let half = t_quantile(1.0 - ALPHA / 2.0, freedom) * (variance * widening / n).sqrt();
    Some(Mean {
        mean: centre,
        half,
        stretches: stretches.len(),
    })
}

/// Means of at most [`STRETCHES`] stretches of equal length; what is left over at the start is left out.
fn stretches(values: &[f64]) -> Vec<f64> {
    let length = values.len().div_ceil(STRETCHES);
    values.rchunks_exact(length).map(mean).collect()
}

/// Correlation of neighbours, from 0 to [`CORRELATION_MAX`], with what a short series hides added back.
pub fn correlation(values: &[f64]) -> f64 {
    let (centre, n) = (mean(values), values.len() as f64);
    let square: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    let product: f64 = values
        .windows(2)
        .map(|pair| (pair[0] - centre) * (pair[1] - centre))
        .sum();
    if square <= 0.0 {
        return 0.0;
    }
    let found = product / square;
    // An estimate from n values is too small by (1 + 4ρ)/n (Kendall 1954).
    (found + (1.0 + 4.0 * found) / n).clamp(0.0, CORRELATION_MAX)
}

/// Bounds of a quantile (0 to 1) from counts, ns. A bound is none where too few I/Os lie beyond it. The ranks between
/// which the true quantile lies in 95 of 100 cases follow from the binomial distribution, whatever the latencies are
/// distributed like, as long as each I/O stands alone.
pub fn of_quantile(counts: &Histogram, quantile: f64) -> (Option<f64>, Option<f64>) {
    let independent = (counts.total() as f64).max(1.0);
    let centre = independent * quantile;
    let reach = 1.96 * (independent * quantile * (1.0 - quantile)).sqrt() + 1.0;
    let bound = |rank: f64| {
        let place = rank / independent;
        (0.0 < place && place < 1.0)
            .then(|| counts.quantile_ns(place).map(|ns| ns as f64))
            .flatten()
    };
    (bound(centre - reach), bound(centre + reach))
}

/// By how much the logarithm of a percentile swings over a run: half the interval of its mean over the stretches. It holds
/// what counts cannot tell, that slow I/Os come together. 0 where the run is too short to tell.
pub fn swing(series: &[f64]) -> f64 {
    of_series(&logs(series)).map_or(0.0, |found| found.half)
}

/// Bounds around a value, widened to a swing. A bound that is none stays none.
pub fn widened((value, low, high): Bounds, swing: f64) -> Bounds {
    let below = low.map(|low| low.min(value * (-swing).exp()));
    let above = high.map(|high| high.max(value * swing.exp()));
    (value, below, above)
}

/// Mean of the latencies with its interval, ns.
pub fn of_mean(counts: &Histogram) -> Option<(f64, f64)> {
    let (mean, total) = (counts.mean_ns()?, counts.total() as f64);
    let square: f64 = counts
        .counts()
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(bucket, count)| {
            (model::histogram::value_of(bucket) as f64 - mean).powi(2) * *count as f64
        })
        .sum();
    (total >= 2.0).then(|| (mean, 1.96 * (square / total / total).sqrt()))
}

/// The ratio of two positive numbers with the interval that follows from theirs (Zou and Donner 2008, on the logarithms).
/// A bound that one of them lacks is none.
pub fn ratio(value: Bounds, base: Bounds) -> Option<Bounds> {
    if value.0 <= 0.0 || base.0 <= 0.0 {
        return None;
    }
    let centre = (value.0 / base.0).ln();
    let part =
        |bound: Option<f64>, of: f64| Some((bound.filter(|bound| *bound > 0.0)? / of).ln().powi(2));
    let both = |a: Option<f64>, b: Option<f64>| Some((a? + b?).sqrt());
    let below = both(part(value.1, value.0), part(base.2, base.0));
    let above = both(part(value.2, value.0), part(base.1, base.0));
    Some((
        centre.exp(),
        below.map(|by| (centre - by).exp()),
        above.map(|by| (centre + by).exp()),
    ))
}

/// A number with its lower and upper bound.
pub type Bounds = (f64, Option<f64>, Option<f64>);

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Dice;

    fn series(length: usize, correlation: f64, dice: &mut Dice) -> Vec<f64> {
        let mut last = dice.normal() / (1.0 - correlation * correlation).sqrt();
        let step = |_| {
            last = correlation * last + dice.normal();
            1_000.0 + 20.0 * last
        };
        (0..length).map(step).collect()
    }

    #[test]
    fn the_interval_of_a_run_holds_its_rate_though_neighbours_are_alike() {
        let mut dice = Dice::new(11);
        for (length, correlation, least) in [
            (10, 0.0, 0.93),
            (60, 0.0, 0.93),
            (60, 0.5, 0.92),
            (300, 0.8, 0.92),
        ] {
            let held = (0..2_000).filter(|_| {
                let found = of_series(&series(length, correlation, &mut dice)).unwrap();
                (found.mean - 1_000.0).abs() <= found.half
            });
            let share = held.count() as f64 / 2_000.0;
            assert!(
                share >= least && share < 0.995,
                "{length} values, correlation {correlation}: {share}"
            );
        }
    }

    #[test]
    fn few_values_have_no_interval() {
        assert_eq!(of_series(&[1.0; 7]), None);
        assert_eq!(
            of_series(&[1.0, f64::NAN, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
            None
        );
        assert_eq!(
            of_series(&[5.0; 8]),
            Some(Mean {
                mean: 5.0,
                half: 0.0,
                stretches: 8
            })
        );
    }

    #[test]
    fn the_interval_of_a_percentile_holds_it() {
        let mut dice = Dice::new(12);
        // Exponential latencies of mean 1 ms: the true p99 is 1 ms × ln 100.
        for (ios, quantile) in [(200, 0.5), (5_000, 0.99), (20_000, 0.999)] {
            let truth = -1e6 * (1.0f64 - quantile).ln();
            let held = (0..400).filter(|_| {
                let mut counts = Histogram::new();
                (0..ios).for_each(|_| counts.record((-1e6 * (1.0 - dice.share()).ln()) as u64));
                let (low, high) = of_quantile(&counts, quantile);
                // A bucket is up to 1/64 wide and its middle stands for it.
                low.unwrap() * 0.992 <= truth && truth <= high.unwrap() * 1.008
            });
            let share = held.count() as f64 / 400.0;
            assert!(share >= 0.93, "p{} of {ios}: {share}", quantile * 100.0);
        }
        let mut few = Histogram::new();
        (0..100).for_each(|ns| few.record(ns));
        assert_eq!(of_quantile(&few, 0.999).1, None, "nothing lies beyond");
    }

    #[test]
    fn stalls_that_come_together_widen_the_interval() {
        let mut dice = Dice::new(13);
        let mut counts = Histogram::new();
        let mut seconds = Vec::new();
        for second in 0..60 {
            let mut own = Histogram::new();
            let slow = if second % 10 < 2 { 8.0 } else { 1.0 };
            (0..1_000).for_each(|_| own.record((-1e6 * slow * (1.0 - dice.share()).ln()) as u64));
            seconds.push(own.quantile_ns(0.99).unwrap() as f64);
            counts.merge(&own);
        }
        let value = counts.quantile_ns(0.99).unwrap() as f64;
        let (low, high) = of_quantile(&counts, 0.99);
        let (_, wide_low, wide_high) = widened((value, low, high), swing(&seconds));
        assert!(swing(&seconds) > 0.15, "{}", swing(&seconds));
        assert!(wide_low.unwrap() < low.unwrap() && wide_high.unwrap() > high.unwrap());
        assert_eq!(swing(&[1e6; 3]), 0.0, "nothing is known of so few");
    }

    #[test]
    fn a_ratio_takes_both_intervals() {
        let (ratio_is, low, high) = ratio(
            (110.0, Some(108.0), Some(112.0)),
            (100.0, Some(98.0), Some(102.0)),
        )
        .unwrap();
        assert!((ratio_is - 1.1).abs() < 1e-12);
        assert!(
            (1.065..1.08).contains(&low.unwrap()) && (1.12..1.135).contains(&high.unwrap()),
            "{low:?} {high:?}"
        );
        assert_eq!(
            ratio((1.0, None, None), (2.0, Some(1.0), Some(3.0))),
            Some((0.5, None, None))
        );
        assert_eq!(ratio((1.0, None, None), (0.0, None, None)), None);
    }
}
