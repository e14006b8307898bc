//! Short forms of what a sensor declares, so that a series or a field is two lines rather than seven.

use super::Metric;
pub(super) use model::field::field;
use model::sample::MetricKind;

/// A series.
pub(super) const fn metric(
    name: &'static str,
    unit: &'static str,
    kind: MetricKind,
    meaning: &'static str,
    cannot_tell: &'static str,
) -> Metric {
    Metric {
        name,
        unit,
        kind,
        meaning,
        cannot_tell,
    }
}
