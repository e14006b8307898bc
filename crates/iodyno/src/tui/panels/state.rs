//! What else limits it: pressure, arrays that rebuild, heat and throttling, in one line.

use crate::tui::{Panel, ScreenLook, text};
use model::units;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Columns of the name.
const NAME: usize = 7;
/// Columns between two parts.
const BETWEEN: usize = 3;

/// Pressure, arrays, temperatures.
pub static PANEL: Panel = Panel {
    key: '8',
    name: "state",
    rows,
    draw,
};

fn rows(look: &ScreenLook<'_>, width: u16) -> (u16, u16) {
    let rows = places(&parts(look), usize::from(width))
        .last()
        .map_or(1, |place| place.1 + 1);
    (1, rows)
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let parts = parts(look);
    let places = places(&parts, usize::from(area.width));
    text::left(buffer, area, 0, 0, "PSI", look.theme.strong());
    let shown = places.iter().filter(|(_, row)| *row < area.height).count();
    let mut end = (NAME as u16, 0);
    for ((words, is_bad), (column, row)) in parts.iter().zip(&places).take(shown) {
        let style = if *is_bad {
            look.theme.warning()
        } else {
            Style::new()
        };
        end = (
            text::left(buffer, area, *column as u16, *row, words, style),
            *row,
        );
    }
    if shown < parts.len() {
        let words = format!(" …+{}", parts.len() - shown);
        let room = usize::from(area.width).saturating_sub(text::width(&words)) as u16;
        text::left(
            buffer,
            area,
            end.0.min(room),
            end.1,
            &words,
            look.theme.faint(),
        );
    }
}

/// What there is to say, and whether it is bad.
fn parts(look: &ScreenLook<'_>) -> Vec<(String, bool)> {
    let others = [arrays(look), throttled(look), temperature(look)];
    pressure(look)
        .into_iter()
        .chain(others.into_iter().flatten())
        .collect()
}

/// Column and row of each part, in as many rows as that takes.
fn places(parts: &[(String, bool)], width: usize) -> Vec<(usize, u16)> {
    let (mut column, mut row) = (NAME, 0);
    let place = |(words, _): &(String, bool)| {
        // Room for saying that more is left out.
        if column > NAME && column + text::width(words) + 5 > width.max(NAME + 5) {
            (column, row) = (NAME, row + 1);
        }
        let place = (column, row);
        column += text::width(words) + BETWEEN;
        place
    };
    parts.iter().map(place).collect()
}

/// `io some 12 % full 9 %`, `mem 0 %`, `cpu 2 %`.
fn pressure(look: &ScreenLook<'_>) -> Vec<(String, bool)> {
    if let Some((_, reason)) = look
        .status
        .absent
        .iter()
        .find(|(sensor, _)| sensor == "pressure")
    {
        return vec![(format!("absent: {reason}"), false)];
    }
    let share = |id: &str, what: &str| look.frame.get(id, what).map_or("–".into(), percent);
    let some = |what: &str| share("pressure.some_percent", what);
    let io = format!(
        "io some {} full {}",
        some("io"),
        share("pressure.full_percent", "io")
    );
    let others = [
        format!("mem {}", some("memory")),
        format!("cpu {}", some("cpu")),
    ];
    std::iter::once(io)
        .chain(others)
        .map(|words| (words, false))
        .collect()
}

fn percent(value: f64) -> String {
    match value {
        value if value > 0.0 && value < 0.5 => "<1 %".into(),
        value => units::percent_whole(value),
    }
}

/// The array that matters most: one that has lost disks, then one that is rebuilt or checked, then any.
fn arrays(look: &ScreenLook<'_>) -> Option<(String, bool)> {
    let degraded = |name: &str| look.frame.get("md.degraded_disks", name).unwrap_or(0.0);
    let sync = |name: &str| look.frame.get("md.sync_percent", name);
    let mut names: Vec<&str> = Vec::new();
    for id in ["md.degraded_disks", "md.sync_percent"] {
        names.extend(look.frame.each(id).map(|(name, _)| name));
    }
    names.sort_unstable();
    names.dedup();
    let state = |name: &&str| {
        let (missing, name) = (degraded(name), *name);
        let rate = look
            .frame
            .get("md.sync_bytes_per_s", name)
            .filter(|rate| *rate > 0.0);
        let rate = rate.map_or(String::new(), |rate| {
            format!(" at {}", units::bytes_per_s(rate))
        });
        let label = text::cut(name, 12);
        match sync(name).filter(|percent| *percent < 100.0) {
            _ if missing > 0.0 && sync(name).is_none() => (
                2,
                format!(
                    "{label} lacks {missing} disks",
                    missing = units::whole(missing)
                ),
            ),
            Some(percent) if missing > 0.0 => (
                2,
                format!(
                    "{label} rebuilds, {percent}{rate}",
                    percent = units::percent_whole(percent)
                ),
            ),
            Some(percent) => (
                1,
                format!(
                    "{label} sync {percent}{rate}",
                    percent = units::percent_whole(percent)
                ),
            ),
            None => (0, format!("{label} in sync")),
        }
    };
    let mut states: Vec<(i32, String)> = names.iter().map(state).collect();
    states.sort_by_key(|(rank, _)| -rank);
    let (rank, words) = states.first()?.clone();
    let more = if states.len() > 1 {
        format!(" …+{}", states.len() - 1)
    } else {
        String::new()
    };
    Some((format!("{words}{more}"), rank == 2))
}

fn throttled(look: &ScreenLook<'_>) -> Option<(String, bool)> {
    let mut events: Vec<(&str, f64)> = look
        .frame
        .each("throttle.events_per_s")
        .filter(|(_, events)| *events > 0.0)
        .collect();
    events.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (name, _) = events.first()?;
    let more = if events.len() > 1 {
        format!(" …+{}", events.len() - 1)
    } else {
        String::new()
    };
    Some((
        format!("! {} throttled by heat{more}", text::cut(name, 12)),
        true,
    ))
}

/// The device's own temperature, or the hottest of all.
fn temperature(look: &ScreenLook<'_>) -> Option<(String, bool)> {
    let all: Vec<(&str, f64)> = look.frame.each("temperature.celsius").collect();
    let is_own = |name: &str| {
        let rest = name.split(' ').next().unwrap_or_default();
        !rest.is_empty() && (rest == look.device || look.device.starts_with(&format!("{rest}n")))
    };
    let hottest = |found: &mut dyn Iterator<Item = &(&str, f64)>| {
        found
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(name, celsius)| (name.to_string(), *celsius))
    };
    let own = hottest(&mut all.iter().filter(|(name, _)| is_own(name)));
    // One place of a device is enough to tell whose it is.
    let (name, celsius) = own.or_else(|| hottest(&mut all.iter()))?;
    let name = name.split(' ').next().unwrap_or_default();
    Some((
        format!(
            "{} {celsius} °C",
            text::cut(name, 12),
            celsius = units::whole(celsius)
        ),
        false,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::samples::{Scene, frame};

    fn line(values: &[(&'static str, &str, f64)], width: u16) -> String {
        Scene {
            frame: frame(values),
            ..Scene::new()
        }
        .draw(&PANEL, width, 1)[0]
            .clone()
    }

    const PRESSURE: [(&str, &str, f64); 4] = [
        ("pressure.{}.some_percent", "io", 12.2),
        ("pressure.{}.full_percent", "io", 9.0),
        ("pressure.{}.some_percent", "memory", 0.0),
        ("pressure.{}.some_percent", "cpu", 0.2),
    ];

    #[test]
    fn one_line_of_the_state() {
        let more = [
            ("md.{}.degraded_disks", "md0", 0.0),
            ("temperature.{}.celsius", "vda Composite", 48.0),
            ("temperature.{}.celsius", "cpu0", 71.0),
        ];
        let values = [&PRESSURE[..], &more[..]].concat();
        assert_eq!(
            line(&values, 80),
            "PSI    io some 12 % full 9 %   mem 0 %   cpu <1 %   md0 in sync   vda 48 °C"
        );
        assert!(line(&values, 70).ends_with("md0 in sync …+1"));
        let scene = Scene {
            frame: frame(&values),
            ..Scene::new()
        };
        assert_eq!(
            scene.draw(&PANEL, 56, 2),
            [
                "PSI    io some 12 % full 9 %   mem 0 %   cpu <1 %",
                "       md0 in sync   vda 48 °C"
            ]
        );
    }

    #[test]
    fn a_broken_array_comes_before_a_sound_one() {
        let values = [
            ("md.{}.degraded_disks", "md0", 0.0),
            ("md.{}.degraded_disks", "md1", 1.0),
            ("md.{}.sync_percent", "md1", 40.0),
            ("md.{}.sync_bytes_per_s", "md1", 104_857_600.0),
            ("throttle.{}.events_per_s", "cpu3", 2.0),
        ];
        let line = line(&values, 120);
        assert!(
            line.contains("md1 rebuilds, 40 % at 100 MiB/s …+1   ! cpu3 throttled by heat"),
            "{line}"
        );
    }

    #[test]
    fn nothing_known_is_dashes() {
        assert_eq!(line(&[], 80), "PSI    io some – full –   mem –   cpu –");
        assert!(line(&PRESSURE, 80).ends_with("cpu <1 %"));
        Scene {
            frame: frame(&PRESSURE),
            ..Scene::new()
        }
        .draw_at_every_size(&PANEL);
    }
}
