//! # One OSD that is slower than the others
//!
//! Also: `ceph osd perf`, slow OSD, commit latency, apply latency.
//!
//! ## What it finds
//! An OSD of the path's pools whose commit latency is more than three times the median of the OSDs of its device class, clearly above it
//! (20 ms where it is a rotating disk or the class is not known, else 5 ms), and further from it than five times the usual distance (the
//! median absolute deviation, scaled to a standard deviation). Ceph counts whole milliseconds: where the median is 0, the others take
//! less than one or had nothing to commit, and 100 ms (else 20 ms) it must be. The figures are proposals of this project.
//!
//! ## Why it matters
//! A write is done when all of its copies are. Of 100 placement groups on 12 OSDs with three copies, a quarter has a copy on any given
//! one: a single tired disk is in a quarter of all writes, and sets their tail.
//!
//! ## What to try
//! On its host: `smartctl -a` of its disk, `iostat -x 1` beside that of another OSD, limits of its control group, its controller. Until it
//! is replaced, `ceph osd primary-affinity osd.N 0` takes reads off it, and `ceph osd reweight osd.N 0.8` a part of its data.
//!
//! ## Example
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 pg_num=64
//! osd: osd.0 commit_ms=3.1 peers_commit_ms=3.0 peers_spread_ms=0.4
//! osd: +osd.1 commit_ms=41.0 peers_commit_ms=3.0 peers_spread_ms=0.4 osd_host=n3 osd_devices=sdd
//! osd: +osd.2 commit_ms=2.6 peers_commit_ms=3.0 peers_spread_ms=0.4
//! expect: warning says "osd.1 (sdd on n3)" says "13.7 times" about osd.1
//! ```
//!
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=2 pg_num=8
//! osd: osd.0 device_class=ssd commit_ms=0.000 peers_commit_ms=0.000 peers_spread_ms=0.000
//! osd: +osd.2 device_class=ssd commit_ms=728.000 peers_commit_ms=0.000 peers_spread_ms=0.000
//! expect: warning says "osd.2 takes 728 ms to commit" says "less than 1 ms" about osd.2
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 pg_num=64
//! osd: osd.0 commit_ms=3.1 peers_commit_ms=3.0 peers_spread_ms=0.4
//! osd: +osd.1 commit_ms=7.9 peers_commit_ms=3.0 peers_spread_ms=0.4
//! ```
//! Where all differ much, one that is far off is none of its own:
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 pg_num=64
//! osd: osd.0 commit_ms=2.0 peers_commit_ms=8.0 peers_spread_ms=6.0
//! osd: +osd.1 commit_ms=40.0 peers_commit_ms=8.0 peers_spread_ms=6.0
//! ```
//! On a rotating disk a single commit may take so long, while the others have none:
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_size=3 pg_num=64
//! osd: osd.0 device_class=hdd commit_ms=0.000 peers_commit_ms=0.000 peers_spread_ms=0.000
//! osd: +osd.1 device_class=hdd commit_ms=40.000 peers_commit_ms=0.000 peers_spread_ms=0.000
//! ```
//!
//! ## Seen
//! On a live kernel: Ceph 16.2.15 with three OSDs on one host, one of them on a loop device held to 20 writes a second by
//! `blkio.throttle.write_iops_device`: `ceph osd perf` had 728 ms for it and 0 for the others under 4 KiB writes.
//!
//! ## Sources
//! - Ceph documentation: Monitoring a Cluster, `ceph osd perf`; Ceph `src/os/bluestore/BlueStore.cc`, `get_cur_stats`: the mean over the
//!   interval since the last report
//! - Rousseeuw and Croux: Alternatives to the Median Absolute Deviation, 1993: 1.4826 times it estimates a standard deviation

use crate::ceph_parts::{osd_words, osds};
use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "osd_slower_than_others",
    since: "0.1.0",
    summary: "an OSD whose disk commits much slower than those of the others",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "it alone had anything to commit: then its placement groups are the ones that the load writes to",
        "it recovers, backfills or scrubs more than the others: then ceph pg ls-by-osd shows its placement groups at that",
        "it holds more placement groups than the others: then its pgs in ceph osd df stand out",
        "its host is short of CPU or memory: then the other OSDs of that host are slow as well",
    ],
    experiment: Experiment::Line(
        "{ceph} osd perf # again after a minute: the same OSD stands out, or it was chance; then iostat -x 1 of its disk on its host",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const TIMES: f64 = 3.0;
/// Standard deviations, estimated by 1.4826 times the median absolute deviation.
const DEVIATIONS: f64 = 5.0;
const MAD_TO_DEVIATION: f64 = 1.4826;
/// What Ceph tells apart: it counts whole milliseconds.
const RESOLUTION_MS: f64 = 1.0;

/// How far from the others an OSD must be, ms: where they are known to commit, and where they may have had nothing to commit.
struct Apart {
    from_busy: f64,
    from_idle: f64,
}

/// Of a disk that turns, or may turn: a commit with a seek or two.
const ROTATING: Apart = Apart {
    from_busy: 20.0,
    from_idle: 100.0,
};
const FLASH: Apart = Apart {
    from_busy: 5.0,
    from_idle: 20.0,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    osds(scene).into_iter().filter_map(finding).collect()
}

fn finding(osd: &Layer) -> Option<Finding> {
    let (own, peers) = (osd.number("commit_ms")?, osd.number("peers_commit_ms")?);
    let spread = osd.number("peers_spread_ms").unwrap_or(0.0);
    let apart = match osd.fact("device_class") {
        Some("ssd" | "nvme") => FLASH,
        _ => ROTATING,
    };
    let are_known = peers >= RESOLUTION_MS;
    let least = if are_known {
        apart.from_busy
    } else {
        apart.from_idle
    };
    let distance = own - peers;
    let is_slow = own > TIMES * peers
        && distance > least
        && distance > DEVIATIONS * MAD_TO_DEVIATION * spread;
    if !is_slow {
        return None;
    }
    let times = own / peers.max(RESOLUTION_MS);
    let beside = match are_known {
        true => format!("{} times as long as the others", units::decimals(times, 1)),
        false => "the others less than 1 ms or nothing".into(),
    };
    let claim = format!(
        "{} takes {} to commit, {beside}.",
        osd_words(osd),
        units::duration_ns(own * 1e6)
    );
    let fact = |name: &str| osd.fact(name).unwrap_or("not known").to_string();
    let host = osd.fact("osd_host").unwrap_or("its host");
    let disks = osd.fact("osd_devices").unwrap_or("its disk");
    Some(
        warning(&osd.name, claim)
            .shows("commit_ms", fact("commit_ms"))
            .shows("peers_commit_ms", fact("peers_commit_ms"))
            .shows("apply_ms", fact("apply_ms"))
            .refuted_by("a minute later another OSD is the slowest")
            .advise(format!(
                "Look at {disks} on {host}: smartctl -a, iostat -x 1, limits of its control group."
            ))
            .gains((times - 1.0).min(3.0)),
    )
}
