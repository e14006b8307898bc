//! The p99 guard: a gain in throughput is no win when the slowest hundredth gets more than a tenth slower.
//!
//! Percentiles of single windows are biased where a window holds few completions, so the histograms of many windows
//! are merged first; the interval comes from resampling whole pairs. Where latencies fall into two bands and the
//! percentile lies between them, its ratio says nothing: a ten-thousandth more or fewer slow I/Os move it from one band
//! to the other. There the share of slow I/Os decides, which is smooth.

use model::histogram::{Histogram, value_of};
use model::verdict::{Guard, P99};

const QUANTILE: f64 = 0.99;
const MARGIN: f64 = 1.10;
/// Share of the arm's I/Os that may be slower than the margin allows the default's p99 to be: a quarter over the
/// hundredth that defines it.
const SLOW_SHARE_MAX: f64 = 0.0125;
/// Completions on each side that put at least ten beyond the percentile.
const COMPLETIONS_MIN: u64 = 1_000;
/// Pairs are pooled to at most this many units of resampling.
const UNITS_MAX: usize = 48;
const RESAMPLES: usize = 200;

/// The p99 ratio with its interval; none without histograms. `random` yields the bits for resampling.
pub(super) fn p99(pairs: &[[Histogram; 2]], mut random: impl FnMut() -> u64) -> Option<P99> {
    let units = pooled(pairs);
    let whole: Vec<usize> = (0..units.len()).collect();
    let ratio = ratio_of(&units, &whole)?;
    let totals = [0, 1].map(|side| units.iter().map(|unit| unit[side].total()).sum::<u64>());
    if totals.iter().any(|total| *total < COMPLETIONS_MIN) || units.len() < 8 {
        return Some(P99 {
            ratio,
            low: None,
            high: None,
            guard: Guard::NotJudged,
        });
    }
    let mut ratios: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let chosen: Vec<usize> = whole
                .iter()
                .map(|_| (random() % units.len() as u64) as usize)
                .collect();
            ratio_of(&units, &chosen)
        })
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| ratios[((share * ratios.len() as f64) as usize).min(ratios.len() - 1)];
    let (low, high) = (at(0.025), at(0.975));
    let guard = match () {
        () if low > MARGIN => Guard::Failed,
        () if high < MARGIN || slow_share_high(&units) < SLOW_SHARE_MAX => Guard::Passed,
        () => Guard::Open,
    };
    Some(P99 {
        ratio,
        low: Some(low),
        high: Some(high),
        guard,
    })
}

/// Upper end of the 95 % interval of the arm's share of I/Os that are slower than the default's p99 and the margin.
fn slow_share_high(units: &[[Histogram; 2]]) -> f64 {
    let mut default = Histogram::new();
    units.iter().for_each(|unit| default.merge(&unit[0]));
    let Some(default_ns) = default.quantile_ns(QUANTILE) else {
        return f64::INFINITY;
    };
    let limit_ns = (default_ns as f64 * MARGIN) as u64;
    let shares: Vec<f64> = units
        .iter()
        .map(|[_, arm]| {
            let slow = arm
                .counts()
                .iter()
                .enumerate()
                .filter(|(bucket, _)| value_of(*bucket) > limit_ns);
            slow.map(|(_, count)| count).sum::<u64>() as f64 / arm.total().max(1) as f64
        })
        .collect();
    let error = stats::standard_deviation(&shares) / (shares.len() as f64).sqrt();
    stats::mean(&shares) + stats::t_quantile(0.975, shares.len().saturating_sub(1)) * error
}

fn pooled(pairs: &[[Histogram; 2]]) -> Vec<[Histogram; 2]> {
    pairs
        .chunks(pairs.len().div_ceil(UNITS_MAX).max(1))
        .map(|chunk| {
            chunk
                .iter()
                .fold([Histogram::new(), Histogram::new()], |mut sum, pair| {
                    sum[0].merge(&pair[0]);
                    sum[1].merge(&pair[1]);
                    sum
                })
        })
        .collect()
}

fn ratio_of(units: &[[Histogram; 2]], chosen: &[usize]) -> Option<f64> {
    let quantile = |side: usize| {
        let mut sum = Histogram::new();
        chosen
            .iter()
            .for_each(|unit| sum.merge(&units[*unit][side]));
        sum.quantile_ns(QUANTILE)
    };
    let (default_ns, arm_ns) = (quantile(0)?, quantile(1)?);
    Some(arm_ns.max(1) as f64 / default_ns.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(tail_per_mille: u64, per_window: u64) -> Vec<[Histogram; 2]> {
        let window = |tail: u64, seed: u64| {
            let mut histogram = Histogram::new();
            for i in 0..per_window {
                let slow = (i * 7919 + seed * 104_729) % 1000 < tail;
                histogram.record(if slow { 800_000 } else { 100_000 } + (i * 31 + seed) % 40_000);
            }
            histogram
        };
        (0..20)
            .map(|i| [window(5, 2 * i), window(tail_per_mille, 2 * i + 1)])
            .collect()
    }

    fn judge(tail_per_mille: u64, per_window: u64) -> Option<Guard> {
        let mut state = 1u64;
        let random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        p99(&pairs(tail_per_mille, per_window), random).map(|p99| p99.guard)
    }

    #[test]
    fn a_worse_tail_fails_and_an_equal_one_passes() {
        assert_eq!(judge(5, 2_000), Some(Guard::Passed));
        assert_eq!(judge(30, 2_000), Some(Guard::Failed));
        assert_eq!(judge(5, 20), Some(Guard::NotJudged));
        assert_eq!(p99(&[], || 0), None);
    }

    #[test]
    fn a_percentile_between_two_bands_is_decided_by_the_share_of_slow_ones() {
        // The slow band holds a hundredth of all, now a little more, now a little less, in both arms alike.
        let window = |round: u64| {
            let mut histogram = Histogram::new();
            let slow = 8 + round * 7 % 5;
            (0..1_000).for_each(|i| {
                histogram.record(if i < slow {
                    3_500_000
                } else {
                    400_000 + i * 100
                })
            });
            histogram
        };
        let pairs: Vec<[Histogram; 2]> = (0..60)
            .map(|round| [window(round), window(round + 2)])
            .collect();
        let mut state = 7u64;
        let guard = p99(&pairs, || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        });
        let found = guard.unwrap();
        assert!(
            found.high.unwrap() > 5.0,
            "the ratio alone cannot tell: {found:?}"
        );
        assert_eq!(found.guard, Guard::Passed);
    }
}
