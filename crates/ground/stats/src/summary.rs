//! Mean, median, quantiles and the spread around the mean.

/// Mean; 0 for no values.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

/// The middle value, or the mean of the two middle ones; 0 for no values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

/// How evenly amounts are shared, Jain's index (Jain, Chiu, Hawe 1984): 1 where all are the same, 1 divided by their number
/// where one has everything; none where nobody has anything.
pub fn jain(amounts: &[f64]) -> Option<f64> {
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|amount| amount * amount).sum();
    (squares > 0.0).then(|| sum * sum / (amounts.len() as f64 * squares))
}

/// By how much Jain's index grows for each unit more of each amount; none where nobody has anything.
pub fn jain_slopes(amounts: &[f64]) -> Option<Vec<f64>> {
    let index = jain(amounts)?;
    let sum: f64 = amounts.iter().sum();
    let squares: f64 = amounts.iter().map(|amount| amount * amount).sum();
    let slope = |amount: &f64| 2.0 * index * (1.0 / sum - amount / squares);
    Some(amounts.iter().map(slope).collect())
}

/// The value below which `share` of the values lie (the nearest rank, from 0 for the least to 1 for the greatest); none
/// for no values.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let rank = (share.clamp(0.0, 1.0) * sorted.len().saturating_sub(1) as f64).round();
    sorted.get(rank as usize).copied()
}

/// Least value, quartiles, median and greatest value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiveNumbers {
    /// The least value.
    pub least: f64,
    /// A quarter of the way up.
    pub lower_quartile: f64,
    /// Half of the way up.
    pub median: f64,
    /// Three quarters of the way up.
    pub upper_quartile: f64,
    /// The greatest value.
    pub greatest: f64,
}

impl FiveNumbers {
    /// Of these values, between two of them where a quartile falls between; none for no values.
    pub fn of(values: &[f64]) -> Option<FiveNumbers> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let at = |share: f64| {
            let place = share * last as f64;
            let (low, high) = (
                sorted[place.floor() as usize],
                sorted[place.ceil() as usize],
            );
            low + (high - low) * place.fract()
        };
        Some(FiveNumbers {
            least: sorted[0],
            lower_quartile: at(0.25),
            median: at(0.5),
            upper_quartile: at(0.75),
            greatest: sorted[last],
        })
    }
}

/// Sum of squared distances from the mean.
pub fn sum_of_squares(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum()
}

/// Standard deviation with n − 1; 0 below two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    (sum_of_squares(values) / (values.len() - 1) as f64).sqrt()
}

/// Standard error of the mean of independent values; 0 below two values.
pub fn standard_error(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        0.0
    } else {
        (sum_of_squares(values) / (n - 1.0) / n).sqrt()
    }
}

/// Natural logarithms of the positive values; the others have none.
pub fn logs(values: &[f64]) -> Vec<f64> {
    values
        .iter()
        .filter(|value| **value > 0.0)
        .map(|value| value.ln())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        assert_eq!(median(&[3.0, 1.0]), 2.0);
        assert_eq!(median(&[9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(&[10.0, 1.0, 2.0, 4.0]), 3.0);
        assert_eq!(median(&[]), 0.0);
    }

    #[test]
    fn spread_is_that_of_a_sample() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), 5.0);
        assert_eq!(sum_of_squares(&values), 32.0);
        assert!((standard_deviation(&values) - (32.0f64 / 7.0).sqrt()).abs() < 1e-15);
        assert!((standard_error(&values) - (4.0f64 / 7.0).sqrt()).abs() < 1e-15);
        assert_eq!((mean(&[]), standard_deviation(&[1.0])), (0.0, 0.0));
        assert_eq!(logs(&[-1.0, 0.0, 1.0]), [0.0]);
    }

    #[test]
    fn jain_is_one_for_equal_shares() {
        assert_eq!(jain(&[3.0, 3.0, 3.0]), Some(1.0));
        assert_eq!(jain(&[3.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!((jain(&[0.0, 0.0]), jain(&[])), (None, None));
    }

    #[test]
    fn jain_grows_along_its_slopes() {
        let amounts = [4.0, 1.0, 2.5];
        let slopes = jain_slopes(&amounts).unwrap();
        for (place, slope) in slopes.iter().enumerate() {
            let mut more = amounts;
            more[place] += 1e-6;
            let grown = (jain(&more).unwrap() - jain(&amounts).unwrap()) / 1e-6;
            assert!((grown - slope).abs() < 1e-5, "{place}: {grown} {slope}");
        }
        assert_eq!(jain_slopes(&[0.0, 0.0]), None);
    }

    #[test]
    fn quantiles_are_values_that_occurred() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        assert_eq!(quantile(&values, 0.05), Some(5.0));
        assert_eq!(quantile(&values, 1.0), Some(100.0));
        assert_eq!(quantile(&values, 2.0), Some(100.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn five_numbers_hold_the_median_and_the_ends() {
        let five = FiveNumbers::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((five.least, five.greatest), (1.0, 4.0));
        assert_eq!((five.lower_quartile, five.upper_quartile), (1.75, 3.25));
        assert_eq!(five.median, median(&[4.0, 1.0, 3.0, 2.0]));
        assert_eq!(FiveNumbers::of(&[]), None);
    }
}
