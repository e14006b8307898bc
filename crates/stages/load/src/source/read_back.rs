//! Reading back what a job has written, in the order in which it was written.
//!
//! Nothing is kept of the writes: the stream is decided by its seed, so it is run through once more, and its writes
//! become reads. Where each block comes once in a pass, the last write of a block is known by arithmetic, and exactly
//! that is expected; earlier ones are passed over.

use super::stream::{Stream, StreamStep};
use super::{Io, SourceKind};

/// Set in the number of a read that checks a write; the rest is the number of that write.
pub const CHECKS: u64 = 1 << 63;

/// Set besides where the block may have been written again since, so that any write of the job is right.
pub const ANY_WRITE: u64 = 1 << 62;

/// The reads that check a stream.
#[derive(Clone, Debug)]
pub struct ReadBack {
    from: Stream,
    end: Stream,
}

impl ReadBack {
    /// The writes of a stream between its beginning and a later state of it.
    pub fn new(mut beginning: Stream, end: Stream) -> ReadBack {
        beginning.skip_overwritten(&end);
        ReadBack {
            from: beginning,
            end,
        }
    }

    /// The next read; none when all was read.
    pub fn next(&mut self) -> Option<Io> {
        loop {
            let io = match self.from.next() {
                StreamStep::Io(io) => io,
                StreamStep::Drain => continue,
                StreamStep::Over => return None,
            };
            if io.number >= self.end.number() {
                return None;
            }
            if io.kind != SourceKind::Write {
                continue;
            }
            let exact = self.from.is_exact();
            if exact && self.from.is_rewritten(&io, &self.end) {
                continue;
            }
            let any = if exact { 0 } else { ANY_WRITE };
            return Some(Io {
                kind: SourceKind::Read,
                number: CHECKS | any | io.number,
                ..io
            });
        }
    }
}
