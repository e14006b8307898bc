//! The records of a blktrace: `struct blk_io_trace` of include/uapi/linux/blktrace_api.h, the same since 2.6.17.
//!
//! 48 bytes: magic and version (4), number (4), time (8), sector (8), bytes (4), action (4), process (4), device (4), CPU
//! (4), error (2), length of what follows (2), in the byte order of the machine. The lower half of the action says what
//! happened, the upper half to what.

use crate::stat::SECTOR_BYTES;

/// Magic and version as one number.
pub const MAGIC: u32 = 0x6561_7407;
/// Bytes before what follows.
pub const HEAD: usize = 48;

/// What follows begins with the number of a control group (__BLK_TA_CGROUP).
const HAS_GROUP: u32 = 1 << 8;
const GROUP_BYTES: usize = 8;
/// Categories (BLK_TC_*).
const WRITE: u32 = 1 << 1;
const FLUSH: u32 = 1 << 2;
const COMMAND: u32 = 1 << 9;
const NOTE: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;
/// A note that tells the time of day (BLK_TN_TIMESTAMP).
const NOTE_TIME: u32 = 1;

/// A record without what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlktraceHead {
    /// Its number; each CPU and device counts its own.
    pub number: u32,
    /// When, ns of the trace's clock.
    pub at_ns: u64,
    /// First sector.
    pub sector: u64,
    /// Length of the I/O, bytes.
    pub bytes: u32,
    /// The kernel's device number.
    pub device: u32,
    /// The CPU.
    pub cpu: u32,
    /// The kernel's error number, negative; 0 for none.
    pub error: i32,
    /// Bytes that follow.
    pub more: usize,
    action: u32,
}

/// What happened to an I/O on its way (`enum blktrace_act`); steps that nobody asks for are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A bio arrived.
    Queue,
    /// It has a request.
    GetRequest,
    /// The driver gave the request back.
    Requeue,
    /// The driver has it.
    Issue,
    /// A request is done, or a bio without one: the record does not say which.
    Complete,
    /// The request is in the scheduler.
    Insert,
    /// A bio was cut in two.
    Split,
    /// A bio was handed on from a device above.
    Remap,
}

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlktraceKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It discards.
    Discard,
    /// It flushes, and has no data.
    Flush,
}

impl BlktraceHead {
    /// Of the first bytes of a record, in big byte order or in little; none where they are not of one.
    #[inline(always)]
    pub fn parse<const BIG: bool>(bytes: &[u8; HEAD]) -> Option<BlktraceHead> {
        (word::<BIG>(bytes, 0) == MAGIC).then(|| BlktraceHead {
            number: word::<BIG>(bytes, 4),
            at_ns: long::<BIG>(bytes, 8),
            sector: long::<BIG>(bytes, 16),
            bytes: word::<BIG>(bytes, 24),
            action: word::<BIG>(bytes, 28),
            device: word::<BIG>(bytes, 36),
            cpu: word::<BIG>(bytes, 40),
            error: i32::from(short::<BIG>(bytes, 44) as i16),
            more: usize::from(short::<BIG>(bytes, 46)),
        })
    }

    /// Whether it tells of the trace or of a process, not of an I/O. Notes have no numbers.
    #[inline]
    pub fn is_note(&self) -> bool {
        self.is(NOTE)
    }

    /// When tracing began, ms since 1970, where it is the note that says so; by `more`, what follows.
    pub fn start_unix_ms<const BIG: bool>(&self, more: &[u8]) -> Option<u64> {
        let bytes = more.first_chunk::<8>()?;
        let (seconds, ns) = (word::<BIG>(bytes, 0), word::<BIG>(bytes, 4));
        let is_time = self.is_note() && self.action & 0xff == NOTE_TIME;
        is_time.then(|| u64::from(seconds) * 1_000 + u64::from(ns) / 1_000_000)
    }

    /// What happened; none of what is no step of an I/O: notes, commands that go to the device past the block layer.
    #[inline]
    pub fn action(&self) -> Option<Action> {
        if self.is(NOTE) || self.is(COMMAND) {
            return None;
        }
        Some(match self.action & 0xff {
            1 => Action::Queue,
            4 => Action::GetRequest,
            6 => Action::Requeue,
            7 => Action::Issue,
            8 => Action::Complete,
            12 => Action::Insert,
            13 => Action::Split,
            15 => Action::Remap,
            _ => return None,
        })
    }

    /// What the I/O does; none of one without data that does not flush.
    #[inline]
    pub fn kind(&self) -> Option<BlktraceKind> {
        Some(match self.bytes {
            0 if !self.is(FLUSH) => return None,
            0 => BlktraceKind::Flush,
            _ if self.is(DISCARD) => BlktraceKind::Discard,
            _ if self.is(WRITE) => BlktraceKind::Write,
            _ => BlktraceKind::Read,
        })
    }

    /// Its length, sectors.
    #[inline]
    pub fn sectors(&self) -> u64 {
        u64::from(self.bytes).div_ceil(SECTOR_BYTES)
    }

    /// Of a split, the sector of the cut.
    pub fn cut(&self, more: &[u8]) -> Option<u64> {
        // What follows is of network byte order always.
        let sector = self.data(more)?.first_chunk()?;
        Some(u64::from_be_bytes(*sector))
    }

    /// Of a remap, the device and the sector that the bio came from.
    pub fn came_from(&self, more: &[u8]) -> Option<(u32, u64)> {
        // The device that it came from, the one that it goes to, and the sector that it came from.
        let data = self.data(more)?.first_chunk::<16>()?;
        Some((word::<true>(data, 0), long::<true>(data, 8)))
    }

    fn data<'a>(&self, more: &'a [u8]) -> Option<&'a [u8]> {
        match self.action & HAS_GROUP {
            0 => Some(more),
            _ => more.get(GROUP_BYTES..),
        }
    }

    #[inline(always)]
    fn is(&self, category: u32) -> bool {
        self.action >> 16 & category != 0
    }
}

#[inline(always)]
fn short<const BIG: bool>(bytes: &[u8], at: usize) -> u16 {
    let bytes = [bytes[at], bytes[at + 1]];
    if BIG {
        u16::from_be_bytes(bytes)
    } else {
        u16::from_le_bytes(bytes)
    }
}

#[inline(always)]
fn word<const BIG: bool>(bytes: &[u8], at: usize) -> u32 {
    let bytes = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
    if BIG {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    }
}

#[inline(always)]
fn long<const BIG: bool>(bytes: &[u8], at: usize) -> u64 {
    let (first, second) = (
        u64::from(word::<BIG>(bytes, at)),
        u64::from(word::<BIG>(bytes, at + 4)),
    );
    if BIG {
        first << 32 | second
    } else {
        second << 32 | first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A head of this action and categories, whose I/O has so many bytes.
    fn head(action: u32, about: u32, bytes: u32) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &MAGIC.to_le_bytes());
        put(4, &7u32.to_le_bytes());
        put(8, &1_000u64.to_le_bytes());
        put(16, &80u64.to_le_bytes());
        put(24, &bytes.to_le_bytes());
        put(28, &(action | about << 16).to_le_bytes());
        put(36, &(8u32 << 20 | 1).to_le_bytes());
        put(40, &3u32.to_le_bytes());
        put(44, &(-5i16).to_le_bytes());
        put(46, &16u16.to_le_bytes());
        head
    }

    fn parsed(action: u32, about: u32, bytes: u32) -> BlktraceHead {
        BlktraceHead::parse::<false>(&head(action, about, bytes)).unwrap()
    }

    #[test]
    fn both_byte_orders_give_the_same() {
        let little = head(1, WRITE, 4_096);
        let mut big = little;
        let fields = [(0, 4), (4, 4), (8, 8), (16, 8), (24, 4), (28, 4), (36, 4)];
        for (at, length) in fields.into_iter().chain([(40, 4), (44, 2), (46, 2)]) {
            big[at..at + length].reverse();
        }
        let read = BlktraceHead::parse::<false>(&little).unwrap();
        assert_eq!(BlktraceHead::parse::<true>(&big), Some(read));
        assert_eq!(BlktraceHead::parse::<true>(&little), None);
        assert_eq!((read.number, read.at_ns, read.sector), (7, 1_000, 80));
        assert_eq!((read.device, read.cpu, read.error), (8 << 20 | 1, 3, -5));
        assert_eq!((read.more, read.sectors()), (16, 8));
    }

    #[test]
    fn actions_and_what_the_io_does() {
        let read = parsed(1, 1, 1);
        assert_eq!(
            (read.action(), read.kind(), read.sectors()),
            (Some(Action::Queue), Some(BlktraceKind::Read), 1)
        );
        let discard = parsed(8, DISCARD | WRITE, 4_096);
        assert_eq!(discard.kind(), Some(BlktraceKind::Discard));
        assert_eq!(discard.action(), Some(Action::Complete));
        assert_eq!(
            parsed(1, WRITE | FLUSH, 0).kind(),
            Some(BlktraceKind::Flush)
        );
        assert_eq!(
            parsed(1, WRITE | FLUSH, 512).kind(),
            Some(BlktraceKind::Write)
        );
        assert_eq!(parsed(1, WRITE, 0).kind(), None);
        assert_eq!(parsed(2, WRITE, 512).action(), None);
        assert_eq!(parsed(7, COMMAND, 512).action(), None);
        let note = parsed(1, NOTE, 0);
        assert!(note.is_note() && note.action().is_none());
    }

    #[test]
    fn what_follows_a_split_and_a_remap() {
        let cut = 84u64.to_be_bytes();
        let grouped = [&[1; GROUP_BYTES][..], &cut].concat();
        assert_eq!(parsed(13, WRITE, 4_096).cut(&cut), Some(84));
        let with_group = parsed(13 | HAS_GROUP, WRITE, 4_096);
        assert_eq!(with_group.cut(&grouped), Some(84));
        assert_eq!(with_group.cut(&cut), None);
        let from = [
            &(9u32 << 20).to_be_bytes()[..],
            &[0; 4],
            &16u64.to_be_bytes(),
        ];
        let remap = parsed(15, 1, 4_096);
        assert_eq!(remap.came_from(&from.concat()), Some((9 << 20, 16)));
        assert_eq!(remap.came_from(&cut), None);
    }

    #[test]
    fn one_note_tells_when_tracing_began() {
        let time = [1_700_000_000u32.to_le_bytes(), 5_000_000u32.to_le_bytes()].concat();
        let tells = |action, about| parsed(action, about, 0).start_unix_ms::<false>(&time);
        assert_eq!(tells(1, NOTE), Some(1_700_000_000_005));
        assert_eq!(tells(0, NOTE), None);
        assert_eq!(tells(1, WRITE), None);
        assert_eq!(parsed(1, NOTE, 0).start_unix_ms::<false>(&time[..7]), None);
    }

    proptest! {
        #[test]
        fn bytes_of_any_kind_are_read_or_refused(bytes: [[u8; 16]; 3], more: Vec<u8>) {
            let mut bytes: [u8; HEAD] = std::array::from_fn(|at| bytes[at / 16][at % 16]);
            bytes[..4].copy_from_slice(&MAGIC.to_be_bytes());
            let head = BlktraceHead::parse::<true>(&bytes).unwrap();
            prop_assert!(head.sectors() * SECTOR_BYTES >= u64::from(head.bytes));
            prop_assert!(!head.is_note() || head.action().is_none());
            let _ = (head.kind(), head.cut(&more), head.came_from(&more));
            let _ = head.start_unix_ms::<true>(&more);
        }
    }
}
