//! # Reads that wait behind writes
//!
//! ## What it finds
//! Beside a stream of writes, the slowest hundredth of the reads takes more than 20 times the median, and more than ten times
//! what it took without the writes; the device answers faster than a
//! platter and has the scheduler none, noop or mq-deadline.
//!
//! ## Why it matters
//! None of these knows whose request it is, and none keeps writes back while reads are late: a tenant who copies files
//! decides how long the others' queries take.
//!
//! ## What to try
//! `kyber` or `bfq`, which keep writes back or share the device out; `io.cost` or `io.max` of the control group that writes.
//! Each costs throughput: measure both sides.
//!
//! ## Example
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: scheduler = [none] mq-deadline kyber bfq
//! probe: latency read=9000@90us
//! probe: mixed read=950@200us+50@9ms write=3000@2ms depth=32
//! expect: warning says "times the median" about nvme0n1
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! setting: scheduler = none [mq-deadline]
//! probe: latency read=5000@150us
//! probe: mixed read=900@400us+100@40ms write=900@30ms depth=32
//! expect: warning says "without the writes" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: scheduler = [none] mq-deadline kyber bfq
//! probe: latency read=9000@90us
//! probe: mixed read=950@200us+50@1ms write=3000@2ms depth=32
//! ```
//! The tail is there without the writes: a limit of the device or its host.
//! ```scene
//! disk: vda transport=virtio rotational=1
//! setting: scheduler = none [mq-deadline]
//! probe: latency read=950@200us+50@8ms
//! probe: mixed read=950@200us+50@9ms write=3000@2ms depth=32
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme_(pcie) rotational=0
//! setting: scheduler = none mq-deadline [kyber] bfq
//! probe: latency read=9000@90us
//! probe: mixed read=950@200us+50@9ms write=3000@2ms depth=32
//! ```
//!
//! ## Seen
//! In the lab: `reads_behind_writes`, a null_blk disk of 100 MiB a second on Linux 6.1, which stands still for the rest of a
//! tick once the writes have used up its rate: reads with a median of 49 µs and a p99 of 59 ms, 0.23 ms without the writes.
//!
//! ## Sources
//! - Ren et al., "BFQ, Multiqueue-Deadline, or Kyber?", ICPE 2024, doi 10.1145/3629526.3645053: up to 99.3 % lower tails
//! - Linux `block/kyber-iosched.c`; `Documentation/admin-guide/cgroup-v2.rst`, IO Latency and io.cost
//! - The factors 20 and 10 and the 5 ms that a tail has to reach are proposals of this project: NVMe disks at rest have tails of two to six times the median.

use crate::causes_help_queue::{is_fast, scheduler};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "reads_starved_by_writes",
    since: "0.1.0",
    summary: "readers whose tail grows tenfold and more beside a writer, with no scheduler that keeps the writer back",
    level: Level::Warning,
    risk: Risk::CostsLatency,
    competing: &[
        "the flash itself stalls reads while it erases: then D2C has the tail, and kyber with a smaller write depth helps little",
        "the provider's token bucket is empty: then reads alone have the same two steps",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("scheduler=none,kyber,bfq").rw("randrw")),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

/// Tail over median, from which readers count as starved.
const TAIL: f64 = 20.0;
/// A shorter tail is nobody's trouble, us.
const LEAST_US: f64 = 5000.0;
/// Tail beside writes over tail without.
const GROWTH: f64 = 10.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(starved) = Starved::of(scene) else {
        return Vec::new();
    };
    let fast = scene
        .disks()
        .into_iter()
        .filter(|disk| is_fast(scene, disk));
    fast.filter_map(|disk| starved.finding(disk)).collect()
}

/// The latencies of reads, us.
struct Starved {
    median: f64,
    tail: f64,
    alone: f64,
}

impl Starved {
    fn of(scene: &Scene<'_>) -> Option<Starved> {
        let mixed = scene.probe(Role::Mixed)?;
        let read =
            |probe: &Probe, share| Some(probe.load.read.latency.quantile_ns(share)? as f64 / 1e3);
        let starved = Starved {
            median: read(mixed, 0.5)?,
            tail: read(mixed, 0.99)?,
            alone: read(scene.probe(Role::Latency)?, 0.99)?,
        };
        let is_starved = starved.tail > TAIL * starved.median
            && starved.tail > GROWTH * starved.alone
            && starved.tail > LEAST_US;
        (is_starved && mixed.load.write.ios > 0).then_some(starved)
    }

    fn finding(&self, disk: &Layer) -> Option<Finding> {
        let word =
            scheduler(disk).filter(|word| matches!(*word, "none" | "noop" | "mq-deadline"))?;
        let us = |us: f64| units::duration_ns(us * 1e3);
        let claim = format!(
            "Beside writes the slowest hundredth of the reads of {} takes {} and more, {} times the median and {} times \
             what it takes without the writes.",
            disk.name,
            us(self.tail),
            units::whole(self.tail / self.median),
            units::whole(self.tail / self.alone)
        );
        let finding = warning(&disk.name, claim)
            .shows("scheduler", word)
            .shows("read p50 beside writes", us(self.median))
            .shows("read p99 beside writes", us(self.tail))
            .shows("read p99 alone", us(self.alone))
            .refuted_by("the tail stays when the writes go to another disk")
            .advise("Compare kyber and bfq, or limit the writer's control group; both cost the writer throughput.")
            .gains(0.5);
        Some(finding)
    }
}
