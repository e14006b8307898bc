//! When is it slow: a heat map of latency over time, or the mean of each direction where nothing is traced.

use crate::tui::curves;
use crate::tui::heat::{self, Asked, HeatMap};
use crate::tui::spans;
use crate::tui::{Panel, ScreenLook, text};
use model::layers::{DeviceLayers, LayerSide, Span};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns left of the map.
const LABEL: u16 = 8;
/// Columns right of the bars of means.
const SCALE_WIDTH: u16 = 14;
/// The least that a map is of use with.
const MAP_WIDTH_MIN: u16 = 24;
const ROWS_MAX: u16 = 26;
/// Means: a title, a row for each direction, the axis, and three lines of why there is no map.
const MEANS_ROWS: u16 = 7;

/// Latency over time.
pub static PANEL: Panel = Panel {
    key: '2',
    name: "lat",
    rows,
    draw,
};

fn rows(look: &ScreenLook<'_>, _width: u16) -> (u16, u16) {
    // Means need a line each; a map is better the higher it is.
    if device(look).is_some() {
        (1, ROWS_MAX)
    } else {
        (1, MEANS_ROWS)
    }
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    match device(look) {
        Some(device) => draw_traced(look, &device, area, buffer),
        None => draw_means(look, area, buffer),
    }
}

/// The chosen device's layers over the time that is shown; none where it was not traced in it.
fn device(look: &ScreenLook<'_>) -> Option<DeviceLayers> {
    let (from_ns, to_ns) = spans::window(look);
    look.layers.over(look.device, from_ns, to_ns)
}

fn draw_traced(look: &ScreenLook<'_>, device: &DeviceLayers, area: Rect, buffer: &mut Buffer) {
    let side = spans::side(look.choice.side, device);
    title(look, device, side, area, buffer);
    let (above, below) = (1, 1);
    if area.height < above + below + 1 || area.width < LABEL + MAP_WIDTH_MIN {
        return;
    }
    let plot = Rect {
        x: area.x + LABEL,
        y: area.y + above,
        width: area.width - LABEL,
        height: area.height - above - below,
    };
    let map = device.whole(side).and_then(|(span, _)| {
        let asked = asked(look, side, span, plot);
        heat::map(look.layers, &asked)
    });
    let Some(map) = map else {
        let nothing = format!("no {} in this time", noun(side));
        text::left(buffer, area, 0, above, &nothing, look.theme.faint());
        return;
    };
    labels(look, &map, area, buffer);
    cells(look, &map, plot, buffer);
    hatch(look, &map, plot, buffer);
    axis(look, &scale(look, map.top), area, area.height - 1, buffer);
}

fn asked<'a>(look: &ScreenLook<'a>, side: LayerSide, span: Span, plot: Rect) -> Asked<'a> {
    let (from_ns, to_ns) = spans::window(look);
    let in_a_row = if heat::is_halved(look.theme) { 2 } else { 1 };
    Asked {
        device: look.device,
        side,
        span,
        from_ns,
        to_ns,
        columns: usize::from(plot.width),
        rows: usize::from(plot.height) * in_a_row,
        by_time: look.choice.heat_by_time,
    }
}

fn noun(side: LayerSide) -> &'static str {
    match side {
        LayerSide::Read => "reads",
        LayerSide::Write => "writes",
        LayerSide::Discard => "discards",
        LayerSide::Flush => "flushes",
    }
}

fn title(
    look: &ScreenLook<'_>,
    device: &DeviceLayers,
    side: LayerSide,
    area: Rect,
    buffer: &mut Buffer,
) {
    let (span, figures) = match device.whole(side) {
        Some((span, times)) => {
            let tail = spans::tail(times.total());
            let word = |ns: Option<f64>| ns.map_or("–".into(), units::duration_ns);
            let p50 = times.quantile_ns(0.5).map(|ns| ns as f64);
            let p50 = format!("p50 {}   {} {}", word(p50), tail.name, word(tail.of(times)));
            (
                span.name(),
                format!("{p50}   n {}", units::count(times.total() as f64)),
            )
        }
        None => ("", "n 0".into()),
    };
    let what = match look.choice.heat_by_time {
        true => "count [time]",
        false => "[count] time",
    };
    let room = usize::from(area.width).saturating_sub(text::width(&figures) + 2);
    let name = text::cut(look.device, 20);
    let long = format!(" {name} {} {span}  {what}", side.name());
    let short = format!(" {name} {}", side.name());
    let fits = |words: &String| 7 + text::width(words) <= room;
    let words = [long, short].into_iter().find(fits).unwrap_or_default();
    let end = text::left(buffer, area, 0, 0, "LATENCY", look.theme.strong());
    let end = text::left(buffer, area, end, 0, &words, Style::new());
    if usize::from(end) + 1 + text::width(&figures) <= usize::from(area.width) {
        text::right(buffer, area, 0, &figures, look.theme.strong());
    } else {
        text::left(buffer, area, end + 1, 0, &figures, look.theme.strong());
    }
}

/// The lower edge of the rows, of every second one where there are many.
fn labels(look: &ScreenLook<'_>, map: &HeatMap, area: Rect, buffer: &mut Buffer) {
    let halved = if heat::is_halved(look.theme) { 2 } else { 1 };
    let every = if area.height > 10 { 2 } else { 1 };
    for row in 0..area.height - 2 {
        let y = area.height - 2 - row;
        let edge = map
            .edges_ns
            .get(usize::from(row) * halved)
            .filter(|_| row % every == 0);
        let label = edge.map_or(String::new(), |ns| units::duration_ns(*ns as f64));
        text::left(
            buffer,
            area,
            0,
            y,
            &format!("{label:>7}│"),
            look.theme.faint(),
        );
    }
}

fn cells(look: &ScreenLook<'_>, map: &HeatMap, plot: Rect, buffer: &mut Buffer) {
    let level = |column: &[f64], row: usize| {
        column
            .get(row)
            .map_or(0, |value| heat::level(*value, map.top))
    };
    let halved = heat::is_halved(look.theme);
    for (x, column) in (plot.left()..plot.right()).zip(&map.columns) {
        let Some(column) = column else { continue };
        for row in 0..plot.height {
            let place = usize::from(row);
            let (letter, style) = match halved {
                true => heat::halves(
                    level(column, 2 * place + 1),
                    level(column, 2 * place),
                    look.theme,
                ),
                false => (heat::shade(level(column, place)), Style::new()),
            };
            buffer[(x, plot.bottom() - 1 - row)]
                .set_char(letter)
                .set_style(style);
        }
    }
}

/// Columns of which nothing is known, with the reason where it fits.
fn hatch(look: &ScreenLook<'_>, map: &HeatMap, plot: Rect, buffer: &mut Buffer) {
    let letter = if look.theme.is_ascii { '/' } else { '╱' };
    for (x, _) in (plot.left()..plot.right())
        .zip(&map.columns)
        .filter(|(_, column)| column.is_none())
    {
        // Every third diagonal: a surface that is seen as one and does not weigh more than the data.
        for y in (plot.top()..plot.bottom()).filter(|y| (x + y) % 3 == 0) {
            buffer[(x, y)]
                .set_char(letter)
                .set_style(look.theme.faint());
        }
    }
    let (reason, y) = (" not traced yet ", plot.height / 2);
    let unknown = map
        .columns
        .iter()
        .take_while(|column| column.is_none())
        .count();
    if unknown >= reason.len() + 2 {
        let x = (unknown - reason.len()) / 2;
        text::left(buffer, plot, x as u16, y, reason, look.theme.faint());
    }
}

/// What the brightest cells stand for.
fn scale(look: &ScreenLook<'_>, top: f64) -> String {
    let sign = if heat::is_halved(look.theme) {
        "brightest".to_string()
    } else {
        heat::shade(heat::LEVELS).into()
    };
    match look.choice.heat_by_time {
        true => format!(
            "{sign} = {} waited per s and octave",
            units::duration_ns(top * 1e9)
        ),
        false => format!("{sign} = {} I/Os per s and octave", units::rate(top)),
    }
}

fn axis(look: &ScreenLook<'_>, scale: &str, area: Rect, y: u16, buffer: &mut Buffer) {
    let width = usize::from(area.width - LABEL);
    let line = format!("└{}┘", "─".repeat(width.saturating_sub(1)));
    text::left(buffer, area, LABEL - 1, y, &line, look.theme.faint());
    text::left(
        buffer,
        area,
        LABEL,
        y,
        &curves::span_word(look),
        look.theme.faint(),
    );
    let end = curves::end_word(look);
    let x = (usize::from(area.width) - 1).saturating_sub(text::width(&end));
    text::left(buffer, area, x as u16, y, &end, look.theme.faint());
    let taken = text::width(&curves::span_word(look)) + text::width(&end) + 6;
    if !scale.is_empty() && width > taken + text::width(scale) {
        let x = usize::from(LABEL) + (width - text::width(scale)) / 2;
        text::left(
            buffer,
            area,
            x as u16,
            y,
            &format!(" {scale} "),
            look.theme.faint(),
        );
    }
}

/// Without layers: the mean of each direction, by the kernel's own statistics.
fn draw_means(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let sides = [
        ("read", "disk.await_read_ms"),
        ("write", "disk.await_write_ms"),
    ];
    let mean = |id: &str| match look.frame.get(id, look.device) {
        Some(ms) => units::duration_ns(ms * 1e6),
        None => "–".into(),
    };
    let end = text::left(buffer, area, 0, 0, "LATENCY", look.theme.strong());
    let name = text::cut(look.device, 20);
    let words = match look.device {
        "" => " no device is chosen".to_string(),
        _ => format!(
            " {name} mean (await)  read {}  write {}",
            mean(sides[0].1),
            mean(sides[1].1)
        ),
    };
    text::left(buffer, area, end, 0, &words, Style::new());
    if look.device.is_empty() {
        return;
    }
    let styles = [look.theme.read(), look.theme.write()];
    let has_bars = area.height >= 5 && area.width >= 48;
    let mut row = 1;
    if has_bars {
        for ((side, id), style) in sides.into_iter().zip(styles) {
            means_row(look, side, id, style, area, row, buffer);
            row += 1;
        }
        let plot = Rect {
            width: area.width - SCALE_WIDTH,
            ..area
        };
        axis(look, "", plot, row, buffer);
        row += 1;
    }
    for line in text::wrap(&why_not(look), usize::from(area.width)) {
        text::left(buffer, area, 0, row, &line, look.theme.faint());
        row += 1;
    }
}

/// `write ▁▂▅▇ 0 … 12.4 ms`: the scale is the row's own, so it is said.
fn means_row(
    look: &ScreenLook<'_>,
    side: &str,
    id: &str,
    style: Style,
    area: Rect,
    row: u16,
    buffer: &mut Buffer,
) {
    let columns = usize::from(area.width.saturating_sub(LABEL + SCALE_WIDTH));
    let values = curves::curve(look, id, look.device, columns);
    let top = values.iter().flatten().copied().fold(f64::NAN, f64::max);
    text::left(
        buffer,
        area,
        0,
        row,
        &format!("{side:<7}"),
        look.theme.faint(),
    );
    text::left(buffer, area, LABEL, row, &text::bars(&values), style);
    let scale = match top.is_nan() {
        true if look.frame.get("disk.reads_per_s", look.device).is_none() => "no data".to_string(),
        true => "no I/O".to_string(),
        false => format!("top {}", units::duration_ns(top * 1e6)),
    };
    text::right(buffer, area, row, &scale, look.theme.faint());
}

fn why_not(look: &ScreenLook<'_>) -> String {
    let advice = "`iodyno explain layers` says what this machine can trace";
    if let Some(reason) = look.layers.no_data() {
        return format!("No heat map, since nothing is traced: {reason}; {advice}.");
    }
    let traced: Vec<String> = look
        .layers
        .steps(i64::MIN, look.at_ns)
        .last()
        .map_or(Vec::new(), |step| step.devices().map(text::clean).collect());
    if traced.is_empty() {
        return "No heat map yet: tracing has begun, the first second is being counted.".into();
    }
    let shown = traced
        .iter()
        .take(4)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    let more = if traced.len() > 4 {
        format!(" and {} more", traced.len() - 4)
    } else {
        String::new()
    };
    format!(
        "No heat map: in this time {} was not traced, but {shown}{more}.",
        text::cut(look.device, 20)
    )
}

#[cfg(test)]
mod tests;
