//! Latency over time: how many I/Os took how long, when. Bands, outliers and stalls show here and in no line.

use super::lines::FigureLine;
use super::{FigureLook, lines, loop_words, rates};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both};
use crate::readings::Readings;
use crate::svg::{Anchor, PathData, Picture, Svg};
use model::latency_map::{LatencyColumn, ROWS, row_edge_ns};
use model::record::Record;
use model::units;
use view::scale::Quantity;

/// Steps of the ramp.
const STEPS: usize = 8;
/// Least width of a column and height of a row, pixels.
const LEAST: f64 = 3.5;
/// A percentile is drawn where so many I/Os are slower.
const ENOUGH: f64 = 10.0;

/// One for each direction; of records that hold no map, percentiles by interval.
pub fn figures(record: &Record) -> Vec<Figure> {
    let Some(load) = record.load() else {
        return Vec::new();
    };
    if load.latency_map.is_empty() {
        return percentiles_over_time(record);
    }
    let sides = [
        ("read", &load.latency_map.read),
        ("write", &load.latency_map.write),
    ];
    sides
        .into_iter()
        .filter_map(|(name, columns)| LatencyMapFigure::new(record, name, columns)?.figure())
        .collect()
}

/// p50 and p99 of each interval, for records that were written without a map.
fn percentiles_over_time(record: &Record) -> Vec<Figure> {
    let Some(load) = record.load() else {
        return Vec::new();
    };
    let line = |name: &str, look, of: &dyn Fn(&model::record::Interval) -> u64| FigureLine {
        name: name.into(),
        look,
        steps: load
            .intervals
            .iter()
            .map(|interval| {
                let value = of(interval) as f64;
                rates::step(interval, (value > 0.0).then_some(value))
            })
            .collect(),
    };
    let one = |side: &str, lines: Vec<FigureLine>| {
        lines::FigureLines {
            id: format!("latency-{side}"),
            measure: format!("{side} latency"),
            quantity: Quantity::Ns,
            lines,
            is_log: true,
            caption: format!(
                "Median and 99th percentile of each interval. This record holds no counts by latency over time, so bands \
                 and outliers are not to be seen; {}.",
                loop_words(record)
            ),
            gap_reason: "nothing completed".into(),
        }
        .figure()
    };
    if load.intervals.len() < 2 {
        return Vec::new();
    }
    let read = vec![
        line("p99", FigureLook::Sync, &|i| i.read.p99_ns),
        line("p50", FigureLook::Ink, &|i| i.read.p50_ns),
    ];
    let write = vec![
        line("p99", FigureLook::Sync, &|i| i.write.p99_ns),
        line("p50", FigureLook::Ink, &|i| i.write.p50_ns),
    ];
    [one("read", read), one("write", write)]
        .into_iter()
        .flatten()
        .collect()
}

/// The map of one direction.
struct LatencyMapFigure<'a> {
    record: &'a Record,
    side: &'a str,
    columns: &'a [LatencyColumn],
    /// First and last row of the picture, whole octaves.
    first: usize,
    last: usize,
    /// The same for the counts of all columns together.
    whole: LatencyColumn,
}

impl<'a> LatencyMapFigure<'a> {
    fn new(
        record: &'a Record,
        side: &'a str,
        columns: &'a [LatencyColumn],
    ) -> Option<LatencyMapFigure<'a>> {
        let whole = LatencyColumn::merged(columns)?;
        let (first, last) = (
            usize::from(whole.rows.first()?.0),
            usize::from(whole.rows.last()?.0),
        );
        // Whole octaves, three at the least, so that two records of like devices look alike.
        let (mut first, mut last) = (first / 8 * 8, (last / 8 + 1) * 8);
        while last - first < 24 {
            match (first, last) {
                (0, _) => last += 8,
                (_, last_row) if last_row >= ROWS => first -= 8,
                _ if (last - first) / 8 % 2 == 0 => first -= 8,
                _ => last += 8,
            }
        }
        Some(LatencyMapFigure {
            record,
            side,
            columns,
            first,
            last,
            whole,
        })
    }

    fn figure(&self) -> Option<Figure> {
        let id = format!("latency-map-{}", self.side);
        let (svg, narrow) = both(230.0, |size, id| self.draw(size, id), &id);
        Some(Figure {
            id,
            title: self.title(),
            caption: format!(
                "I/Os per second and octave of latency, by colour on a square-root scale; nothing is the ground. Lines: p50 \
                 and p99 of each column, from its counts, where ten I/Os or more are slower. {} {}s; {}.",
                units::count(self.whole.total() as f64),
                self.side,
                loop_words(self.record)
            ),
            description: self.description(),
            svg,
            narrow,
            table: self.table(),
            absent: None,
            readings: Some(Readings::of_columns(self.columns)),
        })
    }

    fn title(&self) -> String {
        let name = lines::capital(self.side);
        match (quantile(&self.whole, 0.5), quantile(&self.whole, 0.99)) {
            (Some(p50), Some(p99)) => format!(
                "{name} latency over time: half within {}, 99 in 100 within {}",
                units::duration_ns(p50),
                units::duration_ns(p99)
            ),
            _ => format!("{name} latency over time"),
        }
    }

    fn description(&self) -> String {
        let (total, time) =
            self.whole
                .rows
                .iter()
                .fold((0.0, 0.0), |(total, time), (row, count)| {
                    (
                        total + *count as f64,
                        time + *count as f64 * middle_ns(usize::from(*row)),
                    )
                });
        let slow = slowest_share(&self.whole, 0.01);
        let stalls = self
            .columns
            .iter()
            .filter(|column| column.rows.is_empty())
            .count();
        let stalls = match stalls {
            0 => String::new(),
            n => format!(
                " In {n} of {} columns nothing completed.",
                self.columns.len()
            ),
        };
        let (least, most) = (self.whole.rows.first(), self.whole.rows.last());
        let range = match (least, most) {
            (Some((least, _)), Some((most, _))) => format!(
                "from {} to at most {}",
                units::duration_ns(row_edge_ns(usize::from(*least)) as f64),
                units::duration_ns(row_edge_ns(usize::from(*most) + 1) as f64)
            ),
            _ => String::new(),
        };
        format!(
            "{} {}s, {range}. The slowest hundredth takes {} of all the time that was waited ({} in the mean).{stalls}",
            units::count(total),
            self.side,
            units::percent(if time > 0.0 { slow / time * 100.0 } else { 0.0 }),
            units::duration_ns(if total > 0.0 { time / total } else { 0.0 }),
        )
    }

    fn table(&self) -> FigureTable {
        let mut table = FigureTable::new(&["from", "to", "I/Os", "p50 ≤", "p99 ≤", "slowest ≤"]);
        let per_row = self.columns.len().div_ceil(crate::figure::MOST_ROWS);
        for part in self.columns.chunks(per_row.max(1)) {
            let Some(column) = LatencyColumn::merged(part) else {
                continue;
            };
            let words = |ns: Option<f64>| ns.map_or("–".into(), units::duration_ns);
            let most = column
                .rows
                .last()
                .map(|(row, _)| row_edge_ns(usize::from(*row) + 1) as f64);
            table.row([
                Quantity::Seconds.words(column.start_ms as f64 / 1e3),
                Quantity::Seconds.words((column.start_ms + column.length_ms) as f64 / 1e3),
                column.total().to_string(),
                words(quantile(&column, 0.5)),
                if column.total() as f64 * 0.01 >= ENOUGH {
                    words(quantile(&column, 0.99))
                } else {
                    "too few".into()
                },
                words(most),
            ]);
        }
        if per_row > 1 {
            table.note = format!("Each row is {per_row} columns of the map, their counts added.");
        }
        table
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let end = self
            .columns
            .last()
            .map_or(0, |column| column.start_ms + column.length_ms) as f64
            / 1e3;
        let domain = (self.low_ns(), row_edge_ns(self.last) as f64);
        let ticks =
            view::scale::log_ticks(Quantity::Ns, domain, (size.plot_height / 24.0) as usize);
        let y = Axis::Own {
            reads: Quantity::Ns.name(),
            domain,
            is_log: true,
            ticks,
            // On a phone the legend needs the room.
            title: if size.is_narrow() {
                "latency".into()
            } else {
                format!("{} latency, log scale", self.side)
            },
        };
        let right = if size.is_narrow() { 34.0 } else { 44.0 };
        let mut frame = Frame::new(id, size, &Axis::Time { seconds: end }, &y, right, 0.0);
        let (left, _, right, _) = frame.plot;
        let fold = (self.columns.len() as f64 * LEAST / (right - left))
            .ceil()
            .max(1.0) as usize;
        let columns: Vec<LatencyColumn> = self
            .columns
            .chunks(fold)
            .filter_map(LatencyColumn::merged)
            .collect();
        let rows_together = self.rows_together(size);
        let most = columns
            .iter()
            .flat_map(|column| self.cells(column, rows_together))
            .map(|cell| cell.2)
            .fold(0.0, f64::max);
        self.draw_gaps(&mut frame);
        let mut steps: Vec<PathData> = vec![PathData::new(); STEPS];
        for column in &columns {
            for (low, high, value) in self.cells(column, rows_together) {
                let step = ((value / most).sqrt() * STEPS as f64)
                    .ceil()
                    .clamp(1.0, STEPS as f64) as usize;
                let from = frame.x.at(column.start_ms as f64 / 1e3);
                let to = frame
                    .x
                    .at((column.start_ms + column.length_ms) as f64 / 1e3);
                let (top, bottom) = (frame.y.at(high), frame.y.at(low.max(self.low_ns())));
                let path = &mut steps[step - 1];
                [(from, top), (to, top), (to, bottom), (from, bottom)]
                    .iter()
                    .for_each(|(x, y)| path.to(*x, *y));
                path.close();
            }
        }
        for (step, path) in steps.iter().enumerate() {
            frame.svg.path(&format!("q q{}", step + 1), path.data());
        }
        self.draw_percentiles(&mut frame, &columns);
        let width = size.width;
        frame.close_plot();
        legend(&mut frame.svg, width, most);
        frame.finish(&self.description())
    }

    /// A log axis has no zero: the lowest row begins a little above it.
    fn low_ns(&self) -> f64 {
        (row_edge_ns(self.first) as f64).max(4.0)
    }

    /// How many rows become one, so that each is high enough to be seen.
    fn rows_together(&self, size: Size) -> usize {
        let height = size.plot_height / (self.last - self.first) as f64;
        [1, 2, 4]
            .into_iter()
            .find(|together| height * *together as f64 >= LEAST)
            .unwrap_or(8)
    }

    /// Cells of a column: edges, and I/Os per second and octave, so that no zoom changes a colour.
    fn cells(&self, column: &LatencyColumn, together: usize) -> Vec<(f64, f64, f64)> {
        let mut cells: Vec<(usize, u64)> = Vec::new();
        for (row, count) in &column.rows {
            let row = usize::from(*row) / together * together;
            match cells.last_mut() {
                Some((last, sum)) if *last == row => *sum += count,
                _ => cells.push((row, *count)),
            }
        }
        let seconds = column.length_ms.max(1) as f64 / 1e3;
        let cell = |(row, count): (usize, u64)| {
            let (low, high) = (row_edge_ns(row) as f64, row_edge_ns(row + together) as f64);
            let octaves = (high / low.max(1.0)).log2().max(0.05);
            (low, high, count as f64 / seconds / octaves)
        };
        cells.into_iter().map(cell).collect()
    }

    fn draw_gaps(&self, frame: &mut Frame) {
        for pair in self.columns.windows(2) {
            let (end, next) = (pair[0].start_ms + pair[0].length_ms, pair[1].start_ms);
            if next > end + pair[0].length_ms / 2 {
                frame.gap(end as f64 / 1e3, next as f64 / 1e3);
            }
        }
    }

    fn draw_percentiles(&self, frame: &mut Frame, columns: &[LatencyColumn]) {
        for (share, name) in [(0.99, "p99"), (0.5, "p50")] {
            let mut path = PathData::new();
            let mut last = None;
            for column in columns {
                let enough = column.total() as f64 * (1.0 - share) >= ENOUGH;
                let Some(ns) = quantile(column, share).filter(|_| enough) else {
                    path.lift();
                    continue;
                };
                let from = frame.x.at(column.start_ms as f64 / 1e3);
                let to = frame
                    .x
                    .at((column.start_ms + column.length_ms) as f64 / 1e3);
                let y = frame.y.at(ns.max(self.low_ns()));
                path.to(from, y);
                path.to(to, y);
                last = Some(ns);
            }
            frame.svg.path("halo-line", path.data());
            frame.svg.named_path("l k0 thin", name, path.data());
            if let Some(ns) = last {
                frame.label(ns.max(self.low_ns()), "k0", name);
            }
        }
    }
}

/// The eight steps with what they stand for, at the top right.
fn legend(svg: &mut Svg, width: f64, most: f64) {
    let (cell, height) = (14.0, 9.0);
    let label = format!("{}/s per octave", units::rate(most));
    let text = crate::frame::text_width(&label);
    let left = width - text - 12.0 - cell * STEPS as f64;
    svg.text("t2", (left - 6.0, 13.0), Anchor::End, "0 <");
    for step in 0..STEPS {
        svg.rect(
            &format!("q q{}", step + 1),
            (left + step as f64 * cell, 5.0),
            (cell, height),
        );
    }
    svg.text(
        "t2",
        (left + cell * STEPS as f64 + 5.0, 13.0),
        Anchor::Start,
        &label,
    );
}

/// The upper edge of the row that holds a share of the completions; none of none.
fn quantile(column: &LatencyColumn, share: f64) -> Option<f64> {
    let rank = (share * column.total() as f64).ceil().max(1.0) as u64;
    let mut seen = 0;
    let found = column.rows.iter().find(|(_, count)| {
        seen += count;
        seen >= rank
    });
    found.map(|(row, _)| row_edge_ns(usize::from(*row) + 1) as f64)
}

fn middle_ns(row: usize) -> f64 {
    (row_edge_ns(row) + row_edge_ns(row + 1)) as f64 / 2.0
}

/// Time that the slowest share of the I/Os took, ns.
fn slowest_share(column: &LatencyColumn, share: f64) -> f64 {
    let mut left = column.total() as f64 * share;
    let mut sum = 0.0;
    for (row, count) in column.rows.iter().rev() {
        let taken = left.min(*count as f64);
        sum += taken * middle_ns(usize::from(*row));
        left -= taken;
    }
    sum
}
