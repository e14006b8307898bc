//! # Writers wait because too much is dirty
//!
//! ## What it finds
//! Dirty pages, those being written included, above the middle between the background threshold and the limit: from there on the kernel makes every process
//! that writes wait (balance_dirty_pages).
//!
//! ## Why it matters
//! A buffered write is quick until here, and as slow as the device from here on. A container that fills the memory of its
//! host with dirty pages slows its neighbours.
//!
//! ## What to try
//! Smaller `vm.dirty_bytes` and `vm.dirty_background_bytes` begin the writing earlier and make the waits shorter; a control
//! group's memory limit keeps one writer from filling the cache for all.
//!
//! ## Example
//! ```fields
//! memory.dirty_bytes 3000000000
//! memory.dirty_threshold_bytes 3400000000
//! memory.dirty_background_threshold_bytes 1700000000
//! expect: warning says "writers wait"
//! ```
//!
//! ## Stays silent
//! ```fields
//! memory.dirty_bytes 1800000000
//! memory.dirty_threshold_bytes 3400000000
//! memory.dirty_background_threshold_bytes 1700000000
//! ```
//!
//! ## Sources
//! - Linux `mm/page-writeback.c`, `dirty_freerun_ceiling`
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`, `dirty_background_bytes`, `dirty_bytes`

use crate::LiveRule;
use crate::finding::{With, warning};
use analyse::fields::Frame;
use model::check::Role;
use model::finding::{Finding, Level};
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static LIVE: LiveRule = LiveRule {
    id: "writers_wait_for_dirty_pages",
    since: "0.1.0",
    summary: "writers that wait for dirty pages to be written",
    level: Level::Warning,
    our_doing: Some(&[Role::BufferedWrite]),
    explains: &[TimePlace::Writeback],
    yields_to: &["dirty_limit_reached", "dirty_limit_tiny"],
    judge,
};

fn judge(frame: &Frame) -> Vec<Finding> {
    let bytes = |id: &str| frame.get(id, "");
    let found = || {
        // balance_dirty_pages() counts what is being written as dirty still.
        let dirty = bytes("memory.dirty_bytes")? + bytes("memory.writeback_bytes").unwrap_or(0.0);
        let limit = bytes("memory.dirty_threshold_bytes")?;
        let background = bytes("memory.dirty_background_threshold_bytes")?;
        // dirty_freerun_ceiling() in mm/page-writeback.c: nobody waits below the middle of the two.
        let free_run = (background + limit) / 2.0;
        (dirty > free_run && limit > 0.0).then(|| {
            let claim = format!(
                "{} of pages are dirty or being written, above the {} from which writers wait.",
                units::bytes(dirty),
                units::bytes(free_run)
            );
            warning("", claim)
                .shows("memory.dirty_bytes + memory.writeback_bytes", units::bytes(dirty))
                .shows("memory.dirty_threshold_bytes", units::bytes(limit))
                .refuted_by("pressure.some_percent of io stays at 0 while this holds")
                .advise(
                    "Lower vm.dirty_background_bytes, so that writing begins earlier; `iodyno watch` names processes by what \
                     they write.",
                )
        })
    };
    found().into_iter().collect()
}
