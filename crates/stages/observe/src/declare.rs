//! Short forms of what a sensor declares, so that a series or a field is two lines rather than seven.

use super::Metric;
pub(super) use model::field::field;
use model::field::{Field, Formula};
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

/// A field whose meaning, and what it cannot tell, are those of its series.
pub(super) const fn field_of(
    metric: &Metric,
    name: &'static str,
    unit: &'static str,
    formula: Formula,
) -> Field {
    field(name, unit, formula, metric.meaning, metric.cannot_tell)
}
