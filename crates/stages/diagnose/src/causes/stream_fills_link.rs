//! # A stream that fills its link
//!
//! ## What it finds
//! A disk whose fastest stream in the check is within 10 % of what its link carries: PCIe, SATA, SAS or USB. The 10 %
//! are a proposal of this project; what is said to be the link's rate leaves out protocol overhead already.
//!
//! ## Why it matters
//! The link is the limit. No setting of the kernel makes it wider, and a faster disk behind it is not faster.
//!
//! ## What to try
//! Nothing, or another link: more lanes, NVMe in place of SATA, a faster USB port.
//!
//! ## Example
//! ```scene
//! disk: sda transport=sata sata_speed=6.0_Gbps link_bytes_per_s=550000000
//! probe: stream bs=1m direct=1 read=500@1ms elapsed=1s
//! expect: note says "95 % of" about sda
//! ```
//! ```scene
//! disk: sdb transport=usb usb_speed_mbit=5000 link_bytes_per_s=450000000
//! disk: +sdc transport=sata link_bytes_per_s=550000000
//! probe: streams bs=1m direct=1 read=430@1ms elapsed=1s
//! field: disk.read_bytes_per_s sdb 440000000
//! field: disk.read_bytes_per_s sdc 120000000
//! expect: note says "stop tuning" about sdb
//! ```
//!
//! ## Stays silent
//! ```scene
//! disk: sda transport=sata link_bytes_per_s=550000000
//! probe: stream bs=1m direct=1 read=220@1ms elapsed=1s
//! ```
//! ```scene
//! disk: nvme0n1 transport=nvme link_bytes_per_s=3940000000
//! probe: stream bs=1m direct=1 read=3000@1ms elapsed=1s
//! ```
//! ```scene
//! disk: sda transport=sata link_bytes_per_s=550000000
//! probe: stream bs=1m direct=1 read=2000@1ms elapsed=1s
//! ```
//!
//! ## Seen
//! In the lab: `stick_on_usb_1`, a disk on QEMU's UHCI, which passes 1,280 bytes in each of 1,000 frames a second. The rates of
//! QEMU's other links bound nothing, and iodyno does not believe them.
//!
//! ## Sources
//! - Serial ATA Revision 3.x: 6.0 Gb/s with 8b/10b coding
//! - PCI Express Base Specification: 8b/10b up to 5 GT/s, 128b/130b from 8 GT/s on

use crate::finding::{With, note};
use crate::seen::fastest_stream;
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};
use model::iopath::Layer;
use model::units;

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "stream_fills_link",
    since: "0.1.0",
    summary: "a link that carries all it can",
    level: Level::Note,
    risk: Risk::Safe,
    competing: &[
        "the medium is just as fast as the link: then a smaller request size is slower at once",
        "a provider caps at a round figure: then the rate is flat to the per cent, and the same for writes",
    ],
    experiment: Experiment::Line(
        "iodyno run {target} --sweep iodepth=1..32 -- -rw=read -bs=1m -direct=1 # at the link the rate does not move from depth 4 on",
    ),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

const NEAR: f64 = 0.9;

/// More than this is not what went over the link: a cache answered, or the link is another.
const TOO_MUCH: f64 = 1.1;

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    scene
        .disks()
        .into_iter()
        .filter_map(|disk| finding(scene, disk))
        .collect()
}

fn finding(scene: &Scene<'_>, disk: &Layer) -> Option<Finding> {
    let carries = disk.number("link_bytes_per_s").filter(|rate| *rate > 0.0)?;
    let stream = fastest_stream(scene, disk)?;
    let share = stream / carries;
    (NEAR..=TOO_MUCH).contains(&share).then(|| {
        let claim = format!(
            "{}: the stream of {} is {} of what its link carries: stop tuning the stream.",
            disk.name,
            units::bytes_per_s(stream),
            units::share(share)
        );
        note(&disk.name, claim)
            .shows("link_bytes_per_s", units::bytes_per_s(carries))
            .shows("stream", units::bytes_per_s(stream))
            .refuted_by("a load on the same disk that moves more bytes a second")
            .advise("Take it as the limit of the link; a wider link is the only cure.")
    })
}
