//! Time by layer under the arms of an experiment: what moved, and what stayed.

use super::layers::ROW;
use super::{Look, id_part};
use crate::figure::{Figure, Table};
use crate::frame::{Axis, Frame, Size, both};
use crate::scale::Quantity;
use crate::svg::{Anchor, Shape};
use model::layers::ArmSpan;
use model::record::Trial;
use model::units;

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
    let pair = |arm: &str, like: &ArmSpan| {
        trial.layers.iter().find(|one| {
            one.arm == arm
                && one.device == like.device
                && one.side == like.side
                && one.span == like.span
        })
    };
    let mut keys: Vec<&ArmSpan> = Vec::new();
    for span in &trial.layers {
        let is_new = !keys
            .iter()
            .any(|key| key.device == span.device && key.side == span.side && key.span == span.span);
        if is_new && (span.arm == *found || span.arm == other) {
            keys.push(span);
        }
    }
    keys.sort_by(|one, two| {
        (&one.device, one.side, one.span).cmp(&(&two.device, two.side, two.span))
    });
    if keys.is_empty() {
        return None;
    }
    let rows: Vec<Arms> = keys
        .iter()
        .map(|key| Arms {
            key,
            a: pair(found, key),
            b: pair(&other, key),
        })
        .collect();
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
    let moved = trial
        .moved
        .as_ref()
        .and_then(|moved| moved.moved().next().map(|change| change.name.clone()));
    let traced = trial
        .moved
        .as_ref()
        .and_then(|moved| moved.traced.clone())
        .unwrap_or_default();
    Some(Figure {
        id,
        title: match moved {
            Some(name) => format!(
                "{}: what moved is {name}, {found} against {other}",
                trial.knob
            ),
            None => format!("{}: time by layer, {found} against {other}", trial.knob),
        },
        caption: format!(
            "Mean of each layer under A {found} (hollow) and {other} (filled), over traced windows{}. Means of layers add up \
             to Q2C.",
            if traced.is_empty() {
                String::new()
            } else {
                format!(" by {traced}")
            }
        ),
        description: rows.iter().map(Arms::words).collect::<Vec<_>>().join("; ") + ".",
        svg,
        narrow,
        table: arms_table(&rows, found, &other),
        absent: None,
        readings: None,
    })
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

fn arms_table(rows: &[Arms<'_>], found: &str, other: &str) -> Table {
    let mut table = Table::new(&[
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

fn draw_arms(rows: &[Arms<'_>], size: Size, id: &str) -> String {
    let means = || {
        rows.iter()
            .flat_map(|row| [row.a, row.b])
            .flatten()
            .map(|arm| arm.mean_ns.max(1.0))
    };
    let (least, most) = (
        means().fold(f64::INFINITY, f64::min),
        means().fold(10.0, f64::max),
    );
    let x = Axis::Log {
        quantity: Quantity::Ns,
        least,
        most,
        name: "mean time".into(),
    };
    let lines = rows.len() as f64;
    let ticks = rows.iter().enumerate().map(|(index, row)| {
        let name = if size.is_narrow() {
            row.key.span.name().to_string()
        } else {
            row.name()
        };
        (lines - index as f64 - 0.5, name)
    });
    let y = Axis::Own {
        reads: "None",
        domain: (0.0, lines),
        is_log: false,
        ticks: ticks.collect(),
        title: String::new(),
    };
    let mut frame = Frame::new(
        id,
        size,
        &x,
        &y,
        if size.is_narrow() { 40.0 } else { 170.0 },
        0.0,
    );
    let right = frame.plot.2;
    for (index, row) in rows.iter().enumerate() {
        let y = frame.y.at(lines - index as f64 - 0.5);
        let at =
            |frame: &Frame, arm: Option<&ArmSpan>| arm.map(|arm| frame.x.at(arm.mean_ns.max(1.0)));
        let (a, b) = (at(&frame, row.a), at(&frame, row.b));
        if let (Some(a), Some(b)) = (a, b) {
            frame.svg.line("link", (a, y), (b, y));
        }
        if let Some(a) = a {
            frame
                .svg
                .mark(&Look::Ink.hollow(), Shape::Circle, (a, y), 4.5);
        }
        if let Some(b) = b {
            frame
                .svg
                .mark(&Look::Read.filled(), Shape::Circle, (b, y), 4.0);
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
    let words: Vec<String> = rows.iter().map(Arms::words).collect();
    frame.finish(&words.join("; "))
}
