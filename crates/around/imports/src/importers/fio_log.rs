//! # fio's logs
//!
//! What `write_bw_log`, `write_lat_log` and `write_iops_log` write: a line an I/O, or one an interval with `log_avg_msec`.
//!
//! ## What it reads
//! `time, value, direction, block size` and whatever follows, of any length, in bounded memory. Of latencies an I/O: count,
//! mean, deviation, extremes, all of them by bucket with the percentiles, and IOPS, bandwidth, mean and greatest latency by
//! second, by more where the log is longer than an hour. Of averaged logs the series and what it sums up to. What the values
//! are the file's name says, as fio chose it: `_lat.1.log`, `_clat`, `_slat`, `_bw`, `_iops`.
//!
//! ## What is lost
//! Percentiles cannot be had from averages. A bandwidth log of single I/Os holds each I/O's size by its own latency, and an
//! IOPS log of them only ones: rates come from sizes and times instead. Offsets, priorities and moments of issue are not
//! kept. Latencies are ns since fio 2.99 and were µs before; the log does not say, ns is taken, and said to be.
//!
//! ## Example
//! `fio --write_lat_log=a --name=a --rw=randread --filename=/dev/sdb; iodyno import a_lat.1.log`

mod bins;
mod parse;
mod sum;

pub use sum::{DIRECTIONS, PERCENTILES};

use crate::{How, ImportError, Importer, Piece, Unread};
use parse::{Layout, Parser};
use std::io::BufRead;
use sum::Sums;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "fio_log",
    since: "0.1",
    reads: "fio's logs of bandwidth, IOPS and latencies",
    how: How::Named { is_mine, read },
};

/// What the values of a log are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FioLogKind {
    /// ns from the call to its return.
    Slat,
    /// ns from submission to completion.
    Clat,
    /// ns of both.
    Lat,
    /// KiB/s.
    Bandwidth,
    /// I/Os per second.
    Iops,
    /// The name does not say.
    Unknown,
}

impl FioLogKind {
    /// From the name of the file: `PREFIX_lat.1.log`.
    fn of_name(name: &str) -> FioLogKind {
        let base = name.rsplit('/').next().unwrap_or(name);
        let base = base.strip_suffix(".log").unwrap_or(base);
        let base = base
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_end_matches('.');
        match base.rsplit(['_', '.', '-']).next().unwrap_or_default() {
            "slat" => FioLogKind::Slat,
            "clat" => FioLogKind::Clat,
            "lat" => FioLogKind::Lat,
            "bw" => FioLogKind::Bandwidth,
            "iops" => FioLogKind::Iops,
            _ => FioLogKind::Unknown,
        }
    }

    /// fio's word.
    pub(super) fn word(self) -> &'static str {
        match self {
            FioLogKind::Slat => "slat",
            FioLogKind::Clat => "clat",
            FioLogKind::Lat => "lat",
            FioLogKind::Bandwidth => "bw",
            FioLogKind::Iops => "iops",
            FioLogKind::Unknown => "value",
        }
    }
}

fn is_mine(name: &str, head: &[u8]) -> bool {
    is_compressed(name)
        || Layout::of(head, FioLogKind::of_name(name) != FioLogKind::Unknown).is_some()
}

/// `log_store_compressed`
fn is_compressed(name: &str) -> bool {
    name.ends_with(".log.fz")
}

/// Damaged lines that are told one by one.
const TOLD_MAX: usize = 20;

fn read(name: &str, source: &mut dyn BufRead) -> Result<Vec<Piece>, ImportError> {
    if is_compressed(name) {
        let why =
            "fio has compressed this log: `fio --inflate-log=FILE > a_lat.1.log` makes lines of it";
        return Err(ImportError::Damaged(why.into()));
    }
    let kind = FioLogKind::of_name(name);
    let head = source.fill_buf()?;
    let Some(layout) = Layout::of(head, kind != FioLogKind::Unknown) else {
        return Ok(Vec::new());
    };
    let mut sums = Sums::default();
    let mut parser = Parser::new(layout);
    parser.read(source, &mut sums)?;
    let mut piece = Piece {
        imported: sums.imported(kind, layout, name),
        ..Piece::default()
    };
    if parser.lines > 0 {
        piece.lines =
            std::iter::once(0..usize::try_from(parser.lines).unwrap_or(usize::MAX)).collect();
    }
    let told = parser.damaged.iter().take(TOLD_MAX);
    let unread = |line: &u64| Unread {
        lines: Some((*line, *line)),
        why: "this is no line of a fio log".into(),
    };
    piece.unread = told.map(unread).collect();
    if parser.damaged_count > TOLD_MAX as u64 {
        let why = format!(
            "{} lines in all are no lines of a fio log",
            parser.damaged_count
        );
        piece.unread.push(Unread { lines: None, why });
    }
    Ok(if sums.is_empty() {
        Vec::new()
    } else {
        vec![piece]
    })
}

#[cfg(test)]
mod tests;
