//! # A pool with a single copy
//!
//! Also: `size 1`, `POOL_NO_REDUNDANCY`, `min_size`, `mon_allow_pool_size_one`.
//!
//! ## What it finds
//! A replicated pool of size 1. A pool whose `min_size` equals its size is a note: it stops with the first OSD that fails.
//!
//! ## Why it matters
//! With one copy, the first disk that fails loses data, and nothing in the cluster can tell a damaged object from a good one. It is also
//! faster than the same pool with copies, so what is measured on it is not what a safe pool gives.
//!
//! ## What to try
//! `ceph osd pool set POOL size 3`, `ceph osd pool set POOL min_size 2`: copies are made while the pool is in use.
//!
//! ## Example
//! ```scene
//! cluster: ceph health=HEALTH__WARN
//! pool: scratch pool_type=replicated pool_size=1 pool_min_size=1
//! expect: warning says "single copy" about scratch
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_type=replicated pool_size=2 pool_min_size=2
//! expect: note says "stops" about vms
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: vms pool_type=replicated pool_size=3 pool_min_size=2
//! ```
//! ```scene
//! cluster: ceph health=HEALTH__OK
//! pool: cold pool_type=erasure-coded pool_size=6 pool_min_size=5
//! ```
//!
//! ## Seen
//! Not produced: the size is read, not measured.
//!
//! ## Sources
//! - Ceph documentation: Health checks, `POOL_NO_REDUNDANCY`; Pools, `size` and `min_size`

use crate::ceph_parts::pools;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "pool_without_copies",
    since: "0.1.0",
    summary: "a Ceph pool with one copy, or without one to spare",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "it is meant so, for data that can be made anew: then nothing else lies in the pool",
    ],
    experiment: Experiment::Line(
        "{ceph} osd pool get {device} size && {ceph} osd pool get {device} min_size # how many copies there are, and how many are needed",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    pools(scene).filter_map(finding).collect()
}

fn finding(pool: &Layer) -> Option<Finding> {
    let copies = pool.number("pool_size").filter(|copies| *copies >= 1.0)?;
    if pool.fact("pool_type") == Some("erasure-coded") {
        return None;
    }
    let (level, claim) = if copies < 2.0 {
        let claim = format!(
            "The pool {} keeps a single copy: the first OSD that fails loses data.",
            pool.name
        );
        (Level::Warning, claim)
    } else if pool.number("pool_min_size") == Some(copies) {
        let claim = format!(
            "The pool {} stops with the first OSD that fails: it needs all of its copies.",
            pool.name
        );
        (Level::Note, claim)
    } else {
        return None;
    };
    let fact = |name: &str| pool.fact(name).unwrap_or("not known").to_string();
    Some(
        found(level, &pool.name, claim)
            .shows("pool_size", fact("pool_size"))
            .shows("pool_min_size", fact("pool_min_size"))
            .refuted_by("ceph osd pool get shows a larger size, or a smaller min_size")
            .advise("Give the pool three copies, two of which are needed."),
    )
}
