//! Small robust statistics: median, Huber mean, t intervals, exact sign flips.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Turns a median absolute deviation into a standard deviation under normal noise.
pub(super) const MAD_TO_SD: f64 = 1.4826;

/// The middle value; 0 for no values.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// Mean; 0 for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

/// Standard deviation with n − 1; 0 below two values.
pub(super) fn deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let centre = mean(values);
    let square: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (square / (values.len() - 1) as f64).sqrt()
}

/// Robust scale around the median.
pub(super) fn mad_sd(values: &[f64]) -> f64 {
    let centre = median(values);
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    MAD_TO_SD * median(&distances)
}

/// Huber's mean: a few steps from the median, each with residuals clipped at three robust deviations.
pub(super) fn huber(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let reach = 3.0 * (mad_sd(values) + 1e-9);
    let mut centre = median(values);
    for _ in 0..5 {
        centre += mean(
            &values
                .iter()
                .map(|value| (value - centre).clamp(-reach, reach))
                .collect::<Vec<_>>(),
        );
    }
    centre
}

/// A robust estimate with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Estimate {
    pub centre: f64,
    pub error: f64,
    pub count: usize,
}

impl Estimate {
    /// Huber's mean, and the error of values clipped at four robust deviations around it.
    pub(super) fn of(values: &[f64]) -> Self {
        let centre = huber(values);
        let reach = 4.0 * (mad_sd(values) + 1e-9);
        let clipped: Vec<f64> = values
            .iter()
            .map(|v| v.clamp(centre - reach, centre + reach))
            .collect();
        let error = deviation(&clipped) / (values.len().max(1) as f64).sqrt();
        Estimate {
            centre,
            error,
            count: values.len(),
        }
    }

    /// The two-sided t interval that misses with probability `alpha`.
    pub(super) fn interval(&self, alpha: f64) -> (f64, f64) {
        let reach = t_quantile(1.0 - alpha / 2.0, self.count.saturating_sub(1)) * self.error;
        (self.centre - reach, self.centre + reach)
    }
}

/// Quantile of Student's t; infinite without a degree of freedom.
pub(super) fn t_quantile(probability: f64, freedom: usize) -> f64 {
    match StudentsT::new(0.0, 1.0, freedom as f64) {
        Ok(t) if freedom > 0 => t.inverse_cdf(probability),
        _ => f64::INFINITY,
    }
}

/// Exact two-sided probability that random signs give a sum as far from 0 as the one seen; at most 20 values,
/// more would need sampling and the slow class never has more.
pub(super) fn sign_flip(values: &[f64]) -> f64 {
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
        assert_eq!(median(&[3.0, 1.0]), 2.0);
    }

    #[test]
    fn quantiles_match_the_tables() {
        assert!((t_quantile(0.975, 10) - 2.228).abs() < 1e-3);
        assert!((t_quantile(0.975, 15) - 2.131).abs() < 1e-3);
        assert!(t_quantile(0.975, 0).is_infinite());
    }

    #[test]
    fn sign_flip_counts_exactly() {
        assert_eq!(sign_flip(&[1.0; 8]), 2.0 / 256.0);
        assert_eq!(sign_flip(&[1.0, -1.0]), 1.0);
        assert_eq!(sign_flip(&[]), 1.0);
    }
}
