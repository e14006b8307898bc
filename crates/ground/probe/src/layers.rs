//! The programs at work: loading, attaching, reading what they counted, and what they cost.

use crate::btf::Events;
use crate::layout::{self, COUNTERS, CounterValues, Counts, DEVICES_MAX, SIDES, SPANS};
use crate::loading::{self, TypeInfo, missing, refused, unread};
use crate::{ProbeError, ProbedDevice, ProgramCost, Strength};
use aya::maps::{Array, MapData, PerCpuArray};
use aya::{Btf, Ebpf, EbpfLoader};
use host::{Host, clock};
use kernel::stat::Counters;
use model::histogram::{BUCKETS, Histogram};
use model::layers::{DeviceLayers, LayerTimes, Span, SpanTimes};
use std::collections::BTreeMap;

/// The compiled programs. `cargo xtask bpf` builds them from `bpf/`, `cargo xtask bpf --check` compares.
static OBJECT: &[u8] = aya::include_bytes_aligned!("../bpf/layers.bpf.o");
/// More of the kernel's memory than this is not worth a histogram.
const HISTOGRAMS_MIB_MAX: u64 = 256;

/// A program: its event, its name, the event's arguments for which it is meant, and its name where the event has one
/// argument more (the queue, before 5.11).
struct Hook {
    event: &'static str,
    program: &'static str,
    arguments: usize,
    with_queue: Option<&'static str>,
}

const fn hook(
    event: &'static str,
    program: &'static str,
    arguments: usize,
    with_queue: &'static str,
) -> Hook {
    Hook {
        event,
        program,
        arguments,
        with_queue: Some(with_queue),
    }
}

/// In the order of attaching: completions first and queueing last, so that whatever is queued is seen to its end.
static FULL: &[Hook] = &[
    Hook {
        event: "block_rq_complete",
        program: "full_rq_complete",
        arguments: 3,
        with_queue: None,
    },
    Hook {
        event: "block_bio_complete",
        program: "full_bio_complete",
        arguments: 2,
        with_queue: None,
    },
    hook("block_rq_requeue", "full_requeue", 1, "full_requeue_q"),
    hook("block_rq_issue", "full_issue", 1, "full_issue_q"),
    hook("block_rq_insert", "full_insert", 1, "full_insert_q"),
    hook("block_getrq", "full_getrq", 1, "full_getrq_q"),
    hook("block_split", "full_split", 2, "full_split_q"),
    hook("block_bio_remap", "full_remap", 3, "full_remap_q"),
    hook("block_bio_queue", "full_queue", 1, "full_queue_q"),
];

static LITE: &[Hook] = &[Hook {
    event: "block_rq_complete",
    program: "lite_rq_complete",
    arguments: 3,
    with_queue: None,
}];

/// Programs attached to the block layer, counting. Dropped, they are gone.
pub struct Programs {
    ebpf: Ebpf,
    devices: Vec<ProbedDevice>,
    strength: Strength,
    programs: Vec<&'static str>,
    /// What the kernel's statistics said of each device when the programs were attached.
    starts: Vec<Option<u64>>,
}

impl Programs {
    /// Loads the programs for these devices and attaches them: 20 to 50 ms for the lite strength, up to a second for the
    /// full one on a busy machine.
    ///
    /// # Errors
    /// Without type information of the kernel (BTF), without CAP_BPF and CAP_PERFMON, without devices, with more than
    /// 16, or when the kernel refuses a program or map.
    pub fn attach(devices: &[ProbedDevice], strength: Strength) -> Result<Programs, ProbeError> {
        check_devices(devices)?;
        let TypeInfo { btf, events } = TypeInfo::read()?;
        let ebpf = load(devices, &btf)?;
        let (devices, programs) = (devices.to_vec(), Vec::new());
        let mut layers = Programs {
            ebpf,
            devices,
            strength,
            programs,
            starts: Vec::new(),
        };
        for hook in layers.hooks() {
            let program =
                variant(hook, &events).ok_or(ProbeError::NoEvent { event: hook.event })?;
            layers.attach_program(program, hook.event, &btf)?;
        }
        layers.say_attached()?;
        layers.starts = layers
            .devices
            .iter()
            .map(|device| completed(&device.name))
            .collect();
        Ok(layers)
    }

    /// The devices looked at.
    pub fn devices(&self) -> &[ProbedDevice] {
        &self.devices
    }

    fn hooks(&self) -> &'static [Hook] {
        match self.strength {
            Strength::Lite => LITE,
            _ => FULL,
        }
    }

    fn attach_program(
        &mut self,
        name: &'static str,
        event: &str,
        btf: &Btf,
    ) -> Result<(), ProbeError> {
        loading::attach(&mut self.ebpf, name, event, btf)?;
        self.programs.push(name);
        Ok(())
    }

    /// Tells the programs that from now on every I/O is seen from its beginning.
    fn say_attached(&mut self) -> Result<(), ProbeError> {
        let what = "the map of the time of attaching";
        let map = self.ebpf.map_mut("attached").ok_or_else(|| missing(what))?;
        let mut map: Array<&mut MapData, u64> =
            map.try_into().map_err(|error| refused(what, &error))?;
        map.set(0, clock::monotonic_ns(), 0)
            .map_err(|error| refused(what, &error))
    }

    /// Everything counted since attaching. Costs a system call for each direction, layer and device: some tens of µs.
    pub fn read(&self) -> Result<LayerTimes, ProbeError> {
        let devices = self.devices.iter().enumerate().map(|(slot, device)| {
            let spans = self.read_spans(slot)?;
            let mut counters = self.read_counters(slot)?;
            let unseen = self.unseen(slot, &spans, &counters);
            counters.extend((unseen > 0).then(|| ("unseen".to_string(), unseen)));
            let devno = device.devno().to_string();
            Ok(DeviceLayers {
                device: device.name.clone(),
                devno,
                spans,
                counters,
            })
        });
        Ok(LayerTimes {
            source: format!("eBPF {}", self.strength.name()),
            devices: devices.collect::<Result<_, ProbeError>>()?,
            ..LayerTimes::default()
        })
    }

    /// I/Os of a device whose completion no program saw, those in flight at this moment included. The kernel runs no
    /// program for an event that interrupts one on the same CPU, and does not always say so: so the programs' own
    /// completions are held against what was queued (full), or against the kernel's statistics (lite).
    fn unseen(&self, slot: usize, spans: &[SpanTimes], counters: &BTreeMap<String, u64>) -> u64 {
        let counter = |name: &str| counters.get(name).copied().unwrap_or(0);
        let total = |wanted: Span| -> u64 {
            spans
                .iter()
                .filter(|one| one.span == wanted)
                .map(|one| one.times.total())
                .sum()
        };
        match self.strength {
            Strength::Full => {
                let ended = total(Span::Q2C) + counter("dropped") + counter("again");
                (counter("queued") + counter("split")).saturating_sub(ended)
            }
            _ => {
                let seen = total(Span::G2C) + counter("untimed") + counter("at_attach");
                let done = self.starts[slot].zip(completed(&self.devices[slot].name));
                done.map_or(0, |(start, now)| {
                    now.wrapping_sub(start).saturating_sub(seen)
                })
            }
        }
    }

    /// The counters of a device, in the order of [`crate::Layers::counter_names`]; cheap enough for ten times a second.
    pub fn counters(&self, slot: usize) -> Result<[u64; COUNTERS.len()], ProbeError> {
        let what = "counters";
        let map = self
            .ebpf
            .map("counts")
            .ok_or_else(|| unread(what, &"there is no such map"))?;
        let map: PerCpuArray<&MapData, CounterValues> =
            map.try_into().map_err(|error| unread(what, &error))?;
        let of_cpus = map
            .get(&(slot as u32), 0)
            .map_err(|error| unread(what, &error))?;
        let mut sums = [0; COUNTERS.len()];
        for of_cpu in of_cpus.iter() {
            sums.iter_mut()
                .zip(of_cpu.0)
                .for_each(|(sum, count)| *sum += count);
        }
        Ok(sums)
    }

    fn read_counters(&self, slot: usize) -> Result<BTreeMap<String, u64>, ProbeError> {
        let counted = COUNTERS
            .iter()
            .zip(self.counters(slot)?)
            .filter(|(_, count)| *count > 0);
        Ok(counted
            .map(|(name, count)| (name.to_string(), count))
            .collect())
    }

    fn gives(&self, span: Span) -> bool {
        match self.strength {
            Strength::Lite => matches!(span, Span::G2C | Span::D2C),
            _ => span != Span::G2C,
        }
    }

    fn read_spans(&self, slot: usize) -> Result<Vec<SpanTimes>, ProbeError> {
        let what = "histograms";
        let map = self
            .ebpf
            .map("histograms")
            .ok_or_else(|| unread(what, &"there is no such map"))?;
        let map: PerCpuArray<&MapData, Counts> =
            map.try_into().map_err(|error| unread(what, &error))?;
        let mut spans = Vec::new();
        for (side_index, side) in SIDES.into_iter().enumerate() {
            let spans_of = SPANS
                .into_iter()
                .enumerate()
                .filter(|(_, span)| self.gives(*span));
            for (span_index, span) in spans_of {
                let key = layout::key(slot, side_index, span_index);
                let of_cpus = map.get(&key, 0).map_err(|error| unread(what, &error))?;
                let times = sum(of_cpus.iter());
                if times.total() > 0 {
                    spans.push(SpanTimes { side, span, times });
                }
            }
        }
        Ok(spans)
    }

    /// What each program has cost and missed.
    pub fn cost(&self) -> Vec<ProgramCost> {
        self.programs
            .iter()
            .map(|name| loading::cost(&self.ebpf, name))
            .collect()
    }

    /// Attaches one program more that does nothing, to each issue: what [`crate::Layers::cost`] then says of `nothing` is what
    /// measuring costs by itself, for each run of every program.
    ///
    /// # Errors
    /// When the kernel does not take it.
    pub fn calibrate(&mut self) -> Result<(), ProbeError> {
        let btf = TypeInfo::read()?.btf;
        self.attach_program("nothing", "block_rq_issue", &btf)
    }
}

impl std::fmt::Debug for Programs {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Programs")
            .field("devices", &self.devices)
            .field("strength", &self.strength)
            .finish_non_exhaustive()
    }
}

pub(crate) fn check_devices(devices: &[ProbedDevice]) -> Result<(), ProbeError> {
    if devices.is_empty() {
        return Err(ProbeError::NoDevice);
    }
    if devices.len() > DEVICES_MAX {
        return Err(ProbeError::TooMany {
            devices: devices.len(),
            most: DEVICES_MAX,
        });
    }
    let cpus = aya::util::nr_cpus().unwrap_or(1);
    let bytes = u64::from(layout::histograms(devices.len())) * (BUCKETS * 8 * cpus) as u64;
    let mib = bytes >> 20;
    match mib > HISTOGRAMS_MIB_MAX {
        true => Err(ProbeError::TooLarge {
            devices: devices.len(),
            cpus,
            mib,
        }),
        false => Ok(()),
    }
}

/// Creates the maps and fits the programs to this kernel's structures.
fn load(devices: &[ProbedDevice], btf: &Btf) -> Result<Ebpf, ProbeError> {
    let mut numbers = [0u32; DEVICES_MAX];
    for (number, device) in numbers.iter_mut().zip(devices) {
        *number = device.devno().in_kernel();
    }
    let count = devices.len() as u32;
    let mut loader = EbpfLoader::new();
    loader
        .btf(Some(btf))
        .override_global("devices", &numbers[..], true)
        .override_global("device_count", &count, true)
        .map_max_entries("histograms", layout::histograms(devices.len()));
    loading::load(&mut loader, OBJECT)
}

/// Requests that the kernel's statistics count as completed: reads, writes, discards and flushes; none where it keeps
/// no statistics (`iostats` is 0).
fn completed(device: &str) -> Option<u64> {
    let host = Host::live();
    if host
        .text(&format!("/sys/block/{device}/queue/iostats"))
        .is_some_and(|text| text.trim() == "0")
    {
        return None;
    }
    let text = host.text(&format!("/sys/block/{device}/stat"))?;
    Some(Counters::parse(&text)?.requests())
}

/// The program for the arguments that this kernel's event has.
fn variant(hook: &Hook, events: &Events) -> Option<&'static str> {
    let arguments = events.arguments(hook.event)?;
    match hook.with_queue {
        // block_getrq had the direction as a third argument.
        Some(with_queue) if arguments > hook.arguments => Some(with_queue),
        _ if arguments >= hook.arguments => Some(hook.program),
        _ => None,
    }
}

fn sum<'a>(of_cpus: impl Iterator<Item = &'a Counts>) -> Histogram {
    let mut sums = [0u64; BUCKETS];
    for of_cpu in of_cpus {
        sums.iter_mut()
            .zip(&of_cpu.0)
            .for_each(|(sum, count)| *sum += count);
    }
    Histogram::from_counts(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_without_or_with_too_many_devices_are_refused() {
        assert!(matches!(
            Programs::attach(&[], Strength::Lite),
            Err(ProbeError::NoDevice)
        ));
        let device = ProbedDevice {
            major: 7,
            minor: 0,
            name: "loop0".into(),
        };
        let error = Programs::attach(&vec![device; 17], Strength::Full).unwrap_err();
        assert_eq!(
            error.to_string(),
            "17 block devices are on the path, 16 can be traced at once"
        );
    }
}
