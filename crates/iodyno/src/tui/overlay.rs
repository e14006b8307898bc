//! What lies on top of the panels: keys, meanings, menus.

use super::boxed::boxed;
use super::panels::devices;
use super::state::{OpenOverlay, ScreenState, offered};
use super::{ScreenLook, explain, keys, text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Draws what is open.
pub fn draw(look: &ScreenLook<'_>, state: &ScreenState, area: Rect, buffer: &mut Buffer) {
    match &state.open {
        OpenOverlay::Nothing | OpenOverlay::Filter => {}
        OpenOverlay::Help(first) => help(look, *first, area, buffer),
        OpenOverlay::Explain(place) => explain::draw(look, state.focus, *place, area, buffer),
        OpenOverlay::Sort(place) => {
            let rows = devices::sortable()
                .into_iter()
                .map(|(title, field)| format!("{title:<10}{field}"));
            menu(
                look,
                " sort by: Enter takes, Esc leaves ",
                &rows.collect::<Vec<_>>(),
                *place,
                area,
                buffer,
            );
        }
        OpenOverlay::Devices(place) => chooser(look, *place, area, buffer),
        OpenOverlay::Palette(typed, place) => {
            let found = offered(typed);
            let rows = found
                .iter()
                .map(|key| format!("{:<17} {:<12} {}", key.name, key.shown, key.does));
            let title = format!(" :{}_ ", text::cut(typed, 40));
            menu(
                look,
                &title,
                &rows.collect::<Vec<_>>(),
                *place,
                area,
                buffer,
            );
        }
    }
}

/// Rows with a cursor, which stays in sight.
fn menu(
    look: &ScreenLook<'_>,
    title: &str,
    rows: &[String],
    place: usize,
    area: Rect,
    buffer: &mut Buffer,
) {
    let widest = rows
        .iter()
        .map(|row| text::width(row))
        .max()
        .unwrap_or(0)
        .max(text::width(title))
        + 2;
    let inner = boxed(
        look,
        title,
        widest as u16,
        rows.len().max(1) as u16,
        area,
        buffer,
    );
    let room = usize::from(inner.height);
    let first = (place + 1).saturating_sub(room);
    for ((at, row), y) in rows.iter().enumerate().skip(first).take(room).zip(0..) {
        let (mark, style) = if at == place {
            ('>', look.theme.strong())
        } else {
            (' ', Style::new())
        };
        text::left(buffer, inner, 0, y, &format!("{mark} {row}"), style);
    }
    if rows.is_empty() {
        text::left(
            buffer,
            inner,
            0,
            0,
            "no action has such a name",
            look.theme.faint(),
        );
    }
}

fn help(look: &ScreenLook<'_>, first: usize, area: Rect, buffer: &mut Buffer) {
    let rows: Vec<String> = keys::TABLE
        .iter()
        .map(|key| format!("{:<12} {}", key.shown, key.does))
        .collect();
    let widest = rows.iter().map(|row| text::width(row)).max().unwrap_or(0);
    let room = usize::from(area.height.saturating_sub(4));
    let last = rows.len().saturating_sub(room);
    let title = match last {
        0 => " keys: Esc closes ".to_string(),
        _ => format!(" keys: j k scroll, Esc closes; {} lines ", rows.len()),
    };
    let inner = boxed(look, &title, widest as u16, rows.len() as u16, area, buffer);
    for (row, y) in rows.iter().skip(first.min(last)).zip(0..inner.height) {
        text::left(buffer, inner, 0, y, row, Style::new());
    }
}

fn chooser(look: &ScreenLook<'_>, place: usize, area: Rect, buffer: &mut Buffer) {
    let listed = devices::listed(look);
    let row = |name: &&str| {
        let is_tagged = look.choice.devices.iter().any(|one| one == name);
        let model = look
            .known
            .get(name)
            .map_or("", |device| device.model.as_str());
        format!(
            "[{}] {:<20} {}",
            if is_tagged { 'x' } else { ' ' },
            text::cut(name, 20),
            text::cut(model, 40)
        )
    };
    let rows: Vec<String> = listed.all.iter().map(row).collect();
    menu(
        look,
        " devices: space tags, a all, Esc closes ",
        &rows,
        place,
        area,
        buffer,
    );
}
