//! `cargo xtask svg`: a terminal's screen, as `tmux capture-pane -e` prints it, as a picture.
//!
//! Colours and characters stay what they were; nothing is retouched. Text stays text, so that a picture can be searched
//! and read out.

use crate::problem::Failure;
use std::fmt::Write;

/// Width of a character, px.
const CELL: f64 = 8.0;
/// Height of a row, px.
const ROW: f64 = 17.0;
/// Around the screen, px.
const EDGE: f64 = 10.0;
const GROUND: &str = "#0f1115";
const INK: &str = "#e6e8eb";

/// How characters look from some place on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct TextLook {
    ink: Option<String>,
    ground: Option<String>,
    is_bold: bool,
    is_turned: bool,
}

/// Characters of one look, and where they begin.
#[derive(Debug, PartialEq, Eq)]
pub struct TextRun {
    column: usize,
    text: String,
    look: TextLook,
}

impl TextRun {
    /// The column behind its last character.
    pub fn end(&self) -> usize {
        self.column + self.text.chars().count()
    }
}

/// The picture of a screen: `captured` holds its rows with their escape sequences.
pub fn picture(captured: &str, title: &str) -> Result<String, Failure> {
    let rows: Vec<Vec<TextRun>> = captured.trim_end_matches('\n').lines().map(runs).collect();
    let columns = rows.iter().filter_map(|row| row.last()).map(TextRun::end);
    let mut canvas = Canvas::new(columns.max().unwrap_or(0), rows.len(), title)?;
    for (place, row) in rows.iter().enumerate() {
        canvas.row(row, place);
    }
    Ok(canvas.finish())
}

/// A picture that is being drawn.
pub struct Canvas(String);

impl Canvas {
    /// An empty terminal of this size in characters; none where nothing is on it.
    pub fn new(columns: usize, rows: usize, title: &str) -> Result<Canvas, Failure> {
        if columns == 0 {
            return Err(Failure::Usage(
                "the screen is empty: pipe `tmux capture-pane -e -p` into this".into(),
            ));
        }
        let (width, height) = (
            columns as f64 * CELL + 2.0 * EDGE,
            rows as f64 * ROW + 2.0 * EDGE,
        );
        let title = escaped(title);
        Ok(Canvas(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" \
             fill=\"{GROUND}\"/>\n<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"13\" \
             fill=\"{INK}\">\n"
        )))
    }

    /// Draws a row of the screen.
    pub fn row(&mut self, row: &[TextRun], place: usize) {
        row.iter().for_each(|run| draw(&mut self.0, run, place));
    }

    /// Adds what is SVG already.
    pub fn raw(&mut self, svg: &str) {
        self.0.push_str(svg);
    }

    /// The whole picture.
    pub fn finish(mut self) -> String {
        self.0.push_str("</g>\n</svg>\n");
        self.0
    }
}

fn draw(svg: &mut String, run: &TextRun, row: usize) {
    let x = EDGE + run.column as f64 * CELL;
    let y = EDGE + row as f64 * ROW;
    let width = run.text.chars().count() as f64 * CELL;
    let (mut ink, mut ground) = (run.look.ink.as_deref(), run.look.ground.as_deref());
    if run.look.is_turned {
        (ink, ground) = (Some(ground.unwrap_or(GROUND)), Some(ink.unwrap_or(INK)));
    }
    // Writing to a string cannot fail.
    if let Some(ground) = ground {
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{ROW}\" fill=\"{ground}\"/>"
        );
    }
    if run.text.trim().is_empty() {
        return;
    }
    let fill = ink
        .map(|ink| format!(" fill=\"{ink}\""))
        .unwrap_or_default();
    let weight = if run.look.is_bold {
        " font-weight=\"bold\""
    } else {
        ""
    };
    // Browsers collapse spaces in a text, whatever `xml:space` says (Chromium 156); they keep those that do not break.
    let text = escaped(&run.text).replace(' ', "\u{a0}");
    let base = y + ROW - 4.0;
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{base}\" textLength=\"{width}\"{fill}{weight}>{text}</text>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A row in runs of one look each.
pub fn runs(row: &str) -> Vec<TextRun> {
    let mut runs: Vec<TextRun> = Vec::new();
    let mut look = TextLook::default();
    let mut column = 0;
    let mut rest = row;
    while let Some(letter) = rest.chars().next() {
        if let Some((codes, after)) = rest
            .strip_prefix("\u{1b}[")
            .and_then(|tail| tail.split_once('m'))
        {
            change(&mut look, codes);
            rest = after;
            continue;
        }
        rest = &rest[letter.len_utf8()..];
        if letter.is_control() {
            continue;
        }
        match runs.last_mut().filter(|run| run.look == look) {
            Some(run) => run.text.push(letter),
            None => runs.push(TextRun {
                column,
                text: letter.to_string(),
                look: look.clone(),
            }),
        }
        column += 1;
    }
    runs
}

/// What the numbers of one sequence say (ECMA-48's SGR, and xterm's 38 and 48).
fn change(look: &mut TextLook, codes: &str) {
    let mut codes = codes
        .split([';', ':'])
        .map(|code| code.parse::<u16>().unwrap_or(0));
    while let Some(code) = codes.next() {
        match code {
            0 => *look = TextLook::default(),
            1 => look.is_bold = true,
            22 => look.is_bold = false,
            7 => look.is_turned = true,
            27 => look.is_turned = false,
            30..=37 => look.ink = Some(indexed(code - 30)),
            90..=97 => look.ink = Some(indexed(code - 82)),
            40..=47 => look.ground = Some(indexed(code - 40)),
            100..=107 => look.ground = Some(indexed(code - 92)),
            39 => look.ink = None,
            49 => look.ground = None,
            38 => look.ink = colour(&mut codes),
            48 => look.ground = colour(&mut codes),
            _ => {}
        }
    }
}

/// `5;n` or `2;r;g;b`.
fn colour(codes: &mut impl Iterator<Item = u16>) -> Option<String> {
    match codes.next()? {
        5 => codes.next().map(indexed),
        2 => {
            let (red, green, blue) = (codes.next()?, codes.next()?, codes.next()?);
            Some(format!("#{red:02x}{green:02x}{blue:02x}"))
        }
        _ => None,
    }
}

/// xterm's 256 colours.
fn indexed(index: u16) -> String {
    const FIRST: [&str; 16] = [
        "#2a303a", "#cd3131", "#0dbc79", "#e5e510", "#3d7dd9", "#bc3fbc", "#11a8cd", "#e5e5e5",
        "#77808d", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff",
    ];
    let level = |step: u16| if step == 0 { 0 } else { 55 + 40 * step };
    match index {
        0..=15 => FIRST[usize::from(index)].to_string(),
        16..=231 => {
            let place = index - 16;
            format!(
                "#{:02x}{:02x}{:02x}",
                level(place / 36),
                level(place / 6 % 6),
                level(place % 6)
            )
        }
        _ => {
            let grey = 8 + 10 * (index.min(255) - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_through() {
        let row = "ab\u{1b}[1m\u{1b}[38;5;214mc<\u{1b}[0m \u{1b}[48;2;1;2;3md\u{1b}[39;49me";
        let runs = runs(row);
        let texts: Vec<(usize, &str)> = runs
            .iter()
            .map(|run| (run.column, run.text.as_str()))
            .collect();
        assert_eq!(texts, [(0, "ab"), (2, "c<"), (4, " "), (5, "d"), (6, "e")]);
        assert_eq!(
            (runs[1].look.ink.as_deref(), runs[1].look.is_bold),
            (Some("#ffaf00"), true)
        );
        assert_eq!(runs[3].look.ground.as_deref(), Some("#010203"));
        assert_eq!(runs[4].look, TextLook::default());
    }

    #[test]
    fn the_picture_holds_the_text_and_nothing_that_runs() {
        let svg = picture(
            "iodyno \u{1b}[31m<script>\u{1b}[0m  & ▁█\n\n",
            "a \"title\"",
        )
        .unwrap();
        assert!(
            svg.contains("&lt;script&gt;")
                && svg.contains("\u{a0}\u{a0}&amp;\u{a0}▁█")
                && svg.contains("a &quot;title&quot;")
        );
        assert!(!svg.contains("<script") && svg.ends_with("</svg>\n"));
        assert!(picture("\n\n", "nothing").is_err());
    }
}
