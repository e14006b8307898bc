//! The metric of an experiment in words.

use crate::scale::Quantity;
use model::metric::{BYTES_PER_S, ExperimentMetric, NS, PER_S};

/// What the values of a metric are, which decides how they are written and drawn.
pub fn quantity(metric: &ExperimentMetric) -> Quantity {
    match metric.unit.as_str() {
        PER_S if metric.name == ExperimentMetric::iops().name => Quantity::Iops,
        PER_S => Quantity::PerSecond,
        BYTES_PER_S => Quantity::BytesPerS,
        NS => Quantity::Ns,
        _ => Quantity::Count,
    }
}

/// A value with its unit: `41.2 k IOPS`, `118 µs`, `12.5 k tps`.
pub fn value(metric: &ExperimentMetric, value: f64) -> String {
    match quantity(metric) {
        Quantity::Count if !metric.unit.is_empty() => {
            format!("{} {}", Quantity::Count.words(value), metric.unit)
        }
        quantity => quantity.words(value),
    }
}

/// A value with its unit and its name: `41.2 k IOPS`, `118 µs mean latency`.
pub fn words(metric: &ExperimentMetric, number: f64) -> String {
    match quantity(metric) {
        Quantity::Iops => value(metric, number),
        _ => format!("{} {}", value(metric, number), metric.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_its_words() {
        let said = |name: &str, unit: &str, number: f64| {
            words(&ExperimentMetric::rate(name, unit), number)
        };
        assert_eq!(words(&ExperimentMetric::iops(), 41_200.0), "41.2 k IOPS");
        let in_slices = ExperimentMetric {
            grain_ms: 100,
            ..ExperimentMetric::iops()
        };
        assert_eq!(words(&in_slices, 41_200.0), "41.2 k IOPS");
        assert_eq!(said("mean latency", NS, 118_000.0), "118 µs mean latency");
        assert_eq!(said("device IOPS", PER_S, 41_200.0), "41.2 k/s device IOPS");
        assert_eq!(
            said("bandwidth", BYTES_PER_S, 104_857_600.0),
            "100 MiB/s bandwidth"
        );
        assert_eq!(said("rate", "tps", 12_500.0), "12.5 k tps rate");
        assert_eq!(said("score", "", 12.0), "12 score");
    }
}
