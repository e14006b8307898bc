//! # A CPU quota that holds the load
//!
//! ## What it finds
//! Loads whose threads were held by the CPU quota of their control group (`cpu.max`, version 1 `cpu.cfs_quota_us`) for a twentieth of
//! their time and more. A quota of less than one CPU that held none of them is a note.
//!
//! ## Why it matters
//! The kernel gives a quota in periods of 100 ms. Who has used it up stands still until the next one begins, and every I/O that is
//! done meanwhile is seen late: the median stays good, and p99 is tens of milliseconds. The disk has nothing to do with it.
//!
//! ## What to try
//! A larger quota, a shorter period, or a share (`cpu.weight`) in place of a quota. In Kubernetes it is the CPU limit of the container.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=5000@200us elapsed=2s
//! tasks: run=200ms delay=20ms throttled=1000ms
//! sleep: 60 10 io_cqring_wait
//! expect: warning says "50 %" says "CPU quota"
//! ```
//! The loads waited for something else:
//! ```scene
//! machine: cpu_limit=0.3
//! disk: sda transport=sata
//! probe: latency read=100@20ms elapsed=2s
//! tasks: run=20ms throttled=0ms
//! sleep: 160 10 io_cqring_wait
//! expect: note says "0.3 CPUs"
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=5000@200us elapsed=2s
//! tasks: run=200ms delay=20ms throttled=30ms
//! sleep: 160 10 io_cqring_wait
//! ```
//! A quota that one thread cannot use up:
//! ```scene
//! machine: cpu_limit=2
//! disk: sda transport=sata
//! probe: latency read=100@20ms elapsed=2s
//! tasks: run=20ms throttled=0ms
//! sleep: 160 10 io_cqring_wait
//! ```
//! There is no quota:
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=5000@200us elapsed=2s
//! tasks: run=200ms delay=900ms
//! sleep: 60 10 io_cqring_wait
//! ```
//!
//! ## Seen
//! On a live kernel: a group with a quota of a tenth of a CPU (version 1, Linux 6.18).
//!
//! ## Sources
//! - Linux `Documentation/scheduler/sched-bwc.rst`; `Documentation/admin-guide/cgroup-v2.rst`, `cpu.max`
//! - The twentieth is a proposal of this project.

use crate::finding::{With, note, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::time_account::{TimeAccount, TimePlace};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cpu_quota_holds_load",
    since: "0.1.0",
    summary: "a CPU quota of the control group that holds the threads of a load",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "other programs take the CPUs: then the threads wait in run queues, and `cpu.stat` counts no throttled time",
    ],
    experiment: Experiment::Line(
        "iodyno check {target} --quick # once outside the control group: its loads are not held",
    ),
    contrast: None,
    knob: None,
    explains: &[TimePlace::CpuThrottled],
    yields_to: &[],
    judge,
};

/// Held from this share of the time on counts.
const HELD: f64 = 0.05;

/// What is left without the wait is hardly known, so that no more is promised than three times the rate.
const GAIN_MOST: f64 = 2.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let share = |account: &TimeAccount| account.share(TimePlace::CpuThrottled);
    let accounts = scene.accounts();
    let worst = accounts
        .iter()
        .max_by(|one, other| share(one).total_cmp(&share(other)));
    let held = worst.filter(|account| share(account) >= HELD);
    let found = held.map(|account| of_load(account, share(account)));
    found.or_else(|| small(scene)).into_iter().collect()
}

fn of_load(account: &TimeAccount, held: f64) -> Finding {
    let claim = format!(
        "Under {} the CPU quota of the control group held the load for {} of the time of a {}.",
        account.load,
        units::share(held),
        account.io
    );
    let found = warning("", claim)
        .shows("held by the CPU quota", units::share(held))
        .gains((held / (1.0 - held).max(0.05)).min(GAIN_MOST));
    advised(found)
}

/// A quota that one thread could use up, and no load here did.
fn small(scene: &Scene<'_>) -> Option<Finding> {
    let machine = scene.path.machine.as_ref()?;
    let cpus: f64 = machine.fact("cpu_limit")?.parse().ok()?;
    let of = machine
        .fact("cpu_limit_from")
        .map_or(String::new(), |group| format!(" {group}"));
    let claim =
        format!("The control group{of} may use {cpus} CPUs; no load here was held by that.");
    let found = note("", claim).shows("CPU quota", format!("{cpus} CPUs"));
    (cpus < 1.0).then(|| advised(found))
}

fn advised(found: Finding) -> Finding {
    found
        .refuted_by("the loads are as slow outside the control group")
        .advise("Raise the quota of the group (cpu.max, version 1 cpu.cfs_quota_us), or give it a weight instead.")
}
