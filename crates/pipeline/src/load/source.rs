//! The stream of one job thread's I/Os: where, how much, in which direction, decided by the seed alone.

use super::counters::lane;
use super::offsets::{Offsets, Range};
use super::pattern::mix64;
use host::files::DataFile;
use model::job::Job;

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Discards.
    Trim,
    /// fsync.
    Sync,
    /// fdatasync.
    Datasync,
}

impl Kind {
    /// Whether it makes earlier writes durable and moves nothing itself.
    #[inline(always)]
    pub fn is_sync(self) -> bool {
        matches!(self, Kind::Sync | Kind::Datasync)
    }

    /// Where it is counted.
    #[inline(always)]
    pub fn lane(self) -> usize {
        match self {
            Kind::Read => lane::READ,
            Kind::Write => lane::WRITE,
            Kind::Trim => lane::TRIM,
            Kind::Sync | Kind::Datasync => lane::SYNC,
        }
    }

    /// For messages.
    pub fn word(self) -> &'static str {
        ["read", "write", "trim", "fsync", "fdatasync"][self as usize]
    }
}

/// One I/O to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Io {
    /// Where, bytes.
    pub offset: u64,
    /// Its place in the thread's stream, from 0: what makes written data unique.
    pub number: u64,
    /// How much.
    pub bytes: u32,
    /// Which of the thread's files.
    pub file: u16,
    /// What.
    pub kind: Kind,
}

/// The bytes of each file that a job thread works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u64,
    /// Length, bytes.
    pub bytes: u64,
}

/// Offsets and directions of one job thread, decided by the seed alone.
#[derive(Debug)]
pub struct Source {
    offsets: Offsets,
    /// A sequential mix keeps a place of its own for writes, as fio does; a random mix shares one order.
    write_offsets: Option<Offsets>,
    number: u64,
    seed: u64,
    bs: u64,
    /// Share of writes, in 2^32ths.
    write_share: u64,
    /// The file whose pages are dropped before every pass but the first, which the start has seen to.
    cold: Option<DataFile>,
    span: Span,
    passes: u64,
    /// The direction that the next I/O of a mix has to have.
    steered: Option<Kind>,
    change: Kind,
    files: u16,
    /// Writes between two syncs, and the kind of sync; 0 is never.
    cadence: (u64, Kind),
    writes: u64,
    left: u64,
}

impl Source {
    /// The stream of job `index` of a section over `files` files of which `span` is used.
    pub fn new(job: &Job, span: Span, files: usize, _index: u32, seed: u64) -> Source {
        let range = Range { first: span.start / job.bs, count: span.bytes / job.bs };
        let sequential_mix = job.rw.reads() && job.rw.writes() && !job.rw.is_random();
        let offsets = match job.rw.is_random() {
            true => Offsets::random(range, seed),
            false => Offsets::sequential(range),
        };
        let write_percent = match (job.rw.reads(), job.rw.writes()) {
            (true, true) => 100 - u64::from(job.rwmixread.min(100)),
            _ => u64::from(job.rw.changes()) * 100,
        };
        Source {
            write_offsets: sequential_mix.then(|| offsets.clone()),
            offsets,
            number: 0,
            seed,
            bs: job.bs,
            write_share: (write_percent << 32) / 100,
            cold: None,
            span,
            passes: 0,
            steered: None,
            change: if job.rw.trims() { Kind::Trim } else { Kind::Write },
            files: files.max(1) as u16,
            cadence: match job.fsync {
                0 => (job.fdatasync.into(), Kind::Datasync),
                count => (count.into(), Kind::Sync),
            },
            writes: 0,
            left: job.bytes_to_move(span.bytes).unwrap_or(u64::MAX),
        }
    }

    /// Decides the direction of the next I/O of a mix in place of its shares: with a rate for each direction, the one
    /// that is due goes first.
    #[inline]
    pub fn steer(&mut self, kind: Option<Kind>) {
        self.steered = kind;
    }

    /// Drops this file's cached pages before every pass but the first.
    pub fn drop_pages_of(&mut self, file: Option<DataFile>) {
        self.cold = file;
    }

    /// The next I/O; none when the job has moved all it was asked to.
    #[inline]
    pub fn next_io(&mut self) -> Option<Io> {
        let number = self.number;
        let file = (number % u64::from(self.files)) as u16;
        if self.cadence.0 > 0 && self.writes >= self.cadence.0 {
            self.writes = 0;
            return Some(Io { offset: 0, number, bytes: 0, file, kind: self.cadence.1 });
        }
        self.left = self.left.checked_sub(self.bs)?;
        self.number += 1;
        let write = match (self.write_share, self.steered) {
            (0, _) => false,
            (all, _) if all == 1 << 32 => true,
            (_, Some(kind)) => kind != Kind::Read,
            (share, None) => mix64(self.seed ^ number) >> 32 < share,
        };
        let offsets = match &mut self.write_offsets {
            Some(offsets) if write => offsets,
            _ => &mut self.offsets,
        };
        let kind = if write { self.change } else { Kind::Read };
        let io = Io { offset: offsets.next_block() * self.bs, number, bytes: self.bs as u32, file, kind };
        self.writes += u64::from(write);
        if self.cold.is_some() {
            self.drop_pages_on_a_new_pass();
        }
        Some(io)
    }

    #[cold]
    fn drop_pages_on_a_new_pass(&mut self) {
        let passes = self.offsets.passes();
        if let Some(file) = self.cold.as_ref().filter(|_| passes != self.passes) {
            self.passes = passes;
            // Best effort, as it is for fio: a file system that cannot drop pages serves them from memory.
            let _ = file.drop_cache(self.span.start, self.span.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::job::Rw;

    fn source(job: Job) -> Source {
        Source::new(&job, Span { start: 0, bytes: 4_096_000 }, 1, 0, 7)
    }

    #[test]
    fn the_mix_is_kept_and_repeatable() {
        let job = Job { rw: Rw::Randrw, rwmixread: 70, ..Job::default() };
        let ios: Vec<Io> = std::iter::from_fn({
            let mut source = source(job.clone());
            move || source.next_io()
        })
        .take(10_000)
        .collect();
        let reads = ios.iter().filter(|io| io.kind == Kind::Read).count();
        assert!((6_800..7_200).contains(&reads), "{reads}");
        let mut again = source(job);
        assert!(ios.iter().all(|io| Some(*io) == again.next_io()));
    }

    #[test]
    fn a_sequential_mix_has_two_places() {
        let mut source = source(Job { rw: Rw::Rw, ..Job::default() });
        let (mut read, mut write) = (0, 0);
        for _ in 0..100 {
            let io = source.next_io().unwrap();
            let next = if io.kind == Kind::Write { &mut write } else { &mut read };
            assert_eq!(io.offset, *next);
            *next += 4096;
        }
        assert!(read > 0 && write > 0);
    }
}
