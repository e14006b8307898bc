//! # I/Os that count as several
//!
//! ## What it finds
//! A stream whose I/Os are larger than the unit in which the storage counts them, at a rate that is just the promised
//! number of such units.
//!
//! ## Why it matters
//! A 1 MiB read of a disk that counts in 256 KiB uses four I/Os. The IOPS seem too few and the bytes are what was sold.
//!
//! ## What to try
//! Take the bytes a second as the figure. Smaller I/Os give more of them and the same bytes.
//!
//! ## Example
//! ```scene
//! promise: aws gp2 iops=300 io_unit_bytes=256k
//! disk: nvme1n1 transport=nvme
//! probe: stream bs=1m direct=1 read=75@13ms elapsed=1s
//! expect: note says "counts as 4" about nvme1n1
//! ```
//!
//! ## Stays silent
//! ```scene
//! promise: aws gp2 iops=300 io_unit_bytes=256k
//! disk: nvme1n1 transport=nvme
//! probe: stream bs=256k direct=1 read=300@3ms elapsed=1s
//! ```
//! ```scene
//! promise: aws gp3 iops=3000 bytes_per_s=125m io_unit_bytes=256k
//! disk: nvme1n1 transport=nvme
//! probe: stream bs=1m direct=1 read=125@8ms elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `counted_several`, an NVMe disk that QEMU lets do 100 I/Os of 256 KiB a second: reads of 1 MiB came at 25.9 a
//! second.
//!
//! ## Sources
//! - AWS, Amazon EBS User Guide, I/O characteristics: I/O size is capped at 256 KiB for SSD and 1,024 KiB for HDD volumes
//! - Microsoft, Azure managed disk types, Premium SSD transactions
//! - Just the promised number is what providers allow themselves: nine tenths and more, and a tenth above for a bucket's stock.

use crate::cloud::is_kept;
use crate::finding::{With, note};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::check::Role;
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "ios_counted_several",
    since: "0.1.0",
    summary: "large I/Os that the provider counts as several",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the bandwidth of the disk binds at the same figure: then a block of the unit itself gives the same bytes",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep bs=64k..1m -- -rw=read -iodepth=8 -direct=1 # the bytes a second stay, the IOPS fall",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let promise = scene.promise?;
    let (unit, iops) = (
        promise.io_unit_bytes.filter(|unit| *unit > 0)?,
        promise.iops?,
    );
    let streams = scene
        .probes
        .iter()
        .filter(|probe| matches!(probe.role, Role::Stream | Role::WriteStream));
    let counted = streams.map(|probe| (probe, probe.job.bs.div_ceil(unit)));
    let (probe, several) = counted
        .filter(|(_, several)| *several > 1)
        .find(|(probe, several)| is_kept(probe.iops() * *several as f64, iops))?;
    let device = scene
        .path
        .queue_device()
        .map_or("", |layer| layer.name.as_str());
    let (size, unit) = (units::bytes(probe.job.bs as f64), units::bytes(unit as f64));
    let claim = format!(
        "{device}: each I/O of {size} counts as {several} of {unit}, so {} a second are its {} IOPS.",
        units::count(probe.iops()),
        units::count(iops)
    );
    Some(
        note(device, claim)
            .shows(
                "I/Os counted a second",
                units::count(probe.iops() * several as f64),
            )
            .shows("source", &promise.source)
            .refuted_by("a block of the unit gives more bytes a second")
            .advise("Compare bytes a second, not I/Os, for blocks above the unit."),
    )
}
