//! Counts over the runs of a cell, with their spread.

use std::collections::BTreeMap;

use model::verdict::Outcome;

use crate::trial::Trial;

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
