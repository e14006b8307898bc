//! When a growing amount reaches a limit, said only while it grows steadily.

/// Most of the parts have to be known.
const KNOWN_MIN: usize = 8;
/// The growth of the first half and of the second one differ by no more than this.
const CHANGE_MAX: f64 = 2.0;
/// A line has to explain this much of the variance.
const FIT_MIN: f64 = 0.9;
/// A trend of ten seconds says nothing of times beyond this, s.
const FAR_S: f64 = 600.0;

/// Time until values, one each `step_s` seconds and the last one now, reach a limit, s. None when they do not grow, when
/// their growth is no steady one, when the limit has been reached, and when it is far.
pub fn seconds_to(values: &[Option<f64>], step_s: f64, limit: f64) -> Option<f64> {
    let known: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(place, value)| Some((place as f64 * step_s, (*value)?)))
        .collect();
    let last = (*values.last()?)?;
    if known.len() < KNOWN_MIN || last >= limit {
        return None;
    }
    let (slope, fit) = line(&known)?;
    let halves = known.split_at(known.len() / 2);
    let (before, after) = (line(halves.0)?.0, line(halves.1)?.0);
    let is_steady =
        before > 0.0 && after > 0.0 && (after / before).max(before / after) <= CHANGE_MAX;
    let seconds = (limit - last) / slope;
    (slope > 0.0 && fit >= FIT_MIN && is_steady && seconds <= FAR_S).then_some(seconds)
}

/// Slope of the least squares, and the share of the variance that it explains.
fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (xx, yy) = (
        sum(&|point| (point.0 - x).powi(2)),
        sum(&|point| (point.1 - y).powi(2)),
    );
    let xy = sum(&|point| (point.0 - x) * (point.1 - y));
    (xx > 0.0 && yy > 0.0).then(|| (xy / xx, xy * xy / (xx * yy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: impl Fn(usize) -> f64) -> Vec<Option<f64>> {
        (0..10).map(|second| Some(of(second))).collect()
    }

    #[test]
    fn steady_growth_reaches_the_limit_in_time() {
        let growing = values(|second| 100.0 + 10.0 * second as f64);
        assert_eq!(seconds_to(&growing, 1.0, 370.0), Some(18.0));
        assert_eq!(
            seconds_to(&growing, 2.0, 370.0),
            Some(36.0),
            "two seconds between values"
        );
        let mut noisy = growing.clone();
        (noisy[2], noisy[5], noisy[7]) = (None, Some(148.0), Some(173.0));
        let seconds = seconds_to(&noisy, 1.0, 370.0).unwrap();
        assert!((17.0..19.0).contains(&seconds), "{seconds}");
    }

    #[test]
    fn no_trend_no_forecast() {
        let none = |values: &[Option<f64>], limit: f64| {
            assert_eq!(seconds_to(values, 1.0, limit), None, "{values:?}")
        };
        none(&values(|_| 100.0), 200.0);
        none(&values(|second| 100.0 - second as f64), 200.0);
        none(
            &values(|second| 100.0 + if second > 6 { 50.0 } else { 0.0 }),
            1_000.0,
        );
        none(
            &values(|second| 100.0 + if second < 6 { second as f64 } else { 6.0 }),
            1_000.0,
        );
        none(&values(|second| 100.0 + [0.0, 30.0][second % 2]), 1_000.0);
        none(&values(|second| 100.0 + second as f64), 100.0);
        none(&values(|second| 100.0 + second as f64), 1e6);
        none(&[None; 10], 100.0);
        none(&[Some(1.0)], 100.0);
        none(&[], 100.0);
        let mut gap = values(|second| second as f64);
        gap[9] = None;
        none(&gap, 100.0);
    }
}
