//! Which host is different: far from the others by median and median absolute deviation, which one odd host does not move.
//!
//! How far is far is not a constant: among few hosts that are all alike the deviation is small by chance, and one of them
//! looks odd. The bound is the distance that the farthest of so many alike hosts passes in 5 of 200 fleets, so that rate and
//! latency together accuse somebody in 5 of 100, from draws of normal noise with a fixed seed; a host beyond it is named, and the words say so.

use serde::Serialize;
use stats::dice::Dice;
use stats::{mad_sd, median, quantile};

/// With fewer hosts nobody is the odd one.
pub const HOSTS_MIN: usize = 4;
/// Fleets of alike hosts in which one is named all the same: 5 of 100 by two metrics together.
const FALSE_ALARMS: f64 = 0.05 / 2.0;
/// Draws of the bound, less for larger fleets; and their seed.
const DRAWS: usize = 2_000;
const VALUES_MAX: usize = 400_000;
const SEED: u64 = 18;
/// Below these a spread says nothing: the buckets of a histogram are 1/64 wide, and no rate repeats to half a per cent.
const SPREAD_MIN_P99: f64 = 1.0 / 64.0;
const SPREAD_MIN_RATE: f64 = 0.005;
/// A difference that is certain and smaller than this is nobody's trouble.
const SHARE_MIN: f64 = 0.05;

/// What hosts are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutlierMetric {
    /// I/Os a second.
    Rate,
    /// The 99th percentile of the latency.
    P99,
}

/// A host that is different.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlier {
    /// Its place in the list of hosts.
    #[serde(skip)]
    pub at: usize,
    /// Its name.
    pub host: String,
    /// By what.
    pub metric: OutlierMetric,
    /// Its value: I/Os a second, or ns.
    pub value: f64,
    /// The median of all.
    pub median: f64,
    /// How many robust standard deviations it is from the median, on a logarithmic scale; negative below it.
    pub distance: f64,
    /// The distance from which on a host is named in a fleet of this size.
    pub bound: f64,
    /// Hosts that were compared.
    pub hosts: usize,
}

impl Outlier {
    /// Whether it is on the bad side: a lower rate, a higher latency.
    pub fn is_worse(&self) -> bool {
        match self.metric {
            OutlierMetric::Rate => self.distance < 0.0,
            OutlierMetric::P99 => self.distance > 0.0,
        }
    }
}

/// The hosts that are far from the others, the farthest first. `values` are place, name and value; those that are not
/// positive take no part. Empty with fewer than [`HOSTS_MIN`].
pub fn outliers(metric: OutlierMetric, values: &[(usize, &str, f64)]) -> Vec<Outlier> {
    let values: Vec<_> = values
        .iter()
        .filter(|(_, _, value)| value.is_finite() && *value > 0.0)
        .collect();
    if values.len() < HOSTS_MIN {
        return Vec::new();
    }
    let logs: Vec<f64> = values.iter().map(|(_, _, value)| value.ln()).collect();
    let least = match metric {
        OutlierMetric::Rate => SPREAD_MIN_RATE,
        OutlierMetric::P99 => SPREAD_MIN_P99,
    };
    let (centre, spread) = (median(&logs), mad_sd(&logs).max(least));
    let bound = bound(values.len());
    let mut far: Vec<Outlier> = values
        .iter()
        .zip(&logs)
        .map(|((at, host, value), log)| Outlier {
            at: *at,
            host: host.to_string(),
            metric,
            value: *value,
            median: centre.exp(),
            distance: (log - centre) / spread,
            bound,
            hosts: values.len(),
        })
        .filter(|one| one.distance.abs() > bound)
        .filter(|one| (one.value / one.median).ln().abs() > SHARE_MIN)
        .collect();
    far.sort_by(|one, other| other.distance.abs().total_cmp(&one.distance.abs()));
    far
}

/// The distance that the farthest of so many alike hosts passes in 5 of 200 fleets.
fn bound(hosts: usize) -> f64 {
    let draws = (VALUES_MAX / hosts.max(1)).clamp(100, DRAWS);
    let mut dice = Dice::new(SEED);
    let farthest: Vec<f64> = (0..draws)
        .map(|_| {
            let values: Vec<f64> = (0..hosts).map(|_| dice.normal()).collect();
            let (centre, spread) = (median(&values), mad_sd(&values));
            let distance = |value: &f64| (value - centre).abs() / spread;
            values.iter().map(distance).fold(0.0, f64::max)
        })
        .collect();
    quantile(&farthest, 1.0 - FALSE_ALARMS).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Vec<Outlier> {
        let named: Vec<(usize, &str, f64)> = values
            .iter()
            .enumerate()
            .map(|(at, value)| (at, "h", *value))
            .collect();
        outliers(OutlierMetric::Rate, &named)
    }

    #[test]
    fn one_slow_host_of_four_is_named_and_three_are_too_few() {
        let found = of(&[10_000.0, 10_050.0, 2_000.0, 9_960.0]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].hosts), (2, 4));
        assert!(found[0].is_worse() && found[0].distance < -found[0].bound);
        assert!(of(&[10_000.0, 10_050.0, 2_000.0]).is_empty());
        assert!(of(&[10_000.0; 8]).is_empty());
        assert!(
            of(&[100.0, 100.0, 100.0, 103.0]).is_empty(),
            "3 % is nobody's trouble"
        );
        assert!(of(&[f64::NAN, 0.0, -1.0, 5.0, 5.0, 9.0]).is_empty());
    }

    #[test]
    fn alike_hosts_are_rarely_named_whatever_their_number() {
        let mut dice = Dice::new(7);
        for hosts in [4, 7, 20, 100] {
            let fleets = 300;
            let named = (0..fleets)
                .filter(|_| {
                    let values: Vec<f64> = (0..hosts)
                        .map(|_| 10_000.0 * (0.2 * dice.normal()).exp())
                        .collect();
                    !of(&values).is_empty()
                })
                .count();
            let share = named as f64 / f64::from(fleets);
            assert!(share < 0.10, "{hosts} hosts: {share}");
        }
    }

    #[test]
    fn a_slow_fifth_of_twenty_is_found() {
        let mut dice = Dice::new(9);
        let mut values: Vec<f64> = (0..20)
            .map(|_| 10_000.0 * (0.03 * dice.normal()).exp())
            .collect();
        values[..4].iter_mut().for_each(|value| *value *= 0.4);
        let mut at: Vec<usize> = of(&values).iter().map(|one| one.at).collect();
        at.sort_unstable();
        assert_eq!(at, [0, 1, 2, 3]);
    }
}
