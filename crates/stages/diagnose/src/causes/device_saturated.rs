//! # A disk that others use up
//!
//! ## What it finds
//! Before the check loaded anything, others already had at least four fifths of the most I/Os a second that the disk gave in any load,
//! and a queue as long as the knee of the response curve or longer. The shares are proposals of this project.
//!
//! ## Why it matters
//! Beyond the knee more requests only wait for each other: latency grows with the queue and nothing is gained. No setting of
//! the queue makes the device faster.
//!
//! ## What to try
//! Less work (a cache, fewer syncs, a job moved to another hour), another disk for a part of it, or a faster device.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.reads_per_s sda 140
//! field: disk.queue_mean_ios sda 40
//! field: disk.await_read_ms sda 280
//! probe: depth read=60@12ms depth=1
//! field: disk.reads_per_s sda 145
//! probe: depth read=100@60ms depth=8
//! field: disk.reads_per_s sda 150
//! probe: depth read=105@250ms depth=32
//! field: disk.reads_per_s sda 152
//! expect: warning says "92 %" says "40" about sda
//! ```
//!
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.reads_per_s sda 140
//! field: disk.queue_mean_ios sda 40
//! field: process.read_bytes_per_s dd.77 104857600
//! probe: depth read=60@12ms depth=1
//! field: disk.reads_per_s sda 100
//! probe: depth read=70@110ms depth=8
//! field: disk.reads_per_s sda 110
//! expect: warning says "more of sda than it gave" says "dd.77" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.reads_per_s sda 20
//! field: disk.queue_mean_ios sda 0.3
//! probe: depth read=80@12ms depth=1
//! field: disk.reads_per_s sda 100
//! probe: depth read=150@60ms depth=8
//! field: disk.reads_per_s sda 170
//! ```
//! ```scene
//! disk: sda transport=sata rotational=1
//! field: disk.reads_per_s sda 140
//! field: disk.queue_mean_ios sda 40
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! field: disk.reads_per_s nvme0n1 8000
//! field: disk.queue_mean_ios nvme0n1 0.9
//! probe: depth read=9000@100us depth=1
//! field: disk.reads_per_s nvme0n1 9000
//! probe: depth read=9100@800us depth=8
//! field: disk.reads_per_s nvme0n1 9100
//! ```
//!
//! ## Seen
//! On a live kernel: others read 70,235 times a second with 97 requests under way; at most 62,275 were reached when loads of depth 1
//! to 8 came on top.
//!
//! ## Sources
//! - Kleinrock: Power and deterministic rules of thumb for probabilistic problems in computer communications, ICC 1979
//! - iostat(1), aqu-sz and await

use crate::finding::{With, warning};
use crate::seen::{busiest, others_share};
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "device_saturated",
    since: "0.1.0",
    summary: "a disk that others load up to its knee and beyond",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "a limit from outside (cloud, cgroup) is reached, not the disk's own: then the rate is steady to a few per cent and latency has two levels",
        "the check took the disk when others paused: then its loads alone reach far more than others and it together",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep iodepth=1..64 -- -ioengine=io_uring -rw=randread -bs=4k -direct=1 # at a quiet hour, beside iodyno watch {device}",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const SHARE_MIN: f64 = 0.8;
/// The knee here is the least depth that gives this share of the most: three loads are too few for more.
const KNEE_SHARE: f64 = 0.9;
/// A queue of one is no queue.
const QUEUE_MIN: f64 = 2.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let name = disk.name.as_str();
    let curve = scene.curve();
    let totals: Vec<(u32, f64)> = curve
        .iter()
        .filter_map(|(depth, probe)| Some((*depth, parts::rate(&probe.frame, name)?)))
        .collect();
    let best = totals
        .iter()
        .map(|(_, rate)| *rate)
        .max_by(f64::total_cmp)?;
    let (knee, _) = totals.iter().find(|(_, rate)| *rate >= best * KNEE_SHARE)?;
    let idle = scene.idle()?;
    let others = parts::rate(idle, name)?;
    let queue = idle.get("disk.queue_mean_ios", name)?;
    let is_full = others >= best * SHARE_MIN && queue >= f64::from(*knee).max(QUEUE_MIN);
    let wait = idle
        .get("disk.await_read_ms", name)
        .map_or("-".into(), |ms| units::decimals(ms, 1));
    is_full.then(|| {
        let waiting = format!("with {queue} requests waiting", queue = units::whole(queue));
        let process = busiest(idle);
        let who = process.map(|(who, _)| format!(", most of them of {who}")).unwrap_or_default();
        let claim = match others <= best {
            true => format!(
                "Others already take {percent} of what {name} gives, {waiting}{who}.",
                percent = units::percent_whole(others / best * 100.0)
            ),
            false => format!("Others already take more of {name} than it gave in any load here, {waiting}{who}."),
        };
        let deepest = || scene.curve().last().map(|(_, probe)| (probe.phrase(), (others / best).min(1.0)));
        let (load, cost) = others_share(scene, disk).or_else(deepest).unwrap_or_default();
        warning(name, claim)
        .shows("I/Os a second of others", format!("{others} of {best}", others = units::whole(others), best = units::whole(best)))
        .shows("disk.queue_mean_ios", format!("{queue}, knee at {knee}", queue = units::decimals(queue, 1)))
        .shows("disk.await_read_ms", wait)
        .refuted_by("the disk gives much more I/Os when a further load comes")
        .advise(
            "Find who loads it (iodyno watch) and move or lessen that work; settings do not make it faster.",
        )
        .costs(load, cost)
        // Shortening the queue to the knee gives the latency back that the waiting costs.
        .gains((queue / f64::from(*knee) - 1.0).min(2.0))
    })
}
