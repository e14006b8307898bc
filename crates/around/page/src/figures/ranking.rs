//! Devices by what they give under one job: dots with intervals, the ratio to the best, and what makes a number doubtful.

use super::FigureLook;
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both};
use crate::svg::{Anchor, Picture, Shape};
use model::units;
use view::scale::Quantity;

/// Of more rows the best and the worst are drawn.
const MOST: usize = 30;
const ROW: f64 = 24.0;

/// One device, or one record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankRow {
    /// Its name, as people call it: `NVMe · INTEL P4510`.
    pub name: String,
    /// The measure.
    pub value: f64,
    /// Interval of the measure, where the data carry one.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
    /// Runs it rests on.
    pub runs: u64,
    /// Where it comes from: `record 12`, `fio-3.33, notes.txt:114`.
    pub source: String,
    /// What makes it doubtful, in a word or two: `1 run`, `page cache?`, `throttled`.
    pub caveat: String,
}

/// What is ranked.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingPlan {
    /// Name of the measure: `4K random read`.
    pub measure: String,
    /// Its quantity.
    pub quantity: Quantity,
    /// Whether less is better, as of a latency.
    pub less_is_better: bool,
}

/// The ranking of rows under one job; different jobs are different figures.
pub fn ranking(id: &str, plan: &RankingPlan, rows: &[RankRow]) -> Figure {
    let mut rows: Vec<RankRow> = rows
        .iter()
        .filter(|row| row.value.is_finite() && row.value > 0.0)
        .cloned()
        .collect();
    rows.sort_by(|one, other| one.value.total_cmp(&other.value));
    if !plan.less_is_better {
        rows.reverse();
    }
    let Some(best) = rows.first().cloned() else {
        return Figure::absent(id, &plan.measure, "No record has this measure.");
    };
    let ranked = Ranked {
        plan,
        ranks: ranks(&rows),
        rows,
        best: best.value,
    };
    let (svg, narrow) = both(
        ranked.shown().len() as f64 * ROW,
        |size, id| ranked.draw(size, id),
        id,
    );
    Figure {
        id: id.into(),
        title: ranked.title(),
        caption: ranked.caption(),
        description: ranked.description(),
        svg,
        narrow,
        table: ranked.table(),
        absent: None,
        readings: None,
    }
}

/// Rows whose intervals overlap share a rank with the first of them.
fn ranks(rows: &[RankRow]) -> Vec<usize> {
    let mut ranks: Vec<usize> = Vec::with_capacity(rows.len());
    let mut leader = 0;
    for (index, row) in rows.iter().enumerate() {
        let overlaps = match (rows[leader].low, rows[leader].high, row.low, row.high) {
            (Some(low), Some(high), Some(other_low), Some(other_high)) => {
                low <= other_high && other_low <= high
            }
            _ => false,
        };
        if index > 0 && !overlaps {
            leader = index;
        }
        ranks.push(leader + 1);
    }
    ranks
}

struct Ranked<'a> {
    plan: &'a RankingPlan,
    rows: Vec<RankRow>,
    ranks: Vec<usize>,
    best: f64,
}

impl Ranked<'_> {
    /// How many times worse than the best.
    fn ratio(&self, row: &RankRow) -> f64 {
        if self.plan.less_is_better {
            row.value / self.best
        } else {
            self.best / row.value
        }
    }

    fn shown(&self) -> Vec<usize> {
        let all = self.rows.len();
        match all > MOST {
            true => (0..MOST / 2).chain(all - MOST / 2..all).collect(),
            false => (0..all).collect(),
        }
    }

    fn title(&self) -> String {
        match self.rows.as_slice() {
            [only] => {
                format!(
                    "{}: {} gives {}",
                    self.plan.measure,
                    only.name,
                    self.plan.quantity.words(only.value)
                )
            }
            rows => {
                let (first, last) = (&rows[0], &rows[rows.len() - 1]);
                format!(
                    "{}: {} is the best with {}, {} has 1 part in {}",
                    self.plan.measure,
                    first.name,
                    self.plan.quantity.words(first.value),
                    last.name,
                    ratio_word(self.ratio(last))
                )
            }
        }
    }

    fn caption(&self) -> String {
        let single = self
            .rows
            .iter()
            .filter(|row| row.runs <= 1 && row.low.is_none())
            .count();
        let single = match single {
            0 => String::new(),
            n => format!(
                " {n} of {} rest on one run each and have no interval: hollow.",
                self.rows.len()
            ),
        };
        let left_out = self.rows.len().saturating_sub(self.shown().len());
        let left_out = if left_out > 0 {
            format!(" {left_out} in the middle are in the table only.")
        } else {
            String::new()
        };
        format!(
            "Dots with 95 % intervals where there are any; overlapping ones share a rank.{single}{left_out}"
        )
    }

    fn description(&self) -> String {
        let ratios: Vec<String> = self
            .rows
            .iter()
            .map(|row| ratio_word(self.ratio(row)))
            .collect();
        let best = self.rows.first().map_or("", |row| row.name.as_str());
        format!(
            "{} devices, {best} first; ratios to it {}.",
            self.rows.len(),
            ratios.join(" : ")
        )
    }

    fn table(&self) -> FigureTable {
        let mut table = FigureTable::new(&[
            "rank",
            "device",
            &self.plan.measure,
            "interval",
            "to the best",
            "runs",
            "source",
            "caveat",
        ]);
        for (row, rank) in self.rows.iter().zip(&self.ranks) {
            let interval = match (row.low, row.high) {
                (Some(low), Some(high)) => {
                    format!(
                        "{} to {}",
                        self.plan.quantity.words(low),
                        self.plan.quantity.words(high)
                    )
                }
                _ => "–".into(),
            };
            table.row([
                rank.to_string(),
                row.name.clone(),
                self.plan.quantity.words(row.value),
                interval,
                format!("1 : {}", ratio_word(self.ratio(row))),
                row.runs.to_string(),
                row.source.clone(),
                row.caveat.clone(),
            ]);
        }
        table.first("devices")
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let shown = self.shown();
        let room = if size.is_narrow() { 88.0 } else { 190.0 };
        let (x, y) = (self.values(), self.names(&shown, size));
        let mut frame = Frame::new(id, size, &x, &y, room, 0.0);
        for (place, index) in shown.iter().enumerate() {
            let y = frame.y.at(shown.len() as f64 - place as f64 - 0.5);
            self.draw_row(&self.rows[*index], y, size, &mut frame);
        }
        frame.finish(&self.description())
    }

    fn values(&self) -> Axis {
        let values = || {
            self.rows
                .iter()
                .flat_map(|row| [Some(row.value), row.low, row.high])
                .flatten()
                .filter(|v| *v > 0.0)
        };
        let (least, most) = (
            values().fold(f64::INFINITY, f64::min),
            values().fold(0.0, f64::max),
        );
        let (quantity, name) = (self.plan.quantity, self.plan.measure.clone());
        if quantity == Quantity::Ns || most / least > 10.0 {
            Axis::Log {
                quantity,
                least,
                most,
                name,
            }
        } else {
            Axis::Linear {
                quantity,
                most,
                name,
            }
        }
    }

    fn names(&self, shown: &[usize], size: Size) -> Axis {
        let room = if size.is_narrow() { 14 } else { 30 };
        let lines = shown.len() as f64;
        let ticks = shown.iter().enumerate().map(|(place, index)| {
            (
                lines - place as f64 - 0.5,
                shortened(&self.rows[*index].name, room),
            )
        });
        Axis::Own {
            reads: "None",
            domain: (0.0, lines),
            is_log: false,
            ticks: ticks.collect(),
            title: String::new(),
        }
    }

    /// A device: its value with the interval, the value in words, and what limits it.
    fn draw_row(&self, row: &RankRow, y: f64, size: Size, frame: &mut Frame) {
        if let (Some(low), Some(high)) = (row.low, row.high) {
            let (low, high) = (frame.x.at(low), frame.x.at(high));
            frame.svg.line("l k1", (low, y), (high, y));
        }
        let class = if row.low.is_some() {
            FigureLook::Read.filled()
        } else {
            FigureLook::Read.hollow()
        };
        let at = (frame.x.at(row.value), y);
        frame.svg.mark(&class, Shape::Circle, at, 4.5);
        let ratio = format!("1 : {}", ratio_word(self.ratio(row)));
        let value = if size.is_narrow() {
            ratio
        } else {
            format!("{}  {ratio}", self.plan.quantity.words(row.value))
        };
        let text_x = frame.plot.2 + 10.0;
        frame
            .svg
            .text("t", (text_x, y + 4.0), Anchor::Start, &value);
        if !row.caveat.is_empty() && !size.is_narrow() {
            let caveat = format!("! {}", row.caveat);
            frame
                .svg
                .text("t3", (text_x, y + 15.0), Anchor::Start, &caveat);
        }
    }
}

fn ratio_word(ratio: f64) -> String {
    match ratio {
        r if r < 9.95 => units::decimals(r, 1).trim_end_matches(".0").to_string(),
        r => units::whole(r),
    }
}

/// A long name cut in the middle: its ends tell more.
pub fn shortened(name: &str, most: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= most {
        return name.into();
    }
    let half = (most - 1) / 2;
    let head: String = characters[..most - 1 - half].iter().collect();
    let tail: String = characters[characters.len() - half..].iter().collect();
    format!("{head}…{tail}")
}
