//! The place of one job in one of its files, for jobs that do more than one plain order of equal blocks.
//!
//! Positions are fio's: each direction goes on where its own last I/O ended, a stride is added to that, and a pass is
//! over where the next block does not fit any more.

use super::Span;
use crate::offsets::{OffsetRange, Offsets, Skew};
use model::job::{Distribution, Job};
use stats::dice::Random;

/// Directions, as places in the tables of a walk.
pub const DIRECTIONS: usize = 3;

/// Where random I/O goes.
#[derive(Clone, Debug)]
enum Places {
    /// Every block once, then again.
    Once(Offsets),
    /// Each draw by itself.
    Drawn(Skew, Random),
}

/// The place in one file.
#[derive(Clone, Debug)]
pub struct Walk {
    span: Span,
    grain: u64,
    stride: i64,
    places: Option<Places>,
    /// End of the last I/O of each direction, bytes from the span's start.
    ends: [u64; DIRECTIONS],
    /// Start of the same, for rows that repeat it.
    starts: [u64; DIRECTIONS],
    /// Passes over the file that each direction has completed, of a sequential job.
    passes: [u64; DIRECTIONS],
    /// Whether nothing is left in this pass.
    pub is_done: bool,
    /// The passes known to have begun.
    seen: [u64; DIRECTIONS],
}

impl Walk {
    /// At the beginning of a span. `block` is the one size of all blocks, where there is one.
    pub fn new(job: &Job, span: Span, block: Option<u64>, seed: u64) -> Walk {
        let grain = if job.blockalign > 0 {
            job.blockalign
        } else {
            job.bs
        };
        // Where all blocks have one size, no place is counted from which it would not fit.
        let last = span.bytes.saturating_sub(block.unwrap_or(grain));
        let count = last / grain + 1;
        let places = job.rw.is_random().then(|| {
            if job.distribution == Distribution::Random && !job.norandommap {
                Places::Once(Offsets::random(OffsetRange { first: 0, count }, seed))
            } else {
                Places::Drawn(
                    Skew::new(&job.distribution, count, grain, seed),
                    Random::new(seed),
                )
            }
        });
        Walk {
            span,
            grain,
            stride: job.rw_stride,
            places,
            ends: [0; DIRECTIONS],
            starts: [0; DIRECTIONS],
            passes: [0; DIRECTIONS],
            is_done: false,
            seen: [0; DIRECTIONS],
        }
    }

    /// A random place for a block, bytes from the span's start. One that would reach over the end is moved to it.
    pub fn random(&mut self, bytes: u64) -> u64 {
        let place = match &mut self.places {
            Some(Places::Once(offsets)) => offsets.next_block(),
            Some(Places::Drawn(skew, random)) => skew.draw(random),
            None => 0,
        };
        self.fitting(place * self.grain, bytes)
    }

    fn fitting(&self, at: u64, bytes: u64) -> u64 {
        let last = self.span.bytes.saturating_sub(bytes);
        if at <= last {
            at
        } else {
            last / self.grain * self.grain
        }
    }

    /// Where the direction goes on; none at the end of its pass.
    pub fn onward(&self, direction: usize, bytes: u64) -> Option<u64> {
        let (all, end) = (self.span.bytes, self.ends[direction]);
        if end >= all {
            return None;
        }
        let mut at = end;
        if end > 0 && self.stride != 0 {
            // A step over either end goes on at the other one, as fio's does.
            at = match end.checked_add_signed(self.stride) {
                Some(at) if at < all => at,
                _ if self.stride > 0 => 0,
                _ => all.checked_add_signed(self.stride)?,
            };
        }
        (bytes <= all - at).then_some(at)
    }

    /// Where the last I/O of the direction was.
    pub fn again(&self, direction: usize, bytes: u64) -> u64 {
        self.fitting(self.starts[direction], bytes)
    }

    /// Begins the next pass of one direction.
    pub fn rewind(&mut self, direction: usize) {
        self.ends[direction] = 0;
        self.passes[direction] += 1;
    }

    /// Takes a block, and gives its offset in the file.
    pub fn take(&mut self, direction: usize, at: u64, bytes: u64) -> u64 {
        self.starts[direction] = at;
        self.ends[direction] = at + bytes;
        self.span.start + at
    }

    /// The pass that the direction is in, from 0.
    pub fn pass(&self, direction: usize) -> u64 {
        match &self.places {
            Some(Places::Once(offsets)) => offsets.passes(),
            _ => self.passes[direction],
        }
    }

    /// Whether the block just taken is the first of a further pass.
    pub fn begins_pass(&mut self, direction: usize) -> bool {
        let pass = self.pass(direction);
        // A random order is one for all directions.
        let slot = if self.places.is_some() { 0 } else { direction };
        std::mem::replace(&mut self.seen[slot], pass) != pass
    }

    /// Goes to the beginning of a pass, as if all before it were done.
    pub fn skip_to_pass(&mut self, direction: usize, pass: u64) {
        match &mut self.places {
            Some(Places::Once(offsets)) => offsets.skip_to_pass(pass),
            _ => {
                self.passes[direction] = pass;
                self.ends[direction] = 0;
            }
        }
        self.seen = [pass; DIRECTIONS];
    }

    /// Whether the pass at hand has come to a block, of a job whose blocks are all alike and come once in a pass.
    pub fn has_given(&self, direction: usize, offset: u64) -> bool {
        let at = offset - self.span.start;
        match &self.places {
            Some(Places::Once(offsets)) => offsets.has_given(at / self.grain),
            _ => at < self.ends[direction],
        }
    }

    /// First byte of the span.
    pub fn start(&self) -> u64 {
        self.span.start
    }

    /// Blocks of one size in a pass.
    pub fn blocks(&self, bytes: u64) -> u64 {
        self.span.bytes / bytes
    }
}
