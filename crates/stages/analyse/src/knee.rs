//! The knee of a response curve: where more load stops buying throughput and buys latency instead.
//!
//! **Power.** The knee is the point of the highest power, throughput divided by mean latency (Kleinrock 1979). Below
//! the knee throughput grows faster than latency, above it latency grows faster. On an ideal device of which Xmax is
//! the highest rate and R0 the unloaded latency it is the depth Xmax × R0; on an M/M/1 queue it is half the highest
//! rate.
//!
//! **Kneedle.** As a check, the point farthest below the chord of the curve of latency over throughput, both scaled to
//! 0 … 1 (Satopää et al. 2011, without smoothing). It depends on how far the load was driven, and so finds a later
//! point on a curve that ends in a wall.
//!
//! **Interval.** The noise of the repeats, pooled over all points of the curve, is drawn anew 1,000 times and the
//! point of the highest power taken each time; the middle 95 % are the interval.
//!
//! There is no knee where power is highest at either end: the curve begins above it or ends below it.

use model::curve::Knee;
use stats::dice::Dice;
use stats::{logs, mean, sum_of_squares};

const DRAWS: usize = 1_000;

/// How many points a curve needs.
pub const LEAST: usize = 4;

/// Rates and mean latencies of the visits of one point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visits {
    /// I/Os per second of each visit.
    pub iops: Vec<f64>,
    /// Mean latency of each visit, any unit.
    pub latency: Vec<f64>,
}

/// The knee among points in the order of their load, by index, or why there is none.
pub fn find(points: &[Visits], seed: u64) -> Result<Knee, String> {
    if points.len() < LEAST {
        return Err(format!("a knee needs {LEAST} points or more"));
    }
    let ln_rate: Vec<f64> = points
        .iter()
        .map(|point| mean(&logs(&point.iops)))
        .collect();
    let ln_latency: Vec<f64> = points
        .iter()
        .map(|point| mean(&logs(&point.latency)))
        .collect();
    if points
        .iter()
        .any(|point| logs(&point.iops).is_empty() || logs(&point.latency).is_empty())
    {
        return Err("a point completed nothing".into());
    }
    let power: Vec<f64> = ln_rate
        .iter()
        .zip(&ln_latency)
        .map(|(rate, latency)| rate - latency)
        .collect();
    let point = highest(&power);
    if point == 0 {
        return Err(
            "the lightest load already has the most throughput for its latency: begin lower".into(),
        );
    }
    if point + 1 == points.len() {
        return Err(
            "throughput still grows faster than latency at the heaviest load: go higher".into(),
        );
    }
    let (low, high) = interval(&power, points, seed);
    Ok(Knee {
        point,
        low,
        high,
        kneedle: kneedle(&ln_rate, &ln_latency),
    })
}

fn highest(values: &[f64]) -> usize {
    // Of equal ones the first: the lighter load.
    (0..values.len())
        .rev()
        .max_by(|a, b| values[*a].total_cmp(&values[*b]))
        .unwrap_or(0)
}

/// The middle 95 % of where the highest power lies when the noise of the repeats is drawn again.
fn interval(power: &[f64], points: &[Visits], seed: u64) -> (usize, usize) {
    // In a closed loop rate and latency move against each other: noise of their quotient is what counts.
    let quotients = points.iter().map(|point| {
        let pairs = point
            .iops
            .iter()
            .zip(&point.latency)
            .filter(|(rate, latency)| **rate > 0.0 && **latency > 0.0);
        pairs
            .map(|(rate, latency)| (rate / latency).ln())
            .collect::<Vec<f64>>()
    });
    let quotients: Vec<Vec<f64>> = quotients.collect();
    let freedom: usize = quotients
        .iter()
        .map(|values| values.len().saturating_sub(1))
        .sum();
    if freedom == 0 {
        return (0, points.len() - 1);
    }
    let variance = quotients
        .iter()
        .map(|values| sum_of_squares(values))
        .sum::<f64>()
        / freedom as f64;
    let mut dice = Dice::new(seed);
    let mut found: Vec<usize> = (0..DRAWS)
        .map(|_| {
            // The variance itself is known to `freedom` degrees only; a chi-square draw widens it accordingly.
            let chi: f64 =
                (0..freedom).map(|_| dice.normal().powi(2)).sum::<f64>() / freedom as f64;
            let spread = (variance / chi.max(1e-9)).sqrt();
            let drawn = power.iter().zip(&quotients);
            let drawn = drawn.map(|(centre, values)| {
                centre + spread / (values.len() as f64).sqrt() * dice.normal()
            });
            highest(&drawn.collect::<Vec<f64>>())
        })
        .collect();
    found.sort_unstable();
    (found[DRAWS / 40], found[DRAWS - 1 - DRAWS / 40])
}

/// The point farthest below the chord; none where no inner point is a tenth of the height below it.
fn kneedle(ln_rate: &[f64], ln_latency: &[f64]) -> Option<usize> {
    let scale = |values: &[f64]| -> Option<Vec<f64>> {
        let plain: Vec<f64> = values.iter().map(|value| value.exp()).collect();
        let (low, high) = (
            plain.iter().copied().reduce(f64::min)?,
            plain.iter().copied().reduce(f64::max)?,
        );
        (high > low).then(|| {
            plain
                .iter()
                .map(|value| (value - low) / (high - low))
                .collect()
        })
    };
    let (rate, latency) = (scale(ln_rate)?, scale(ln_latency)?);
    let below: Vec<f64> = rate.iter().zip(&latency).map(|(x, y)| x - y).collect();
    let point = highest(&below);
    (point > 0 && point + 1 < below.len() && below[point] >= 0.1).then_some(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve with log-normal noise on each visit.
    fn noisy(truth: &[(f64, f64)], noise: f64, repeats: usize, dice: &mut Dice) -> Vec<Visits> {
        let one = |&(rate, latency): &(f64, f64)| {
            let factors: Vec<f64> = (0..repeats)
                .map(|_| (noise * dice.normal()).exp())
                .collect();
            Visits {
                iops: factors.iter().map(|factor| rate * factor).collect(),
                latency: factors.iter().map(|factor| latency / factor).collect(),
            }
        };
        truth.iter().map(one).collect()
    }

    /// Depths 1, 2, 4 … 256 on a closed queue: `servers` in parallel of 100 µs each, balanced bounds (mean value
    /// analysis of one queue with delay).
    fn closed(servers: f64) -> Vec<(f64, f64)> {
        let point = |depth: f64| {
            let rate = (depth.powi(-4) + servers.powi(-4)).powf(-0.25) * 10_000.0;
            (rate, depth / rate)
        };
        (0..9).map(|power| point(f64::from(1 << power))).collect()
    }

    #[test]
    fn the_knee_of_a_closed_queue_is_its_parallelism() {
        let mut dice = Dice::new(1);
        for (servers, index) in [(4.0, 2), (16.0, 4), (64.0, 6)] {
            let knee = find(&noisy(&closed(servers), 0.02, 3, &mut dice), 1).unwrap();
            assert_eq!(knee.point, index, "{servers} servers: {knee:?}");
            assert!(
                knee.low <= index && index <= knee.high && knee.high - knee.low <= 2,
                "{knee:?}"
            );
            let kneedle = knee.kneedle.unwrap();
            assert!(
                kneedle.abs_diff(index) <= 1,
                "kneedle {kneedle} for {index}"
            );
        }
    }

    #[test]
    fn the_knee_of_an_open_queue_is_at_half_its_capacity() {
        let open: Vec<(f64, f64)> = (1..=19)
            .map(|twentieth| f64::from(twentieth) / 20.0)
            .map(|rho| (rho, 1.0 / (1.0 - rho)))
            .collect();
        let knee = find(&noisy(&open, 0.0, 3, &mut Dice::new(2)), 1).unwrap();
        assert_eq!(
            (knee.point, knee.low, knee.high),
            (9, 9, 9),
            "half the capacity is the tenth point"
        );
        // The chord from 5 % to 95 % touches the curve where 1/(1−ρ)² is its slope: ρ = 0.78.
        assert!(knee.kneedle.unwrap().abs_diff(15) <= 1, "{knee:?}");
    }

    #[test]
    fn the_interval_holds_the_true_knee() {
        let mut dice = Dice::new(3);
        for noise in [0.02, 0.1, 0.3] {
            let held = (0..400).filter(|seed| {
                let points = noisy(&closed(16.0), noise, 3, &mut dice);
                // A knee at an end is no knee; the claim under test is the interval where one is made.
                find(&points, *seed).map_or(true, |knee| knee.low <= 4 && 4 <= knee.high)
            });
            let share = held.count() as f64 / 400.0;
            assert!(share >= 0.93, "noise {noise}: {share}");
        }
    }

    #[test]
    fn an_end_is_no_knee() {
        let mut dice = Dice::new(4);
        let flat: Vec<(f64, f64)> = (0..6)
            .map(|power| (1_000.0, f64::from(1 << power)))
            .collect();
        assert!(
            find(&noisy(&flat, 0.01, 3, &mut dice), 1)
                .unwrap_err()
                .contains("begin lower")
        );
        let straight: Vec<(f64, f64)> = (0..6).map(|power| (f64::from(1 << power), 1.0)).collect();
        assert!(
            find(&noisy(&straight, 0.01, 3, &mut dice), 1)
                .unwrap_err()
                .contains("go higher")
        );
        assert!(
            find(&noisy(&straight[..3], 0.01, 3, &mut dice), 1)
                .unwrap_err()
                .contains("4 points")
        );
        let dead = vec![
            Visits {
                iops: vec![0.0],
                latency: vec![0.0]
            };
            5
        ];
        assert!(find(&dead, 1).unwrap_err().contains("completed nothing"));
    }

    #[test]
    fn one_repeat_claims_nothing_about_the_place() {
        let knee = find(&noisy(&closed(16.0), 0.01, 1, &mut Dice::new(5)), 1).unwrap();
        assert_eq!((knee.low, knee.high), (0, 8));
    }
}
