//! The write cliff: the moment when an SSD's fast cache is full and its speed falls and stays down.
//!
//! The samples, rid of lone outliers by a running median of three, are split where two constant levels fit best
//! (binary segmentation by least squares), and each part again. A split counts when the levels differ by 15 % or more
//! and by more than five standard errors, which are widened for samples that follow each other, and when half of the
//! difference lies between the few samples on either side of the split: a slow decline has no cliff.

use stats::{mean, median};

/// Smallest difference of levels that counts, as a share of the level before.
const STEP: f64 = 0.15;

/// Standard errors that a difference must exceed; the best of many splits is taken, so three would be too few.
const ERRORS: f64 = 5.0;

/// Fewest samples of a level.
const LEAST: usize = 3;

/// This share of the difference must lie right at the split.
const SUDDEN: f64 = 0.5;

/// A lasting drop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drop {
    /// First sample after it.
    pub at: usize,
    /// Level before.
    pub burst: f64,
    /// Level from it to the next change.
    pub after: f64,
}

/// The first drop that lasts to the end.
pub fn first_drop(samples: &[f64]) -> Option<Drop> {
    let smooth = median_of_three(samples);
    let mut splits = Vec::new();
    split(&smooth, 0, &mut splits);
    splits.sort_unstable();
    let ends = splits.iter().copied().skip(1).chain([samples.len()]);
    splits
        .iter()
        .zip(ends)
        .enumerate()
        .find_map(|(index, (&at, end))| {
            let start = if index == 0 { 0 } else { splits[index - 1] };
            let (burst, after) = (mean(&smooth[start..at]), mean(&smooth[at..end]));
            let lasts = median(&smooth[at..]) <= burst * (1.0 - STEP);
            (after <= burst * (1.0 - STEP) && lasts).then_some(Drop { at, burst, after })
        })
}

fn median_of_three(samples: &[f64]) -> Vec<f64> {
    let at = |index: usize| {
        let around = &samples[index.saturating_sub(1)..(index + 2).min(samples.len())];
        if around.len() < 3 {
            samples[index]
        } else {
            median(around)
        }
    };
    (0..samples.len()).map(at).collect()
}

fn split(samples: &[f64], offset: usize, splits: &mut Vec<usize>) {
    let Some(at) = best_split(samples) else {
        return;
    };
    let (left, right) = samples.split_at(at);
    if !counts(samples, left, right) {
        return;
    }
    splits.push(offset + at);
    split(left, offset, splits);
    split(right, offset + at, splits);
}

/// Where two means leave the fewest squares.
fn best_split(samples: &[f64]) -> Option<usize> {
    let total: f64 = samples.iter().sum();
    let n = samples.len();
    let mut left = 0.0;
    let gain = |(at, left): (usize, f64)| {
        let right = total - left;
        (
            at,
            left * left / at as f64 + right * right / (n - at) as f64,
        )
    };
    let sums = samples.iter().enumerate().map(|(index, value)| {
        left += value;
        (index + 1, left)
    });
    let inner = sums.filter(|(at, _)| *at >= LEAST && *at + LEAST <= n);
    inner
        .map(gain)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(at, _)| at)
}

fn counts(samples: &[f64], left: &[f64], right: &[f64]) -> bool {
    let (before, after) = (mean(left), mean(right));
    if (before - after).abs() < STEP * before.max(after) {
        return false;
    }
    let residuals = [residuals(left), residuals(right)].concat();
    let squares: f64 = residuals.iter().map(|value| value * value).sum();
    let follow: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let correlation = if squares > 0.0 {
        (follow / squares).clamp(0.0, 0.9)
    } else {
        0.0
    };
    let variance = squares / (samples.len() as f64 - 2.0).max(1.0);
    let widened = variance * (1.0 + correlation) / (1.0 - correlation);
    let error = (widened * (1.0 / left.len() as f64 + 1.0 / right.len() as f64)).sqrt();
    let near = (samples.len() / 20).clamp(LEAST, 10);
    let jump =
        mean(&left[left.len() - near.min(left.len())..]) - mean(&right[..near.min(right.len())]);
    (before - after).abs() > ERRORS * error && jump / (before - after) >= SUDDEN
}

/// Distances from the mean, or from two means where a further step in the part is clear: its noise is not the step's.
fn residuals(part: &[f64]) -> Vec<f64> {
    let around = |values: &[f64]| -> Vec<f64> {
        let centre = mean(values);
        values.iter().map(|value| value - centre).collect()
    };
    let squares = |values: &[f64]| -> f64 { values.iter().map(|value| value * value).sum() };
    let one = around(part);
    let two = best_split(part).map(|at| [around(&part[..at]), around(&part[at..])].concat());
    two.filter(|two| squares(two) < 0.5 * squares(&one))
        .unwrap_or(one)
}

/// Rise of the fitted line per sample; 0 below two samples.
pub(super) fn slope(samples: &[f64]) -> f64 {
    let (centre, middle) = (mean(samples), (samples.len() as f64 - 1.0) / 2.0);
    let distance = |index: usize| index as f64 - middle;
    let across: f64 = samples
        .iter()
        .enumerate()
        .map(|(i, value)| distance(i) * (value - centre))
        .sum();
    let along: f64 = (0..samples.len()).map(|i| distance(i).powi(2)).sum();
    if along > 0.0 { across / along } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::dice::Dice;

    /// Noise that follows itself: the next value keeps `keep` of the last.
    fn noise(dice: &mut Dice, keep: f64) -> impl FnMut() -> f64 {
        let mut last = 0.0;
        move || {
            last = keep * last + (1.0 - keep * keep).sqrt() * dice.normal();
            last
        }
    }

    #[test]
    fn finds_a_cliff_where_it_is() {
        let mut dice = Dice::new(1);
        for (at, length, after) in [
            (30, 120, 0.4),
            (100, 130, 0.7),
            (8, 200, 0.2),
            (50, 60, 0.5),
        ] {
            let mut next = noise(&mut dice, 0.3);
            let samples: Vec<f64> = (0..length)
                .map(|i| 500.0 * if i < at { 1.0 } else { after } * (1.0 + 0.05 * next()))
                .collect();
            let drop = first_drop(&samples).unwrap_or_else(|| panic!("no cliff at {at}"));
            assert!(drop.at.abs_diff(at) <= 1, "{} for {at}", drop.at);
            assert!(
                (drop.burst / 500.0 - 1.0).abs() < 0.05
                    && (drop.after / 500.0 / after - 1.0).abs() < 0.05
            );
        }
    }

    #[test]
    fn sees_the_first_of_two() {
        let mut dice = Dice::new(2);
        let level = |i| {
            if i < 20 {
                900.0
            } else if i < 60 {
                500.0
            } else {
                150.0
            }
        };
        let samples: Vec<f64> = (0..150)
            .map(|i| level(i) * (1.0 + 0.04 * dice.normal()))
            .collect();
        let drop = first_drop(&samples).unwrap();
        assert!(
            drop.at.abs_diff(20) <= 1 && (drop.after - 500.0).abs() < 25.0,
            "{drop:?}"
        );
    }

    #[test]
    fn is_not_fooled_by_noise_slopes_dips_or_rises() {
        let mut dice = Dice::new(3);
        let mut false_ones = 0;
        for keep in [0.0, 0.5, 0.8] {
            for _ in 0..100 {
                let mut next = noise(&mut dice, keep);
                let samples: Vec<f64> = (0..120).map(|_| 500.0 * (1.0 + 0.15 * next())).collect();
                false_ones += usize::from(first_drop(&samples).is_some());
            }
        }
        assert!(false_ones <= 3, "{false_ones} of 300");
        let slope: Vec<f64> = (0..100)
            .map(|i| 500.0 - 3.0 * f64::from(i) + 10.0 * dice.normal())
            .collect();
        assert_eq!(first_drop(&slope), None);
        let dip: Vec<f64> = (0..100)
            .map(|i| {
                if i == 40 {
                    0.0
                } else {
                    500.0 + 10.0 * dice.normal()
                }
            })
            .collect();
        assert_eq!(first_drop(&dip), None);
        let rise: Vec<f64> = (0..100)
            .map(|i| if i < 40 { 200.0 } else { 500.0 } + 10.0 * dice.normal())
            .collect();
        assert_eq!(first_drop(&rise), None);
        let pause: Vec<f64> = (0..100)
            .map(|i| if (40..50).contains(&i) { 100.0 } else { 500.0 } + 10.0 * dice.normal())
            .collect();
        assert_eq!(first_drop(&pause), None, "it comes back");
        for few in 0..6 {
            assert_eq!(first_drop(&slope[..few]), None);
        }
    }
}
