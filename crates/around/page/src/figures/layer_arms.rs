//! Time by layer under the arms of an experiment: what moved, and what stayed.

use super::layers::ROW;
use super::{FigureLook, id_part};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, Size, both};
use crate::svg::{Anchor, Picture, Shape};
use model::layers::ArmSpan;
use model::record::Trial;
use model::units;
use view::scale::Quantity;

/// The arms of an experiment as dumbbells: what is set now hollow, the other filled.
pub fn figure(trial: &Trial, several: bool) -> Option<Figure> {
    let found = trial.arms.first()?;
    let compared = trial
        .verdict
        .as_ref()
        .and_then(|verdict| verdict.compared.clone());
    let other = compared.or_else(|| {
        trial
            .layers
            .iter()
            .map(|span| span.arm.clone())
            .find(|arm| arm != found)
    })?;
    let rows = rows(trial, found, &other);
    if rows.is_empty() {
        return None;
    }
    let id = if several {
        format!("layers-{}", id_part(&trial.knob))
    } else {
        "layers".into()
    };
    let (svg, narrow) = both(
        rows.len() as f64 * ROW,
        |size, id| draw_arms(&rows, size, id),
        &id,
    );
    Some(Figure {
        id,
        title: title(trial, found, &other),
        caption: caption(trial, found, &other),
        description: rows.iter().map(Arms::words).collect::<Vec<_>>().join("; ") + ".",
        svg,
        narrow,
        table: arms_table(&rows, found, &other),
        absent: None,
        readings: None,
    })
}

/// Each layer that was seen under one of the two arms.
fn rows<'a>(trial: &'a Trial, found: &str, other: &str) -> Vec<Arms<'a>> {
    let is_same = |one: &ArmSpan, two: &ArmSpan| {
        one.device == two.device && one.side == two.side && one.span == two.span
    };
    let mut keys: Vec<&ArmSpan> = Vec::new();
    for span in &trial.layers {
        let is_new = !keys.iter().any(|key| is_same(key, span));
        if is_new && (span.arm == found || span.arm == other) {
            keys.push(span);
        }
    }
    keys.sort_by(|one, two| {
        (&one.device, one.side, one.span).cmp(&(&two.device, two.side, two.span))
    });
    let under = |arm: &str, key: &ArmSpan| {
        trial
            .layers
            .iter()
            .find(|one| one.arm == arm && is_same(one, key))
    };
    keys.into_iter()
        .map(|key| Arms {
            key,
            a: under(found, key),
            b: under(other, key),
        })
        .collect()
}

fn title(trial: &Trial, found: &str, other: &str) -> String {
    let moved = trial
        .moved
        .as_ref()
        .and_then(|moved| moved.moved().next().map(|change| change.name.clone()));
    match moved {
        Some(name) => format!(
            "{}: what moved is {name}, {found} against {other}",
            trial.knob
        ),
        None => format!("{}: time by layer, {found} against {other}", trial.knob),
    }
}

fn caption(trial: &Trial, found: &str, other: &str) -> String {
    let traced = trial
        .moved
        .as_ref()
        .and_then(|moved| moved.traced.as_deref());
    let by = match traced {
        Some(traced) if !traced.is_empty() => format!(" by {traced}"),
        _ => String::new(),
    };
    format!(
        "Mean of each layer under A {found} (hollow) and {other} (filled), over traced windows{by}. Means of layers add up \
         to Q2C."
    )
}

struct Arms<'a> {
    key: &'a ArmSpan,
    a: Option<&'a ArmSpan>,
    b: Option<&'a ArmSpan>,
}

impl Arms<'_> {
    fn name(&self) -> String {
        format!(
            "{} {} {}",
            self.key.device,
            self.key.side.name(),
            self.key.span.name()
        )
    }

    fn words(&self) -> String {
        let words = |arm: Option<&ArmSpan>| {
            arm.map_or("absent".into(), |arm| units::duration_ns(arm.mean_ns))
        };
        format!("{} {} → {}", self.name(), words(self.a), words(self.b))
    }
}

fn arms_table(rows: &[Arms<'_>], found: &str, other: &str) -> FigureTable {
    let mut table = FigureTable::new(&[
        "layer", found, other, "p50", "p50", "p99", "p99", "I/Os", "I/Os",
    ]);
    table.head[1] = format!("mean, {found}");
    table.head[2] = format!("mean, {other}");
    for row in rows {
        let mut cells = vec![row.name()];
        let both = [row.a, row.b];
        cells.extend(
            both.map(|arm| arm.map_or("absent".into(), |arm| units::duration_ns(arm.mean_ns))),
        );
        cells.extend(
            both.map(|arm| arm.map_or("–".into(), |arm| units::duration_ns(arm.p50_ns as f64))),
        );
        cells.extend(
            both.map(|arm| arm.map_or("–".into(), |arm| units::duration_ns(arm.p99_ns as f64))),
        );
        cells.extend(both.map(|arm| arm.map_or("–".into(), |arm| arm.ios.to_string())));
        table.rows.push(cells);
    }
    table.first("layers")
}

fn draw_arms(rows: &[Arms<'_>], size: Size, id: &str) -> Picture {
    let (x, y) = (mean_times(rows), names(rows, size));
    let mut frame = Frame::new(
        id,
        size,
        &x,
        &y,
        if size.is_narrow() { 40.0 } else { 170.0 },
        0.0,
    );
    for (index, row) in rows.iter().enumerate() {
        let y = frame.y.at(rows.len() as f64 - index as f64 - 0.5);
        draw_row(row, y, size, &mut frame);
    }
    let words: Vec<String> = rows.iter().map(Arms::words).collect();
    frame.finish(&words.join("; "))
}

fn mean_times(rows: &[Arms<'_>]) -> Axis {
    let means = || {
        rows.iter()
            .flat_map(|row| [row.a, row.b])
            .flatten()
            .map(|arm| arm.mean_ns.max(1.0))
    };
    Axis::Log {
        quantity: Quantity::Ns,
        least: means().fold(f64::INFINITY, f64::min),
        most: means().fold(10.0, f64::max),
        name: "mean time".into(),
    }
}

fn names(rows: &[Arms<'_>], size: Size) -> Axis {
    let lines = rows.len() as f64;
    let ticks = rows.iter().enumerate().map(|(index, row)| {
        let name = if size.is_narrow() {
            row.key.span.name().to_string()
        } else {
            row.name()
        };
        (lines - index as f64 - 0.5, name)
    });
    Axis::Own {
        reads: "None",
        domain: (0.0, lines),
        is_log: false,
        ticks: ticks.collect(),
        title: String::new(),
    }
}

fn draw_row(row: &Arms<'_>, y: f64, size: Size, frame: &mut Frame) {
    let right = frame.plot.2;
    let at = |frame: &Frame, arm: Option<&ArmSpan>| arm.map(|arm| frame.x.at(arm.mean_ns.max(1.0)));
    let (a, b) = (at(frame, row.a), at(frame, row.b));
    if let (Some(a), Some(b)) = (a, b) {
        frame.svg.line("link", (a, y), (b, y));
    }
    if let Some(a) = a {
        frame
            .svg
            .mark(&FigureLook::Ink.hollow(), Shape::Circle, (a, y), 4.5);
    }
    if let Some(b) = b {
        frame
            .svg
            .mark(&FigureLook::Read.filled(), Shape::Circle, (b, y), 4.0);
    }
    if !size.is_narrow() {
        let words = |arm: Option<&ArmSpan>| {
            arm.map_or("absent".into(), |arm| units::duration_ns(arm.mean_ns))
        };
        frame.svg.text(
            "t2",
            (right + 10.0, y + 4.0),
            Anchor::Start,
            &format!("{} → {}", words(row.a), words(row.b)),
        );
    }
}
