//! Intervals over repeats.
//!
//! Rates and latencies are positive and their noise is a factor rather than a sum, so mean and interval are taken on
//! the logarithms: Student's t over the repeats, which is exact for log-normal noise however few the repeats are. A
//! bootstrap over three repeats would be too narrow by half.

use model::curve::Spread;
use stats::{logs, mean, standard_error, t_quantile};

/// Probability that an interval misses.
pub const ALPHA: f64 = 0.05;

/// Mean and 95 % interval of positive values. Values that are not positive have no logarithm and are left out.
pub fn of(values: &[f64]) -> Spread {
    let logs = logs(values);
    if logs.is_empty() {
        return Spread::default();
    }
    let centre = mean(&logs);
    let reach = t_quantile(1.0 - ALPHA / 2.0, logs.len() - 1) * standard_error(&logs);
    let bound = |sign: f64| (logs.len() > 1).then(|| (centre + sign * reach).exp());
    Spread {
        mean: centre.exp(),
        low: bound(-1.0),
        high: bound(1.0),
    }
}

/// The sum of some amounts over the sum of others that belong to them, pair by pair, with its 95 % interval: what a whole
/// takes against another whole. The interval is that of a ratio estimator (Cochran, Sampling Techniques, 6.3), taken on the
/// logarithm. Pairs in which one of both is not positive are left out.
pub fn of_ratio(pairs: &[(f64, f64)]) -> Spread {
    let pairs: Vec<(f64, f64)> = pairs
        .iter()
        .copied()
        .filter(|(a, b)| *a > 0.0 && *b > 0.0)
        .collect();
    if pairs.is_empty() {
        return Spread::default();
    }
    let above = mean(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let below = mean(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    // How far each pair pulls the logarithm of the ratio to its side.
    let pulls: Vec<f64> = pairs.iter().map(|(a, b)| a / above - b / below).collect();
    let centre = (above / below).ln();
    let reach = t_quantile(1.0 - ALPHA / 2.0, pulls.len() - 1) * standard_error(&pulls);
    let bound = |sign: f64| (pulls.len() > 1).then(|| (centre + sign * reach).exp());
    Spread {
        mean: centre.exp(),
        low: bound(-1.0),
        high: bound(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Dice;

    #[test]
    fn the_interval_holds_the_truth_as_often_as_it_says() {
        let mut dice = Dice::new(7);
        for (repeats, noise) in [(3, 0.02), (3, 0.5), (5, 0.2), (10, 0.1)] {
            let trials = 4_000;
            let held = (0..trials).filter(|_| {
                let values: Vec<f64> = (0..repeats)
                    .map(|_| 40_000.0 * (noise * dice.normal()).exp())
                    .collect();
                let spread = of(&values);
                (spread.low.unwrap()..=spread.high.unwrap()).contains(&40_000.0)
            });
            let share = held.count() as f64 / f64::from(trials);
            assert!(
                (0.935..0.965).contains(&share),
                "{repeats} repeats, noise {noise}: {share}"
            );
        }
    }

    #[test]
    fn few_or_odd_values_are_no_trap() {
        assert_eq!(of(&[]), Spread::default());
        let one = of(&[5.0]);
        assert!((one.mean - 5.0).abs() < 1e-12 && one.low.is_none() && one.high.is_none());
        assert_eq!(one.half_width(), None);
        let with_zero = of(&[0.0, 4.0, 4.0]);
        assert!((with_zero.mean - 4.0).abs() < 1e-12);
        assert!(with_zero.half_width().unwrap().abs() < 1e-12);
    }

    #[test]
    fn a_ratio_of_sums_holds_the_truth_and_shared_noise_falls_out() {
        let mut dice = Dice::new(11);
        for (pairs, own) in [(20, 0.05), (20, 0.3), (40, 0.3)] {
            let trials = 4_000;
            let held = (0..trials).filter(|_| {
                let drawn: Vec<(f64, f64)> = (0..pairs)
                    .map(|_| {
                        let shared = (0.5 * dice.normal()).exp();
                        let noise = |dice: &mut Dice| {
                            shared * (own * dice.normal() - own * own / 2.0).exp()
                        };
                        (3.0 * noise(&mut dice), noise(&mut dice))
                    })
                    .collect();
                let spread = of_ratio(&drawn);
                (spread.low.unwrap()..=spread.high.unwrap()).contains(&3.0)
            });
            let share = held.count() as f64 / f64::from(trials);
            assert!(
                (0.91..0.97).contains(&share),
                "{pairs} pairs, noise {own}: {share}"
            );
        }
        assert_eq!(of_ratio(&[]), Spread::default());
        let one = of_ratio(&[(6.0, 2.0)]);
        assert!((one.mean - 3.0).abs() < 1e-12 && one.low.is_none());
    }
}
