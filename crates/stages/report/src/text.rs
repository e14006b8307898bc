//! Small parts of every text view: colour that only repeats words, lines of one width.

pub use model::text::clean;
use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
pub use view::text::{columns, wrap};

/// Lines are broken to stay within this, where words allow. A narrower terminal has less.
pub const WIDTH: usize = 80;

/// A terminal that is narrower than this breaks lines by itself.
const WIDTH_MIN: usize = 50;

/// What lines stay within.
static TERMINAL: AtomicUsize = AtomicUsize::new(WIDTH);

/// Lines are broken to stay within this.
pub fn width() -> usize {
    TERMINAL.load(Ordering::Relaxed)
}

/// Makes lines fit a terminal of so many columns.
pub fn fit(columns: usize) {
    TERMINAL.store(columns.clamp(WIDTH_MIN, WIDTH), Ordering::Relaxed);
}

/// What is said, for a terminal narrower than [`WIDTH`]: sentences that were made in one line are broken at their words, below the
/// place where they begin. Rows of tables, coloured lines, and lines with a command in them, which a break would spoil, stay.
pub fn narrowed(text: &str) -> Cow<'_, str> {
    let is_long = |line: &str| columns(line) > width();
    if width() >= WIDTH || !text.lines().any(is_long) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<String> = text
        .split('\n')
        .flat_map(|line| sentence(line, width()).unwrap_or_else(|| vec![line.to_string()]))
        .collect();
    Cow::Owned(lines.join("\n"))
}

/// The lines of a line that is a sentence and longer than this, else none.
fn sentence(line: &str, width: usize) -> Option<Vec<String>> {
    let is_left = columns(line) <= width
        || line.contains(['\u{1b}', '`'])
        || ["iodyno ", "sudo "].iter().any(|word| line.contains(word));
    // Behind a word and two spaces begins what is said about it.
    let begin = line.trim_end().rfind("  ").map_or(0, |at| at + 2);
    let (head, rest) = line.split_at(begin);
    let room = width.saturating_sub(columns(head));
    if is_left || room < width / 2 || rest.split(' ').count() < 4 {
        return None;
    }
    // What is a sentence by itself goes on a little to the right.
    let by_itself = if head.trim().is_empty() { 2 } else { 0 };
    let indent = columns(head) + by_itself;
    let lines = wrap(rest, room - (indent - columns(head)));
    let heads = std::iter::once(head.to_string()).chain(std::iter::repeat(" ".repeat(indent)));
    Some(
        lines
            .iter()
            .zip(heads)
            .map(|(line, head)| format!("{head}{line}"))
            .collect(),
    )
}

/// Whether a view may colour what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Paint {
    /// Words only, for pipes, logs and `NO_COLOR`.
    #[default]
    Plain,
    /// ANSI attributes on top of the same words.
    Colour,
}

const STRONG: &str = "\x1b[1m";
const FAINT: &str = "\x1b[2m";
const END: &str = "\x1b[0m";

/// All that a paint writes besides words.
const OWN: [&str; 3] = [STRONG, FAINT, END];

impl Paint {
    /// Text that names a thing.
    pub fn strong(self, text: &str) -> String {
        self.wrap(STRONG, text)
    }

    /// Text that explains.
    pub fn faint(self, text: &str) -> String {
        self.wrap(FAINT, text)
    }

    /// Cleans painted text, and keeps the attributes that a paint adds: every other escape becomes harmless.
    pub fn cleaned(text: &str, clean: fn(&str) -> Cow<'_, str>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((at, own)) = OWN
            .iter()
            .filter_map(|own| Some((rest.find(own)?, *own)))
            .min_by_key(|(at, _)| *at)
        {
            out.push_str(&clean(&rest[..at]));
            out.push_str(own);
            rest = &rest[at + own.len()..];
        }
        out.push_str(&clean(rest));
        out
    }

    fn wrap(self, attribute: &str, text: &str) -> String {
        match self {
            Paint::Colour if !text.is_empty() => format!("{attribute}{text}{END}"),
            _ => text.to_string(),
        }
    }
}

/// Rows as lines of a table, two columns of space between cells: words to the left, numbers to the right.
pub fn aligned<'a>(
    rows: impl Iterator<Item = &'a [String]> + Clone,
    is_words: impl Fn(usize) -> bool,
) -> Vec<String> {
    let count = rows.clone().map(<[String]>::len).max().unwrap_or(0);
    let width = |at: usize| {
        rows.clone()
            .filter_map(|row| row.get(at))
            .map(|cell| columns(cell))
            .max()
    };
    let widths: Vec<usize> = (0..count).map(|at| width(at).unwrap_or(0)).collect();
    let cell = |(at, text): (usize, &String)| {
        let gap = " ".repeat(widths[at] - columns(text));
        match is_words(at) {
            true => format!("{text}{gap}"),
            false => format!("{gap}{text}"),
        }
    };
    let line = |row: &[String]| {
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        format!("  {}", cells.join("  ").trim_end())
    };
    rows.clone().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_only_adds() {
        assert_eq!(Paint::Plain.strong("x"), "x");
        assert_eq!(Paint::Colour.strong("x"), "\x1b[1mx\x1b[0m");
        assert_eq!(Paint::Colour.faint(""), "");
        let painted = format!("{} \x1b[8mx\x1b[2J\x1b[", Paint::Colour.strong("sda"));
        assert_eq!(
            Paint::cleaned(&painted, clean),
            "\x1b[1msda\x1b[0m ?[8mx?[2J?["
        );
    }

    #[test]
    fn a_narrow_terminal_breaks_sentences_and_nothing_else() {
        let of = |line: &str| sentence(line, 40).unwrap_or_else(|| vec![line.into()]);
        assert_eq!(
            of("  nr_requests     not tried: the load keeps 32 in flight and the queue holds 128"),
            [
                "  nr_requests     not tried: the load",
                "                  keeps 32 in flight and",
                "                  the queue holds 128",
            ]
        );
        assert_eq!(
            of("4K random read, depth 32, direct: 365 k IOPS, 1.39 GiB/s"),
            [
                "4K random read, depth 32, direct: 365",
                "  k IOPS, 1.39 GiB/s",
            ]
        );
        let rows = [
            "  read       365 k  1.39 GiB/s   73.2 µs  96.8 µs   212 µs",
            "  show it: iodyno show 3 --json, on a terminal of so many columns",
            "a line that fits",
        ];
        rows.iter().for_each(|row| assert_eq!(of(row), [*row]));
    }
}
