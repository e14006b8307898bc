//! The numbers behind a picture over time: what a cursor reads, and what sums up a span of it. A picture has four values a
//! column of pixels and no more digits than pixels; these are exact as long as there are few enough, then spans with mean,
//! least and greatest.

use crate::reduce::ReduceStep;
use model::latency_map::{LatencyColumn, row_edge_ns};
use model::units;
use serde::Serialize;
use view::scale::Quantity;

/// Values of a line at most; a longer one becomes spans.
const MOST_VALUES: usize = 480;
/// Columns of a map at most.
const MOST_COLUMNS: usize = 240;

/// What a script reads; times are whole milliseconds from the chart's own zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Readings {
    /// What is measured, by the name that the script knows.
    pub quantity: String,
    /// Where the chart's zero is in the record, ms.
    pub zero_ms: u64,
    /// Whether a mean over time says anything: of percentiles it does not.
    pub has_mean: bool,
    /// Whether the values of different lines belong to different times, as windows of arms do.
    pub apart: bool,
    /// The lines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<PageReading>,
    /// Counts by latency, of a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<Columns>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageReading {
    /// Its name in the picture.
    pub name: String,
    /// Beginnings; none where they are those of the line before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Vec<u64>>,
    /// Ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Vec<u64>>,
    /// Values, four digits; of spans their means over time.
    pub mean: Vec<Option<f64>>,
    /// Of spans, the least value in each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Vec<Option<f64>>>,
    /// The greatest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Vec<Option<f64>>>,
}

/// The columns of a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Columns {
    /// Beginnings.
    pub from: Vec<u64>,
    /// Ends.
    pub to: Vec<u64>,
    /// Rows and counts of each column in turn: row, count, row, count.
    pub rows: Vec<Vec<u64>>,
    /// Row and the nanosecond at which it begins, for every row that is used and the one after it.
    pub edges: Vec<(usize, u64)>,
}

impl Readings {
    /// Of lines with their names.
    pub fn of_lines<'a>(
        quantity: Quantity,
        has_mean: bool,
        lines: impl Iterator<Item = (&'a str, &'a [ReduceStep])>,
    ) -> Readings {
        let mut last: Option<(Vec<u64>, Vec<u64>)> = None;
        let mut all = Vec::new();
        for (name, steps) in lines {
            let (mut reading, times) = reading(name, steps);
            if last.as_ref() != Some(&times) {
                (reading.from, reading.to) = (Some(times.0.clone()), Some(times.1.clone()));
                last = Some(times);
            }
            all.push(reading);
        }
        Readings {
            quantity: quantity.name().into(),
            has_mean,
            lines: all,
            ..Readings::default()
        }
    }

    /// Of the columns of a map, neighbours added where there are many.
    pub fn of_columns(columns: &[LatencyColumn]) -> Readings {
        let fold = columns.len().div_ceil(MOST_COLUMNS).max(1);
        let merged: Vec<LatencyColumn> = columns
            .chunks(fold)
            .filter_map(LatencyColumn::merged)
            .collect();
        let flat = |column: &LatencyColumn| {
            column
                .rows
                .iter()
                .flat_map(|(row, count)| [u64::from(*row), *count])
                .collect()
        };
        let rows = || {
            merged
                .iter()
                .flat_map(|column| &column.rows)
                .map(|(row, _)| usize::from(*row))
        };
        let edges = match (rows().min(), rows().max()) {
            (Some(first), Some(last)) => (first..=last + 1)
                .map(|row| (row, row_edge_ns(row)))
                .collect(),
            _ => Vec::new(),
        };
        let columns = Columns {
            from: merged.iter().map(|column| column.start_ms).collect(),
            to: merged
                .iter()
                .map(|column| column.start_ms + column.length_ms)
                .collect(),
            rows: merged.iter().map(flat).collect(),
            edges,
        };
        Readings {
            quantity: Quantity::Ns.name().into(),
            columns: Some(columns),
            ..Readings::default()
        }
    }
}

fn ms(seconds: f64) -> u64 {
    (seconds * 1e3).round().max(0.0) as u64
}

/// Four digits are more than the page shows anywhere.
fn short(value: f64) -> Option<f64> {
    value.is_finite().then(|| units::significant(value, 4))
}

fn reading(name: &str, steps: &[ReduceStep]) -> (PageReading, (Vec<u64>, Vec<u64>)) {
    let fold = steps.len().div_ceil(MOST_VALUES).max(1);
    let parts: Vec<&[ReduceStep]> = steps.chunks(fold).collect();
    let times = parts
        .iter()
        .filter_map(|part| Some((ms(part.first()?.from), ms(part.last()?.to))))
        .unzip();
    let summaries: Vec<_> = parts
        .iter()
        .map(|part| crate::series::summary(part))
        .collect();
    let of = |pick: fn((f64, f64, f64)) -> f64| -> Vec<Option<f64>> {
        summaries
            .iter()
            .map(|one| one.and_then(|one| short(pick(one))))
            .collect()
    };
    let reading = PageReading {
        name: name.into(),
        mean: of(|(_, mean, _)| mean),
        least: (fold > 1).then(|| of(|(least, _, _)| least)),
        most: (fold > 1).then(|| of(|(_, _, most)| most)),
        ..PageReading::default()
    };
    (reading, times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(count: usize) -> Vec<ReduceStep> {
        let step = |index: usize| ReduceStep {
            from: index as f64 / 10.0,
            to: (index + 1) as f64 / 10.0,
            value: (index != 3).then_some(index as f64),
        };
        (0..count).map(step).collect()
    }

    #[test]
    fn few_values_are_exact_and_a_gap_stays_one() {
        let (one, two) = (steps(5), steps(5));
        let lines = [("read", one.as_slice()), ("write", two.as_slice())];
        let readings = Readings::of_lines(Quantity::Iops, true, lines.into_iter());
        assert_eq!(readings.quantity, "Iops");
        assert_eq!(
            readings.lines[0].from.as_deref(),
            Some(&[0, 100, 200, 300, 400][..])
        );
        assert_eq!(
            readings.lines[0].mean,
            [Some(0.0), Some(1.0), Some(2.0), None, Some(4.0)]
        );
        assert_eq!(
            (&readings.lines[0].least, &readings.lines[1].from),
            (&None, &None),
            "the same times"
        );
    }

    #[test]
    fn many_values_become_spans_that_keep_their_extremes() {
        let many = steps(36_000);
        let readings = Readings::of_lines(
            Quantity::Iops,
            true,
            std::iter::once(("read", many.as_slice())),
        );
        let line = &readings.lines[0];
        assert!(line.mean.len() <= MOST_VALUES, "{}", line.mean.len());
        let most = line
            .most
            .as_ref()
            .unwrap()
            .iter()
            .flatten()
            .fold(0.0, |most: f64, one| most.max(*one));
        assert_eq!(most, 36_000.0, "35,999 in four digits");
    }

    #[test]
    fn the_counts_of_a_map_are_all_there() {
        let column = |start_ms, rows: &[(u16, u64)]| LatencyColumn {
            start_ms,
            length_ms: 10,
            rows: rows.to_vec(),
        };
        let columns: Vec<LatencyColumn> = (0..1_000)
            .map(|index| column(index * 10, &[(40, 2), (90 + (index % 3) as u16, 1)]))
            .collect();
        let readings = Readings::of_columns(&columns).columns.unwrap();
        assert!(readings.rows.len() <= MOST_COLUMNS);
        let total: u64 = readings
            .rows
            .iter()
            .flat_map(|row| row.iter().skip(1).step_by(2))
            .sum();
        assert_eq!(total, 3_000);
        assert_eq!(
            (
                readings.edges.first().unwrap().0,
                readings.edges.last().unwrap().0
            ),
            (40, 93)
        );
    }
}
