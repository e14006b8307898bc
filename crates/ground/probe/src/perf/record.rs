//! The records that perf writes into its rings: samples of trace events, and how many were lost between them.
//!
//! include/uapi/linux/perf_event.h: every record begins with its kind (4 bytes), flags (2) and length (2). A sample of
//! time and raw data has the time (8), the length of the data (4), and the data, which are the event as tracefs lays it
//! out. A record of lost ones has an id (8) and their number (8).

use crate::events::pairs::PairEvent;

const LOST: u32 = 2;
const SAMPLE: u32 = 9;
const HEADER: usize = 8;

/// One CPU's ring.
#[derive(Clone, Debug, Default)]
pub struct PerfIntake {
    /// The last event that was taken, ns.
    last_ns: u64,
    /// Whether events were lost since then: the next one says when that was over.
    is_gap: bool,
}

/// What was taken besides the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Events for which the ring had no room.
    pub lost: u64,
    /// The time of the last event, ns.
    pub latest_ns: u64,
}

impl PerfIntake {
    /// Adds the decoded events of whole records. Where some were lost, that is marked on both sides of the gap: what was
    /// under way before it may have ended in it, and so may what other CPUs began during it.
    pub fn take(
        &mut self,
        mut bytes: &[u8],
        events: &mut Vec<PairEvent>,
        decode: impl Fn(u64, &[u8]) -> Option<PairEvent>,
    ) -> Taken {
        let mut lost = 0u64;
        while let Some((record, rest)) = next(bytes) {
            bytes = rest;
            match record {
                Record::Sample { at_ns, event } => {
                    if std::mem::take(&mut self.is_gap) {
                        events.extend([PairEvent::lost(self.last_ns), PairEvent::lost(at_ns)]);
                    }
                    self.last_ns = at_ns;
                    events.extend(decode(at_ns, event));
                }
                Record::Lost(number) => {
                    lost = lost.saturating_add(number);
                    self.is_gap = true;
                }
                Record::Other => {}
            }
        }
        Taken {
            lost,
            latest_ns: self.last_ns,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Record<'a> {
    Sample { at_ns: u64, event: &'a [u8] },
    Lost(u64),
    Other,
}

/// The first record and what comes after it; none where there is no whole one.
fn next(bytes: &[u8]) -> Option<(Record<'_>, &[u8])> {
    let kind = u32::from_ne_bytes(bytes.get(..4)?.try_into().ok()?);
    let length = u16::from_ne_bytes(bytes.get(6..8)?.try_into().ok()?) as usize;
    if length < HEADER {
        return None;
    }
    let (record, rest) = bytes.split_at_checked(length)?;
    let body = &record[HEADER..];
    let found = match kind {
        SAMPLE => sample(body),
        LOST => body
            .get(8..16)
            .and_then(|number| Some(Record::Lost(u64::from_ne_bytes(number.try_into().ok()?)))),
        _ => None,
    };
    Some((found.unwrap_or(Record::Other), rest))
}

fn sample(body: &[u8]) -> Option<Record<'_>> {
    let at_ns = u64::from_ne_bytes(body.get(..8)?.try_into().ok()?);
    let length = u32::from_ne_bytes(body.get(8..12)?.try_into().ok()?) as usize;
    Some(Record::Sample {
        at_ns,
        event: body.get(12..)?.get(..length)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::pairs::EventWhat;

    fn record(kind: u32, body: &[u8]) -> Vec<u8> {
        let mut record = kind.to_ne_bytes().to_vec();
        record.extend([0, 0]);
        record.extend(((HEADER + body.len()) as u16).to_ne_bytes());
        record.extend(body);
        record
    }

    fn sample(at_ns: u64, event: &[u8]) -> Vec<u8> {
        let mut body = at_ns.to_ne_bytes().to_vec();
        body.extend((event.len() as u32).to_ne_bytes());
        body.extend(event);
        record(SAMPLE, &body)
    }

    fn lost(number: u64) -> Vec<u8> {
        record(LOST, &[1u64.to_ne_bytes(), number.to_ne_bytes()].concat())
    }

    fn take(intake: &mut PerfIntake, bytes: &[u8]) -> (Vec<(u64, EventWhat)>, Taken) {
        let mut events = Vec::new();
        let decode = |at_ns, event: &[u8]| {
            (event.first() == Some(&1)).then(|| PairEvent {
                what: EventWhat::Queue,
                ..PairEvent::lost(at_ns)
            })
        };
        let taken = intake.take(bytes, &mut events, decode);
        (
            events
                .iter()
                .map(|event| (event.at_ns, event.what))
                .collect(),
            taken,
        )
    }

    #[test]
    fn samples_are_taken_in_order_and_others_passed_over() {
        let bytes = [
            sample(10, &[1; 12]),
            record(5, &[0; 24]),
            sample(20, &[2; 12]),
            sample(30, &[1; 4]),
        ]
        .concat();
        let (events, taken) = take(&mut PerfIntake::default(), &bytes);
        assert_eq!(events, [(10, EventWhat::Queue), (30, EventWhat::Queue)]);
        assert_eq!(
            taken,
            Taken {
                lost: 0,
                latest_ns: 30
            }
        );
    }

    #[test]
    fn lost_records_are_counted_and_marked_on_both_sides() {
        let mut intake = PerfIntake::default();
        let (events, taken) = take(
            &mut intake,
            &[sample(10, &[1; 12]), lost(5), lost(2)].concat(),
        );
        assert_eq!((events.len(), taken.lost), (1, 7));
        let (events, taken) = take(
            &mut intake,
            &[sample(90, &[1; 12]), sample(95, &[1; 12])].concat(),
        );
        use EventWhat::{Lost, Queue};
        assert_eq!(
            events,
            [(10, Lost), (90, Lost), (90, Queue), (95, Queue)],
            "also from one reading to the next"
        );
        assert_eq!(taken.lost, 0);
    }

    #[test]
    fn damage_is_refused_or_harmless() {
        let whole = [
            sample(10, &[1; 40]),
            lost(3),
            sample(20, &[1; 60]),
            record(5, &[0; 24]),
        ]
        .concat();
        let mut state = 0x9E37_79B9_7F4A_7C15u64;
        for round in 0..20_000usize {
            let mut damaged = whole.clone();
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let at = (state >> 33) as usize % damaged.len();
            damaged[at] ^= (state >> 20) as u8 | 1;
            damaged.truncate(whole.len() - round % 8);
            let (events, _) = take(&mut PerfIntake::default(), &damaged);
            assert!(events.len() <= 6, "no more than there are: {events:?}");
        }
    }
}
