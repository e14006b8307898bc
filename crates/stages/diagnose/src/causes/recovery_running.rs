//! # A cluster that recovers or rebalances
//!
//! Also: recovery, backfill, `osd_max_backfills`, `osd_recovery_sleep`, mclock, misplaced, remapped.
//!
//! ## What it finds
//! Placement groups that are being recovered or backfilled: a warning. Where they only wait for their turn it is a note.
//!
//! ## Why it matters
//! Recovery reads and writes whole objects on the same disks and over the same network as clients. How much of them it may take is a
//! setting; the rates beside each other tell what it takes now.
//!
//! ## What to try
//! Up to Ceph 16: `ceph config set osd osd_max_backfills 1` and a larger `osd_recovery_sleep`. From 17 on, with mclock,
//! `ceph config set osd osd_mclock_profile high_client_ops`. Less recovery means fewer copies for longer.
//!
//! ## Example
//! ```scene
//! cluster: ceph cluster_pgs=33 pgs_recovering=12 recovering_bytes_per_s=62914560 client_write_bytes_per_s=31457280 misplaced_share=0.21
//! pool: vms pool_size=3
//! expect: warning says "12 of 33" says "60.0 MiB/s" about ceph
//! ```
//! ```scene
//! cluster: ceph cluster_pgs=33 pgs_waiting_to_recover=4
//! pool: vms pool_size=3
//! expect: note says "wait" about ceph
//! ```
//!
//! ## Stays silent
//! ```scene
//! cluster: ceph cluster_pgs=33 client_write_bytes_per_s=31457280
//! pool: vms pool_size=3
//! ```
//! Short of a place, nothing moves:
//! ```scene
//! cluster: ceph cluster_pgs=33 pgs_toofull=4
//! pool: vms pool_size=3
//! ```
//!
//! ## Seen
//! Not produced: the states are those of Ceph's documentation.
//!
//! ## Sources
//! - Ceph documentation: Placement Group States; OSD Config Reference, `osd_max_backfills`, `osd_recovery_sleep`; mClock Config Reference
//! - `ceph status`, `recovering_bytes_per_sec`: Ceph `src/mon/PGMap.cc`, `recovery_rate_summary`

use crate::ceph_parts::cluster;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "recovery_running",
    since: "0.1.0",
    summary: "a Ceph cluster that recovers or backfills beside the load",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "one OSD is slow, and recovery only makes it show: then its commit latency stands out in ceph osd perf when recovery is over too",
        "the load itself fills the disks: then latency stays high while recovery is held",
    ],
    experiment: Experiment::Line(
        "{ceph} osd set nobackfill && {ceph} osd set norecover # latency falls within seconds if it was this; then the same with unset",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What the finding gains where no rates tell: half of a disk is the usual case.
const GAIN_UNKNOWN: f64 = 0.3;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let count = |name: &str| cluster.number(name).filter(|count| *count > 0.0);
    let running = count("pgs_recovering");
    let waiting = count("pgs_waiting_to_recover");
    let number = running.or(waiting)?;
    let moved = cluster.number("recovering_bytes_per_s");
    let of_clients = ["client_read_bytes_per_s", "client_write_bytes_per_s"];
    let clients: f64 = of_clients
        .iter()
        .filter_map(|name| cluster.number(name))
        // The sum of no numbers is -0.
        .fold(0.0, |sum, rate| sum + rate);
    let of = format!(
        "{} of {} placement groups",
        units::whole(number),
        cluster.fact("cluster_pgs").unwrap_or("all")
    );
    let claim = match (running, moved) {
        (Some(_), Some(moved)) => format!(
            "The cluster recovers {of} at {}, beside {} of clients.",
            units::bytes_per_s(moved),
            units::bytes_per_s(clients)
        ),
        (Some(_), None) => format!("The cluster recovers {of}."),
        (None, _) => format!("{of} wait for their turn to recover."),
    };
    let share = |name: &str| cluster.number(name).map_or("none".into(), units::share);
    let level = if running.is_some() {
        Level::Warning
    } else {
        Level::Note
    };
    let taken = moved.map_or(GAIN_UNKNOWN, |moved| moved / (moved + clients).max(1.0));
    Some(
        found(level, &cluster.name, claim)
            .shows(
                "pg_states",
                cluster.fact("pg_states").unwrap_or("not known"),
            )
            .shows("misplaced_share", share("misplaced_share"))
            .shows("degraded_share", share("degraded_share"))
            .refuted_by("latency stays the same while nobackfill and norecover are set")
            .advise("Let recovery take less while the load matters, or wait until it is over.")
            .gains(if running.is_some() {
                taken.clamp(0.05, 0.5)
            } else {
                0.0
            }),
    )
}
