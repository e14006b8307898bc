//! Findings: the worst in one line; on the whole screen each with its evidence, what would refute it, what to try.

use crate::tui::{Panel, ScreenLook, text};
use model::finding::{Finding, Level};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The findings.
pub static PANEL: Panel = Panel {
    key: '7',
    name: "findings",
    rows,
    draw,
};

/// One line, and nothing where nothing was found.
fn rows(look: &ScreenLook<'_>, _width: u16) -> (u16, u16) {
    let count = u16::from(!look.findings.is_empty());
    (count, count)
}

fn draw(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    match look.findings.first() {
        Some(worst) if area.height == 1 => one_line(look, area, buffer, worst),
        _ => all(look, area, buffer),
    }
}

fn style(look: &ScreenLook<'_>, finding: &Finding) -> Style {
    match finding.level {
        Level::Note => look.theme.strong(),
        Level::Warning => look.theme.warning(),
        Level::Wrong => look.theme.bad(),
    }
}

/// The claim as far as it fits, and where the rest is.
fn one_line(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer, worst: &Finding) {
    let more = match area.width {
        ..100 => format!("f findings ({})", look.findings.len()),
        _ => format!(
            "f findings ({}): evidence, and what would refute it",
            look.findings.len()
        ),
    };
    let room = usize::from(area.width).saturating_sub(text::width(&more) + 4);
    let claim = text::clean(&worst.claim);
    let claim = match claim.chars().count() > room {
        true => format!(
            "{}…",
            claim
                .chars()
                .take(room.saturating_sub(1))
                .collect::<String>()
                .trim_end()
        ),
        false => claim,
    };
    text::left(
        buffer,
        area,
        0,
        0,
        &format!("! {claim}"),
        style(look, worst),
    );
    text::right(buffer, area, 0, &more, look.theme.faint());
}

fn all(look: &ScreenLook<'_>, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width).saturating_sub(4).clamp(20, 100);
    let mut lines: Vec<(String, Style)> = Vec::new();
    for finding in look.findings {
        lines.extend(words(look, finding, width));
        lines.push((String::new(), Style::new()));
    }
    if lines.is_empty() {
        lines.push(("No finding at this moment.".into(), Style::new()));
    }
    let hidden = lines.len().saturating_sub(usize::from(area.height));
    for ((line, style), y) in lines.into_iter().zip(0..area.height) {
        text::left(buffer, area, 1, y, &line, style);
    }
    if hidden > 0 {
        text::right(
            buffer,
            area,
            area.height - 1,
            &format!("…+{hidden} lines"),
            look.theme.faint(),
        );
    }
}

fn words(look: &ScreenLook<'_>, finding: &Finding, width: usize) -> Vec<(String, Style)> {
    let mut lines = Vec::new();
    let mut part = |label: &str, said: &str, style: Style| {
        for (place, line) in text::wrap(&text::clean(said), width.saturating_sub(12))
            .into_iter()
            .enumerate()
        {
            let label = if place == 0 { label } else { "" };
            lines.push((format!("{label:<11} {line}"), style));
        }
    };
    part(finding.level.word(), &finding.claim, style(look, finding));
    for (place, evidence) in finding.evidence.iter().enumerate() {
        let label = if place == 0 { "evidence" } else { "" };
        part(
            label,
            &format!("{} {}", evidence.name, evidence.value),
            Style::new(),
        );
    }
    part("refuted by", &finding.refuted_by, Style::new());
    part("try", &finding.advice, Style::new());
    part(
        "page",
        &format!("iodyno explain {}", finding.rule),
        look.theme.faint(),
    );
    lines
}
