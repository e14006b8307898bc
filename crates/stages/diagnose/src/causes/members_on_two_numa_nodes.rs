//! # Members on two NUMA nodes, of which one answers later
//!
//! ## What it finds
//! An array or volume whose disks hang on different NUMA nodes, and a load of single small reads in which the disks of one
//! node took more than 10 % longer than those of the other (a proposal of this project; fio's users report as much for
//! remote NVMe).
//!
//! ## Why it matters
//! Whatever CPU submits, a part of the I/O crosses to the other socket: memory, doorbell and completion are remote. The array is
//! as slow as its remote half.
//!
//! ## What to try
//! Arrays of disks of one node, and the program on that node (`numactl --cpunodebind`); or compare both with the experiment.
//!
//! ## Example
//! ```scene
//! machine: numa_nodes=2 cpus_online=0-31
//! stacked: md0 stack=raid0
//! disk: nvme0n1 transport=nvme_(pcie) numa_node=0
//! disk: +nvme1n1 transport=nvme_(pcie) numa_node=1
//! probe: latency read=9000@100us
//! field: disk.reads_per_s nvme0n1 4500
//! field: disk.reads_per_s nvme1n1 4500
//! field: disk.await_read_ms nvme0n1 0.080
//! field: disk.await_read_ms nvme1n1 0.104
//! expect: note says "node 1" says "30 %" about md0
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: numa_nodes=2 cpus_online=0-31
//! stacked: md0 stack=raid0
//! disk: nvme0n1 transport=nvme_(pcie) numa_node=0
//! disk: +nvme1n1 transport=nvme_(pcie) numa_node=1
//! ```
//! ```scene
//! machine: numa_nodes=2 cpus_online=0-31
//! stacked: md0 stack=raid0
//! disk: nvme0n1 transport=nvme_(pcie) numa_node=0
//! disk: +nvme1n1 transport=nvme_(pcie) numa_node=1
//! probe: latency read=9000@100us
//! field: disk.reads_per_s nvme0n1 4500
//! field: disk.reads_per_s nvme1n1 4500
//! field: disk.await_read_ms nvme0n1 0.100
//! field: disk.await_read_ms nvme1n1 0.103
//! ```
//! ```scene
//! machine: numa_nodes=1 cpus_online=0-31
//! stacked: md0 stack=raid0
//! disk: nvme0n1 transport=nvme_(pcie)
//! disk: +nvme1n1 transport=nvme_(pcie)
//! probe: latency read=9000@100us
//! field: disk.reads_per_s nvme0n1 4500
//! field: disk.reads_per_s nvme1n1 4500
//! field: disk.await_read_ms nvme0n1 0.080
//! field: disk.await_read_ms nvme1n1 0.104
//! ```
//!
//! ## Seen
//! In the lab: `stripe_over_nodes`, the far disk held to 200 reads a second, since an emulated node is not slower by itself: 5.0 ms,
//! the near one 3.3 ms.
//!
//! ## Sources
//! - numactl(8); fio(1), `numa_cpu_nodes`
//! - Linux `Documentation/ABI/testing/sysfs-bus-pci`, `numa_node`

use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;
use std::collections::BTreeMap;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "members_on_two_numa_nodes",
    since: "0.1.0",
    summary: "members on two NUMA nodes, the remote ones slower",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the members are of different models or wear: then the difference stays when the load is pinned to the other node",
    ],
    experiment: Experiment::Line(
        "numactl --cpunodebind=0 iodyno run {target} -- -ioengine=io_uring -rw=randread -bs=4k -iodepth=1 -direct=1 # then with --cpunodebind=1",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const SLOWER_MIN: f64 = 0.1;
const READS_MIN: f64 = 50.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let nodes = scene
        .path
        .machine_fact("numa_nodes")
        .and_then(|nodes| nodes.parse().ok())
        .unwrap_or(1);
    scene
        .of_kind(LayerKind::Stacked)
        .filter(|_| nodes > 1)
        .filter_map(|volume| finding(scene, volume))
        .collect()
}

fn finding(scene: &Scene<'_>, volume: &Layer) -> Option<Finding> {
    let frame = &scene.probe(Role::Latency)?.frame;
    let mut nodes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for disk in parts::members(volume) {
        let is_read = frame
            .get("disk.reads_per_s", &disk.name)
            .is_some_and(|reads| reads > READS_MIN);
        let wait = frame
            .get("disk.await_read_ms", &disk.name)
            .filter(|_| is_read);
        nodes
            .entry(disk.fact("numa_node")?)
            .or_default()
            .extend(wait);
    }
    let mean = |(node, waits): (&'_ &str, &Vec<f64>)| {
        (!waits.is_empty()).then(|| (node.to_string(), stats::mean(waits)))
    };
    let means: Vec<(String, f64)> = nodes.iter().filter_map(mean).collect();
    let (near, fast) = means
        .iter()
        .min_by(|one, other| one.1.total_cmp(&other.1))?;
    let (far, slow) = means
        .iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    let slower = slow / fast - 1.0;
    (slower > SLOWER_MIN).then(|| {
        let percent = slower * 100.0;
        let claim = format!(
            "{}: disks on NUMA node {far} take {percent} longer than those on node {near}.",
            volume.name,
            percent = units::percent_whole(percent)
        );
        note(&volume.name, claim)
            .shows(
                "numa_node",
                nodes.keys().copied().collect::<Vec<_>>().join(", "),
            )
            .shows(
                "disk.await_read_ms",
                format!(
                    "node {near} {fast}, node {far} {slow}",
                    fast = units::decimals(*fast, 3),
                    slow = units::decimals(*slow, 3)
                ),
            )
            .refuted_by("pinned to the other node the same disks are slower still")
            .advise("Keep an array and its program on one node, where the disks allow it.")
            .gains(slower / 2.0)
    })
}
