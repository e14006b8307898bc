//! Values over time as lines: what rates, queues, CPU time and dirty pages have in common.

use super::FigureLook;
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both, text_width};
use crate::readings::Readings;
use crate::reduce::{ReduceStep, gaps, points};
use crate::series::{end, summary};
use crate::svg::{Anchor, PathData, Picture, Svg};
use model::units;
use view::scale::Quantity;

/// One line.
#[derive(Clone, Debug)]
pub struct FigureLine {
    /// Name at its end.
    pub name: String,
    /// Colour, dash, mark.
    pub look: FigureLook,
    /// Its values.
    pub steps: Vec<ReduceStep>,
}

/// A chart of lines over time.
#[derive(Clone, Debug)]
pub struct FigureLines {
    /// Id of the figure.
    pub id: String,
    /// Name of the measure, for the axis and the plain title.
    pub measure: String,
    /// What is measured.
    pub quantity: Quantity,
    /// The lines, at most six.
    pub lines: Vec<FigureLine>,
    /// Whether the axis is logarithmic: for latencies.
    pub is_log: bool,
    /// Where the numbers come from and what they cannot tell.
    pub caption: String,
    /// Why there are gaps.
    pub gap_reason: String,
}

impl FigureLines {
    /// The figure; none when no line has a value.
    pub fn figure(mut self) -> Option<Figure> {
        self.lines.retain(|line| summary(&line.steps).is_some());
        if self.lines.is_empty() {
            return None;
        }
        let (svg, narrow) = both(
            if self.lines.len() > 3 { 200.0 } else { 150.0 },
            |size, id| self.draw(size, id),
            &self.id,
        );
        Some(Figure {
            id: self.id.clone(),
            title: self.title(),
            caption: self.caption(),
            description: self.description(),
            svg,
            narrow,
            table: self.table(),
            absent: None,
            readings: Some(Readings::of_lines(
                self.quantity,
                !self.is_log,
                self.lines
                    .iter()
                    .map(|line| (line.name.as_str(), line.steps.as_slice())),
            )),
        })
    }

    fn seconds(&self) -> f64 {
        self.lines
            .iter()
            .map(|line| end(&line.steps))
            .fold(0.0, f64::max)
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for value in self
            .lines
            .iter()
            .flat_map(|line| &line.steps)
            .filter_map(|step| step.value)
        {
            most = most.max(value);
            least = least.min(if value > 0.0 { value } else { f64::INFINITY });
        }
        let name = self.measure.clone();
        let y = match self.is_log {
            true => Axis::Log {
                quantity: self.quantity,
                least,
                most,
                name,
            },
            false => Axis::Linear {
                quantity: self.quantity,
                most,
                name,
            },
        };
        let widest = self
            .lines
            .iter()
            .map(|line| text_width(&line.name))
            .fold(0.0, f64::max);
        let cap = if size.is_narrow() { 76.0 } else { 170.0 };
        let right = (widest + 18.0).min(cap);
        let mut frame = Frame::new(
            id,
            size,
            &Axis::Time {
                seconds: self.seconds(),
            },
            &y,
            right,
            0.0,
        );
        for (from, to) in self.common_gaps() {
            frame.gap(from, to);
        }
        for line in &self.lines {
            draw_line(&mut frame, line);
        }
        frame.finish(&self.description())
    }

    /// Gaps that all lines have: nothing was read then.
    fn common_gaps(&self) -> Vec<(f64, f64)> {
        let mut found = self
            .lines
            .first()
            .map(|line| gaps(&line.steps))
            .unwrap_or_default();
        for line in &self.lines[1..] {
            let others = gaps(&line.steps);
            found.retain(|(from, to)| others.iter().any(|(f, t)| f <= from && t >= to));
        }
        found
    }

    fn caption(&self) -> String {
        let gaps = self.common_gaps();
        match gaps.len() {
            0 => self.caption.clone(),
            n => {
                let lost: f64 = gaps.iter().map(|(from, to)| to - from).sum();
                format!(
                    "{} Hatched: {n} gap{} of {} together, {}.",
                    self.caption,
                    if n == 1 { "" } else { "s" },
                    Quantity::Seconds.words(lost),
                    self.gap_reason
                )
            }
        }
    }

    fn title(&self) -> String {
        let known = |line: &FigureLine| Some((line.name.clone(), summary(&line.steps)?));
        match self
            .lines
            .iter()
            .filter_map(known)
            .collect::<Vec<_>>()
            .as_slice()
        {
            [(_, (least, mean, most))] if *mean > 0.0 && !self.is_log => {
                let steady = (most - least) / mean < 0.1;
                let words = self.quantity.words(*mean);
                match steady {
                    true => format!(
                        "{}: {words}, flat within {}",
                        capital(&self.measure),
                        units::percent_whole((most - least) / mean * 100.0)
                    ),
                    false => format!(
                        "{}: {words} on average, between {} and {}",
                        capital(&self.measure),
                        self.quantity.words(*least),
                        self.quantity.words(*most)
                    ),
                }
            }
            many if !self.is_log => {
                let means = many
                    .iter()
                    .map(|(name, (_, mean, _))| format!("{name} {}", self.quantity.words(*mean)));
                format!(
                    "{}: {}",
                    capital(&self.measure),
                    means.collect::<Vec<_>>().join(", ")
                )
            }
            _ => capital(&self.measure),
        }
    }

    fn description(&self) -> String {
        let one = |line: &FigureLine| {
            let (least, mean, most) = summary(&line.steps)?;
            let when = line.steps.iter().find(|step| step.value == Some(most))?.to;
            let count = line
                .steps
                .iter()
                .filter(|step| step.value.is_some())
                .count();
            let mean = if self.is_log {
                String::new()
            } else {
                format!("{} on average, ", self.quantity.words(mean))
            };
            Some(format!(
                "{}: {mean}least {}, greatest {} at {}, {count} intervals",
                line.name,
                self.quantity.words(least),
                self.quantity.words(most),
                Quantity::Seconds.words(when)
            ))
        };
        let lines: Vec<String> = self.lines.iter().filter_map(one).collect();
        format!(
            "{} over {}. {}.",
            capital(&self.measure),
            Quantity::Seconds.words(self.seconds()),
            lines.join("; ")
        )
    }

    /// Every interval, or spans of several with mean, least and greatest.
    fn table(&self) -> FigureTable {
        let longest = self
            .lines
            .iter()
            .map(|line| line.steps.len())
            .max()
            .unwrap_or(0);
        if longest <= crate::figure::MOST_ROWS
            && self.lines.iter().all(|line| line.steps.len() == longest)
        {
            let mut head = vec!["until".to_string()];
            head.extend(self.lines.iter().map(|line| line.name.clone()));
            let mut table = FigureTable {
                head,
                ..FigureTable::default()
            };
            for index in 0..longest {
                let mut cells = vec![Quantity::Seconds.words(self.lines[0].steps[index].to)];
                let value = |line: &FigureLine| {
                    line.steps[index]
                        .value
                        .map_or("no data".into(), |v| self.quantity.words(v))
                };
                cells.extend(self.lines.iter().map(value));
                table.rows.push(cells);
            }
            return table;
        }
        let mut head = vec!["from".to_string(), "to".to_string()];
        for line in &self.lines {
            head.extend([
                format!("{}, mean", line.name),
                "least".into(),
                "greatest".into(),
            ]);
        }
        let mut table = FigureTable {
            head,
            ..FigureTable::default()
        };
        let (spans, seconds) = (30, self.seconds());
        for index in 0..spans {
            let (from, to) = (
                seconds * f64::from(index) / 30.0,
                seconds * f64::from(index + 1) / 30.0,
            );
            let mut cells = vec![Quantity::Seconds.words(from), Quantity::Seconds.words(to)];
            for line in &self.lines {
                let inside: Vec<ReduceStep> = line
                    .steps
                    .iter()
                    .filter(|step| step.to > from && step.to <= to)
                    .copied()
                    .collect();
                match summary(&inside) {
                    Some((least, mean, most)) => {
                        cells.extend([mean, least, most].map(|value| self.quantity.words(value)));
                    }
                    None => cells.extend(["no data".to_string(), "–".into(), "–".into()]),
                }
            }
            table.rows.push(cells);
        }
        table.note = format!(
            "Spans of {}; each interval is in the data below.",
            Quantity::Seconds.words(seconds / 30.0)
        );
        table
    }
}

/// Draws a line through its steps, with its name at the end.
pub fn draw_line(frame: &mut Frame, line: &FigureLine) {
    let (left, _, right, _) = frame.plot;
    let (x, y) = (frame.x, frame.y);
    let floor = if y.is_log() {
        f64::MIN_POSITIVE
    } else {
        f64::NEG_INFINITY
    };
    let mut path = PathData::new();
    for point in points(&line.steps, |t| x.at(t), right - left) {
        match point {
            // Zero has no place on a log axis: the line breaks rather than lies.
            Some((at, value)) if value > floor => path.to(at, y.at(value)),
            _ => path.lift(),
        }
    }
    frame
        .svg
        .named_path(&line.look.line(), &line.name, path.data());
    let known: Vec<&ReduceStep> = line
        .steps
        .iter()
        .filter(|step| step.value.is_some_and(|value| value > floor))
        .collect();
    // One interval is a line as long as itself; of one moment there is only a dot.
    if let [only] = known.as_slice()
        && let Some(value) = only.value
        && x.at(only.to) - x.at(only.from) < 3.0
    {
        let at = ((x.at(only.from) + x.at(only.to)) / 2.0, y.at(value));
        frame
            .svg
            .mark(&line.look.filled(), line.look.shape(), at, 4.0);
    }
    if let Some(value) = known.last().and_then(|step| step.value) {
        frame.label(value, line.look.class(), &line.name);
    }
}

/// A horizontal line with its name above it: a limit.
pub fn limit(svg: &mut Svg, (left, right): (f64, f64), y: f64, name: &str) {
    svg.line("limit", (left, y), (right, y));
    svg.text("t2", (left + 4.0, y - 4.0), Anchor::Start, name);
}

/// With a capital letter in front.
pub fn capital(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().collect::<String>() + characters.as_str(),
        None => String::new(),
    }
}
