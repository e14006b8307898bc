//! What one disk should give by its medium, and what its link lets through.

use super::{ExpectedRange, Ranges, cap};
use crate::Medium;
use model::check::ExpectedWhat;
use model::iopath::Layer;
use model::units;

/// A figure with its least and its most.
type MediumRow = (ExpectedWhat, f64, f64);

/// 5,400 and 7,200 rpm: half a turn of 5.6 or 4.2 ms and a seek of 8 to 12 ms, with queueing down to a third of that. A
/// drive's write cache may collect writes; an fsync waits for a turn or more.
const TURNING: &[MediumRow] = &[
    (ExpectedWhat::ReadLatency, 5_000.0, 20_000.0),
    (ExpectedWhat::RandomReads, 60.0, 250.0),
    (ExpectedWhat::SequentialRead, 80e6, 300e6),
    (ExpectedWhat::SequentialReads, 60e6, 300e6),
    (ExpectedWhat::RandomWrites, 60.0, 600.0),
    (ExpectedWhat::SequentialWrite, 80e6, 300e6),
    (ExpectedWhat::Fsyncs, 20.0, 250.0),
];
const TURNING_SOURCE: &str = "seek, turn and rates of the data sheets of Seagate Barracuda and Exos X18 (170 reads a second at depth 16, 270 MB/s)";

/// SAS disks turn up to 15,000 times a minute: half a turn of 2 ms, a seek of 3 to 9 ms.
const TURNING_SAS: &[MediumRow] = &[
    (ExpectedWhat::ReadLatency, 3_500.0, 20_000.0),
    (ExpectedWhat::RandomReads, 60.0, 500.0),
    (ExpectedWhat::SequentialRead, 80e6, 320e6),
    (ExpectedWhat::SequentialReads, 60e6, 320e6),
    (ExpectedWhat::RandomWrites, 60.0, 800.0),
    (ExpectedWhat::SequentialWrite, 80e6, 320e6),
    (ExpectedWhat::Fsyncs, 20.0, 500.0),
];
const TURNING_SAS_SOURCE: &str =
    "seek, turn and rates of the data sheets of Seagate Exos 15E900 and Exos X18";

/// From value drives without a memory of their own to data centre drives.
const FLASH: &[MediumRow] = &[
    (ExpectedWhat::ReadLatency, 40.0, 250.0),
    (ExpectedWhat::RandomReads, 20_000.0, 100_000.0),
    (ExpectedWhat::SequentialRead, 300e6, 560e6),
    (ExpectedWhat::SequentialReads, 300e6, 560e6),
    (ExpectedWhat::RandomWrites, 8_000.0, 90_000.0),
    (ExpectedWhat::SequentialWrite, 200e6, 540e6),
];
const FLASH_SOURCE: &str = "data sheets of Samsung 870 EVO (13,000 reads a second at depth 1, 98,000 at 32) and Intel D3-S4510 (97,000 reads, 36,000 steady writes)";

const NVME: &[MediumRow] = &[
    (ExpectedWhat::ReadLatency, 6.0, 150.0),
    (ExpectedWhat::RandomReads, 80_000.0, 3_000_000.0),
    (ExpectedWhat::SequentialRead, 1e9, 14.5e9),
    (ExpectedWhat::SequentialReads, 1e9, 14.5e9),
    (ExpectedWhat::RandomWrites, 20_000.0, 1_500_000.0),
    (ExpectedWhat::SequentialWrite, 500e6, 13e9),
];
const NVME_SOURCE: &str = "data sheets of Samsung 990 PRO (22,000 reads a second at depth 1, 1.4 million at most) and Intel Optane P5800X (6 µs)";

/// The ranges of a disk; none of one whose medium cannot be seen.
pub fn of_disk(disk: &Layer) -> Ranges {
    let is_sas = disk.fact("transport") == Some("sas");
    let (words, source, rows) = match Medium::of_layer(disk) {
        Some(Medium::Rotational) if is_sas => {
            ("a rotating SAS disk", TURNING_SAS_SOURCE, TURNING_SAS)
        }
        Some(Medium::Rotational) => ("a rotating disk", TURNING_SOURCE, TURNING),
        // A stick or a bridge may be far slower than the data sheets of internal disks: only its link is known.
        Some(Medium::Flash) if disk.fact("transport") == Some("sata") || is_sas => {
            ("a flash disk", FLASH_SOURCE, FLASH)
        }
        Some(Medium::Nvme) => ("an NVMe flash disk", NVME_SOURCE, NVME),
        _ => ("", "", [].as_slice()),
    };
    let range = |&(what, low, high): &MediumRow| {
        (
            what,
            ExpectedRange {
                low,
                high,
                because: words.into(),
                source: source.into(),
            },
        )
    };
    let mut ranges: Ranges = rows.iter().map(range).collect();
    link(disk, &mut ranges);
    ranges
}

const LINK_SOURCE: &str = "the link that the kernel reports, less its encoding and protocol";

/// What the narrowest hop carries. A link alone says nothing about the least.
fn link(disk: &Layer, ranges: &mut Ranges) {
    let Some(bytes_per_s) = disk.number("link_bytes_per_s").filter(|rate| *rate > 0.0) else {
        return;
    };
    let because = format!("its link carries {}", units::bytes_per_s(bytes_per_s));
    for what in [
        ExpectedWhat::SequentialRead,
        ExpectedWhat::SequentialReads,
        ExpectedWhat::SequentialWrite,
    ] {
        if ranges.contains_key(&what) {
            cap(ranges, what, bytes_per_s, &because, LINK_SOURCE);
        }
    }
    for what in [ExpectedWhat::RandomReads, ExpectedWhat::RandomWrites] {
        if ranges.contains_key(&what) {
            cap(ranges, what, bytes_per_s / 4096.0, &because, LINK_SOURCE);
        }
    }
}
