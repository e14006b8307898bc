//! Where is it slow: the time of each layer that an I/O goes through, as the heat map's direction and time have it.

use crate::tui::{Panel, ScreenLook, spans, text};
use model::histogram::Histogram;
use model::layers::{DeviceLayers, LayerSide, Span};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use report::layers::notable;
use view::{layer_shares, scale};

mod share;

/// Columns of the figures: p50, the tail, n.
const FIGURES: usize = 29;
const NAME: usize = 5;
const BAR_MIN: usize = 8;
/// Columns of the panel's name and the blank after it.
const HEAD: u16 = 7;

/// Time by layer.
pub static PANEL: Panel = Panel {
    key: '3',
    name: "layer",
    rows,
    draw,
};

fn rows(look: &ScreenLook<'_>, width: u16) -> (u16, u16) {
    match shown(look) {
        Some(shown) => (1, shown.block(usize::from(width)).len() as u16),
        None => (1, lines(&absent(look), width).len() as u16),
    }
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let Some(shown) = shown(look) else {
        text::left(buffer, area, 0, 0, "LAYERS", look.theme.strong());
        let lines = lines(&fitting(&absent(look), area), area.width);
        for (row, line) in (0..area.height).zip(&lines) {
            text::left(buffer, area, HEAD, row, line, look.theme.faint());
        }
        return;
    };
    if area.height < 4 || width < 40 {
        let line = shown.line(width);
        text::left(buffer, area, 0, 0, &line, Style::new());
        text::left(buffer, area, 0, 0, "LAYERS", look.theme.strong());
        for (row, (line, _)) in (1..area.height).zip(shown.shares(width)) {
            text::left(buffer, area, 0, row, &line, look.theme.faint());
        }
        return;
    }
    for (row, (line, is_note)) in (0..area.height).zip(shown.block(width)) {
        let style = if is_note {
            look.theme.faint()
        } else {
            Style::new()
        };
        text::left(buffer, area, 0, row, &line, style);
    }
    text::left(buffer, area, 0, 0, "LAYERS", look.theme.strong());
}

/// Words beside the panel's name, in as many lines as that takes.
fn lines(words: &str, width: u16) -> Vec<String> {
    text::wrap(words, width.saturating_sub(HEAD).max(1).into())
}

/// Words that fit into the rows there are. A reason says first what is needed, in brackets what exactly is missing, and
/// after a semicolon what is left without: that goes first, then the brackets.
fn fitting(words: &str, area: Rect) -> String {
    let first = words.split(';').next().unwrap_or_default();
    let bare = first.split(" (").next().unwrap_or_default();
    let fits = |words: &&str| lines(words, area.width).len() <= usize::from(area.height);
    let room = usize::from(area.width.saturating_sub(HEAD)) * usize::from(area.height);
    let found = [words, first, bare].into_iter().find(fits);
    found.map_or_else(|| fitted(bare, room), str::to_string)
}

/// Words cut at their end, which is said.
fn fitted(words: &str, width: usize) -> String {
    if text::width(words) <= width {
        return words.to_string();
    }
    words
        .chars()
        .take(width.saturating_sub(1))
        .chain(std::iter::once('…'))
        .take(width)
        .collect()
}

fn absent(look: &ScreenLook<'_>) -> String {
    match look.layers.no_data() {
        Some(reason) => format!("absent: {reason}"),
        None if look.layers.first_ns().is_none() => "the first second is being counted".into(),
        None if look.device.is_empty() => {
            "absent: no device is shown whose layers these could be".into()
        }
        None => format!(
            "absent: {} was not traced in this time",
            text::cut(look.device, 20)
        ),
    }
}

/// One device's layers in one direction.
struct Shown {
    device: DeviceLayers,
    side: LayerSide,
    source: String,
    span_ms: u64,
    is_ascii: bool,
}

fn shown(look: &ScreenLook<'_>) -> Option<Shown> {
    let (from_ns, to_ns) = spans::window(look);
    let device = look.layers.over(look.device, from_ns, to_ns)?;
    let side = spans::side(look.choice.side, &device);
    let span_ms = (look.span_ns / 1_000_000).max(0) as u64;
    let source = look.layers.source().to_string();
    Some(Shown {
        device,
        side,
        source,
        span_ms,
        is_ascii: look.theme.is_ascii,
    })
}

impl Shown {
    fn times(&self, span: Span) -> Option<&Histogram> {
        self.device.times(self.side, span)
    }

    /// The layers that this way does not have, and why: never a zero.
    fn absent(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let has = |span: Span| self.times(span).is_some();
        match self.device.whole(self.side) {
            None => None,
            Some((Span::G2C, _)) if !has(Span::D2C) => Some((
                "Q2G",
                "Q2G to D2C",
                "lite has no time of issue here, full sees all",
            )),
            Some((Span::G2C, _)) => Some((
                "Q2G",
                "Q2G G2I I2D",
                "lite sees requests only, full sees all",
            )),
            _ if !Span::PARTS.into_iter().any(has) => {
                Some(("Q2G", "Q2G to D2C", "bio-based: it has no requests"))
            }
            _ if has(Span::G2D) && !has(Span::I2D) => {
                Some(("G2I", "G2I I2D", "scheduler none has no insert"))
            }
            _ => None,
        }
    }

    fn tail(&self) -> spans::Tail {
        spans::tail(
            self.device
                .whole(self.side)
                .map_or(0, |(_, times)| times.total()),
        )
    }

    /// Everything in one line, as exactly as it fits.
    fn line(&self, width: usize) -> String {
        let Some((whole, _)) = self.device.whole(self.side) else {
            return fitted(
                &format!("LAYERS  no {} in this time", self.side.name()),
                width,
            );
        };
        let (side, tail) = (self.side.name(), self.tail().name);
        let name = text::cut(&self.device.device, 16);
        let both = format!("p50/{tail}");
        let ways = [
            (format!("LAYERS {name} {side} {both}  "), 3, "  "),
            (format!("LAYERS {side} {both}  "), 3, "  "),
            (format!("LAYERS {side} {both}  "), 2, "  "),
            (format!("LAYERS {both}  "), 2, "  "),
            (format!("LAYERS {both} "), 2, " "),
        ];
        let mut lines = ways.into_iter().map(|(head, digits, between)| {
            let entries = self.entries(whole, |p50, tail| pair(p50, tail, digits));
            head + &entries.join(between)
        });
        lines
            .find(|line| text::width(line) <= width)
            .unwrap_or_else(|| {
                let entries = self.entries(whole, |p50, _| units::duration_ns(p50));
                fitted(&format!("LAYERS p50  {}", entries.join("  ")), width)
            })
    }

    /// Each layer with its median and tail as some function words them.
    fn entries(&self, whole: Span, word: impl Fn(f64, f64) -> String) -> Vec<String> {
        let absent = self.absent();
        let entry = |span: Span| match (self.times(span), absent) {
            (Some(times), _) => {
                let p50 = times.quantile_ns(0.5)? as f64;
                Some(format!(
                    "{} {}",
                    span.name(),
                    word(p50, self.tail().of(times)?)
                ))
            }
            (None, Some((first, names, _))) if first == span.name() => {
                Some(format!("{names} absent"))
            }
            _ => None,
        };
        // The whole only where there is nothing that makes it up.
        let is_alone = !Span::PARTS[..4]
            .iter()
            .any(|span| self.times(*span).is_some());
        let spans = Span::PARTS
            .into_iter()
            .chain(is_alone.then_some(whole).filter(|span| *span != Span::D2C));
        spans.filter_map(entry).collect()
    }

    /// One row for each layer, the whole, the axis, and the shares of the mean; whether a line is a note.
    fn block(&self, width: usize) -> Vec<(String, bool)> {
        let Some((whole, _)) = self.device.whole(self.side) else {
            return vec![(self.line(width), false)];
        };
        let present: Vec<Span> = Span::PARTS
            .into_iter()
            .filter(|span| self.times(*span).is_some())
            .collect();
        let mut drawn = present.clone();
        drawn.extend((!present.contains(&whole)).then_some(whole));
        let bar = width.saturating_sub(NAME + FIGURES + 1);
        let scale = LayersScale::of(drawn.iter().filter_map(|span| self.times(*span)), bar);
        let mut lines = vec![(self.head(width), false)];
        for span in Span::PARTS
            .into_iter()
            .chain((!present.contains(&whole)).then_some(whole))
        {
            if let Some(times) = self.times(span) {
                lines.push((self.row(span, times, &scale), false));
            } else if let Some((_, names, why)) =
                self.absent().filter(|absent| absent.0 == span.name())
            {
                lines.push((fitted(&format!("{names}  absent: {why}"), width), true));
            }
        }
        lines.extend(scale.axis().map(|axis| (axis, true)));
        lines.extend(self.shares(width));
        lines.extend(notable(&self.device).map(|words| (fitted(&words, width), true)));
        lines
    }

    /// The shares of the mean, as a strip and as words.
    fn shares(&self, width: usize) -> Vec<(String, bool)> {
        let Some((whole, all)) = self.device.whole(self.side) else {
            return Vec::new();
        };
        let parts = Span::PARTS
            .into_iter()
            .filter_map(|span| Some((span.name(), self.times(span)?)));
        let Some(shares) = layer_shares::shares(parts, whole, all) else {
            return Vec::new();
        };
        let strip = share::strip(&shares, width, self.is_ascii);
        let words = format!("{}; only means add up", layer_shares::words(&shares, whole));
        vec![(strip, false), (fitted(&words, width), true)]
    }

    fn head(&self, width: usize) -> String {
        let name = text::cut(&self.device.device, 16);
        let long = format!(
            "LAYERS {name} {}, {}, {}",
            self.side.name(),
            units::span_ms(self.span_ms),
            self.source
        );
        let short = format!("LAYERS {name} {}", self.side.name());
        let figures = format!("{:>9}{:>10}{:>9}", "p50", self.tail().name, "n");
        let room = width.saturating_sub(FIGURES);
        let words = [long, short]
            .into_iter()
            .find(|words| text::width(words) < room);
        let words = words.unwrap_or_else(|| "LAYERS".into());
        fitted(&format!("{words:<room$} {figures}"), width)
    }

    fn row(&self, span: Span, times: &Histogram, scale: &LayersScale) -> String {
        let word = |ns: Option<f64>| ns.map_or("–".into(), units::duration_ns);
        let p50 = times.quantile_ns(0.5).map(|ns| ns as f64);
        // Each by as many I/Os as it has: a rarely used layer has no p99 even where the whole has one.
        let is_carried = spans::tail(times.total()) == self.tail();
        let tail = self.tail().of(times).filter(|_| is_carried);
        let bar = scale.bar(times, tail);
        let n = units::count(times.total() as f64);
        format!(
            "{:<NAME$}{bar} {:>9}{:>10}{n:>9}",
            span.name(),
            word(p50),
            word(tail)
        )
    }
}

/// A logarithmic axis of whole decades.
struct LayersScale {
    low: i32,
    high: i32,
    width: usize,
}

impl LayersScale {
    fn of<'a>(all: impl Iterator<Item = &'a Histogram>, width: usize) -> LayersScale {
        let ends = all.filter_map(|times| {
            Some((
                times.quantile_ns(0.5)?.max(1) as f64,
                spans::longest(times)?,
            ))
        });
        let ends: Vec<(f64, f64)> = ends.collect();
        let low = ends
            .iter()
            .map(|(low, _)| low.log10().floor() as i32)
            .min()
            .unwrap_or(0);
        let high = ends
            .iter()
            .map(|(_, high)| high.log10().ceil() as i32)
            .max()
            .unwrap_or(1);
        LayersScale {
            low,
            high: high.max(low + 1),
            width: if width < BAR_MIN { 0 } else { width },
        }
    }

    fn place(&self, ns: f64) -> usize {
        let last = self.width.max(1) - 1;
        let scale = scale::Scale::log(
            (10f64.powi(self.low), 10f64.powi(self.high)),
            (0.0, last as f64),
        );
        (scale.at(ns.max(1.0)).round().max(0.0) as usize).min(last)
    }

    /// From the median to the tail, with a point for the longest.
    fn bar(&self, times: &Histogram, tail: Option<f64>) -> String {
        let mut bar = vec![' '; self.width];
        if self.width == 0 {
            return String::new();
        }
        let middle = self.place(times.quantile_ns(0.5).unwrap_or(0) as f64);
        if let Some(longest) = spans::longest(times) {
            bar[self.place(longest)] = '·';
        }
        if let Some(tail) = tail {
            let end = self.place(tail);
            bar[middle..=end.max(middle)].fill('─');
            bar[end.max(middle)] = '┤';
        }
        bar[middle] = '●';
        bar.into_iter().collect()
    }

    fn axis(&self) -> Option<String> {
        let (low, high) = (10f64.powi(self.low), 10f64.powi(self.high));
        let word = |ns: f64| units::duration_ns(ns).replace(".00", "").replace(".0", "");
        let (low, high) = (word(low), word(high));
        let note = "● p50  ┤ tail  · max";
        let line = self
            .width
            .checked_sub(text::width(&low) + text::width(&high) + 2)?;
        Some(format!(
            "{:NAME$}{low} {} {high}  {note}",
            "",
            "─".repeat(line)
        ))
    }
}

/// Two times in the unit of the second: `0.11/2.4 ms`.
fn pair(first: f64, second: f64, digits: usize) -> String {
    let (unit, name) = match second.max(first) {
        ns if ns < 1e3 => (1.0, "ns"),
        ns if ns < 1e6 => (1e3, "µs"),
        ns if ns < 1e9 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!(
        "{}/{} {name}",
        digits_of(first / unit, digits),
        digits_of(second / unit, digits)
    )
}

fn digits_of(value: f64, digits: usize) -> String {
    let whole = match value {
        value if value >= 100.0 => 3,
        value if value >= 10.0 => 2,
        value if value >= 1.0 => 1,
        _ => 0,
    };
    let text = units::decimals(value, digits.saturating_sub(whole));
    match value > 0.0 && text.chars().all(|c| c == '0' || c == '.') {
        true => format!("<{}", units::decimals(10f64.powi(-(digits as i32)), digits)),
        false => text,
    }
}

#[cfg(test)]
mod tests;
