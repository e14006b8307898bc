//! # A file system that went read-only
//!
//! ## What it finds
//! A file system that has counted errors of its own (ext4), or that is mounted read-only although fstab does not ask for it. With
//! `errors=remount-ro` newer kernels stop writes without a word in the mount table, so that the errors alone have to tell.
//!
//! ## Why it matters
//! Nothing can be written. ext4 and xfs stop writing when what they read makes no sense, which is the disk's or the cable's
//! affair more often than theirs.
//!
//! ## What to try
//! The kernel log from the first error on; the disk's health; then a check of the file system while it is not mounted.
//!
//! ## Example
//! ```scene
//! filesystem: ext4 mount=/srv options=ro,relatime read_only=yes errors_count=3
//! disk: sda transport=sata
//! expect: warning says "3 errors" about /srv
//! ```
//! ```scene
//! filesystem: xfs mount=/srv options=ro,relatime read_only=yes fstab=defaults,noatime
//! disk: sda transport=sata
//! expect: warning says "read-only" about /srv
//! ```
//!
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,errors=remount-ro errors_count=1
//! disk: sda transport=sata
//! expect: warning says "takes no writes since" about /srv
//! ```
//!
//! ## Stays silent
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,errors=remount-ro errors_count=0
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=rw,relatime
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=ro,relatime read_only=yes fstab=ro,noatime
//! disk: sda transport=sata
//! ```
//! ```scene
//! filesystem: ext4 mount=/srv options=ro,relatime read_only=yes
//! disk: sda transport=sata
//! ```
//!
//! ## Seen
//! In the lab: `read_only_mount`.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/ext4.rst`, `errors=remount-ro`; `fs/ext4/super.c`, `ext4_handle_error`

use crate::finding::{With, warning};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::{Layer, LayerKind};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "file_system_read_only",
    since: "0.1.0",
    summary: "a file system that was to be written and is mounted read-only",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "somebody mounted it so on purpose: then the kernel log has no error of this file system",
    ],
    experiment: Experiment::Line(
        "sudo dmesg --level=err,warn # and the health of the disk: iodyno watch",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .of_kind(LayerKind::FileSystem)
        .filter_map(finding)
        .collect()
}

fn finding(layer: &Layer) -> Option<Finding> {
    let is_read_only = layer.fact("read_only") == Some("yes");
    let errors = layer.number("errors_count").filter(|errors| *errors > 0.0);
    let wanted = layer
        .fact("fstab")
        .filter(|options| !options.split(',').any(|option| option == "ro"));
    if errors.is_none() && (!is_read_only || wanted.is_none()) {
        return None;
    }
    let place = &layer.name;
    let stops = layer
        .fact("options")
        .is_some_and(|options| options.contains("errors=remount-ro"));
    let many = |errors: f64| {
        if errors == 1.0 {
            "1 error".to_string()
        } else {
            format!("{errors} errors")
        }
    };
    let claim = match errors {
        Some(errors) if is_read_only => {
            format!(
                "{place} is mounted read-only: its file system met {}.",
                many(errors)
            )
        }
        Some(errors) if stops => {
            format!(
                "The file system of {place} met {}, and with errors=remount-ro it takes no writes since.",
                many(errors)
            )
        }
        Some(errors) => format!(
            "The file system of {place} met {}: it wants a check.",
            many(errors)
        ),
        None => format!("{place} is mounted read-only, and fstab does not ask for it."),
    };
    let mut found = warning(place, claim).shows("options", layer.fact("options").unwrap_or("ro"));
    if let Some(errors) = errors {
        found = found.shows("errors_count", errors);
    }
    if let Some(wanted) = wanted {
        found = found.shows("fstab", wanted);
    }
    let found = found
        .refuted_by("somebody mounted it read-only on purpose")
        .advise("Read the kernel log from the first error on, look at the disk's health, then check the file system.");
    Some(found)
}
