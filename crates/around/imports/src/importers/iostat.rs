//! # iostat
//!
//! What each device did in each interval, and where CPU time went, as series.
//!
//! ## What it reads
//! The tables of `iostat -x`, with the columns of sysstat 9 and 10 (`avgrq-sz avgqu-sz await svctm`), 11 (`aqu-sz`) and 12
//! (reads, writes, discards and flushes apart), with `-k`, `-m` or sectors, the short form `-s`, `-h`, and the plain tables
//! of `tps`; with and without times (`-t`), with decimal commas, with blank lines between, and pasted into few lines. A
//! column that is a field of iodyno's has its name, the others their own after `iostat.`.
//!
//! The first report of iostat is over the time since boot. It stands under `iostat.since_boot.` and not among the others,
//! where its head or its command line is there to tell.
//!
//! ## What is lost
//! Without `-t` and without the command line nothing tells how long an interval was: a second is taken, and the result says
//! so. `svctm` is busy time by requests and means nothing for disks that serve several at once. `%system` has interrupts in
//! it. A mean over no I/O is printed as 0.00 and is no value here.
//!
//! ## Example
//! `LC_ALL=C iostat -x -t 1 60 >iostat.txt; iodyno import iostat.txt`

mod report;
mod table;

use crate::pieces::Pieces;
use crate::{How, Importer, Text};

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "iostat",
    since: "0.1",
    reads: "iostat with and without -x, sysstat 9 to 12",
    how: How::Text(find),
};

fn find(text: &Text, pieces: &mut Pieces) {
    report::find(text, pieces);
}

#[cfg(test)]
mod tests;
