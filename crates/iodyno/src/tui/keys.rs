//! The keys: one table that feeds what they do, the help, the footer and the palette.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Leave.
    Quit,
    /// The list of keys.
    Help,
    /// Back, or close what is open.
    Close,
    /// The next row.
    Down,
    /// The row before.
    Up,
    /// So many rows on.
    PageDown,
    /// So many rows back.
    PageUp,
    /// The first row.
    First,
    /// The last row.
    Last,
    /// The next panel.
    NextPanel,
    /// The panel before.
    PreviousPanel,
    /// Shows or hides the panel of this number.
    Show(char),
    /// The panel on the whole screen, and back.
    Expand,
    /// Stops the picture, not the sampling.
    Pause,
    /// So many samples on, or back where negative.
    Step(i64),
    /// The present again.
    Live,
    /// A shorter time span.
    Shorter,
    /// A longer one.
    Longer,
    /// Samples more often.
    Faster,
    /// Samples less often.
    Slower,
    /// The menu of columns to sort by.
    Sort,
    /// Turns the order.
    Reverse,
    /// Types a filter.
    Filter,
    /// The devices to show.
    Devices,
    /// Idle devices too.
    Idle,
    /// The heat map by time waited.
    HeatTime,
    /// Reads, writes, or the busier.
    Side,
    /// Findings with their evidence.
    Findings,
    /// What the fields mean.
    Explain,
    /// Starts or ends a record.
    Record,
    /// Writes the screen into a file.
    Write,
    /// The palette.
    Palette,
    /// Gives the terminal to the shell.
    Suspend,
}

/// One entry of the table.
pub struct Key {
    /// The keys themselves.
    strokes: &'static [Stroke],
    /// As people read them: `space`, `← h`.
    pub shown: &'static str,
    /// Its name in the palette.
    pub name: &'static str,
    /// What it does, half a sentence.
    pub does: &'static str,
    /// What the footer says of it, and how early it is left out where there is no room: the highest first.
    pub footer: Option<(&'static str, u8)>,
    /// What it asks for.
    pub command: Command,
}

/// A key with or without Ctrl; Shift where a letter does not say it itself.
#[derive(Clone, Copy, PartialEq)]
enum Stroke {
    Plain(KeyCode),
    Ctrl(char),
    Shift(KeyCode),
}

const fn letter(letter: char) -> Stroke {
    Stroke::Plain(KeyCode::Char(letter))
}

const fn key(
    strokes: &'static [Stroke],
    shown: &'static str,
    name: &'static str,
    does: &'static str,
    footer: Option<(&'static str, u8)>,
    command: Command,
) -> Key {
    Key {
        strokes,
        shown,
        name,
        does,
        footer,
        command,
    }
}

use KeyCode::{BackTab, Down, End, Enter, Esc, F, Home, Left, PageDown, PageUp, Right, Tab, Up};
use Stroke::{Ctrl, Plain, Shift};

/// Every key, in the order of the help: a small terminal shows only the first twenty, so what every reader needs comes
/// first.
pub static TABLE: &[Key] = &[
    key(
        &[letter('q'), Ctrl('c')],
        "q Ctrl-C",
        "quit",
        "leaves, a record is kept; q closes what is open first",
        Some(("q quit", 0)),
        Command::Quit,
    ),
    key(
        &[letter('?'), Plain(F(1))],
        "? F1",
        "help",
        "this list",
        None,
        Command::Help,
    ),
    key(
        &[letter(' ')],
        "space",
        "pause",
        "stops the picture; sampling goes on",
        Some(("space pause", 2)),
        Command::Pause,
    ),
    key(
        &[letter('h'), Plain(Left), letter('t')],
        "← h t",
        "back",
        "one sample back in time; pauses",
        Some(("←→ time", 3)),
        Command::Step(-1),
    ),
    key(
        &[letter('l'), Plain(Right), letter('T')],
        "→ l T",
        "forward",
        "one sample on, as far as the present",
        None,
        Command::Step(1),
    ),
    key(
        &[letter('F'), Plain(End)],
        "F End",
        "live",
        "the present again",
        Some(("End live", 9)),
        Command::Live,
    ),
    key(
        &[Plain(Esc)],
        "Esc",
        "close",
        "goes back, closes what is open, clears the filter",
        None,
        Command::Close,
    ),
    key(
        &[letter('j'), Plain(Down)],
        "j ↓",
        "down",
        "the next row",
        None,
        Command::Down,
    ),
    key(
        &[letter('k'), Plain(Up)],
        "k ↑",
        "up",
        "the row before",
        None,
        Command::Up,
    ),
    key(
        &[Ctrl('d'), Plain(PageDown)],
        "Ctrl-d PgDn",
        "page down",
        "ten rows on",
        None,
        Command::PageDown,
    ),
    key(
        &[Ctrl('u'), Plain(PageUp)],
        "Ctrl-u PgUp",
        "page up",
        "ten rows back",
        None,
        Command::PageUp,
    ),
    key(
        &[letter('g'), Plain(Home)],
        "g Home",
        "first",
        "the first row",
        None,
        Command::First,
    ),
    key(
        &[letter('G')],
        "G",
        "last",
        "the last row",
        None,
        Command::Last,
    ),
    key(
        &[Plain(Tab)],
        "Tab",
        "next panel",
        "goes to the next panel",
        None,
        Command::NextPanel,
    ),
    key(
        &[Plain(BackTab)],
        "Shift-Tab",
        "previous panel",
        "goes to the panel before",
        None,
        Command::PreviousPanel,
    ),
    key(
        &[letter('1')],
        "1",
        "devices",
        "shows or hides the devices",
        None,
        Command::Show('1'),
    ),
    key(
        &[letter('2')],
        "2",
        "latency",
        "shows or hides the latency map",
        None,
        Command::Show('2'),
    ),
    key(
        &[letter('3')],
        "3",
        "layers",
        "shows or hides the layers",
        None,
        Command::Show('3'),
    ),
    key(
        &[letter('4')],
        "4",
        "dirty",
        "shows or hides the dirty pages",
        None,
        Command::Show('4'),
    ),
    key(
        &[letter('5')],
        "5",
        "cpus",
        "shows or hides the CPUs",
        None,
        Command::Show('5'),
    ),
    key(
        &[letter('6')],
        "6",
        "who",
        "shows or hides processes and groups",
        None,
        Command::Show('6'),
    ),
    key(
        &[letter('7')],
        "7",
        "findings line",
        "shows or hides the findings",
        None,
        Command::Show('7'),
    ),
    key(
        &[letter('8')],
        "8",
        "pressure",
        "shows or hides pressure and health",
        None,
        Command::Show('8'),
    ),
    key(
        &[Plain(Enter), letter('e'), letter('z')],
        "Enter e z",
        "expand",
        "the panel on the whole screen, and back",
        Some(("e expand", 6)),
        Command::Expand,
    ),
    key(
        &[letter('H'), Shift(Left)],
        "Shift-← H",
        "ten back",
        "ten samples back",
        None,
        Command::Step(-10),
    ),
    key(
        &[letter('L'), Shift(Right)],
        "Shift-→ L",
        "ten forward",
        "ten samples on",
        None,
        Command::Step(10),
    ),
    key(
        &[letter('[')],
        "[",
        "shorter span",
        "a shorter time span: 30 s, 1, 5, 15, 60 min",
        Some(("[ ] span", 7)),
        Command::Shorter,
    ),
    key(
        &[letter(']')],
        "]",
        "longer span",
        "a longer time span",
        None,
        Command::Longer,
    ),
    key(
        &[letter('+'), letter('=')],
        "+",
        "sample faster",
        "samples more often, down to 10 ms",
        None,
        Command::Faster,
    ),
    key(
        &[letter('-')],
        "-",
        "sample slower",
        "samples less often, up to 10 s",
        None,
        Command::Slower,
    ),
    key(
        &[letter('s'), Plain(F(6))],
        "s F6",
        "sort",
        "chooses the column to sort by",
        Some(("s sort", 4)),
        Command::Sort,
    ),
    key(
        &[letter('r'), letter('I')],
        "r I",
        "reverse",
        "turns the order",
        None,
        Command::Reverse,
    ),
    key(
        &[letter('/'), Plain(F(4))],
        "/ F4",
        "filter",
        "shows only names that hold a text",
        Some(("/ filter", 5)),
        Command::Filter,
    ),
    key(
        &[letter('d')],
        "d",
        "choose devices",
        "chooses the devices to show",
        None,
        Command::Devices,
    ),
    key(
        &[letter('i')],
        "i",
        "idle",
        "shows idle devices and partitions too",
        None,
        Command::Idle,
    ),
    key(
        &[letter('c')],
        "c",
        "heat map by time",
        "the map by I/Os or by time waited",
        None,
        Command::HeatTime,
    ),
    key(
        &[letter('m')],
        "m",
        "direction",
        "reads, writes, or the busier of them",
        None,
        Command::Side,
    ),
    key(
        &[letter('f')],
        "f",
        "findings",
        "findings: evidence, what refutes them, what to try",
        Some(("f findings", 10)),
        Command::Findings,
    ),
    key(
        &[letter('x'), letter('K')],
        "x K",
        "explain",
        "what the panel's fields mean and cannot tell",
        Some(("x explain", 8)),
        Command::Explain,
    ),
    key(
        &[letter('R')],
        "R",
        "record",
        "starts a record of every sensor, or ends and keeps it",
        Some(("R rec", 5)),
        Command::Record,
    ),
    key(
        &[letter('w')],
        "w",
        "write view",
        "writes this screen as text into a file",
        Some(("w write", 11)),
        Command::Write,
    ),
    key(
        &[letter(':')],
        ":",
        "palette",
        "every action by its name",
        Some((": command", 12)),
        Command::Palette,
    ),
    key(
        &[Ctrl('z')],
        "Ctrl-Z",
        "suspend",
        "gives the terminal to the shell; fg comes back",
        None,
        Command::Suspend,
    ),
];

/// What a key press asks for.
pub fn command(event: KeyEvent) -> Option<Command> {
    TABLE
        .iter()
        .find(|key| key.strokes.iter().any(|stroke| stroke.is(event)))
        .map(|key| key.command)
}

impl Stroke {
    fn is(self, event: KeyEvent) -> bool {
        let has = |modifier| event.modifiers.contains(modifier);
        match self {
            // Shift is part of a letter, and of a back tab.
            Plain(code @ (KeyCode::Char(_) | BackTab)) => {
                event.code == code && !has(KeyModifiers::CONTROL)
            }
            Plain(code) => event.code == code && event.modifiers.is_empty(),
            Ctrl(letter) => event.code == KeyCode::Char(letter) && has(KeyModifiers::CONTROL),
            Shift(code) => event.code == code && has(KeyModifiers::SHIFT),
        }
    }
}

/// The keys at the bottom: how to leave, the panels, then as many of the others as there is room for. They stand in the
/// order of the panels and of the table.
pub fn footer(panels: &[(char, &str)], width: usize) -> String {
    let others = TABLE.iter().enumerate().filter_map(|(place, key)| {
        key.footer
            .map(|(text, rank)| (rank, place + panels.len(), text.to_string()))
    });
    let panel = |(place, (key, name)): (usize, &(char, &str))| {
        // The first six are on every screen; findings and the state of the machine come and go.
        let rank = if matches!(key, '1'..='6') { 1 } else { 8 };
        (rank, place, format!("[{key}]{name}"))
    };
    let mut wanted: Vec<(u8, usize, String)> =
        panels.iter().enumerate().map(panel).chain(others).collect();
    wanted.sort();
    let mut used = 0;
    wanted.retain(|(_, place, text)| {
        let gap = if *place < panels.len() { 1 } else { 2 };
        let more = super::text::width(text) + gap;
        let fits = used + more <= width + 1;
        used += if fits { more } else { 0 };
        fits
    });
    wanted.sort_by_key(|(_, place, _)| *place);
    let mut line = String::new();
    for (_, place, text) in wanted {
        let gap = if line.is_empty() {
            ""
        } else if place < panels.len() {
            " "
        } else {
            "  "
        };
        line.push_str(gap);
        line.push_str(&text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<Command> {
        command(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn every_key_means_one_thing() {
        for (place, one) in TABLE.iter().enumerate() {
            for other in &TABLE[place + 1..] {
                assert!(
                    !one.strokes
                        .iter()
                        .any(|stroke| other.strokes.contains(stroke)),
                    "{}",
                    other.name
                );
                assert_ne!(one.name, other.name);
            }
        }
        assert!(
            TABLE
                .iter()
                .all(|key| !key.does.is_empty() && !key.shown.is_empty())
        );
    }

    #[test]
    fn shift_and_control_are_told_apart() {
        let none = KeyModifiers::NONE;
        assert_eq!(
            press(KeyCode::Char('c'), KeyModifiers::CONTROL),
            Some(Command::Quit)
        );
        assert_eq!(press(KeyCode::Char('c'), none), Some(Command::HeatTime));
        assert_eq!(
            press(KeyCode::Left, KeyModifiers::SHIFT),
            Some(Command::Step(-10))
        );
        assert_eq!(press(KeyCode::Left, none), Some(Command::Step(-1)));
        assert_eq!(
            press(KeyCode::Char('G'), KeyModifiers::SHIFT),
            Some(Command::Last)
        );
        assert_eq!(press(KeyCode::Char('y'), none), None);
    }

    #[test]
    fn the_footer_says_how_to_leave_at_any_width() {
        let panels = [('1', "dev"), ('2', "lat"), ('3', "layers")];
        for width in 50..200 {
            let line = footer(&panels, width);
            assert!(super::super::text::width(&line) <= width, "{line}");
            assert!(
                line.contains("q quit") && line.contains("[3]layer"),
                "{line}"
            );
        }
        assert!(footer(&panels, 200).ends_with(": command"));
    }
}
