//! From one CPU's stream, as the kernel is writing it, to events: a record that is not whole yet is waited for, and one
//! that is damaged ends the reading.

use crate::events::pairs::{EventWhat, PairEvent};
use kernel::blktrace::{Action, BlktraceHead, BlktraceKind, HEAD};
use model::layers::LayerSide;

/// One CPU's stream.
#[derive(Clone, Debug, Default)]
pub struct BlktraceIntake {
    /// The beginning of a record that the last reading cut off.
    rest: Vec<u8>,
    /// The number of the last record; none before the first and after a damaged one.
    number: Option<u32>,
    last_ns: u64,
}

impl BlktraceIntake {
    /// The time of the last event, ns.
    pub fn last_ns(&self) -> u64 {
        self.last_ns
    }

    /// Adds the events of what was read. `is_whole` where it ends with a record: a reading that finds the kernel in the
    /// midst of writing one gets that one half written, as the last. Returns how many were given up for that.
    pub fn take(&mut self, data: &[u8], is_whole: bool, events: &mut Vec<PairEvent>) -> u64 {
        let joined = [std::mem::take(&mut self.rest).as_slice(), data].concat();
        let mut bytes = joined.as_slice();
        while !bytes.is_empty() {
            match self.next(bytes) {
                Next::Record(head, more, rest) => {
                    bytes = rest;
                    events.extend(event(&head, more));
                }
                Next::Cut if !is_whole && bytes.len() < HEAD + usize::from(u16::MAX) => {
                    self.rest = bytes.to_vec();
                    return 0;
                }
                Next::Cut | Next::Damaged => {
                    self.number = None;
                    events.push(PairEvent::lost(self.last_ns));
                    return 1;
                }
            }
        }
        0
    }

    fn next<'a>(&mut self, bytes: &'a [u8]) -> Next<'a> {
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return Next::Cut;
        };
        let Some(head) = parse(head) else {
            return Next::Damaged;
        };
        let Some((more, rest)) = rest.split_at_checked(head.more) else {
            return Next::Cut;
        };
        // Notes have no number. A wrong one is what stood there before, the last time around the buffer.
        if !head.is_note() {
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
    Record(BlktraceHead, &'a [u8], &'a [u8]),
    Cut,
    Damaged,
}

/// In this machine's byte order.
fn parse(head: &[u8; HEAD]) -> Option<BlktraceHead> {
    BlktraceHead::parse::<{ cfg!(target_endian = "big") }>(head)
}

/// What happened; none for what is no part of an I/O's way.
fn event(head: &BlktraceHead, more: &[u8]) -> Option<PairEvent> {
    let what = what(head.action()?);
    let side = match head.kind() {
        Some(BlktraceKind::Read) => Some(LayerSide::Read),
        Some(BlktraceKind::Write) => Some(LayerSide::Write),
        Some(BlktraceKind::Discard) => Some(LayerSide::Discard),
        Some(BlktraceKind::Flush) | None => None,
    };
    let (sectors, from) = match what {
        EventWhat::Split => (head.cut(more)?, None),
        EventWhat::Remap => (head.sectors(), Some(head.came_from(more)?)),
        _ => (head.sectors(), None),
    };
    Some(PairEvent {
        at_ns: head.at_ns,
        what,
        device: head.device,
        sector: head.sector,
        sectors,
        side,
        error: head.error,
        from,
    })
}

fn what(action: Action) -> EventWhat {
    match action {
        Action::Queue => EventWhat::Queue,
        Action::GetRequest => EventWhat::GetRequest,
        Action::Requeue => EventWhat::Requeue,
        Action::Issue => EventWhat::Issue,
        // It does not say whether it is one of a request.
        Action::Complete => EventWhat::Done,
        Action::Insert => EventWhat::Insert,
        Action::Split => EventWhat::Split,
        Action::Remap => EventWhat::Remap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::blktrace::MAGIC;

    /// Categories, and what says that a control group's number follows.
    const READ: u32 = 1;
    const WRITE: u32 = 1 << 1;
    const COMMAND: u32 = 1 << 9;
    const NOTE: u32 = 1 << 10;
    const DISCARD: u32 = 1 << 13;
    const HAS_GROUP: u32 = 1 << 8;

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

    fn take(intake: &mut BlktraceIntake, data: &[u8], is_whole: bool) -> (Vec<PairEvent>, u64) {
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
        let (events, torn) = take(&mut BlktraceIntake::default(), &data.concat(), true);
        let found: Vec<_> = events
            .iter()
            .map(|event| (event.what, event.side, event.sectors))
            .collect();
        let wanted = [
            (EventWhat::Queue, Some(LayerSide::Read), 8),
            (EventWhat::Remap, Some(LayerSide::Read), 8),
            (EventWhat::Split, Some(LayerSide::Write), 84),
            (EventWhat::Split, Some(LayerSide::Write), 84),
            (EventWhat::Done, Some(LayerSide::Discard), 8),
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
            let mut intake = BlktraceIntake::default();
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
            let mut intake = BlktraceIntake::default();
            let (events, torn) = take(&mut intake, &[record(1, 1, READ, &[]), half].concat(), true);
            let whats: Vec<EventWhat> = events.iter().map(|event| event.what).collect();
            assert_eq!((whats, torn), (vec![EventWhat::Queue, EventWhat::Lost], 1));
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
            let (events, torn) = take(&mut BlktraceIntake::default(), &damaged, round % 2 == 0);
            assert!(
                events.len() <= 5 && torn <= 1,
                "no more than there are: {events:?}"
            );
        }
    }
}
