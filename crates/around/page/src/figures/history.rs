//! One measure of one device over real time, with the moments at which it changed.

use super::FigureLook;
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both};
use crate::svg::{Anchor, Picture, Shape};
use view::calendar::{day, minute};
use view::scale::Quantity;

/// With fewer records nothing is said about changes.
pub const FEW: usize = 8;
const DAY_MS: f64 = 86_400_000.0;

/// One record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dot {
    /// When, ms since 1970.
    pub unix_ms: i64,
    /// The measure.
    pub value: f64,
    /// Its interval, where the record carries one.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Name of the record: `record 12`.
    pub name: String,
    /// Whether another tool measured it, or one run alone.
    pub is_hollow: bool,
}

/// A lasting change that somebody found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The last record before it, by index.
    pub after: usize,
    /// Effect, ratio minus one, with its interval: `−12 % (−15 to −9)`.
    pub effect: String,
    /// What else changed: kernel, firmware, settings.
    pub beside: String,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryPlan {
    /// Id of the figure.
    pub id: String,
    /// Name of the measure with its filter: `4K random read on nvme0n1 of db-3`.
    pub measure: String,
    /// Its quantity.
    pub quantity: Quantity,
    /// Changes, in the order of time.
    pub turns: Vec<Turn>,
    /// How the changes were looked for: rule, error probability, series searched. Empty where nobody looked.
    pub how: String,
}

/// The history of a measure; dots in the order of time.
pub fn history(plan: &HistoryPlan, dots: &[Dot]) -> Figure {
    if dots.is_empty() {
        return Figure::absent(&plan.id, &plan.measure, "No record has this measure.");
    }
    let (svg, narrow) = both(190.0, |size, id| draw(plan, dots, size, id), &plan.id);
    Figure {
        id: plan.id.clone(),
        title: title(plan, dots),
        caption: caption(plan, dots),
        description: description(plan, dots),
        svg,
        narrow,
        table: table(plan, dots),
        absent: None,
        readings: None,
    }
}

fn title(plan: &HistoryPlan, dots: &[Dot]) -> String {
    match (plan.turns.last(), dots.len()) {
        (Some(turn), _) => {
            let beside = if turn.beside.is_empty() {
                String::new()
            } else {
                format!(", together with {}", turn.beside)
            };
            format!(
                "{}: {} from {}{beside}",
                plan.measure,
                turn.effect,
                minute(dots[(turn.after + 1).min(dots.len() - 1)].unix_ms)
            )
        }
        (None, 1) => format!("{}: one record", plan.measure),
        (None, n) if n < FEW => format!("{}: {n} records, too few to tell changes", plan.measure),
        (None, n) => format!("{}: no lasting change in {n} records", plan.measure),
    }
}

fn caption(plan: &HistoryPlan, dots: &[Dot]) -> String {
    let hollow = dots.iter().filter(|dot| dot.is_hollow).count();
    let hollow = match hollow {
        0 => String::new(),
        n => format!(" Hollow: {n} imported or resting on a single run."),
    };
    let how = if plan.how.is_empty() {
        String::new()
    } else {
        format!(" {}", plan.how)
    };
    format!(
        "One dot a record, with its interval where it has one; time is real, so pauses are pauses.{hollow}{how}"
    )
}

fn description(plan: &HistoryPlan, dots: &[Dot]) -> String {
    let (least, most) = dots
        .iter()
        .fold((f64::INFINITY, 0.0f64), |(least, most), dot| {
            (least.min(dot.value), most.max(dot.value))
        });
    format!(
        "{} records from {} to {}, between {} and {}; {} changes marked.",
        dots.len(),
        minute(dots[0].unix_ms),
        minute(dots[dots.len() - 1].unix_ms),
        plan.quantity.words(least),
        plan.quantity.words(most),
        plan.turns.len()
    )
}

fn table(plan: &HistoryPlan, dots: &[Dot]) -> FigureTable {
    let mut table = FigureTable::new(&["when", "record", &plan.measure, "interval"]);
    for dot in dots {
        let interval = match (dot.low, dot.high) {
            (Some(low), Some(high)) => {
                format!(
                    "{} to {}",
                    plan.quantity.words(low),
                    plan.quantity.words(high)
                )
            }
            _ => "–".into(),
        };
        table.row([
            minute(dot.unix_ms),
            dot.name.clone(),
            plan.quantity.words(dot.value),
            interval,
        ]);
    }
    table.cut("records")
}

fn draw(plan: &HistoryPlan, dots: &[Dot], size: Size, id: &str) -> Picture {
    let (x, y) = (dates(dots, size), values(plan, dots));
    let mut frame = Frame::new(id, size, &x, &y, 20.0, 0.0);
    segments(plan, dots, &mut frame);
    for dot in dots {
        draw_dot(plan, dot, &mut frame);
    }
    frame.finish(&description(plan, dots))
}

fn dates(dots: &[Dot], size: Size) -> Axis {
    let (first, last) = (dots[0].unix_ms as f64, dots[dots.len() - 1].unix_ms as f64);
    let span = (last - first).max(60_000.0);
    let count = if size.is_narrow() { 3 } else { 7 };
    let ticks = (0..count).map(|index| first + span * f64::from(index) / f64::from(count - 1));
    let word = |ms: f64| {
        if span > 2.0 * DAY_MS {
            day(ms as i64)
        } else {
            minute(ms as i64)[5..].to_string()
        }
    };
    let margin = span * 0.02;
    Axis::Own {
        reads: "None",
        domain: (first - margin, last + margin),
        is_log: false,
        ticks: ticks.map(|ms| (ms, word(ms))).collect(),
        title: "date, UTC".into(),
    }
}

fn values(plan: &HistoryPlan, dots: &[Dot]) -> Axis {
    let ends = || {
        dots.iter()
            .flat_map(|dot| [Some(dot.value), dot.low, dot.high])
            .flatten()
            .filter(|value| *value > 0.0)
    };
    let quantity = plan.quantity;
    let most = ends().fold(0.0, f64::max);
    match quantity {
        Quantity::Ns => Axis::Log {
            quantity,
            least: ends().fold(f64::INFINITY, f64::min),
            most,
            name: "latency".into(),
        },
        _ => Axis::Linear {
            quantity,
            most,
            name: String::new(),
        },
    }
}

/// A record as a dot with its interval.
fn draw_dot(plan: &HistoryPlan, dot: &Dot, frame: &mut Frame) {
    let at = (frame.x.at(dot.unix_ms as f64), frame.y.at(dot.value));
    if let (Some(low), Some(high)) = (dot.low, dot.high) {
        frame.svg.line(
            "l k1 thin",
            (at.0, frame.y.at(low)),
            (at.0, frame.y.at(high)),
        );
    }
    let class = if dot.is_hollow {
        FigureLook::Read.hollow()
    } else {
        FigureLook::Read.filled()
    };
    let name = format!(
        "{} · {} · {}",
        dot.name,
        minute(dot.unix_ms),
        plan.quantity.words(dot.value)
    );
    frame.svg.group("dot-group", &name, |svg| {
        svg.mark(&class, Shape::Circle, at, 3.6)
    });
}

/// The median of each stretch between changes, and the stretch in which the change lies.
fn segments(plan: &HistoryPlan, dots: &[Dot], frame: &mut Frame) {
    let (_, top, _, bottom) = frame.plot;
    let mut begin = 0;
    let ends = plan
        .turns
        .iter()
        .map(|turn| turn.after + 1)
        .chain([dots.len()]);
    for end in ends {
        let end = end.clamp(begin, dots.len());
        let values: Vec<f64> = dots[begin..end].iter().map(|dot| dot.value).collect();
        if !values.is_empty() && !plan.turns.is_empty() {
            let y = frame.y.at(stats::median(&values));
            let (from, to) = (
                frame.x.at(dots[begin].unix_ms as f64),
                frame.x.at(dots[end - 1].unix_ms as f64),
            );
            frame.svg.line("l k0 thin", (from, y), (to, y));
        }
        begin = end;
    }
    for (index, turn) in plan.turns.iter().enumerate() {
        let (Some(before), Some(after)) = (dots.get(turn.after), dots.get(turn.after + 1)) else {
            continue;
        };
        let (from, to) = (
            frame.x.at(before.unix_ms as f64),
            frame.x.at(after.unix_ms as f64),
        );
        frame
            .svg
            .rect("zone", (from, top), ((to - from).max(2.0), bottom - top));
        let y = top + 12.0 + 14.0 * (index % 3) as f64;
        frame.svg.text(
            "t halo",
            ((from + to) / 2.0 + 4.0, y),
            Anchor::Start,
            &turn.effect,
        );
    }
}
