//! Does memory hide the disk: pages that wait to be written, against the kernel's own thresholds.

use crate::tui::{Panel, ScreenLook, curves, text};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

mod forecast;

/// Columns before the gauge.
const NAME: u16 = 7;
const GAUGE_MIN: usize = 12;
/// How far back the forecast looks: so many parts of a second or more.
const PARTS: usize = 10;
/// Eighths of a column.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Dirty pages.
pub static PANEL: Panel = Panel {
    key: '4',
    name: "dirty",
    rows,
    draw,
};

fn rows(look: &ScreenLook<'_>, _width: u16) -> (u16, u16) {
    (1, if Pages::of(look).is_some() { 5 } else { 1 })
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    text::left(buffer, area, 0, 0, "DIRTY", look.theme.strong());
    let Some(pages) = Pages::of(look) else {
        let words = match look
            .status
            .absent
            .iter()
            .find(|(sensor, _)| sensor == "memory")
        {
            Some((_, reason)) => format!("absent: {reason}"),
            None => "–".into(),
        };
        text::left(buffer, area, NAME, 0, &words, look.theme.faint());
        return;
    };
    let forecast = limit_in_s(look, &pages);
    first_line(
        look,
        &pages,
        forecast.filter(|_| area.height == 1),
        area,
        buffer,
    );
    let room = usize::from(area.width.saturating_sub(NAME));
    let says = sentences(look, &pages, forecast)
        .into_iter()
        .find(|words| text::width(words) <= room);
    text::left(
        buffer,
        area,
        NAME,
        1,
        &says.unwrap_or_default(),
        Style::new(),
    );
    let curves = [
        ("dirty", "memory.dirty_bytes", false),
        ("into cache", "vm.dirtied_bytes_per_s", true),
        ("to devices", "vm.written_bytes_per_s", true),
    ];
    for (row, (name, id, is_rate)) in (2..area.height).zip(curves) {
        curve_line(look, name, id, is_rate, area, row, buffer);
    }
}

/// What the kernel counts, bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pages {
    dirty: f64,
    writeback: f64,
    background: Option<f64>,
    limit: Option<f64>,
}

impl Pages {
    fn of(look: &ScreenLook<'_>) -> Option<Pages> {
        let get = |id| look.frame.get(id, "");
        Some(Pages {
            dirty: get("memory.dirty_bytes")?,
            writeback: get("memory.writeback_bytes").unwrap_or(0.0),
            background: get("memory.dirty_background_threshold_bytes"),
            limit: get("memory.dirty_threshold_bytes").filter(|limit| *limit > 0.0),
        })
    }

    /// Writers are held against dirty pages and those on their way (balance_dirty_pages in mm/page-writeback.c).
    fn counted(self) -> f64 {
        self.dirty + self.writeback
    }

    /// From here on the kernel slows writers: half-way from the background threshold to the limit (dirty_freerun_ceiling
    /// there).
    fn slowed_from(self) -> Option<f64> {
        Some((self.background? + self.limit?) / 2.0)
    }

    /// Where the kernel stands, in its own terms.
    fn state(self) -> String {
        let (Some(background), Some(limit), Some(slowed)) =
            (self.background, self.limit, self.slowed_from())
        else {
            return "the kernel's thresholds are not known here".into();
        };
        match self.counted() {
            counted if counted >= limit => "at the limit: writers wait for the disk".into(),
            counted if counted >= slowed => {
                "writers are being slowed to what the disk writes".into()
            }
            _ if self.dirty >= background => {
                format!(
                    "written in the background; writers are slowed from {}",
                    units::bytes(slowed)
                )
            }
            _ => "below background: only what is old is written".into(),
        }
    }
}

/// The limit is reached in so many seconds, when the trend of the last ten holds.
fn limit_in_s(look: &ScreenLook<'_>, pages: &Pages) -> Option<f64> {
    // A part has to hold a sample even where samples are rare.
    let part_ns = (look.interval_ms as i64 * 2_000_000).max(1_000_000_000);
    let span_ns = part_ns * PARTS as i64;
    let dirty = curves::curve_over(look, "memory.dirty_bytes", "", span_ns, PARTS);
    forecast::seconds_to(&dirty, part_ns as f64 / 1e9, pages.limit? - pages.writeback)
}

/// What it comes to, with the rates where they fit.
fn sentences(look: &ScreenLook<'_>, pages: &Pages, forecast: Option<f64>) -> [String; 3] {
    let rate = |id| {
        look.frame
            .get(id, "")
            .map_or("–".into(), units::bytes_per_s)
    };
    let (into, out) = (
        rate("vm.dirtied_bytes_per_s"),
        rate("vm.written_bytes_per_s"),
    );
    let state = match forecast {
        Some(seconds) => format!("the limit is reached in about {}", about(seconds)),
        None => pages.state(),
    };
    let long = format!("into cache {into}, out to devices {out}: {state}");
    [long, format!("in {into}, out {out}: {state}"), state]
}

fn about(seconds: f64) -> String {
    units::span_ms((seconds.max(1.0).round() * 1000.0) as u64).replace(".0 s", " s")
}

fn first_line(
    look: &ScreenLook<'_>,
    pages: &Pages,
    forecast: Option<f64>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let writeback = look
        .frame
        .get("vm.written_bytes_per_s", "")
        .map(units::bytes_per_s);
    let amount = match pages.limit {
        Some(limit) => of(pages.counted(), limit),
        None => units::bytes(pages.counted()),
    };
    let end = match forecast {
        Some(seconds) => format!("  limit in {}", about(seconds)),
        None => writeback.map_or(String::new(), |rate| format!("  wb {rate}")),
    };
    let room = usize::from(area.width.saturating_sub(NAME));
    let words = [format!("{amount}{end}"), amount.clone()];
    let fits = |words: &&String| text::width(words) + 2 <= room;
    let words = words.iter().find(fits).unwrap_or(&amount);
    let gauge = room.saturating_sub(text::width(words) + 1);
    match pages.limit {
        Some(limit) if gauge >= GAUGE_MIN => {
            draw_gauge(
                look,
                pages,
                limit,
                Rect {
                    x: area.x + NAME,
                    width: gauge as u16,
                    ..area
                },
                buffer,
            );
            text::left(
                buffer,
                area,
                NAME + gauge as u16 + 1,
                0,
                words,
                Style::new(),
            );
        }
        _ => {
            text::left(buffer, area, NAME, 0, words, Style::new());
        }
    }
}

/// `1.10 of 3.20 GiB`.
fn of(part: f64, whole: f64) -> String {
    let whole_word = units::bytes(whole);
    let unit = whole_word.rsplit(' ').next().unwrap_or("B");
    let power = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        .iter()
        .position(|one| *one == unit)
        .unwrap_or(0);
    let value = part / 1024f64.powi(power as i32);
    let digits = match value {
        value if value >= 99.95 || power == 0 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{} of {whole_word}", units::decimals(value, digits))
}

/// `▕█████▒▒▎   ┆background   ┆limit▏`: dirty pages, those on their way, the thresholds.
fn draw_gauge(look: &ScreenLook<'_>, pages: &Pages, limit: f64, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(2);
    let word = "limit";
    let beyond = if width >= 24 { word.len() + 1 } else { 1 };
    // What is beyond the limit is cut at the edge: the figure beside says it.
    let column = |bytes: f64| (bytes / limit * (width - beyond) as f64).clamp(0.0, width as f64);
    let mut letters = vec![' '; width];
    fill(
        &mut letters,
        column(pages.dirty),
        column(pages.counted()),
        look.theme.is_ascii,
    );
    mark(&mut letters, width - beyond, word);
    if let Some(background) = pages.background {
        mark(&mut letters, column(background) as usize, "background");
    }
    let gauge: String = letters.into_iter().collect();
    text::left(buffer, area, 0, 0, &format!("▕{gauge}▏"), Style::new());
    let filled = column(pages.dirty).ceil() as u16;
    buffer.set_style(
        Rect {
            x: area.x + 1,
            width: filled.min(area.width.saturating_sub(2)),
            height: 1,
            ..area
        },
        look.theme.write(),
    );
}

fn fill(letters: &mut [char], dirty: f64, counted: f64, is_ascii: bool) {
    let on_their_way = if is_ascii { '=' } else { '▒' };
    let (whole, last) = (dirty as usize, counted.ceil() as usize);
    for letter in letters.iter_mut().take(last) {
        *letter = on_their_way;
    }
    for letter in letters.iter_mut().take(whole) {
        *letter = '█';
    }
    if let Some(letter) = letters.get_mut(whole)
        && dirty > 0.0
    {
        // Anything at all is an eighth.
        let eighths = ((dirty - whole as f64) * 8.0).ceil() as usize;
        if eighths > 0 {
            *letter = EIGHTHS[(eighths - 1).min(7)];
        }
    }
}

/// A threshold, and its name where nothing is in the way.
fn mark(letters: &mut [char], column: usize, word: &str) {
    let Some(letter) = letters.get_mut(column) else {
        return;
    };
    *letter = '┆';
    let after = column + 1..column + 1 + word.len();
    if letters
        .get(after.clone())
        .is_some_and(|free| free.iter().all(|letter| *letter == ' '))
    {
        letters[after]
            .iter_mut()
            .zip(word.chars())
            .for_each(|(letter, c)| *letter = c);
    }
}

fn curve_line(
    look: &ScreenLook<'_>,
    name: &str,
    id: &str,
    is_rate: bool,
    area: Rect,
    row: u16,
    buffer: &mut Buffer,
) {
    // `now 1023 MiB/s  top 1023 MiB/s`, and a blank before it.
    let (left, right) = (NAME + 11, 31);
    text::left(buffer, area, NAME, row, name, look.theme.faint());
    let columns = usize::from(area.width).saturating_sub(usize::from(left) + right);
    let values = curves::curve(look, id, "", columns);
    text::left(
        buffer,
        area,
        left,
        row,
        &text::bars(&values),
        look.theme.write(),
    );
    let top = values.iter().flatten().copied().fold(f64::NAN, f64::max);
    let said = |bytes: f64| {
        if is_rate {
            units::bytes_per_s(bytes)
        } else {
            units::bytes(bytes)
        }
    };
    let word = match top.is_nan() {
        true => "no data".to_string(),
        false => {
            // From the columns as the top is, or it could be above it. The last one may have only just begun.
            let now = values
                .iter()
                .rev()
                .take(2)
                .flatten()
                .next()
                .map_or("–".into(), |bytes| said(*bytes));
            format!("now {now}  top {}", said(top))
        }
    };
    text::right(buffer, area, row, &word, look.theme.faint());
}

#[cfg(test)]
mod tests;
