//! The read/write matrix as text: one table for each percentile, with shades over one logarithmic scale of all.

use super::text::{width, wrap};
use model::interference::{InterferenceCell, Matrix};
use model::units;

/// From the fastest cell to the slowest.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];

/// Visits of a cell whose p99 differ by more than this factor do not agree.
const DISAGREE: u64 = 2;

/// Everything below the sentence of a matrix.
pub(super) fn lines(matrix: &Matrix) -> Vec<String> {
    let mut lines = table(matrix, "p50", |cell| cell.p50_ns);
    lines.extend(table(matrix, "p95", |cell| cell.p95_ns));
    lines.extend(table(matrix, "p99", |cell| cell.p99_ns));
    let (scale, from, to) = (
        SHADES[1..].iter().collect::<String>(),
        least(matrix),
        most(matrix),
    );
    lines.push(format!(
        "  {scale} from {} to {}, logarithmic",
        duration(from),
        duration(to)
    ));
    let mut notes = vec![match matrix.open_loop {
        true => {
            "reads arrive at random and wait for nobody; latency counts from the intended start".to_string()
        }
        false => {
            "reads have a fixed rate, but latency counts from submission: waits for a free slot are missing"
                .into()
        }
    }];
    let missed = matrix
        .cells
        .iter()
        .filter(|cell| cell.visits > 0 && !cell.reached)
        .count();
    if missed > 0 {
        notes.push(format!(
            "! {missed} cells carried less than 97 % of the load offered: the device was full or the machine too busy"
        ));
    }
    let apart = matrix.cells.iter().filter(|cell| disagree(cell)).count();
    if apart > 0 {
        notes.push(format!(
            "~ in {apart} cells the p99 of the visits differs by more than a factor of {DISAGREE}"
        ));
    }
    let cut = matrix.cells.iter().filter(|cell| cell.visits == 0).count();
    if cut > 0 {
        notes.push(format!(
            "– {cut} cells were not visited: the run was cut short"
        ));
    }
    notes.extend(matrix.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(
        notes
            .iter()
            .flat_map(|note| wrap(note, width() - 2))
            .map(|line| format!("  {line}")),
    );
    lines
}

fn disagree(cell: &InterferenceCell) -> bool {
    let ends = (
        cell.visits_p99_ns.iter().min(),
        cell.visits_p99_ns.iter().max(),
    );
    matches!(ends, (Some(low), Some(high)) if *high > DISAGREE * *low)
}

fn least(matrix: &Matrix) -> u64 {
    matrix
        .cells
        .iter()
        .filter(|cell| cell.p50_ns > 0)
        .map(|cell| cell.p50_ns)
        .min()
        .unwrap_or(0)
}

fn most(matrix: &Matrix) -> u64 {
    matrix
        .cells
        .iter()
        .map(|cell| cell.p99_ns)
        .max()
        .unwrap_or(0)
}

/// `118µ`, `8.1m`: short enough for ten columns.
fn duration(ns: u64) -> String {
    units::duration_ns(ns as f64)
}

fn short(ns: u64) -> String {
    let text = duration(ns);
    let (number, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let number = match number.len() {
        4.. => &number[..3],
        _ => number,
    };
    format!(
        "{}{}",
        number.trim_end_matches('.'),
        unit.trim_end_matches('s').chars().next().unwrap_or('s')
    )
}

fn shade(matrix: &Matrix, ns: u64) -> char {
    let (low, high) = (
        (least(matrix).max(1) as f64).ln(),
        (most(matrix).max(1) as f64).ln(),
    );
    if ns == 0 || high <= low {
        return SHADES[0];
    }
    let place = ((ns as f64).ln() - low) / (high - low) * (SHADES.len() - 1) as f64;
    SHADES[1 + (place as usize).min(SHADES.len() - 2)]
}

fn table(matrix: &Matrix, name: &str, of: fn(&InterferenceCell) -> u64) -> Vec<String> {
    let columns = matrix.read_steps.len();
    let is_wide = columns <= 6;
    let width = if is_wide { 11 } else { 6 };
    let number = |ns| if is_wide { duration(ns) } else { short(ns) };
    let heads = matrix.read_steps.iter().map(|step| {
        let text = units::count(*step);
        format!(
            "{:>width$}",
            if is_wide { text } else { text.replace(' ', "") }
        )
    });
    let mut lines = vec![
        format!("{name} of the reads, by reads/s (across) and bytes written (down)"),
        format!("  {:>12}{}", "", heads.collect::<String>()),
    ];
    for (write, step) in matrix.write_steps.iter().enumerate() {
        let cells = (0..columns).map(|read| match matrix.cell(write, read) {
            Some(cell) if cell.visits > 0 => {
                let mark = if !cell.reached {
                    "!"
                } else if disagree(cell) {
                    "~"
                } else {
                    ""
                };
                let text = format!("{}{mark}", number(of(cell)));
                let shade = shade(matrix, of(cell));
                format!(" {shade}{text:>inner$}", inner = width - 2)
            }
            _ => format!("{:>width$}", "–"),
        });
        let writes = if *step > 0.0 {
            units::bytes_per_s(*step)
        } else {
            "none".into()
        };
        lines.push(format!("  {writes:>12}{}", cells.collect::<String>()));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(steps: usize) -> Matrix {
        let cells = (0..steps * steps).map(|index| {
            let (write, read) = (index / steps, index % steps);
            let p50_ns = 100_000 * (1 + write as u64 * 3 + read as u64);
            InterferenceCell {
                write,
                read,
                visits: u32::from(index != 1),
                p50_ns,
                p95_ns: 2 * p50_ns,
                p99_ns: 8 * p50_ns,
                visits_p99_ns: vec![p50_ns, if index == 2 { 30 * p50_ns } else { p50_ns }],
                reached: index + 1 != steps * steps,
                ..InterferenceCell::default()
            }
        });
        Matrix {
            max_read_iops: 1e5,
            max_write_bytes_per_s: 4e8,
            write_bs: 131_072,
            open_loop: true,
            read_steps: (1..=steps)
                .map(|step| 1e5 * step as f64 / steps as f64)
                .collect(),
            write_steps: (0..steps)
                .map(|step| 4e8 * step as f64 / (steps - 1) as f64)
                .collect(),
            seed: 1,
            warmup_ms: 1,
            window_ms: 1,
            cells: cells.collect(),
            doubles_from: vec![],
            notes: vec![],
        }
    }

    #[test]
    fn every_size_fits_80_columns_and_tells_its_doubts() {
        for steps in 2..=10 {
            let text = lines(&matrix(steps)).join("\n");
            assert!(
                text.lines().all(|line| line.chars().count() <= width()),
                "{steps}\n{text}"
            );
            for word in [
                "p50 of",
                "p95 of",
                "p99 of",
                "! 1 cells",
                "~ in 1 cells",
                "– 1 cells",
                "wait for nobody",
            ] {
                assert!(text.contains(word), "{word}\n{text}");
            }
        }
    }

    #[test]
    fn shades_follow_the_logarithm_and_reach_both_ends() {
        let grid = matrix(5);
        assert_eq!(shade(&grid, least(&grid)), '░');
        assert_eq!(shade(&grid, most(&grid)), '█');
        let middle = (least(&grid) as f64 * most(&grid) as f64).sqrt();
        assert_eq!(shade(&grid, middle as u64 + 1), '▓');
        assert_eq!(short(8_123_000), "8.1m");
        assert_eq!(short(118_000), "118µ");
        assert_eq!(short(12_300_000), "12.3m".replace(".3", ""));
    }
}
