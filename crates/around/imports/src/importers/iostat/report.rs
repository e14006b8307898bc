//! From tables to reports to series: what belongs to one run of iostat, and when each report was.

use super::table::{self, IostatTable};
use crate::pieces::Pieces;
use crate::printed::columns::{self, PrintedColumn};
use crate::printed::moment::{Days, stamp};
use crate::printed::number::number;
use crate::printed::series::PrintedSeries;
use crate::printed::tables::last_word;
use crate::printed::{banner, clean, commands};
use crate::{Piece, Text, Unread};
use model::imported::Imported;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// One value of a report.
struct Value {
    report: usize,
    column: PrintedColumn,
    subject: String,
    value: Option<f64>,
}

/// A run of iostat that is being read.
#[derive(Default)]
struct IostatRun<'a> {
    lines: Vec<Range<usize>>,
    facts: BTreeMap<String, String>,
    has_banner: bool,
    command: Option<Vec<&'a str>>,
    values: Vec<Value>,
    /// Times of the reports, where they have some.
    times: BTreeMap<usize, f64>,
    first_unix_ms: Option<u64>,
    days: Days,
    unread: Vec<Unread>,
    /// The report that is being read, and what of it was seen.
    report: usize,
    has_cpu: bool,
    heads: Vec<IostatTable<'a>>,
    devices: BTreeSet<(usize, String)>,
    is_begun: bool,
}

/// What the next line may belong to.
#[derive(Default)]
struct IostatReading<'a> {
    table: Option<IostatTable<'a>>,
    /// Columns of `avg-cpu:` whose numbers are still to come.
    cpu: Option<Vec<&'a str>>,
    /// A device's name that stood alone in its line.
    name: Option<(&'a str, usize)>,
}

/// All runs in a text.
pub fn find(text: &Text, pieces: &mut Pieces) {
    let mut run = IostatRun::default();
    let mut reading = IostatReading::default();
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if line.is_empty() || line == "^C" {
            continue;
        }
        if let Some(facts) = banner::banner(line) {
            pieces.extend(std::mem::take(&mut run).finish());
            reading = IostatReading::default();
            run.facts = facts;
            run.has_banner = true;
            run.begin(text, index);
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if run.line(text, index, line, &words, &mut reading) {
            continue;
        }
        // Somebody else's line ends a run.
        pieces.extend(std::mem::take(&mut run).finish());
        reading = IostatReading::default();
    }
    pieces.extend(run.finish());
}

impl<'a> IostatRun<'a> {
    fn begin(&mut self, text: &Text<'a>, line: usize) {
        self.is_begun = true;
        if let Some((words, at)) = commands::above(text, line, "iostat") {
            self.facts.insert("command".into(), words.join(" "));
            self.command = Some(words);
            self.lines.push(at..at + 1);
        }
        self.take(line);
    }

    fn take(&mut self, line: usize) {
        match self.lines.last_mut() {
            Some(range) if range.end == line => range.end = line + 1,
            Some(range) if range.end > line => {}
            _ => self.lines.push(line..line + 1),
        }
    }

    /// Takes a line; false where it is not iostat's.
    fn line(
        &mut self,
        text: &Text<'a>,
        index: usize,
        line: &str,
        words: &[&'a str],
        reading: &mut IostatReading<'a>,
    ) -> bool {
        if let Some((at_ms, unix)) = stamp(line) {
            return self.stamped(text, index, at_ms, unix, reading);
        }
        if let Some((names, rest)) = table::cpu_names(words) {
            if !self.is_begun {
                self.begin(text, index);
            }
            self.take(index);
            if self.has_cpu {
                self.next_report();
            }
            // A new set of shares begins a report also where devices had come first.
            if !self.heads.is_empty() {
                self.next_report();
            }
            self.has_cpu = true;
            *reading = IostatReading::default();
            return self.cpu_line(names, rest, reading);
        }
        if let Some((table, rest)) = table::head(words) {
            if !self.is_begun {
                self.begin(text, index);
            }
            self.take(index);
            self.head(&table);
            *reading = IostatReading::default();
            if let Some(rows) = table.rows(rest) {
                rows.into_iter()
                    .for_each(|(device, values)| self.row(&table, device, values));
            } else if !rest.is_empty() {
                self.unread(index, "these words after the head are no rows of it");
            }
            reading.table = Some(table);
            return true;
        }
        self.numbers(index, words, reading)
    }

    /// A date and a time above a report.
    fn stamped(
        &mut self,
        text: &Text<'a>,
        index: usize,
        at_ms: f64,
        unix: Option<u64>,
        reading: &mut IostatReading<'a>,
    ) -> bool {
        if !self.is_begun {
            self.begin(text, index);
        }
        self.take(index);
        if self.has_cpu || !self.heads.is_empty() {
            self.next_report();
        }
        let at_ms = self.days.since_first(at_ms);
        if self.times.is_empty() {
            self.first_unix_ms = unix;
        }
        self.times.insert(self.report, at_ms);
        *reading = IostatReading::default();
        true
    }

    /// The shares of a head that may have them behind it.
    fn cpu_line(
        &mut self,
        names: Vec<&'a str>,
        rest: &[&'a str],
        reading: &mut IostatReading<'a>,
    ) -> bool {
        if table::is_shares(rest, names.len()) {
            self.shares(&names, rest);
        } else {
            reading.cpu = Some(names);
        }
        true
    }

    /// A line that is not a head: shares, a row, or a part of one.
    fn numbers(
        &mut self,
        index: usize,
        words: &[&'a str],
        reading: &mut IostatReading<'a>,
    ) -> bool {
        if let Some(names) = reading.cpu.take()
            && table::is_shares(words, names.len())
        {
            self.take(index);
            self.shares(&names, words);
            return true;
        }
        let Some(table) = reading.table.clone() else {
            return false;
        };
        let name = reading.name.take();
        if let Some((device, at)) = name
            && let Some(values) = table.values(words)
        {
            self.take(at);
            self.take(index);
            self.row(&table, device, values);
            return true;
        }
        if let Some((device, values)) = table.row(words) {
            self.take(index);
            self.row(&table, device, values);
            return true;
        }
        if let [device] = words
            && number(device).is_none()
        {
            reading.name = Some((device, index));
            return true;
        }
        // A row that lost some of its numbers is said; prose is another matter.
        let numbers = words
            .iter()
            .skip(1)
            .filter(|word| number(word).is_some())
            .count();
        if words.len() > 1 && numbers + 2 >= words.len() && numbers * 2 > table.names.len() {
            self.take(index);
            self.unread(index, "this row does not have its table's columns");
            return true;
        }
        false
    }

    fn head(&mut self, table: &IostatTable<'a>) {
        if self.heads.iter().any(|known| known.is_like(table)) {
            self.next_report();
        }
        self.heads.push(table.clone());
    }

    fn next_report(&mut self) {
        self.report += 1;
        self.has_cpu = false;
        self.heads.clear();
        self.devices.clear();
    }

    fn shares(&mut self, names: &[&str], words: &[&str]) {
        for (name, word) in names.iter().zip(words) {
            let Some(column) = columns::cpu("iostat", name) else {
                continue;
            };
            let value = Value {
                report: self.report,
                column,
                subject: "all".into(),
                value: number(word),
            };
            self.values.push(value);
        }
    }

    fn row(&mut self, table: &IostatTable<'a>, device: &str, values: Vec<Option<f64>>) {
        let key = (self.heads.len(), device.to_string());
        // The same device once more without a head: somebody took the heads of later reports out.
        if !self.devices.insert(key.clone()) {
            let heads = std::mem::take(&mut self.heads);
            self.next_report();
            self.heads = heads;
            self.devices.insert(key);
        }
        for (column, value) in table.columns.iter().zip(values) {
            let Some(column) = column.clone() else {
                continue;
            };
            self.values.push(Value {
                report: self.report,
                column,
                subject: device.to_string(),
                value,
            });
        }
    }

    fn unread(&mut self, line: usize, why: &str) {
        let number = line as u64 + 1;
        self.unread.push(Unread {
            lines: Some((number, number)),
            why: why.into(),
        });
    }

    /// Whether the first report is since boot: the head or the command tells, `-y` denies it.
    fn is_first_since_boot(&self) -> bool {
        let omits = |words: &Vec<&str>| {
            words
                .iter()
                .skip(1)
                .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('y'))
        };
        (self.has_banner || self.command.is_some()) && !self.command.as_ref().is_some_and(omits)
    }

    fn finish(self) -> Option<Piece> {
        let first = self.values.first()?.report;
        let since_boot = self.is_first_since_boot().then_some(first);
        let interval_s = self
            .command
            .as_ref()
            .and_then(|words| commands::interval_s(words));
        let time = |report: usize| match self.times.get(&report) {
            Some(at_ms) => *at_ms,
            None => (report - first) as f64 * interval_s.unwrap_or(1.0) * 1e3,
        };
        let mut series = PrintedSeries::default();
        let mut units: BTreeSet<&str> = BTreeSet::new();
        for value in &self.values {
            units.extend(value.column.note);
            let field = match since_boot == Some(value.report) {
                true => format!(
                    "iostat.since_boot.{}",
                    last_word(&value.column.field, "iostat")
                ),
                false => value.column.field.clone(),
            };
            series.push(
                &field,
                &value.subject,
                value.column.unit,
                time(value.report),
                value.value,
            );
        }
        let imported = Imported {
            tool: "iostat".into(),
            name: "iostat".into(),
            measured_unix_ms: self.first_unix_ms,
            lossy: self.lossy(interval_s, first),
            units: units.into_iter().map(str::to_string).collect(),
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

    fn lossy(&self, interval_s: Option<f64>, first: usize) -> Vec<String> {
        let mut lossy = Vec::new();
        if self.times.is_empty() && interval_s.is_none() && self.report > first {
            lossy.push(
                "the text tells no times and no interval: reports are taken as a second apart"
                    .into(),
            );
        }
        if !self.has_banner && self.command.is_none() {
            lossy.push(
                "the first report may be the one since boot: the head of the output is missing"
                    .into(),
            );
        } else if self.is_first_since_boot() && self.command.is_none() {
            lossy.push(
                "the first report is taken for the one since boot: it would not be with -y".into(),
            );
        }
        lossy
    }
}
