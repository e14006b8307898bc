//! # Small writes to RAID 5 or 6
//!
//! ## What it finds
//! An md array with parity (RAID 4, 5, 6) whose members are read while it is written: for every write of less than a stripe, the old data
//! and parity have to be read first. In the load of others, with more than 50 writes a second of less than a stripe, three reads
//! for ten writes below or more that nobody above asked for, it is a warning: somebody pays for it now. In a load of the check it is a note with
//! the measured factor, since that is how these arrays are. The shares are proposals of this project.
//!
//! ## Why it matters
//! One small write costs four I/Os on RAID 5 and six on RAID 6, or as many as there are disks where those are fewer: the array
//! writes a quarter or a sixth of what its disks could.
//!
//! ## What to try
//! Writes of whole stripes (chunk × data disks), a larger `stripe_cache_size` so that neighbours meet before parity is computed, a
//! journal or cache of flash in front, or RAID 10 for small random writes.
//!
//! ## Example
//! ```scene
//! stacked: md0 stack=raid5 chunk_bytes=512k raid_disks=3
//! setting: md/stripe_cache_size = 256
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! disk: +sdc transport=sata
//! probe: write write=1000@4ms
//! field: disk.writes_per_s md0 1000
//! field: disk.writes_per_s sda 670
//! field: disk.writes_per_s sdb 660
//! field: disk.writes_per_s sdc 670
//! field: disk.reads_per_s sda 660
//! field: disk.reads_per_s sdb 670
//! field: disk.reads_per_s sdc 670
//! expect: note says "4.0 I/Os" about md0
//! ```
//! ```scene
//! stacked: md0 stack=raid5 chunk_bytes=512k raid_disks=3
//! setting: md/stripe_cache_size = 256
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! disk: +sdc transport=sata
//! field: disk.writes_per_s md0 300
//! field: disk.reads_per_s md0 0
//! field: disk.size_write_bytes md0 8192
//! field: disk.writes_per_s sda 200
//! field: disk.writes_per_s sdb 200
//! field: disk.writes_per_s sdc 200
//! field: disk.reads_per_s sda 190
//! field: disk.reads_per_s sdb 200
//! field: disk.reads_per_s sdc 190
//! expect: warning says "raid5" says "stripe" about md0
//! ```
//!
//! ## Stays silent
//! ```scene
//! stacked: md0 stack=raid5 chunk_bytes=512k raid_disks=3
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! disk: +sdc transport=sata
//! ```
//! ```scene
//! stacked: md0 stack=raid5 chunk_bytes=64k raid_disks=3
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! disk: +sdc transport=sata
//! probe: write-stream write=1000@4ms bs=128k
//! field: disk.writes_per_s md0 1000
//! field: disk.writes_per_s sda 500
//! field: disk.writes_per_s sdb 500
//! field: disk.writes_per_s sdc 500
//! field: disk.reads_per_s sda 3
//! field: disk.reads_per_s sdb 2
//! field: disk.reads_per_s sdc 1
//! ```
//! ```scene
//! stacked: md0 stack=raid10 chunk_bytes=512k raid_disks=4
//! disk: sda transport=sata
//! disk: +sdb transport=sata
//! probe: write write=1000@4ms
//! field: disk.writes_per_s md0 1000
//! field: disk.writes_per_s sda 1000
//! field: disk.writes_per_s sdb 1000
//! ```
//!
//! ## Seen
//! In the lab: RAID 5 of three disks, 64 KiB chunks: 219 random writes of 4 KiB a second were 439 writes and 218 reads below, 3.0
//! I/Os each, Linux 6.1.
//!
//! ## Sources
//! - Patterson, Gibson, Katz: A case for redundant arrays of inexpensive disks (RAID), SIGMOD 1988, section on small writes
//! - Linux `Documentation/admin-guide/md.rst`, `stripe_cache_size`

use crate::finding::{With, found};
use crate::seen::BEFORE;
use crate::{Cause, Experiment, Scene, parts};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::frame::Frame;
use model::iopath::{Layer, LayerKind};
use model::proposal::TuneProposal;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "raid5_small_writes",
    since: "0.1.0",
    summary: "writes to an array with parity that make it read first",
    level: Level::Warning,
    risk: Risk::NeedsCare,
    competing: &[
        "a rebuild or a check reads the members: then sync_action is not idle",
        "programs read the members directly: then their rate goes on without writes",
    ],
    experiment: Experiment::Tune(|| {
        TuneProposal::new("stripe_cache_size")
            .rw("randwrite")
            .iodepth(32)
    }),
    contrast: None,
    knob: Some("stripe_cache_size"),
    explains: &[],
    yields_to: &[],
    judge,
};

const WRITES_MIN: f64 = 50.0;
/// Reads for each write below that show it.
const READS_MIN: f64 = 0.3;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    let parity =
        |volume: &&Layer| matches!(volume.fact("stack"), Some("raid4" | "raid5" | "raid6"));
    scene
        .of_kind(LayerKind::Stacked)
        .filter(parity)
        .filter_map(|volume| finding(scene, volume))
        .collect()
}

fn finding(scene: &Scene<'_>, volume: &Layer) -> Option<Finding> {
    let is_syncing = volume
        .fact("sync_action")
        .is_some_and(|action| !matches!(action, "idle" | "frozen"));
    if is_syncing {
        return None;
    }
    let by_others = scene.idle().and_then(|frame| factor(frame, volume));
    let ours = [Role::Write, Role::WriteStream, Role::Fsync]
        .into_iter()
        .filter_map(|role| scene.probe(role));
    let (level, (writes, reads_below, all_below)) = match by_others {
        Some(seen) => (Level::Warning, seen),
        None => (
            Level::Note,
            ours.filter_map(|probe| factor(&probe.frame, volume))
                .next()?,
        ),
    };
    let (name, stack) = (&volume.name, volume.fact("stack").unwrap_or_default());
    let factor = all_below / writes;
    let claim = format!(
        "Each write to {name} ({stack}) costs {factor} I/Os: less than a stripe is read before it is written.",
        factor = units::decimals(factor, 1)
    );
    let cache = volume
        .setting("md/stripe_cache_size")
        .and_then(|setting| setting.chosen())
        .unwrap_or("unknown");
    Some(
        found(level, name, claim)
            .shows("disk.writes_per_s", format!("{writes} above", writes = units::whole(writes)))
            .shows("disk.reads_per_s", format!("{reads_below} below", reads_below = units::whole(reads_below)))
            .shows("I/Os below for a write", units::decimals(factor, 1))
            .shows("md/stripe_cache_size", cache)
            .refuted_by("the members are read as much when nobody writes")
            .advise("Write whole stripes, raise stripe_cache_size, or use RAID 10 for small random writes.")
            .costs(BEFORE, if by_others.is_some() { 1.0 - 2.0 / factor } else { 0.0 })
            // RAID 10 takes two I/Os for a write.
            .gains((factor / 2.0 - 1.0).min(2.0)),
    )
}

/// Writes above, reads below and all I/Os below, where a write makes the members read.
fn factor(frame: &Frame, volume: &Layer) -> Option<(f64, f64, f64)> {
    let value = |id: &str, layer: &Layer| frame.get(id, &layer.name).unwrap_or(0.0);
    let writes = value("disk.writes_per_s", volume);
    let members = parts::members(volume);
    let data_disks = members.len() as f64
        - if volume.fact("stack") == Some("raid6") {
            2.0
        } else {
            1.0
        };
    let stripe = volume.number("chunk_bytes").unwrap_or(f64::MAX) * data_disks;
    let is_small = value("disk.size_write_bytes", volume) < stripe;
    let reads: f64 = members
        .iter()
        .map(|member| value("disk.reads_per_s", member))
        .sum();
    let all: f64 = members
        .iter()
        .map(|member| parts::rate(frame, &member.name).unwrap_or(0.0))
        .sum();
    let caused = reads - value("disk.reads_per_s", volume);
    (writes > WRITES_MIN && is_small && caused > (all - reads) * READS_MIN)
        .then_some((writes, reads, all))
}
