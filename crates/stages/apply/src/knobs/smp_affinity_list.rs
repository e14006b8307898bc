//! # CPUs of an interrupt
//!
//! ## What it does
//! Which CPUs may take an interrupt of the disk, as a list. Completions run on the CPU that takes the interrupt; where
//! that one is busy with something else (network packets, another disk, a pinned thread), every I/O waits for it.
//!
//! ## Who should change it
//! Machines on which one CPU takes all interrupts of a disk and is busy, and those whose disk hangs on another NUMA
//! node than its users. With `rq_affinity` the block layer can send a completion on to the submitter's CPU, which hides
//! a part of the difference.
//!
//! ## Risk and how it is undone
//! Performance only. irqbalance moves interrupts again within seconds, unless it is told not to (`--banirq`). The number
//! of an interrupt ends with its device: iodyno puts a value back only while the interrupt serves whom it served.
//!
//! ## Kernel versions
//! All. Interrupts that the kernel spreads over the queues itself ("managed": most NVMe and virtio disks) cannot be
//! moved; the write is refused, with EIO on older kernels and EPERM on Linux 6.18. A write with no CPU that is online is
//! refused with EINVAL, or moves the interrupt to any.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --iodepth 32 --knob smp_affinity_list@24=0:1
//! ```
//!
//! ## Sources
//! - Linux `kernel/irq/proc.c`, `write_irq_affinity`; `Documentation/core-api/irq/irq-affinity.rst`
//! - Linux `kernel/irq/affinity.c`, `irq_create_affinity_masks` (managed interrupts)

use crate::{Knob, SubjectFiles, ValueReading, current_first};
use kernel::cpulist::CpuList;
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "smp_affinity_list",
    since: "0.1.0",
    summary: "which CPUs take an interrupt of the disk",
    on: SubjectKind::Interrupt,
    attribute: "smp_affinity_list",
    reading: ValueReading::CpuList,
    class: Class::Fast,
    risk: Risk::Safe,
    refusals: &[(libc::EIO, MANAGED), (libc::EPERM, MANAGED)],
    choices,
    rejects,
    ..Knob::PLAIN
};

const MANAGED: &str =
    "the kernel spreads this interrupt over the queues itself and lets nobody move it (managed)";
/// CPUs tried one by one: one run compares at most so many.
const CPUS_TRIED: usize = 4;

/// A list that has any CPU: a node of memory alone has none.
fn cpus(text: &str) -> Option<CpuList> {
    CpuList::parse(text).filter(|list| !list.is_empty())
}

/// Each of the first CPUs near the device alone, and all.
fn choices(interrupt: &SubjectFiles) -> Vec<String> {
    let (Some(now), Some(all)) = (
        interrupt.text(KNOB.attribute),
        interrupt.host().online_cpus(),
    ) else {
        return Vec::new();
    };
    let node = interrupt
        .number("node")
        .and_then(|node| u32::try_from(node).ok());
    // A node of memory alone has no CPU.
    let near = node.and_then(|node| interrupt.host().node_cpus(node));
    let near = near.filter(|list| !list.is_empty());
    let near = near.unwrap_or_else(|| all.clone());
    let singles = near.iter().filter(|cpu| all.contains(*cpu));
    let others = singles
        .take(CPUS_TRIED)
        .map(|cpu| cpu.to_string())
        .chain([all.to_string()]);
    current_first(KNOB.reading.value(&now), others)
}

fn rejects(interrupt: &SubjectFiles, value: &str) -> Option<String> {
    let Some(wanted) = cpus(value) else {
        return Some("it is a list of CPUs, such as 0-3,8".into());
    };
    let online = interrupt.host().online_cpus()?;
    let missing = wanted.iter().find(|cpu| !online.contains(*cpu))?;
    Some(format!("CPU {missing} is not online"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::{Archive, Host};
    use model::change::Attribute;
    use model::subject::Subject;

    fn interrupt(now: &str) -> SubjectFiles {
        let mut archive = Archive::default();
        for (path, value) in [
            ("/proc/irq/24/smp_affinity_list", now),
            ("/proc/irq/24/node", "1"),
            ("/sys/devices/system/cpu/online", "0-7"),
            ("/sys/devices/system/node/node1/cpulist", "4-7,12"),
        ] {
            archive.insert(path, Attribute::Value(value.into()));
        }
        let host = Host::from_archive(archive);
        SubjectFiles::of(&host, Subject::Interrupt { number: 24 }).unwrap()
    }

    #[test]
    fn tries_the_cpus_near_the_device_and_all() {
        assert_eq!(choices(&interrupt("0")), ["0", "4", "5", "6", "7", "0-7"]);
        assert_eq!(choices(&interrupt("0,1,2,3,4,5,6,7"))[0], "0-7");
    }

    #[test]
    fn only_cpus_that_are_online() {
        let interrupt = interrupt("0-7");
        assert!(
            rejects(&interrupt, "8")
                .unwrap()
                .contains("CPU 8 is not online")
        );
        assert!(rejects(&interrupt, "x").unwrap().contains("0-3,8"));
        assert_eq!(rejects(&interrupt, "1,3"), None);
    }
}
