//! From single events to times: events name a device and a sector, not an I/O, so that is what they are paired by.

use crate::layout::{COUNTERS, SIDES, SPANS};
use model::histogram::Histogram;
use model::layers::{LayerSide, Span, SpanTimes};
use std::collections::{BTreeMap, HashMap};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventWhat {
    /// A bio arrived.
    Queue,
    /// It has a request.
    GetRequest,
    /// It was cut at the sector that is given as the event's length.
    Split,
    /// The request is in the scheduler.
    Insert,
    /// The driver has it.
    Issue,
    /// The driver gave it back.
    Requeue,
    /// The request is done.
    Complete,
    /// The bio is done, without a request.
    BioComplete,
    /// The one or the other of these two.
    Done,
    /// A device handed a bio on to one below it, as itself or as a clone.
    Remap,
    /// Not an event but the place of events, of any device, that were overwritten before they were read.
    Lost,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairEvent {
    /// When, ns of the monotonic clock.
    pub at_ns: u64,
    /// What.
    pub what: EventWhat,
    /// The kernel's device number.
    pub device: u32,
    /// First sector.
    pub sector: u64,
    /// Sectors; of a split, the sector of the cut.
    pub sectors: u64,
    /// Direction; none for what is no I/O with data.
    pub side: Option<LayerSide>,
    /// The kernel's error number, negative; 0 for none.
    pub error: i32,
    /// Of a remap: the device and the sector that it came from.
    pub from: Option<(u32, u64)>,
}

/// An I/O under way; a time of zero is not reached yet.
#[derive(Clone, Copy, Debug, Default)]
struct Io {
    queued: u64,
    got: u64,
    inserted: u64,
    issued: u64,
    /// Where the device above has it, of which this may be a clone or the same.
    above: Option<Above>,
}

/// An I/O that is under way on the device above: its slot and sector.
#[derive(Clone, Copy, Debug)]
struct Above {
    slot: usize,
    sector: u64,
}

/// One device's times and counters so far.
#[derive(Clone, Debug)]
pub struct Tally {
    times: Vec<Histogram>,
    /// In the order of [`COUNTERS`].
    pub counters: [u64; COUNTERS.len()],
    under_way: BTreeMap<(usize, u64), Io>,
    /// What the last event ended that ends the same on the device above.
    ended: Vec<Above>,
}

/// All devices.
#[derive(Clone, Debug)]
pub struct Pairs {
    slots: HashMap<u32, usize>,
    /// By slot.
    pub tallies: Vec<Tally>,
}

/// I/Os of a device that are remembered at most: more than the queues of any device hold, some 20 MB.
const UNDER_WAY_MAX: usize = 1 << 18;
/// An I/O whose end comes later than this is not believed: five tries of a SCSI disk take less.
const AGE_MAX_NS: u64 = 300_000_000_000;
const AGAIN: i32 = -libc::EAGAIN;

impl PairEvent {
    /// Says that events were lost about this time.
    pub fn lost(at_ns: u64) -> PairEvent {
        PairEvent {
            at_ns,
            what: EventWhat::Lost,
            device: 0,
            sector: 0,
            sectors: 0,
            side: None,
            error: 0,
            from: None,
        }
    }
}

impl Pairs {
    /// For device numbers, those of partitions too, with the slots that they count for.
    pub fn new(numbers: &[(u32, usize)], slots: usize) -> Pairs {
        let tally = Tally {
            times: vec![Histogram::new(); SIDES.len() * SPANS.len()],
            counters: [0; COUNTERS.len()],
            under_way: BTreeMap::new(),
            ended: Vec::new(),
        };
        Pairs {
            slots: numbers.iter().copied().collect(),
            tallies: vec![tally; slots],
        }
    }

    /// Takes the next event in the order of time.
    pub fn take(&mut self, event: &PairEvent) {
        if event.what == EventWhat::Lost {
            return self.tallies.iter_mut().for_each(Tally::forget);
        }
        let Some(slot) = self.slots.get(&event.device).copied() else {
            return;
        };
        if event.what == EventWhat::Remap {
            return self.hand_down(slot, event);
        }
        let Some(tally) = self.tallies.get_mut(slot) else {
            return;
        };
        tally.take(event);
        let mut ended = std::mem::take(&mut tally.ended);
        while let (Some(above), Some(side)) = (ended.pop(), event.side) {
            let Some(tally) = self.tallies.get_mut(above.slot) else {
                continue;
            };
            ended.extend(tally.end_with_below(side as usize, above.sector, event.at_ns));
        }
    }

    /// A bio goes down from one of the devices to another. A clone has an event of its own for its arrival there; what
    /// goes down itself has none, and its end below is its end above. A partition's way to its disk is no such thing.
    fn hand_down(&mut self, lower: usize, event: &PairEvent) {
        let (Some(side), Some((device, sector))) = (event.side, event.from) else {
            return;
        };
        let Some(slot) = self
            .slots
            .get(&device)
            .copied()
            .filter(|slot| *slot != lower)
        else {
            return;
        };
        let is_known = |tally: &Tally| tally.under_way.contains_key(&(side as usize, sector));
        if self.tallies.get(slot).is_some_and(is_known) {
            self.tallies[lower].arrive(side as usize, event, Some(Above { slot, sector }));
        }
    }
}

impl Tally {
    /// The spans that any I/O went through.
    pub fn spans(&self) -> Vec<SpanTimes> {
        let times = self
            .times
            .iter()
            .enumerate()
            .filter(|(_, times)| times.total() > 0);
        let span = |(index, times): (usize, &Histogram)| SpanTimes {
            side: SIDES[index / SPANS.len()],
            span: SPANS[index % SPANS.len()],
            times: times.clone(),
        };
        times.map(span).collect()
    }

    /// I/Os whose end has not been seen.
    pub fn under_way(&self) -> u64 {
        self.under_way.len() as u64
    }

    fn count(&mut self, name: &str) {
        if let Some(index) = COUNTERS.iter().position(|known| *known == name) {
            self.counters[index] += 1;
        }
    }

    fn add(&mut self, side: usize, span: Span, from: u64, to: u64) {
        match to.checked_sub(from) {
            _ if from == 0 => {}
            None => self.count("backwards"),
            Some(ns) => self.times[side * SPANS.len() + span as usize].record(ns),
        }
    }

    fn take(&mut self, event: &PairEvent) {
        let Some(side) = event.side else {
            if event.what == EventWhat::Queue {
                self.count("commands");
            }
            return;
        };
        let side = side as usize;
        match event.what {
            EventWhat::Queue => self.arrive(side, event, None),
            EventWhat::Split => self.split(side, event),
            EventWhat::Complete => self.complete(side, event),
            EventWhat::BioComplete => self.bio_complete(side, event),
            EventWhat::Done if self.covered(side, event).any(|(_, io)| io.issued > 0) => {
                self.complete(side, event)
            }
            EventWhat::Done => self.bio_complete(side, event),
            EventWhat::GetRequest => {
                self.under_way
                    .get_mut(&(side, event.sector))
                    .into_iter()
                    .for_each(|io| io.got = event.at_ns);
            }
            EventWhat::Insert => {
                let io = self.carrier(side, event).filter(|io| io.inserted == 0);
                io.into_iter().for_each(|io| io.inserted = event.at_ns);
            }
            EventWhat::Issue => {
                self.carrier(side, event)
                    .into_iter()
                    .for_each(|io| io.issued = event.at_ns);
                self.count("issued");
            }
            EventWhat::Requeue => {
                self.carrier(side, event)
                    .into_iter()
                    .for_each(|io| io.issued = 0);
                self.count("requeued");
            }
            EventWhat::Remap | EventWhat::Lost => {}
        }
    }

    /// What is under way within the sectors of an event.
    fn covered(&self, side: usize, event: &PairEvent) -> impl Iterator<Item = (u64, &Io)> {
        let end = event.sector.saturating_add(event.sectors.max(1));
        self.under_way
            .range((side, event.sector)..(side, end))
            .map(|((_, sector), io)| (*sector, io))
    }

    /// The bio that got the request of an event: its first one, unless that was merged in front of it.
    fn carrier(&mut self, side: usize, event: &PairEvent) -> Option<&mut Io> {
        let got = self
            .covered(side, event)
            .find(|(_, io)| io.got > 0)
            .map(|(sector, _)| sector);
        self.under_way.get_mut(&(side, got.unwrap_or(event.sector)))
    }

    /// Gives up on all I/Os under way: their ends may be among what was lost, and the next end at such a sector would
    /// be taken for theirs.
    fn forget(&mut self) {
        (0..self.under_way.len()).for_each(|_| self.count("unmatched"));
        self.under_way.clear();
    }

    /// Remembers an I/O. Two of one sector at once cannot be told apart: the second takes the place of the first.
    fn begin(&mut self, side: usize, sector: u64, io: Io) {
        if self.under_way.len() >= UNDER_WAY_MAX {
            self.forget();
        }
        if self.under_way.insert((side, sector), io).is_some() {
            self.count("dropped");
        }
    }

    /// The I/O of a sector, which is done; none where its beginning was not seen, or so long ago that it was another's.
    fn end(&mut self, side: usize, sector: u64, now: u64) -> Option<Io> {
        let io = self.under_way.remove(&(side, sector));
        let believed = io.filter(|io| now.saturating_sub(io.queued) <= AGE_MAX_NS);
        match believed {
            Some(io) => self.ended.extend(io.above),
            None => self.count("unmatched"),
        }
        believed
    }

    /// A bio arrives, or is handed down. A clone does both, and counts once.
    fn arrive(&mut self, side: usize, event: &PairEvent, above: Option<Above>) {
        let io = Io {
            queued: event.at_ns,
            above,
            ..Io::default()
        };
        match self.under_way.get_mut(&(side, event.sector)) {
            Some(clone) if above.is_none() && clone.above.is_some() && clone.got == 0 => {
                *clone = io
            }
            _ => {
                self.count("queued");
                self.begin(side, event.sector, io);
            }
        }
    }

    /// What was handed down itself is done below, and so here; what that ends further above.
    fn end_with_below(&mut self, side: usize, sector: u64, now: u64) -> Option<Above> {
        let io = self.under_way.remove(&(side, sector))?;
        self.add(side, Span::Q2C, io.queued, now);
        io.above
    }

    /// The rest, from the cut on, was queued when the whole was and has no event of its own for it.
    fn split(&mut self, side: usize, event: &PairEvent) {
        let Some(queued) = self
            .under_way
            .get(&(side, event.sector))
            .map(|io| io.queued)
        else {
            return;
        };
        self.count("split");
        self.begin(
            side,
            event.sectors,
            Io {
                queued,
                ..Io::default()
            },
        );
    }

    fn complete(&mut self, side: usize, event: &PairEvent) {
        if event.error != 0 {
            self.count("errored");
        }
        let covered: Vec<u64> = self
            .covered(side, event)
            .map(|(sector, _)| sector)
            .collect();
        if covered.is_empty() {
            self.count("unmatched");
        }
        let ended = covered
            .into_iter()
            .filter_map(|sector| self.end(side, sector, event.at_ns));
        let ended: Vec<Io> = ended.collect();
        // The request's times stand with the bio that got it; the others joined it.
        let issued = |with_request: bool| {
            ended
                .iter()
                .position(|io| io.issued > 0 && (io.got > 0 || !with_request))
        };
        let carrier = issued(true).or_else(|| issued(false));
        for (index, io) in ended.iter().enumerate() {
            self.add(side, Span::Q2C, io.queued, event.at_ns);
            match carrier == Some(index) {
                true => self.request(side, io, event.at_ns),
                false => self.count("merged"),
            }
        }
    }

    fn request(&mut self, side: usize, io: &Io, now: u64) {
        if io.got > 0 {
            self.add(side, Span::Q2G, io.queued, io.got);
        }
        if io.inserted > 0 {
            self.add(side, Span::G2I, io.got, io.inserted);
            self.add(side, Span::I2D, io.inserted, io.issued);
        } else {
            self.add(side, Span::G2D, io.got, io.issued);
        }
        self.add(side, Span::D2C, io.issued, now);
    }

    fn bio_complete(&mut self, side: usize, event: &PairEvent) {
        if event.error == AGAIN {
            self.under_way.remove(&(side, event.sector));
            // The device above hears of it in its own event, where it has one.
            return self.count("again");
        }
        let Some(io) = self.end(side, event.sector, event.at_ns) else {
            return;
        };
        self.add(side, Span::Q2C, io.queued, event.at_ns);
        if event.error != 0 {
            self.count("errored");
        }
    }
}

/// The direction in the kernel's letters, `FWS`: an F before the operation asks for a flush first. None where there is
/// no data, as of a flush alone.
pub fn side(rwbs: &[u8], sectors: u64) -> Option<LayerSide> {
    let operation = match rwbs {
        [b'F', operation, ..] => *operation,
        [operation, ..] => *operation,
        [] => return None,
    };
    match operation {
        _ if sectors == 0 => None,
        b'R' => Some(LayerSide::Read),
        b'W' => Some(LayerSide::Write),
        b'D' => Some(LayerSide::Discard),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(events: &[(u64, EventWhat, u64, u64)]) -> Tally {
        let mut pairs = Pairs::new(&[(0x70_0000, 0)], 1);
        for (at_ns, what, sector, sectors) in events {
            let event = PairEvent {
                at_ns: *at_ns,
                what: *what,
                device: 0x70_0000,
                sector: *sector,
                sectors: *sectors,
                side: Some(LayerSide::Read),
                error: 0,
                from: None,
            };
            pairs.take(&event);
        }
        pairs.tallies.remove(0)
    }

    /// An array (slot 0) over a disk (slot 1).
    fn stacked(events: &[(u64, EventWhat, u32, u64)]) -> Vec<Tally> {
        let mut pairs = Pairs::new(&[(9 << 20, 0), (8 << 20, 1)], 2);
        for (at_ns, what, major, sector) in events {
            let from = (*what == EventWhat::Remap).then_some((9 << 20, sector.wrapping_sub(1_000)));
            let (device, side) = (major << 20, Some(LayerSide::Read));
            pairs.take(&PairEvent {
                at_ns: *at_ns,
                what: *what,
                device,
                sector: *sector,
                sectors: 8,
                side,
                error: 0,
                from,
            });
        }
        pairs.tallies
    }

    fn found(tally: &Tally) -> Vec<(Span, u64, u64)> {
        let spans = tally.spans().into_iter();
        spans
            .map(|one| {
                (
                    one.span,
                    one.times.total(),
                    one.times.quantile_ns(1.0).unwrap(),
                )
            })
            .collect()
    }

    fn counter(tally: &Tally, name: &str) -> u64 {
        tally.counters[COUNTERS.iter().position(|known| *known == name).unwrap()]
    }

    #[test]
    fn an_io_goes_through_the_layers_of_its_scheduler() {
        use EventWhat::{Complete, GetRequest, Insert, Issue, Queue};
        let with = run(&[
            (100, Queue, 8, 8),
            (110, GetRequest, 8, 8),
            (130, Insert, 8, 8),
            (160, Issue, 8, 8),
            (200, Complete, 8, 8),
        ]);
        let wanted = [
            (Span::Q2G, 1, 10),
            (Span::G2I, 1, 20),
            (Span::I2D, 1, 30),
            (Span::D2C, 1, 40),
            (Span::Q2C, 1, 100),
        ];
        assert_eq!(found(&with), wanted);
        let without = run(&[
            (100, Queue, 8, 8),
            (110, GetRequest, 8, 8),
            (130, Issue, 8, 8),
            (200, Complete, 8, 8),
        ]);
        assert_eq!(
            found(&without).iter().map(|one| one.0).collect::<Vec<_>>(),
            [Span::Q2G, Span::G2D, Span::D2C, Span::Q2C]
        );
    }

    #[test]
    fn merged_and_split_ios_have_their_own_whole_time() {
        use EventWhat::{BioComplete, Complete, GetRequest, Issue, Queue, Split};
        let merged = run(&[
            (100, Queue, 8, 8),
            (101, GetRequest, 8, 8),
            (102, Queue, 16, 8),
            (110, Issue, 8, 16),
            (150, Complete, 8, 16),
        ]);
        assert_eq!((counter(&merged, "merged"), merged.under_way()), (1, 0));
        assert!(
            found(&merged).contains(&(Span::Q2C, 2, 50))
                && found(&merged).contains(&(Span::D2C, 1, 40))
        );
        let split = run(&[
            (100, Queue, 0, 16),
            (101, Split, 0, 8),
            (105, Issue, 0, 8),
            (106, Issue, 8, 8),
            (120, Complete, 0, 8),
            (140, Complete, 8, 8),
        ]);
        assert_eq!((counter(&split, "split"), split.under_way()), (1, 0));
        assert!(found(&split).contains(&(Span::Q2C, 2, 40)));
        assert_eq!(
            found(&run(&[(100, Queue, 0, 8), (107, BioComplete, 0, 8)])),
            [(Span::Q2C, 1, 7)]
        );
    }

    #[test]
    fn a_bio_merged_in_front_leaves_the_request_its_times() {
        use EventWhat::{Complete, GetRequest, Insert, Issue, Queue};
        let front = run(&[
            (100, Queue, 16, 8),
            (110, GetRequest, 16, 8),
            (120, Queue, 8, 8),
            (130, Insert, 8, 16),
            (160, Issue, 8, 16),
            (200, Complete, 8, 16),
        ]);
        assert_eq!((counter(&front, "merged"), front.under_way()), (1, 0));
        let wanted = [
            (Span::Q2G, 1, 10),
            (Span::G2I, 1, 20),
            (Span::I2D, 1, 30),
            (Span::D2C, 1, 40),
            (Span::Q2C, 2, 100),
        ];
        assert_eq!(found(&front), wanted);
    }

    #[test]
    fn a_completion_of_unknown_kind_is_the_requests_where_there_is_one() {
        use EventWhat::{Done, Issue, Queue};
        assert_eq!(
            found(&run(&[(100, Queue, 8, 8), (107, Done, 8, 8)])),
            [(Span::Q2C, 1, 7)]
        );
        let request = run(&[(100, Queue, 8, 8), (103, Issue, 8, 8), (107, Done, 8, 8)]);
        assert_eq!(found(&request), [(Span::D2C, 1, 4), (Span::Q2C, 1, 7)]);
    }

    #[test]
    fn what_is_handed_down_itself_ends_above_when_it_ends_below() {
        use EventWhat::{BioComplete, Complete, GetRequest, Issue, Queue, Remap};
        let same = stacked(&[
            (100, Queue, 9, 8),
            (110, Remap, 8, 1_008),
            (120, GetRequest, 8, 1_008),
            (130, Issue, 8, 1_008),
            (150, Complete, 8, 1_008),
        ]);
        assert_eq!(found(&same[0]), [(Span::Q2C, 1, 50)]);
        assert!(
            found(&same[1]).contains(&(Span::Q2C, 1, 40))
                && found(&same[1]).contains(&(Span::D2C, 1, 20))
        );
        assert_eq!((same[0].under_way(), counter(&same[1], "queued")), (0, 1));
        let clone = stacked(&[
            (100, Queue, 9, 8),
            (110, Remap, 8, 1_008),
            (115, Queue, 8, 1_008),
            (130, Issue, 8, 1_008),
            (150, Complete, 8, 1_008),
            (170, BioComplete, 9, 8),
        ]);
        assert_eq!(found(&clone[0]), [(Span::Q2C, 1, 70)]);
        assert!(
            found(&clone[1]).contains(&(Span::Q2C, 1, 35)),
            "{:?}",
            found(&clone[1])
        );
        let counted = ["queued", "dropped", "unmatched"].map(|name| counter(&clone[1], name));
        assert_eq!((counted, counter(&clone[0], "unmatched")), ([1, 0, 0], 0));
        let stranger = stacked(&[(110, Remap, 8, 1_008), (115, Queue, 8, 1_008)]);
        assert_eq!(
            (counter(&stranger[1], "queued"), stranger[1].under_way()),
            (1, 1)
        );
    }

    #[test]
    fn what_cannot_be_paired_is_counted() {
        use EventWhat::{Complete, Queue};
        let twice = run(&[
            (100, Queue, 8, 8),
            (101, Queue, 8, 8),
            (120, Complete, 8, 8),
            (130, Complete, 8, 8),
        ]);
        let counted = ["queued", "dropped", "unmatched"].map(|name| counter(&twice, name));
        assert_eq!(counted, [2, 1, 1]);
        assert_eq!(run(&[(100, Queue, 8, 8)]).under_way(), 1);
    }

    #[test]
    fn lost_events_make_no_latency() {
        use EventWhat::{BioComplete, Complete, Issue, Lost, Queue};
        // The end of the first I/O and the beginning of the second are lost.
        let gap = run(&[
            (100, Queue, 8, 8),
            (110, Issue, 8, 8),
            (500, Lost, 0, 0),
            (900, Complete, 8, 8),
        ]);
        assert_eq!(
            (found(&gap), gap.under_way(), counter(&gap, "unmatched")),
            (vec![], 0, 2)
        );
        let after = run(&[
            (100, Queue, 8, 8),
            (500, Lost, 0, 0),
            (600, Queue, 8, 8),
            (607, BioComplete, 8, 8),
        ]);
        assert_eq!(
            (found(&after), counter(&after, "unmatched")),
            (vec![(Span::Q2C, 1, 7)], 1)
        );
    }

    #[test]
    fn an_io_is_not_remembered_for_ever() {
        use EventWhat::{BioComplete, Complete, Queue};
        for end in [Complete, BioComplete] {
            let old = run(&[(100, Queue, 8, 8), (101 + AGE_MAX_NS, end, 8, 8)]);
            assert_eq!(
                (found(&old), old.under_way(), counter(&old, "unmatched")),
                (vec![], 0, 1)
            );
            assert_eq!(
                found(&run(&[(100, Queue, 8, 8), (100 + AGE_MAX_NS, end, 8, 8)])).len(),
                1
            );
        }
        let many: Vec<_> = (0..=UNDER_WAY_MAX as u64)
            .map(|sector| (100 + sector, Queue, sector, 1))
            .collect();
        let full = run(&many);
        assert_eq!(
            (full.under_way(), counter(&full, "unmatched")),
            (1, UNDER_WAY_MAX as u64)
        );
    }

    #[test]
    fn directions_are_read_from_the_kernels_letters() {
        assert_eq!(side(b"R\0\0", 8), Some(LayerSide::Read));
        assert_eq!(side(b"FWFS\0", 8), Some(LayerSide::Write));
        assert_eq!(side(b"FF\0", 0), None);
        assert_eq!(side(b"DS\0", 8), Some(LayerSide::Discard));
    }
}
