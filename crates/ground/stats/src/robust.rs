//! Statistics that a few wild values do not move: scale from the median, Huber's mean, exact sign flips.

use crate::summary::{mean, median, standard_deviation};
use crate::t_quantile;

/// Turns a median absolute deviation into a standard deviation under normal noise.
const MAD_TO_SD: f64 = 1.4826;

/// Standard deviation estimated from distances to a centre, by their median.
pub fn robust_sd(distances: &[f64]) -> f64 {
    MAD_TO_SD * median(distances)
}

/// Standard deviation estimated from the median absolute deviation around the median.
pub fn mad_sd(values: &[f64]) -> f64 {
    let centre = median(values);
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    robust_sd(&distances)
}

/// Huber's mean: a few steps from the median, each with residuals clipped at three robust deviations.
pub fn huber(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let reach = 3.0 * (mad_sd(values) + 1e-9);
    let mut centre = median(values);
    for _ in 0..5 {
        let clipped: Vec<f64> = values
            .iter()
            .map(|value| (value - centre).clamp(-reach, reach))
            .collect();
        centre += mean(&clipped);
    }
    centre
}

/// A robust estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Huber's mean.
    pub centre: f64,
    /// Its standard error.
    pub error: f64,
    /// Values that it rests on.
    pub count: usize,
}

impl Estimate {
    /// Huber's mean, and the error of values clipped at four robust deviations around it.
    pub fn of(values: &[f64]) -> Self {
        let centre = huber(values);
        let reach = 4.0 * (mad_sd(values) + 1e-9);
        let clipped: Vec<f64> = values
            .iter()
            .map(|value| value.clamp(centre - reach, centre + reach))
            .collect();
        let error = standard_deviation(&clipped) / (values.len().max(1) as f64).sqrt();
        Estimate {
            centre,
            error,
            count: values.len(),
        }
    }

    /// The two-sided t interval that misses with probability `alpha`.
    pub fn interval(&self, alpha: f64) -> (f64, f64) {
        let reach = t_quantile(1.0 - alpha / 2.0, self.count.saturating_sub(1)) * self.error;
        (self.centre - reach, self.centre + reach)
    }
}

/// Exact two-sided probability that random signs give a sum as far from 0 as the one seen. Only the first 20 values
/// count: more would need sampling.
pub fn sign_flip(values: &[f64]) -> f64 {
    let values = &values[..values.len().min(20)];
    let seen = values.iter().sum::<f64>().abs() - 1e-12;
    let all = 1u32 << values.len();
    let as_far = (0..all).filter(|signs| {
        let sum: f64 = values
            .iter()
            .enumerate()
            .map(|(i, v)| if signs >> i & 1 == 1 { *v } else { -*v })
            .sum();
        sum.abs() >= seen
    });
    as_far.count() as f64 / f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robust_means_ignore_one_wild_value() {
        let mut values: Vec<f64> = (0..21).map(|i| f64::from(i) * 0.01).collect();
        assert!((huber(&values) - 0.1).abs() < 1e-9);
        values[20] = 100.0;
        assert!((huber(&values) - 0.1).abs() < 0.02);
        assert_eq!(huber(&[]), 0.0);
    }

    #[test]
    fn robust_scales_are_those_of_normal_noise() {
        let mut dice = crate::dice::Dice::new(5);
        let mut values: Vec<f64> = (0..20_001).map(|_| 3.0 + 2.0 * dice.normal()).collect();
        assert!((mad_sd(&values) - 2.0).abs() < 0.05);
        values[..2_000].fill(1e6);
        assert!((mad_sd(&values) - 2.0).abs() < 0.5);
        // Four distances: 3, 1, 1, 3, of which the middle two are 1 and 3.
        assert_eq!(mad_sd(&[0.0, 2.0, 4.0, 6.0]), 1.4826 * 2.0);
    }

    #[test]
    fn an_estimate_has_an_interval() {
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!((estimate.centre - 3.0).abs() < 1e-12);
        let (low, high) = estimate.interval(0.05);
        // 2.776 × √2.5 / √5, of Student's t with four degrees of freedom.
        assert!((low - 1.0367).abs() < 1e-3 && (high - 4.9633).abs() < 1e-3);
        assert!(Estimate::of(&[1.0]).interval(0.05).0.is_nan());
    }

    #[test]
    fn sign_flip_counts_exactly() {
        assert_eq!(sign_flip(&[1.0; 8]), 2.0 / 256.0);
        assert_eq!(sign_flip(&[1.0, -1.0]), 1.0);
        assert_eq!(sign_flip(&[]), 1.0);
    }
}
