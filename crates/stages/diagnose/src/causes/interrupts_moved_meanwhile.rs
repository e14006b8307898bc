//! # Interrupts that changed their CPU meanwhile
//!
//! ## What it finds
//! A disk with one vector for its I/O whose interrupts went to one CPU in one load and to another CPU in a later one: somebody
//! moves them while it is measured.
//!
//! ## Why it matters
//! irqbalance looks every ten seconds and writes the masks anew. A mask set by hand is gone after that, and two halves of a
//! comparison ran with different caches and neighbours: a difference between them may be the move.
//!
//! ## What to try
//! For the time of a measurement stop irqbalance, or ban the line: `irqbalance --banirq=NUMBER`, `IRQBALANCE_ARGS` in
//! `/etc/default/irqbalance`. For good: `--banirq` and a mask of your own.
//!
//! ## Example
//! ```scene
//! machine: cpus_online=0-3 irqbalance=running
//! disk: sda transport=sas irq_managed=no
//! interrupt: megasas0 irq=44 allowed=0-3 effective=2
//! probe: latency read=4000@200us
//! field: irq.device_cpu.per_s sda@2 4000
//! probe: depth read=9000@400us depth=4
//! field: irq.device_cpu.per_s sda@2 10
//! field: irq.device_cpu.per_s sda@0 8900
//! expect: note says "CPU 2" says "CPU 0" says "irqbalance" about sda
//! ```
//! ```scene
//! machine: cpus_online=0-3
//! disk: sda transport=sata
//! interrupt: ahci[0000:00:17.0] irq=44 allowed=0-3 effective=2
//! probe: latency read=4000@200us
//! field: irq.device_cpu.per_s sda@1 4000
//! probe: depth read=9000@400us depth=4
//! field: irq.device_cpu.per_s sda@3 8900
//! expect: note says "CPU 3" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cpus_online=0-1 irqbalance=running
//! disk: vda transport=virtio
//! interrupt: virtio1-config irq=35
//! interrupt: virtio1-req.0 irq=36
//! probe: latency read=4000@200us
//! field: irq.device_cpu.per_s vda@1 4000
//! probe: depth read=9000@400us depth=4
//! field: irq.device_cpu.per_s vda@1 8900
//! field: irq.device_cpu.per_s vda@0 12
//! ```
//! ```scene
//! machine: cpus_online=0-3 irqbalance=running
//! disk: nvme0n1 transport=nvme_(pcie)
//! interrupt: nvme0q1 irq=44
//! interrupt: nvme0q2 irq=45
//! probe: latency read=4000@200us
//! field: irq.device_cpu.per_s nvme0n1@1 4000
//! probe: depth read=9000@400us depth=4
//! field: irq.device_cpu.per_s nvme0n1@3 8900
//! ```
//!
//! ## Seen
//! In the lab: the line of an AHCI controller moved by hand from CPU 0 to CPU 1 between two loads; the rates by CPU followed at
//! once.
//!
//! ## Sources
//! - irqbalance(1): the interval and `--banirq`
//! - Linux `Documentation/core-api/irq/irq-affinity.rst`

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "interrupts_moved_meanwhile",
    since: "0.1.0",
    summary: "interrupts of a disk that changed their CPU between two loads",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "a CPU went offline or a cpuset changed: then the kernel's log says so, and irqbalance is not running",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep iodepth=1,4 -- -ioengine=io_uring -rw=randread -bs=4k -direct=1 # with irqbalance stopped",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// Fewer interrupts a second do not matter for a measurement. A proposal of this project.
const RATE_MIN: f64 = 100.0;
/// From this share on they went to one CPU.
const SHARE_MIN: f64 = 0.9;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let movable = scene
        .disks()
        .into_iter()
        .filter(|disk| disk.fact("irq_managed") != Some("yes"));
    movable
        .filter(|disk| parts::vectors(disk).len() == 1)
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let name = &disk.name;
    let places = scene.frames().filter_map(|(_, frame)| {
        let (cpu, share, total) = parts::busiest_cpu(frame, name)?;
        (total > RATE_MIN && share > SHARE_MIN).then_some(cpu)
    });
    let mut places: Vec<&str> = places.collect();
    places.dedup();
    let (first, last) = (*places.first()?, *places.last()?);
    if places.len() < 2 {
        return None;
    }
    let balancer = scene.path.machine_fact("irqbalance").unwrap_or("unknown");
    let by = if balancer == "running" {
        "; irqbalance runs and may move them again"
    } else {
        ""
    };
    let claim = format!(
        "The interrupts of {name} went from CPU {first} to CPU {last} during the loads{by}."
    );
    Some(
        note(name, claim)
            .shows("irq.device_cpu.per_s", format!("CPU {}", places.join(", then CPU ")))
            .shows("irqbalance", balancer)
            .refuted_by("the counts in /proc/interrupts grow in one column only over the same loads")
            .advise(
                "Keep the line where it is while you compare: stop irqbalance or ban the line (--banirq).",
            ),
    )
}
