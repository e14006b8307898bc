//! # Data that is compressed on the way
//!
//! ## What it finds
//! `zero_buffers` or `buffer_compress_percentage` where something below compresses: btrfs, f2fs or ZFS, VDO, zram.
//! Zeros are told on any target.
//!
//! ## Why it matters
//! A layer that compresses writes a fraction of the bytes, or none at all for zeros; flash disks, arrays and thin
//! volumes may turn zeros into a note in a table as well. The rate is that of the CPU, and reading back is as
//! unreal.
//!
//! ## What to try
//! Leave it out: iodyno writes data that does not compress. `dd if=/dev/zero` has the same fault.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -bs=1m -zero_buffers
//! filesystem: btrfs options=rw,compress=zstd
//! disk: sda transport=sata rotational=0
//! expect: wrong says "compresses" fix zero_buffers
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -bs=1m -zero_buffers
//! filesystem: ext4 options=rw
//! disk: sda transport=sata rotational=0
//! expect: warning says "zeros" fix zero_buffers
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -bs=1m -buffer_compress_percentage=50
//! unbacked: zfs
//! expect: warning says "50 %" fix buffer_compress_percentage
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -bs=1m -buffer_compress_percentage=50
//! filesystem: ext4 options=rw
//! disk: sda transport=sata rotational=0
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=write -bs=1m
//! filesystem: btrfs options=rw,compress=zstd
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=read -bs=1m -zero_buffers
//! ```
//!
//! ## Sources
//! - fio HOWTO, `buffer_compress_percentage`; btrfs(5), zfsprops(7)

use crate::facts::block_sections;
use crate::finding::{With, found};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::iopath::LayerKind;
use model::job::{Buffers, Section};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "compressible_data",
    since: "0.1.0",
    summary: "data that a layer makes smaller",
    level: Level::Wrong,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let layer = compressing(facts);
    let writers = block_sections(facts).filter(|section| section.job.rw.writes());
    writers
        .filter_map(|section| one(section, layer.as_deref()))
        .collect()
}

fn one(section: &Section, layer: Option<&str>) -> Option<Finding> {
    let (level, claim) = match (section.job.buffers, layer) {
        (Buffers::Zeros, Some(layer)) => {
            (Level::Wrong, format!("Zeros on {layer}, which compresses: next to nothing reaches the disk."))
        }
        (Buffers::Zeros, None) => (
            Level::Warning,
            "The job writes zeros: flash, arrays and thin volumes may only note them down, so the rate need not be \
             that of data."
                .into(),
        ),
        (Buffers::Compressible(share), Some(layer)) if share > 0 => {
            (Level::Warning, format!("{share} % of each block compress away on {layer} before they reach the disk."))
        }
        _ => return None,
    };
    let finding = found(level, &section.name, claim)
        .refuted_by("The disk's own counters show as many bytes written as the load.")
        .advise("Leave it out: data that does not compress is the default.")
        .drop_option("zero_buffers")
        .drop_option("buffer_compress_percentage")
        .at(section, &["zero_buffers", "buffer_compress_percentage"]);
    Some(finding)
}

/// The layer of the path that makes data smaller, where there is one.
fn compressing(facts: &RuleFacts<'_>) -> Option<String> {
    facts.layers().into_iter().find_map(|layer| {
        let fact = |name: &str| layer.facts.get(name).map_or("", String::as_str);
        let kind = fact("fstype");
        let options = fact("options");
        let by_option = matches!(kind, "btrfs" | "f2fs") && options.contains("compress");
        let is_vdo = fact("dm_name").contains("vdo");
        match layer.kind {
            LayerKind::Zram => Some(layer.name.clone()),
            _ if by_option || kind == "zfs" => Some(kind.to_string()),
            _ if is_vdo => Some(fact("dm_name").to_string()),
            _ => None,
        }
    })
}
