//! # A multipath device that has lost paths
//!
//! ## What it finds
//! A dm-multipath device with failed paths, or a log in which paths fail.
//!
//! ## Why it matters
//! The paths that are left carry everything, and the redundancy that the device is there for is gone. A path that comes
//! and goes stalls I/O for seconds each time.
//!
//! ## What to try
//! `multipath -ll` names the path, `multipathd show paths` its checker's answer. Fix the port, the cable or the switch.
//!
//! ## Example
//! ```scene
//! stacked: dm-0 mapping=multipath paths_active=2 paths_failed=2 path_policy=service-time
//! disk: sda transport=fibre_channel
//! disk: +sdb transport=fibre_channel
//! expect: warning says "2 of 4 paths" about dm-0
//! ```
//! ```scene
//! stacked: dm-0 mapping=multipath paths_active=4 paths_failed=0
//! disk: sda transport=fibre_channel
//! log: device-mapper: multipath: 254:0: Failing path 8:16.
//! expect: note says "all of them are back" about dm-0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: dm-0 mapping=multipath paths_active=4 paths_failed=0
//! disk: sda transport=fibre_channel
//! ```
//! ```scene
//! stacked: dm-0 mapping=linear
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! In the lab: `lost_path`.
//!
//! ## Sources
//! - Linux `drivers/md/dm-mpath.c` (Failing path); multipath(8), multipathd(8)

use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "paths_lost",
    since: "0.1.0",
    summary: "failed paths of a multipath device",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "a path that somebody took out on purpose (multipathd fail path): then its checker says it is up",
    ],
    experiment: Experiment::Line(
        "multipath -ll {device} # then multipathd reinstate path for one of them, while iodyno watch shows the members",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let multipath = scene
        .of_kind(LayerKind::Stacked)
        .filter(|layer| layer.fact("mapping") == Some("multipath"));
    multipath
        .filter_map(|layer| finding(scene, layer))
        .collect()
}

fn finding(scene: &Scene<'_>, layer: &Layer) -> Option<Finding> {
    let active = layer.number("paths_active").unwrap_or(0.0);
    let failed = layer.number("paths_failed").unwrap_or(0.0);
    let logged = scene
        .log_with(&["multipath"])
        .into_iter()
        .rfind(|line| line.contains("Failing path"));
    let (level, claim) = if failed >= 1.0 {
        let all = active + failed;
        (
            Level::Warning,
            format!(
                "{}: {failed} of {all} paths have failed.",
                layer.name,
                failed = units::whole(failed),
                all = units::whole(all)
            ),
        )
    } else if logged.is_some() {
        (
            Level::Note,
            format!(
                "{}: paths have failed since boot; all of them are back.",
                layer.name
            ),
        )
    } else {
        return None;
    };
    let finding = found(level, &layer.name, claim)
        .shows(
            "paths",
            format!(
                "{active} active, {failed} failed",
                active = units::whole(active),
                failed = units::whole(failed)
            ),
        )
        .refuted_by("multipath -ll shows every path active and the log has no new line")
        .advise("Name the path with multipath -ll, and fix its port, cable or switch.")
        .gains(if failed > 0.0 && active > 0.0 {
            failed / active
        } else {
            0.0
        });
    Some(match logged {
        Some(line) => finding.shows("kernel log", line),
        None => finding,
    })
}
