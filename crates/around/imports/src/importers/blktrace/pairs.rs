//! From single events to times: events name a device and a sector, not an I/O, so that is what they are paired by.
//!
//! The letters are blktrace's: Q a bio is queued, G it has a request, I the request is in the scheduler, D the driver has
//! it, C it is done. A bio that was merged joins a request whose sectors cover its own.

use super::tally::{Span, Tally};
use std::collections::BTreeMap;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BlktraceWhat {
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
    /// A request is done, or a bio without one.
    Done,
    /// A bio was handed on to this device by one above it.
    Remap,
    /// Not an event but the place of events that are missing.
    Lost,
}

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BlktraceSide {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Discards.
    Discard,
    /// Flushes without data.
    Flush,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlktraceEvent {
    /// When, ns.
    pub at_ns: u64,
    /// What.
    pub what: BlktraceWhat,
    /// The kernel's device number.
    pub device: u32,
    /// First sector.
    pub sector: u64,
    /// Sectors; of a split, the sector of the cut.
    pub sectors: u64,
    /// Direction.
    pub side: BlktraceSide,
}

/// A bio under way; a time of none is not reached yet.
#[derive(Clone, Copy, Debug, Default)]
struct Io {
    queued: u64,
    got: Option<u64>,
    inserted: Option<u64>,
    issued: Option<u64>,
    /// It was handed on from above, and may have an event of its own for its arrival.
    is_handed: bool,
}

/// One device.
#[derive(Clone, Debug, Default)]
pub struct BlktracedDevice {
    under_way: [BTreeMap<u64, Io>; 4],
    /// What came of them.
    pub tally: Tally,
}

/// All devices of a trace.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// With their numbers, in the order in which they came.
    pub devices: Vec<(u32, BlktracedDevice)>,
    current: usize,
    /// Events of more devices than are followed.
    pub other_devices: u64,
}

/// Bios of a device and direction that are remembered at most: more than the queues of any device hold.
const UNDER_WAY_MAX: usize = 1 << 17;
/// An I/O whose end comes later than this is not believed: five tries of a SCSI disk take less.
const AGE_MAX_NS: u64 = 300_000_000_000;
/// Devices that are followed; a damaged file has any number of them.
const DEVICES_MAX: usize = 64;

impl BlktraceWhat {
    /// By its number.
    pub fn of(number: u8) -> BlktraceWhat {
        use BlktraceWhat::{Done, GetRequest, Insert, Issue, Lost, Queue, Remap, Requeue, Split};
        [
            Queue, GetRequest, Split, Insert, Issue, Requeue, Done, Remap,
        ]
        .get(usize::from(number))
        .copied()
        .unwrap_or(Lost)
    }
}

impl BlktraceSide {
    /// Every direction, by its number.
    pub const ALL: [BlktraceSide; 4] = [
        BlktraceSide::Read,
        BlktraceSide::Write,
        BlktraceSide::Discard,
        BlktraceSide::Flush,
    ];

    /// By its number.
    pub fn of(number: u8) -> BlktraceSide {
        BlktraceSide::ALL[usize::from(number & 3)]
    }
}

impl Pairs {
    /// Takes the next event in the order of time.
    pub fn take(&mut self, event: &BlktraceEvent) {
        if self
            .devices
            .get(self.current)
            .is_none_or(|(number, _)| *number != event.device)
        {
            match self
                .devices
                .iter()
                .position(|(number, _)| *number == event.device)
            {
                Some(place) => self.current = place,
                None if self.devices.len() < DEVICES_MAX => {
                    self.devices
                        .push((event.device, BlktracedDevice::default()));
                    self.current = self.devices.len() - 1;
                }
                None => {
                    self.other_devices += 1;
                    return;
                }
            }
        }
        self.devices[self.current].1.take(event);
    }
}

impl BlktracedDevice {
    fn take(&mut self, event: &BlktraceEvent) {
        self.tally.seen(event.at_ns);
        match event.what {
            BlktraceWhat::Queue => self.arrive(event, false),
            BlktraceWhat::Remap => self.arrive(event, true),
            BlktraceWhat::Split => self.split(event),
            BlktraceWhat::GetRequest => {
                if let Some(io) = self.side(event).get_mut(&event.sector) {
                    io.got = Some(event.at_ns);
                }
            }
            BlktraceWhat::Insert => {
                if let Some(io) = self.carrier(event)
                    && io.inserted.is_none()
                {
                    io.inserted = Some(event.at_ns);
                }
            }
            BlktraceWhat::Issue => {
                if let Some(io) = self.carrier(event) {
                    io.issued = Some(event.at_ns);
                }
                self.tally.issued += 1;
            }
            BlktraceWhat::Requeue => {
                if let Some(io) = self.carrier(event) {
                    io.issued = None;
                }
                self.tally.requeued += 1;
            }
            BlktraceWhat::Done => self.complete(event),
            BlktraceWhat::Lost => self.forget(),
        }
    }

    fn side(&mut self, event: &BlktraceEvent) -> &mut BTreeMap<u64, Io> {
        &mut self.under_way[event.side as usize]
    }

    /// The bio that got the request of an event: its first one, unless that was merged in front of it.
    fn carrier(&mut self, event: &BlktraceEvent) -> Option<&mut Io> {
        let all = self.side(event);
        let first = all.get(&event.sector);
        if first.is_some_and(|io| io.got.is_some()) {
            return all.get_mut(&event.sector);
        }
        let end = event.sector.saturating_add(event.sectors.max(1));
        let got = all
            .range(event.sector..end)
            .find(|(_, io)| io.got.is_some())
            .map(|(sector, _)| *sector);
        all.get_mut(&got.unwrap_or(event.sector))
    }

    /// A bio arrives, or is handed on. One that does both counts once, from its own event on.
    fn arrive(&mut self, event: &BlktraceEvent, is_handed: bool) {
        let io = Io {
            queued: event.at_ns,
            is_handed,
            ..Io::default()
        };
        let all = &mut self.under_way[event.side as usize];
        match all.get_mut(&event.sector) {
            Some(known) if known.is_handed && !is_handed && known.got.is_none() => *known = io,
            // Two of one sector at once cannot be told apart: the second takes the place of the first.
            Some(known) => {
                self.tally.replaced += 1;
                self.tally.queued[event.side as usize] += 1;
                *known = io;
            }
            None => {
                if all.len() >= UNDER_WAY_MAX {
                    self.tally.unmatched += all.len() as u64;
                    all.clear();
                }
                all.insert(event.sector, io);
                self.tally.queued[event.side as usize] += 1;
            }
        }
    }

    /// The rest, from the cut on, was queued when the whole was and has no event of its own for it.
    fn split(&mut self, event: &BlktraceEvent) {
        let Some(queued) = self.side(event).get(&event.sector).map(|io| io.queued) else {
            return;
        };
        self.tally.split += 1;
        if self.side(event).len() < UNDER_WAY_MAX {
            self.side(event).insert(
                event.sectors,
                Io {
                    queued,
                    ..Io::default()
                },
            );
        }
    }

    /// Gives up on all that is under way: the next end at such a sector could be another's.
    fn forget(&mut self) {
        for all in &mut self.under_way {
            self.tally.unmatched += all.len() as u64;
            all.clear();
        }
    }

    /// A request is done with all bios that it covers, or one bio that had none.
    fn complete(&mut self, event: &BlktraceEvent) {
        let side = event.side as usize;
        self.tally.done(event);
        let all = &mut self.under_way[side];
        let end = event.sector.saturating_add(event.sectors.max(1));
        // Nearly always it is one bio, at the request's first sector.
        let Some(first) = all.remove(&event.sector) else {
            return self.complete_covered(event, end, None);
        };
        if all.range(event.sector..end).next().is_some() {
            return self.complete_covered(event, end, Some(first));
        }
        self.tally.add(
            side,
            Span::Q2C,
            Some(first.queued),
            Some(event.at_ns),
            AGE_MAX_NS,
        );
        self.request(side, &first, event.at_ns);
    }

    fn complete_covered(&mut self, event: &BlktraceEvent, end: u64, first: Option<Io>) {
        let side = event.side as usize;
        let all = &mut self.under_way[side];
        let mut ended: Vec<Io> = first.into_iter().collect();
        while let Some(sector) = all
            .range(event.sector..end)
            .next()
            .map(|(sector, _)| *sector)
        {
            ended.extend(all.remove(&sector));
        }
        if ended.is_empty() {
            self.tally.unmatched += 1;
        }
        // The request's times stand with the bio that got it; the others joined it.
        let of = |with_request: bool| {
            ended
                .iter()
                .position(|io| io.issued.is_some() && (io.got.is_some() || !with_request))
        };
        let carrier = of(true).or_else(|| of(false));
        for (place, io) in ended.iter().enumerate() {
            self.tally.add(
                side,
                Span::Q2C,
                Some(io.queued),
                Some(event.at_ns),
                AGE_MAX_NS,
            );
            match carrier == Some(place) {
                true => self.request(side, io, event.at_ns),
                false => self.tally.merged += u64::from(carrier.is_some()),
            }
        }
    }

    fn request(&mut self, side: usize, io: &Io, now: u64) {
        let mut add = |span, from, to| self.tally.add(side, span, from, to, AGE_MAX_NS);
        add(Span::Q2G, Some(io.queued), io.got);
        match io.inserted {
            Some(_) => {
                add(Span::G2I, io.got, io.inserted);
                add(Span::I2D, io.inserted, io.issued);
            }
            None => add(Span::G2D, io.got, io.issued),
        }
        add(Span::D2C, io.issued, Some(now));
    }

    /// Bios whose end was not seen.
    pub fn left(&self) -> u64 {
        self.under_way.iter().map(|all| all.len() as u64).sum()
    }
}
