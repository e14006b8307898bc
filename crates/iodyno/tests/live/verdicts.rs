//! What a tune's verdict is worth where it is known which value is better in truth.

use crate::support::{Iodyno, Loop, code, text};
use serde_json::Value;
use skip::Outcome;

/// What a verdict is worth where `better` is better in truth, and its words: right are a win of it, and for the value that was
/// found also that no other is better. A machine that is busy may leave it undecided.
pub fn judged(trial: &Value, better: &str) -> (Outcome, String) {
    let verdict = &trial["verdict"];
    let outcome = match verdict["verdict"].as_str() {
        Some("better" | "equal") if verdict["arm"] == better => Outcome::Won,
        Some("better" | "equal") => Outcome::Wrong,
        _ => Outcome::Undecided,
    };
    let [first, second] = [0, 1].map(|arm| middle_rate(trial, arm));
    let said = verdict["sentence"].as_str().unwrap_or("no verdict");
    (
        outcome,
        format!("{said} (windows: {:.2} times the first)", second / first),
    )
}

/// Tunes a disk with a bad setting and notes whether it says that `better` is better; gives the trial.
pub fn tuned(disk: &Loop, better: &str, words: &[&str]) -> Value {
    let before = disk.settings();
    let words = [&["tune", &disk.device][..], words, &["--layers", "off"]].concat();
    let (document, output) = Iodyno::new().json(&words);
    let said = text(&output.stderr);
    assert_eq!(disk.settings(), before, "every setting is back: {said}");
    let trial = document["record"]["trials"][0].clone();
    let (outcome, figures) = judged(&trial, better);
    let is_decided = outcome != Outcome::Undecided;
    assert_eq!(code(&output), if is_decided { 0 } else { 6 }, "{said}");
    skip::measured(outcome, figures);
    trial
}

/// The middle rate of an arm's windows, those of half a second at least.
fn middle_rate(trial: &Value, arm: u64) -> f64 {
    let windows = trial["windows"].as_array().into_iter().flatten();
    let own =
        windows.filter(|window| window["arm"] == arm && window["length_ms"].as_u64() > Some(500));
    let mut values: Vec<f64> = own.filter_map(|one| one["rate"].as_f64()).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
