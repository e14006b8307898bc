//! How long the threads of this process's loads sleep and where in the kernel, from programs at every switch and wake-up.

use crate::loading::{self, TypeInfo, missing, unread};
use crate::{ProbeError, ProgramCost};
use aya::maps::{HashMap, MapData, PerCpuArray, StackTraceMap};
use aya::{Ebpf, EbpfLoader, util};
use host::{Host, clock, process};
use model::time_account::{FUNCTIONS_KEPT, OffCpu, PLACES_KEPT, TimedSleep};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The compiled programs. `cargo xtask bpf` builds them from `bpf/`, `cargo xtask bpf --check` compares.
static OBJECT: &[u8] = aya::include_bytes_aligned!("../bpf/sleeps.bpf.o");

const SWITCH: &str = "sched_switch";
const WAKEUP: &str = "sched_wakeup";
/// From Linux 5.18 on the event says in which state a thread leaves its CPU.
const SWITCH_ARGUMENTS_WITH_STATE: usize = 4;

/// Functions that all sleep goes through: they say nothing of its place.
const SLEEP_ITSELF: [&str; 12] = [
    "__schedule",
    "__io_schedule",
    "io_schedule",
    "io_schedule_timeout",
    "preempt_schedule",
    "schedule",
    "schedule_hrtimeout",
    "schedule_hrtimeout_range",
    "schedule_hrtimeout_range_clock",
    "schedule_idle",
    "schedule_preempt_disabled",
    "schedule_timeout",
];

/// A thread that was followed, as the programs have it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Followed {
    first_ns: u64,
    last_ns: u64,
    slept_ns: u64,
    sleeps: u64,
    asleep_since_ns: u64,
    stack: u32,
    weight: u32,
}

#[allow(unsafe_code, reason = "aya reads map values as plain bytes")]
mod plain {
    // SAFETY: integers without padding between them (five of 8 bytes, two of 4), so that every bit pattern is a value of it.
    unsafe impl aya::Pod for super::Followed {}
}

/// Programs that follow the threads of this process which are called as those of a load. Dropped, they are gone.
pub struct LoadSleeps {
    ebpf: Ebpf,
    programs: [&'static str; 2],
    functions: OnceCell<BTreeMap<u64, String>>,
}

/// What had been counted at a moment; for [`LoadSleeps::since`].
#[derive(Debug)]
pub struct SleepCounts {
    at_ns: u64,
    /// Time asleep by the stack's number.
    ns_by_stack: BTreeMap<u32, u64>,
}

impl LoadSleeps {
    /// Attaches two programs. They cost about 1 µs of CPU for each I/O of a thread that waits for one at a time (bench/RESULTS.md).
    ///
    /// # Errors
    /// Without type information of the kernel (BTF), without CAP_BPF and CAP_PERFMON, or when the kernel refuses a program or map.
    pub fn attach() -> Result<LoadSleeps, ProbeError> {
        let TypeInfo { btf, events } = TypeInfo::read()?;
        let (own, namespace) = (process::id(), namespace().unwrap_or(0));
        let mut loader = EbpfLoader::new();
        loader
            .btf(Some(&btf))
            .override_global("process", &own, true)
            .override_global("process_namespace", &namespace, true);
        let mut ebpf = loading::load(&mut loader, OBJECT)?;
        let arguments = events
            .arguments(SWITCH)
            .ok_or(ProbeError::NoEvent { event: SWITCH })?;
        let switch = match arguments >= SWITCH_ARGUMENTS_WITH_STATE {
            true => "sleeps_switch_state",
            false => "sleeps_switch",
        };
        let programs = [(switch, SWITCH), ("sleeps_wakeup", WAKEUP)];
        for (program, event) in programs {
            loading::attach(&mut ebpf, program, event, &btf)?;
        }
        Ok(LoadSleeps {
            ebpf,
            programs: programs.map(|(program, _)| program),
            functions: OnceCell::new(),
        })
    }

    /// What is counted so far: to be read before a load begins.
    ///
    /// # Errors
    /// A map cannot be read.
    pub fn read(&self) -> Result<SleepCounts, ProbeError> {
        Ok(SleepCounts {
            at_ns: clock::monotonic_ns(),
            ns_by_stack: self.ns_by_stack()?,
        })
    }

    /// What the threads did that have begun since then; none where none of them was seen.
    ///
    /// # Errors
    /// A map cannot be read.
    pub fn since(&mut self, before: &SleepCounts) -> Result<Option<OffCpu>, ProbeError> {
        let threads = self.take_threads()?;
        let new: Vec<Followed> = threads
            .into_iter()
            .filter(|thread| thread.first_ns >= before.at_ns)
            .collect();
        if new.is_empty() {
            return Ok(None);
        }
        let ms = |of: fn(&Followed) -> u64| new.iter().map(of).sum::<u64>() as f64 / 1e6;
        Ok(Some(OffCpu {
            followed_ms: ms(|thread| thread.last_ns.saturating_sub(thread.first_ns)),
            slept_ms: ms(|thread| thread.slept_ns),
            sleeps: new.iter().map(|thread| thread.sleeps).sum(),
            places: self.places(&before.ns_by_stack)?,
        }))
    }

    /// What each program has cost and missed.
    pub fn cost(&self) -> Vec<ProgramCost> {
        let programs = self.programs.iter();
        programs
            .map(|name| loading::cost(&self.ebpf, name))
            .collect()
    }

    /// The threads of all loads so far, which the programs then know no more.
    fn take_threads(&mut self) -> Result<Vec<Followed>, ProbeError> {
        let what = "threads";
        let map = self.ebpf.map_mut("threads").ok_or_else(|| missing(what))?;
        let mut map: HashMap<&mut MapData, u32, Followed> =
            map.try_into().map_err(|error| unread(what, &error))?;
        let seen: Vec<(u32, Followed)> = map.iter().filter_map(Result::ok).collect();
        for (thread, _) in &seen {
            map.remove(thread).map_err(|error| unread(what, &error))?;
        }
        Ok(seen.into_iter().map(|(_, thread)| thread).collect())
    }

    fn ns_by_stack(&self) -> Result<BTreeMap<u32, u64>, ProbeError> {
        let what = "places";
        let map = self.ebpf.map("places").ok_or_else(|| missing(what))?;
        let map: PerCpuArray<&MapData, u64> =
            map.try_into().map_err(|error| unread(what, &error))?;
        let of_stack = |stack: u32| {
            let of_cpus = map.get(&stack, 0).map_err(|error| unread(what, &error))?;
            Ok((stack, of_cpus.iter().sum()))
        };
        self.stacks()?.stack_ids().flatten().map(of_stack).collect()
    }

    fn stacks(&self) -> Result<StackTraceMap<&MapData>, ProbeError> {
        let what = "stacks";
        let map = self.ebpf.map("stacks").ok_or_else(|| missing(what))?;
        map.try_into().map_err(|error| unread(what, &error))
    }

    /// Where they slept since then, the longest first.
    fn places(&self, before: &BTreeMap<u32, u64>) -> Result<Vec<TimedSleep>, ProbeError> {
        let mut by_functions: BTreeMap<Vec<String>, f64> = BTreeMap::new();
        let stacks = self.stacks()?;
        for (stack, now_ns) in self.ns_by_stack()? {
            let ns = now_ns.saturating_sub(before.get(&stack).copied().unwrap_or(0));
            if ns == 0 {
                continue;
            }
            let trace = stacks
                .get(&stack, 0)
                .map_err(|error| unread("stacks", &error))?;
            let addresses = trace.frames().iter().map(|frame| frame.ip);
            *by_functions.entry(self.named(addresses)).or_default() += ns as f64 / 1e6;
        }
        let mut places: Vec<TimedSleep> = by_functions
            .into_iter()
            .map(|(functions, ms)| TimedSleep { functions, ms })
            .collect();
        places.sort_by(|one, other| other.ms.total_cmp(&one.ms));
        places.truncate(PLACES_KEPT);
        Ok(places)
    }

    /// The functions of a stack, without those of the programs and of the scheduler at its inner end.
    fn named(&self, addresses: impl Iterator<Item = u64>) -> Vec<String> {
        let functions = self
            .functions
            .get_or_init(|| util::kernel_symbols().unwrap_or_default());
        let name = |address: u64| {
            let (_, name) = functions.range(1..=address).next_back()?;
            // Without what the compiler has made of it (`__mutex_lock.constprop.0`), and without its module.
            Some(name.split(['.', '\t']).next()?.to_string())
        };
        let names: Vec<String> = addresses.filter_map(name).collect();
        let is_sleep = |name: &String| SLEEP_ITSELF.contains(&name.as_str());
        let inner = names.iter().rposition(is_sleep).map_or(0, |at| at + 1);
        names.into_iter().skip(inner).take(FUNCTIONS_KEPT).collect()
    }
}

impl std::fmt::Debug for LoadSleeps {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LoadSleeps").finish_non_exhaustive()
    }
}

/// The namespace that this process's number is of, by the kernel's number of it: `pid:[4026531836]`.
fn namespace() -> Option<u32> {
    let link = Host::live().link("/proc/self/ns/pid")?;
    link.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}
