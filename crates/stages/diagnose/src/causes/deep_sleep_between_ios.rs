//! # A CPU that falls asleep while one I/O is under way
//!
//! Also: C-states, cpuidle, `i7z`, `turbostat`, `powertop`.
//!
//! ## What it finds
//! One read at a time takes more than 10 % longer than one of four or eight that are under way together: waiting costs
//! more than competing, because something wakes up for every I/O. And the CPU has idle states that it leaves slowly: 20 µs or
//! more, and at least a tenth of the read's time. A note where only the second can be seen: an exit time of a quarter of
//! one read's or more. The shares are proposals of this project.
//!
//! ## Why it matters
//! A database that waits for one read or one commit pays the wake-up every time: it can be half of the latency of a fast
//! disk, and no setting of the disk changes it.
//!
//! ## What to try
//! `iodyno tune --knob cpu_latency_us`, which tries it and lets go. To keep it, the tuned profile `latency-performance`,
//! which holds `/dev/cpu_dma_latency` low; with the power that it costs.
//!
//! ## Example
//! ```scene
//! machine: cpuidle_driver=intel_idle cpuidle_deepest=C6 cpuidle_deepest_us=133
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=4500@220us
//! probe: depth read=26000@150us depth=4
//! expect: warning says "32 % less" says "C6" about nvme0n1
//! ```
//! ```scene
//! machine: cpuidle_driver=intel_idle cpuidle_deepest=C6 cpuidle_deepest_us=133
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=4500@220us
//! expect: note says "133" about nvme0n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: cpuidle_driver=intel_idle cpuidle_deepest=C6 cpuidle_deepest_us=133
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=9000@110us
//! probe: depth read=34000@117us depth=4
//! ```
//! ```scene
//! machine: cpuidle_driver=intel_idle cpuidle_deepest=C6 cpuidle_deepest_us=133
//! disk: sda transport=sata rotational=1
//! probe: latency read=80@12ms
//! ```
//! ```scene
//! machine: cpuidle_driver=haltpoll
//! disk: vda transport=virtio
//! probe: latency read=4500@220us
//! probe: depth read=26000@150us depth=4
//! ```
//! ```scene
//! machine: cpuidle_driver=intel_idle cpuidle_deepest=C6 cpuidle_deepest_us=133 pm_qos_cpu_dma_latency_us=0
//! disk: nvme0n1 transport=nvme_(pcie)
//! probe: latency read=4500@220us
//! ```
//!
//! ## Seen
//! Not produced: it takes idle states that are left slowly, which only hardware has. QEMU's emulated CPUs have no cpuidle driver,
//! and this class of machine, a guest, has `haltpoll`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/pm/cpuidle.rst`, `Documentation/power/pm_qos_interface.rst`
//! - tuned-profiles(7), `latency-performance`

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::{Probe, Role};
use model::finding::{Finding, Level};
use model::proposal::TuneProposal;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "deep_sleep_between_ios",
    since: "0.1.0",
    summary: "idle states that a CPU leaves too slowly for single I/Os",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the disk or its link sleeps instead (APST, ALPM, ASPM): then holding /dev/cpu_dma_latency changes nothing",
        "the CPU's clock is low when it is nearly idle: then the governor `performance` helps without the idle states",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("cpu_latency_us")
            .rw("randread")
            .iodepth(1)
    }),
    contrast: None,
    knob: Some("cpu_latency_us"),
    explains: &[TimePlace::Completion],
    yields_to: &[],
    judge,
};

const FASTER_MIN: f64 = 0.1;
const EXIT_US_MIN: f64 = 20.0;
const EXIT_SHARE_MEASURED: f64 = 0.1;
const EXIT_SHARE_SUSPECTED: f64 = 0.25;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let machine = scene.path.machine.as_ref()?;
    let exit_us = machine
        .number("cpuidle_deepest_us")
        .filter(|us| *us >= EXIT_US_MIN)?;
    let is_held = machine
        .number("pm_qos_cpu_dma_latency_us")
        .is_some_and(|held| held < exit_us);
    let alone = scene.probe(Role::Latency)?.mean_us()?;
    let together = scene
        .curve()
        .into_iter()
        .filter(|(depth, _)| (2..=8).contains(depth));
    let together = together
        .filter_map(|(_, probe): (u32, &Probe)| probe.mean_us())
        .min_by(f64::total_cmp);
    if is_held {
        return None;
    }
    let share = exit_us / alone;
    let (level, less) = match together.map(|together| 1.0 - together / alone) {
        Some(less) if less > FASTER_MIN && share >= EXIT_SHARE_MEASURED => {
            (Level::Warning, Some(less))
        }
        None if share >= EXIT_SHARE_SUSPECTED => (Level::Note, None),
        _ => return None,
    };
    let state = machine
        .fact("cpuidle_deepest")
        .unwrap_or("the deepest state");
    let device = scene.disks().first().map_or("", |disk| disk.name.as_str());
    let claim = match less {
        Some(less) => format!(
            "A read takes {} less when others are under way too: CPUs sleep in {state} between single ones.",
            units::share(less)
        ),
        None => {
            format!(
                "CPUs take {exit_us} µs to leave {state}, and one read takes {alone} µs.",
                exit_us = units::whole(exit_us),
                alone = units::whole(alone)
            )
        }
    };
    Some(
        found(level, device, claim)
            .shows("latency at depth 1", format!("{alone} µs", alone = units::whole(alone)))
            .shows(
                "latency at depth 2 to 8",
                together.map_or("not measured".into(), |us| format!("{us} µs", us = units::whole(us))),
            )
            .shows("cpuidle_deepest_us", units::whole(exit_us))
            .refuted_by("single reads take as long while /dev/cpu_dma_latency is held at 0")
            .advise(
                "Hold the CPUs out of deep idle states (tuned latency-performance) where single I/Os matter.",
            )
            .costs("one read at a time", less.unwrap_or(0.0))
            // What a read loses alone is what it would gain; a suspicion counts half of the exit time.
            .gains(less.map_or((share / 2.0).min(0.3), |less| less / (1.0 - less))),
    )
}
