//! The records of a blktrace: `struct blk_io_trace` of include/uapi/linux/blktrace_api.h, the same since 2.6.17.
//!
//! 48 bytes: magic and version (4), number (4), time (8), sector (8), bytes (4), action (4), process (4), device (4), CPU
//! (4), error (2), length of what follows (2). The lower half of the action says what happened, the upper half to what.

use super::pairs::{Event, Side, What};
use std::collections::HashMap;

/// Magic and version as one number.
const MAGIC: u32 = 0x6561_7407;
const RECORD: usize = 48;
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
const SECTOR_BYTES: u32 = 512;
/// CPUs and devices whose numbers are followed; a damaged file has any number of them.
const STREAMS_MAX: usize = 1 << 16;
/// More than so many at once were not dropped: the numbers begin anew, in a file behind another.
const GAP_MAX: u32 = 1 << 24;

/// Which byte order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Bytes {
    Little,
    Big,
}

/// Whether a file begins so.
pub fn is_mine(head: &[u8]) -> bool {
    byte_order(head).is_some()
}

fn byte_order(head: &[u8]) -> Option<Bytes> {
    let magic: [u8; 4] = head.get(..4)?.try_into().ok()?;
    match (u32::from_le_bytes(magic), u32::from_be_bytes(magic)) {
        (MAGIC, _) => Some(Bytes::Little),
        (_, MAGIC) => Some(Bytes::Big),
        _ => None,
    }
}

/// What reads records from pieces of a file.
#[derive(Debug, Default)]
pub struct Intake {
    bytes: Option<Bytes>,
    /// The number of the last record of a device on a CPU.
    numbers: HashMap<u64, u32>,
    /// The stream of the last record, and its number: mostly it is the same again.
    last: Option<(u64, u32)>,
    skipped_bytes: u64,
    /// Of a file that does not begin with a record.
    others_bytes: u64,
    lost: u64,
    cut_bytes: u64,
    start_unix_ms: Option<u64>,
}

impl Intake {
    /// Gives the events of what was read to `give`, with their CPUs, and says how many bytes it used. `is_end` where no
    /// more follow.
    pub fn take(&mut self, data: &[u8], is_end: bool, give: &mut impl FnMut(Event, u32)) -> usize {
        let order = match self.bytes.or_else(|| byte_order(data)) {
            Some(order) => order,
            // The first four bytes may come in several pieces.
            None if data.len() < 4 && !is_end => return 0,
            None => {
                self.others_bytes += data.len() as u64;
                return data.len();
            }
        };
        self.bytes = Some(order);
        match order {
            Bytes::Little => self.records::<false>(data, is_end, give),
            Bytes::Big => self.records::<true>(data, is_end, give),
        }
    }

    fn records<const BIG: bool>(
        &mut self,
        data: &[u8],
        is_end: bool,
        give: &mut impl FnMut(Event, u32),
    ) -> usize {
        let mut at = 0;
        while let Some(head) = data.get(at..).and_then(|rest| rest.first_chunk::<RECORD>()) {
            if word::<BIG>(head, 0) != MAGIC {
                // Somewhere a record begins again.
                self.skipped_bytes += 1;
                at += 1;
                continue;
            }
            let more = usize::from(short::<BIG>(head, 46));
            let end = at + RECORD + more;
            let Some(follows) = data.get(at + RECORD..end) else {
                break;
            };
            self.record::<BIG>(head, follows, give);
            at = end;
        }
        if is_end {
            self.cut_bytes += (data.len() - at) as u64;
            return data.len();
        }
        at
    }

    fn record<const BIG: bool>(
        &mut self,
        head: &[u8; RECORD],
        more: &[u8],
        give: &mut impl FnMut(Event, u32),
    ) {
        let action = word::<BIG>(head, 28);
        let at_ns = long::<BIG>(head, 8);
        if action >> 16 & NOTE != 0 {
            self.note::<BIG>(action, at_ns, more);
            return;
        }
        let (device, cpu) = (word::<BIG>(head, 36), word::<BIG>(head, 40));
        if self.has_gap(device, cpu, word::<BIG>(head, 4)) {
            give(
                Event {
                    at_ns,
                    what: What::Lost,
                    device,
                    sector: 0,
                    sectors: 0,
                    side: Side::Read,
                },
                cpu,
            );
        }
        if let Some(event) = event::<BIG>(head, action, at_ns, device, more) {
            give(event, cpu);
        }
    }

    /// Whether events of this device and CPU are missing before the one of this number.
    fn has_gap(&mut self, device: u32, cpu: u32, number: u32) -> bool {
        let stream = u64::from(device) << 32 | u64::from(cpu);
        let known = match self.last {
            Some((last, known)) if last == stream => Some(known),
            other => {
                if let Some((last, known)) = other
                    && (self.numbers.len() < STREAMS_MAX || self.numbers.contains_key(&last))
                {
                    self.numbers.insert(last, known);
                }
                self.numbers.get(&stream).copied()
            }
        };
        self.last = Some((stream, number));
        let gap = known.map_or(0, |known| number.wrapping_sub(known).wrapping_sub(1));
        let has_gap = gap > 0 && gap < GAP_MAX;
        self.lost += if has_gap { u64::from(gap) } else { 0 };
        has_gap
    }

    /// Notes tell when tracing began, by the clock on the wall and by that of the events.
    fn note<const BIG: bool>(&mut self, action: u32, _at_ns: u64, more: &[u8]) {
        if action & 0xff == NOTE_TIME && self.start_unix_ms.is_none() && more.len() >= 8 {
            let (seconds, ns) = (word_of::<BIG>(more, 0), word_of::<BIG>(more, 4));
            self.start_unix_ms = Some(u64::from(seconds) * 1_000 + u64::from(ns) / 1_000_000);
        }
    }

    /// When tracing began, ms since 1970, where a note says so.
    pub fn start_unix_ms(&self) -> Option<u64> {
        self.start_unix_ms
    }

    /// What could not be read, as sentences.
    pub fn unread(&self) -> Vec<String> {
        let mut unread = Vec::new();
        if self.others_bytes > 0 {
            unread.push(format!(
                "its {} bytes do not begin with a record of blktrace",
                self.others_bytes
            ));
        }
        if self.skipped_bytes > 0 {
            unread.push(format!(
                "{} bytes are between records and no part of one",
                self.skipped_bytes
            ));
        }
        if self.cut_bytes > 0 {
            unread.push(format!(
                "the last record is cut off: {} bytes of it are there",
                self.cut_bytes
            ));
        }
        if self.lost > 0 {
            unread.push(format!(
                "{} events are missing by the numbers of the others: the kernel dropped them",
                self.lost
            ));
        }
        unread
    }
}

/// What happened; none of what is no part of an I/O's way.
fn event<const BIG: bool>(
    head: &[u8; RECORD],
    action: u32,
    at_ns: u64,
    device: u32,
    more: &[u8],
) -> Option<Event> {
    let about = action >> 16;
    let what = what(action & 0xff)?;
    if about & COMMAND != 0 {
        return None;
    }
    let bytes = word::<BIG>(head, 24);
    let side = match about {
        _ if bytes == 0 && about & FLUSH == 0 => return None,
        _ if bytes == 0 => Side::Flush,
        _ if about & DISCARD != 0 => Side::Discard,
        _ if about & WRITE != 0 => Side::Write,
        _ => Side::Read,
    };
    let mut sectors = u64::from(bytes.div_ceil(SECTOR_BYTES));
    if what == What::Split {
        let more = if action & HAS_GROUP != 0 {
            more.get(GROUP_BYTES..)?
        } else {
            more
        };
        // The sector of the cut, which is of network byte order always.
        sectors = u64::from_be_bytes(*more.first_chunk()?);
    }
    Some(Event {
        at_ns,
        what,
        device,
        sector: long::<BIG>(head, 16),
        sectors,
        side,
    })
}

/// Actions (`enum blktrace_act`).
fn what(action: u32) -> Option<What> {
    Some(match action {
        1 => What::Queue,
        4 => What::GetRequest,
        6 => What::Requeue,
        7 => What::Issue,
        8 => What::Done,
        12 => What::Insert,
        13 => What::Split,
        15 => What::Remap,
        _ => return None,
    })
}

#[inline(always)]
fn short<const BIG: bool>(head: &[u8; RECORD], at: usize) -> u16 {
    let bytes = [head[at], head[at + 1]];
    if BIG {
        u16::from_be_bytes(bytes)
    } else {
        u16::from_le_bytes(bytes)
    }
}

#[inline(always)]
fn word<const BIG: bool>(head: &[u8; RECORD], at: usize) -> u32 {
    let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
    if BIG {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    }
}

#[inline(always)]
fn long<const BIG: bool>(head: &[u8; RECORD], at: usize) -> u64 {
    let (first, second) = (
        u64::from(word::<BIG>(head, at)),
        u64::from(word::<BIG>(head, at + 4)),
    );
    if BIG {
        first << 32 | second
    } else {
        second << 32 | first
    }
}

fn word_of<const BIG: bool>(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes
        .get(at..at + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .unwrap_or([0; 4]);
    if BIG {
        u32::from_be_bytes(bytes)
    } else {
        u32::from_le_bytes(bytes)
    }
}
