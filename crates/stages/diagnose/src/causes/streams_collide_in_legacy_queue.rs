//! # Many streams through the queue of an old kernel
//!
//! ## What it finds
//! Several sequential streams that together are slower than one, on a kernel before 5.0 whose single queue has the scheduler
//! noop or deadline.
//!
//! ## Why it matters
//! noop and deadline send requests as processes hand them in, so the streams of many processes reach the disk or its
//! controller mixed into one that looks random. cfq gave each process a slice of time and so kept them apart, even on flash
//! behind a RAID controller, which is why the same job could be ten times slower after an upgrade that changed the default.
//!
//! ## What to try
//! `cfq` in an experiment beside `deadline`. First look at the job: jobs that write the same blocks at the same time collide in
//! any scheduler, and `offset_increment` cures it.
//!
//! ## Example
//! ```scene
//! machine: kernel=3.10.0-693.el7.x86_64
//! disk: sda transport=sas rotational=0 raid_controller=megaraid_sas
//! setting: scheduler = noop [deadline] cfq
//! probe: stream read=400@2ms bs=1m
//! probe: streams read=80@10ms bs=1m numjobs=4
//! expect: warning says "20 % of what one stream" about sda
//! ```
//! ```scene
//! machine: kernel=4.4.0-210-generic
//! disk: sdb transport=sas rotational=1
//! setting: scheduler = [noop] deadline cfq
//! probe: stream read=150@6ms bs=1m
//! probe: streams read=60@16ms bs=1m numjobs=4
//! expect: warning says "40 % of what one stream" about sdb
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: kernel=3.10.0-693.el7.x86_64
//! disk: sda transport=sas rotational=0 raid_controller=megaraid_sas
//! setting: scheduler = noop [deadline] cfq
//! probe: stream read=400@2ms bs=1m
//! probe: streams read=390@10ms bs=1m numjobs=4
//! ```
//! ```scene
//! machine: kernel=3.10.0-693.el7.x86_64
//! disk: sda transport=sas rotational=0 raid_controller=megaraid_sas
//! setting: scheduler = noop [deadline] cfq
//! ```
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: sda transport=sas rotational=0
//! setting: scheduler = none [mq-deadline]
//! probe: stream read=400@2ms bs=1m
//! probe: streams read=80@10ms bs=1m numjobs=4
//! ```
//!
//! ## Seen
//! Not produced: it takes a kernel before 5.0 with the single-queue block layer, and the oldest that a guest of the lab can be
//! given is 5.10.
//!
//! ## Sources
//! - Linux 4.20 `Documentation/block/cfq-iosched.txt`, `slice_idle`; `Documentation/block/deadline-iosched.txt`
//! - Linux commit a1ce35fa4985, which took the single-queue schedulers away in 5.0
//! - The bound of seven tenths is a proposal of this project: a healthy disk loses little with four large streams.

use crate::causes_help_queue::{scheduler, streams};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "streams_collide_in_legacy_queue",
    since: "0.1.0",
    summary: "several streams slower than one, through noop or deadline of a kernel before 5.0",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the jobs share one range and collide by themselves: then offset_increment cures it under any scheduler",
        "the disk itself is slow with several streams: then cfq is as slow",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("scheduler=deadline,cfq,noop")
            .rw("write")
            .bs("4k")
            .numjobs(8)
    }),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Below this share of one stream, several together count as colliding.
const FALL: f64 = 0.7;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.kernel().is_none_or(|version| version.at_least(5, 0)) {
        return Vec::new();
    }
    let Some((one, several)) = streams(scene).filter(|(one, several)| *several < FALL * one) else {
        return Vec::new();
    };
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(disk, one, several))
        .collect()
}

fn finding(disk: &Layer, one: f64, several: f64) -> Option<Finding> {
    let word = scheduler(disk).filter(|word| matches!(*word, "noop" | "deadline"))?;
    let percent = several / one * 100.0;
    let claim = format!(
        "Several streams through {word} on {} together reach {percent} of what one stream reaches.",
        disk.name,
        percent = units::percent_whole(percent)
    );
    let finding = warning(&disk.name, claim)
        .shows("scheduler", word)
        .shows("one stream", units::bytes_per_s(one))
        .shows("several streams", units::bytes_per_s(several))
        .refuted_by("cfq gives the streams no more than this scheduler does")
        .advise(
            "Compare cfq with this scheduler, and first make sure that the jobs have ranges of their own.",
        )
        .costs("several streams", 1.0 - several / one)
        .gains((one / several.max(1.0) - 1.0).min(3.0));
    Some(finding)
}
