//! The stream of a job that is more than one plain order: mixes of sizes, strides, several files, syncs, an end.

use super::walk::{DIRECTIONS, Walk};
use super::{Io, SourceKind, Span, sizes::Sizes};
use crate::data;
use model::job::Job;
use stats::dice::{Random, mix64};

/// What comes next in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamStep {
    /// An I/O.
    Io(Io),
    /// Everything in flight has to come back before the next I/O.
    Drain,
    /// All was moved.
    Over,
}

/// The state of a stream. A clone goes on as the original does.
#[derive(Clone, Debug)]
pub struct Stream {
    walks: Vec<Walk>,
    sizes: [Sizes; DIRECTIONS],
    largest: u64,
    seed: u64,
    sizes_random: Random,
    order_random: Random,
    is_random: bool,
    /// Share of random I/O, in 2^32ths.
    random_share: u64,
    /// Share of writes, in 2^32ths.
    write_share: u64,
    /// What the second direction does: writes or trims.
    change: SourceKind,
    every: u32,
    in_row: u32,
    repeats_in_row: bool,
    turn: usize,
    number: u64,
    moved: u64,
    limit: u64,
    loops_left: u32,
    /// `io_size`, which may ask for passes beyond `loops`.
    io_size: u64,
    /// Whether a direction that is at its end begins again by itself; otherwise a pass ends for all.
    wraps: bool,
    fsync: u64,
    fdatasync: u64,
    writes: u64,
    due_sync: Option<SourceKind>,
    /// Files left to sync at the end of a pass.
    syncs_left: usize,
    end_fsync: bool,
    is_exact: bool,
    pending: Option<Io>,
    /// A file of which a pass other than the first has begun.
    pub begun: Option<u16>,
    /// What the next I/O of a mix is to do, where its schedules decide that.
    pub steered: Option<SourceKind>,
}

/// A share in per cent, in 2^32ths.
pub fn share(percent: u64) -> u64 {
    (percent.min(100) << 32) / 100
}

impl Stream {
    /// The stream of a job over `files` files of which `span` is used.
    pub fn new(job: &Job, span: Span, files: usize, seed: u64) -> Stream {
        let sizes = job.sizes();
        let all = [&sizes.read, &sizes.write, &sizes.trim].map(Sizes::new);
        let files = files.max(1);
        let block = single_size(job, &all);
        let walk = |file: usize| {
            Walk::new(
                job,
                span,
                block,
                if file == 0 {
                    seed
                } else {
                    mix64(seed ^ file as u64)
                },
            )
        };
        let range_bytes = match span.bytes.saturating_mul(files as u64) {
            all if files > 1 && job.size > 0 => all.min(job.size),
            all => all,
        };
        let is_exact = data::is_exact(job);
        Stream {
            walks: (0..files).map(walk).collect(),
            sizes: all,
            largest: job.max_bs(),
            seed,
            sizes_random: Random::new(mix64(seed ^ 0x51ce)),
            order_random: Random::new(mix64(seed ^ 0x0de5)),
            is_random: job.rw.is_random(),
            random_share: share(job.percentage_random.into()),
            write_share: write_share(job),
            change: if job.rw.trims() {
                SourceKind::Trim
            } else {
                SourceKind::Write
            },
            every: job.rw_every.max(1),
            in_row: 0,
            repeats_in_row: job.rw_identical,
            turn: 0,
            number: 0,
            moved: 0,
            limit: match block {
                Some(bytes) if files == 1 => ios_to_do(job, span, bytes).saturating_mul(bytes),
                _ => job.bytes_to_move(range_bytes).unwrap_or(u64::MAX),
            },
            loops_left: job.loops.max(1),
            io_size: job.io_size,
            wraps: job.time_based || (job.rw.reads() && job.rw.writes() && job.io_size > job.size),
            fsync: job.fsync.into(),
            fdatasync: job.fdatasync.into(),
            writes: 0,
            due_sync: None,
            syncs_left: 0,
            end_fsync: job.end_fsync && job.rw.writes() && !job.time_based,
            is_exact,
            pending: None,
            begun: None,
            steered: None,
        }
    }

    /// How many files there are.
    pub fn files(&self) -> usize {
        self.walks.len()
    }

    /// I/Os handed out so far, syncs not counted.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether an I/O was drawn and waits for a drain.
    pub fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The next step.
    pub fn next(&mut self) -> StreamStep {
        if self.syncs_left > 0 {
            self.syncs_left -= 1;
            return self.sync(self.walks.len() - 1 - self.syncs_left, SourceKind::Sync);
        }
        if let Some(io) = self.pending.take() {
            return StreamStep::Io(io);
        }
        if self.moved >= self.limit {
            return StreamStep::Over;
        }
        if let Some(kind) = self.due_sync.take() {
            // As in fio, a sync takes a turn of its own among the files.
            let file = self.next_file().unwrap_or(0);
            return self.sync(file, kind);
        }
        loop {
            let Some(file) = self.next_file() else {
                match self.begin_pass() {
                    false => return StreamStep::Over,
                    true if self.end_fsync => {
                        self.syncs_left = self.walks.len();
                        return StreamStep::Drain;
                    }
                    true => continue,
                }
            };
            if let Some((direction, at, bytes)) = self.place(file) {
                return self.hand_out(file, direction, at, bytes);
            }
        }
    }

    fn sync(&self, file: usize, kind: SourceKind) -> StreamStep {
        StreamStep::Io(Io {
            offset: 0,
            number: self.number,
            bytes: 0,
            file: file as u16,
            kind,
        })
    }

    /// The next file in turn that has something left.
    fn next_file(&mut self) -> Option<usize> {
        for _ in 0..self.walks.len() {
            let file = self.turn;
            self.turn = if file + 1 == self.walks.len() {
                0
            } else {
                file + 1
            };
            if !self.walks[file].is_done {
                return Some(file);
            }
        }
        None
    }

    /// After a pass over all files: begins the next one where there is one. What is left of `io_size` and is less than
    /// a block is left out, as in fio.
    fn begin_pass(&mut self) -> bool {
        if self.loops_left > 1 {
            self.loops_left -= 1;
        } else if self.io_size.saturating_sub(self.moved) < self.largest {
            return false;
        }
        for walk in &mut self.walks {
            walk.is_done = false;
            (0..DIRECTIONS).for_each(|direction| walk.rewind(direction));
        }
        true
    }

    /// Direction, place and size of the next block in a file; none when its pass is over.
    fn place(&mut self, file: usize) -> Option<(usize, u64, u64)> {
        if self.is_exact && self.is_random {
            let bytes = self.sizes[1].draw(&mut self.sizes_random);
            let at = self.walks[file].random(bytes);
            let direction = usize::from(self.writes_block(file, self.walks[file].pass(1), at));
            return Some((direction, at, bytes));
        }
        let direction = match (self.write_share, self.steered) {
            (0, _) => 0,
            (all, _) if all == 1 << 32 => usize::from(self.change != SourceKind::Write) + 1,
            (_, Some(kind)) => usize::from(kind != SourceKind::Read),
            (share, None) => usize::from(mix64(self.seed ^ self.number) >> 32 < share),
        };
        let bytes = self.sizes[direction].draw(&mut self.sizes_random);
        if self.is_random {
            return Some((direction, self.random_place(file, direction, bytes), bytes));
        }
        let walk = &mut self.walks[file];
        let at = walk.onward(direction, bytes).or_else(|| {
            if self.wraps {
                walk.rewind(direction);
                walk.onward(direction, bytes)
            } else {
                None
            }
        });
        walk.is_done = at.is_none();
        at.map(|at| (direction, at, bytes))
    }

    /// Whether a mix that is read back writes a block in a pass: a matter of the block, not of the moment, so that the
    /// last write of each block can be told without a record.
    fn writes_block(&self, file: usize, pass: u64, at: u64) -> bool {
        let key = mix64(self.seed ^ mix64((pass << 16) ^ file as u64));
        mix64(key ^ at) >> 32 < self.write_share
    }

    fn random_place(&mut self, file: usize, direction: usize, bytes: u64) -> u64 {
        let is_first = self.in_row == 0;
        self.in_row = if self.in_row + 1 == self.every {
            0
        } else {
            self.in_row + 1
        };
        let walk = &mut self.walks[file];
        if !is_first && self.repeats_in_row {
            return walk.again(direction, bytes);
        }
        let is_random = is_first
            && (self.random_share == 1 << 32 || self.order_random.bits() >> 32 < self.random_share);
        let onward = if is_random {
            None
        } else {
            walk.onward(direction, bytes)
        };
        onward.unwrap_or_else(|| walk.random(bytes))
    }

    fn hand_out(&mut self, file: usize, direction: usize, at: u64, bytes: u64) -> StreamStep {
        let walk = &mut self.walks[file];
        let offset = walk.take(direction, at, bytes);
        let kind = if direction == 0 {
            SourceKind::Read
        } else {
            self.change
        };
        let io = Io {
            offset,
            number: self.number,
            bytes: bytes as u32,
            file: file as u16,
            kind,
        };
        self.number += 1;
        self.moved += bytes;
        if kind == SourceKind::Write {
            self.writes += 1;
            let is_due = |cadence: u64| cadence > 0 && self.writes.is_multiple_of(cadence);
            self.due_sync = match (is_due(self.fsync), is_due(self.fdatasync)) {
                (true, _) => Some(SourceKind::Sync),
                (_, true) => Some(SourceKind::Datasync),
                _ => None,
            };
        }
        if self.walks[file].begins_pass(direction) {
            self.begun = Some(file as u16);
            let syncs = self.end_fsync && self.is_random && self.walks.len() == 1;
            if self.is_exact || syncs {
                self.syncs_left = usize::from(syncs);
                self.pending = Some(io);
                return StreamStep::Drain;
            }
        }
        StreamStep::Io(io)
    }

    /// Whether the last write of every block can be told.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether `end`, a later state of this stream, has written the block of a write again since.
    pub fn is_rewritten(&self, write: &Io, end: &Stream) -> bool {
        let file = usize::from(write.file);
        let (then, now) = (self.walks[file].pass(1), end.walks[file].pass(1));
        let at = write.offset - self.walks[file].start();
        let mut later = (then + 1)..=now;
        later.any(|pass| {
            (!self.is_random || self.writes_block(file, pass, at))
                && (pass < now || end.walks[file].has_given(1, write.offset))
        })
    }

    /// Of a stream at its beginning: leaves out passes that `end` has overwritten whole, where that is plain.
    pub fn skip_overwritten(&mut self, end: &Stream) {
        let passes = end.walks[0].pass(1);
        let Sizes::Fixed(bytes) = self.sizes[1] else {
            return;
        };
        if !self.is_exact || self.write_share != 1 << 32 || self.walks.len() > 1 || passes < 2 {
            return;
        }
        self.walks[0].skip_to_pass(1, passes - 1);
        self.number = self.walks[0].blocks(bytes) * (passes - 1);
        self.moved = self.number * bytes;
        self.loops_left = self
            .loops_left
            .saturating_sub(u32::try_from(passes - 1).unwrap_or(u32::MAX))
            .max(1);
    }
}

/// I/Os of a job on one file whose blocks all have one size, as fio counts them: every loop is a whole pass where
/// `io_size` lasts as long, and `io_size` beyond that goes on in whole passes while at least a block of it is left.
pub fn ios_to_do(job: &Job, span: Span, block: u64) -> u64 {
    let Some(bytes) = job.bytes_to_move(span.bytes) else {
        return u64::MAX;
    };
    let in_pass = (span.bytes / block).max(1);
    let io_size = if job.io_size > 0 {
        job.io_size
    } else {
        span.bytes
    };
    let passes = io_size
        .checked_sub(block)
        .map_or(0, |last| last / (in_pass * block) + 1);
    bytes
        .div_ceil(block)
        .min(in_pass * passes.max(job.loops.max(1).into()))
}

/// The one size of all blocks, where there is one.
fn single_size(job: &Job, sizes: &[Sizes; DIRECTIONS]) -> Option<u64> {
    let used = [job.rw.reads(), job.rw.writes(), job.rw.trims()];
    let mut single = None;
    for (_, size) in used.iter().zip(sizes).filter(|(used, _)| **used) {
        match (size, single) {
            (Sizes::Fixed(bytes), None) => single = Some(*bytes),
            (Sizes::Fixed(bytes), Some(other)) if *bytes == other => {}
            _ => return None,
        }
    }
    single
}

/// Share of the I/Os that change data, in 2^32ths.
pub fn write_share(job: &Job) -> u64 {
    match (job.rw.reads(), job.rw.changes()) {
        (true, true) => share(100 - u64::from(job.rwmixread.min(100))),
        (_, changes) => u64::from(changes) << 32,
    }
}
