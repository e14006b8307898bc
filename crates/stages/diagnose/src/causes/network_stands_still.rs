//! # A network disk that stands still
//!
//! ## What it finds
//! A disk of Ceph, iSCSI, NBD or another network whose load had 300 ms without a completion, in gaps of 100 ms and
//! more, or whose median read takes 5 ms and more.
//!
//! ## Why it matters
//! The disk is a service on other machines. Its slowest part answers for all: an OSD that scrubs, a link that drops, a
//! server that fails over. Nothing of that shows on this machine but as waiting.
//!
//! ## What to try
//! Look there: `ceph osd perf`, `rados bench`, the network's drops and retransmissions, the server's own disks.
//! Settings here change nothing.
//!
//! ## Example
//! ```scene
//! disk: rbd0 transport=network rbd_pool=vms rbd_image=db
//! probe: depth read=9000@3ms depth=32 elapsed=2s
//! bins: 900 900 0 0 0 900 900 900 0 0 900 900 900 900 900 900 900 900 900 900
//! expect: warning says "500 ms of 2.0 s" about rbd0
//! ```
//! ```scene
//! disk: sdb transport=iscsi iscsi_portal=10.0.0.7:3260
//! probe: latency read=100@9ms depth=1 elapsed=1s
//! expect: note says "8.98 ms" about sdb
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: rbd0 transport=network rbd_pool=vms
//! probe: latency read=900@1ms depth=1 elapsed=1s
//! probe: depth read=9000@3ms depth=32 elapsed=1s
//! bins: 900 900 900 900 900 900 900 900 900 900
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: latency read=100@9ms depth=1 elapsed=1s
//! ```
//! ```scene
//! disk: nvme1n1 transport=nvme model=Amazon_Elastic_Block_Store
//! probe: latency read=100@9ms depth=1 elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `network_pauses`, NVMe over TCP to a device that stands still for 0.3 s again and again, as a warning: nothing came
//! back for 1.3 s of 2.1 s.
//!
//! ## Sources
//! - ceph documentation: Monitoring OSDs; rados(8), bench
//! - Linux `Documentation/ABI/testing/sysfs-bus-rbd`
//! - A field report: rados bench with an average of 0.25 s, and seconds with no operation at all
//! - That 300 ms without an answer, or a median of 5 ms, point away from this machine is a proposal of this project.

use crate::Medium;
use crate::finding::{With, note, warning};
use crate::seen::deepest;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "network_stands_still",
    since: "0.1.0",
    summary: "a network disk that pauses or is slow as a whole",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "this machine was short of CPU: then cpu.steal_percent or the run queue rose at the same time",
        "a cap: then the rate is flat between the pauses",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randread -bs=4k -iodepth=32 -direct=1 -runtime=60 # with ping and ceph osd perf beside it, or iostat on the server",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::FileSystem],
    yields_to: &[],
    judge,
};

const SLOW_US: f64 = 5000.0;
/// A gap of this length is one, ms; shorter ones are between any two I/Os.
const GAP_MS: u64 = 100;
/// As much in gaps is worth a finding, ms.
const STILL_MS: u64 = 300;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    // A provider's block storage has rules of its own.
    let is_network = |disk: &&Layer| {
        scene.medium_of(disk) == Some(Medium::Network)
            && !disk
                .fact("model")
                .is_some_and(|model| model.contains("Elastic Block Store"))
            || disk.fact("rbd_pool").is_some()
    };
    scene
        .disks()
        .into_iter()
        .filter(is_network)
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

/// Milliseconds without a completion between the first and the last one, and of how many.
fn stillness(scene: &Scene<'_>) -> Option<(u64, u64)> {
    let load = &deepest(scene)?.load;
    let first = load.bins.iter().position(|count| *count > 0)?;
    let last = load.bins.iter().rposition(|count| *count > 0)?;
    let runs = load.bins[first..=last]
        .split(|count| *count > 0)
        .map(|empty| empty.len() as u64 * load.bin_ms);
    let still_ms: u64 = runs.filter(|ms| *ms >= GAP_MS).sum();
    (still_ms >= STILL_MS).then(|| (still_ms, load.bins.len() as u64 * load.bin_ms))
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let named = ["rbd_pool", "iscsi_portal", "nbd_server"]
        .iter()
        .find_map(|name| Some((*name, disk.fact(name)?)));
    let (kind, place) = named.unwrap_or(("transport", disk.fact("transport").unwrap_or("network")));
    let median = scene
        .probe(Role::Latency)
        .and_then(|probe| probe.percentile_us(0.5));
    let finding = match (stillness(scene), median.filter(|us| *us >= SLOW_US)) {
        (Some((still, all)), _) => {
            let (still, all) = (units::span_ms(still), units::span_ms(all));
            let claim = format!(
                "{}: nothing came back for {still} of {all}: the network or the other side paused.",
                disk.name
            );
            warning(&disk.name, claim)
                .shows("without a completion", still)
                .gains(0.5)
        }
        (None, Some(us)) => {
            let time = units::duration_ns(us * 1e3);
            note(
                &disk.name,
                format!(
                    "{}: a read takes {time} at depth 1, on the network or on the other side.",
                    disk.name
                ),
            )
            .shows("read p50", time)
        }
        (None, None) => return None,
    };
    Some(
        finding
            .shows(kind, place)
            .refuted_by("the other side's own disks and the network show no waiting at that time")
            .advise("Look at the other side and at the network; no setting here changes it."),
    )
}
