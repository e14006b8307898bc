//! One field over the time that is shown, and how that time is named.

use crate::tui::{ScreenLook, curve};
use analyse::fields::Pick;
use model::units;

/// The values of a field for one subject in parts of the time that is shown. A part without data has none, and so have
/// all where no sensor gives the field.
pub fn curve(look: &ScreenLook<'_>, id: &str, subject: &str, parts: usize) -> Vec<Option<f64>> {
    curve_over(look, id, subject, look.span_ns, parts)
}

/// The same over another time before this moment, ns.
pub fn curve_over(
    look: &ScreenLook<'_>,
    id: &str,
    subject: &str,
    span_ns: i64,
    parts: usize,
) -> Vec<Option<f64>> {
    let Some((sensor, field)) = observe::field(id) else {
        return vec![None; parts];
    };
    let readings = curve::parts(look.sampler, sensor.id, look.at_ns, span_ns, parts);
    // The list of series only grows, so the places found in the longest hold for all.
    let longest = readings
        .iter()
        .flatten()
        .max_by_key(|reading| reading.series.len());
    let pick = longest.and_then(|reading| Pick::new(field, subject, &reading.series));
    let value = |reading: &Option<_>| pick.as_ref()?.value(reading.as_ref()?);
    readings.iter().map(value).collect()
}

/// The beginning of the time that is shown: `−60 s`.
pub fn span_word(look: &ScreenLook<'_>) -> String {
    format!(
        "−{}",
        units::span_ms((look.span_ns / 1_000_000).max(0) as u64)
    )
}

/// Its end: `now`, or how long ago that is.
pub fn end_word(look: &ScreenLook<'_>) -> String {
    let ago_ms = (look.status.last_ns - look.at_ns) / 1_000_000;
    match ago_ms {
        2_000.. => format!("{} ago", units::span_ms(ago_ms as u64)),
        _ => "now".into(),
    }
}
