//! Taking the events out of one CPU's buffer, a bounded number at a time and with a mark where some were lost.

use super::page;
use crate::events::pairs::PairEvent;
use host::trace::TraceBuffer;

/// Pages taken at once: with pages of 4096 bytes some 13,000 events.
const PAGES_MAX: usize = 256;

/// One CPU's buffer.
#[derive(Debug)]
pub struct TracefsIntake<B = TraceBuffer> {
    buffer: B,
    /// The last event that was taken, ns of the monotonic clock.
    last_ns: u64,
}

/// What was taken besides the events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Pages before which events were lost.
    pub gaps: u64,
    /// Where the buffer may hold more events that are wanted: the time that they are not before.
    pub more_after_ns: Option<u64>,
}

/// Where pages come from.
pub trait Pages {
    /// Fills in the next page; 0 bytes where there is none or it cannot be read.
    fn next(&mut self, page: &mut [u8]) -> usize;
}

impl Pages for TraceBuffer {
    fn next(&mut self, page: &mut [u8]) -> usize {
        self.read_page(page).unwrap_or(0)
    }
}

impl<B: Pages> TracefsIntake<B> {
    /// Nothing is taken yet.
    pub fn new(buffer: B) -> TracefsIntake<B> {
        TracefsIntake { buffer, last_ns: 0 }
    }

    /// Adds decoded events to `events` until one is later than `until_ns`, which a device that keeps writing events
    /// cannot put off, or until it is enough at once. `page` has the size of the kernel's pages.
    pub fn take(
        &mut self,
        until_ns: u64,
        page: &mut [u8],
        events: &mut Vec<PairEvent>,
        decode: impl Fn(u64, &[u8]) -> Option<PairEvent>,
    ) -> Taken {
        let mut gaps = 0;
        for _ in 0..PAGES_MAX {
            let bytes = self.buffer.next(page).min(page.len());
            if bytes == 0 {
                return Taken {
                    gaps,
                    more_after_ns: None,
                };
            }
            gaps += u64::from(self.take_page(&page[..bytes], events, &decode));
            if self.last_ns > until_ns {
                return Taken {
                    gaps,
                    more_after_ns: None,
                };
            }
        }
        Taken {
            gaps,
            more_after_ns: Some(self.last_ns),
        }
    }

    /// Whether events were lost before the page. That is marked on both sides of the gap: what was under way before it
    /// may have ended in it, and so may what other CPUs began during it.
    fn take_page(
        &mut self,
        page: &[u8],
        events: &mut Vec<PairEvent>,
        decode: impl Fn(u64, &[u8]) -> Option<PairEvent>,
    ) -> bool {
        let (before_ns, at) = (self.last_ns, events.len());
        let mut first_ns = None;
        let has_gap = page::events(page, |at_ns, event| {
            first_ns.get_or_insert(at_ns);
            self.last_ns = at_ns;
            events.extend(decode(at_ns, event));
        });
        if has_gap {
            let marks = [
                PairEvent::lost(before_ns),
                PairEvent::lost(first_ns.unwrap_or(before_ns)),
            ];
            events.splice(at..at, marks);
        }
        has_gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::pairs::EventWhat;

    /// Gives pages of one event each, 10 ns apart, for ever or up to a time; one has lost events before it.
    struct Writer {
        at_ns: u64,
        end_ns: u64,
        gap_at_ns: u64,
    }

    impl Pages for Writer {
        fn next(&mut self, page: &mut [u8]) -> usize {
            if self.at_ns >= self.end_ns {
                return 0;
            }
            self.at_ns += 10;
            let missed = if self.at_ns == self.gap_at_ns {
                1 << 31
            } else {
                0
            };
            page[..8].copy_from_slice(&self.at_ns.to_le_bytes());
            page[8..16].copy_from_slice(&(8u64 | missed).to_le_bytes());
            page[16..20].copy_from_slice(&1u32.to_le_bytes());
            24
        }
    }

    fn take(intake: &mut TracefsIntake<Writer>, until_ns: u64) -> (Vec<(u64, EventWhat)>, Taken) {
        let mut events = Vec::new();
        let decode = |at_ns, _: &[u8]| {
            Some(PairEvent {
                what: EventWhat::Queue,
                ..PairEvent::lost(at_ns)
            })
        };
        let taken = intake.take(until_ns, &mut [0; 4096], &mut events, decode);
        (
            events
                .iter()
                .map(|event| (event.at_ns, event.what))
                .collect(),
            taken,
        )
    }

    #[test]
    fn a_writer_that_never_stops_does_not_hold_the_reader() {
        let mut intake = TracefsIntake::new(Writer {
            at_ns: 0,
            end_ns: u64::MAX,
            gap_at_ns: 0,
        });
        let (events, taken) = take(&mut intake, 50);
        assert_eq!(
            (events.len(), events.last(), taken.more_after_ns),
            (6, Some(&(60, EventWhat::Queue)), None)
        );
        let (events, taken) = take(&mut intake, u64::MAX);
        assert_eq!(events.len(), PAGES_MAX);
        assert_eq!(
            taken.more_after_ns,
            events.last().map(|event| event.0),
            "there is more"
        );
    }

    #[test]
    fn an_empty_buffer_is_done() {
        let mut intake = TracefsIntake::new(Writer {
            at_ns: 0,
            end_ns: 30,
            gap_at_ns: 0,
        });
        let (events, taken) = take(&mut intake, 1_000);
        assert_eq!((events.len(), taken), (3, Taken::default()));
    }

    #[test]
    fn a_gap_is_marked_on_both_sides() {
        let mut intake = TracefsIntake::new(Writer {
            at_ns: 0,
            end_ns: 30,
            gap_at_ns: 30,
        });
        let (events, taken) = take(&mut intake, 1_000);
        use EventWhat::{Lost, Queue};
        assert_eq!(
            events,
            [
                (10, Queue),
                (20, Queue),
                (20, Lost),
                (30, Lost),
                (30, Queue)
            ]
        );
        assert_eq!(taken.gaps, 1);
    }
}
