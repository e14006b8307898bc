//! The page of a field or a raw series, as `explain` prints it.

use model::field::{Field, Formula, Metric};
use model::sample::MetricKind;

/// Of a quantity that people read.
pub fn field(field: &Field, sensor: &str, reads: &[&str]) -> String {
    let formula = match field.formula {
        Formula::Last(of, times) => format!("{}{}", sum(of), factor(times)),
        Formula::Rate(of, times) => format!("growth of {} ÷ seconds{}", sum(of), factor(times)),
        Formula::Ratio(of, per, times) => {
            format!(
                "growth of {} ÷ growth of {}{}",
                sum(of),
                sum(per),
                factor(times)
            )
        }
    };
    page(
        &field.id(),
        field.unit,
        field.meaning,
        field.cannot_tell,
        &format!("It is {formula}."),
        sensor,
        reads,
    )
}

/// Of what a sensor reads.
pub fn metric(metric: &Metric, sensor: &str, reads: &[&str]) -> String {
    let kind = match metric.kind {
        MetricKind::Counter => "It only grows; what matters is by how much.",
        MetricKind::Counter32 => {
            "It only grows, and starts again at 0 after 2^32 - 1; what matters is by how much."
        }
        MetricKind::Gauge => "It stands for itself at the moment of the sample.",
    };
    page(
        &metric.id(),
        metric.unit,
        metric.meaning,
        metric.cannot_tell,
        kind,
        sensor,
        reads,
    )
}

fn page(
    id: &str,
    unit: &str,
    meaning: &str,
    cannot_tell: &str,
    how: &str,
    sensor: &str,
    reads: &[&str],
) -> String {
    let mut page = format!("# {id}\n\nIn {unit}: {meaning}.\n");
    if !cannot_tell.is_empty() {
        page.push_str(&format!(
            "\nIt cannot tell {}.\n",
            cannot_tell.trim_end_matches('.')
        ));
    }
    page.push_str(&format!("\n{how}\n"));
    let files = reads
        .iter()
        .map(|file| format!("`{file}`"))
        .collect::<Vec<_>>()
        .join(", ");
    let from = if files.is_empty() {
        String::new()
    } else {
        format!(" from {files}")
    };
    page.push_str(&format!("\nRead by the sensor `{sensor}`{from}.\n"));
    page
}

/// The series without their family: the page says which sensor they are of.
fn sum(series: &[&str]) -> String {
    let last = |name: &&str| name.rsplit('.').next().unwrap_or_default().to_string();
    let words = series.iter().map(last).collect::<Vec<_>>().join(" + ");
    if series.len() > 1 {
        format!("({words})")
    } else {
        words
    }
}

fn factor(times: f64) -> String {
    if times == 1.0 {
        String::new()
    } else {
        format!(" × {times}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_unit_meaning_limit_formula_and_source() {
        let await_ms = Field {
            name: "disk.{}.await_read_ms",
            unit: "ms",
            meaning: "mean time of the reads completed",
            cannot_tell: "how they were spread around the mean",
            formula: Formula::Ratio(&["disk.{}.read_ms"], &["disk.{}.read_ios"], 1.0),
        };
        assert_eq!(
            field(&await_ms, "diskstats", &["/proc/diskstats"]),
            "# disk.await_read_ms\n\nIn ms: mean time of the reads completed.\n\nIt cannot tell how they were spread \
             around the mean.\n\nIt is growth of read_ms ÷ growth of read_ios.\n\nRead by the sensor `diskstats` from \
             `/proc/diskstats`.\n"
        );
    }

    #[test]
    fn a_factor_and_a_sum_are_shown() {
        assert_eq!(
            sum(&["cpu.{}.irq", "cpu.{}.softirq"]) + &factor(100.0),
            "(irq + softirq) × 100"
        );
    }
}
