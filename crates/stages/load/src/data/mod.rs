//! The content of what is written, and whether what is read is that content.
//!
//! A job's buffers begin random ([`Data::initial`]); before each write [`Data::prepare`] makes them new, so that no two
//! blocks of a run are alike. A job that verifies puts a [header](header) at the beginning of each interval.
//!
//! ## What is checked
//! A read that checks a write knows that write's number: the interval has to hold it, belong where it was read, come
//! from this job, and match its checksum. Where blocks may be written more than once in an order of their own
//! (`norandommap`, zipf and the like, strides, mixed sizes, several jobs on one range), the number cannot be known; then
//! the interval has to agree with itself (checksum, place, job), which misses a write that was lost over an earlier one.
//!
//! Other reads of a verifying job are checked the same way where there is a header; what has none was laid out or
//! written by something else and says nothing. Jobs whose reads can meet a write of the same block in flight are
//! checked only when they read back.

mod header;

use super::pattern::{fill, refresh};
use super::source::{ANY_WRITE, CHECKS, Io};
use header::{Damage, HEADER_BYTES, Header};
use model::job::{BlockSize, Buffers, Distribution, Job, Sharing};
use stats::dice::mix64;

/// Bytes of a compressible buffer that are compressible by themselves, as in fio.
const COMPRESS_CHUNK: usize = 512;

/// What one job thread writes, and what it expects to read.
#[derive(Debug)]
pub struct Data {
    buffers: Buffers,
    writes: bool,
    seed: u64,
    refresh_seed: u64,
    /// Bytes of an interval; none without verification.
    interval: Option<usize>,
    checks_others: bool,
    is_alone: bool,
    files: Vec<String>,
}

impl Data {
    /// The data of a job thread with this seed.
    pub fn new(job: &Job, seed: u64) -> Data {
        Data {
            buffers: job.buffers,
            writes: job.rw.writes(),
            seed,
            refresh_seed: mix64(seed),
            interval: job.verify.map(|_| interval_bytes(job) as usize),
            checks_others: !job.rw.writes() || (job.rw.is_random() && is_exact(job)),
            is_alone: is_alone(job),
            files: Vec::new(),
        }
    }

    /// Gives the files the names by which bad blocks are told.
    pub fn with_names(self, files: Vec<String>) -> Data {
        Data { files, ..self }
    }

    /// First content of an engine's buffer.
    pub fn initial(&self, buffer: &mut [u8], index: usize) {
        match self.buffers {
            _ if !self.writes => {}
            Buffers::Random => fill(buffer, mix64(self.seed ^ index as u64)),
            Buffers::Zeros => buffer.fill(0),
            Buffers::Compressible(percent) => {
                fill(buffer, mix64(self.seed ^ index as u64));
                for chunk in buffer.chunks_mut(COMPRESS_CHUNK) {
                    let random = random_bytes(chunk.len(), percent);
                    chunk[random..].fill(0);
                }
            }
        }
    }

    /// Fills what the write `io` must contain into the beginning of its buffer, which earlier held a write's data.
    #[inline]
    pub fn prepare(&mut self, buffer: &mut [u8], io: &Io) {
        let block = &mut buffer[..io.bytes as usize];
        if self.buffers == Buffers::Random {
            refresh(block, self.refresh_seed ^ io.number);
        } else if let Buffers::Compressible(percent) = self.buffers {
            for chunk in block.chunks_mut(COMPRESS_CHUNK) {
                let random = random_bytes(chunk.len(), percent);
                refresh(&mut chunk[..random], self.refresh_seed ^ io.number);
            }
        }
        if let Some(interval) = self.interval {
            self.seal(block, interval, io);
        }
    }

    fn seal(&self, block: &mut [u8], interval: usize, io: &Io) {
        for (index, part) in block.chunks_exact_mut(interval).enumerate() {
            let offset = io.offset + (index * interval) as u64;
            Header {
                offset,
                number: io.number,
                seed: self.seed,
            }
            .seal(part);
        }
    }

    /// Whether reads are to be checked.
    pub fn checks(&self) -> bool {
        self.interval.is_some()
    }

    /// Checks what a read brought: none when it is as written, else a sentence with the file, the byte of the first bad
    /// interval, what was expected and what was found.
    pub fn check(&mut self, buffer: &[u8], io: &Io) -> Option<String> {
        let interval = self.interval?;
        let is_check = io.number & CHECKS != 0;
        if !is_check && !self.checks_others {
            return None;
        }
        let parts = buffer[..io.bytes as usize]
            .chunks_exact(interval)
            .enumerate();
        parts
            .map(|(index, part)| (io.offset + (index * interval) as u64, part))
            .find_map(|(offset, part)| {
                let wrong = self.wrong(part, offset, io, is_check)?;
                Some(format!("{}, byte {offset}: {wrong}", self.file(io.file)))
            })
    }

    fn file(&self, file: u16) -> String {
        self.files
            .get(usize::from(file))
            .cloned()
            .unwrap_or_else(|| format!("file {file}"))
    }

    /// What is wrong with an interval that was read at `offset`.
    fn wrong(&self, part: &[u8], offset: u64, io: &Io, is_check: bool) -> Option<String> {
        let length = part.len();
        let header = match Header::open(part) {
            Ok(header) => header,
            Err(Damage::NoHeader(first)) if !is_check && !self.writes => {
                return Some(format!("expected a header, found the bytes {first:02x?}"));
            }
            Err(Damage::NoHeader(_)) if !is_check => return None,
            // Another job's intervals on the same file are none of this one's.
            Err(Damage::Length(_)) if !is_check && self.writes => return None,
            Err(Damage::NoHeader(first)) => {
                return Some(format!(
                    "expected the header of {}, found the bytes {first:02x?}",
                    write(io)
                ));
            }
            Err(Damage::Length(found)) => {
                return Some(format!(
                    "expected an interval of {length} bytes, found the header of one of {found}"
                ));
            }
            Err(Damage::Sum { stored, computed }) => {
                return Some(format!(
                    "the {length} bytes do not match their checksum: crc32c {stored:08x} was written, {computed:08x} \
                     was read"
                ));
            }
        };
        let is_own = !(is_check && self.is_alone) || header.seed == self.seed;
        let knows_number = is_check && io.number & ANY_WRITE == 0;
        if header.offset != offset {
            Some(format!(
                "expected {}, found data that was written at byte {}",
                write(io),
                header.offset
            ))
        } else if !is_own {
            Some(format!(
                "expected {}, found the data of another job or run (seed {:x})",
                write(io),
                header.seed
            ))
        } else if knows_number && header.number != io.number & !CHECKS {
            let (found, age) = (
                header.number,
                if header.number < io.number & !CHECKS {
                    "older"
                } else {
                    "newer"
                },
            );
            Some(format!(
                "expected {}, found the {age} write {found}",
                write(io)
            ))
        } else {
            None
        }
    }
}

/// The write that a read checks, for messages.
fn write(io: &Io) -> String {
    match io.number & (CHECKS | ANY_WRITE) {
        CHECKS => format!("write {}", io.number & !CHECKS),
        0 => "data of this place".into(),
        _ => format!("write {} or a later one", io.number & !(CHECKS | ANY_WRITE)),
    }
}

/// How many bytes of a chunk are random when `percent` of it are zeros: whole words, since words are refreshed.
fn random_bytes(chunk: usize, percent: u8) -> usize {
    chunk * usize::from(100 - percent.min(100)) / 100 / 8 * 8
}

/// Whether nobody but one thread writes the bytes that it writes.
fn is_alone(job: &Job) -> bool {
    match job.files.sharing {
        _ if job.numjobs <= 1 => true,
        Sharing::Own => true,
        Sharing::Shares => !job.rw.is_random(),
        Sharing::Same => job.size > 0 && job.offset_increment >= job.size,
    }
}

/// Whether each block comes once in a pass, at a place that can be computed: then the last write of every block is known.
pub fn is_exact(job: &Job) -> bool {
    let sizes = job.sizes();
    let is_one_size = sizes.write == BlockSize::Fixed(job.bs)
        && (!job.rw.is_random() || !job.rw.reads() || sizes.read == sizes.write);
    let has_one_order = match job.rw.is_random() {
        true => {
            job.distribution == Distribution::Random
                && !job.norandommap
                && job.rw_every <= 1
                && job.percentage_random >= 100
        }
        false => job.rw_stride == 0,
    };
    let is_aligned = job.blockalign == 0 || job.blockalign == job.bs;
    job.verify.is_some()
        && job.rw.writes()
        && is_one_size
        && has_one_order
        && is_aligned
        && is_alone(job)
}

/// Bytes that each have a header: what was asked for, where all blocks and places are multiples of it; else the largest
/// number that they all are multiples of.
pub fn interval_bytes(job: &Job) -> u64 {
    let unit = unit_bytes(job);
    let asked = job.verify.map_or(0, |verify| verify.interval);
    if asked >= LEAST_INTERVAL && unit.is_multiple_of(asked) {
        asked
    } else {
        unit
    }
}

/// The largest number that all sizes and places of the job's blocks are multiples of, counted from where its range
/// begins.
pub fn unit_bytes(job: &Job) -> u64 {
    let sizes = job.sizes();
    let mut unit = if job.blockalign > 0 {
        gcd(job.bs, job.blockalign)
    } else {
        job.bs
    };
    unit = gcd(unit, job.rw_stride.unsigned_abs());
    let used = [
        (job.rw.reads(), sizes.read),
        (job.rw.writes() || job.verify.is_some(), sizes.write),
        (job.rw.trims(), sizes.trim),
    ];
    for (_, size) in used.iter().filter(|(used, _)| *used) {
        unit = match size {
            BlockSize::Fixed(bytes) | BlockSize::Range(bytes, _) => gcd(unit, *bytes),
            BlockSize::Split(parts) => parts
                .iter()
                .fold(unit, |unit, (bytes, _)| gcd(unit, *bytes)),
        };
    }
    unit
}

/// The least that an interval can have, bytes.
pub const LEAST_INTERVAL: u64 = HEADER_BYTES as u64;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;
