//! # A rate that is capped from outside
//!
//! ## What it finds
//! Random reads of the check that are flat to 3 % for a second and more, with latencies in two steps or after a
//! beginning that was at least 1.3 times faster: a token bucket. Where the disk's size is known and its provider sells
//! a type whose formula gives that rate, it is named. Loads that are long enough for the rule `token_bucket` are left
//! to it.
//!
//! Or completions in pulses: as many at once, more than were in flight, then nothing until the next tick of a clock.
//!
//! On a virtual or a network disk also a rate that is flat to 3 % at two depths, of which one is twice the other and more,
//! and the same to 2 % at both, while the load left its CPU half idle: a bucket without a stock. What is merely saturated
//! looks the same, so this is a note unless the rate is a round figure or one that is sold.
//!
//! A rate that is just what the disk is sold with (`--disk-spec`) is no finding: `promise_reached` says so.
//!
//! ## Why it matters
//! A hypervisor, a provider or a control group hands out so many I/Os a second. As long as there are tokens I/Os are
//! fast, then each waits for the next one. The median says nothing about it, and no setting of the kernel moves the
//! rate.
//!
//! ## What to try
//! `iodyno cloud` says what a type and size promise and what the next one costs in IOPS. More size, more provisioned
//! IOPS or another type help; nothing in the kernel does.
//!
//! ## Example
//! ```scene
//! disk: vda transport=virtio size_bytes=366g
//! probe: depth read=1570@947us+105@1200us+945@8ms depth=64 elapsed=2600ms
//! bins: 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015 2015
//! expect: warning says "flat at 20.1 k IOPS" says "essd-pl1 of 366 GiB" about vda
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=6000@1ms depth=32 elapsed=2600ms
//! bins: 300 600 600 600 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300 300
//! expect: warning says "6.00 k IOPS at first" about vda
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=2200@8ms depth=8 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! probe: depth read=2200@32ms depth=32 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! expect: warning says "1.00 k IOPS at depths 8 and 32 alike" about vda
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! probe: depth read=480@20ms depth=8 elapsed=3600ms
//! bins: 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0
//! expect: warning says "133 IOPS in pulses of 40 I/Os every 300 ms" about sda
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=2574@7ms depth=8 elapsed=2200ms
//! bins: 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117
//! probe: depth read=2574@27ms depth=32 elapsed=2200ms
//! bins: 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117 117
//! expect: note says "perhaps" about vda
//! ```
//!
//! ## Stays silent
//! It gives what it was sold with:
//! ```scene
//! promise: iops=1000
//! disk: vda transport=virtio
//! probe: depth read=2200@8ms depth=8 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! probe: depth read=2200@32ms depth=32 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! probe: depth read=480@290ms depth=40 elapsed=3600ms
//! bins: 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0 40 0 0
//! ```
//! ```scene
//! machine: io_limits=vda_riops_1000
//! disk: vda transport=virtio
//! probe: depth read=2200@8ms depth=8 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! probe: depth read=2200@32ms depth=32 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme
//! probe: depth read=9000@90us+1000@120us depth=32 elapsed=2600ms
//! bins: 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010 5000 5010
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=1570@947us+945@8ms depth=64 elapsed=2s
//! bins: 1500 2900 2015 900 1500 2900 2015 900 1500 2900 2015 900 1500 2900 2015 900 1500 2900 2015 900 1500 2900 2015 900
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=60@947us+40@8ms depth=64 elapsed=1s
//! bins: 10 10 10 10
//! ```
//! ```scene
//! disk: sda transport=sata rotational=0
//! probe: depth read=2200@8ms depth=8 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! probe: depth read=2200@32ms depth=32 elapsed=2200ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! ```
//! ```scene
//! disk: vda transport=virtio
//! probe: depth read=2200@8ms depth=8 elapsed=2200ms cpu=1900ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! probe: depth read=2200@32ms depth=32 elapsed=2200ms cpu=1900ms
//! bins: 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100
//! ```
//!
//! ## Seen
//! In the lab: `cloud_guest`, on a disk that QEMU holds at 400 I/Os a second; a disk beside it without a limit is not found.
//!
//! ## Sources
//! - A field report of a cloud disk: 20,151 IOPS whatever was tried, p50 0.95 ms, a plateau from p70 to p99, 61,556 at first
//! - The formulas in the data of `iodyno cloud`, each with its source
//! - The thresholds are proposals of this project: a bucket refills by the clock, a medium does not.

use crate::cloud::{self, Match, Measured, Strength};
use crate::finding::{With, found};
use crate::measured::interval_rates;
use crate::seen::{limited, limits};
use crate::{Cause, Experiment, Medium, Scene};
use analyse::plateau;
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "rate_capped_outside",
    since: "0.1.0",
    summary: "a rate that a token bucket caps",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "a control group of this machine limits it: then the rule cgroup_limits_device says so too",
        "a device that is just that even: then another block size gives another number of bytes and of I/Os",
        "another machine on the same disk: then the rate is not flat",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} -- -rw=randread -bs=4k -iodepth=32 -direct=1 -runtime=60 # again with -bs=16k, and iodyno cloud --record on both",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::Request],
    yields_to: &["burst_used_up"],
    judge,
};

/// Two depths have the same rate when they are as near as this.
const SAME: f64 = 0.02;

/// With more of one CPU than this the load itself may be what is flat.
const CPU_MAX: f64 = 0.5;

/// How a cap shows.
struct Cap {
    rate: f64,
    highest: f64,
    how: String,
    /// Whether nothing but a bucket looks so.
    is_certain: bool,
}

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(disk) = scene.path.queue_device() else {
        return Vec::new();
    };
    let deep = scene.probes.iter().filter(|probe| {
        probe.role == Role::Depth && probe.load.depth > 1 && !is_left_to_the_rule(probe)
    });
    // The deepest that shows it: shallow loads stay below the cap.
    let bucket = deep.filter_map(plateau_of).next_back().map(bucket);
    let cap = pulsed(scene).or(bucket).or_else(|| same_at_depths(scene));
    let cap = cap.filter(|cap| !is_our_own(scene, cap) && !is_promised(scene, cap));
    cap.map(|cap| finding(scene, disk, &cap))
        .into_iter()
        .collect()
}

/// Whether it is what the disk is sold with, for ever or in a burst: then nothing is wrong with it.
fn is_promised(scene: &Scene<'_>, cap: &Cap) -> bool {
    let sold = scene
        .promise
        .map(|promise| [promise.iops, promise.burst_iops]);
    sold.is_some_and(|sold| {
        sold.into_iter()
            .flatten()
            .any(|rate| cloud::is_kept(cap.rate, rate))
    })
}

/// Whether a control group of this machine has just this limit: then the rule `cgroup_limit_reached` names it.
fn is_our_own(scene: &Scene<'_>, cap: &Cap) -> bool {
    let is_it = |limit: &_| limited(scene, limit).is_some();
    limits(scene)
        .iter()
        .any(|one| one.what == "riops" && cloud::is_near(cap.rate, one.limit as f64) && is_it(one))
}

fn bucket(found: plateau::Plateau) -> Cap {
    let words = |ns: u64| units::duration_ns(ns as f64);
    let how = match found.steps {
        Some((low, high)) => {
            format!(
                "with latencies of {} and {} and little between",
                words(low),
                words(high)
            )
        }
        None => format!(
            "after {} IOPS at first",
            units::count(found.highest.round())
        ),
    };
    Cap {
        rate: found.settled,
        highest: found.highest,
        how,
        is_certain: true,
    }
}

/// Tokens that come by the clock, in the shallowest load that shows them: there most of a burst were not in flight.
fn pulsed(scene: &Scene<'_>) -> Option<Cap> {
    let loads = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Latency | Role::Depth));
    let found = loads.filter_map(|probe| {
        plateau::pulses(
            &probe.load.bins,
            probe.load.bin_ms,
            probe.load.depth.max(probe.job.iodepth),
        )
    });
    let pulses = found.min_by(|one, other| one.period_ms.total_cmp(&other.period_ms))?;
    let period = units::span_ms(pulses.period_ms.round() as u64);
    let how = format!(
        "in pulses of {} I/Os every {period}",
        units::whole(pulses.ios)
    );
    Some(Cap {
        rate: pulses.rate(),
        highest: pulses.rate(),
        how,
        is_certain: true,
    })
}

/// A bucket without a stock: no depth gives more, and no moment. What is physical saturates with more noise, but may be
/// as even, so that only disks are judged behind which somebody can stand with a bucket.
fn same_at_depths(scene: &Scene<'_>) -> Option<Cap> {
    let medium = scene
        .disks()
        .first()
        .and_then(|disk| scene.medium_of(disk))?;
    let flat = |(depth, probe): (u32, &Probe)| {
        let (rates, _) = cloud::series_of_bins(&probe.load, 12);
        let busy =
            (probe.load.cpu_user_ms + probe.load.cpu_system_ms) / probe.load.elapsed_ms.max(1.0);
        let noise = plateau::variation(&rates).filter(|_| rates.len() >= plateau::LEAST)?;
        let rate = stats::mean(&rates);
        (noise <= plateau::FLAT && busy <= CPU_MAX).then_some((depth, rate))
    };
    let flat: Vec<(u32, f64)> = scene.curve().into_iter().filter_map(flat).collect();
    let (deepest, rate) = *flat
        .last()
        .filter(|_| matches!(medium, Medium::Virtual | Medium::Network))?;
    let is_same =
        |(depth, other): &&(u32, f64)| depth * 2 <= deepest && (other / rate - 1.0).abs() <= SAME;
    let (depth, _) = flat.iter().find(is_same)?;
    Some(Cap {
        rate,
        highest: rate,
        how: format!("at depths {depth} and {deepest} alike"),
        is_certain: false,
    })
}

/// With enough intervals the rule `token_bucket` judges the same load.
fn is_left_to_the_rule(probe: &Probe) -> bool {
    interval_rates(&probe.load, |interval| interval.read.ios).len() >= 2 * plateau::LEAST
}

fn plateau_of(probe: &Probe) -> Option<plateau::Plateau> {
    let (rates, _) = cloud::series_of_bins(&probe.load, 40);
    plateau::of(&rates, &probe.load.latency())
}

fn finding(scene: &Scene<'_>, disk: &Layer, cap: &Cap) -> Finding {
    let (rate, how) = (units::count(cap.rate.round()), &cap.how);
    let named = name_of(scene, disk, cap.rate);
    let fits = named.as_ref().map(|one| {
        let size = one
            .size_gib
            .map(|[size, ..]| format!(" of {size} GiB", size = units::whole(size)))
            .unwrap_or_default();
        format!(
            " It is what {}:{}{size} is sold with.",
            one.provider, one.kind
        )
    });
    let is_sure = cap.is_certain || named.is_some() || is_round(cap.rate);
    let (level, what) = match is_sure {
        true => (
            Level::Warning,
            "a limit from outside, which no kernel setting moves",
        ),
        false => (Level::Note, "perhaps a limit from outside"),
    };
    let claim = format!(
        "{}: the rate is flat at {rate} IOPS {how}: {what}.{}",
        disk.name,
        fits.unwrap_or_default()
    );
    found(level, &disk.name, claim)
        .shows("settled", &rate)
        .shows("highest before", units::count(cap.highest.round()))
        .refuted_by("another depth or block size gives another rate in IOPS and in bytes")
        .advise(
            "Ask `iodyno cloud` what the type promises; a larger or another one is the only cure.",
        )
        .gains(0.3)
}

/// Whether a rate is one digit and noughts, as people set limits: 400, 3,000, 20,000. One in ten is by chance.
fn is_round(rate: f64) -> bool {
    let place = 10f64.powf(rate.max(1.0).log10().floor());
    let nearest = (rate / place).round() * place;
    (rate / nearest - 1.0).abs() <= 0.01
}

/// The type that this size of disk gives the rate with, where there is exactly one.
fn name_of(scene: &Scene<'_>, disk: &Layer, rate: f64) -> Option<Match> {
    let data = cloud::builtin();
    let bottom = scene.disks().into_iter().next().unwrap_or(disk);
    let measured = Measured {
        iops: Some(rate),
        size_gib: Some(bottom.number("size_bytes")? / (1u64 << 30) as f64),
        provider: cloud::machine_of(data, scene.path)
            .provider
            .unwrap_or_default(),
        ..Measured::default()
    };
    let fitting: Vec<Match> = cloud::recognise(data, &measured)
        .into_iter()
        .filter(|one| one.strength == Strength::Size)
        .collect();
    // Two types of one provider can share a formula; two providers are a coincidence.
    let first = fitting.first()?;
    fitting
        .iter()
        .all(|one| one.provider == first.provider)
        .then(|| first.clone())
}
