//! Words and bars that fit where they are put.

use super::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use view::text::ascii_of;
pub use view::text::{columns as width, wrap};

/// Eighths of a row, the lowest for zero.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Where nothing was measured.
const GAP: char = '╌';

/// A name from the machine, with whatever would move the cursor or take other than one column replaced.
pub fn clean(name: &str) -> String {
    let is_plain = |c: char| !model::text::is_unsafe(c) && width(c.encode_utf8(&mut [0; 4])) == 1;
    name.chars()
        .map(|c| if is_plain(c) { c } else { '?' })
        .collect()
}

/// A clean name in so many columns, cut in the middle: both ends of a name tell it from others.
pub fn cut(name: &str, columns: usize) -> String {
    view::text::short(&clean(name), columns)
}

/// Writes into a row from its left end, as far as it reaches; says where it ended.
pub fn left(buffer: &mut Buffer, area: Rect, x: u16, row: u16, text: &str, style: Style) -> u16 {
    if row >= area.height || x >= area.width {
        return x;
    }
    let room = usize::from(area.width - x);
    buffer
        .set_stringn(area.x + x, area.y + row, text, room, style)
        .0
        - area.x
}

/// Writes at the right end of a row, where it fits.
pub fn right(buffer: &mut Buffer, area: Rect, row: u16, text: &str, style: Style) {
    let start = usize::from(area.width).checked_sub(width(text));
    if let Some(start) = start {
        left(buffer, area, start as u16, row, text, style);
    }
}

/// One bar for each value, the highest of them full height; nothing at all is told from zero.
pub fn bars(values: &[Option<f64>]) -> String {
    let top = values.iter().flatten().copied().fold(0.0, f64::max);
    let bar = |value: f64| match top > 0.0 {
        // Anything at all stands out from zero.
        true if value > 0.0 => BARS[((value / top * 7.0).ceil() as usize).clamp(1, 7)],
        _ => BARS[0],
    };
    values.iter().map(|value| value.map_or(GAP, bar)).collect()
}

/// Puts ASCII in place of everything else on a finished screen, so that no panel has to think of it.
pub fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let plain = cell.symbol().chars().next().map_or(' ', ascii_of);
            cell.set_char(plain);
        }
    }
}

/// The screen as lines of text, without what only fills.
pub fn lines(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y: u16| {
        let symbols = (area.left()..area.right()).map(|x| buffer[(x, y)].symbol());
        symbols.collect::<String>().trim_end().to_string()
    };
    (area.top()..area.bottom()).map(row).collect()
}

/// Finishes a screen for its theme.
pub fn finish(buffer: &mut Buffer, theme: &Theme) {
    if theme.is_ascii {
        to_ascii(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned_and_cut_in_the_middle() {
        assert_eq!(clean("sd\u{1b}[31ma\n"), "sd?[31ma?");
        assert_eq!(clean("日本"), "??");
        assert_eq!(cut("nvme0n1", 8), "nvme0n1");
        assert_eq!(cut("vg_mysql-data_lv01", 9), "vg_m…lv01");
        assert_eq!(cut("abc", 1), "…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn no_data_zero_and_little_differ() {
        assert_eq!(bars(&[None, Some(0.0), Some(1.0), Some(1000.0)]), "╌▁▂█");
        assert_eq!(bars(&[Some(0.0), Some(0.0)]), "▁▁");
    }

    #[test]
    fn long_words_keep_their_line() {
        assert_eq!(
            wrap("await with merges says less", 12),
            ["await with", "merges says", "less"]
        );
    }

    #[test]
    fn everything_has_a_plain_character() {
        let mut buffer = Buffer::with_lines(["88.0 µs ▁▂╌█ ◀─▶ 4 °C …"]);
        to_ascii(&mut buffer);
        assert_eq!(lines(&buffer), ["88.0 us _.-# <-> 4  C ~"]);
    }

    #[test]
    fn nothing_is_written_outside() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 6, 1));
        let area = buffer.area;
        assert_eq!(left(&mut buffer, area, 2, 0, "abcdef", Style::new()), 6);
        left(&mut buffer, area, 9, 0, "x", Style::new());
        left(&mut buffer, area, 0, 4, "x", Style::new());
        right(&mut buffer, area, 0, "too long for it", Style::new());
        assert_eq!(lines(&buffer), ["  abcd"]);
    }
}
