//! What each layer has of the mean time of an I/O: means add up, percentiles do not.

use model::histogram::Histogram;
use model::layers::Span;
use model::units;

/// The time that no layer accounts for.
const REST: &str = "rest";
/// Less than this is not worth a part of its own.
const REST_MIN: f64 = 0.005;

/// The parts of the mean time of an I/O, each with its share; they make up one. Where merged I/Os are shorter than the
/// request that they joined, the layers are more than the whole: then the shares are of the layers' sum.
pub fn shares<'a>(
    parts: impl Iterator<Item = (&'static str, &'a Histogram)>,
    whole: Span,
    all: &Histogram,
) -> Option<Vec<(&'static str, f64)>> {
    let spent = |times: &Histogram| Some(times.mean_ns()? * times.total() as f64);
    let mut times: Vec<(&'static str, f64)> = Vec::new();
    for (name, part) in parts.filter(|(name, _)| *name != whole.name()) {
        times.push((name, spent(part)?));
    }
    let (sum, total) = (times.iter().map(|(_, ns)| ns).sum::<f64>(), spent(all)?);
    if times.is_empty() || sum <= 0.0 {
        return None;
    }
    let base = total.max(sum);
    let rest = (base - sum) / base;
    times.iter_mut().for_each(|(_, ns)| *ns /= base);
    times.extend((rest >= REST_MIN).then_some((REST, rest)));
    Some(times)
}

/// The shares as a sentence: `mean of Q2C: I2D 6 %, D2C 94 %`.
pub fn words(shares: &[(&'static str, f64)], whole: Span) -> String {
    let parts = shares.iter().filter(|(_, share)| *share >= REST_MIN);
    let parts: Vec<String> = parts
        .map(|(name, share)| format!("{name} {}", units::share(*share)))
        .collect();
    format!("mean of {}: {}", whole.name(), parts.join(", "))
}
