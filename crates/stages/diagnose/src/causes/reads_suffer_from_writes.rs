//! # Reads that suffer from writes inside the disk
//!
//! ## What it finds
//! On flash, reads beside a stream of writes whose 99th percentile is at least five times that of the same disk without writes:
//! a note, and a warning from ten times and 5 ms on, where tracing showed that four fifths of the time pass inside the device
//! (D2C). The factors are proposals of this project.
//!
//! ## Why it matters
//! A flash chip that programs a page or erases a block answers no read for 0.5 to some ms, and garbage collection multiplies that.
//! The kernel's queue is not where the time goes, so another scheduler alone does not give it back.
//!
//! ## What to try
//! Limit the writers (`io.max` of their cgroup, dirty_bytes), or let kyber or io.cost hold writes back for the sake of reads; log and data
//! on different disks; a disk with more spare space.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=9900@100us+100@200us
//! probe: mixed read=9000@150us+1000@2ms
//! expect: note says "99th percentile" about nvme0n1
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=9900@100us+100@200us
//! probe: mixed read=9000@150us+1000@9ms
//! span: nvme0n1 read D2C 1000@900us
//! span: nvme0n1 read Q2C 1000@950us
//! expect: warning says "inside the disk" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=9900@100us+100@200us
//! probe: mixed read=9900@150us+100@400us
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=9900@100us+100@200us
//! probe: mixed read=9000@150us+1000@9ms
//! span: nvme0n1 read D2C 1000@100us
//! span: nvme0n1 read Q2C 1000@950us
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: latency read=9900@100us+100@200us
//! probe: mixed read=9000@150us+1000@9ms
//! ```
//!
//! ## Seen
//! In the lab: `reads_beside_writes`, an NVMe disk that QEMU lets move 30 MiB a second, reads and writes together. That a flash
//! chip does so by itself takes one.
//!
//! ## Sources
//! - Kim et al.: Towards SLO complying SSDs through OPS isolation, FAST 2015; Hao et al.: LinnOS, OSDI 2020
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, io.cost and io.latency

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::layers::Span;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "reads_suffer_from_writes",
    since: "0.1.0",
    summary: "reads of a flash disk that writes hold up inside it",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "writes fill the kernel's queue before the reads: then Q2D is large and kyber or mq-deadline gives it back",
        "the flushes of the writers, not the writes, hold reads up: then reads recover when the writers stop syncing",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --interference # then iodyno tune {target} --knob scheduler",
    ),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

const NOTE_TIMES: f64 = 5.0;
const WARNING_TIMES: f64 = 10.0;
const WARNING_US: f64 = 5000.0;
const DEVICE_SHARE_MIN: f64 = 0.8;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn read_p99_us(probe: &Probe) -> Option<f64> {
    probe
        .load
        .read
        .latency
        .quantile_ns(0.99)
        .map(|ns| ns as f64 / 1e3)
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    scene.medium().filter(|medium| medium.is_flash())?;
    let mixed = scene.probe(Role::Mixed)?;
    let (alone, beside) = (
        read_p99_us(scene.probe(Role::Latency)?)?,
        read_p99_us(mixed)?,
    );
    let device = &scene.disks().first()?.name;
    let share = mixed
        .span_us(device, Span::D2C)
        .zip(mixed.span_us(device, Span::Q2C))
        .map(|(inside, all)| inside / all);
    let times = beside / alone;
    if times < NOTE_TIMES || share.is_some_and(|share| share < DEVICE_SHARE_MIN) {
        return None;
    }
    let is_certain = times >= WARNING_TIMES && beside >= WARNING_US && share.is_some();
    let level = if is_certain {
        Level::Warning
    } else {
        Level::Note
    };
    let place = if share.is_some() {
        ", inside the disk"
    } else {
        ""
    };
    let claim = format!(
        "Beside writes the 99th percentile of reads of {device} is {times} times as high{place}.",
        times = units::whole(times)
    );
    Some(
        found(level, device, claim)
            .shows(
                "read p99",
                format!(
                    "{alone} µs alone, {beside} µs beside writes",
                    alone = units::whole(alone),
                    beside = units::whole(beside)
                ),
            )
            .shows(
                "D2C of Q2C",
                share.map_or("not traced".into(), units::share),
            )
            .refuted_by("the reads stay slow when the writers are limited to a tenth")
            .advise("Limit or move the writers; try kyber or io.cost for latency.")
            // Schedulers give back a part at the cost of the writers: a guess of this project.
            .gains(0.3),
    )
}
