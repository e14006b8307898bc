//! How likely a difference matters for a job, and why: a judgement, for the order of a list, not a measurement.

use super::align::{GROUP_LIMITS, Pair};
use super::clusters;
use crate::acts::ActsOn;
use model::difference::DifferenceWhat;
use model::job::Job;

/// What is said of one difference.
pub struct Judgement {
    /// 0 to 1.
    pub weight: f64,
    /// A sentence.
    pub why: &'static str,
    /// The knob that would prove it.
    pub knob: Option<&'static str>,
    /// How else to prove it.
    pub experiment: &'static str,
}

/// What is left where no experiment can turn it.
pub const MEASURE_BOTH: &str = "measure both machines with the same job";
/// The same where it is no setting.
pub const NO_SETTING: &str = "no setting decides this: measure both machines with the same job";

/// One name: how much, for which loads, why, whether it is a knob of iodyno.
pub(super) struct Known(
    pub(super) &'static str,
    pub(super) f64,
    pub(super) ActsOn,
    pub(super) &'static str,
    pub(super) bool,
);

use ActsOn::{
    Any, Buffered, BufferedReads, BufferedWrites, DeepQueues, LargeBlocks, SmallBlocks, Writes,
};

/// The names that it calls knobs, for the test that they are.
#[cfg(test)]
pub(super) fn knobs_named() -> Vec<&'static str> {
    let knobs = KNOWN.iter().filter(|Known(.., is_knob)| *is_knob);
    knobs.map(|Known(name, ..)| *name).collect()
}

/// What is known to matter. The weights are a judgement of this project after published effects: schedulers by a
/// factor of two and more either way (Ren et al., ICPE 2024), read-ahead by up to 3 (Linux 459779d04ae8), links,
/// degraded arrays and limits by as much as they take away.
const KNOWN: &[Known] = &[
    Known(
        "io_limits",
        0.98,
        Any,
        "A control group's limit holds whatever the disk could do, but for buffered writes under version 1.",
        false,
    ),
    Known(
        "dio",
        0.95,
        Any,
        "Without direct I/O a loop device answers from the page cache.",
        false,
    ),
    Known(
        "degraded",
        0.95,
        Any,
        "A degraded array reads its missing member out of all others.",
        false,
    ),
    Known(
        "mapping",
        0.93,
        Any,
        "A striped volume works on all disks at once, a linear one on one.",
        false,
    ),
    Known(
        "stripes",
        0.85,
        Any,
        "More stripes are more disks at work.",
        false,
    ),
    Known(
        "sync_action",
        0.85,
        Any,
        "A resync or check competes with every I/O of the array.",
        false,
    ),
    Known(
        "suspended",
        0.98,
        Any,
        "A suspended device answers nothing.",
        false,
    ),
    Known(
        "read_only",
        0.9,
        Writes,
        "A file system that is mounted read-only has often met an error.",
        false,
    ),
    Known(
        "scheduler",
        0.92,
        Any,
        "It orders and delays every request.",
        true,
    ),
    Known(
        "read_ahead_kb",
        0.88,
        BufferedReads,
        "It decides how much a buffered read fetches.",
        true,
    ),
    Known(
        "bdi/read_ahead_kb",
        0.88,
        BufferedReads,
        "This file system reads ahead by its own value.",
        false,
    ),
    Known(
        "usb_driver",
        0.9,
        Any,
        "usb-storage has one command at a time, uas many.",
        false,
    ),
    Known(
        "usb_speed_mbit",
        0.9,
        Any,
        "The link is the ceiling.",
        false,
    ),
    Known(
        "link_bytes_per_s",
        0.85,
        LargeBlocks,
        "The slowest link on the way is the ceiling.",
        false,
    ),
    Known(
        "link_speed",
        0.8,
        LargeBlocks,
        "A slower link is a lower ceiling.",
        false,
    ),
    Known(
        "link_width",
        0.8,
        LargeBlocks,
        "Fewer lanes are a lower ceiling.",
        false,
    ),
    Known(
        "sata_speed",
        0.8,
        LargeBlocks,
        "A slower link is a lower ceiling.",
        false,
    ),
    Known(
        "sas_speed",
        0.8,
        LargeBlocks,
        "A slower link is a lower ceiling.",
        false,
    ),
    Known(
        "transport",
        0.8,
        Any,
        "It is another way to the disk.",
        false,
    ),
    Known(
        "raid_level",
        0.8,
        Any,
        "Another RAID level does another number of I/Os for each write.",
        false,
    ),
    Known("stack", 0.8, Any, "It is another kind of volume.", false),
    Known(
        "aligned",
        0.8,
        Writes,
        "Unaligned writes make the disk read first.",
        false,
    ),
    Known(
        "queue_depth",
        0.7,
        DeepQueues,
        "It bounds the commands that the disk has at a time.",
        false,
    ),
    Known(
        "hardware queues",
        0.6,
        DeepQueues,
        "CPUs that share a queue share its lock and its tags.",
        false,
    ),
    Known(
        "CPUs that take its interrupts",
        0.65,
        SmallBlocks,
        "One CPU that completes everything is a ceiling.",
        false,
    ),
    Known(
        "wbt_lat_usec",
        0.55,
        BufferedWrites,
        "It holds writeback back in favour of reads.",
        true,
    ),
    Known(
        "write_cache",
        0.7,
        Writes,
        "It decides whether flushes are sent.",
        false,
    ),
    Known(
        "cache_type",
        0.7,
        Writes,
        "It decides whether flushes are sent.",
        false,
    ),
    Known(
        "nr_requests",
        0.5,
        DeepQueues,
        "It bounds the requests that may wait.",
        true,
    ),
    Known(
        "max_sectors_kb",
        0.5,
        LargeBlocks,
        "Larger requests are split at it.",
        true,
    ),
    Known(
        "nomerges",
        0.45,
        Any,
        "It decides whether neighbours become one request.",
        true,
    ),
    Known(
        "rq_affinity",
        0.4,
        SmallBlocks,
        "It decides which CPU completes an I/O.",
        true,
    ),
    Known(
        "rotational",
        0.5,
        Any,
        "The kernel chooses read-ahead, throttling and more by it.",
        false,
    ),
    Known(
        "vm.dirty_ratio",
        0.6,
        BufferedWrites,
        "Writers stop at this share of memory.",
        false,
    ),
    Known(
        "vm.dirty_bytes",
        0.65,
        BufferedWrites,
        "Writers stop at this much unwritten data.",
        false,
    ),
    Known(
        "vm.dirty_background_ratio",
        0.55,
        BufferedWrites,
        "Writeback starts at this share of memory.",
        false,
    ),
    Known(
        "vm.dirty_background_bytes",
        0.6,
        BufferedWrites,
        "Writeback starts at this much unwritten data.",
        false,
    ),
    Known(
        "vm.dirty_expire_centisecs",
        0.35,
        BufferedWrites,
        "Dirty pages are written when they are this old.",
        false,
    ),
    Known(
        "vm.dirty_writeback_centisecs",
        0.3,
        BufferedWrites,
        "The flusher looks this often.",
        false,
    ),
    Known(
        "bdi/max_ratio",
        0.4,
        BufferedWrites,
        "It bounds this device's share of dirty pages.",
        false,
    ),
    Known(
        "mount option sync",
        0.97,
        Writes,
        "Every write waits for the disk.",
        false,
    ),
    Known(
        "mount option dirsync",
        0.6,
        Writes,
        "Every change of a directory waits for the disk.",
        false,
    ),
    Known(
        "mount option data",
        0.6,
        Writes,
        "It decides what a commit of the journal waits for.",
        false,
    ),
    Known(
        "mount option nobarrier",
        0.7,
        Writes,
        "Without barriers fsync is fast and not safe.",
        false,
    ),
    Known(
        "mount option barrier",
        0.7,
        Writes,
        "Without barriers fsync is fast and not safe.",
        false,
    ),
    Known(
        "mount option discard",
        0.4,
        Writes,
        "Trims while files are deleted delay other I/O.",
        false,
    ),
    Known(
        "mount option commit",
        0.3,
        Writes,
        "The journal commits this often.",
        false,
    ),
    Known(
        "mount option noatime",
        0.25,
        Any,
        "Without it reads can write times of access.",
        false,
    ),
    Known(
        "mount option relatime",
        0.15,
        Any,
        "Reads write times of access now and then.",
        false,
    ),
    Known(
        "mount option nodelalloc",
        0.4,
        Writes,
        "Blocks are allocated at once, in smaller pieces.",
        false,
    ),
    Known(
        "mount option compress",
        0.5,
        Any,
        "Data is compressed on its way.",
        false,
    ),
    Known("fstype", 0.7, Any, "It is another file system.", false),
    Known(
        "journal",
        0.6,
        Writes,
        "It decides what a commit of the journal waits for.",
        false,
    ),
    Known(
        "chunk_bytes",
        0.5,
        Any,
        "It decides how many disks one I/O touches.",
        false,
    ),
    Known(
        "raid_disks",
        0.7,
        Any,
        "More disks are more work at once.",
        false,
    ),
    Known(
        "md/stripe_cache_size",
        0.5,
        Writes,
        "It bounds the stripes that parity writes can gather in.",
        false,
    ),
    Known(
        "md/group_thread_cnt",
        0.4,
        Writes,
        "It is the number of threads that compute parity.",
        false,
    ),
    Known(
        "bitmap",
        0.3,
        Writes,
        "An internal bitmap writes before the data does.",
        false,
    ),
    Known(
        "members",
        0.8,
        Any,
        "More members are more disks at work.",
        false,
    ),
    Known(
        "cipher",
        0.6,
        Any,
        "Data is encrypted on its way, or by another cipher.",
        false,
    ),
    Known(
        "crypt_flags",
        0.5,
        Any,
        "Work queues of dm-crypt add latency.",
        false,
    ),
    Known(
        "physical_block_bytes",
        0.4,
        Writes,
        "Smaller writes than this make the disk read first.",
        false,
    ),
    Known("model", 0.5, Any, "It is another disk.", false),
    Known("driver", 0.5, Any, "Another driver serves it.", false),
    Known(
        "controller_driver",
        0.5,
        Any,
        "Another controller is between.",
        false,
    ),
    Known(
        "raid_controller",
        0.5,
        Any,
        "Another controller is between.",
        false,
    ),
    Known(
        "kernel",
        0.35,
        Any,
        "Defaults and code moved between kernels; those seen here have their own lines.",
        false,
    ),
    Known(
        "hypervisor",
        0.5,
        Any,
        "Another hypervisor is between.",
        false,
    ),
    Known(
        "instance",
        0.6,
        Any,
        "Instance types have limits of their own.",
        false,
    ),
    Known(
        "cpu_governor",
        0.35,
        SmallBlocks,
        "A CPU that is clocked down answers late.",
        false,
    ),
    Known(
        "cpuidle_deepest_us",
        0.35,
        SmallBlocks,
        "A CPU that sleeps deeper wakes later.",
        false,
    ),
    Known(
        "link_power_management_policy",
        0.35,
        SmallBlocks,
        "A link that sleeps wakes late.",
        false,
    ),
    Known(
        "nvme/ps_max_latency_us",
        0.35,
        SmallBlocks,
        "A disk that sleeps deeper wakes later.",
        false,
    ),
    Known(
        "pcie_aspm.policy",
        0.3,
        SmallBlocks,
        "A link that sleeps wakes late.",
        false,
    ),
    Known(
        "clocksource",
        0.5,
        SmallBlocks,
        "A slow clock costs a microsecond and more each time it is read.",
        false,
    ),
    Known(
        "irqbalance",
        0.3,
        SmallBlocks,
        "It moves interrupts every ten seconds.",
        false,
    ),
    Known(
        "tuned_profile",
        0.4,
        Any,
        "A profile sets several of these.",
        false,
    ),
    Known("memory_bytes", 0.3, Any, "More memory caches more.", false),
    Known(
        "memory_limit_bytes",
        0.5,
        Buffered,
        "Cached and dirty pages are bounded by the group's memory.",
        false,
    ),
    Known(
        "cpu_limit",
        0.5,
        Any,
        "A group that has used its CPU time up stands still until the next 100 ms.",
        false,
    ),
    Known(
        "cpus_online",
        0.3,
        DeepQueues,
        "Fewer CPUs submit and complete less.",
        false,
    ),
    Known(
        "numa_node",
        0.2,
        SmallBlocks,
        "The disk is near other CPUs.",
        false,
    ),
    Known(
        "command_line",
        0.2,
        Any,
        "The kernel was booted with other parameters.",
        false,
    ),
    Known(
        "rsize",
        0.6,
        BufferedReads,
        "It is the size of a read over the network.",
        false,
    ),
    Known(
        "wsize",
        0.6,
        BufferedWrites,
        "It is the size of a write over the network.",
        false,
    ),
    Known(
        "nconnect",
        0.5,
        DeepQueues,
        "More connections carry more at once.",
        false,
    ),
    Known(
        "firmware",
        0.35,
        Any,
        "Firmware changes how a disk behaves.",
        false,
    ),
    // As records of earlier versions have it.
    Known(
        "nvme_firmware",
        0.35,
        Any,
        "Firmware changes how a disk behaves.",
        false,
    ),
    Known(
        "raid_firmware",
        0.35,
        Any,
        "Firmware changes how a controller behaves.",
        false,
    ),
    Known(
        "driver_version",
        0.35,
        Any,
        "Another version of the driver queues and completes otherwise.",
        false,
    ),
    Known(
        "bios_version",
        0.2,
        Any,
        "The BIOS decides about power saving, links and interrupts.",
        false,
    ),
    Known(
        "size_bytes",
        0.1,
        Any,
        "Larger disks of a series are often faster.",
        false,
    ),
    Known("total_bytes", 0.05, Any, "It is larger or smaller.", false),
    Known(
        "distribution",
        0.1,
        Any,
        "Its files set some of the others.",
        false,
    ),
    Known(
        "page_bytes",
        0.5,
        Any,
        "Read-ahead and cache count in pages.",
        false,
    ),
];

/// Of a difference.
pub fn judge(pair: &Pair<'_>, job: Option<&Job>) -> Judgement {
    let mut all = KNOWN.iter().chain(clusters::KNOWN);
    let known = all.find(|known| known.0 == pair.name);
    let (base, when, why, is_knob) = match known {
        Some(Known(_, base, when, why, is_knob)) => (*base, *when, *why, *is_knob),
        None => unknown(pair),
    };
    let experiment = match pair.what {
        DifferenceWhat::Setting => "set it as on the other side, and measure both in turn",
        DifferenceWhat::Fact | DifferenceWhat::Structure => NO_SETTING,
    };
    let knob = is_knob.then(|| known.map(|known| known.0)).flatten();
    Judgement {
        weight: base * share(when, job) * size(pair) * presence(pair),
        why,
        knob,
        experiment,
    }
}

/// What one side has not at all is the consequence of something else: another kernel, driver or scheduler.
fn presence(pair: &Pair<'_>) -> f64 {
    let is_missing = pair.a.is_none() || pair.b.is_none();
    match pair.what {
        // No limit is a limit of another size.
        _ if GROUP_LIMITS.contains(&pair.name.as_str()) => 1.0,
        DifferenceWhat::Setting if is_missing => 0.3,
        DifferenceWhat::Fact if is_missing && !pair.name.starts_with("mount option ") => 0.3,
        _ => 1.0,
    }
}

fn unknown(pair: &Pair<'_>) -> (f64, ActsOn, &'static str, bool) {
    match pair.what {
        DifferenceWhat::Structure if pair.name == "layer partition" => {
            (0.15, Any, "One of them has partitions.", false)
        }
        DifferenceWhat::Structure => (0.8, Any, "The way to the disk is another one.", false),
        DifferenceWhat::Setting if pair.name.starts_with("iosched/") => {
            (0.35, Any, "A parameter of the scheduler.", false)
        }
        _ if pair.name.starts_with("mount option ") => {
            (0.12, Any, "The file system is mounted otherwise.", false)
        }
        DifferenceWhat::Setting => (0.12, Any, "", false),
        DifferenceWhat::Fact => (0.06, Any, "", false),
    }
}

/// How much of a weight is left under this job.
fn share(when: ActsOn, job: Option<&Job>) -> f64 {
    if job.is_none_or(|job| when.acts(job)) {
        1.0
    } else {
        0.1
    }
}

/// A number that is twice another matters less than one that is fifty times it.
fn size(pair: &Pair<'_>) -> f64 {
    // A version that looks like a number is none.
    if pair.name.ends_with("_version") || pair.name.ends_with("firmware") {
        return 1.0;
    }
    let number = |text: &Option<String>| {
        text.as_deref()?
            .parse::<f64>()
            .ok()
            .filter(|value| *value > 0.0)
    };
    match (number(&pair.a), number(&pair.b)) {
        (Some(a), Some(b)) => 0.7 + 0.3 * ((a / b).log2().abs() / 4.0).min(1.0),
        _ => 1.0,
    }
}
