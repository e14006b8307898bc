//! # Read-ahead smaller than a page
//!
//! ## What it finds
//! A rule or profile that wants a read-ahead of less than one page of this kernel: 16 or 32 KiB where pages have 64.
//!
//! ## Why it matters
//! The kernel keeps whole pages and takes the value without an error: what is left is no read-ahead at all. A value found
//! good on x86 does not exist on ARM and POWER kernels with pages of 64 KiB.
//!
//! ## What to try
//! One page or more; the program's own `posix_fadvise(RANDOM)` where less was meant.
//!
//! ## Example
//! ```scene
//! machine: page_bytes=65536
//! disk: sda transport=sata
//! setting: read_ahead_kb = 0
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 16
//! expect: warning says "16 KiB" says "64 KiB" about sda
//! ```
//! Nobody wrote it since the last boot:
//! ```scene
//! machine: page_bytes=65536
//! disk: sda transport=sata
//! setting: read_ahead_kb = 128
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 32
//! expect: note says "32 KiB" about sda
//! ```
//!
//! ## Stays silent
//! ```scene
//! machine: page_bytes=4096
//! disk: sda transport=sata
//! setting: read_ahead_kb = 16
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 16
//! ```
//! ```scene
//! machine: page_bytes=65536
//! disk: sda transport=sata
//! setting: read_ahead_kb = 0
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 0
//! ```
//! ```scene
//! machine: page_bytes=65536
//! disk: sda transport=sata
//! setting: read_ahead_kb = 64
//! owner: read_ahead_kb udev_rule /etc/udev/rules.d/60-ra.rules:3 wants 64
//! ```
//!
//! ## Seen
//! In the lab: `readahead_below_page`, 2 KiB with pages of 4; that 16 and 32 become none takes pages of 64.
//!
//! ## Sources
//! - Linux `block/blk-sysfs.c`, `queue_ra_store`: the value is shifted right to pages

use crate::causes_help_queue::configured;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "readahead_rounds_to_zero",
    since: "0.1.0",
    summary: "a read-ahead below one page, which the kernel keeps as none",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &["somebody wrote 0 by hand: then it stays 0 when the rule is made 64"],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("read_ahead_kb=0,64,128")
            .rw("read")
            .bs("64k")
            .buffered()
    }),
    contrast: None,
    knob: Some("read_ahead_kb"),
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let Some(page) = scene
        .path
        .machine
        .as_ref()
        .and_then(|machine| machine.number("page_bytes"))
    else {
        return Vec::new();
    };
    scene
        .queues()
        .filter_map(|layer| finding(layer, page / 1024.0))
        .collect()
}

fn finding(layer: &Layer, page_kib: f64) -> Option<Finding> {
    let setting = layer.setting("read_ahead_kb")?;
    let owner = configured(setting).last()?;
    let wants: f64 = owner.wants.as_deref()?.parse().ok()?;
    if wants <= 0.0 || wants >= page_kib {
        return None;
    }
    let now = setting.number()?;
    let is_zero = now == 0.0;
    let claim = format!(
        "{} wants {wants} KiB of read-ahead for {}; pages have {page_kib} KiB here, and the kernel keeps 0.",
        owner.place,
        layer.name,
        wants = units::whole(wants),
        page_kib = units::whole(page_kib)
    );
    let finding = found(
        if is_zero { Level::Warning } else { Level::Note },
        &layer.name,
        claim,
    )
    .shows("read_ahead_kb", now)
    .shows(&owner.place, wants)
    .shows(
        "page",
        format!("{page_kib} KiB", page_kib = units::whole(page_kib)),
    )
    .refuted_by("read_ahead_kb reads back as the rule wants it")
    .advise(format!(
        "Write {page_kib} or more, and compare under your load.",
        page_kib = units::whole(page_kib)
    ))
    .gains(if is_zero { 0.5 } else { 0.0 });
    Some(finding)
}
