//! Several records on common axes: rates over time, distributions, response curves. What is set as the base is ink.

use super::lines::{FigureLine, FigureLines};
use super::{FigureLook, percentiles, rates};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both, text_width};
use crate::reduce::ReduceStep;
use crate::svg::{Anchor, PathData, Picture};
use model::comparison::{CurveCell, Curves};
use model::record::Record;
use model::units;
use view::scale::Quantity;

/// The most records on one chart.
pub const MOST: usize = 6;

/// The charts that two or more of the records can share; `curves` are response curves that have been matched by their
/// settings. Records are named as people call them; the first is the base.
pub fn figures(records: &[(&str, &Record)], curves: &[Curves]) -> Vec<Figure> {
    let named: Vec<(String, &Record)> = records
        .iter()
        .take(MOST)
        .enumerate()
        .map(|(index, (name, record))| (format!("{} {name}", view::trial::letter(index)), *record))
        .collect();
    let named: Vec<(&str, &Record)> = named
        .iter()
        .map(|(name, record)| (name.as_str(), *record))
        .collect();
    let response = |one: &Curves| {
        Response {
            names: &named,
            curves: one,
        }
        .figure()
    };
    over_time(&named)
        .into_iter()
        .chain(percentiles::over(&named))
        .chain(curves.iter().filter_map(response))
        .collect()
}

/// I/Os per second of each from its own start on.
fn over_time(records: &[(&str, &Record)]) -> Option<Figure> {
    let line = |(index, (name, record)): (usize, &(&str, &Record))| {
        let steps = all_ios(record);
        (steps.len() > 1).then(|| FigureLine {
            name: (*name).to_string(),
            look: FigureLook::of_arm(index),
            steps,
        })
    };
    let lines: Vec<FigureLine> = records.iter().enumerate().filter_map(line).collect();
    let without: Vec<&str> = records
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| !lines.iter().any(|line| line.name == *name))
        .collect();
    let without = match without.as_slice() {
        [] => String::new(),
        names => format!(" Without a rate over time: {}.", names.join(", ")),
    };
    if lines.len() < 2 {
        return None;
    }
    FigureLines {
        id: "rates".into(),
        measure: "I/Os per second".into(),
        quantity: Quantity::Iops,
        lines,
        is_log: false,
        caption: format!(
            "Reads and writes together, each record from its own start on: they ran one after the other, so what happens at \
             one second of one has nothing to do with the same second of another.{without}"
        ),
        gap_reason: "no interval of any record".into(),
    }
    .figure()
}

fn all_ios(record: &Record) -> Vec<ReduceStep> {
    let Some(load) = record.load().filter(|_| record.sections().len() < 2) else {
        return Vec::new();
    };
    if let Some(line) = rates::bins(load) {
        return line.steps;
    }
    let step = |interval: &model::record::Interval| {
        let ios = (interval.read.ios + interval.write.ios) as f64 * 1e3
            / interval.length_ms.max(1) as f64;
        rates::step(interval, Some(ios))
    };
    load.intervals.iter().map(step).collect()
}

/// p99 over the rate that was reached.
struct Response<'a> {
    names: &'a [(&'a str, &'a Record)],
    curves: &'a Curves,
}

impl Response<'_> {
    /// Loads of one record, in the order of the load, so that a curve can bend back.
    fn points(&self, index: usize) -> Vec<(&str, &CurveCell)> {
        let rows = self.curves.rows.iter();
        rows.filter_map(|(load, cells)| Some((load.as_str(), cells.get(index)?.as_ref()?)))
            .collect()
    }

    fn figure(&self) -> Option<Figure> {
        let shown = (0..self.names.len())
            .filter(|index| !self.points(*index).is_empty())
            .count();
        if shown < 2 {
            return None;
        }
        let settings: Vec<String> = self
            .curves
            .settings
            .iter()
            .map(|one| format!("{}={}", one.option, one.value))
            .collect();
        let id = format!("response-{}", super::id_part(&settings.join("-")));
        let id = id.trim_end_matches('-').to_string();
        let (svg, narrow) = both(240.0, |size, id| self.draw(size, id), &id);
        let beside = if settings.is_empty() {
            String::new()
        } else {
            format!(" with {}", settings.join(" "))
        };
        Some(Figure {
            id,
            title: format!(
                "p99 over the rate reached, by {}{beside}",
                self.curves.option
            ),
            caption: format!(
                "Points are named by {}, joined in its order; bars are intervals over visits. One axis for all.",
                self.curves.option
            ),
            description: self.description(),
            svg,
            narrow,
            table: self.table(),
            absent: None,
            readings: None,
        })
    }

    fn description(&self) -> String {
        let one = |(index, (name, _)): (usize, &(&str, &Record))| {
            let points = self.points(index);
            let best = points
                .iter()
                .max_by(|a, b| a.1.iops.mean.total_cmp(&b.1.iops.mean))?;
            let knee = self.curves.knees.get(index).and_then(Option::as_ref);
            let knee = knee.map_or("no knee found".to_string(), |knee| {
                format!("knee at {knee}")
            });
            let most = Quantity::Iops.words(best.1.iops.mean);
            Some(format!(
                "{name}: most at {} {}, {most}; {knee}",
                self.curves.option, best.0
            ))
        };
        self.names
            .iter()
            .enumerate()
            .filter_map(one)
            .collect::<Vec<_>>()
            .join(". ")
            + "."
    }

    fn table(&self) -> FigureTable {
        let mut head = vec![self.curves.option.clone()];
        for (name, _) in self.names {
            head.extend([format!("{name}, IOPS"), "p99".into()]);
        }
        let mut table = FigureTable {
            head,
            ..FigureTable::default()
        };
        for (load, cells) in &self.curves.rows {
            let mut row = vec![load.clone()];
            for index in 0..self.names.len() {
                row.extend(match cells.get(index).and_then(Option::as_ref) {
                    Some(cell) => [
                        units::count(cell.iops.mean.round()),
                        units::duration_ns(cell.p99_ns.mean),
                    ],
                    None => ["–".into(), "–".into()],
                });
            }
            table.rows.push(row);
        }
        table.cut("loads")
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let all: Vec<&CurveCell> = (0..self.names.len())
            .flat_map(|index| self.points(index))
            .map(|(_, cell)| cell)
            .collect();
        let most = all.iter().map(|cell| cell.iops.mean).fold(0.0, f64::max);
        let latencies = || {
            all.iter()
                .flat_map(|cell| [Some(cell.p99_ns.mean), cell.p99_ns.low, cell.p99_ns.high])
                .flatten()
                .filter(|ns| *ns > 0.0)
        };
        let x = Axis::Linear {
            quantity: Quantity::Iops,
            most,
            name: "reached".into(),
        };
        let y = Axis::Log {
            quantity: Quantity::Ns,
            least: latencies().fold(f64::INFINITY, f64::min),
            most: latencies().fold(0.0, f64::max),
            name: "p99".into(),
        };
        let widest = self
            .names
            .iter()
            .map(|(name, _)| text_width(name))
            .fold(0.0, f64::max);
        let right = (widest + 18.0).min(if size.is_narrow() { 84.0 } else { 190.0 });
        let mut frame = Frame::new(id, size, &x, &y, right, 0.0);
        for (index, (name, _)) in self.names.iter().enumerate() {
            self.curve(&mut frame, index, name);
        }
        frame.finish(&self.description())
    }

    fn curve(&self, frame: &mut Frame, index: usize, name: &str) {
        let (look, points) = (FigureLook::of_arm(index), self.points(index));
        let place = |frame: &Frame, cell: &CurveCell| {
            (frame.x.at(cell.iops.mean), frame.y.at(cell.p99_ns.mean))
        };
        let mut path = PathData::new();
        points
            .iter()
            .map(|(_, cell)| place(frame, cell))
            .for_each(|(x, y)| path.to(x, y));
        frame.svg.named_path(&look.line(), name, path.data());
        let (top, bottom) = (frame.plot.1, frame.plot.3);
        for (load, cell) in &points {
            let at = place(frame, cell);
            if let (Some(low), Some(high)) = (cell.p99_ns.low, cell.p99_ns.high) {
                let ends = (
                    frame.y.at(high).clamp(top, bottom),
                    frame.y.at(low).clamp(top, bottom),
                );
                frame.svg.line(
                    &format!("l {} thin", look.class()),
                    (at.0, ends.0),
                    (at.0, ends.1),
                );
            }
            frame.svg.mark(&look.filled(), look.shape(), at, 3.6);
            // The base says what the points are; of the others the last does.
            if index == 0 || points.last().is_some_and(|(last, _)| last == load) {
                frame
                    .svg
                    .text("t3 halo", (at.0 - 5.0, at.1 - 7.0), Anchor::End, load);
            }
        }
        if let Some((_, cell)) = points.last() {
            frame.label(cell.p99_ns.mean, look.class(), name);
        }
    }
}
