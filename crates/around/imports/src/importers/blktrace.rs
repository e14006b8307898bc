//! # blktrace
//!
//! The events of blktrace's binary files, paired: how long each I/O spent in each layer, how many there were, and when.
//!
//! ## What it reads
//! The records of `struct blk_io_trace` (version 7, since Linux 2.6.17) of either byte order: a file `sda.blktrace.0`, those
//! of all CPUs behind each other, what `blktrace -o -` writes, and the sorted file of `blkparse -d`. One result for each
//! device. Latencies are `q2c` (all of it, by bio), `q2g` (waiting for a request), `g2i` (the submitter's batch), `i2d` (the
//! scheduler), `g2d` (both, where there is no scheduler) and `d2c` (driver and device), each of reads, writes, discards and
//! flushes, with its histogram. Rates of each second are series.
//!
//! ## What is lost
//! An event names a device and a sector, not an I/O: two I/Os of one sector at once cannot be told apart. Events that the
//! kernel dropped are counted by the gaps in their numbers, and what was under way then gives no latency. The file of one
//! CPU alone lacks the ends that other CPUs saw: name all of them, or their folder, and they are read together, merged by
//! time and of any size. Where somebody has put them behind each other so much is held as fits into 256 MiB, some 25
//! million events. Of a stack of devices each is read as its own.
//!
//! ## Example
//! `blktrace -d /dev/sda -w 10 -o sda; iodyno import sda.blktrace.*`

mod codec;
pub mod cpus;
mod order;
pub mod pairs;
mod record;
pub mod result;
pub mod tally;

#[cfg(test)]
mod tests;

use crate::{How, ImportError, Importer, Piece, Unread};
use order::Order;
use pairs::Pairs;
use record::BlktraceFileIntake;
use std::io::BufRead;

/// Where it is described.
pub static IMPORTER: Importer = Importer {
    id: "blktrace",
    since: "0.1",
    reads: "blktrace's binary files",
    how: How::Stream {
        is_mine: record::is_mine,
        read,
    },
};

/// Reads go in pieces of this, bytes.
const READ_BYTES: usize = 1 << 20;

fn read(source: &mut dyn BufRead) -> Result<Vec<Piece>, ImportError> {
    let mut intake = BlktraceFileIntake::default();
    let mut order = Order::default();
    let mut pairs = Pairs::default();
    let mut buffer = vec![0; READ_BYTES];
    let mut filled = 0;
    loop {
        let count = source.read(&mut buffer[filled..])?;
        let is_end = count == 0;
        filled += count;
        let used = intake.take(&buffer[..filled], is_end, &mut |event, cpu| {
            order.push(event, cpu);
            if order.is_full() {
                order.drain(&mut |event| pairs.take(&event));
            }
        });
        buffer.copy_within(used..filled, 0);
        filled -= used;
        if is_end {
            break;
        }
    }
    let mut unread = intake.unread();
    order.finish(&mut |event| pairs.take(&event));
    unread.extend(order.unread());
    pieces(pairs, intake.start_unix_ms(), unread)
}

/// One result for each device; what could not be read goes with the first.
fn pieces(
    pairs: Pairs,
    start_unix_ms: Option<u64>,
    unread: Vec<String>,
) -> Result<Vec<Piece>, ImportError> {
    let mut pieces: Vec<Piece> = result::results(pairs, "blktrace", start_unix_ms)
        .into_iter()
        .map(|(_, imported)| Piece {
            lines: Vec::new(),
            imported,
            unread: Vec::new(),
        })
        .collect();
    match pieces.first_mut() {
        Some(piece) => {
            piece.unread = unread
                .into_iter()
                .map(|why| Unread { lines: None, why })
                .collect()
        }
        None => {
            let why = "it has no I/O in it: records of blktrace, but none of an I/O that was queued or done";
            return Err(ImportError::Damaged(why.into()));
        }
    }
    Ok(pieces)
}
