//! Where a series of records changed for good, if it did.
//!
//! Records of one device follow each other, so they are no independent draws: a slow drift of the machine makes
//! neighbours alike, and a permutation test, which takes every order to be as likely, finds changes in it far more often
//! than it says. The statistic here is Student's t of the best split, shrunk by the correlation that is left on both sides
//! of it; its distribution without any change comes from series drawn with that correlation and no change, each judged in
//! the same way, correlation estimated anew and all. Values are taken as logarithms. A single wild record is drawn towards
//! its neighbours first, for it is no lasting change. What is found splits the series, and each side is searched again.

use stats::dice::Dice;
use stats::{mean, robust_sd, t_quantile};
use std::ops::Range;

/// Fewer records than this are not searched.
pub const LEAST: usize = 8;
/// A level needs so many records on each side.
const SIDE: usize = 3;
/// Series drawn for one probability.
const DRAWS: usize = 1_999;
/// How many scaled deviations a value may lie from the middle of its neighbours.
const WILD: f64 = 4.0;
/// By how many of its standard errors the correlation is taken larger than it was found.
const DOUBT: f64 = 2.0;
/// Levels that are taken out before the correlation is estimated, at most.
const LEVELS_MAX: usize = 5;
/// How much better a further level has to fit to be taken out, in logarithms of the length.
const PENALTY: f64 = 6.0;
/// A correlation above this leaves nothing to tell a change from.
const CORRELATION_MAX: f64 = 0.85;

/// A change in a series of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// First index after it.
    pub at: usize,
    /// First and last index at which it may as well be.
    pub between: (usize, usize),
    /// Level after against before, minus one, with its interval.
    pub effect: (f64, f64, f64),
    /// Probability of one as large without any change.
    pub p: f64,
}

/// All changes of a series of positive values at a chance `alpha` of finding any where there is none, in order; and the
/// correlation of neighbours that was allowed for.
pub fn find(values: &[f64], alpha: f64, seed: u64) -> (Vec<Change>, f64) {
    let logs: Vec<f64> = values
        .iter()
        .map(|value| value.max(f64::MIN_POSITIVE).ln())
        .collect();
    let values = calmed(&logs);
    let mut dice = Dice::new(seed);
    let mut found = Vec::new();
    search(&logs, 0..logs.len(), alpha, &mut dice, &mut found);
    found.sort_by_key(|(at, _)| *at);
    let edges: Vec<usize> = [0]
        .into_iter()
        .chain(found.iter().map(|(at, _)| *at))
        .chain([logs.len()])
        .collect();
    let left: Vec<f64> = edges
        .windows(2)
        .flat_map(|edge| centred(&values[edge[0]..edge[1]]))
        .collect();
    let correlation = correlation(&left, edges.len() - 1);
    let noise = Noise {
        variance: left.iter().map(|value| value * value).sum::<f64>()
            / (left.len() as f64 - edges.len() as f64).max(1.0),
        correlation,
    };
    // The place of a change is looked for again between its neighbours: others blurred it when it was found.
    let changes = found
        .iter()
        .zip(edges.windows(3))
        .map(|((_, p), edge)| placed(&values, edge[0]..edge[2], *p, noise));
    (changes.flatten().collect(), correlation)
}

/// What is left around the levels.
#[derive(Clone, Copy)]
struct Noise {
    variance: f64,
    correlation: f64,
}

fn search(
    logs: &[f64],
    range: Range<usize>,
    alpha: f64,
    dice: &mut Dice,
    found: &mut Vec<(usize, f64)>,
) {
    let Some((at, p)) = judged(&logs[range.clone()], alpha, dice) else {
        return;
    };
    let at = range.start + at;
    found.push((at, p));
    search(logs, range.start..at, alpha, dice, found);
    search(logs, at..range.end, alpha, dice, found);
}

/// The best split of a series and its probability, where it is better than chance allows.
fn judged(logs: &[f64], alpha: f64, dice: &mut Dice) -> Option<(usize, f64)> {
    if logs.len() < LEAST {
        return None;
    }
    let split = best(logs)?;
    // What was estimated is itself uncertain: the draws take its upper end, so that the claim errs towards silence.
    let doubt = DOUBT * ((1.0 - split.correlation * split.correlation) / logs.len() as f64).sqrt();
    let correlation = (split.correlation + doubt).min(CORRELATION_MAX);
    let most = ((DRAWS + 1) as f64 * alpha).floor() as usize;
    let mut larger = 0;
    for _ in 0..DRAWS {
        let drawn = series(logs.len(), correlation, dice);
        larger += usize::from(best(&drawn).is_some_and(|other| other.statistic >= split.statistic));
        if larger >= most {
            return None;
        }
    }
    Some((split.at, (larger + 1) as f64 / (DRAWS + 1) as f64))
}

/// A series without a change: each value follows the one before it.
fn series(length: usize, correlation: f64, dice: &mut Dice) -> Vec<f64> {
    let step = (1.0 - correlation * correlation).sqrt();
    let mut last = dice.normal();
    let next = |index| {
        if index > 0 {
            last = correlation * last + step * dice.normal();
        }
        last
    };
    (0..length).map(next).collect()
}

/// The best place to split a series.
struct Split {
    at: usize,
    statistic: f64,
    correlation: f64,
}

fn best(logs: &[f64]) -> Option<Split> {
    let values = calmed(logs);
    let n = values.len() as f64;
    let all: f64 = centred(&values).iter().map(|value| value * value).sum();
    if all <= 1e-18 {
        return None;
    }
    let (at, gain) = strongest(&values, 0..values.len())?;
    // Further levels are no claim: they are taken out so that a second change does not look like correlation.
    let mut edges = vec![0, at, values.len()];
    let mut rest = all - gain;
    while edges.len() < LEVELS_MAX + 1 {
        let next = edges
            .windows(2)
            .filter_map(|edge| strongest(&values, edge[0]..edge[1]));
        let Some((place, gain)) = next.max_by(|a, b| a.1.total_cmp(&b.1)) else {
            break;
        };
        let after = (rest - gain).max(all * 1e-9);
        if n * (rest.max(all * 1e-9) / after).ln() < PENALTY * n.ln() {
            break;
        }
        rest = after;
        edges.push(place);
        edges.sort_unstable();
    }
    let residuals: Vec<f64> = edges
        .windows(2)
        .flat_map(|edge| centred(&values[edge[0]..edge[1]]))
        .collect();
    let levels = edges.len() - 1;
    let correlation = correlation(&residuals, levels);
    let narrowing = (1.0 - correlation) / (1.0 + correlation);
    let variance = rest.max(all * 1e-9) / (n - levels as f64);
    Some(Split {
        at,
        statistic: gain / variance * narrowing,
        correlation,
    })
}

/// The split of a stretch that takes most away from its sum of squares, and how much.
fn strongest(values: &[f64], range: Range<usize>) -> Option<(usize, f64)> {
    gains(values, range)
        .into_iter()
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

/// How much of the sum of squares of a stretch each split takes away.
fn gains(values: &[f64], range: Range<usize>) -> Vec<(usize, f64)> {
    let part = &values[range.clone()];
    let n = part.len();
    let total: f64 = part.iter().sum();
    let mut left = 0.0;
    let mut gains = Vec::new();
    for (index, value) in part.iter().enumerate() {
        if index >= SIDE && index + SIDE <= n {
            let (a, b) = (index as f64, (n - index) as f64);
            let step = left / a - (total - left) / b;
            gains.push((range.start + index, step * step * a * b / n as f64));
        }
        left += value;
    }
    gains
}

/// A change between its neighbours: where it may be, and how large it is.
fn placed(values: &[f64], range: Range<usize>, p: f64, noise: Noise) -> Option<Change> {
    let (at, most) = strongest(values, range.clone())?;
    let widening = (1.0 + noise.correlation) / (1.0 - noise.correlation);
    // Twice the logarithm of the likelihood ratio stays below 7.38 in 95 of 100 cases (Hinkley 1970, for large changes).
    let limit = most - 7.38 * noise.variance * widening;
    let near: Vec<usize> = gains(values, range.clone())
        .iter()
        .filter(|(_, gain)| *gain >= limit)
        .map(|(index, _)| *index)
        .collect();
    // Far places that fit as well by chance are no part of one uncertain place.
    let low = (range.start..=at)
        .rev()
        .take_while(|index| near.contains(index))
        .last()
        .unwrap_or(at);
    let high = (at..range.end)
        .take_while(|index| near.contains(index))
        .last()
        .unwrap_or(at);
    Some(Change {
        at,
        between: (low, high),
        effect: effect(&values[range.start..at], &values[at..range.end], noise),
        p,
    })
}

/// Values less their mean.
fn centred(values: &[f64]) -> Vec<f64> {
    let centre = mean(values);
    values.iter().map(|value| value - centre).collect()
}

/// Correlation of neighbours in what is left around fitted levels, with what fitting took away added back.
fn correlation(residuals: &[f64], levels: usize) -> f64 {
    let n = residuals.len() as f64;
    let square: f64 = residuals.iter().map(|value| value * value).sum();
    let product: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if square <= 0.0 {
        return 0.0;
    }
    let found = product / square;
    let taken = levels as f64 * (1.0 + 3.0 * found) / n;
    (found + taken).clamp(0.0, CORRELATION_MAX)
}

/// Wild values drawn to [`WILD`] deviations from the middle of their five neighbours (Hampel's filter). A step stays one.
fn calmed(values: &[f64]) -> Vec<f64> {
    let middle = |index: usize| {
        let (from, to) = (index.saturating_sub(2), (index + 3).min(values.len()));
        stats::median(&values[from..to])
    };
    let middles: Vec<f64> = (0..values.len()).map(middle).collect();
    let distances: Vec<f64> = values
        .iter()
        .zip(&middles)
        .map(|(value, middle)| (value - middle).abs())
        .collect();
    let scale = robust_sd(&distances);
    if scale <= 0.0 {
        return values.to_vec();
    }
    let calm =
        |(value, middle): (&f64, &f64)| value.clamp(middle - WILD * scale, middle + WILD * scale);
    values.iter().zip(&middles).map(calm).collect()
}

/// Ratio of the levels minus one, with its interval.
fn effect(before: &[f64], after: &[f64], noise: Noise) -> (f64, f64, f64) {
    let step = mean(after) - mean(before);
    let n = (before.len() + after.len()) as f64;
    let widening = (1.0 + noise.correlation) / (1.0 - noise.correlation);
    let freedom = ((n / widening) - 2.0).floor().max(2.0) as usize;
    let sides = 1.0 / before.len() as f64 + 1.0 / after.len() as f64;
    let half = t_quantile(0.975, freedom) * (noise.variance * sides * widening).sqrt();
    let share = |ln: f64| ln.exp() - 1.0;
    (share(step), share(step - half), share(step + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates of a device around 10,000 with noise of 4 %, and a step after some of them.
    fn records(length: usize, rho: f64, step: f64, after: usize, dice: &mut Dice) -> Vec<f64> {
        let noise = series(length, rho, dice);
        let level = |index| if index >= after { 1.0 + step } else { 1.0 };
        noise
            .iter()
            .enumerate()
            .map(|(index, noise)| 10_000.0 * level(index) * (0.04 * noise).exp())
            .collect()
    }

    #[test]
    fn a_series_that_does_not_change_shows_no_more_changes_than_alpha() {
        let mut dice = Dice::new(21);
        for (length, rho) in [
            (8, 0.0),
            (12, 0.3),
            (20, 0.0),
            (20, 0.3),
            (20, 0.5),
            (60, 0.5),
            (60, 0.7),
        ] {
            let trials = 400;
            let wrong = (0..trials)
                .filter(|seed| {
                    !find(&records(length, rho, 0.0, 0, &mut dice), 0.05, *seed)
                        .0
                        .is_empty()
                })
                .count();
            let share = wrong as f64 / trials as f64;
            // 400 trials at 5 % give 8 % or more once in 300.
            assert!(share < 0.08, "{length} records, correlation {rho}: {share}");
        }
    }

    #[test]
    fn a_fifth_less_is_found_in_twenty_records_and_placed() {
        let mut dice = Dice::new(22);
        for (rho, least) in [(0.0, 0.93), (0.3, 0.72)] {
            let mut near = 0;
            let mut held = 0;
            for seed in 0..200 {
                let (found, _) = find(&records(20, rho, -0.2, 11, &mut dice), 0.05, seed);
                let change = found.iter().find(|change| change.at.abs_diff(11) <= 1);
                near += usize::from(change.is_some());
                held += usize::from(
                    change.is_some_and(|one| (one.effect.1..=one.effect.2).contains(&-0.2)),
                );
            }
            assert!(
                near as f64 >= least * 200.0,
                "correlation {rho}: {near} of 200"
            );
            assert!(
                held as f64 >= 0.88 * near as f64,
                "correlation {rho}: {held} of {near}"
            );
        }
    }

    #[test]
    fn one_wild_record_is_no_change_and_hides_none() {
        let mut dice = Dice::new(23);
        let mut calm = records(20, 0.0, 0.0, 0, &mut dice);
        calm[18] /= 5.0;
        assert_eq!(find(&calm, 0.05, 1).0, []);
        let mut stepped = records(20, 0.0, -0.2, 11, &mut dice);
        stepped[4] /= 5.0;
        let (found, _) = find(&stepped, 0.05, 1);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].at.abs_diff(11) <= 1 && found[0].p <= 0.05);
        assert!(
            found[0].between.0 <= 11 && 11 <= found[0].between.1,
            "{found:?}"
        );
    }

    #[test]
    fn two_changes_are_two() {
        let mut dice = Dice::new(24);
        let mut values = records(40, 0.0, -0.3, 14, &mut dice);
        values[28..].iter_mut().for_each(|value| *value *= 1.4);
        let places: Vec<usize> = find(&values, 0.05, 1)
            .0
            .iter()
            .map(|change| change.at)
            .collect();
        assert_eq!(places.len(), 2, "{places:?}");
        assert!(
            places[0].abs_diff(14) <= 1 && places[1].abs_diff(28) <= 1,
            "{places:?}"
        );
    }

    #[test]
    fn few_or_equal_values_are_no_trap() {
        assert_eq!(find(&[1.0; 7], 0.05, 1), (vec![], 0.0));
        assert_eq!(find(&[1.0; 30], 0.05, 1), (vec![], 0.0));
        let (found, _) = find(&[[100.0; 10], [80.0; 10]].concat(), 0.05, 1);
        assert_eq!(
            found.iter().map(|change| change.at).collect::<Vec<_>>(),
            [10]
        );
        assert!((found[0].effect.0 + 0.2).abs() < 1e-9);
        assert_eq!(find(&[], 0.05, 1), (vec![], 0.0));
    }
}
