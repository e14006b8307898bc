//! # vmstat
//!
//! Paging, the run queue, memory and CPU shares, as series.
//!
//! ## What it reads
//! The rows of `vmstat` of procps and BusyBox, with `-a`, `-w` and `-t`, below the head `r b swpd free …`. Columns that are
//! a field of iodyno's have its name (`stat.blocked_tasks`, `vm.paged_in_bytes_per_s`), the others their own after
//! `vmstat.`.
//!
//! The first row is over the time since boot (but for memory and tasks). It stands under `vmstat.since_boot.` and not among
//! the others.
//!
//! ## What is lost
//! The unit of memory is not in the text: KiB is taken, vmstat's own, unless the command line with `-S` stands above. Without
//! `-t` and without the command line nothing tells how long an interval was: a second is taken, and the result says so.
//! `us` and `sy` hold lowered priority and interrupts, so they are not the fields that mpstat's columns are.
//!
//! ## Example
//! `vmstat -t 1 60 >vmstat.txt; iodyno import vmstat.txt`

use crate::pieces::Pieces;
use crate::printed::columns::{PrintedColumn, plain};
use crate::printed::moment::{Days, time_of_day};
use crate::printed::number::number;
use crate::printed::series::PrintedSeries;
use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text, Unread};
use model::imported::Imported;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "vmstat",
    since: "0.1",
    reads: "the rows of vmstat",
    how: How::Text(find),
};

const MEMORY: &str = "memory is taken as KiB, vmstat's own unit: the text does not tell of -S";
const BLOCKS: &str = "bi, bo, si and so are KiB a second";
/// A head has the columns of the first versions at least.
const COLUMNS_MIN: usize = 12;

/// One vmstat that is being read.
struct VmstatRun<'a> {
    lines: Vec<Range<usize>>,
    names: Vec<&'a str>,
    command: Option<Vec<&'a str>>,
    memory_factor: f64,
    rows: Vec<(Option<f64>, Vec<f64>)>,
    days: Days,
    unread: Vec<Unread>,
}

fn find(text: &Text, pieces: &mut Pieces) {
    let mut run: Option<VmstatRun> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if line.is_empty() || line.starts_with("^C") || is_title(line) {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(names) = head(&words) {
            match &mut run {
                Some(run) if run.names == names => run.take(index),
                _ => {
                    pieces.extend(run.take().and_then(VmstatRun::finish));
                    run = Some(VmstatRun::new(text, index, names));
                }
            }
            continue;
        }
        if !run.as_mut().is_none_or(|run| run.line(index, &words)) {
            pieces.extend(run.take().and_then(VmstatRun::finish));
        }
    }
    pieces.extend(run.and_then(VmstatRun::finish));
}

/// The line above the head: `procs -----------memory---------- …`.
fn is_title(line: &str) -> bool {
    line.trim_start_matches('-').starts_with("procs")
        && line.contains("memory")
        && line.contains("cpu")
}

/// The columns of a head.
fn head<'a>(words: &[&'a str]) -> Option<Vec<&'a str>> {
    let is_head = words.starts_with(&["r", "b", "swpd", "free"]) && words.len() >= COLUMNS_MIN;
    let end = words.iter().rposition(|word| column(word, 1.0).is_some())? + 1;
    (is_head && words.contains(&"wa")).then(|| words[..end].to_vec())
}

impl<'a> VmstatRun<'a> {
    fn new(text: &Text<'a>, index: usize, names: Vec<&'a str>) -> VmstatRun<'a> {
        let has_title = index > 0 && is_title(clean(text.lines[index - 1]));
        let mut lines = Vec::new();
        lines.push(index - usize::from(has_title)..index + 1);
        let above = commands::above(text, lines[0].start, "vmstat");
        if let Some((_, at)) = &above {
            lines.insert(0, *at..*at + 1);
        }
        let command = above.map(|(words, _)| words);
        let memory_factor = command
            .as_ref()
            .map_or(1024.0, |words| memory_factor(words));
        VmstatRun {
            lines,
            names,
            command,
            memory_factor,
            rows: Vec::new(),
            days: Days::default(),
            unread: Vec::new(),
        }
    }

    fn take(&mut self, line: usize) {
        match self.lines.last_mut() {
            Some(range) if range.end == line => range.end = line + 1,
            Some(range) if range.end > line => {}
            _ => self.lines.push(line..line + 1),
        }
    }

    /// Takes a line; false where it is no row.
    fn line(&mut self, index: usize, words: &[&str]) -> bool {
        if number(words[0]).is_none() {
            return false;
        }
        self.take(index);
        let numbers = words.get(..self.names.len()).and_then(|words| {
            words
                .iter()
                .map(|word| number(word))
                .collect::<Option<Vec<f64>>>()
        });
        let Some(numbers) = numbers else {
            let number = index as u64 + 1;
            let why = "this row does not have its table's columns".into();
            self.unread.push(Unread {
                lines: Some((number, number)),
                why,
            });
            return true;
        };
        let stamp = words.get(self.names.len() + 1..).and_then(time_of_day);
        let at_ms = stamp.map(|(ms, _)| self.days.since_first(ms));
        self.rows.push((at_ms, numbers));
        true
    }

    fn finish(self) -> Option<Piece> {
        if self.rows.is_empty() {
            return None;
        }
        let interval_s = self
            .command
            .as_ref()
            .and_then(|words| commands::interval_s(words));
        let mut series = PrintedSeries::default();
        let mut units: BTreeSet<&str> = BTreeSet::new();
        for (row, (at_ms, numbers)) in self.rows.iter().enumerate() {
            let at_ms = at_ms.unwrap_or(row as f64 * interval_s.unwrap_or(1.0) * 1e3);
            for (name, value) in self.names.iter().zip(numbers) {
                let Some((column, is_gauge)) = column(name, self.memory_factor) else {
                    continue;
                };
                units.extend(
                    column
                        .note
                        .filter(|note| *note != MEMORY || self.command.is_none()),
                );
                let field = match row == 0 && !is_gauge {
                    true => format!("vmstat.since_boot.{name}"),
                    false => column.field,
                };
                let subject = if column.unit == "percent" { "all" } else { "" };
                series.push(
                    &field,
                    subject,
                    column.unit,
                    at_ms,
                    Some(value * column.factor),
                );
            }
        }
        let mut lossy = Vec::new();
        if self.rows.iter().all(|(at_ms, _)| at_ms.is_none())
            && interval_s.is_none()
            && self.rows.len() > 1
        {
            lossy.push(
                "the text tells no times and no interval: rows are taken as a second apart".into(),
            );
        }
        let command = self
            .command
            .map(|words| ("command".to_string(), words.join(" ")));
        let imported = Imported {
            tool: "vmstat".into(),
            name: "vmstat".into(),
            lossy,
            units: units.into_iter().map(str::to_string).collect(),
            series: series.finish(),
            facts: command.into_iter().collect::<BTreeMap<_, _>>(),
            ..Imported::default()
        };
        Some(Piece {
            lines: self.lines,
            imported,
            unread: self.unread,
        })
    }
}

/// Bytes of the unit that `-S` names.
fn memory_factor(words: &[&str]) -> f64 {
    let place = words.iter().position(|word| *word == "-S");
    let joined = words
        .iter()
        .find_map(|word| word.strip_prefix("-S").filter(|unit| !unit.is_empty()));
    match joined.or_else(|| words.get(place? + 1).copied()) {
        Some("k") => 1e3,
        Some("m") => 1e6,
        Some("M") => 1_048_576.0,
        _ => 1024.0,
    }
}

/// What a column is, and whether it is of the moment rather than over the interval.
fn column(name: &str, memory_factor: f64) -> Option<(PrintedColumn, bool)> {
    let scaled = |field: &str, unit, factor, note| {
        Some(PrintedColumn {
            field: field.into(),
            unit,
            factor,
            note: Some(note),
        })
    };
    let memory = |field: &str| scaled(field, "bytes", memory_factor, MEMORY);
    let blocks = |field: &str| scaled(field, "bytes/s", 1024.0, BLOCKS);
    let own = || format!("vmstat.{name}");
    let column = match name {
        "r" => plain("stat.running_tasks", "tasks"),
        "b" => plain("stat.blocked_tasks", "tasks"),
        "free" => memory("memory.free_bytes"),
        "buff" => memory("memory.buffers_bytes"),
        "swpd" | "cache" | "inact" | "active" => memory(&own()),
        "si" => blocks("vm.swapped_in_bytes_per_s"),
        "so" => blocks("vm.swapped_out_bytes_per_s"),
        "bi" => blocks("vm.paged_in_bytes_per_s"),
        "bo" => blocks("vm.paged_out_bytes_per_s"),
        "in" => plain("stat.interrupts_per_s", "/s"),
        "cs" => plain("stat.context_switches_per_s", "/s"),
        "us" | "sy" | "gu" => plain(own(), "percent"),
        "id" => plain("cpu.idle_percent", "percent"),
        "wa" => plain("cpu.iowait_percent", "percent"),
        "st" => plain("cpu.steal_percent", "percent"),
        _ => None,
    }?;
    let is_gauge = ["r", "b"].contains(&name) || column.unit == "bytes";
    Some((column, is_gauge))
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{imported, only, series, values};

    #[test]
    fn rows_with_times_and_the_one_since_boot() {
        let found = only("vmstat/4.0.2-t.txt");
        assert_eq!(
            values(&found, "vm.paged_in_bytes_per_s", ""),
            [74916.0, 36392.0].map(|kb| Some(kb * 1024.0))
        );
        assert_eq!(
            series(&found, "vm.paged_in_bytes_per_s", "").time_ms,
            [1_000.0, 2_000.0]
        );
        assert_eq!(
            values(&found, "vmstat.since_boot.bi", ""),
            [Some(74236.0 * 1024.0)]
        );
        assert_eq!(
            values(&found, "stat.running_tasks", "").len(),
            3,
            "a moment's figures are of the first row too"
        );
        assert_eq!(
            values(&found, "memory.free_bytes", "")[0],
            Some(20_167_484.0 * 1024.0)
        );
        assert!(found.units.iter().any(|unit| unit.contains("-S")));
    }

    #[test]
    fn the_command_line_tells_unit_and_interval() {
        let result = imported("vmstat/pasted.txt");
        let found = &result.results[0];
        assert_eq!(
            values(found, "memory.free_bytes", ""),
            [2048.0, 1024.0].map(|mib| Some(mib * 1_048_576.0))
        );
        assert_eq!(
            series(found, "stat.blocked_tasks", "").time_ms,
            [0.0, 5_000.0]
        );
        assert_eq!(values(found, "cpu.iowait_percent", "all"), [Some(60.0)]);
        assert_eq!((found.lines, found.lossy.len()), (Some((1, 7)), 0));
    }

    #[test]
    fn wide_rows_have_the_time_of_guests() {
        let found = only("vmstat/4.0.2-w.txt");
        assert_eq!(values(&found, "vmstat.gu", "all"), [Some(0.0)]);
        assert_eq!(found.lines, Some((1, 4)));
    }
}
