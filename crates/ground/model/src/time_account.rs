//! Where the time of an I/O goes: what a load's threads were seen to do, and the account that it makes with the times by layer.

use serde::{Deserialize, Serialize};

/// A place where an I/O, or the thread that does it, spends time, from the program down to the device and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TimePlace {
    /// The program computes.
    Program,
    /// The kernel computes for the program: system calls, file system, block layer, copies.
    SystemCall,
    /// Able to run, and other tasks have the CPUs.
    CpuWait,
    /// Held by the CPU quota of its control group.
    CpuThrottled,
    /// Waiting for memory: page faults, reclaim, swap.
    Memory,
    /// Waiting for a lock of the file system or of the kernel.
    FileSystem,
    /// Waiting for the journal's commit while the disk has nothing to do.
    Journal,
    /// Waiting for a page of the page cache while the disk has nothing to do.
    PageCache,
    /// Held because too much is dirty.
    Writeback,
    /// Held back before the disk: a limit of a control group, the throttling of writeback, or no request free.
    Request,
    /// In the submitter's batch.
    Plug,
    /// In the scheduler.
    Scheduler,
    /// Between a mapped, looped or combined device and the disks below it.
    Mapping,
    /// In driver and device.
    Device,
    /// From the device's end until the program has it: interrupt, wake-up.
    Completion,
    /// Asleep at a place that is not known.
    Unknown,
}

impl TimePlace {
    /// All of them, in the order of an I/O's life.
    pub const ALL: [TimePlace; 16] = [
        TimePlace::Program,
        TimePlace::SystemCall,
        TimePlace::CpuWait,
        TimePlace::CpuThrottled,
        TimePlace::Memory,
        TimePlace::FileSystem,
        TimePlace::Journal,
        TimePlace::PageCache,
        TimePlace::Writeback,
        TimePlace::Request,
        TimePlace::Plug,
        TimePlace::Scheduler,
        TimePlace::Mapping,
        TimePlace::Device,
        TimePlace::Completion,
        TimePlace::Unknown,
    ];

    /// In a table.
    pub fn label(self) -> &'static str {
        match self {
            TimePlace::Program => "program",
            TimePlace::SystemCall => "system call",
            TimePlace::CpuWait => "waits for a CPU",
            TimePlace::CpuThrottled => "CPU quota",
            TimePlace::Memory => "memory",
            TimePlace::FileSystem => "file system",
            TimePlace::Journal => "journal",
            TimePlace::PageCache => "page cache",
            TimePlace::Writeback => "dirty limit",
            TimePlace::Request => "before a request",
            TimePlace::Plug => "plugged",
            TimePlace::Scheduler => "scheduler",
            TimePlace::Mapping => "mapping",
            TimePlace::Device => "device",
            TimePlace::Completion => "completion",
            TimePlace::Unknown => "unknown",
        }
    }

    /// Behind "38 % of its time": where it is spent.
    pub fn phrase(self) -> &'static str {
        match self {
            TimePlace::Program => "in the program",
            TimePlace::SystemCall => "in system calls, on a CPU",
            TimePlace::CpuWait => "waiting for a CPU",
            TimePlace::CpuThrottled => "held by the CPU quota of its control group",
            TimePlace::Memory => "waiting for memory",
            TimePlace::FileSystem => "waiting in the file system while the disk has nothing to do",
            TimePlace::Journal => {
                "waiting for the journal's commit while the disk has nothing to do"
            }
            TimePlace::PageCache => {
                "waiting for pages of the page cache while the disk has nothing to do"
            }
            TimePlace::Writeback => "held because too much is dirty",
            TimePlace::Request => "held back before it gets a request",
            TimePlace::Plug => "in the submitter's batch",
            TimePlace::Scheduler => "in the scheduler",
            TimePlace::Mapping => "between the mapped or looped device and the disk below",
            TimePlace::Device => "in driver and device",
            TimePlace::Completion => "between the device's end and the program",
            TimePlace::Unknown => "asleep at a place that is not known",
        }
    }
}

/// Functions kept of a stack: the innermost say what is waited for, those above who waits.
pub const FUNCTIONS_KEPT: usize = 10;
/// Places kept of a load; the rarest, or those of the least time, are left out.
pub const PLACES_KEPT: usize = 24;

/// A place in the kernel where the threads of a load slept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SleepSight {
    /// Functions of the kernel, the innermost first; one where only the wait channel may be read, none where neither.
    pub functions: Vec<String>,
    /// How often a device of the path had I/O in flight.
    pub busy: u64,
    /// How often none had.
    pub idle: u64,
}

impl SleepSight {
    /// How often it was seen.
    pub fn seen(&self) -> u64 {
        self.busy + self.idle
    }

    /// Whether a function is among them whose name begins like one of these.
    pub fn is_in(&self, starts: &[&str]) -> bool {
        is_in(&self.functions, starts)
    }
}

/// Whether a function of a stack has a name that begins like one of these.
pub fn is_in(functions: &[String], starts: &[&str]) -> bool {
    let begins = |name: &String| starts.iter().any(|start| name.starts_with(start));
    functions.iter().any(begins)
}

/// Sleep of a load's threads as programs in the kernel saw it: every sleep is timed, and of some the place is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OffCpu {
    /// Time over which they were followed, added up over threads, ms.
    pub followed_ms: f64,
    /// Of it asleep, ms.
    pub slept_ms: f64,
    /// How often they fell asleep.
    pub sleeps: u64,
    /// Where, the longest first. Where not every place was read, those that were stand for the others.
    pub places: Vec<TimedSleep>,
}

/// Sleep in one place of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimedSleep {
    /// Functions of the kernel, the innermost first.
    pub functions: Vec<String>,
    /// How long, added up over threads, ms.
    pub ms: f64,
}

/// A process that used CPUs during a load.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuUser {
    /// Its program.
    pub name: String,
    /// Process.
    pub pid: u32,
    /// CPUs that it used on average.
    pub cpus: f64,
}

/// What the threads of a load did, as samples and the kernel's own accounts tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskTimes {
    /// Threads of the load, workers of the kernel not counted.
    pub threads: u32,
    /// Time that they lived, added up, ms.
    pub alive_ms: f64,
    /// Of it on a CPU, ms.
    pub run_ms: f64,
    /// Of it able to run, and not running, ms.
    pub delay_ms: f64,
    /// Time that the kernel's workers for them (io_uring's) were on a CPU, ms.
    #[serde(default)]
    pub worker_run_ms: f64,
    /// Time that those were able to run, and not running, ms.
    #[serde(default)]
    pub worker_delay_ms: f64,
    /// Time that the quota of the own control group held tasks of it, ms; none where there is no quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_ms: Option<f64>,
    /// Bytes that iodyno had read from storage meanwhile, what the kernel read ahead for it included; none where the kernel does
    /// not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched_bytes: Option<u64>,
    /// How often a thread was looked at.
    pub looks: u64,
    /// How often it was asleep.
    pub asleep: u64,
    /// Where, the most frequent first.
    pub sleeps: Vec<SleepSight>,
    /// The same timed in the kernel; none where that takes no programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_cpu: Option<OffCpu>,
    /// Niceness of the threads.
    #[serde(default)]
    pub nice: i32,
    /// CPUs that iodyno may use.
    #[serde(default)]
    pub cpus: u32,
    /// The processes that used most CPU time beside iodyno, the greediest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpu_users: Vec<CpuUser>,
}

impl TaskTimes {
    /// CPUs that the load kept busy on average, the kernel's workers for it included; 0 where no thread was seen.
    pub fn own_cpus(&self) -> f64 {
        let wall_ms = self.alive_ms / f64::from(self.threads.max(1));
        (self.run_ms + self.worker_run_ms) / wall_ms.max(1e-9)
    }
}

/// A part of the time of an I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimePart {
    /// Where.
    pub place: TimePlace,
    /// Share of the time of an I/O, 0 to 1.
    pub share: f64,
    /// Half the width of its interval of 95 %, as a share of the time of an I/O.
    pub uncertainty: f64,
    /// The function of the kernel in which most of it was seen, where samples told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

/// Where the time of an I/O of one load went. The shares add up to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeAccount {
    /// The load, in a few words.
    pub load: String,
    /// What one I/O of it is: `read`, `write`, `write and its fsync`.
    pub io: String,
    /// Mean time of one, us.
    pub mean_us: f64,
    /// The parts, in the order of an I/O's life; those of less than a thousandth are left out.
    pub parts: Vec<TimePart>,
    /// Whether times by layer were traced; without them what lies in the block layer and below counts as the device.
    pub is_traced: bool,
    /// By how much two measurements of the same time differ, as a share of it: sleep as the kernel counts it and as samples found it,
    /// and of many in flight also the time inside the block layer, which cannot be more than the latency.
    pub off: f64,
}

impl TimeAccount {
    /// Share of a place; 0 where nothing was spent there.
    pub fn share(&self, place: TimePlace) -> f64 {
        self.part(place).map_or(0.0, |part| part.share)
    }

    /// The part of a place.
    pub fn part(&self, place: TimePlace) -> Option<&TimePart> {
        self.parts.iter().find(|part| part.place == place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_apart_and_keep_their_order() {
        let mut labels: Vec<&str> = TimePlace::ALL.iter().map(|place| place.label()).collect();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), TimePlace::ALL.len());
        assert!(TimePlace::ALL.is_sorted());
    }

    #[test]
    fn a_sight_knows_its_functions_by_their_beginning() {
        let sight = SleepSight {
            functions: vec!["jbd2_log_wait_commit".into(), "ext4_sync_file".into()],
            busy: 3,
            idle: 4,
        };
        assert!(sight.is_in(&["jbd2_"]) && !sight.is_in(&["sync_file", "xlog_"]));
        assert_eq!(sight.seen(), 7);
    }
}
