//! # iotop
//!
//! What all processes together and each alone read and wrote, as series.
//!
//! ## What it reads
//! The text of `iotop -b` of 0.4 to 1.x, also with `-o`, `-t`, `-k`, `-P`, `-a` and `-q`: the lines `Total DISK READ` (what
//! processes asked for) and `Actual DISK READ` (what the disks did), and a row a thread or process. The subject of a row is
//! the command and the number: `mysqld.2231`.
//!
//! ## What is lost
//! Without `-t` iotop prints no times: samples are taken as far apart as `-d` of the command line above says, else a second,
//! iotop's default. With `-o` a process that did nothing in a sample has no row in it, so series have gaps that mean 0. What
//! a process wrote is without what was truncated before it reached a disk. Where the kernel does not account delays, there
//! is no share of time in I/O.
//!
//! ## Example
//! `iotop -b -o -t -n 60 >iotop.txt; iodyno import iotop.txt`

use crate::pieces::Pieces;
use crate::printed::moment::{Days, time_of_day};
use crate::printed::number::{number, size_factor};
use crate::printed::series::PrintedSeries;
use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text, Unread};
use model::imported::Imported;
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "iotop",
    since: "0.1",
    reads: "iotop -b",
    how: How::Text(find),
};

/// So much of a command names its process, characters.
const COMMAND_MAX: usize = 60;
/// Samples are so far apart where nothing says otherwise, ms.
const INTERVAL_MS: f64 = 1_000.0;

const UNITS: [&str; 2] = [
    "K, M and G of iotop are powers of 1,024",
    "writes of a process are without what was truncated before it was written",
];

fn find(text: &Text, pieces: &mut Pieces) {
    let mut run: Option<IotopRun> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if line.is_empty() || line.starts_with("^C") {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (time_ms, words) = match time_of_day(&words) {
            Some((ms, taken)) => (Some(ms), &words[taken..]),
            None => (None, &words[..]),
        };
        let is_begin = totals(words).is_some() || is_head(words);
        if is_begin && run.is_none() {
            run = Some(IotopRun::new(text, index));
        }
        if !run
            .as_mut()
            .is_none_or(|run| run.line(index, time_ms, words))
        {
            pieces.extend(run.take().and_then(IotopRun::finish));
        }
    }
    pieces.extend(run.and_then(IotopRun::finish));
}

/// A value and whether it is a rate: `38.62 M/s`; with `-a` rows have amounts.
type Amount = (f64, bool);

fn amount(value: &str, unit: &str) -> Option<Amount> {
    let factor = size_factor(unit, true)?;
    Some((number(value)? * factor, unit.ends_with("/s")))
}

/// `Total DISK READ :  0.00 B/s | Total DISK WRITE :  38.62 M/s`: what it is of, read, written.
fn totals<'a>(words: &[&'a str]) -> Option<(&'a str, f64, f64)> {
    let bar = words.iter().position(|word| *word == "|")?;
    let half = |words: &[&'a str], side: &str| {
        let (of, rest) = match words {
            [of, "DISK", what, rest @ ..] if what.trim_end_matches(':') == side => (*of, rest),
            _ => return None,
        };
        let rest = rest.strip_prefix(&[":"]).unwrap_or(rest);
        let [value, unit] = rest else { return None };
        Some((of, amount(value, unit)?.0))
    };
    let (of, read) = half(&words[..bar], "READ")?;
    let (_, written) = half(&words[bar + 1..], "WRITE")?;
    ["Total", "Actual", "Current"]
        .contains(&of)
        .then_some((of, read, written))
}

/// `TID  PRIO  USER  DISK READ  DISK WRITE  SWAPIN  IO>  COMMAND`, after `TIME` with `-t`.
fn is_head(words: &[&str]) -> bool {
    let words = words.strip_prefix(&["TIME"]).unwrap_or(words);
    let is_number = |word: &str| ["TID", "PID"].contains(&word.trim_end_matches('>'));
    words.first().is_some_and(|word| is_number(word))
        && words.last() == Some(&"COMMAND")
        && words.contains(&"DISK")
}

/// A row: a thread or a process.
struct IotopRow {
    subject: String,
    read: Amount,
    written: Amount,
    /// Shares of time in swapping in and in I/O, per cent.
    shares: Option<(f64, f64)>,
}

impl IotopRow {
    fn read(words: &[&str]) -> Option<IotopRow> {
        let [id, _, _, read, read_unit, written, written_unit, rest @ ..] = words else {
            return None;
        };
        let (shares, command) = match rest {
            [swapin, "%", io, "%", command @ ..] => (Some((number(swapin)?, number(io)?)), command),
            ["?unavailable?", command @ ..] => (None, command),
            command => (None, command),
        };
        let command: String = command.join(" ").chars().take(COMMAND_MAX).collect();
        Some(IotopRow {
            subject: format!("{}.{id}", command.trim_end()),
            read: amount(read, read_unit)?,
            written: amount(written, written_unit)?,
            shares,
        })
    }
}

/// Whether a line is meant to be a row: a number, a priority, a user, an amount.
fn is_row(words: &[&str]) -> bool {
    let is_id = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_priority = |word: &str| word.contains('/') || word.starts_with('?') || word == "idle";
    matches!(words, [id, priority, ..] if is_id(id) && is_priority(priority))
}

/// One iotop that is being read.
struct IotopRun<'a> {
    lines: Vec<Range<usize>>,
    command: Option<Vec<&'a str>>,
    series: PrintedSeries,
    days: Days,
    samples: usize,
    at_ms: f64,
    has_times: bool,
    /// The totals of a sample were read, and not yet its head.
    is_before_head: bool,
    unread: Vec<Unread>,
}

impl<'a> IotopRun<'a> {
    fn new(text: &Text<'a>, index: usize) -> IotopRun<'a> {
        let above = commands::above(text, index, "iotop");
        let lines = above.iter().map(|(_, at)| *at..*at + 1).collect();
        IotopRun {
            lines,
            command: above.map(|(words, _)| words),
            series: PrintedSeries::default(),
            days: Days::default(),
            samples: 0,
            at_ms: 0.0,
            has_times: false,
            is_before_head: false,
            unread: Vec::new(),
        }
    }

    /// Takes a line; false where it is another program's.
    fn line(&mut self, index: usize, time_ms: Option<f64>, words: &[&str]) -> bool {
        if let Some((of, read, written)) = totals(words) {
            if of == "Total" {
                self.sample(time_ms);
                self.is_before_head = true;
            }
            for (side, value) in [("read", read), ("write", written)] {
                let field = format!("iotop.{}_{side}_bytes_per_s", of.to_lowercase());
                let at_ms = self.at_ms;
                self.series.push(&field, "", "bytes/s", at_ms, Some(value));
            }
        } else if is_head(words) {
            if !self.is_before_head {
                self.sample(time_ms);
            }
            self.is_before_head = false;
        } else if is_row(words) {
            match IotopRow::read(words) {
                Some(row) => self.row(&row),
                None => self.unread.push(Unread {
                    lines: Some((index as u64 + 1, index as u64 + 1)),
                    why: "this row of iotop does not have its table's columns".into(),
                }),
            }
        } else if words
            .first()
            .is_none_or(|word| !word.contains("TASK_DELAY_ACCT"))
        {
            return false;
        }
        match self.lines.last_mut() {
            Some(range) if range.end == index => range.end += 1,
            _ => self.lines.push(index..index + 1),
        }
        true
    }

    /// The next sample begins.
    fn sample(&mut self, time_ms: Option<f64>) {
        self.has_times |= time_ms.is_some();
        self.at_ms = match time_ms {
            Some(ms) => self.days.since_first(ms),
            None => self.samples as f64 * self.interval_ms().unwrap_or(INTERVAL_MS),
        };
        self.samples += 1;
    }

    fn interval_ms(&self) -> Option<f64> {
        let words = self.command.as_ref()?;
        let at = words
            .iter()
            .position(|word| ["-d", "--delay"].contains(word));
        let apart = at.and_then(|at| words.get(at + 1)).copied();
        let joined = || words.iter().find_map(|word| word.strip_prefix("--delay="));
        let seconds = number(apart.or_else(joined)?)?;
        (seconds > 0.0 && seconds < 1e6).then_some(seconds * 1e3)
    }

    fn row(&mut self, row: &IotopRow) {
        let at_ms = self.at_ms;
        let amounts = [
            (row.read, "process.read_bytes_per_s", "iotop.read_bytes"),
            (
                row.written,
                "process.write_bytes_per_s",
                "iotop.write_bytes",
            ),
        ];
        for ((value, is_rate), rate, sum) in amounts {
            let (field, unit) = if is_rate {
                (rate, "bytes/s")
            } else {
                (sum, "bytes")
            };
            self.series
                .push(field, &row.subject, unit, at_ms, Some(value));
        }
        let shares = row
            .shares
            .map(|(swapin, io)| [("iotop.swapin_percent", swapin), ("iotop.io_percent", io)]);
        for (field, value) in shares.into_iter().flatten() {
            self.series
                .push(field, &row.subject, "percent", at_ms, Some(value));
        }
    }

    fn finish(self) -> Option<Piece> {
        if self.series.is_empty() {
            return None;
        }
        let mut lossy = Vec::new();
        if !self.has_times && self.samples > 1 && self.interval_ms().is_none() {
            lossy.push(
                "iotop prints no times without -t: samples are taken as a second apart".into(),
            );
        }
        let command = self.command.map(|words| words.join(" "));
        let imported = Imported {
            tool: "iotop".into(),
            name: "iotop".into(),
            lossy,
            units: UNITS.map(String::from).into(),
            series: self.series.finish(),
            facts: command
                .into_iter()
                .map(|words| ("command".to_string(), words))
                .collect(),
            ..Imported::default()
        };
        Some(Piece {
            lines: self.lines,
            imported,
            unread: self.unread,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::printed::fixtures::{imported, only, series, values};

    const MIB: f64 = 1_048_576.0;

    #[test]
    fn totals_and_processes_of_three_samples() {
        let found = only("iotop/0.6-o.txt");
        assert_eq!(
            values(&found, "iotop.total_write_bytes_per_s", ""),
            [Some(0.0), Some(38.62 * MIB), Some(12.5 * 1024.0)]
        );
        assert_eq!(
            values(&found, "iotop.actual_write_bytes_per_s", "")[1],
            Some(41.2 * MIB)
        );
        let writer = "mysqld --basedir=/usr [ib_log_writer].2231";
        assert_eq!(
            values(&found, "process.write_bytes_per_s", writer),
            [Some(21.33 * MIB), Some(12.5 * 1024.0)]
        );
        assert_eq!(
            series(&found, "process.write_bytes_per_s", writer).time_ms,
            [5e3, 1e4]
        );
        assert_eq!(
            values(&found, "iotop.io_percent", "[jbd2/nvme0n1p1-8].388"),
            [Some(30.11)]
        );
        assert_eq!((found.lines, found.lossy.len()), (Some((1, 13)), 0));
    }

    #[test]
    fn times_kilobytes_and_kernels_without_delays() {
        let found = only("iotop/1.21-t-k.txt");
        let fio = "fio --name=w.77";
        assert_eq!(
            values(&found, "process.write_bytes_per_s", fio),
            [Some(2_048.0 * 1024.0), Some(1_024.0 * 1024.0)]
        );
        assert_eq!(
            series(&found, "process.write_bytes_per_s", fio).time_ms,
            [0.0, 2e3]
        );
        assert!(found.series.iter().all(|one| one.unit != "percent"));
    }

    #[test]
    fn a_cut_row_is_told_and_others_are_kept() {
        let text = "Total DISK READ: 0.00 B/s | Total DISK WRITE: 3.00 K/s\n\
                    TID  PRIO  USER     DISK READ  DISK WRITE  SWAPIN      IO    COMMAND\n\
                    12 be/4 root 0.00 B/s\n\
                    13 be/4 root 0.00 B/s 3.00 K/s 0.00 % 1.00 % dd\n\
                    then something else\n";
        let import = crate::import("x", &mut text.as_bytes()).unwrap();
        let found = &import.results[0];
        assert_eq!(
            values(found, "process.write_bytes_per_s", "dd.13"),
            [Some(3_072.0)]
        );
        let unread: Vec<_> = import.unread.iter().map(|one| one.lines).collect();
        assert_eq!(unread, [Some((3, 3)), Some((5, 5))]);
        assert!(imported("iotop/0.6-o.txt").unread.is_empty());
    }
}
