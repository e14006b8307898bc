//! Latencies over time, for a picture: counts by column of time and row of latency. The whole distribution of a load is
//! its histogram; this one is coarser and says when.

use crate::histogram::{BUCKETS, Histogram, edge_of};
use serde::{Deserialize, Serialize};

/// Buckets of the histogram that make one row: 8 rows an octave, each 9 to 14 % wide, below 128 ns 8 ns.
pub const BUCKETS_A_ROW: usize = 8;

/// Rows in the layout.
pub const ROWS: usize = BUCKETS / BUCKETS_A_ROW;

/// One column: what completed in one span of time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LatencyColumn {
    /// Start, ms after the load's origin.
    pub start_ms: u64,
    /// Length, ms.
    pub length_ms: u64,
    /// Row and completions in it, ascending; rows without any are left out.
    pub rows: Vec<(u16, u64)>,
}

/// The columns of each direction. A column in which nothing completed is there without rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct LatencyMap {
    /// Reads.
    pub read: Vec<LatencyColumn>,
    /// Writes (with trims).
    pub write: Vec<LatencyColumn>,
}

impl LatencyColumn {
    /// Of the completions of a span.
    pub fn of(start_ms: u64, length_ms: u64, latency: &Histogram) -> LatencyColumn {
        let counts = latency
            .counts()
            .chunks(BUCKETS_A_ROW)
            .map(|row| row.iter().sum::<u64>());
        let rows = counts.enumerate().filter(|(_, count)| *count > 0);
        let rows = rows.map(|(row, count)| (row as u16, count)).collect();
        LatencyColumn {
            start_ms,
            length_ms,
            rows,
        }
    }

    /// Neighbours as one: counts add up. None of none.
    pub fn merged(parts: &[LatencyColumn]) -> Option<LatencyColumn> {
        let (first, last) = (parts.first()?, parts.last()?);
        let mut counts = std::collections::BTreeMap::new();
        for (row, count) in parts.iter().flat_map(|part| &part.rows) {
            *counts.entry(*row).or_insert(0) += count;
        }
        Some(LatencyColumn {
            start_ms: first.start_ms,
            length_ms: last.start_ms + last.length_ms - first.start_ms,
            rows: counts.into_iter().collect(),
        })
    }

    /// Completions.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|(_, count)| count).sum()
    }
}

impl LatencyMap {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.write.is_empty()
    }
}

/// The least nanosecond of a row, which is where the row before it ends.
pub fn row_edge_ns(row: usize) -> u64 {
    edge_of(row * BUCKETS_A_ROW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency(ns: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        ns.iter().for_each(|ns| histogram.record(*ns));
        histogram
    }

    #[test]
    fn every_completion_lies_between_the_edges_of_its_row() {
        for ns in [0, 7, 8, 130, 4_000, 1_000_000, 123_456_789] {
            let column = LatencyColumn::of(0, 1000, &latency(&[ns]));
            let row = usize::from(column.rows[0].0);
            assert!(
                row_edge_ns(row) <= ns && ns < row_edge_ns(row + 1),
                "{ns} ns in row {row}"
            );
        }
    }

    #[test]
    fn merging_adds_and_loses_nothing() {
        let parts = [
            LatencyColumn::of(0, 1000, &latency(&[5_000, 9_000_000])),
            LatencyColumn::of(1000, 1000, &latency(&[])),
            LatencyColumn::of(2000, 500, &latency(&[5_000, 70_000])),
        ];
        let whole = LatencyColumn::merged(&parts).unwrap();
        assert_eq!(
            (
                whole.start_ms,
                whole.length_ms,
                whole.total(),
                whole.rows.len()
            ),
            (0, 2500, 4, 3)
        );
        assert_eq!(LatencyColumn::merged(&[]), None);
    }
}
