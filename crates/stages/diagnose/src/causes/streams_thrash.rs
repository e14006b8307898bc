//! # Several streams that together are slower than one
//!
//! ## What it finds
//! Several sequential streams that move less than 70 % of the bytes that one stream does, on a rotating disk or one behind USB:
//! a warning. On other local disks it is a note below half. The shares are proposals of this project: one seek of 10 ms for
//! each read of 1 MiB costs a disk of 200 MB/s two thirds, so anything below is seeking.
//!
//! ## Why it matters
//! A copy beside a backup, or two tables that are scanned at once, do not share the disk: they take most of it from each other.
//! In a field report three readers of a USB stick got 17.5 MiB/s together where one had got 102.
//!
//! ## What to try
//! A scheduler that keeps to one stream for a while (bfq, or mq-deadline with a larger `fifo_batch`), a larger
//! `read_ahead_kb`, or fewer streams at a time. A USB disk that can uas should use it.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata rotational=1
//! setting: scheduler = none [mq-deadline] bfq
//! setting: read_ahead_kb = 128
//! probe: stream read=200@5ms bs=1m
//! probe: streams read=60@50ms bs=1m numjobs=4
//! expect: warning says "4 streams" says "30 %" about sda
//! ```
//! ```scene
//! disk: sdb transport=usb rotational=0 usb_driver=usb-storage
//! setting: scheduler = [mq-deadline] none
//! probe: stream read=102@9ms bs=1m
//! probe: streams read=17@100ms bs=1m numjobs=3
//! expect: warning says "17 %" about sdb
//! ```
//! ```scene
//! disk: sdb transport=sata rotational=0
//! probe: stream read=500@2ms bs=1m
//! probe: streams read=200@9ms bs=1m numjobs=4
//! expect: note says "40 %" about sdb
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata rotational=1
//! probe: stream read=200@5ms bs=1m
//! probe: streams read=160@20ms bs=1m numjobs=4
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: stream read=1800@500us bs=1m
//! probe: streams read=3500@1ms bs=1m numjobs=4
//! ```
//! ```scene
//! disk: vda transport=virtio rotational=1
//! probe: stream read=200@5ms bs=1m
//! probe: streams read=60@50ms bs=1m numjobs=4
//! ```
//!
//! ## Seen
//! In the lab: `bfq_on_nvme`, `flushes_left_out`.
//!
//! ## Sources
//! - Linux `Documentation/block/bfq-iosched.rst`; Iyer, Druschel: Anticipatory scheduling, SOSP 2001

use crate::finding::{With, found};
use crate::{Cause, Experiment, Medium, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "streams_thrash",
    since: "0.1.0",
    summary: "several streams that together are slower than one alone",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the streams read smaller requests than the single one did: then their rareq-sz is smaller and a larger bs brings the rate back",
        "others used the disk in the second load: then its counters show more than the load's own",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("scheduler").job(&[
            "-ioengine=io_uring",
            "-rw=read",
            "-bs=128k",
            "-numjobs=4",
            "-size=1g",
            "-offset_increment=1g",
            "-direct=1",
        ])
    }),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

const SEEKING_SHARE: f64 = 0.7;
const OTHER_SHARE: f64 = 0.5;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let disk = *scene.disks().first()?;
    let seeks = match scene.medium()? {
        Medium::Rotational => true,
        Medium::Flash | Medium::Nvme => disk.fact("transport") == Some("usb"),
        // A hypervisor's or provider's share of a disk is judged elsewhere.
        Medium::Memory | Medium::Network | Medium::Virtual => return None,
    };
    let streams = scene.probe(Role::Streams)?;
    let (one, several) = (
        scene.probe(Role::Stream)?.bytes_per_s(),
        streams.bytes_per_s(),
    );
    let share = several / one;
    let (level, limit) = if seeks {
        (Level::Warning, SEEKING_SHARE)
    } else {
        (Level::Note, OTHER_SHARE)
    };
    if one <= 0.0 || share >= limit {
        return None;
    }
    let setting = |name: &str| {
        disk.setting(name)
            .and_then(|setting| setting.chosen())
            .unwrap_or("unknown")
            .to_string()
    };
    let (jobs, percent) = (streams.job.numjobs, share * 100.0);
    Some(
        found(
            level,
            &disk.name,
            format!("{jobs} streams together get {percent} of what one gets on {}.", disk.name, percent = units::percent_whole(percent)),
        )
        .shows("one stream", units::bytes_per_s(one))
        .shows("all streams", units::bytes_per_s(several))
        .shows("scheduler", setting("scheduler"))
        .shows("read_ahead_kb", setting("read_ahead_kb"))
        .refuted_by("the streams get as much together when each reads in larger pieces")
        .advise(
            "Try bfq or mq-deadline and a larger read_ahead_kb under several streams, or run them in turn.",
        )
        .costs(streams.phrase(), (1.0 - share) / (1.0 + share))
        // Up to what one stream shows to be possible, of which a scheduler gives back about half.
        .gains((1.0 / share.max(0.05) - 1.0) / 2.0),
    )
}
