//! The row that rados bench prints each second.

use crate::fio_json::value::NUMBER_MAX;
use model::imported::ImportedSeries;

/// What a row says that is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadosBenchRow {
    /// Second.
    pub second: u64,
    /// I/Os that had completed.
    pub finished: f64,
    /// MiB in the last second.
    pub mib_per_s: Option<f64>,
    /// Latency of the last I/O, s.
    pub last_s: Option<f64>,
}

/// More rows than so many seconds, eleven days, are not kept.
const ROWS_MAX: usize = 1_000_000;

/// Reads the rows in a stretch of a line. `text` is a whole row, or many that run together: then the last number of a row
/// and the first of the next one are glued, and the second that must come next tells where they part.
pub fn read(text: &str, rows: &mut Vec<RadosBenchRow>) {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let mut words = words.as_slice();
    // `--show-time`
    while let Some((first, rest)) = words.split_first()
        && (first.contains(':') || first.len() == 10 && first.matches('-').count() == 2)
    {
        words = rest;
    }
    let Some((first, mut rest)) = words.split_first() else {
        return;
    };
    let Ok(mut second) = first.parse::<u64>() else {
        return;
    };
    while rest.len() >= 7 && rows.len() < ROWS_MAX {
        let (row, glued) = (&rest[..6], rest[6]);
        let number = |word: &str| {
            word.parse::<f64>()
                .ok()
                .filter(|number: &f64| number.abs() < NUMBER_MAX)
        };
        let Some(finished) = number(row[2]) else {
            return;
        };
        let Some(next) = second.checked_add(1) else {
            return;
        };
        let average = glued
            .strip_suffix(&next.to_string())
            .filter(|_| rest.len() > 7);
        let is_average = |word: &str| word == "-" || number(word).is_some();
        if !is_average(average.unwrap_or(glued)) {
            return;
        }
        rows.push(RadosBenchRow {
            second,
            finished,
            mib_per_s: number(row[4]),
            last_s: number(row[5]),
        });
        if average.is_none() {
            return;
        }
        (second, rest) = (next, &rest[7..]);
    }
}

/// The rows as series.
pub fn series(rows: &[RadosBenchRow]) -> Vec<ImportedSeries> {
    let mut rows: Vec<RadosBenchRow> = rows.to_vec();
    rows.dedup_by_key(|row| row.second);
    if rows.len() < 3 {
        return Vec::new();
    }
    let time_ms: Vec<f64> = rows
        .iter()
        .skip(1)
        .map(|row| row.second as f64 * 1e3)
        .collect();
    let of = |field: &str, unit: &str, value: fn(&RadosBenchRow, &RadosBenchRow) -> Option<f64>| {
        ImportedSeries {
            field: field.into(),
            subject: String::new(),
            unit: unit.into(),
            time_ms: time_ms.clone(),
            values: rows
                .windows(2)
                .map(|pair| value(&pair[0], &pair[1]))
                .collect(),
        }
    };
    vec![
        of("rados.iops", "1/s", |a, b| {
            let seconds = b
                .second
                .checked_sub(a.second)
                .filter(|seconds| *seconds > 0)? as f64;
            Some((b.finished - a.finished) / seconds).filter(|rate| *rate >= 0.0)
        }),
        of("rados.bytes_per_s", "bytes/s", |_, b| {
            b.mib_per_s.map(|mib| mib * 1_048_576.0)
        }),
        of("rados.last_lat_ms", "ms", |_, b| {
            b.last_s.map(|seconds| seconds * 1e3)
        }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<RadosBenchRow> {
        let mut rows = Vec::new();
        text.lines().for_each(|line| read(line, &mut rows));
        rows
    }

    #[test]
    fn rows_that_run_together_are_told_apart_by_their_seconds() {
        let glued = "0 16 16 0 0 0 - 01 16 19 3 11.9373 12 1.0033 0.885162 16 35 19 37.8984 64 0.959745 1.16765";
        let whole = "    0      16        16         0         0         0           -           0\n\
                     \x20   1      16        19         3   11.9373        12      1.0033     0.88516\n\
                     \x20   2      16        35        19   37.8984        64    0.959745     1.16765\n";
        assert_eq!(all(glued), all(whole));
        assert_eq!(all(whole).len(), 3);
        assert_eq!(
            all(whole)[2],
            RadosBenchRow {
                second: 2,
                finished: 19.0,
                mib_per_s: Some(64.0),
                last_s: Some(0.959745)
            }
        );
    }

    #[test]
    fn times_before_a_row_are_passed_over() {
        let row = "2026-11-21T07:41:54.240336+0000     1       1      1344      1343   5.24507   5.24609 0.000817208  0.00073935";
        assert_eq!(all(row)[0].finished, 1343.0);
        assert_eq!(
            all("2018-01-01 07:41:54.240336     1 1 1344 1343 5.2 5.2 0.0008  0.0007").len(),
            1
        );
        assert_eq!(all("Object prefix: benchmark_data_vm_935"), []);
    }
}
