//! # fio's normal text
//!
//! What fio prints for people, of fio 2.x and 3.x: a file, a log, or a page that somebody pasted it into.
//!
//! ## What it reads
//! Jobs with their directions, rates, latencies, percentiles, samples of bandwidth and IOPS, CPU, disks, syncs and
//! errors; the command line before them, and the job as fio's first lines repeat it. Every part is known by its own
//! words, wherever in a line it stands: blank lines between the lines, prefixes, lost indentation, lines that run
//! together, typographic dashes and quotes, HTML and full-width punctuation do no harm. Where only `Run status group` or
//! only a job's head is left, that is a result too. Where count, block size and time are there, rates are computed from
//! them, if the result prints as fio printed it; they are then not rounded to three digits.
//!
//! ## What is lost
//! fio rounds rates and latencies to three to five digits; percentiles are the middles of its buckets. The date has no
//! zone and is taken as UTC. Numbers that the page lost are said with their line, and what `Run status group` says of
//! another run than the job above it. The distribution of depths is not kept. Import fio's JSON where there is a choice.
//!
//! ## Example
//! `fio job.fio | tee out.txt; iodyno import out.txt`

mod command;
pub mod job;
pub mod marks;
mod run;
mod side;
mod time;
pub mod values;

pub use command::{CommandFacts, facts as command_facts};
pub use side::is_whole;
pub use time::unix_ms;

use crate::pieces::Pieces;
use crate::{How, Importer, Text};
use std::ops::Range;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "fio_text",
    since: "0.1",
    reads: "fio's normal text, 2.x and 3.x, also pasted",
    how: How::Text(find),
};

fn find(text: &Text, pieces: &mut Pieces) {
    let marks = marks::of_text(text);
    let mut orphans = Vec::new();
    for run in run::runs(&marks) {
        let before = pieces.own().len();
        run::pieces(run, pieces);
        if pieces.is_cut() {
            break;
        }
        if pieces.own().len() == before {
            orphans.extend(run::orphan(run));
        }
    }
    // What is not in any result is told with the first one; without any, the lines are told as nobody's.
    if let Some(first) = pieces.own_mut().next() {
        first.unread.extend(orphans);
    }
}

/// Line numbers as runs of lines.
pub fn ranges(mut lines: Vec<usize>) -> Vec<Range<usize>> {
    lines.sort_unstable();
    lines.dedup();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some(last) if last.end == line => last.end = line + 1,
            _ => ranges.push(line..line + 1),
        }
    }
    ranges
}

#[cfg(test)]
mod tests;
