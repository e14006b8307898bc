//! The stream of one job thread's I/Os: where, how much, in which direction, decided by the seed alone.
//!
//! Most jobs are plain: equal blocks of one file in one order. Theirs is the fast path of [`OffsetSource::next_io`], a few ns
//! an I/O. Everything else goes through [`Stream`](stream::Stream), which knows all of fio's words.
//!
//! A job may have stages: what it moves, then a sync, then reading back what it wrote. Between two stages everything in
//! flight has to come back: [`OffsetSource::next_io`] gives none, the engine drains and leaves as at the end of a job, and the
//! thread opens it again for what [`Surroundings::next`] holds.

pub mod check;
mod read_back;
mod sizes;
mod stream;
mod walk;

use super::counters::lane;
use super::offsets::{OffsetRange, Offsets};
use host::files::DataFile;
use model::job::{BlockSize, Distribution, Job};
use read_back::ReadBack;
pub use read_back::{ANY_WRITE, CHECKS};
use stats::dice::mix64;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use stream::{Stream, StreamStep, ios_to_do, write_share};

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum SourceKind {
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

impl SourceKind {
    /// Whether it makes earlier writes durable and moves nothing itself.
    #[inline(always)]
    pub fn is_sync(self) -> bool {
        matches!(self, SourceKind::Sync | SourceKind::Datasync)
    }

    /// Where it is counted.
    #[inline(always)]
    pub fn lane(self) -> usize {
        match self {
            SourceKind::Read => lane::READ,
            SourceKind::Write => lane::WRITE,
            SourceKind::Trim => lane::TRIM,
            SourceKind::Sync | SourceKind::Datasync => lane::SYNC,
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
    /// Its place in the thread's stream, from 0: what makes written data unique. Of a read that checks a write, the
    /// number of that write, with the marks [`CHECKS`] and [`ANY_WRITE`].
    pub number: u64,
    /// How much.
    pub bytes: u32,
    /// Which of the thread's files.
    pub file: u16,
    /// What.
    pub kind: SourceKind,
}

/// The bytes of each file that a job thread works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u64,
    /// Length, bytes.
    pub bytes: u64,
}

/// What a job goes through.
#[derive(Debug)]
enum SourceStage {
    /// Does what was asked for. `beginning` is kept where it is to be read back.
    Moving {
        stream: Stream,
        beginning: Option<Stream>,
    },
    /// Syncs one file after the other, then reads back.
    Syncing {
        next_file: usize,
        files: usize,
        then: Option<ReadBack>,
    },
    /// Reads what was written.
    ReadingBack(ReadBack),
}

/// Where a stage that has to wait for a drain is left for the thread's next run of its engine.
#[derive(Debug, Default)]
pub struct NextStage(Mutex<Option<Box<SourceStage>>>);

impl NextStage {
    /// Whether the engine is to be run again.
    pub fn is_there(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_some()
    }

    fn put(&self, stage: Box<SourceStage>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(stage);
    }

    fn take(&self) -> Option<Box<SourceStage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What a source knows of its thread, beyond the job.
#[derive(Debug, Default)]
pub struct Surroundings {
    /// Descriptions of the thread's files by which cached pages are dropped; empty where none are to be.
    pub files: Vec<DataFile>,
    /// The stage after the one at hand.
    pub next: Arc<NextStage>,
    /// Raised when the writing is to end, and syncs and reading back are to follow.
    pub is_winding_down: Arc<AtomicBool>,
}

/// Offsets and directions of one job thread, decided by the seed alone.
#[derive(Debug)]
pub struct OffsetSource {
    offsets: Offsets,
    /// A sequential mix keeps a place of its own for writes, as fio does; a random mix shares one order.
    write_offsets: Option<Offsets>,
    number: u64,
    /// The number at which the plain stream ends; 0 for a job that is not plain.
    plain_end: u64,
    seed: u64,
    bs: u64,
    /// Share of writes or trims, in 2^32ths.
    write_share: u64,
    /// What an I/O that changes nothing, and one that does, is: a table, because a jump would be guessed wrong in a mix.
    kinds: [SourceKind; 2],
    /// Of a job that is not plain.
    stage: Option<Box<SourceStage>>,
    around: Surroundings,
    span: Span,
    drops_passes: bool,
    end_fsync: bool,
}

impl OffsetSource {
    /// The stream of one job of a section over `files` files of which `span` is used.
    pub fn new(job: &Job, span: Span, files: usize, seed: u64) -> OffsetSource {
        let range = OffsetRange {
            first: span.start / job.bs,
            count: span.bytes / job.bs,
        };
        let sequential_mix = job.rw.reads() && job.rw.writes() && !job.rw.is_random();
        let offsets = match job.rw.is_random() {
            true => Offsets::random(range, seed),
            false => Offsets::sequential(range),
        };
        let is_plain = files <= 1 && span.start.is_multiple_of(job.bs) && is_plain(job);
        let stage = (!is_plain).then(|| {
            let stream = Stream::new(job, span, files, seed);
            let is_read_back = job.verify.is_some_and(|verify| verify.read_back) && job.rw.writes();
            Box::new(SourceStage::Moving {
                beginning: is_read_back.then(|| stream.clone()),
                stream,
            })
        });
        OffsetSource {
            write_offsets: sequential_mix.then(|| offsets.clone()),
            offsets,
            number: 0,
            plain_end: if is_plain {
                ios_to_do(job, span, job.bs)
            } else {
                0
            },
            seed,
            bs: job.bs,
            write_share: write_share(job),
            kinds: [
                SourceKind::Read,
                if job.rw.trims() {
                    SourceKind::Trim
                } else {
                    SourceKind::Write
                },
            ],
            stage,
            around: Surroundings::default(),
            span,
            drops_passes: job.cold_passes,
            end_fsync: job.end_fsync && job.rw.writes(),
        }
    }

    /// Connects it with its thread, and goes on with the stage that an earlier source has left.
    pub fn within(mut self, around: Surroundings) -> OffsetSource {
        self.around = around;
        if let Some(stage) = self.around.next.take() {
            if let SourceStage::ReadingBack(_) = *stage {
                // What was written is to come from the device, not from the page cache.
                (0..self.around.files.len()).for_each(|file| self.drop_pages(file));
            }
            self.stage = Some(stage);
        }
        self
    }

    /// Decides the direction of the next I/O of a mix in place of its shares: with a rate for each direction, the one
    /// that is due goes first. A mix that is read back keeps its own order, or it could not be told again.
    pub fn steer(&mut self, kind: Option<SourceKind>) {
        if let Some(SourceStage::Moving {
            stream,
            beginning: None,
        }) = self.stage.as_deref_mut()
        {
            stream.steered = kind;
        }
    }

    /// The next I/O; none when the job has moved all it was asked to, or when everything in flight has to come back
    /// before it goes on.
    #[inline]
    pub fn next_io(&mut self) -> Option<Io> {
        let number = self.number;
        if number >= self.plain_end {
            return self.next_staged();
        }
        self.number += 1;
        let changes = match self.write_share {
            0 => false,
            all if all == 1 << 32 => true,
            share => mix64(self.seed ^ number) >> 32 < share,
        };
        let offsets = match &mut self.write_offsets {
            Some(offsets) if changes => offsets,
            _ => &mut self.offsets,
        };
        let kind = self.kinds[usize::from(changes)];
        Some(Io {
            offset: offsets.next_block() * self.bs,
            number,
            bytes: self.bs as u32,
            file: 0,
            kind,
        })
    }

    /// Marked cold so that the compiler lays out [`OffsetSource::next_io`] for plain jobs.
    #[cold]
    #[inline(never)]
    fn next_staged(&mut self) -> Option<Io> {
        match &mut **self.stage.as_mut()? {
            SourceStage::Moving { stream, .. } => {
                let is_ending = self.around.is_winding_down.load(Relaxed) && !stream.is_pending();
                let step = if is_ending {
                    StreamStep::Over
                } else {
                    stream.next()
                };
                let begun = stream.begun.take();
                if let Some(file) = begun.filter(|_| self.drops_passes) {
                    self.drop_pages(usize::from(file));
                }
                match step {
                    StreamStep::Io(io) => return Some(io),
                    StreamStep::Drain => self.leave_stage(),
                    StreamStep::Over => self.end_moving(),
                }
                None
            }
            SourceStage::Syncing {
                next_file,
                files,
                then,
            } => {
                if *next_file < *files {
                    *next_file += 1;
                    let file = *next_file as u16 - 1;
                    return Some(Io {
                        offset: 0,
                        number: u64::MAX,
                        bytes: 0,
                        file,
                        kind: SourceKind::Sync,
                    });
                }
                if let Some(reads) = then.take() {
                    self.around
                        .next
                        .put(Box::new(SourceStage::ReadingBack(reads)));
                }
                self.stage = None;
                None
            }
            SourceStage::ReadingBack(reads) => reads.next(),
        }
    }

    /// Leaves the stage at hand for the next run of the engine.
    fn leave_stage(&mut self) {
        if let Some(stage) = self.stage.take() {
            self.around.next.put(stage);
        }
    }

    fn end_moving(&mut self) {
        let Some(stage) = self.stage.take() else {
            return;
        };
        let SourceStage::Moving { stream, beginning } = *stage else {
            return;
        };
        if self.end_fsync || beginning.is_some() {
            let files = stream.files();
            let then = beginning.map(|beginning| ReadBack::new(beginning, stream));
            self.around.next.put(Box::new(SourceStage::Syncing {
                next_file: 0,
                files,
                then,
            }));
        }
    }

    #[cold]
    fn drop_pages(&self, file: usize) {
        if let Some(file) = self.around.files.get(file) {
            // Best effort, as it is for fio: a file system that cannot drop pages serves them from memory.
            let _ = file.drop_cache(self.span.start, self.span.bytes);
        }
    }
}

/// Whether a job on one file is one order of equal blocks, with nothing to do in between or afterwards.
fn is_plain(job: &Job) -> bool {
    let sizes = job.sizes();
    let all_alike = [sizes.read, sizes.write, sizes.trim]
        .iter()
        .all(|size| *size == BlockSize::Fixed(job.bs));
    let is_aligned = job.blockalign == 0 || job.blockalign == job.bs;
    let has_one_order = match job.rw.is_random() {
        true => {
            job.distribution == Distribution::Random
                && !job.norandommap
                && job.rw_every <= 1
                && job.percentage_random >= 100
        }
        false => job.rw_stride == 0,
    };
    let has_no_stages =
        job.fsync == 0 && job.fdatasync == 0 && !job.end_fsync && job.verify.is_none();
    // The direction of a mix with speed limits follows its schedules.
    let is_steered = job.is_paced() && job.rw.reads() && job.rw.writes();
    all_alike && is_aligned && has_one_order && has_no_stages && !job.cold_passes && !is_steered
}

#[cfg(test)]
mod fio_tests;
#[cfg(test)]
mod tests;
