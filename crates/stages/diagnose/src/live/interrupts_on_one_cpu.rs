//! # All of a device's interrupts on one busy CPU
//!
//! ## What it finds
//! A device whose interrupts come at more than 2,000 a second, nine tenths of them to one CPU, while that CPU spends more than
//! half of its time in interrupts, or more than a quarter when it is more than 85 % busy, and another CPU has room (less than
//! 70 % busy). The thresholds are a proposal of this project.
//!
//! ## Why it matters
//! One CPU completes every I/O of the device. When it is full the device waits for it, however many CPUs are idle.
//!
//! ## What to try
//! Look whether the kernel or the driver decides (managed interrupts cannot be moved), whether irqbalance runs, and give the
//! device more queues where the driver has a parameter for it. `iodyno tune` can prove `rq_affinity` and the IRQ's affinity.
//!
//! ## Example
//! ```fields
//! irq.device_cpu.per_s nvme0n1@4 41000
//! irq.device_cpu.per_s nvme0n1@0 300
//! cpu.busy_percent 4 91
//! cpu.busy_percent 0 7
//! cpu.irq_percent 4 20
//! cpu.softirq_percent 4 31
//! expect: warning says "CPU 4"
//! ```
//!
//! ## Stays silent
//! ```fields
//! irq.device_cpu.per_s nvme0n1@4 41000
//! irq.device_cpu.per_s nvme0n1@0 40000
//! cpu.busy_percent 4 91
//! cpu.softirq_percent 4 60
//! ```
//! ```fields
//! irq.device_cpu.per_s vda@0 41000
//! cpu.busy_percent 0 99
//! cpu.softirq_percent 0 60
//! ```
//! ```fields
//! irq.device_cpu.per_s vda@0 4100
//! cpu.busy_percent 0 98
//! cpu.busy_percent 1 97
//! cpu.softirq_percent 0 9
//! ```
//! No CPU has room for some of them:
//! ```fields
//! irq.device_cpu.per_s sdd@0 5048
//! cpu.busy_percent 0 92
//! cpu.busy_percent 1 89
//! cpu.softirq_percent 0 62
//! ```
//!
//! ## Sources
//! - Linux `Documentation/core-api/irq/irq-affinity.rst`

use crate::LiveRule;
use crate::finding::{With, warning};
use analyse::fields::Frame;
use model::finding::{Finding, Level};
use model::time_account::TimePlace;
use model::units;
use std::collections::BTreeMap;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "interrupts_on_one_cpu",
    since: "0.1.0",
    summary: "a device whose interrupts all fill one CPU",
    level: Level::Warning,
    our_doing: None,
    explains: &[TimePlace::Completion],
    yields_to: &["interrupts_not_spread", "completions_on_one_cpu"],
    judge,
};

const RATE_MIN: f64 = 2000.0;
const SHARE_MIN: f64 = 0.9;
const INTERRUPT_PERCENT_MIN: f64 = 50.0;
const BUSY_PERCENT_MIN: f64 = 85.0;
/// A busier CPU would be no better place for interrupts.
const ROOM_PERCENT_MAX: f64 = 70.0;

fn judge(frame: &Frame) -> Vec<Finding> {
    by_device(frame)
        .into_iter()
        .filter_map(|(device, cpus)| finding(frame, device, &cpus))
        .collect()
}

/// The rates of each device by CPU.
fn by_device(frame: &Frame) -> BTreeMap<&str, Vec<(&str, f64)>> {
    let mut devices: BTreeMap<&str, Vec<(&str, f64)>> = BTreeMap::new();
    for (subject, rate) in frame.each("irq.device_cpu.per_s") {
        if let Some((device, cpu)) = subject.rsplit_once('@') {
            devices.entry(device).or_default().push((cpu, rate));
        }
    }
    devices
}

fn finding(frame: &Frame, device: &str, cpus: &[(&str, f64)]) -> Option<Finding> {
    let total: f64 = cpus.iter().map(|(_, rate)| rate).sum();
    let (cpu, rate) = cpus.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let percent = |id: &str| frame.get(id, cpu).unwrap_or(0.0);
    let interrupts = percent("cpu.irq_percent") + percent("cpu.softirq_percent");
    let busy = percent("cpu.busy_percent");
    // A CPU that is full of other work has no trouble with its interrupts.
    let is_full = interrupts > INTERRUPT_PERCENT_MIN
        || (busy > BUSY_PERCENT_MIN && interrupts > INTERRUPT_PERCENT_MIN / 2.0);
    // With one CPU, or where the load fills all others, there is nowhere else to go.
    let has_room = frame
        .each("cpu.busy_percent")
        .any(|(other, busy)| other != *cpu && busy < ROOM_PERCENT_MAX);
    (has_room && total > RATE_MIN && rate / total > SHARE_MIN && is_full).then(|| {
        warning(device, format!("{device}: its interrupts go to CPU {cpu}, which is {busy} busy.", busy = units::percent_whole(busy)))
            .shows("irq.device_cpu.per_s", format!("{rate} of {total} to CPU {cpu}", rate = units::whole(*rate), total = units::whole(total)))
            .shows("cpu.irq_percent + cpu.softirq_percent", units::percent_whole(interrupts))
            .refuted_by("the rate stays the same when the interrupts are spread over more CPUs")
            .advise("See whether the interrupts are managed and whether irqbalance runs; give the device more queues.")
    })
}
