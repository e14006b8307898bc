//! Tables as Markdown writes them, with what copying does to them.

use super::{Quote, cell};
use crate::Text;
use crate::importers::fio_text::{CommandFacts, command_facts, values::plain};

/// More columns than this are no table of results.
const COLUMNS_MAX: usize = 64;
/// More lines than this are no row.
const ROW_LINES_MAX: usize = 200;

/// A row: its cells, and first and last line.
struct QuotedRow {
    cells: Vec<String>,
    lines: (usize, usize),
}

/// The quotes in the tables of a text, and for each line whether it belongs to a table that has some.
pub fn find(text: &Text) -> (Vec<Quote>, Vec<bool>) {
    let mut quotes = Vec::new();
    let mut taken = vec![false; text.lines.len()];
    let mut from = 0;
    for index in 1..text.lines.len() {
        let Some(columns) = rule(text.lines[index]) else {
            continue;
        };
        if index <= from {
            continue;
        }
        let header = cells(text.lines[index - 1]);
        let (rows, end) = rows(
            text,
            index + 1,
            columns,
            text.lines[index - 1].trim_start().starts_with('|'),
        );
        let found = of_table(&shifted(header, columns), &rows);
        if !found.is_empty() {
            taken[index - 1..end].fill(true);
            quotes.extend(found);
        }
        from = end;
    }
    (quotes, taken)
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
fn cells(line: &str) -> Vec<String> {
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
) -> (Vec<QuotedRow>, usize) {
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
        rows.push(QuotedRow {
            cells,
            lines: (first, index - 1),
        });
        if !is_complete {
            break;
        }
    }
    (rows, index)
}

/// The quotes of one table.
fn of_table(header: &[String], rows: &[QuotedRow]) -> Vec<Quote> {
    let is_option =
        |cell: &str| cell.contains("fio ") || cell.starts_with('-') && cell.contains('=');
    let is_fio = header
        .iter()
        .chain(rows.iter().flat_map(|row| &row.cells))
        .any(|cell| is_option(cell));
    let mut quotes = Vec::new();
    for row in rows {
        let read: Vec<_> = row
            .cells
            .iter()
            .map(|cell| cell::read(cell, is_fio))
            .collect();
        let heads: Vec<&String> = row
            .cells
            .iter()
            .zip(&read)
            .filter(|(_, sides)| sides.is_empty())
            .map(|(cell, _)| cell)
            .collect();
        for (column, sides) in read
            .iter()
            .enumerate()
            .filter(|(_, sides)| !sides.is_empty())
        {
            let mut facts = CommandFacts::new();
            let mut labels = Vec::new();
            for head in heads
                .iter()
                .map(|head| head.as_str())
                .chain(header.get(column).map(String::as_str))
            {
                describe(head, &mut facts, &mut labels);
            }
            if let Some(device) = labels.last() {
                facts.insert("model".into(), device.clone());
            }
            facts.insert("table".into(), format!("column {}", column + 1));
            // The label, then what was run.
            let column_head = header.get(column).map(String::as_str);
            let said = heads.iter().map(|head| head.as_str()).chain(column_head);
            let said =
                said.filter(|head| !head.is_empty() && !labels.iter().any(|label| label == head));
            let name = labels
                .iter()
                .map(String::as_str)
                .chain(said)
                .collect::<Vec<_>>()
                .join(": ");
            quotes.push(Quote {
                sides: sides.clone(),
                facts,
                disks: cell::disks(&row.cells[column]),
                name: name.chars().take(160).collect(),
                lines: row.lines,
                lossy: Vec::new(),
            });
        }
    }
    quotes
}

/// A head of a row or column: fio's options, its word for a direction, or what was measured.
fn describe(head: &str, facts: &mut CommandFacts, labels: &mut Vec<String>) {
    let is_command = head.contains("fio ") || head.starts_with('-');
    if is_command {
        let line = if head.contains("fio ") {
            head.to_string()
        } else {
            format!("fio {head}")
        };
        for (name, value) in command_facts(&line) {
            facts.insert(name, value);
        }
        for word in head.split(' ') {
            if let Some(share) = word.strip_prefix("rwmixread=") {
                facts.insert("rwmixread".into(), share.into());
            }
        }
    }
    let modes = [
        "read",
        "write",
        "randread",
        "randwrite",
        "randrw",
        "rw",
        "readwrite",
        "trim",
        "randtrim",
    ];
    match head.split(' ').find(|word| modes.contains(word)) {
        Some(rw) if is_command || head.len() < 12 => {
            facts.insert("rw".into(), rw.into());
        }
        _ if !is_command && !head.is_empty() => labels.push(head.chars().take(80).collect()),
        _ => {}
    }
}
