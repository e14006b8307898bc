//! Tables whose rows begin with a time of day: sar, mpstat, pidstat.

use super::columns::PrintedColumn;
use super::moment::{Days, time_of_day};
use super::number::number;
use super::series::PrintedSeries;
use super::{banner, clean, commands};
use crate::pieces::Pieces;
use crate::{Piece, Text, Unread};
use model::imported::Imported;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a tool's tables are like.
pub struct Tool {
    /// Its name: `sar`.
    pub name: &'static str,
    /// The columns of a head, of the words after the time; none where it is no head of this tool.
    pub head: fn(&[&str]) -> Option<Vec<PrintedCell>>,
    /// Whether a table that stands alone, without an average after it, is over the time since boot.
    pub alone_is_since_boot: bool,
}

/// What a column of a table is.
#[derive(Clone, Debug)]
pub enum PrintedCell {
    /// Part of the subject's name.
    Subject,
    /// A word that says nothing about storage.
    Skip,
    /// The last column, a name that may hold spaces: part of the subject too.
    Rest,
    /// A value.
    Value(PrintedColumn),
    /// A value that is added to another one of the row: their sum is the field.
    Sum(PrintedColumn),
}

/// A table that is being read.
struct PrintedHead<'a> {
    names: Vec<&'a str>,
    cells: Vec<PrintedCell>,
}

/// A result that is being read.
#[derive(Default)]
struct OpenTable {
    lines: Vec<Range<usize>>,
    facts: BTreeMap<String, String>,
    rows: Vec<PrintedRow>,
    units: BTreeSet<&'static str>,
    unread: Vec<Unread>,
    days: Days,
    times: BTreeSet<u64>,
    has_average: bool,
    last_line: usize,
}

struct PrintedRow {
    column: PrintedColumn,
    subject: String,
    at_ms: f64,
    value: Option<f64>,
}

/// The results of a tool in a text.
pub fn find(text: &Text, tool: &Tool, pieces: &mut Pieces) {
    let mut reader = Reader {
        text,
        tool,
        pieces,
        open: None,
        head: None,
        is_skipped: false,
    };
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if !line.is_empty() && !line.starts_with("^C") {
            reader.line(index, line);
        }
    }
    reader.close();
}

/// Where a text is between two lines.
struct Reader<'a> {
    text: &'a Text<'a>,
    tool: &'a Tool,
    pieces: &'a mut Pieces,
    open: Option<OpenTable>,
    head: Option<PrintedHead<'a>>,
    /// The rows below a head that is not read go with it.
    is_skipped: bool,
}

impl<'a> Reader<'a> {
    fn line(&mut self, index: usize, line: &'a str) {
        if let Some(facts) = banner::banner(line) {
            self.close();
            self.leave_table();
            self.open = Some(OpenTable {
                facts,
                ..OpenTable::of(self.text, index, self.tool)
            });
            return;
        }
        let words: Vec<&'a str> = line.split_whitespace().collect();
        let (at_ms, rest) = match time_of_day(&words) {
            Some((at_ms, taken)) => (Some(at_ms), &words[taken..]),
            None => (None, average(&words)),
        };
        if rest.is_empty() {
            self.another_text();
        } else if let Some(cells) = (self.tool.head)(rest) {
            self.is_skipped = false;
            let (text, tool) = (self.text, self.tool);
            let open = self
                .open
                .get_or_insert_with(|| OpenTable::of(text, index, tool));
            open.head(index, at_ms);
            self.head = Some(PrintedHead {
                names: rest.to_vec(),
                cells,
            });
        } else if rest.iter().all(|word| number(word).is_none()) && !rest.contains(&"RESTART") {
            self.another_head(index, at_ms, rest);
        } else {
            self.row(index, at_ms, rest);
        }
    }

    /// Ends the result that is open.
    fn close(&mut self) {
        let done = self.open.take().and_then(|open| open.finish(self.tool));
        self.pieces.extend(done);
    }

    fn leave_table(&mut self) {
        self.head = None;
        self.is_skipped = false;
    }

    /// Another tool's line, or prose: what follows is another result.
    fn another_text(&mut self) {
        let has_begun = |open: &OpenTable| !open.rows.is_empty() || self.head.is_some();
        if self.open.as_ref().is_some_and(has_begun) {
            self.close();
        }
        self.leave_table();
    }

    /// The head of a table that is not this tool's, or not read.
    fn another_head(&mut self, index: usize, at_ms: Option<f64>, rest: &[&str]) {
        self.leave_table();
        let is_others = rest[0] == "CPU" || rest[0] == "NODE" || rest.contains(&"PID");
        if let Some(open) = self
            .open
            .as_mut()
            .filter(|open| !open.rows.is_empty() && at_ms.is_some() && !is_others)
        {
            open.take(index);
            let (tool, head) = (self.tool.name, rest.join(" "));
            open.unread(index, &format!("this table of {tool} is not read: {head}"));
            self.is_skipped = true;
        }
    }

    fn row(&mut self, index: usize, at_ms: Option<f64>, rest: &[&str]) {
        let Some(open) = self.open.as_mut() else {
            return;
        };
        match &self.head {
            Some(head) => open.row(index, at_ms, rest, head),
            None if self.is_skipped && at_ms.is_some() => {
                open.take(index);
                open.extend_unread(index);
            }
            None => {}
        }
    }
}

/// What follows `Average:` in any language; nothing of another line.
fn average<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    match words {
        [first, rest @ ..] if first.ends_with([':', '\u{ff1a}']) && first.len() > 1 => rest,
        // French puts a space before the colon.
        [_, ":", rest @ ..] => rest,
        _ => &[],
    }
}

impl OpenTable {
    fn of(text: &Text, line: usize, tool: &Tool) -> OpenTable {
        let mut open = OpenTable {
            last_line: line,
            ..OpenTable::default()
        };
        open.lines.push(line..line + 1);
        if let Some((words, at)) = commands::above(text, line, tool.name) {
            open.facts.insert("command".into(), words.join(" "));
            open.lines.insert(0, at..at + 1);
        }
        open
    }

    /// Takes a line as one of this result.
    fn take(&mut self, line: usize) {
        self.last_line = line;
        match self.lines.last_mut() {
            Some(range) if range.end == line => range.end = line + 1,
            Some(range) if range.end > line => {}
            _ => self.lines.push(line..line + 1),
        }
    }

    fn head(&mut self, line: usize, at_ms: Option<f64>) {
        self.take(line);
        match at_ms {
            // The time of a head is that of the report before.
            Some(at_ms) if self.times.is_empty() => {
                self.days.since_first(at_ms);
            }
            Some(_) => {}
            None => self.has_average = true,
        }
    }

    fn row(&mut self, line: usize, at_ms: Option<f64>, words: &[&str], head: &PrintedHead) {
        let Some(at_ms) = at_ms else {
            self.has_average = true;
            return self.take(line);
        };
        let at_ms = self.days.since_first(at_ms);
        match values(words, head) {
            Some((subject, values)) => {
                self.take(line);
                self.times.insert(at_ms.max(0.0) as u64);
                for (column, value) in values {
                    self.units.extend(column.note);
                    self.rows.push(PrintedRow {
                        column,
                        subject: subject.clone(),
                        at_ms,
                        value,
                    });
                }
            }
            None if words.contains(&"RESTART") => {
                self.take(line);
                self.unread(line, "the machine was started anew here");
            }
            None => {
                self.take(line);
                self.unread(line, "this row does not have its table's columns");
            }
        }
    }

    fn unread(&mut self, line: usize, why: &str) {
        let number = line as u64 + 1;
        self.unread.push(Unread {
            lines: Some((number, number)),
            why: why.into(),
        });
    }

    /// The lines that were not read last go on to this one.
    fn extend_unread(&mut self, line: usize) {
        let last = self.unread.last_mut();
        if let Some((_, last)) = last.and_then(|unread| unread.lines.as_mut()) {
            *last = line as u64 + 1;
        }
    }

    fn finish(self, tool: &Tool) -> Option<Piece> {
        if self.rows.is_empty() {
            return None;
        }
        let is_since_boot = tool.alone_is_since_boot && !self.has_average && self.times.len() == 1;
        let mut lossy = Vec::new();
        if is_since_boot {
            lossy.push(format!(
                "the only report is taken for the one since boot: {} with an interval prints an average too",
                tool.name
            ));
        }
        let mut series = PrintedSeries::default();
        for row in &self.rows {
            let field = match is_since_boot {
                true => format!(
                    "{}.since_boot.{}",
                    tool.name,
                    last_word(&row.column.field, tool.name)
                ),
                false => row.column.field.clone(),
            };
            series.push(&field, &row.subject, row.column.unit, row.at_ms, row.value);
        }
        let imported = Imported {
            tool: tool.name.into(),
            name: tool.name.into(),
            lossy,
            units: self.units.iter().map(|note| (*note).to_string()).collect(),
            series: series.finish(),
            facts: self.facts,
            ..Imported::default()
        };
        Some(Piece {
            lines: self.lines,
            imported,
            unread: self.unread,
        })
    }
}

/// `%usr` of `mpstat.%usr`; another field as it is.
pub fn last_word<'a>(field: &'a str, tool: &str) -> &'a str {
    field
        .strip_prefix(tool)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(field)
}

/// A column and its value.
type Valued = (PrintedColumn, Option<f64>);

/// The subject of a row and its values; none where it does not have its table's columns.
fn values(words: &[&str], head: &PrintedHead) -> Option<(String, Vec<Valued>)> {
    let has_rest = matches!(head.cells.last(), Some(PrintedCell::Rest));
    if words.len() != head.cells.len() && !(has_rest && words.len() > head.cells.len()) {
        return None;
    }
    let mut subject: Vec<String> = Vec::new();
    let mut values: Vec<(PrintedColumn, Option<f64>)> = Vec::new();
    let (mut names, mut columns, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (at, (name, cell)) in head.names.iter().zip(&head.cells).enumerate() {
        match cell {
            PrintedCell::Skip => {}
            PrintedCell::Subject => subject.push(words[at].to_string()),
            PrintedCell::Rest => subject.insert(0, words[at..].join(" ")),
            PrintedCell::Value(column) | PrintedCell::Sum(column) => {
                // pidstat has -1 where the kernel does not tell.
                let number = number(words[at])?;
                names.push(*name);
                columns.push(Some(column.clone()));
                numbers.push((number, matches!(cell, PrintedCell::Sum(_))));
            }
        }
    }
    let plain: Vec<f64> = numbers.iter().map(|(number, _)| *number).collect();
    let scaled = super::columns::values(&names, &columns, &plain);
    for ((column, value), (_, is_sum)) in columns.into_iter().flatten().zip(scaled).zip(numbers) {
        match values
            .iter_mut()
            .find(|(known, _)| is_sum && known.field == column.field)
        {
            Some((_, sum)) => *sum = sum.zip(value).map(|(sum, value)| sum + value),
            None => values.push((column, value)),
        }
    }
    Some((subject.join("."), values))
}
