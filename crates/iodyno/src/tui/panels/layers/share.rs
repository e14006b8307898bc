//! What each layer has of the mean: means add up, percentiles do not.

use crate::tui::text;
use model::histogram::Histogram;
use model::layers::Span;
use model::units;

/// Fills of neighbouring parts, which have to differ without colour.
const FILLS: [char; 5] = ['░', '█', '▒', '▓', '·'];
const FILLS_ASCII: [char; 5] = ['.', '#', ':', '=', '-'];
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

/// `mean ▕░░░███████▏`: parts as long as their shares, with their names where they fit.
pub fn strip(shares: &[(&'static str, f64)], width: usize, is_ascii: bool) -> String {
    let room = width.saturating_sub(7);
    let fills = if is_ascii { FILLS_ASCII } else { FILLS };
    let (mut strip, mut done, mut at) = (String::new(), 0.0, 0);
    for ((name, share), fill) in shares.iter().zip(fills.iter().cycle()) {
        done += share;
        let end = ((done * room as f64).round() as usize).min(room);
        let label = format!(" {name} {} ", units::share(*share));
        let length = end.saturating_sub(at);
        let spare = length.checked_sub(text::width(&label) + 2);
        let fill = |count: usize| fill.to_string().repeat(count);
        strip.push_str(&match spare {
            Some(spare) => format!(
                "{}{label}{}",
                fill(spare / 2 + 1),
                fill(spare - spare / 2 + 1)
            ),
            None => fill(length),
        });
        at = end.max(at);
    }
    format!("mean ▕{strip:<room$}▏")
}

/// The same as a sentence.
pub fn words(shares: &[(&'static str, f64)], whole: Span) -> String {
    let parts = shares.iter().filter(|(_, share)| *share >= REST_MIN);
    let parts: Vec<String> = parts
        .map(|(name, share)| format!("{name} {}", units::share(*share)))
        .collect();
    format!(
        "mean of {}: {}; only means add up",
        whole.name(),
        parts.join(", ")
    )
}
