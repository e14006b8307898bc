//! # Many interrupts, all sent to one CPU
//!
//! ## What it finds
//! A disk with several interrupt vectors for I/O that are all delivered to the same CPU, on a machine that has more. It is
//! a warning where a load showed it: more than 2,000 interrupts a second, nine tenths of them on that CPU, which spends
//! 15 % of its time or more with them (proposals of this project: below that the CPU has room to spare). Where the CPU is
//! full, `interrupts_on_one_cpu` warns, and this says why.
//!
//! Kernels before 4.14 do not say where a vector goes (no `effective_affinity`). There a mask of one CPU counts, else that a
//! hundred interrupts and more went to one CPU alone.
//!
//! ## Why it matters
//! A device with a vector a queue is made to complete on all CPUs. With one mask for all vectors the queues are parallel and
//! the completions are not: the CPU becomes the ceiling of the device.
//!
//! ## What to try
//! A CPU of its own for each vector: `echo 3 > /proc/irq/NUMBER/smp_affinity_list`, or irqbalance, which spreads them.
//!
//! ## Example
//! ```scene
//! machine: cpus_online=0-7
//! disk: sda transport=sas irq_managed=no
//! interrupt: mpt3sas0-msix0 irq=107 allowed=0-7 effective=1
//! interrupt: mpt3sas0-msix1 irq=108 allowed=0-7 effective=1
//! interrupt: mpt3sas0-msix2 irq=109 allowed=0-7 effective=1
//! expect: note says "3 interrupt vectors" says "CPU 1" about sda
//! ```
//! ```scene
//! machine: cpus_online=0-7
//! disk: sda transport=sas irq_managed=no
//! interrupt: mpt3sas0-msix0 irq=107 allowed=0-7 effective=1
//! interrupt: mpt3sas0-msix1 irq=108 allowed=0-7 effective=1
//! probe: depth read=80000@400us depth=32
//! field: irq.device_cpu.per_s sda@1 79000
//! field: irq.device_cpu.per_s sda@2 10
//! field: cpu.irq_percent 1 12
//! field: cpu.softirq_percent 1 20
//! expect: warning says "CPU 1" says "100 %" about sda
//! ```
//!
//! Linux 3.10, by the masks, and by the counts:
//! ```scene
//! machine: cpus_online=0-3
//! disk: sda transport=sas
//! interrupt: mpt2sas0-msix0 irq=107 allowed=2
//! interrupt: mpt2sas0-msix1 irq=108 allowed=2
//! expect: note says "CPU 2" about sda
//! ```
//! ```scene
//! machine: cpus_online=0-3
//! disk: sda transport=sas
//! interrupt: mpt2sas0-msix0 irq=107 allowed=0-3 counts=94113,0,0,0
//! interrupt: mpt2sas0-msix1 irq=108 allowed=0-3 counts=80022,0,0,0
//! expect: note says "CPU 0" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cpus_online=0-3
//! disk: sda transport=sas
//! interrupt: mpt2sas0-msix0 irq=107 allowed=0-3 counts=94113,0,0,0
//! interrupt: mpt2sas0-msix1 irq=108 allowed=0-3 counts=0,80022,0,0
//! ```
//! Too few to tell:
//! ```scene
//! machine: cpus_online=0-3
//! disk: sda transport=sas
//! interrupt: mpt2sas0-msix0 irq=107 allowed=0-3 counts=12,0,0,0
//! interrupt: mpt2sas0-msix1 irq=108 allowed=0-3 counts=9,0,0,0
//! ```
//! ```scene
//! machine: cpus_online=0-3
//! disk: nvme0n1 transport=nvme_(pcie)
//! interrupt: nvme0q0 irq=30 allowed=0-3 effective=0
//! interrupt: nvme0q1 irq=31 allowed=0-1 effective=0
//! interrupt: nvme0q2 irq=32 allowed=2-3 effective=2
//! ```
//! ```scene
//! machine: cpus_online=0-1
//! disk: vda transport=virtio
//! interrupt: virtio1-config irq=35 allowed=0-1 effective=1
//! interrupt: virtio1-req.0 irq=36 allowed=0-1 effective=1
//! ```
//! ```scene
//! machine: cpus_online=0
//! disk: sda transport=sas
//! interrupt: mpt3sas0-msix0 irq=107 allowed=0 effective=0
//! interrupt: mpt3sas0-msix1 irq=108 allowed=0 effective=0
//! ```
//!
//! ## Seen
//! Not produced: QEMU's controllers with several vectors (NVMe, virtio) have managed ones, which the kernel spreads, and its
//! others (AHCI, xHCI, megasas) have one. It takes a controller such as mpt3sas, an ARM machine, where a wide mask means its
//! first CPU, or a kernel before 4.14 without irqbalance.
//!
//! ## Sources
//! - Linux `Documentation/core-api/irq/irq-affinity.rst`; irqbalance(1)

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene, parts};
use kernel::cpulist::CpuList;
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Interrupt, Layer};
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "interrupts_not_spread",
    since: "0.1.0",
    summary: "several interrupt vectors that are all delivered to one CPU",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "somebody pinned them there on purpose, to keep the other CPUs free: then the masks in /proc/irq name that CPU alone and a service or tuned profile wrote them",
        "the device uses one of its vectors only: then /proc/interrupts counts on one line, and spreading the others changes nothing",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=32 -numjobs=4 -direct=1 # before and after each vector has a CPU of its own",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Completion],
    yields_to: &[],
    judge,
};

const RATE_MIN: f64 = 2000.0;
const SHARE_MIN: f64 = 0.9;
const INTERRUPT_PERCENT_MIN: f64 = 15.0;
/// So many interrupts on one CPU alone are no chance.
const COUNTED_MIN: u64 = 100;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let has_others = parts::cpus(scene).is_some_and(|cpus| cpus > 1);
    scene
        .disks()
        .into_iter()
        .filter(|_| has_others)
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let vectors = parts::vectors(disk);
    let cpu = &destination(vectors.first()?)?;
    let is_all = vectors
        .iter()
        .all(|line| destination(line).as_ref() == Some(cpu));
    if vectors.len() < 2 || !is_all {
        return None;
    }
    let measured = scene
        .frames()
        .find_map(|(_, frame)| share(frame, &disk.name, cpu));
    let is_told_already = scene
        .frames()
        .any(|(_, frame)| parts::interrupts_fill_a_cpu(frame, &disk.name));
    let level = if measured.is_some() && !is_told_already {
        Level::Warning
    } else {
        Level::Note
    };
    let took = measured.map_or_else(String::new, |share| {
        format!(", which took {} of them under load", units::share(share))
    });
    let (name, count) = (&disk.name, vectors.len());
    Some(
        found(
            level,
            name,
            format!("{name}: all {count} interrupt vectors are delivered to CPU {cpu}{took}."),
        )
        .shows("delivered to", format!("CPU {cpu}, {count} vectors"))
        .shows(
            "irq.device_cpu.per_s",
            measured.map_or("not measured".into(), |share| {
                format!("{share} on CPU {cpu}", share = units::decimals(share, 2))
            }),
        )
        .refuted_by("the rate stays the same when each vector has a CPU of its own")
        .advise(format!(
            "{} # gives each a CPU of its own; or let irqbalance spread them",
            spread(scene, &vectors)?
        ))
        // A field report gained 15 % (34k to 39k) from spreading alone.
        .gains(if measured.is_some() { 0.15 } else { 0.05 }),
    )
}

/// The command that gives the vectors the CPUs in turn, of those that are online.
fn spread(scene: &Scene<'_>, vectors: &[&Interrupt]) -> Option<String> {
    let online = CpuList::parse(scene.path.machine_fact("cpus_online")?)?;
    let cpus: Vec<u32> = online.iter().collect();
    let of = |(line, cpu): (&&Interrupt, &u32)| format!("smp_affinity_list@{}={cpu}", line.irq);
    let all: Vec<String> = vectors.iter().zip(cpus.iter().cycle()).map(of).collect();
    let target = scene.path.as_argument();
    Some(format!("sudo iodyno set {} {target}", all.join(" ")))
}

/// The one CPU that a vector is delivered to; none where there are several, or where nothing tells.
fn destination(line: &Interrupt) -> Option<String> {
    let one = |cpus: &str| cpus.parse::<u32>().is_ok().then(|| cpus.to_string());
    if let Some(cpus) = line.effective_cpus.as_deref() {
        return one(cpus);
    }
    let counted = || {
        let total: u64 = line.counts.iter().sum();
        let place = line.counts.iter().position(|count| *count == total)?;
        (total >= COUNTED_MIN).then(|| place.to_string())
    };
    line.allowed_cpus.as_deref().and_then(one).or_else(counted)
}

/// The share of the interrupts that this CPU took, where they cost it something.
fn share(frame: &Frame, device: &str, cpu: &str) -> Option<f64> {
    let (busiest, share, total) = parts::busiest_cpu(frame, device)?;
    let percent = |id: &str| frame.get(id, cpu).unwrap_or(0.0);
    let cost = percent("cpu.irq_percent") + percent("cpu.softirq_percent");
    (busiest == cpu && total > RATE_MIN && share > SHARE_MIN && cost > INTERRUPT_PERCENT_MIN)
        .then_some(share)
}
