//! Tables as Markdown writes them, with what copying does to them.

use crate::Text;
use crate::importers::fio_text::values::plain;
use std::ops::Range;

/// More columns than this are no table of results.
const COLUMNS_MAX: usize = 64;
/// More lines than this are no row.
const ROW_LINES_MAX: usize = 200;

/// A table.
#[derive(Debug)]
pub struct MarkdownTable {
    /// The cells above the rule.
    pub header: Vec<String>,
    /// The rows below it.
    pub rows: Vec<MarkdownRow>,
    /// The lines from its header to its last row.
    pub lines: Range<usize>,
}

/// A row: its cells, and first and last line.
#[derive(Debug)]
pub struct MarkdownRow {
    /// Its cells.
    pub cells: Vec<String>,
    /// First and last line.
    pub lines: (usize, usize),
}

/// The tables of a text, in their order.
pub fn tables(text: &Text) -> Vec<MarkdownTable> {
    let mut tables = Vec::new();
    let mut from = 0;
    for index in 1..text.lines.len() {
        let Some(columns) = rule(text.lines[index]) else {
            continue;
        };
        if index <= from {
            continue;
        }
        let above = text.lines[index - 1];
        let (rows, end) = rows(
            text,
            index + 1,
            columns,
            above.trim_start().starts_with('|'),
        );
        tables.push(MarkdownTable {
            header: shifted(cells(above), columns),
            rows,
            lines: index - 1..end,
        });
        from = end;
    }
    tables
}

/// How many columns a line of dashes and bars says there are.
fn rule(line: &str) -> Option<usize> {
    let line = line.trim();
    let is_rule = line.contains("---") && line.contains('|');
    let is_only = line
        .chars()
        .all(|c| matches!(c, '-' | '|' | ':' | ' ' | '\u{2014}' | '\u{2013}'));
    let columns = line.trim_matches('|').split('|').count();
    (is_rule && is_only && (2..=COLUMNS_MAX).contains(&columns)).then_some(columns)
}

/// The cells of a line, without the bars at its ends.
pub fn cells(line: &str) -> Vec<String> {
    let line = plain(line);
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    line.split('|')
        .map(|cell| cell.trim().to_string())
        .collect()
}

/// An empty cell in the corner is lost when a page's text is copied: what should be last is then empty.
fn shifted(mut header: Vec<String>, columns: usize) -> Vec<String> {
    let has_lost_corner = header.len() == columns
        && header.last().is_some_and(String::is_empty)
        && header.first().is_some_and(|first| !first.is_empty());
    if has_lost_corner || header.len() + 1 == columns {
        header.insert(0, String::new());
        header.truncate(columns);
    }
    header
}

/// The rows from a line on, and the line after them. A row whose cells hold line ends goes over several lines.
fn rows(
    text: &Text,
    start: usize,
    columns: usize,
    has_leading_bar: bool,
) -> (Vec<MarkdownRow>, usize) {
    let (mut rows, mut index) = (Vec::new(), start);
    while index < text.lines.len() {
        if !text.lines[index].contains('|') {
            break;
        }
        let first = index;
        let mut whole = String::new();
        let mut is_complete = false;
        while index < text.lines.len() && index < first + ROW_LINES_MAX {
            let line = text.lines[index].trim();
            if index > first && (line.is_empty() || !line.contains('|') && index > first + 3) {
                break;
            }
            whole.push_str(line);
            whole.push(' ');
            index += 1;
            let bars =
                whole.matches('|').count() - usize::from(has_leading_bar && whole.starts_with('|'));
            // A table without bars at the ends of its rows has one bar less, and rows of one line.
            is_complete = bars >= columns || bars + 1 == columns && !line.ends_with('|');
            if is_complete {
                break;
            }
        }
        let cells = cells(&whole);
        rows.push(MarkdownRow {
            cells,
            lines: (first, index - 1),
        });
        if !is_complete {
            break;
        }
    }
    (rows, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_corner_is_put_back_and_broken_rows_are_whole() {
        let text =
            "before\nA | B | |\n---|---|---|\ndd | 1 s | 2 s |\nfio | bw=1 |\nbw=2 |\nafter\n";
        let found = tables(&Text::new(text));
        assert_eq!((found.len(), found[0].lines.clone()), (1, 1..6));
        assert_eq!(found[0].header, ["", "A", "B"]);
        let rows: Vec<_> = found[0]
            .rows
            .iter()
            .map(|row| (row.lines, row.cells.len()))
            .collect();
        assert_eq!(rows, [((3, 3), 3), ((4, 5), 3)]);
    }
}
