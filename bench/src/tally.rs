//! Counts over the runs of a cell, with their spread.

use std::collections::BTreeMap;

use model::verdict::Outcome;

use crate::trial::Trial;

/// A share of runs with its 95 % Wilson interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Runs that count.
    pub hits: usize,
    /// All runs.
    pub runs: usize,
}

impl Share {
    /// Counts the runs for which `test` holds.
    pub fn of<'a>(
        trials: impl IntoIterator<Item = &'a Trial>,
        test: impl Fn(&Trial) -> bool,
    ) -> Self {
        let mut share = Share::default();
        for trial in trials {
            share.runs += 1;
            share.hits += usize::from(test(trial));
        }
        share
    }

    /// The share itself.
    pub fn value(&self) -> f64 {
        self.hits as f64 / self.runs.max(1) as f64
    }

    /// The 95 % interval (Wilson 1927).
    pub fn wilson(&self) -> (f64, f64) {
        let (p, n, z) = (self.value(), self.runs.max(1) as f64, 1.96f64);
        let centre = p + z * z / (2.0 * n);
        let reach = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        (
            ((centre - reach) / scale).max(0.0),
            ((centre + reach) / scale).min(1.0),
        )
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (low, high) = self.wilson();
        write!(
            f,
            "{:.1} ({:.1}–{:.1})",
            self.value() * 100.0,
            low * 100.0,
            high * 100.0
        )
    }
}

/// A quantile of the trials' device time, in seconds.
pub fn seconds(trials: &[Trial], share: f64) -> f64 {
    let seconds: Vec<f64> = trials
        .iter()
        .map(|trial| trial.device_ms as f64 / 1e3)
        .collect();
    stats::quantile(&seconds, share).unwrap_or(f64::NAN)
}

/// A quantile of the excluded carry-over among verdicts that claim something, in seconds.
pub fn horizon_s(trials: &[Trial], share: f64) -> f64 {
    let claims = |trial: &&Trial| matches!(trial.outcome, Outcome::Better | Outcome::Equal);
    let seconds: Vec<f64> = trials
        .iter()
        .filter(claims)
        .map(|trial| trial.horizon_ms as f64 / 1e3)
        .collect();
    stats::quantile(&seconds, share).unwrap_or(f64::NAN)
}

/// How often each outcome and reason came, most frequent first.
pub fn reasons(trials: &[Trial]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for trial in trials {
        let code = serde_json::to_string(&trial.reason).unwrap_or_default();
        *counts.entry(code.trim_matches('"').to_owned()).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), code.clone()));
    let text = |(code, count): &(String, usize)| {
        format!("{code} {:.0}", *count as f64 * 100.0 / trials.len() as f64)
    };
    counts.iter().map(text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_matches_the_textbook() {
        let (low, high) = Share { hits: 0, runs: 100 }.wilson();
        assert!(low == 0.0 && (high - 0.037).abs() < 0.001);
    }
}
