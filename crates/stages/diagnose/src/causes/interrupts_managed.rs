//! # Interrupts that nobody can move
//!
//! ## What it finds
//! A device whose interrupts fill one CPU (`interrupts_on_one_cpu`) and are managed by the kernel: a write to their mask is
//! refused.
//!
//! ## Why it matters
//! The usual cure does not exist here. Scripts that write `smp_affinity` fail, irqbalance passes over the device, and the
//! time is better spent on where the I/O is submitted: a managed vector follows the CPUs of its queue.
//!
//! ## What to try
//! Submit from more CPUs (let the program run elsewhere too: `taskset`, cgroup cpusets), or get more queues from the driver or
//! the hypervisor, so that fewer CPUs share one.
//!
//! ## Example
//! ```scene
//! machine: cpus_online=0-3
//! disk: nvme0n1 transport=nvme_(pcie) irq_managed=yes
//! queues: 4
//! probe: depth read=90000@300us depth=32
//! field: irq.device_cpu.per_s nvme0n1@2 90000
//! field: cpu.busy_percent 2 97
//! field: cpu.busy_percent 0 3
//! field: cpu.irq_percent 2 55
//! expect: note says "cannot be moved" says "submit from more CPUs" about nvme0n1
//! ```
//! ```scene
//! machine: cpus_online=0-7
//! disk: vda transport=virtio irq_managed=yes
//! queues: 1
//! field: irq.device_cpu.per_s vda@0 41000
//! field: cpu.busy_percent 0 95
//! field: cpu.busy_percent 1 3
//! field: cpu.softirq_percent 0 60
//! expect: note says "1 queue for 8 CPUs" about vda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cpus_online=0-3
//! disk: nvme0n1 transport=nvme_(pcie) irq_managed=yes
//! queues: 4
//! ```
//! ```scene
//! machine: cpus_online=0-3
//! disk: sda transport=sas irq_managed=no
//! queues: 1
//! field: irq.device_cpu.per_s sda@0 41000
//! field: cpu.busy_percent 0 95
//! field: cpu.busy_percent 1 3
//! field: cpu.softirq_percent 0 60
//! ```
//!
//! ## Seen
//! Not produced: no disk here or in the lab makes enough interrupts to fill a CPU: one NVMe queue for four emulated CPUs made 700
//! a second, which took 6 % of the CPU that they went to. That the mask of a managed line cannot be written was seen in the lab:
//! EIO for nvme0q1, Linux 6.1.
//!
//! ## Sources
//! - Linux `kernel/irq/proc.c`, `write_irq_affinity`; `Documentation/core-api/irq/managed_irq.rst` of current kernels
//! - Linux `drivers/nvme/host/pci.c`, `nvme_setup_irqs`

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "interrupts_managed",
    since: "0.1.0",
    summary: "interrupts that fill a CPU and that the kernel lets nobody move",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the generator is the limit, not the interrupts: then more jobs on the same CPU do not raise its interrupt time",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep numjobs=1..8 -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=32 -direct=1",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let name = disk.name.as_str();
    let is_full = scene
        .frames()
        .any(|(_, frame)| parts::interrupts_fill_a_cpu(frame, name));
    if disk.fact("irq_managed") != Some("yes") || !is_full {
        return None;
    }
    let cpus = parts::cpus(scene)?;
    let queues = disk.queues.len();
    let (claim, advice) = match queues > 0 && queues < cpus {
        true => (
            format!(
                "The interrupts of {name} cannot be moved: the kernel manages them, {queues} queue{} for {cpus} CPUs.",
                if queues == 1 { "" } else { "s" }
            ),
            "Get more queues (virtio num-queues, the driver's parameters) or move other work off that CPU.",
        ),
        false => (
            format!(
                "The interrupts of {name} cannot be moved, they follow the submitter: submit from more CPUs."
            ),
            "Let the program run on more CPUs; a managed vector completes on the CPUs of its queue.",
        ),
    };
    Some(
        note(name, claim)
            .shows("irq_managed", "yes")
            .shows("queues", format!("{queues} for {cpus} CPUs"))
            .refuted_by(
                "a write to /proc/irq/NUMBER/smp_affinity_list succeeds and the counts move",
            )
            .advise(advice)
            // Of the two ways out one needs another machine; 10 % is what a second CPU for completions gave at least.
            .gains(0.1),
    )
}
