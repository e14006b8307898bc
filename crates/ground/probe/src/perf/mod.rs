//! Events from perf's rings: no programs, no type information of the kernel, no buffers of tracefs; only the layout of
//! the events is read from there.

mod idle;
pub(crate) mod record;

use crate::events::decode::{Decoder, decoders};
use crate::events::pairs::PairEvent;
use crate::events::{Follower, Tap, filter, numbers, refused};
use crate::{ProbeError, ProbedDevice};
use host::Host;
use host::perf::{EventClock, PerfRing};
use host::trace::TraceEvents;
pub use idle::check;
use record::{PerfIntake, Taken};

const WHAT: &str = "perf events of the block layer";
/// A filter longer than the kernel takes (a page) is left out; then other devices' events are read and passed over.
const FILTER_MAX: usize = 4_000;

/// The rings of all CPUs.
#[derive(Debug)]
struct Rings {
    rings: Vec<(PerfRing, PerfIntake)>,
    decoders: Vec<Decoder>,
    clock: EventClock,
    latest_ns: u64,
    lost: u64,
    bytes: Vec<u8>,
}

/// Turns the events on and follows them.
pub fn start(devices: &[ProbedDevice]) -> Result<Follower, ProbeError> {
    start_by(devices, EventClock::Monotonic)
}

fn start_by(devices: &[ProbedDevice], mut clock: EventClock) -> Result<Follower, ProbeError> {
    let numbers = numbers(devices);
    let events = TraceEvents::open().map_err(|error| refused(WHAT, &error))?;
    let named = decoders(|name| events.format(&format!("block/{name}")).ok())?;
    let decoders: Vec<Decoder> = named.into_iter().map(|(_, decoder)| decoder).collect();
    let ids: Vec<u16> = decoders.iter().map(Decoder::id).collect();
    let filter = filter(&numbers);
    let filter = (filter.len() < FILTER_MAX).then_some(filter);
    let open = |clock| -> host::Result<Vec<PerfRing>> {
        online_cpus()
            .into_iter()
            .map(|cpu| PerfRing::open(cpu, &ids, filter.as_deref(), clock))
            .collect()
    };
    let mut rings = open(clock);
    // A kernel that knows no choice of clock finds it invalid (before 4.1).
    if clock == EventClock::Monotonic
        && rings
            .as_ref()
            .is_err_and(|error| error.errno() == Some(libc::EINVAL))
    {
        clock = EventClock::Own;
        rings = open(clock);
    }
    let rings = rings.map_err(|error| refused(WHAT, &error))?;
    for index in 0..ids.len() {
        for ring in &rings {
            ring.enable(index).map_err(|error| refused(WHAT, &error))?;
        }
    }
    let rings = rings
        .into_iter()
        .map(|ring| (ring, PerfIntake::default()))
        .collect();
    let tap = Rings {
        rings,
        decoders,
        clock,
        latest_ns: 0,
        lost: 0,
        bytes: Vec::new(),
    };
    Ok(Follower::start("perf", devices, &numbers, Box::new(tap)))
}

impl Tap for Rings {
    fn round(&mut self, until_ns: u64, events: &mut Vec<PairEvent>) -> u64 {
        // A ring is taken whole, so that there is nothing more from before the beginning.
        for (ring, intake) in &mut self.rings {
            self.bytes.clear();
            ring.take(&mut self.bytes);
            let decoders = &self.decoders;
            let decode = |at_ns, event: &[u8]| {
                decoders
                    .iter()
                    .find_map(|decoder| decoder.decode(at_ns, event))
            };
            let Taken { lost, latest_ns } = intake.take(&self.bytes, events, decode);
            self.lost += lost;
            self.latest_ns = self.latest_ns.max(latest_ns);
        }
        until_ns
    }

    fn lost(&self) -> u64 {
        self.lost
    }

    fn own_clock_ns(&self) -> Option<u64> {
        (self.clock == EventClock::Own).then_some(self.latest_ns)
    }
}

fn online_cpus() -> Vec<u32> {
    let list = Host::live().online_cpus();
    list.map_or_else(|| vec![0], |list| list.iter().collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// As on a kernel that lets nobody choose the clock.
    pub fn start_by_its_own_clock(devices: &[ProbedDevice]) -> Result<Follower, ProbeError> {
        start_by(devices, EventClock::Own)
    }

    #[test]
    fn cpus_that_are_online_have_a_ring() {
        let online = std::thread::available_parallelism().unwrap().get();
        assert!(online_cpus().len() >= online);
    }
}
