//! # One hardware queue for many CPUs
//!
//! ## What it finds
//! A disk that could have several hardware queues and has one, for four CPUs or more, where a check reached 100,000 I/Os a
//! second or more: a note. It is a warning where in addition more depth gave no more I/Os (less than 10 % from the last
//! doubling) while one CPU was full and the others were not. An NVMe disk with one queue is a note even without a load.
//! The figures are proposals of this project: below them one queue costs nothing that can be measured.
//!
//! ## Why it matters
//! All CPUs take the same lock and the same tags, and one vector completes everything. With a queue for each CPU neither is
//! shared.
//!
//! ## What to try
//! virtio-blk and virtio-scsi: `num-queues` of the device in the hypervisor. NVMe: as many queues as the controller has, and no
//! `maxcpus=` or missing vectors in the way. SAS: the driver's parameter for its queues.
//!
//! ## Example
//! ```scene
//! machine: cpus_online=0-15
//! disk: vda transport=virtio
//! queues: 1 tags=256
//! probe: depth read=120000@130us depth=16
//! field: cpu.busy_percent 0 99
//! field: cpu.busy_percent 1 20
//! field: cpu.busy_percent 2 10
//! probe: depth read=125000@250us depth=32
//! field: cpu.busy_percent 0 99
//! field: cpu.busy_percent 1 20
//! field: cpu.busy_percent 2 10
//! expect: warning says "CPU 0" says "1 hardware queue for 16 CPUs" about vda
//! ```
//! ```scene
//! machine: cpus_online=0-15
//! disk: vda transport=virtio
//! queues: 1 tags=256
//! probe: depth read=100000@160us depth=16
//! probe: depth read=160000@200us depth=32
//! expect: note says "1 hardware queue" about vda
//! ```
//! ```scene
//! machine: cpus_online=0-7
//! disk: nvme0n1 transport=nvme_(pcie)
//! queues: 1 tags=1023
//! expect: note says "1 hardware queue for 8 CPUs" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cpus_online=0-1
//! disk: vda transport=virtio
//! queues: 1 tags=256
//! probe: depth read=150000@200us depth=32
//! ```
//! ```scene
//! machine: cpus_online=0-15
//! disk: vda transport=virtio
//! queues: 1 tags=256
//! probe: depth read=9000@3ms depth=32
//! ```
//! ```scene
//! machine: cpus_online=0-15
//! disk: sda transport=sata
//! queues: 1 tags=32
//! probe: depth read=101000@300us depth=32
//! ```
//!
//! ## Seen
//! In the lab: `nvme_one_queue`, an NVMe with one queue for four CPUs, as a note without a load.
//!
//! ## Sources
//! - Linux `Documentation/block/blk-mq.rst`
//! - Bjørling, Axboe, Nellans, Bonnet: Linux block IO: introducing multi-queue SSD access on multi-core systems, SYSTOR 2013

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "single_hardware_queue",
    since: "0.1.0",
    summary: "one hardware queue that many CPUs share",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "one job submits everything: then the same depth from several jobs gives more",
        "the device itself is at its limit: then no CPU is full and D2C grows with the depth",
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

const CPUS_MIN: usize = 4;
const IOPS_MIN: f64 = 100_000.0;
const GROWTH_MAX: f64 = 1.1;
const FULL_PERCENT: f64 = 90.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let cpus = parts::cpus(scene).unwrap_or(1);
    // SATA, USB and MMC have one queue by nature.
    let could_have_more = |disk: &&Layer| {
        let transport = disk.fact("transport").unwrap_or_default();
        ["nvme", "virtio", "sas", "xen"]
            .iter()
            .any(|kind| transport.starts_with(kind))
    };
    let single = |disk: &&Layer| disk.queues.len() == 1 && cpus >= CPUS_MIN;
    scene
        .disks()
        .into_iter()
        .filter(could_have_more)
        .filter(single)
        .filter_map(|disk| finding(scene, disk, cpus))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer, cpus: usize) -> Option<Finding> {
    let name = &disk.name;
    let best = scene.iops_best();
    let is_fast = best.is_some_and(|best| best >= IOPS_MIN);
    let is_nvme_unmeasured = best.is_none()
        && disk
            .fact("transport")
            .is_some_and(|kind| kind.starts_with("nvme"));
    if !is_fast && !is_nvme_unmeasured {
        return None;
    }
    let full = is_fast.then(|| stuck_on(scene)).flatten();
    let level = if full.is_some() {
        Level::Warning
    } else {
        Level::Note
    };
    let stuck = full.map_or_else(String::new, |cpu| {
        format!(", and CPU {cpu} is full while others idle")
    });
    let tags = disk.queues[0]
        .nr_tags
        .map_or("-".into(), |tags| tags.to_string());
    Some(
        found(level, name, format!("{name} has 1 hardware queue for {cpus} CPUs{stuck}."))
            .shows("queues", format!("1, nr_tags {tags}"))
            .shows("iops", best.map_or("not measured".into(), units::whole))
            .refuted_by("several jobs on different CPUs together give no more than one")
            .advise(
                "Give the device more queues: num-queues of virtio, the controller's or driver's own limit.",
            )
            // Bjørling et al. saw one queue stop below a million I/Os a second where many went on; half of one step here.
            .gains(if level == Level::Warning { 0.5 } else { 0.1 }),
    )
}

/// The CPU that is full in the deepest load while the others have room and more depth gave nothing.
fn stuck_on<'a>(scene: &Scene<'a>) -> Option<&'a str> {
    let curve = scene.curve();
    let [.., (_, before), (_, deepest)] = curve.as_slice() else {
        return None;
    };
    let frame: &'a Frame = &deepest.frame;
    let (cpu, busy) = frame
        .each("cpu.busy_percent")
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let others: Vec<f64> = frame
        .each("cpu.busy_percent")
        .filter(|(one, _)| *one != cpu)
        .map(|(_, busy)| busy)
        .collect();
    let mean = stats::mean(&others);
    let is_flat = deepest.iops() < before.iops() * GROWTH_MAX;
    (is_flat && busy > FULL_PERCENT && mean < FULL_PERCENT / 2.0).then_some(cpu)
}
