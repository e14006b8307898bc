//! Times by layer from the kernel's trace events alone, for kernels without type information or without eBPF.
//!
//! A thread reads the events of the devices from buffers of an own instance of tracefs, and pairs them by device and
//! sector. That costs more than programs in the kernel, and two I/Os of one sector at once cannot be told apart.

mod format;
mod intake;
mod page;
mod pairs;

use crate::layout::COUNTERS;
use crate::{Device, ProbeError};
use format::{Field, Format};
use host::trace::TraceInstance;
use host::{Host, clock};
use intake::Intake;
use model::layers::{DeviceLayers, LayerTimes};
use pairs::{Event, Pairs, What};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// Of each CPU: 16 million bytes are some 200,000 events, a tenth of a second of the fastest devices.
const BUFFER_KIB: &str = "16384";
const DRAIN_MS: u64 = 20;
/// Rounds of one reading at most: several times what the buffers hold, so that it ends whatever the times of the events.
const ROUNDS_MAX: usize = 64;

/// Events with the file names that the kernel gives them. Those that a kernel lacks are done without, but for the last.
const EVENTS: [(&str, What); 8] = [
    ("block_getrq", What::GetRequest),
    ("block_split", What::Split),
    ("block_rq_insert", What::Insert),
    ("block_rq_issue", What::Issue),
    ("block_rq_requeue", What::Requeue),
    ("block_rq_complete", What::Complete),
    ("block_bio_complete", What::BioComplete),
    ("block_bio_queue", What::Queue),
];

/// Reads events and pairs them until it is dropped.
#[derive(Debug)]
pub struct Follower {
    devices: Vec<Device>,
    state: Arc<Mutex<State>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    /// Dropped before the instance, which the kernel does not remove while a buffer is open.
    intakes: Vec<Intake>,
    instance: TraceInstance,
    decoders: Vec<Decoder>,
    /// Events later than the beginning of the last reading: others that happened before them may still come.
    later: Vec<Event>,
    pairs: Pairs,
    /// Pages before which events were lost.
    gaps: u64,
}

/// How one event is read.
#[derive(Debug)]
struct Decoder {
    id: u16,
    what: What,
    device: Field,
    sector: Field,
    sectors: Option<Field>,
    rwbs: Field,
    error: Option<Field>,
}

impl Follower {
    /// Turns the events on.
    pub fn start(devices: &[Device]) -> Result<Follower, ProbeError> {
        let numbers = numbers(devices);
        let instance = TraceInstance::create().map_err(|error| refused(&error))?;
        let decoders = set_up(&instance, &numbers)?;
        let buffers = instance.buffers().map_err(|error| refused(&error))?;
        let intakes = buffers.into_iter().map(Intake::new).collect();
        let pairs = Pairs::new(&numbers, devices.len());
        let state = State { intakes, instance, decoders, later: Vec::new(), pairs, gaps: 0 };
        let (state, stop) = (Arc::new(Mutex::new(state)), Arc::new(AtomicBool::new(false)));
        let (shared, stopped) = (state.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                clock::sleep_ms(DRAIN_MS);
                lock(&shared).drain();
            }
        });
        Ok(Follower { devices: devices.to_vec(), state, stop, thread: Some(thread) })
    }

    /// The devices.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Everything so far.
    pub fn read(&self) -> LayerTimes {
        let mut state = lock(&self.state);
        state.drain();
        let lost = state.instance.overrun().max(state.gaps);
        let device = |(slot, device): (usize, &Device)| {
            let tally = &state.pairs.tallies[slot];
            let counted = COUNTERS.iter().zip(tally.counters).map(|(name, count)| (name.to_string(), count));
            let more = [("unseen".to_string(), tally.under_way()), ("lost_events".to_string(), lost)];
            DeviceLayers {
                device: device.name.clone(),
                devno: format!("{}:{}", device.major, device.minor),
                spans: tally.spans(),
                counters: counted.chain(more).filter(|(_, count)| *count > 0).collect(),
            }
        };
        let devices = self.devices.iter().enumerate().map(device).collect();
        LayerTimes { source: "tracefs".into(), devices }
    }

    /// The counters of a device.
    pub fn counters(&self, slot: usize) -> [u64; COUNTERS.len()] {
        lock(&self.state).pairs.tallies.get(slot).map_or([0; COUNTERS.len()], |tally| tally.counters)
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

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Takes what happened until now. What keeps coming meanwhile is left for the next time.
    fn drain(&mut self) {
        let until_ns = clock::monotonic_ns();
        let mut page = vec![0; host::rights::page_bytes() as usize];
        for _ in 0..ROUNDS_MAX {
            if !self.round(until_ns, &mut page) {
                break;
            }
        }
    }

    /// Takes some pages of each buffer, which bounds the memory; whether there is more from before `until_ns`.
    fn round(&mut self, until_ns: u64, page: &mut [u8]) -> bool {
        let mut events = std::mem::take(&mut self.later);
        let mut sure_ns = until_ns;
        for intake in &mut self.intakes {
            let decoders = &self.decoders;
            let taken = intake.take(until_ns, page, &mut events, |at_ns, event| {
                decoders.iter().find_map(|decoder| decoder.decode(at_ns, event))
            });
            self.gaps += taken.gaps;
            // Events later than the last one taken may have others before them that are still in this buffer.
            sure_ns = sure_ns.min(taken.more_after_ns.unwrap_or(until_ns));
        }
        events.sort_by_key(|event| event.at_ns);
        self.later = events.split_off(events.partition_point(|event| event.at_ns <= sure_ns));
        events.iter().for_each(|event| self.pairs.take(event));
        sure_ns < until_ns
    }
}

impl Decoder {
    fn new(text: &str, what: What) -> Option<Decoder> {
        let format = Format::parse(text)?;
        let sectors = if what == What::Split { "new_sector" } else { "nr_sector" };
        Some(Decoder {
            id: format.id,
            what,
            device: format.field("dev")?,
            sector: format.field("sector")?,
            sectors: format.field(sectors),
            rwbs: format.field("rwbs")?,
            // Older kernels name it `errors`.
            error: format.field("error").or_else(|| format.field("errors")),
        })
    }

    fn decode(&self, at_ns: u64, event: &[u8]) -> Option<Event> {
        if event.get(..2)? != self.id.to_le_bytes() {
            return None;
        }
        let sectors = self.sectors?.number(event)?;
        Some(Event {
            at_ns,
            what: self.what,
            device: self.device.number(event)? as u32,
            sector: self.sector.number(event)?,
            sectors,
            side: pairs::side(self.rwbs.bytes(event)?, sectors),
            error: self.error.and_then(|field| field.number(event)).unwrap_or(0) as u32 as i32,
        })
    }
}

/// The kernel's numbers of the devices and of their partitions, which bios still name since 5.12.
fn numbers(devices: &[Device]) -> Vec<(u32, usize)> {
    let host = Host::live();
    let mut numbers = Vec::new();
    for (slot, device) in devices.iter().enumerate() {
        numbers.push((device.major << 20 | device.minor, slot));
        let folder = format!("/sys/block/{}", device.name);
        for name in host.list(&folder).into_iter().filter(|name| name.starts_with(&device.name)) {
            let text = host.text(&format!("{folder}/{name}/dev")).unwrap_or_default();
            let parts = text
                .trim()
                .split_once(':')
                .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
            numbers.extend(parts.map(|(major, minor)| (major << 20 | minor, slot)));
        }
    }
    numbers
}

/// Clock, buffers, filters; the events are on when it returns, in the order of [`EVENTS`].
fn set_up(instance: &TraceInstance, numbers: &[(u32, usize)]) -> Result<Vec<Decoder>, ProbeError> {
    let write = |file: &str, text: &str| instance.write(file, text).map_err(|error| refused(&error));
    write("trace_clock", "mono")?;
    write("buffer_size_kb", BUFFER_KIB)?;
    let filter: Vec<String> = numbers.iter().map(|(number, _)| format!("dev == {number}")).collect();
    let filter = filter.join(" || ");
    let mut decoders = Vec::new();
    for (name, what) in EVENTS {
        let text = instance.read(&format!("events/block/{name}/format"));
        let decoder = text.ok().and_then(|text| Decoder::new(&text, what));
        match decoder {
            Some(decoder) => decoders.push(decoder),
            None if matches!(what, What::Queue | What::Issue | What::Complete) => {
                return Err(ProbeError::NoEvent { event: name });
            }
            None => continue,
        }
        write(&format!("events/block/{name}/filter"), &filter)?;
        write(&format!("events/block/{name}/enable"), "1")?;
    }
    write("tracing_on", "1")?;
    Ok(decoders)
}

fn refused(error: &host::Error) -> ProbeError {
    ProbeError::Load { what: "an instance of tracefs".into(), why: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instance_is_gone_after_the_follower() {
        let nobody = Device { major: 0, minor: 0, name: "none".into() };
        let (watch, follower) = match (TraceInstance::create(), Follower::start(&[nobody])) {
            (Ok(watch), Ok(follower)) => (watch, follower),
            (Err(error), _) => return println!("skipped: {error}"),
            (_, Err(error)) => return println!("skipped: {error}"),
        };
        let name = lock(&follower.state).instance.folder().file_name().unwrap().to_os_string();
        let file = format!("../{}/tracing_on", name.to_string_lossy());
        assert_eq!(watch.read(&file).unwrap().trim(), "1");
        drop(follower);
        assert!(watch.read(&file).is_err(), "{file} is still there");
    }
}
