//! # Too few requests
//!
//! ## What it finds
//! A queue that may hold few requests, where I/O waits to get one: `nr_requests` or a disk's `queue_depth` that somebody made
//! smaller than what the device takes. It is a warning where I/Os spent more than a tenth of their time waiting for a request
//! (Q2G, and G2I beside it), or where others keep the queue full.
//!
//! ## Why it matters
//! The device is given fewer I/Os at a time than it can overlap, and the scheduler sees too few to sort. Programs stand in
//! `blk_mq_get_tag` instead of going on.
//!
//! ## What to try
//! A larger `nr_requests`; for SCSI and SATA also `device/queue_depth`. Where latency counts more than throughput a short line
//! may be meant.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: nr_requests = 4
//! setting: queue_depth = 32
//! expect: note says "4 requests at a time" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: nr_requests = 4
//! setting: queue_depth = 32
//! probe: depth read=8000@4ms depth=32
//! span: sda read Q2G 3ms
//! span: sda read Q2C 4ms
//! expect: warning says "for one of its 4 requests" about sda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0 ncq=yes
//! setting: nr_requests = 64
//! setting: queue_depth = 1
//! probe: latency read=5000@200us
//! probe: depth read=5200@6ms depth=32
//! expect: warning says "one request at a time" about sda
//! ```
//! A production load that keeps the queue full:
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: nr_requests = 8
//! setting: queue_depth = 32
//! field: disk.queue_mean_ios sda 9
//! expect: warning says "9 I/Os are under way" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: nr_requests = 64
//! setting: queue_depth = 32
//! probe: depth read=200@160ms depth=32
//! span: sda read Q2G 100us
//! span: sda read Q2C 160ms
//! ```
//! A USB disk that takes one at a time by its nature:
//! ```scene
//! disk: sdb transport=usb rotational=0
//! setting: nr_requests = 2
//! setting: queue_depth = 1
//! ```
//! Measured, and nobody waits:
//! ```scene
//! disk: vda transport=virtio
//! setting: nr_requests = 16
//! queues: 1 tags=256
//! probe: depth read=9000@1ms depth=16
//! span: vda read Q2G 1us
//! span: vda read Q2C 1ms
//! ```
//!
//! ## Seen
//! On a live kernel: a loop device with `nr_requests` 4 (Linux 6.18), where I/Os waited 73 % of their time.
//!
//! ## Sources
//! - Linux `Documentation/ABI/stable/sysfs-block`, `nr_requests`; `block/blk-mq-tag.c`, `blk_mq_get_tag`
//! - btt(1): Q2G and G2I
//! - The tenth and the 32 requests are proposals of this project: SATA's own queue holds 32, every kernel's default is more.

use crate::causes_help_queue::number;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::layers::Span;
use model::proposal::TuneProposal;
use model::text::shell_word;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "requests_run_out",
    since: "0.1.0",
    summary: "I/O that waits for a free request, because the queue may hold few",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the device is full: then a longer line raises the latency and not the rate",
        "a control group holds the I/O back before it gets a request: then `io.max` or `io.latency` of the group says so",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("nr_requests").iodepth(64)),
    contrast: None,
    knob: Some("nr_requests"),
    explains: &[TimePlace::Request],
    yields_to: &[],
    judge,
};

/// Waiting for a request from this share on counts.
const WAITED: f64 = 0.1;
/// Fewer than this is few.
const FEW: f64 = 32.0;
/// A curve that gains less than this with depth shows that the depth did not reach the device.
const FLAT: f64 = 1.2;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let disks = scene.queues();
    disks
        .filter_map(|disk| few_requests(scene, disk).or_else(|| one_at_a_time(scene, disk)))
        .collect()
}

/// How many the device would take.
fn takes(disk: &Layer) -> Option<f64> {
    let tags = disk
        .queues
        .iter()
        .filter_map(|queue| queue.nr_tags)
        .max()
        .map(|tags| tags as f64);
    number(disk, "queue_depth").or(tags)
}

fn few_requests(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let requests = number(disk, "nr_requests")?;
    let takes = takes(disk).filter(|takes| requests < *takes && requests < FEW)?;
    let name = &disk.name;
    let waits = waits(scene, disk);
    let waited = waits.iter().map(|(_, share)| *share).max_by(f64::total_cmp);
    let full = scene
        .idle()
        .and_then(|frame| frame.get("disk.queue_mean_ios", name));
    let full = full.filter(|queued| *queued >= requests);
    let (level, claim, gain) = match (waited, full) {
        (Some(share), _) if share > WAITED => {
            let claim = format!(
                "I/Os to {name} waited {} of their time for one of its {requests} requests; the device takes {takes}.",
                units::share(share),
                requests = units::whole(requests),
                takes = units::whole(takes)
            );
            (
                Level::Warning,
                claim,
                (takes / requests - 1.0).min(2.0) * share,
            )
        }
        (_, Some(queued)) => {
            let claim = format!(
                "On average {queued} I/Os are under way on {name}, which has {requests} requests and could take {takes}.",
                queued = units::whole(queued),
                requests = units::whole(requests),
                takes = units::whole(takes)
            );
            (Level::Warning, claim, 0.3)
        }
        (Some(_), None) => return None,
        (None, None) => {
            let claim = format!(
                "{name} is given {requests} requests at a time and could take {takes}.",
                requests = units::whole(requests),
                takes = units::whole(takes)
            );
            (Level::Note, claim, 0.1)
        }
    };
    let mut finding = found(level, name, claim)
        .shows("nr_requests", requests)
        .shows("the device takes", takes)
        .refuted_by("the rate stays the same with a larger nr_requests")
        .advise("Raise nr_requests to what the device takes and measure latency beside the rate.")
        .gains(gain);
    if let Some(share) = waited {
        finding = finding.shows("Q2G and G2I", format!("{} of Q2C", units::share(share)));
    }
    let costs = |finding: Finding, (load, share)| finding.costs(load, share);
    Some(waits.into_iter().fold(finding, costs))
}

/// Loads within what the device takes, each with the share that was spent on the way to a request and from it.
fn waits(scene: &Scene<'_>, disk: &Layer) -> Vec<(String, f64)> {
    let takes = takes(disk).unwrap_or(FEW);
    let waits = scene
        .probes
        .iter()
        .filter(|probe| f64::from(probe.load.depth) <= takes)
        .filter_map(|probe| {
            let us = |span| probe.span_us(&disk.name, span);
            let waited_us = us(Span::Q2G)? + us(Span::G2I).unwrap_or(0.0);
            Some((probe.phrase(), waited_us / us(Span::Q2C)?))
        });
    waits.collect()
}

/// A SATA or SAS disk whose own queue was switched off, and whose curve is flat.
fn one_at_a_time(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let attached = matches!(disk.fact("transport")?, "sata" | "sas" | "scsi");
    if !attached || number(disk, "queue_depth")? != 1.0 || disk.fact("ncq") == Some("no") {
        return None;
    }
    let shallow = scene.probe(Role::Latency)?.iops();
    let (depth, deep) = scene
        .curve()
        .last()
        .map(|(depth, probe)| (*depth, probe.iops()))?;
    if depth < 4 || deep > FLAT * shallow {
        return None;
    }
    let claim = format!(
        "{} is given one request at a time, and {depth} in flight are no faster than one.",
        disk.name
    );
    let finding = found(Level::Warning, &disk.name, claim)
        .shows("queue_depth", 1)
        .shows("IOPS at depth 1", units::whole(shallow))
        .shows(&format!("IOPS at depth {depth}"), units::whole(deep))
        .refuted_by("the curve stays flat with queue_depth 32")
        .advise("Write 32 (SATA) or 64 (SAS) to device/queue_depth of the disk, unless it was made 1 for a fault of the disk.")
        .experiment(format!(
            "iodyno check {} # before and after sudo iodyno set queue_depth=32 /dev/{}",
            scene.path.as_argument(), shell_word(&disk.name)
        ))
        .gains(1.0);
    Some(finding)
}
