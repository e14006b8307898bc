//! # Partition
//!
//! Where a partition starts on its disk, and whether that suits the disk's blocks.
//!
//! ## What it reads
//! `/sys/class/block/{}/{partition,start,size,alignment_offset}` and the block sizes of the disk.
//!
//! ## Fields
//! - `size_bytes`, `start_bytes`: of the partition
//! - `aligned`: `yes`, or `no` where a block of the partition straddles two physical blocks of the disk
//! - `block_bytes`: the physical block it was compared with
//!
//! ## Example
//! `sda3` starts at 1 MiB: aligned to 4096-byte blocks.

use crate::{Below, Collector, Draft, Survey};
use model::iopath::LayerKind;

/// The kernel counts partitions in units of 512 bytes whatever the disk's block is (block/partitions/core.c).
const SECTOR_BYTES: u64 = 512;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "partition",
    since: "0.1.0",
    kinds: &[LayerKind::Partition],
    reads: &[
        "/sys/class/block/{}/start",
        "/sys/class/block/{}/size",
        "/sys/class/block/{}/alignment_offset",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    // A partition's directory lies in its disk's.
    let Some((disk_path, _)) = draft.subject.rsplit_once('/') else {
        return;
    };
    let disk_path = disk_path.to_string();
    let bytes = |sectors: u64| sectors.saturating_mul(SECTOR_BYTES);
    let start = host.number(&draft.path("start")).map(bytes);
    let size = host.number(&draft.path("size")).map(bytes);
    let block = host
        .number(&format!("{disk_path}/queue/physical_block_size"))
        .filter(|bytes| *bytes > 0);
    let offset = host.number(&draft.path("alignment_offset"));
    let aligned = start.zip(block).map(|(start, block)| {
        // A disk can shift its blocks against its addresses; the kernel then gives the distance to the next one.
        if offset.map_or(start % block == 0, |offset| offset == 0) {
            "yes"
        } else {
            "no"
        }
    });
    draft.fact("start_bytes", start.map(|bytes| bytes.to_string()));
    draft.fact("size_bytes", size.map(|bytes| bytes.to_string()));
    draft.fact("block_bytes", block.map(|bytes| bytes.to_string()));
    draft.fact("aligned", aligned);
    let disk = disk_path.rsplit('/').next().unwrap_or_default().to_string();
    draft.layer.title = format!("partition of {disk}");
    draft.below.push(Below::Device(disk));
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn a_start_between_blocks_is_told() {
        let host = |start: u32| {
            format!(
                "path: /sys/class/block/sda1\nlink: ../../devices/p/sda/sda1\n\
                 path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                 path: /sys/devices/p/sda/queue/physical_block_size\nlines: 1\n4096\n\
                 path: /sys/devices/p/sda/sda1/partition\nlines: 1\n1\n\
                 path: /sys/devices/p/sda/sda1/start\nlines: 1\n{start}\n"
            )
        };
        assert_eq!(
            facts(&collect_on(&host(2048), "sda1"), "sda1", "aligned"),
            "yes"
        );
        let old = collect_on(&host(63), "/dev/sda1");
        assert_eq!(facts(&old, "sda1", "aligned"), "no");
        assert_eq!(old.root.below[0].below[0].name, "sda");
    }
}
