//! `cargo xtask recording TITLE SPEED`: a session in a terminal, screen by screen as `tmux capture-pane -e` printed it, as a picture that
//! moves.
//!
//! Where pictures do not move, because the reader wants it so or the program cannot, the last screen stands there.

use crate::problem::Failure;
use crate::svg::{Canvas, TextRun, runs};
use std::collections::BTreeSet;

/// How long the last screen stands before it begins again, ms.
const REST_MS: f64 = 4000.0;

/// Before each screen: a form feed and the milliseconds since the first.
const MARK: char = '\u{c}';

/// A row of the screen for as long as it stayed the same.
struct Stretch<'a> {
    row: usize,
    text: &'a str,
    from_ms: f64,
    to_ms: f64,
}

struct Screen<'a> {
    at_ms: f64,
    rows: Vec<&'a str>,
}

/// The moving picture of screens that a program showed, `speed` times as fast as it showed them.
pub fn picture(captured: &str, title: &str, speed: &str) -> Result<String, Failure> {
    let speed = speed.parse::<f64>().ok().filter(|speed| *speed > 0.0);
    let speed = speed.ok_or_else(|| Failure::Usage("SPEED is a number above 0".into()))?;
    let screens = screens(captured, speed)?;
    let end_ms = screens.last().map_or(0.0, |last| last.at_ms) + REST_MS;
    let stretches = stretches(&screens, end_ms);
    let drawn: Vec<(&Stretch, Vec<TextRun>)> = stretches
        .iter()
        .map(|stretch| (stretch, runs(stretch.text)))
        .collect();
    let columns = drawn
        .iter()
        .filter_map(|(_, row)| row.last())
        .map(TextRun::end);
    let rows = screens.iter().map(|screen| screen.rows.len()).max();
    let mut canvas = Canvas::new(columns.max().unwrap_or(0), rows.unwrap_or(0), title)?;
    canvas.raw(&style(&stretches, end_ms));
    for (stretch, row) in &drawn {
        let is_still = stretch.from_ms == 0.0 && stretch.to_ms == end_ms;
        if !is_still {
            let last = if stretch.to_ms == end_ms { " z" } else { "" };
            let name = name(stretch);
            canvas.raw(&format!(
                "<g class=\"m{last}\" style=\"animation-name:{name}\">\n"
            ));
        }
        canvas.row(row, stretch.row);
        if !is_still {
            canvas.raw("</g>\n");
        }
    }
    Ok(canvas.finish())
}

impl<'a> Screen<'a> {
    /// A number of milliseconds, and the rows below it.
    fn read(text: &'a str, speed: f64) -> Option<Screen<'a>> {
        let (at, rows) = text.split_once('\n')?;
        let at_ms = at.trim().parse::<f64>().ok()? / speed;
        Some(Screen {
            at_ms: at_ms.round(),
            rows: rows.trim_end_matches('\n').lines().collect(),
        })
    }
}

fn screens(captured: &str, speed: f64) -> Result<Vec<Screen<'_>>, Failure> {
    let parts = captured.split(MARK).skip(1);
    let found: Option<Vec<Screen>> = parts.map(|text| Screen::read(text, speed)).collect();
    found.filter(|screens| !screens.is_empty()).ok_or_else(|| {
        let what = "no screens on stdin: each begins with a form feed and its milliseconds";
        Failure::Usage(what.into())
    })
}

/// Each row of each screen, those that stay the same from screen to screen as one.
fn stretches<'a>(screens: &[Screen<'a>], end_ms: f64) -> Vec<Stretch<'a>> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let rows = screens.iter().map(|screen| screen.rows.len()).max();
    for row in 0..rows.unwrap_or(0) {
        let begin = stretches.len();
        for screen in screens {
            let text = screen.rows.get(row).copied().unwrap_or_default();
            if let Some(last) = stretches[begin..].last_mut() {
                if last.text == text {
                    continue;
                }
                last.to_ms = screen.at_ms;
            }
            stretches.push(Stretch {
                row,
                text,
                from_ms: if stretches.len() == begin {
                    0.0
                } else {
                    screen.at_ms
                },
                to_ms: end_ms,
            });
        }
    }
    stretches.retain(|stretch| !stretch.text.trim().is_empty());
    stretches
}

fn name(stretch: &Stretch) -> String {
    format!("k{}-{}", stretch.from_ms, stretch.to_ms)
}

fn style(stretches: &[Stretch], end_ms: f64) -> String {
    let mut frames = BTreeSet::new();
    for stretch in stretches {
        let at = |ms: f64| format!("{:.3}%", ms / end_ms * 100.0);
        frames.insert(format!(
            "@keyframes {}{{0%{{visibility:hidden}}{}{{visibility:visible}}{}{{visibility:{}}}}}\n",
            name(stretch),
            at(stretch.from_ms),
            at(stretch.to_ms),
            if stretch.to_ms == end_ms {
                "visible"
            } else {
                "hidden"
            }
        ));
    }
    let frames: String = frames.into_iter().collect();
    format!(
        "<style>\n.m{{visibility:hidden;animation:{end_ms}ms step-end infinite}}\n.z{{visibility:visible}}\n{frames}\
         @media (prefers-reduced-motion:reduce){{.m{{animation:none}}}}\n</style>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str =
        "\u{c}0\n$ iodyno\n\n\u{c}1000\n$ iodyno\nworks\n\u{c}2000\n$ iodyno\ndone\n";

    #[test]
    fn a_row_stands_for_as_long_as_it_stayed() {
        let screens = screens(SESSION, 2.0).unwrap();
        let stretches = stretches(&screens, 5000.0);
        let found: Vec<(usize, &str, f64, f64)> = stretches
            .iter()
            .map(|stretch| (stretch.row, stretch.text, stretch.from_ms, stretch.to_ms))
            .collect();
        assert_eq!(
            found,
            [
                (0, "$ iodyno", 0.0, 5000.0),
                (1, "works", 500.0, 1000.0),
                (1, "done", 1000.0, 5000.0)
            ]
        );
    }

    #[test]
    fn what_does_not_move_shows_the_last_screen() {
        let svg = picture(SESSION, "a session", "2").unwrap();
        let group = |class: &str, name: &str| {
            svg.contains(&format!(
                "<g class=\"{class}\" style=\"animation-name:{name}\">"
            ))
        };
        assert!(
            group("m", "k500-1000") && group("m z", "k1000-5000"),
            "{svg}"
        );
        assert!(svg.contains(".z{visibility:visible}") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn what_is_no_session_is_refused() {
        assert!(picture("$ iodyno\n", "none", "1").is_err());
        assert!(picture("\u{c}soon\n$\n", "none", "1").is_err());
        assert!(picture(SESSION, "none", "0").is_err());
    }
}
