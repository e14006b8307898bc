//! Devices: rates, sizes, times per direction, what is in flight, and the last minute of each.

mod columns;
mod rows;

use crate::tui::{Panel, ScreenLook, text};
use columns::{Content, DeviceColumn};
pub use columns::{explained, sortable};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
pub use rows::{DeviceRow, Listed, listed};

/// The devices.
pub static PANEL: Panel = Panel {
    key: '1',
    name: "dev",
    rows,
    draw,
};

/// A title, one device, and the line that says what is not shown.
fn rows(look: &ScreenLook<'_>, _width: u16) -> (u16, u16) {
    let devices = listed(look).rows.len().max(1);
    (3, u16::try_from(devices + 2).unwrap_or(u16::MAX))
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let listed = listed(look);
    let longest = listed
        .rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or(0);
    let (columns, hidden) = columns::fitting(usize::from(area.width), longest);
    titles(look, area, buffer, &columns, hidden);
    let room = usize::from(area.height.saturating_sub(2));
    let cursor = listed
        .rows
        .iter()
        .position(|row| row.name == look.device)
        .unwrap_or(0);
    // The cursor stays in the window; the window moves no further than it has to.
    let first = (cursor + 1)
        .saturating_sub(room)
        .min(listed.rows.len().saturating_sub(room));
    let shown = listed.rows.iter().skip(first).take(room);
    let curves = rows::Curves::of(look, columns::spark_cells(&columns));
    for (row, y) in shown.zip(1..) {
        let mut x = 0;
        for (column, width) in &columns {
            let style = column.style(look.theme, row);
            let words = cell(look, column, row, *width, &curves);
            let style = if row.name == look.device {
                style.patch(look.theme.strong())
            } else {
                style
            };
            x = text::left(buffer, area, x, y, &words, style);
        }
    }
    if listed.rows.is_empty() {
        text::left(
            buffer,
            area,
            1,
            1,
            &nothing(look, &listed),
            look.theme.faint(),
        );
    }
    let below = listed.rows.len().saturating_sub(room);
    last_line(look, area, buffer, &listed, below);
}

/// Why the table is empty, and what would fill it.
fn nothing(look: &ScreenLook<'_>, listed: &Listed<'_>) -> String {
    match (look.choice.filter.is_empty(), listed.idle) {
        (false, _) => {
            format!(
                "no device's name holds `{}`; Esc clears the filter",
                text::clean(&look.choice.filter)
            )
        }
        (true, 0) => "no device has been read yet".to_string(),
        (true, _) => "no device has done I/O for a minute; i shows idle ones".to_string(),
    }
}

fn titles(
    look: &ScreenLook<'_>,
    area: Rect,
    buffer: &mut Buffer,
    columns: &[(&DeviceColumn, usize)],
    hidden: usize,
) {
    let mut x = 0;
    for (column, width) in columns {
        let title = match column.is_left() {
            true => format!(
                "{}{:<width$}",
                column.gap(),
                column.title,
                width = width - column.gap().len()
            ),
            false => format!("{:>width$}", column.title),
        };
        let is_sorted = look
            .choice
            .sort
            .is_some_and(|field| column.fields().contains(&field));
        let style = if is_sorted {
            look.theme.strong()
        } else {
            look.theme.faint()
        };
        x = text::left(buffer, area, x, 0, &title, style);
    }
    if hidden > 0 {
        text::right(buffer, area, 0, &format!("…+{hidden}"), look.theme.faint());
    }
}

fn cell(
    look: &ScreenLook<'_>,
    column: &DeviceColumn,
    row: &DeviceRow<'_>,
    width: usize,
    curves: &rows::Curves,
) -> String {
    match column.content {
        Content::Name => {
            let mark = if row.name == look.device { '>' } else { ' ' };
            format!(
                "{mark}{:<width$}",
                text::cut(row.name, width - 2),
                width = width - 1
            )
        }
        Content::Model => {
            let model = look
                .known
                .get(row.name)
                .map_or("", |device| device.model.as_str());
            format!(
                "{}{:<width$}",
                column.gap(),
                text::cut(model, width - 1),
                width = width - 1
            )
        }
        Content::Busy => {
            let known = look.known.get(row.name);
            let is_parallel = known.is_none_or(|device| device.parallel.is_some());
            let busy = row.get("disk.busy_percent").filter(|_| !is_parallel);
            format!(
                "{:>width$}",
                busy.map_or("–".into(), |percent| units::percent_whole(
                    percent.min(100.0)
                ))
            )
        }
        Content::Value(field, words) => {
            format!("{:>width$}", row.get(field).map_or("–".into(), words))
        }
        Content::Curve(fields) => {
            format!(
                "{}{}",
                column.gap(),
                text::bars(&curves.of_device(fields, row.name))
            )
        }
    }
}

/// What `i` would show.
fn left_out(listed: &Listed<'_>) -> Option<String> {
    let partitions = match listed.partitions {
        1 => "1 partition".to_string(),
        count => format!("{count} partitions"),
    };
    let words = match (listed.idle, listed.partitions) {
        (0, 0) => return None,
        (idle, 0) => format!("{idle} idle"),
        (0, _) => partitions,
        (idle, _) => format!("{idle} idle, {partitions}"),
    };
    Some(format!("…+{words} (i shows)"))
}

/// What is not shown and which key shows it; the order.
fn last_line(
    look: &ScreenLook<'_>,
    area: Rect,
    buffer: &mut Buffer,
    listed: &Listed<'_>,
    below: usize,
) {
    let mut words = Vec::new();
    if below > 0 {
        words.push(format!("…+{below} more (j k)"));
    }
    words.extend(left_out(listed));
    if !look.choice.filter.is_empty() {
        words.push(format!("filter `{}`", text::cut(&look.choice.filter, 16)));
    }
    if !look.choice.devices.is_empty() {
        words.push(format!("{} chosen (d)", look.choice.devices.len()));
    }
    let y = area.height.saturating_sub(1);
    let end = text::left(buffer, area, 1, y, &words.join("   "), look.theme.faint());
    let title = sortable()
        .iter()
        .find(|(_, field)| Some(*field) == look.choice.sort)
        .map(|(title, _)| *title);
    let order = match (title, look.choice.is_reversed) {
        (Some(title), false) => format!("sort {title} ▼"),
        (Some(title), true) => format!("sort {title} ▲"),
        (None, true) => "names reversed".to_string(),
        (None, false) => return,
    };
    if usize::from(end) + 2 + text::width(&order) <= usize::from(area.width) {
        text::right(buffer, area, y, &order, Style::new());
    }
}
