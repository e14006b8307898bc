//! # A limit of I/O that nothing was tried against
//!
//! ## What it finds
//! An I/O limit of the control groups on a device of the path, where no load was made that would show whether it holds: in a check without
//! loads, and of a captured machine.
//!
//! ## Why it matters
//! A container that may do 200 reads a second is slow on the fastest disk, and nothing else in its path says so.
//!
//! ## What to try
//! `iodyno check` inside the group shows what the limit costs; `iodyno limit TARGET --group NAME` what it holds and what passes it by.
//!
//! ## Example
//! ```scene
//! machine: cgroup_version=2 io_limits=vda_riops_200
//! disk: vda transport=virtio
//! expect: note says "200 reads per second" about vda
//! ```
//!
//! ## Stays silent
//! A load was made, and other rules say what the limit did to it:
//! ```scene
//! machine: cgroup_version=2 io_limits=vda_riops_200
//! disk: vda transport=virtio
//! probe: depth read=200@60ms depth=32 elapsed=1s
//! ```
//! It is on a disk that is not on the path:
//! ```scene
//! machine: cgroup_version=2 io_limits=sdb_riops_200
//! disk: vda transport=virtio
//! ```
//!
//! ## Seen
//! On a live kernel: a group of version 1 with a limit on a loop device (Linux 6.18), by `check --no-load` inside it.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, io.max; `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`

use crate::CgroupLimit;
use crate::finding::{With, note};
use crate::seen::{limited, limits};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, LIMIT, Level};
use model::text::shell_word;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cgroup_limit_in_place",
    since: "0.1.0",
    summary: "a limit of a control group that no load was tried against",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "what is slow does less than the limit allows: then `iodyno watch --cgroup` shows a rate below it",
    ],
    experiment: Experiment::Line(
        "iodyno check {target} --quick # inside the group: its loads show whether the limit holds them",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    if scene.probes.iter().any(|probe| probe.role != Role::Idle) {
        return Vec::new();
    }
    let limits = limits(scene);
    let of = |limit: &CgroupLimit| finding(scene, limit);
    limits.iter().filter_map(of).collect()
}

fn finding(scene: &Scene<'_>, limit: &CgroupLimit) -> Option<Finding> {
    let device = limited(scene, limit)?;
    let (owner, most) = (limit.owner(), limit.words());
    let claim = format!("A limit allows {most} on {}: that of {owner}.", device.name);
    let advice = format!(
        "sudo iodyno set {} /dev/{} # where it was not meant: takes it away until iodyno undo",
        shell_word(&format!("{}=max", limit.knob())),
        shell_word(&limit.device)
    );
    let found = note(&device.name, claim)
        .shows(LIMIT, format!("{owner}, {most} on {}", limit.device))
        .refuted_by("the loads of a check inside the group do more")
        .advise(advice);
    Some(found)
}
