//! Latency over time as a map: time to the right, latency upwards, brightness for how many.
//!
//! Rows are unions of whole buckets of the histograms, so their edges are true; a quarter of an octave each where there is
//! room, whole octaves and more where there is not. A cell holds I/Os per second and octave (or the time they waited),
//! so cells of any size compare.

use super::theme::{Depth, Theme};
use model::histogram::{edge_of, value_of};
use model::layers::{LayerSide, Span};
use observe::{LayerHistory, SpanCounts};
use ratatui::style::{Color, Style};

/// Quarters of an octave in the histograms' layout.
const BINS: usize = 29 * 4;
/// Everything shorter than 64 ns is one row.
const BIN_MIN: usize = 3;
/// Where the quarters of an octave begin among its 64 buckets: 2^(1/4), 2^(2/4) and 2^(3/4) times 64.
const QUARTERS: [usize; 4] = [0, 12, 27, 44];
/// Steps of brightness.
pub const LEVELS: usize = 8;
/// From few to many, without colour.
const SHADES: [char; LEVELS] = ['·', ':', '-', '=', '+', '*', '#', '@'];
/// From few to many; the least already stands out from a dark ground.
const RAMP: [(u8, u8, u8); LEVELS] = [
    (0x2E, 0x6E, 0x8E),
    (0x25, 0x85, 0x8D),
    (0x21, 0x9B, 0x89),
    (0x2E, 0xB0, 0x7D),
    (0x52, 0xC4, 0x68),
    (0x85, 0xD3, 0x4A),
    (0xC2, 0xE0, 0x26),
    (0xFD, 0xE7, 0x25),
];
/// The same in xterm's colours, where only five of them can be told apart.
const RAMP_INDEXED: [u8; 5] = [25, 30, 36, 42, 226];

/// What is wanted of a history.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Kernel name.
    pub device: &'a str,
    /// Direction.
    pub side: LayerSide,
    /// Layer.
    pub span: Span,
    /// The time, ns.
    pub from_ns: i64,
    /// Its end, ns.
    pub to_ns: i64,
    /// Cells from left to right.
    pub columns: usize,
    /// Cells from bottom to top.
    pub rows: usize,
    /// The time that I/Os waited in place of their number.
    pub by_time: bool,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// The lower edge of each row, ns, from the bottom up.
    pub edges_ns: Vec<u64>,
    /// Each column's rows from the bottom up: I/Os per second and octave, or seconds waited; none where nothing was
    /// traced.
    pub columns: Vec<Option<Vec<f64>>>,
    /// The most that any cell has.
    pub top: f64,
}

/// Draws up a map; none when no I/O is in it.
pub fn map(history: &LayerHistory, asked: &Asked<'_>) -> Option<HeatMap> {
    let fine = fine_columns(history, asked);
    let seen = |bin: &usize| fine.iter().flatten().any(|column| column[*bin] > 0.0);
    let (low, high) = ((0..BINS).find(seen)?, (0..BINS).rev().find(seen)?);
    let (bins, first, rows) = rows(low, high, asked.rows.max(1));
    let octaves = bins as f64 / 4.0;
    let row = |column: &[f64; BINS], row: usize| {
        let start = (first + row) * bins;
        column[start..(start + bins).min(BINS)].iter().sum::<f64>() / octaves
    };
    let columns: Vec<Option<Vec<f64>>> = fine
        .iter()
        .map(|column| {
            column
                .as_ref()
                .map(|column| (0..rows).map(|index| row(column, index)).collect())
        })
        .collect();
    let top = columns
        .iter()
        .flatten()
        .flatten()
        .copied()
        .fold(0.0, f64::max);
    let edges_ns = (first..first + rows)
        .map(|row| edge_ns(row * bins))
        .collect();
    Some(HeatMap {
        edges_ns,
        columns,
        top,
    })
}

/// Rates by quarter of an octave, for each column that any time was traced of. Columns begin at multiples of their width,
/// so that what is in one stays in it as it moves to the left. A column that is shorter than the steps of the history
/// shows the step that it lies in.
fn fine_columns(history: &LayerHistory, asked: &Asked<'_>) -> Vec<Option<[f64; BINS]>> {
    let columns = asked.columns.max(1) as i64;
    let width_ns = ((asked.to_ns - asked.from_ns + columns - 1) / columns).max(1);
    let start_ns = ((asked.to_ns + width_ns - 1).div_euclid(width_ns) - columns) * width_ns;
    let place = |time_ns: i64| ((time_ns - start_ns).max(0) / width_ns) as usize;
    let mut sums: Vec<Option<([f64; BINS], f64)>> = vec![None; asked.columns];
    let mut steps: Vec<(i64, i64, usize)> = Vec::new();
    for step in history.steps(start_ns, asked.to_ns) {
        let column = place(step.from_ns + (step.to_ns - step.from_ns) / 2);
        let Some(sum) = sums.get_mut(column) else {
            continue;
        };
        if !step.devices().any(|device| device == asked.device) {
            continue;
        }
        steps.push((step.from_ns, step.to_ns, column));
        let (bins, seconds) = sum.get_or_insert(([0.0; BINS], 0.0));
        *seconds += step.seconds();
        if let Some(counts) = step.counts(asked.device, asked.side, asked.span) {
            add(bins, counts, asked.by_time);
        }
    }
    let rates: Vec<Option<[f64; BINS]>> = sums
        .into_iter()
        .map(|sum| sum.map(|(bins, seconds)| bins.map(|count| count / seconds)))
        .collect();
    let around = |column: usize| {
        // The last column may have only begun.
        let middle_ns = (start_ns + column as i64 * width_ns + width_ns / 2).min(asked.to_ns - 1);
        let next = steps.partition_point(|(_, to_ns, _)| *to_ns <= middle_ns);
        let (_, _, of) = steps
            .get(next)
            .filter(|(from_ns, _, _)| *from_ns <= middle_ns)?;
        rates[*of]
    };
    (0..asked.columns)
        .map(|column| rates[column].or_else(|| around(column)))
        .collect()
}

fn add(bins: &mut [f64; BINS], counts: &SpanCounts, by_time: bool) {
    for (bucket, count) in counts.iter() {
        let weight = if by_time {
            value_of(bucket) as f64 / 1e9
        } else {
            1.0
        };
        bins[bin_of(bucket)] += count as f64 * weight;
    }
}

fn bin_of(bucket: usize) -> usize {
    let quarter = QUARTERS.partition_point(|start| *start <= bucket & 63) - 1;
    ((bucket >> 6) * 4 + quarter).max(BIN_MIN)
}

/// Where a quarter of an octave begins, ns.
fn edge_ns(bin: usize) -> u64 {
    if bin <= BIN_MIN {
        0
    } else {
        edge_of((bin >> 2) * 64 + QUARTERS[bin & 3])
    }
}

/// Quarters per row, the first row in those units, and how many rows: the finest division with which everything fits, with
/// the rest of the height above and below it.
fn rows(low: usize, high: usize, most: usize) -> (usize, usize, usize) {
    let mut bins = 1;
    while high / bins - low / bins + 1 > most {
        bins *= 2;
    }
    let (lowest, highest) = (BIN_MIN / bins, (BINS - 1) / bins);
    let spare = most - (high / bins - low / bins + 1);
    let below = (spare / 2).min(low / bins - lowest);
    let above = (spare - below).min(highest - high / bins);
    (
        bins,
        low / bins - below,
        high / bins - low / bins + 1 + below + above,
    )
}

/// How bright a cell is: 0 for none, 1 for anything at all, 8 for the most. The scale is a root, so that few are seen
/// beside many.
pub fn level(value: f64, top: f64) -> usize {
    if value <= 0.0 || top <= 0.0 {
        return 0;
    }
    ((LEVELS as f64 * (value / top).sqrt()).ceil() as usize).clamp(1, LEVELS)
}

/// The character of a level.
pub fn shade(level: usize) -> char {
    level
        .checked_sub(1)
        .map_or(' ', |place| SHADES[place.min(LEVELS - 1)])
}

/// The colour of a level, where the terminal has enough of them.
pub fn colour(level: usize, theme: &Theme) -> Option<Color> {
    let place = level.checked_sub(1)?.min(LEVELS - 1);
    match theme.depth {
        Depth::True => Some(Color::Rgb(RAMP[place].0, RAMP[place].1, RAMP[place].2)),
        Depth::Indexed => Some(Color::Indexed(
            RAMP_INDEXED[place * RAMP_INDEXED.len() / LEVELS],
        )),
        Depth::None | Depth::Sixteen => None,
    }
}

/// Whether two rows of the map fit in one of the terminal: colours make that possible.
pub fn is_halved(theme: &Theme) -> bool {
    !theme.is_ascii && matches!(theme.depth, Depth::True | Depth::Indexed)
}

/// One cell of the terminal that shows two of the map.
pub fn halves(upper: usize, lower: usize, theme: &Theme) -> (char, Style) {
    let style = |front: Option<Color>| front.map_or(Style::new(), |front| Style::new().fg(front));
    match (colour(upper, theme), colour(lower, theme)) {
        (None, None) => (' ', Style::new()),
        (upper, None) => ('▀', style(upper)),
        (None, lower) => ('▄', style(lower)),
        (Some(upper), Some(lower)) if upper == lower => ('█', style(Some(upper))),
        (upper, Some(lower)) => ('▀', style(upper).bg(lower)),
    }
}

#[cfg(test)]
mod tests;
