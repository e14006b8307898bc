//! The steps of the read/write matrix, and where its latency doubles.

use model::interference::{InterferenceCell, Matrix};

/// Below this share of the offered rate a cell did not carry its load.
const REACHED: f64 = 0.97;

/// Read steps: equal parts up to the highest rate; a step of no reads would have no latency.
pub fn read_steps(max_iops: f64, count: u32) -> Vec<f64> {
    (1..=count)
        .map(|step| {
            (max_iops * f64::from(step) / f64::from(count))
                .round()
                .max(1.0)
        })
        .collect()
}

/// Write steps: from none to the highest rate.
pub fn write_steps(max_bytes_per_s: f64, count: u32) -> Vec<f64> {
    let last = f64::from(count.max(2) - 1);
    (0..count.max(2))
        .map(|step| (max_bytes_per_s * f64::from(step) / last).round())
        .collect()
}

/// Whether a cell carried what was offered to it. Arrivals at random differ by the root of their number for no reason,
/// so reads may miss by twice that on top.
pub fn reached(cell: &InterferenceCell, matrix: &Matrix) -> bool {
    let offered = matrix.read_steps[cell.read];
    let arrivals = offered * matrix.window_ms as f64 / 1e3 * f64::from(cell.visits);
    let chance = 2.0 / arrivals.max(1.0).sqrt();
    cell.read_iops >= offered * (REACHED - chance)
        && cell.write_bytes_per_s >= matrix.write_steps[cell.write] * REACHED
}

/// For each read step the first write step from which on p99 stays at twice what it is without writes, or above.
pub fn doubles_from(matrix: &Matrix) -> Vec<Option<usize>> {
    let of_read = |read: usize| {
        let p99 = |write| {
            matrix
                .cell(write, read)
                .filter(|cell| cell.visits > 0)
                .map(|cell| cell.p99_ns)
        };
        let alone = p99(0)?;
        let is_double = |write: &usize| p99(*write).is_none_or(|p99| p99 >= 2 * alone);
        let from = (1..matrix.write_steps.len())
            .rev()
            .take_while(is_double)
            .last()?;
        p99(from).map(|_| from)
    };
    (0..matrix.read_steps.len()).map(of_read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(p99: &[[u64; 2]]) -> Matrix {
        let cells = p99.iter().enumerate().flat_map(|(write, row)| {
            row.iter()
                .enumerate()
                .map(move |(read, p99_ns)| InterferenceCell {
                    write,
                    read,
                    visits: u32::from(*p99_ns > 0),
                    p99_ns: *p99_ns,
                    ..InterferenceCell::default()
                })
        });
        Matrix {
            max_read_iops: 1_000.0,
            max_write_bytes_per_s: 1e8,
            write_bs: 131_072,
            open_loop: false,
            read_steps: read_steps(1_000.0, 2),
            write_steps: write_steps(1e8, p99.len() as u32),
            seed: 1,
            warmup_ms: 0,
            window_ms: 100_000,
            cells: cells.collect(),
            doubles_from: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn steps_reach_from_nothing_to_the_most() {
        assert_eq!(
            read_steps(1_000.0, 5),
            [200.0, 400.0, 600.0, 800.0, 1_000.0]
        );
        assert_eq!(write_steps(400.0, 5), [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!(
            read_steps(2.0, 5)[0],
            1.0,
            "a rate of 0 would be no limit at all"
        );
    }

    #[test]
    fn latency_doubles_where_it_stays_doubled() {
        let found = matrix(&[[100, 100], [250, 150], [120, 250], [200, 900], [500, 0]]);
        assert_eq!(
            doubles_from(&found),
            [Some(3), Some(2)],
            "the outlier at step 1 came back"
        );
        assert_eq!(doubles_from(&matrix(&[[100, 0], [150, 300]])), [None, None]);
    }

    #[test]
    fn a_cell_that_carries_less_than_offered_is_told() {
        let grid = matrix(&[[100, 100], [100, 100]]);
        let cell = |read_iops, write_bytes_per_s| InterferenceCell {
            write: 1,
            read: 0,
            visits: 1,
            read_iops,
            write_bytes_per_s,
            ..InterferenceCell::default()
        };
        assert!(reached(&cell(485.0, 0.98e8), &grid));
        let short = Matrix {
            window_ms: 100,
            ..grid.clone()
        };
        assert!(
            reached(&cell(470.0, 1e8), &short),
            "50 arrivals differ by chance"
        );
        assert!(!reached(&cell(470.0, 1e8), &grid) && !reached(&cell(500.0, 0.9e8), &grid));
    }
}
