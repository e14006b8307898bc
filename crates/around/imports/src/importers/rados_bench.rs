//! # rados bench
//!
//! What `rados bench` of Ceph prints: text, and JSON of `--format json` and `json-pretty`.
//!
//! ## What it reads
//! The sums at the end, the rows of each second as series, command, pool, mode and sizes. In a pasted page rows and sums
//! may run together in one line: rows are told apart by the seconds that count up. Timestamps of `--show-time` are passed
//! over. A run whose sums are cut off is no result.
//!
//! ## What is lost
//! There are no percentiles. `MB` of rados bench is MiB. IOPS are I/Os by time, since rados prints whole numbers; the
//! deviation of IOPS in the JSON of writes is at times a random number in Ceph itself, and is then left out.
//!
//! ## Example
//! `rados bench -p bench 60 write --no-cleanup | tee write.txt; iodyno import write.txt`

mod rows;
mod sums;

use crate::pieces::{self, Pieces};
use crate::{How, Importer, Text};
use model::imported::Imported;
pub use rows::RadosBenchRow;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "rados_bench",
    since: "0.1",
    reads: "rados bench, text and JSON",
    how: How::Text(find),
};

fn find(text: &Text, pieces: &mut Pieces) {
    sums::of_text(text, pieces);
    sums::of_json(text, pieces);
}

/// The rows of a run that may go on yet: each that is whole. A row without an end of its line is not.
pub fn rows_so_far(text: &str) -> Vec<RadosBenchRow> {
    let mut rows = Vec::new();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().for_each(|line| rows::read(line, &mut rows));
    rows
}

/// The sums of a run that has ended; none where they are missing.
pub fn sums(text: &str) -> Option<Imported> {
    let found = pieces::found(sums::of_text, &Text::new(text));
    found.into_iter().next_back().map(|piece| piece.imported)
}

#[cfg(test)]
mod tests;
