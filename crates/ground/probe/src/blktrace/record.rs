//! The records of a blktrace: `struct blk_io_trace` of include/uapi/linux/blktrace_api.h, the same since 2.6.17.
//!
//! 48 bytes: magic and version (4), number (4), time (8), sector (8), bytes (4), action (4), process (4), device (4), CPU
//! (4), error (2), length of what follows (2). The lower half of the action says what happened, the upper half to what.

use crate::events::pairs::{Event, What};
use model::layers::Side;

const MAGIC: u32 = 0x6561_7407;
const RECORD: usize = 48;
/// What follows begins with the number of a control group (__BLK_TA_CGROUP).
const HAS_GROUP: u32 = 1 << 8;
const GROUP_BYTES: usize = 8;
/// Categories (BLK_TC_*).
const WRITE: u32 = 1 << 1;
const COMMAND: u32 = 1 << 9;
const NOTE: u32 = 1 << 10;
const DISCARD: u32 = 1 << 13;
const SECTOR_BYTES: u64 = 512;

/// One CPU's stream.
#[derive(Clone, Debug, Default)]
pub struct Intake {
    /// The beginning of a record that the last reading cut off.
    rest: Vec<u8>,
    /// The number of the last record; none before the first and after a damaged one.
    number: Option<u32>,
    last_ns: u64,
}

/// The head of a record.
#[derive(Clone, Copy, Debug)]
struct Head {
    number: u32,
    at_ns: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    device: u32,
    error: u16,
    more: usize,
}

impl Intake {
    /// The time of the last event, ns.
    pub fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Adds the events of what was read. `is_whole` where it ends with a record: a reading that finds the kernel in the
    /// midst of writing one gets that one half written, as the last. Returns how many were given up for that.
    pub fn take(&mut self, data: &[u8], is_whole: bool, events: &mut Vec<Event>) -> u64 {
        let joined = [std::mem::take(&mut self.rest).as_slice(), data].concat();
        let mut bytes = joined.as_slice();
        while !bytes.is_empty() {
            match self.next(bytes) {
                Next::Record(head, more, rest) => {
                    bytes = rest;
                    events.extend(head.event(more));
                }
                Next::Cut if !is_whole && bytes.len() < RECORD + usize::from(u16::MAX) => {
                    self.rest = bytes.to_vec();
                    return 0;
                }
                Next::Cut | Next::Damaged => {
                    self.number = None;
                    events.push(Event::lost(self.last_ns));
                    return 1;
                }
            }
        }
        0
    }

    fn next<'a>(&mut self, bytes: &'a [u8]) -> Next<'a> {
        let Some(head) = Head::parse(bytes) else {
            return if bytes.len() < RECORD {
                Next::Cut
            } else {
                Next::Damaged
            };
        };
        let Some((more, rest)) = bytes[RECORD..].split_at_checked(head.more) else {
            return Next::Cut;
        };
        // Notes have no number. A wrong one is what stood there before, the last time around the buffer.
        if head.action >> 16 & NOTE == 0 {
            if self
                .number
                .is_some_and(|last| head.number != last.wrapping_add(1))
            {
                return Next::Damaged;
            }
            self.number = Some(head.number);
            self.last_ns = head.at_ns;
        }
        Next::Record(head, more, rest)
    }
}

enum Next<'a> {
    /// A record, what follows it as a part of it, and the rest.
    Record(Head, &'a [u8], &'a [u8]),
    Cut,
    Damaged,
}

impl Head {
    fn parse(bytes: &[u8]) -> Option<Head> {
        let record = bytes.get(..RECORD)?;
        let word = |at: usize| Some(u32::from_ne_bytes(record.get(at..at + 4)?.try_into().ok()?));
        let long = |at: usize| Some(u64::from_ne_bytes(record.get(at..at + 8)?.try_into().ok()?));
        let short = |at: usize| Some(u16::from_ne_bytes(record.get(at..at + 2)?.try_into().ok()?));
        (word(0)? == MAGIC).then_some(())?;
        Some(Head {
            number: word(4)?,
            at_ns: long(8)?,
            sector: long(16)?,
            bytes: word(24)?,
            action: word(28)?,
            device: word(36)?,
            error: short(44)?,
            more: usize::from(short(46)?),
        })
    }

    /// What happened; none for what is no part of an I/O's way.
    fn event(self, more: &[u8]) -> Option<Event> {
        let about = self.action >> 16;
        if about & (NOTE | COMMAND) != 0 {
            return None;
        }
        let more = if self.action & HAS_GROUP != 0 {
            more.get(GROUP_BYTES..)?
        } else {
            more
        };
        let what = what(self.action & 0xff)?;
        let sectors = u64::from(self.bytes).div_ceil(SECTOR_BYTES);
        let side = match about {
            _ if sectors == 0 => None,
            _ if about & DISCARD != 0 => Some(Side::Discard),
            _ if about & WRITE != 0 => Some(Side::Write),
            _ => Some(Side::Read),
        };
        let big = |at: usize| Some(u64::from_be_bytes(more.get(at..at + 8)?.try_into().ok()?));
        let (sectors, from) = match what {
            What::Split => (big(0)?, None),
            // The device that it came from, the one that it goes to, and the sector that it came from.
            What::Remap => (sectors, Some(((big(0)? >> 32) as u32, big(8)?))),
            _ => (sectors, None),
        };
        let error = i32::from(self.error as i16);
        Some(Event {
            at_ns: self.at_ns,
            what,
            device: self.device,
            sector: self.sector,
            sectors,
            side,
            error,
            from,
        })
    }
}

/// Actions (`enum blktrace_act`); a completion does not say whether it is one of a request.
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

#[cfg(test)]
mod tests {
    use super::*;

    const READ: u32 = 1;

    /// A record of this number, action and categories, and what follows it.
    fn record(number: u32, action: u32, about: u32, more: &[u8]) -> Vec<u8> {
        let mut record = Vec::new();
        record.extend(MAGIC.to_ne_bytes());
        record.extend(number.to_ne_bytes());
        record.extend((1_000 + u64::from(number)).to_ne_bytes());
        record.extend(80u64.to_ne_bytes());
        record.extend(4_096u32.to_ne_bytes());
        record.extend((action | about << 16).to_ne_bytes());
        record.extend([7u32, 8 << 20 | 1, 0].map(u32::to_ne_bytes).concat());
        record.extend((-5i16).to_ne_bytes());
        record.extend((more.len() as u16).to_ne_bytes());
        record.extend(more);
        record
    }

    fn take(intake: &mut Intake, data: &[u8], is_whole: bool) -> (Vec<Event>, u64) {
        let mut events = Vec::new();
        let torn = intake.take(data, is_whole, &mut events);
        (events, torn)
    }

    #[test]
    fn actions_become_events() {
        let remap = [
            &(9u32 << 20).to_be_bytes()[..],
            &[0; 4],
            &16u64.to_be_bytes(),
        ]
        .concat();
        let split = 84u64.to_be_bytes();
        let grouped = [&[1; 8][..], &split].concat();
        let data = [
            record(1, 1, READ, &[]),
            record(900, 0, NOTE, b"fio"),
            record(2, 15, READ, &remap),
            record(3, 13, WRITE, &split),
            record(4, 13 | HAS_GROUP, WRITE, &grouped),
            record(5, 2, READ, &[]),
            record(6, 7, READ | COMMAND, b"command"),
            record(7, 8, DISCARD | WRITE, &[]),
        ];
        let (events, torn) = take(&mut Intake::default(), &data.concat(), true);
        let found: Vec<_> = events
            .iter()
            .map(|event| (event.what, event.side, event.sectors))
            .collect();
        let wanted = [
            (What::Queue, Some(Side::Read), 8),
            (What::Remap, Some(Side::Read), 8),
            (What::Split, Some(Side::Write), 84),
            (What::Split, Some(Side::Write), 84),
            (What::Done, Some(Side::Discard), 8),
        ];
        assert_eq!((found, torn), (wanted.to_vec(), 0));
        assert_eq!(
            (events[0].at_ns, events[0].device, events[0].sector),
            (1_001, 8 << 20 | 1, 80)
        );
        assert_eq!((events[1].from, events[4].error), (Some((9 << 20, 16)), -5));
    }

    #[test]
    fn a_record_may_come_in_two_readings() {
        let data = [
            record(1, 1, READ, &[]),
            record(2, 15, READ, &[0; 16]),
            record(3, 7, READ, &[]),
        ]
        .concat();
        for cut in 0..data.len() {
            let mut intake = Intake::default();
            let (first, torn) = take(&mut intake, &data[..cut], false);
            assert_eq!(torn, 0);
            let (second, torn) = take(&mut intake, &data[cut..], true);
            assert_eq!((first.len() + second.len(), torn), (3, 0), "cut at {cut}");
        }
    }

    #[test]
    fn a_half_written_record_is_counted_and_the_next_one_is_read() {
        let mut old = record(2, 7, READ, &[]);
        old[..4].copy_from_slice(&[0; 4]);
        for half in [
            old,
            record(1, 7, READ, &[]),
            record(2, 7, READ, &[0; 16])[..50].to_vec(),
        ] {
            let mut intake = Intake::default();
            let (events, torn) = take(&mut intake, &[record(1, 1, READ, &[]), half].concat(), true);
            let whats: Vec<What> = events.iter().map(|event| event.what).collect();
            assert_eq!((whats, torn), (vec![What::Queue, What::Lost], 1));
            let (events, torn) = take(&mut intake, &record(3, 8, READ, &[]), true);
            assert_eq!((events.len(), torn), (1, 0));
        }
    }

    #[test]
    fn damage_is_refused_or_harmless() {
        let records = [
            record(1, 1, READ, &[]),
            record(2, 15, READ, &[0; 16]),
            record(3, 13, WRITE, &[0; 8]),
        ];
        let whole = [records.concat(), record(4, 8, READ, &[])].concat();
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for round in 0..20_000usize {
            let mut damaged = whole.clone();
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] ^= (state >> 20) as u8 | 1;
            damaged.truncate(whole.len() - round % 8);
            let (events, torn) = take(&mut Intake::default(), &damaged, round % 2 == 0);
            assert!(
                events.len() <= 5 && torn <= 1,
                "no more than there are: {events:?}"
            );
        }
    }
}
