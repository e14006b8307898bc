//! The whole screen: the lines at its edges, the panels between them, and what lies on top.

use super::layout::{self, HEIGHT_MIN, WIDTH_MIN};
use super::panels::devices;
use super::state::{OpenOverlay, ScreenState};
use super::{Panel, ScreenLook, keys, overlay, text};
use host::clock::TimeZone;
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// What the lines at the edges say beside the panels.
#[derive(Clone, Debug)]
pub struct Around {
    /// Name of this machine.
    pub hostname: String,
    /// Kernel release.
    pub kernel: String,
    /// Wall clock at the sampler's zero, ms since 1970.
    pub origin_unix_ms: u64,
    /// Whose hours the wall clock shows.
    pub zone: TimeZone,
    /// CPU time of the whole program, drawing included, per cent of one CPU; none before it was measured.
    pub cost_percent: Option<f64>,
    /// How long a record has been going on, ms.
    pub recording_ms: Option<u64>,
}

/// Draws everything.
pub fn screen(
    look: &ScreenLook<'_>,
    state: &ScreenState,
    around: &Around,
    panels: &[&'static Panel],
    buffer: &mut Buffer,
) {
    let area = buffer.area;
    if area.width < WIDTH_MIN || area.height < HEIGHT_MIN {
        small(look, area, buffer);
    } else {
        let plan = layout::plan(look, state, panels, area);
        header(look, state, around, plan.header, buffer);
        for (key, place) in &plan.panels {
            if let Some(panel) = panels.iter().find(|panel| panel.key == *key) {
                (panel.draw)(look, *place, buffer);
            }
        }
        if let Some(rule) = plan.rule {
            (0..rule.height).for_each(|row| {
                text::left(buffer, rule, 0, row, "│", look.theme.faint());
            });
        }
        message(look, state, plan.message, buffer);
        timeline(look, state, around, plan.timeline, buffer);
        footer(look, state, panels, plan.footer, buffer);
        overlay::draw(look, state, area, buffer);
    }
    text::finish(buffer, look.theme);
}

/// One line of the device under the cursor, and that a small terminal suits plain lines better.
fn small(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let value = |id: &str| look.frame.get(id, look.device);
    let rate = |id: &str, unit: &str| {
        value(id).map(|value| format!("  {} {unit}", units::count(value.round())))
    };
    let time = |id: &str, name: &str| {
        value(id).map(|ms| format!("  {name} {}", units::duration_ns(ms * 1e6)))
    };
    let parts = [
        rate("disk.reads_per_s", "r/s"),
        rate("disk.writes_per_s", "w/s"),
        time("disk.await_read_ms", "rAwait"),
        time("disk.await_write_ms", "wAwait"),
    ];
    let mut line = if look.device.is_empty() {
        "no busy device".into()
    } else {
        text::cut(look.device, 16)
    };
    // A part that does not fit is left out whole: half a figure is another figure.
    for part in parts.into_iter().flatten() {
        if text::width(&line) + text::width(&part) <= usize::from(area.width) {
            line.push_str(&part);
        }
    }
    text::left(buffer, area, 0, 0, &line, Style::new());
    let advice = format!(
        "This needs {WIDTH_MIN}×{HEIGHT_MIN}, here are {}×{}. `iodyno watch --plain` suits it better; q quits.",
        area.width, area.height
    );
    let lines = text::wrap(&advice, usize::from(area.width.max(1)));
    for (line, row) in lines.iter().zip(1..) {
        text::left(buffer, area, 0, row, line, look.theme.faint());
    }
}

/// Parts of a line, each with a rank: the highest is left out first where they do not fit.
fn fit(mut parts: Vec<(u8, String)>, width: usize) -> String {
    let joined = |parts: &[(u8, String)]| {
        parts
            .iter()
            .map(|(_, text)| text.as_str())
            .collect::<Vec<_>>()
            .join("  ")
    };
    while parts.len() > 1 && text::width(&joined(&parts)) > width {
        let last = parts
            .iter()
            .enumerate()
            .max_by_key(|(place, (rank, _))| (*rank, *place))
            .map(|(place, _)| place);
        parts.remove(last.unwrap_or(0));
    }
    joined(&parts)
}

fn header(
    look: &ScreenLook<'_>,
    state: &ScreenState,
    around: &Around,
    area: Rect,
    buffer: &mut Buffer,
) {
    let status = look.status;
    let mode = if state.paused_ns.is_some() {
        "paused"
    } else {
        "live"
    };
    let is_wide = area.width >= 100;
    let mut parts = vec![
        (0, "iodyno watch".to_string()),
        (3, text::cut(&around.hostname, 20)),
        (0, mode.to_string()),
        (1, units::span_ms(look.interval_ms)),
        (
            2,
            format!("samples late {} lost {}", status.late, status.lost),
        ),
        (1, cost(around)),
    ];
    if is_wide {
        parts.insert(2, (4, text::cut(&around.kernel, 24)));
    }
    if let Some(ms) = around.recording_ms {
        parts.insert(
            parts.len(),
            (0, format!("recording {}", units::span_ms(ms / 1000 * 1000))),
        );
    }
    let end = if is_wide { "q quit   ? help" } else { "? help" };
    let clock = if is_wide {
        format!("{}   {end}", clock(around, look.status.last_ns, false))
    } else {
        end.into()
    };
    let line = fit(
        parts,
        usize::from(area.width).saturating_sub(text::width(&clock) + 2),
    );
    text::left(buffer, area, 0, 0, &line, look.theme.strong());
    let style = if state.paused_ns.is_some() {
        look.theme.warning()
    } else {
        look.theme.strong()
    };
    if let Some(at) = line.find(mode) {
        text::left(
            buffer,
            area,
            text::width(&line[..at]) as u16,
            0,
            mode,
            style,
        );
    }
    text::right(buffer, area, 0, &clock, look.theme.faint());
}

/// What watching costs.
fn cost(around: &Around) -> String {
    let percent = match around.cost_percent {
        None => return "measuring its cost".into(),
        Some(percent) if percent < 0.1 => "<0.1".into(),
        Some(percent) => units::decimals(percent, 1),
    };
    format!("cost {percent} % of a CPU")
}

/// A moment as wall clock.
fn clock(around: &Around, time_ns: i64, with_ms: bool) -> String {
    let unix_ms = around
        .origin_unix_ms
        .saturating_add_signed(time_ns / 1_000_000);
    let second = view::calendar::time_of_day_in(unix_ms, &around.zone);
    match with_ms {
        true => format!("{second}.{:03}", unix_ms % 1000),
        false => second,
    }
}

/// What is being typed, or what the last action left.
fn message(look: &ScreenLook<'_>, state: &ScreenState, area: Rect, buffer: &mut Buffer) {
    match &state.open {
        OpenOverlay::Filter => {
            let typed = text::cut(
                &state.choice.filter,
                usize::from(area.width).saturating_sub(40),
            );
            let end = text::left(
                buffer,
                area,
                0,
                0,
                &format!("/{typed}_"),
                look.theme.strong(),
            );
            text::left(
                buffer,
                area,
                end + 3,
                0,
                "Enter keeps it, Esc clears it",
                look.theme.faint(),
            );
        }
        _ => {
            text::left(buffer, area, 0, 0, &state.message, look.theme.strong());
        }
    }
}

/// What is kept, from the first moment to the last, and the one that is shown.
fn timeline(
    look: &ScreenLook<'_>,
    state: &ScreenState,
    around: &Around,
    area: Rect,
    buffer: &mut Buffer,
) {
    let (first_ns, last_ns) = (
        look.status.first_ns,
        look.status.last_ns.max(look.status.first_ns),
    );
    let kept_s = (last_ns - first_ns) / 1_000_000_000;
    let kept = match kept_s {
        3_590.. => "one hour kept".to_string(),
        seconds => format!("{} kept", units::span_ms(seconds as u64 * 1000)),
    };
    let ago = state.paused_ns.map(|at_ns| {
        let ago_ms = (last_ns - at_ns).max(0) as u64 / 1_000_000;
        let ago = if ago_ms < 10_000 {
            units::span_ms(ago_ms / 100 * 100)
        } else {
            units::span_ms(ago_ms)
        };
        format!("at {}, {ago} ago", clock(around, at_ns, true))
    });
    let begin = format!("◀ {} ", &clock(around, first_ns, false)[..5]);
    let end = format!(
        " {} ▶  {kept}{}",
        &clock(around, last_ns, false)[..5],
        ago.map_or(String::new(), |ago| format!("  {ago}"))
    );
    let room = usize::from(area.width).saturating_sub(text::width(&begin) + text::width(&end));
    let share = match last_ns > first_ns {
        true => (look.at_ns - first_ns).max(0) as f64 / (last_ns - first_ns) as f64,
        false => 1.0,
    };
    let mark = (share.min(1.0) * room.saturating_sub(1) as f64).round() as usize;
    let rule: String = (0..room)
        .map(|place| if place == mark { '┊' } else { '─' })
        .collect();
    let x = text::left(buffer, area, 0, 0, &begin, look.theme.faint());
    let x = text::left(buffer, area, x, 0, &rule, look.theme.faint());
    text::left(buffer, area, x, 0, &end, look.theme.faint());
}

/// The panels with their keys, hidden ones faint, then other keys.
fn footer(
    look: &ScreenLook<'_>,
    state: &ScreenState,
    panels: &[&'static Panel],
    area: Rect,
    buffer: &mut Buffer,
) {
    let names: Vec<(char, &str)> = panels.iter().map(|panel| (panel.key, panel.name)).collect();
    let line = keys::footer(&names, usize::from(area.width));
    text::left(buffer, area, 0, 0, &line, Style::new());
    for panel in panels {
        let label = format!("[{}]{}", panel.key, panel.name);
        let style = match (state.hidden.contains(&panel.key), panel.key == state.focus) {
            (true, _) => look.theme.faint(),
            (false, true) => look.theme.strong(),
            (false, false) => continue,
        };
        if let Some(at) = line.find(&label) {
            text::left(
                buffer,
                area,
                text::width(&line[..at]) as u16,
                0,
                &label,
                style,
            );
        }
    }
}

/// What there is to move among.
pub struct Lists {
    /// Devices in the table.
    pub rows: Vec<String>,
    /// Every device.
    pub devices: Vec<String>,
}

impl Lists {
    /// As the table shows them.
    pub fn of(look: &ScreenLook<'_>) -> Lists {
        let listed = devices::listed(look);
        Lists {
            rows: listed.rows.iter().map(|row| row.name.to_string()).collect(),
            devices: listed.all.iter().map(|name| (*name).to_string()).collect(),
        }
    }
}
