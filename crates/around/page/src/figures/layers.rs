//! Where an I/O spends its time in the block layer: one row a layer, in the order of its life; and its mean as a whole.

use super::{FigureLook, layer_arms};
use crate::figure::{Figure, FigureTable};
use crate::frame::{Axis, Frame, NARROW, Size, both};
use crate::svg::{Anchor, Picture, Shape, Svg};
use model::histogram::edge_of;
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span};
use model::record::Record;
use model::units;
use view::scale::Quantity;

/// Height of a row.
pub const ROW: f64 = 22.0;
/// Things with their heights on the axis.
type Placed<T> = Vec<(f64, T)>;

/// Layers of a run or a watch, and of the arms of each experiment.
pub fn figures(record: &Record) -> Vec<Figure> {
    let own = record.layers().and_then(of_layers);
    let absent = || {
        let log = record.sensors.iter().find(|log| log.sensor == "layers")?;
        let why = log.no_data.as_ref().filter(|_| record.layers().is_none())?;
        let is_silent = record.trials().iter().any(|trial| !trial.layers.is_empty());
        (!is_silent).then(|| {
            Figure::absent(
                "layers",
                "Time by layer",
                format!("Not traced: {}.", why.trim_end_matches('.')),
            )
        })
    };
    let several = record
        .trials()
        .iter()
        .filter(|trial| !trial.layers.is_empty())
        .count()
        > 1;
    let trials = record
        .trials()
        .iter()
        .filter_map(|trial| layer_arms::figure(trial, several));
    own.or_else(absent).into_iter().chain(trials).collect()
}

/// One row: a span of a device in a direction.
struct LayerRow {
    device: String,
    side: LayerSide,
    span: Span,
    ios: u64,
    mean_ns: f64,
    p50_ns: f64,
    /// None where fewer than ten I/Os are slower.
    p99_ns: Option<f64>,
    most_ns: Option<f64>,
}

impl LayerRow {
    fn p99(&self) -> String {
        self.p99_ns.map_or("too few".into(), units::duration_ns)
    }
}

fn rows(layers: &LayerTimes) -> Vec<LayerRow> {
    let of_device = |device: &DeviceLayers| {
        let mut spans: Vec<_> = device
            .spans
            .iter()
            .filter(|one| one.times.total() > 0)
            .collect();
        spans.sort_by_key(|one| (one.side, one.span));
        let row = |one: &&model::layers::SpanTimes| {
            let most = one
                .times
                .counts()
                .iter()
                .rposition(|count| *count > 0)
                .map(|bucket| edge_of(bucket + 1) as f64);
            Some(LayerRow {
                device: device.device.clone(),
                side: one.side,
                span: one.span,
                ios: one.times.total(),
                mean_ns: one.times.mean_ns()?,
                p50_ns: one.times.quantile_ns(0.5)? as f64,
                p99_ns: one
                    .times
                    .quantile_ns(0.99)
                    .filter(|_| one.times.total() >= 1_000)
                    .map(|ns| ns as f64),
                most_ns: most,
            })
        };
        spans.iter().filter_map(row).collect::<Vec<_>>()
    };
    layers.devices.iter().flat_map(of_device).collect()
}

fn look(side: LayerSide) -> FigureLook {
    match side {
        LayerSide::Read => FigureLook::Read,
        LayerSide::Write => FigureLook::Write,
        LayerSide::Discard => FigureLook::Discard,
        LayerSide::Flush => FigureLook::Sync,
    }
}

fn of_layers(layers: &LayerTimes) -> Option<Figure> {
    let rows = rows(layers);
    if rows.is_empty() {
        return Some(Figure::absent(
            "layers",
            "Time by layer",
            "Traced, but no I/O went through the devices of the path.",
        ));
    }
    let chart = Rows { rows, layers };
    let (svg, narrow) = both(chart.height(), |size, id| chart.draw(size, id), "layers");
    Some(Figure {
        id: "layers".into(),
        title: chart.title(),
        caption: chart.caption(),
        description: chart.description(),
        svg,
        narrow,
        table: chart.table(),
        absent: None,
        readings: None,
    })
}

struct Rows<'a> {
    rows: Vec<LayerRow>,
    layers: &'a LayerTimes,
}

impl Rows<'_> {
    /// Device and direction of consecutive rows, with their places.
    fn groups(&self) -> Vec<(String, LayerSide, std::ops::Range<usize>)> {
        let mut groups: Vec<(String, LayerSide, std::ops::Range<usize>)> = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            match groups.last_mut() {
                Some((device, side, range)) if *device == row.device && *side == row.side => {
                    range.end = index + 1
                }
                _ => groups.push((row.device.clone(), row.side, index..index + 1)),
            }
        }
        groups
    }

    fn height(&self) -> f64 {
        (self.rows.len() + self.groups().len()) as f64 * ROW
    }

    /// The layer with the greatest mean on the uppermost device.
    fn greatest(&self) -> Option<&LayerRow> {
        let first = self.rows.first()?;
        let own = self
            .rows
            .iter()
            .filter(|row| row.device == first.device && Span::PARTS.contains(&row.span));
        own.max_by(|one, other| {
            (one.mean_ns * one.ios as f64).total_cmp(&(other.mean_ns * other.ios as f64))
        })
    }

    fn title(&self) -> String {
        match self.greatest() {
            Some(row) => format!(
                "Most of the time on {} is {}: p50 {}, p99 {}",
                row.device,
                row.span.phrase(),
                units::duration_ns(row.p50_ns),
                row.p99()
            ),
            None => "Time by layer".into(),
        }
    }

    fn caption(&self) -> String {
        let lost: Vec<String> = self
            .layers
            .devices
            .iter()
            .flat_map(|device| {
                ["dropped", "unmatched", "unseen", "untimed"]
                    .into_iter()
                    .filter_map(|name| {
                        let count = device.counter(name);
                        (count > 0).then(|| {
                            format!("{name} on {} {}", device.device, units::count(count as f64))
                        })
                    })
            })
            .collect();
        let lost = if lost.is_empty() {
            "no I/O was lost".into()
        } else {
            lost.join(", ")
        };
        let without = self.layers.devices.iter().filter(|device| {
            !device.spans.is_empty() && device.spans.iter().all(|one| one.span != Span::I2D)
        });
        let without: Vec<&str> = without.map(|device| device.device.as_str()).collect();
        let absent = match without.is_empty() {
            true => String::new(),
            false => format!(
                " {} has no scheduler between request and driver, so G2I and I2D are absent, not zero.",
                without.join(", ")
            ),
        };
        format!(
            "Bars from p50 to p99 with the slowest as a hollow mark, by {}; {lost}. Percentiles of layers do not add up; the \
             strips below share out the means.{absent}",
            self.layers.source
        )
    }

    fn description(&self) -> String {
        let row = |row: &LayerRow| {
            format!(
                "{} {} {}: p50 {}, p99 {}",
                row.device,
                row.side.name(),
                row.span.name(),
                units::duration_ns(row.p50_ns),
                row.p99()
            )
        };
        self.rows
            .iter()
            .take(6)
            .map(row)
            .collect::<Vec<_>>()
            .join("; ")
            + "."
    }

    fn table(&self) -> FigureTable {
        let mut table = FigureTable::new(&[
            "device",
            "direction",
            "layer",
            "I/Os",
            "mean",
            "p50",
            "p99",
            "slowest ≤",
        ]);
        for row in &self.rows {
            table.row([
                row.device.clone(),
                row.side.name().into(),
                format!("{} {}", row.span.name(), row.span.phrase()),
                row.ios.to_string(),
                units::duration_ns(row.mean_ns),
                units::duration_ns(row.p50_ns),
                row.p99(),
                row.most_ns.map_or("–".into(), units::duration_ns),
            ]);
        }
        for outside in &self.layers.outside {
            table.row([
                "outside".into(),
                outside.side.name().into(),
                "system call, file system, wake-up".into(),
                outside.ios.to_string(),
                units::duration_ns(outside.mean_ns),
                "–".into(),
                "–".into(),
                "–".into(),
            ]);
        }
        table.first("layers")
    }

    fn draw(&self, size: Size, id: &str) -> Picture {
        let (heads, lines) = self.lines();
        let count = (heads.len() + lines.len()) as f64;
        let y = Axis::Own {
            reads: "None",
            domain: (0.0, count),
            is_log: false,
            ticks: lines
                .iter()
                .map(|(at, row)| (*at, row.span.name().to_string()))
                .collect(),
            title: String::new(),
        };
        let room = if size.is_narrow() { 66.0 } else { 210.0 };
        let mut frame = Frame::new(id, size, &self.times(), &y, room, 0.0);
        let (left, _, right, _) = frame.plot;
        for (at, head) in heads {
            let y = frame.y.at(at);
            frame
                .svg
                .text("t strong", (left, y + 5.0), Anchor::Start, &head);
        }
        for (at, row) in lines {
            draw_row(row, frame.y.at(at), size, &mut frame);
        }
        let top = frame.extend(self.strips_height());
        self.strips(&mut frame.svg, size, (left, right), top);
        frame.finish(&self.description())
    }

    fn times(&self) -> Axis {
        let p50s = self.rows.iter().map(|row| row.p50_ns.max(1.0));
        let slowest = self.rows.iter().filter_map(|row| row.most_ns);
        Axis::Log {
            quantity: Quantity::Ns,
            least: p50s.fold(f64::INFINITY, f64::min),
            most: slowest.fold(10.0, f64::max),
            name: "time".into(),
        }
    }

    /// The heads of devices and directions, and the rows below each, with their heights on the axis.
    fn lines(&self) -> (Placed<String>, Placed<&LayerRow>) {
        let groups = self.groups();
        let mut at = (self.rows.len() + groups.len()) as f64 - 0.5;
        let (mut heads, mut lines) = (Vec::new(), Vec::new());
        for (device, side, range) in groups {
            heads.push((at, format!("{device} {}", side.name())));
            at -= 1.0;
            for row in &self.rows[range] {
                lines.push((at, row));
                at -= 1.0;
            }
        }
        (heads, lines)
    }

    fn with_whole(&self) -> Vec<(String, LayerSide, Vec<&LayerRow>)> {
        let whole = |range: &std::ops::Range<usize>| {
            self.rows[range.clone()]
                .iter()
                .any(|row| row.span == Span::Q2C)
        };
        let groups = self
            .groups()
            .into_iter()
            .filter(|(_, _, range)| whole(range));
        groups
            .map(|(device, side, range)| (device, side, self.rows[range].iter().collect()))
            .collect()
    }

    fn strips_height(&self) -> f64 {
        self.with_whole().len() as f64 * 34.0
    }

    /// The mean of Q2C shared out, one strip a device and direction; the axis is drawn below them.
    fn strips(&self, svg: &mut Svg, size: Size, (left, right): (f64, f64), top: f64) {
        for (index, (device, side, rows)) in self.with_whole().into_iter().enumerate() {
            let Some(whole) = rows.iter().find(|row| row.span == Span::Q2C) else {
                continue;
            };
            let y = top + 14.0 + index as f64 * 34.0;
            let head = format!(
                "{device} {}: mean Q2C {}",
                side.name(),
                units::duration_ns(whole.mean_ns)
            );
            svg.text("t2", (left, y), Anchor::Start, &head);
            let mut at = left;
            let mut rest = 1.0f64;
            for (shade, part) in Span::PARTS.iter().enumerate() {
                let Some(row) = rows.iter().find(|row| row.span == *part) else {
                    continue;
                };
                // Requests may be fewer than bios: the share is of what one bio waits.
                let share = (row.mean_ns / whole.mean_ns).clamp(0.0, rest);
                rest -= share;
                segment(
                    svg,
                    (at, y + 4.0),
                    share * (right - left),
                    shade,
                    part.name(),
                    share,
                    size,
                );
                at += share * (right - left);
            }
            if rest > 0.005 {
                segment(
                    svg,
                    (at, y + 4.0),
                    rest * (right - left),
                    5,
                    "unmatched",
                    rest,
                    size,
                );
            }
        }
    }
}

pub(super) fn segment(
    svg: &mut Svg,
    (x, y): (f64, f64),
    width: f64,
    shade: usize,
    name: &str,
    share: f64,
    size: Size,
) {
    svg.group(
        "part",
        &format!("{name} {}", units::percent(share * 100.0)),
        |svg| {
            svg.rect(
                &format!("part p{shade}"),
                (x, y),
                ((width - 1.0).max(0.6), 12.0),
            );
        },
    );
    let text = format!("{name} {}", units::percent(share * 100.0));
    let room = if size.width <= NARROW { 5.0 } else { 8.0 };
    if crate::frame::text_width(&text) + room < width {
        svg.text(
            &format!("part-text p{shade}t"),
            (x + 4.0, y + 10.0),
            Anchor::Start,
            &text,
        );
    }
}

/// A bar from the median to p99, with a mark for the slowest.
fn draw_row(row: &LayerRow, y: f64, size: Size, frame: &mut Frame) {
    let (from, to) = (
        frame.x.at(row.p50_ns.max(1.0)),
        frame.x.at(row.p99_ns.unwrap_or(row.p50_ns).max(1.0)),
    );
    let look = look(row.side);
    frame.svg.line(
        &format!("bar {}", look.class()),
        (from, y),
        (to.max(from + 1.5), y),
    );
    frame.svg.mark(&look.filled(), look.shape(), (from, y), 4.0);
    if let Some(most) = row.most_ns {
        frame
            .svg
            .mark(&look.hollow(), Shape::Circle, (frame.x.at(most), y), 3.0);
    }
    let p99 = row.p99();
    let text = match size.is_narrow() {
        true => p99,
        false => {
            let (p50, count) = (units::duration_ns(row.p50_ns), units::count(row.ios as f64));
            format!("{p50} / {p99}  n {count}")
        }
    };
    let right = frame.plot.2;
    frame
        .svg
        .text("t2", (right + 10.0, y + 4.0), Anchor::Start, &text);
}
