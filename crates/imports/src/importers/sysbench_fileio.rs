//! # sysbench fileio
//!
//! What `sysbench fileio run` prints: operations, rates, latency, and the settings above them.
//!
//! ## What it reads
//! The result of 0.4 and 0.5 (`Operations performed: …`, `Requests/sec executed`), of 1.0 (`File operations:`,
//! `Throughput:`) and of 1.1 (`read:  IOPS=…`), with the settings that sysbench prints before it starts, and the lines of
//! `--report-interval` as series.
//!
//! ## What is lost
//! Latencies are those of all operations together, fsync among them, so they stand under `mixed`; one percentile is printed,
//! rounded to 10 µs. `Mb` of 0.4 is 1,048,576 bytes. The rates of 1.0 are rounded to two digits.
//!
//! ## Example
//! `sysbench fileio --file-test-mode=rndrw run >sysbench.txt; iodyno import sysbench.txt`

mod parts;

use crate::printed::{clean, commands};
use crate::{How, Importer, Piece, Text};
use parts::Result;

/// Where it is described.
pub static IMPORTER: Importer =
    Importer { id: "sysbench_fileio", since: "0.1", reads: "sysbench fileio 0.4 to 1.1", how: How::Text(find) };

/// A result is at most so long; empty lines between pasted ones are in it.
const LINES_MAX: usize = 400;

fn find(text: &Text) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut open: Option<(usize, usize, Result)> = None;
    for (index, line) in text.lines.iter().enumerate() {
        let line = clean(line);
        if line.is_empty() {
            continue;
        }
        // Whatever part comes again is another run's.
        if parts::is_begin(line) || open.as_ref().is_some_and(|(from, ..)| index - from > LINES_MAX) {
            pieces.extend(open.take().and_then(|open| finish(text, open)));
        }
        let fresh = open.is_none();
        let (_, last, result) = open.get_or_insert_with(|| (index, index, Result::default()));
        match result.line(index, line) {
            true => *last = index,
            // Nothing has begun yet.
            false if fresh => open = None,
            false => {}
        }
    }
    pieces.extend(open.and_then(|open| finish(text, open)));
    pieces
}

fn finish(text: &Text, (from, last, result): (usize, usize, Result)) -> Option<Piece> {
    let mut imported = result.finish()?;
    let mut lines = vec![from..last + 1];
    if let Some((words, at)) = commands::above(text, from, "sysbench") {
        imported.facts.insert("command".into(), words.join(" "));
        lines.insert(0, at..at + 1);
    }
    Some(Piece { lines, imported, unread: Vec::new() })
}
