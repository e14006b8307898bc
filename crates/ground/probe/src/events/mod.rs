//! Times by layer from the kernel's events alone, for kernels without type information or without eBPF.
//!
//! A thread takes the events of the devices from a [`Tap`] and pairs them by device and sector. That costs more than
//! programs in the kernel, and two I/Os of one sector at once cannot be told apart.

pub mod decode;
pub mod format;
pub mod pairs;

use crate::layout::COUNTERS;
use crate::{ProbeError, ProbedDevice};
use host::{Host, clock};
use kernel::devno::Devno;
use model::layers::{DeviceLayers, LayerTimes};
use pairs::{PairEvent, Pairs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

const DRAIN_MS: u64 = 20;
/// Rounds of one reading at most: several times what the buffers hold, so that it ends whatever the times of the events.
const ROUNDS_MAX: usize = 64;

/// Where events come from.
pub trait Tap: std::fmt::Debug + Send {
    /// Adds the next events of each CPU, in any order, to `events`: as many as are good at once, and none that are not
    /// wanted yet where that can be told. Returns the time up to which there is nothing more before `until_ns`.
    fn round(&mut self, until_ns: u64, events: &mut Vec<PairEvent>) -> u64;

    /// Events that were lost so far.
    fn lost(&self) -> u64;

    /// Where the times are not of the monotonic clock: the latest that has been seen.
    fn own_clock_ns(&self) -> Option<u64> {
        None
    }
}

/// Reads events and pairs them until it is dropped.
#[derive(Debug)]
pub struct Follower {
    source: &'static str,
    devices: Vec<ProbedDevice>,
    state: Arc<Mutex<EventsState>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct EventsState {
    tap: Box<dyn Tap>,
    /// Events later than the beginning of the last reading: others that happened before them may still come.
    later: Vec<PairEvent>,
    pairs: Pairs,
}

impl Follower {
    /// Follows the events of a tap for these devices; `numbers` are theirs and their partitions'.
    pub fn start(
        source: &'static str,
        devices: &[ProbedDevice],
        numbers: &[(u32, usize)],
        tap: Box<dyn Tap>,
    ) -> Follower {
        let state = EventsState {
            tap,
            later: Vec::new(),
            pairs: Pairs::new(numbers, devices.len()),
        };
        let (state, stop) = (
            Arc::new(Mutex::new(state)),
            Arc::new(AtomicBool::new(false)),
        );
        let (shared, stopped) = (state.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                clock::sleep_ms(DRAIN_MS);
                lock(&shared).drain();
            }
        });
        Follower {
            source,
            devices: devices.to_vec(),
            state,
            stop,
            thread: Some(thread),
        }
    }

    /// The devices.
    pub fn devices(&self) -> &[ProbedDevice] {
        &self.devices
    }

    /// Everything so far.
    pub fn read(&self) -> LayerTimes {
        let mut state = lock(&self.state);
        state.drain();
        // By its own clock the first reading only learns how late it is; what it found is taken with the second.
        if state.tap.own_clock_ns().is_some() {
            state.drain();
        }
        let lost = state.tap.lost();
        let device = |(slot, device): (usize, &ProbedDevice)| {
            let tally = &state.pairs.tallies[slot];
            let counted = COUNTERS
                .iter()
                .zip(tally.counters)
                .map(|(name, count)| (name.to_string(), count));
            let more = [
                ("unseen".to_string(), tally.under_way()),
                ("lost_events".to_string(), lost),
            ];
            DeviceLayers {
                device: device.name.clone(),
                devno: device.devno().to_string(),
                spans: tally.spans(),
                counters: counted
                    .chain(more)
                    .filter(|(_, count)| *count > 0)
                    .collect(),
            }
        };
        let devices = self.devices.iter().enumerate().map(device).collect();
        LayerTimes {
            source: self.source.into(),
            devices,
            ..LayerTimes::default()
        }
    }

    /// The counters of a device.
    pub fn counters(&self, slot: usize) -> [u64; COUNTERS.len()] {
        lock(&self.state)
            .pairs
            .tallies
            .get(slot)
            .map_or([0; COUNTERS.len()], |tally| tally.counters)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn lock(state: &Mutex<EventsState>) -> MutexGuard<'_, EventsState> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl EventsState {
    /// Takes what happened until now. What keeps coming meanwhile is left for the next time.
    fn drain(&mut self) {
        let until_ns = self.tap.own_clock_ns().unwrap_or_else(clock::monotonic_ns);
        for _ in 0..ROUNDS_MAX {
            if !self.round(until_ns) {
                break;
            }
        }
    }

    /// Takes some of each CPU's, which bounds the memory; whether there is more from before `until_ns`.
    fn round(&mut self, until_ns: u64) -> bool {
        let mut events = std::mem::take(&mut self.later);
        let sure_ns = self.tap.round(until_ns, &mut events).min(until_ns);
        events.sort_by_key(|event| event.at_ns);
        self.later = events.split_off(events.partition_point(|event| event.at_ns <= sure_ns));
        events.iter().for_each(|event| self.pairs.take(event));
        sure_ns < until_ns
    }
}

/// The kernel's numbers of the devices and of their partitions, which bios still name since 5.12.
pub fn numbers(devices: &[ProbedDevice]) -> Vec<(u32, usize)> {
    let host = Host::live();
    let mut numbers = Vec::new();
    for (slot, device) in devices.iter().enumerate() {
        numbers.push((device.devno().in_kernel(), slot));
        let folder = format!("/sys/block/{}", device.name);
        for name in host
            .list(&folder)
            .into_iter()
            .filter(|name| name.starts_with(&device.name))
        {
            let text = host.text(&format!("{folder}/{name}/dev"));
            let devno = text.and_then(|text| Devno::parse(&text));
            numbers.extend(devno.map(|devno| (devno.in_kernel(), slot)));
        }
    }
    numbers
}

/// What the kernel is told to leave out everything else by.
pub fn filter(numbers: &[(u32, usize)]) -> String {
    let each: Vec<String> = numbers
        .iter()
        .map(|(number, _)| format!("dev == {number}"))
        .collect();
    each.join(" || ")
}

/// A layer's error as one of a rung.
pub fn refused(what: &str, error: &host::Error) -> ProbeError {
    ProbeError::Load {
        what: what.to_string(),
        why: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::pairs::EventWhat;
    use super::*;
    use model::layers::{LayerSide, Span};
    use std::sync::atomic::AtomicU64;

    /// Two CPUs that write an I/O each, the beginning on the one and the end on the other, with a clock of their own.
    #[derive(Debug)]
    struct TwoCpus {
        latest: u64,
        made: Arc<AtomicU64>,
    }

    impl Tap for TwoCpus {
        fn round(&mut self, until_ns: u64, events: &mut Vec<PairEvent>) -> u64 {
            let number = self.made.fetch_add(1, Ordering::Relaxed);
            if number < 100 {
                let (at_ns, sector) = (1_000 + 10 * number, 8 * number);
                let event = PairEvent {
                    device: 7 << 20,
                    sector,
                    sectors: 8,
                    side: Some(LayerSide::Read),
                    ..PairEvent::lost(0)
                };
                events.push(PairEvent {
                    at_ns: at_ns + 7,
                    what: EventWhat::BioComplete,
                    ..event
                });
                events.push(PairEvent {
                    at_ns,
                    what: EventWhat::Queue,
                    ..event
                });
                self.latest = at_ns + 7;
            }
            until_ns
        }

        fn lost(&self) -> u64 {
            3
        }

        fn own_clock_ns(&self) -> Option<u64> {
            Some(self.latest)
        }
    }

    #[test]
    fn events_of_a_clock_of_their_own_are_in_order_and_all_taken() {
        let device = ProbedDevice {
            major: 7,
            minor: 0,
            name: "loop0".into(),
        };
        let made = Arc::new(AtomicU64::new(0));
        let tap = Box::new(TwoCpus {
            latest: 0,
            made: made.clone(),
        });
        let follower = Follower::start("test", &[device], &[(7 << 20, 0)], tap);
        let mut read = follower.read();
        // Each reading is one of the hundred rounds or two.
        while made.load(Ordering::Relaxed) <= 102 {
            read = follower.read();
        }
        let one = &read.devices[0];
        let times = one.times(LayerSide::Read, Span::Q2C).unwrap();
        assert_eq!(
            (
                times.total(),
                times.quantile_ns(0.0),
                times.quantile_ns(1.0)
            ),
            (100, Some(7), Some(7))
        );
        assert_eq!(
            (
                one.counter("unseen"),
                one.counter("unmatched"),
                one.counter("lost_events")
            ),
            (0, 0, 3)
        );
    }
}
