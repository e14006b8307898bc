//! # Programs that take the CPUs
//!
//! ## What it finds
//! Loads whose threads were able to run and waited for a CPU for a tenth of their time and more, while other programs used the CPUs.
//!
//! ## Why it matters
//! An I/O that is done is not seen until its thread gets a CPU, and the next one is not sent before. The disk stands still meanwhile,
//! and all counters of the disk look well. A thread of low priority (`nice`) waits longest.
//!
//! ## What to try
//! Give the programs that need the disk CPUs of their own (`taskset`, cpusets), a higher share (`cpu.weight`, version 1
//! `cpu.shares`), or the others a lower priority.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=5000@200us elapsed=2s
//! tasks: run=200ms delay=700ms
//! user: stress-ng 1.9
//! probe: fsync write=500@4ms elapsed=2s
//! tasks: run=100ms delay=900ms
//! user: stress-ng 1.9
//! expect: warning says "stress-ng (process 4242) used 1.90 CPUs" says "45 %"
//! ```
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=5000@200us elapsed=2s
//! tasks: run=200ms delay=1200ms nice=19
//! user: make 1.0
//! expect: warning says "at nice 19"
//! ```
//!
//! A thread that only sleeps and wakes waits for a CPU as well, so that no load could be made in time:
//! ```scene
//! disk: sda transport=sata
//! probe: idle elapsed=500ms
//! tasks: run=5ms delay=300ms nice=19
//! user: make 1.9
//! expect: warning says "Before any load iodyno at nice 19 waited"
//! ```
//!
//! ## Stays silent
//! The threads get what they ask for:
//! ```scene
//! disk: sda transport=sata
//! probe: latency read=5000@200us elapsed=2s
//! tasks: run=200ms delay=60ms
//! user: stress-ng 0.9
//! ```
//! Nobody else is there: the load has more threads than CPUs.
//! ```scene
//! disk: sda transport=sata
//! probe: streams read=5000@200us elapsed=2s depth=16
//! tasks: run=800ms delay=700ms
//! ```
//!
//! ## Seen
//! On a live kernel: two busy loops on two CPUs (Linux 6.18).
//!
//! ## Sources
//! - Linux `Documentation/scheduler/sched-stats.rst`, `/proc/<pid>/schedstat`: time spent waiting on a run queue
//! - The tenth, and the third of a CPU that others use, are proposals of this project.

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::time_account::{CpuUser, TaskTimes, TimePlace};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cpus_taken_by_others",
    since: "0.1.0",
    summary: "threads of a load that wait for a CPU while other programs use them",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "the hypervisor ran other guests: then cpu.steal_percent is above 5",
        "a CPU quota holds the load: then `cpu.stat` of its control group counts throttled time",
    ],
    experiment: Experiment::Line(
        "iodyno check {target} --quick # once with the other programs stopped: the loads wait no longer",
    ),
    contrast: None,
    knob: None,
    // Kernel threads that commit a journal, map a device or end an I/O wait for the same CPUs.
    explains: &[
        TimePlace::CpuWait,
        TimePlace::Journal,
        TimePlace::Mapping,
        TimePlace::Completion,
    ],
    yields_to: &[],
    judge,
};

/// Waiting for a CPU from this share of the time on counts.
const WAITED: f64 = 0.1;
/// Others use this much, CPUs.
const OTHERS_CPUS: f64 = 0.3;

/// What is left without the wait is hardly known, so that no more is promised than three times the rate.
const GAIN_MOST: f64 = 2.0;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let under_load = scene.accounts().into_iter().filter_map(|account| {
        let probe = scene.probes.iter().find(|one| one.phrase() == account.load);
        let when = format!("Under {} the load", account.load);
        let of = format!("of the time of a {}", account.io);
        Some(WaitForCpu {
            tasks: probe?.tasks.as_ref()?,
            share: account.share(TimePlace::CpuWait),
            when,
            of,
        })
    });
    let idle = scene
        .probe(Role::Idle)
        .and_then(|probe| probe.tasks.as_ref());
    let before = idle.map(|tasks| WaitForCpu {
        tasks,
        share: tasks.delay_ms / tasks.alive_ms.max(1e-9),
        when: "Before any load iodyno".into(),
        of: "of the time".into(),
    });
    let long = under_load.chain(before).filter(WaitForCpu::is_explained);
    let worst = long.max_by(|one, other| one.share.total_cmp(&other.share));
    worst.map(finding).into_iter().collect()
}

/// How long threads waited for a CPU, and when.
struct WaitForCpu<'a> {
    tasks: &'a TaskTimes,
    share: f64,
    when: String,
    of: String,
}

impl WaitForCpu<'_> {
    /// Whether it is long, and others were seen to use the CPUs meanwhile. A short load can end before they are seen.
    fn is_explained(&self) -> bool {
        self.share >= WAITED && self.others_cpus() >= OTHERS_CPUS
    }

    /// What others used, CPUs.
    fn others_cpus(&self) -> f64 {
        self.tasks.cpu_users.iter().map(|user| user.cpus).sum()
    }
}

fn finding(wait: WaitForCpu<'_>) -> Finding {
    let cpus = wait.others_cpus();
    let WaitForCpu { tasks, share, .. } = wait;
    let nice = match tasks.nice {
        1.. => format!(" at nice {}", tasks.nice),
        _ => String::new(),
    };
    let who: Vec<String> = tasks.cpu_users.iter().map(words).collect();
    let claim = format!(
        "{}{nice} waited for a CPU {} {}: {}.",
        wait.when,
        units::share(share),
        wait.of,
        who.join(", ")
    );
    warning("", claim)
        .shows("waiting for a CPU", units::share(share))
        .shows("CPUs used by others", units::decimals(cpus, 2))
        .shows("CPUs allowed", tasks.cpus)
        .shows("nice", tasks.nice)
        .refuted_by("the loads are as slow with the other programs stopped")
        .advise("Stop or move the other programs (taskset, cpuset), or give this one a larger share of the CPUs.")
        .gains((share / (1.0 - share).max(0.05)).min(GAIN_MOST))
}

fn words(user: &CpuUser) -> String {
    format!(
        "{} (process {}) used {} CPUs",
        user.name,
        user.pid,
        units::decimals(user.cpus, 2)
    )
}
