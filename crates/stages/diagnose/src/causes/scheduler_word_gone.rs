//! # A scheduler that this kernel does not have
//!
//! Also: `cfq`, `deadline`, `noop`, `elevator=`.
//!
//! ## What it finds
//! A rule, profile or boot parameter that asks for `noop`, `deadline` or `cfq` on kernel 5.0 or later, or sets `elevator=` there.
//! It is a warning where the scheduler that is set differs from the one that was meant.
//!
//! ## Why it matters
//! The single-queue block layer went with 5.0, and these words went with it: writing them fails with EINVAL, which udev only logs.
//! `elevator=` is read and does nothing. Advice from before 2019 still says otherwise, and the file looks as if it worked.
//!
//! ## What to try
//! `none` where noop was meant, `mq-deadline` for deadline, `bfq` for cfq, in a rule of udev or a profile of tuned. Take
//! `elevator=` from the command line.
//!
//! ## Example
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: sda transport=sata
//! setting: scheduler = none [mq-deadline]
//! owner: scheduler udev_rule /etc/udev/rules.d/60-io.rules:1 wants noop
//! expect: warning says "noop" says "EINVAL" about sda
//! ```
//! What was meant came about anyway:
//! ```scene
//! machine: kernel=6.1.0-18-amd64
//! disk: nvme0n1 transport=nvme_(pcie)
//! setting: scheduler = [none] mq-deadline
//! owner: scheduler udev_rule /etc/udev/rules.d/60-io.rules:1 wants noop
//! expect: note says "noop" about nvme0n1
//! ```
//! ```scene
//! machine: kernel=5.10.0-21-amd64 command_line=root=/dev/sda1_elevator=deadline_quiet
//! disk: sda transport=sata
//! setting: scheduler = none [mq-deadline]
//! expect: note says "elevator=deadline" says "since 5.0"
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: kernel=3.10.0-693.el7.x86_64 command_line=root=/dev/sda1_elevator=noop
//! disk: sda transport=sata
//! setting: scheduler = [noop] deadline cfq
//! owner: scheduler kernel_command_line elevator=noop wants noop
//! ```
//! ```scene
//! machine: kernel=6.1.0-18-amd64 command_line=root=/dev/sda1_quiet
//! disk: sda transport=sata
//! setting: scheduler = none [mq-deadline]
//! owner: scheduler udev_rule /etc/udev/rules.d/60-io.rules:1 wants mq-deadline
//! ```
//!
//! ## Seen
//! In the lab: `rule_with_noop`.
//!
//! ## Sources
//! - Linux `block/elevator.c`, `elevator_setup`: "Kernel parameter 'elevator=' does not have any effect anymore."
//! - Linux commit a1ce35fa4985, "block: remove dead elevator code", 5.0
//! - Linux `Documentation/block/switching-sched.rst`

use crate::causes_help_queue::{configured, scheduler, successor};
use crate::finding::{With, found, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "scheduler_word_gone",
    since: "0.1.0",
    summary: "a file that asks for noop, deadline, cfq or elevator= on a kernel that has none of them",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "another rule sets what was meant, and this line is only left over: then the scheduler is right and stays after a boot",
    ],
    experiment: Experiment::Tune(|| TuneProposal::new("scheduler")),
    contrast: None,
    knob: Some("scheduler"),
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.kernel().is_none_or(|version| !version.at_least(5, 0)) {
        return Vec::new();
    }
    let asked = scene.queues().filter_map(asked);
    asked.chain(boot_parameter(scene)).collect()
}

fn asked(layer: &Layer) -> Option<Finding> {
    let now = scheduler(layer)?;
    let mut owners =
        configured(layer.setting("scheduler")?).filter(|owner| owner.kind != "kernel_command_line");
    let (owner, word, heir) = owners.find_map(|owner| {
        let word = owner.wants.as_deref()?;
        Some((owner, word, successor(word)?))
    })?;
    let is_met = now == heir;
    let level = if is_met { Level::Note } else { Level::Warning };
    let claim = format!(
        "{} asks for {word} on {}, which this kernel refuses (EINVAL): the scheduler is {now}.",
        owner.place, layer.name
    );
    let finding = found(level, &layer.name, claim)
        .shows("scheduler", now)
        .shows(&owner.place, word)
        .refuted_by("the kernel lists the word in queue/scheduler")
        .advise(format!(
            "Write {heir} in {}, if an experiment shows that it helps.",
            owner.place
        ))
        .gains(if is_met { 0.0 } else { 0.1 });
    Some(finding)
}

fn boot_parameter(scene: &Scene<'_>) -> Option<Finding> {
    let words = scene.path.machine_fact("command_line")?;
    let word = words
        .split_whitespace()
        .find(|word| word.starts_with("elevator="))?;
    let claim = format!("{word} on the kernel's command line does nothing since 5.0.");
    let finding = note("", claim)
        .shows("command line", word)
        .shows("kernel", scene.path.machine_fact("kernel").unwrap_or_default())
        .refuted_by("the scheduler changes when the parameter is taken away")
        .advise(
            "Take it from the command line, and set the scheduler by a rule of udev where one is wanted.",
        );
    Some(finding)
}
