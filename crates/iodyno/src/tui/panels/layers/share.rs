//! What each layer has of the mean, as a strip.

use crate::tui::text;
use model::units;

/// Fills of neighbouring parts, which have to differ without colour.
const FILLS: [char; 5] = ['░', '█', '▒', '▓', '·'];
const FILLS_ASCII: [char; 5] = ['.', '#', ':', '=', '-'];
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
