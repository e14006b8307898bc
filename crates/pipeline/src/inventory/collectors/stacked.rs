//! # Stacked device
//!
//! Device mapper, software RAID and bcache: what kind, what state, and the devices it is made of.
//!
//! ## What it reads
//! `/sys/class/block/{}/slaves`, `dm/{name,uuid}`, `md/{level,chunk_size,raid_disks,degraded,array_state,sync_action,
//! stripe_cache_size}`, `bcache/{cache_mode,state}`.
//!
//! ## Fields
//! - `stack`: `LVM`, `encrypted`, `multipath`, `device mapper`, `raid5`, `bcache`
//! - `dm_name`: the device mapper's name
//! - `chunk_bytes`, `raid_disks`, `degraded`, `array_state`, `sync_action`: of software RAID
//! - `cache_mode`, `cache_state`: of bcache
//! - setting `md/stripe_cache_size`: of RAID 4, 5 and 6
//! - `size_bytes`
//!
//! ## Example
//! `md0`, raid5 of 3 disks, chunk 512 KiB, clean; below it `sdb`, `sdc` and `sdd`.

use crate::inventory::{Below, Collector, Draft, Survey};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "stacked",
    since: "0.1.0",
    kinds: &[LayerKind::Stacked],
    reads: &["/sys/class/block/{}/slaves", "/sys/class/block/{}/dm/*", "/sys/class/block/{}/md/*"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let sectors = host.number(&draft.path("size"));
    draft.fact("size_bytes", sectors.map(|sectors| sectors.saturating_mul(512).to_string()));
    match draft.layer.name.as_str() {
        name if name.starts_with("dm-") => device_mapper(host, draft),
        name if name.starts_with("md") => software_raid(host, draft),
        name if name.starts_with("bcache") => bcache(host, draft),
        _ => {}
    }
    let members = host.list(&draft.path("slaves"));
    let stack = draft.known("stack").unwrap_or("stacked device");
    let plural = if members.len() == 1 { "" } else { "s" };
    draft.layer.title = format!("{stack} on {} device{plural}", members.len());
    if members.is_empty() {
        survey.notes.push(format!("{} names no devices below it.", draft.layer.name));
    }
    draft.below = members.into_iter().map(Below::Device).collect();
}

fn device_mapper(host: &Host, draft: &mut Draft) {
    draft.fact_from(host, "dm_name", "dm/name");
    let uuid = host.text(&draft.path("dm/uuid")).unwrap_or_default();
    // The prefix is the owner's by convention (Documentation/admin-guide/device-mapper, libdevmapper).
    draft.fact(
        "stack",
        Some(match uuid.split('-').next().unwrap_or_default() {
            "LVM" => "LVM",
            "CRYPT" => "encrypted",
            "mpath" => "multipath",
            prefix if prefix.starts_with("part") => "partition on a mapped device",
            _ => "device mapper",
        }),
    );
}

fn software_raid(host: &Host, draft: &mut Draft) {
    draft.fact_from(host, "stack", "md/level");
    draft.fact_from(host, "chunk_bytes", "md/chunk_size");
    draft.fact_from(host, "raid_disks", "md/raid_disks");
    draft.fact_from(host, "degraded", "md/degraded");
    draft.fact_from(host, "array_state", "md/array_state");
    draft.fact_from(host, "sync_action", "md/sync_action");
    let cache = draft.path("md/stripe_cache_size");
    if host.exists(&cache) {
        draft.setting(host, "md/stripe_cache_size", cache);
    }
}

fn bcache(host: &Host, draft: &mut Draft) {
    draft.fact("stack", Some("bcache"));
    draft.fact_from(host, "cache_mode", "bcache/cache_mode");
    draft.fact_from(host, "cache_state", "bcache/state");
}

#[cfg(test)]
mod tests {
    use crate::inventory::tests::{collect_on, facts};

    #[test]
    fn raid_members_are_followed() {
        let mut host = String::from(
            "path: /sys/class/block/md0\nlink: ../../devices/virtual/block/md0\n\
             path: /sys/devices/virtual/block/md0/md/level\nlines: 1\nraid5\n\
             path: /sys/devices/virtual/block/md0/md/degraded\nlines: 1\n1\n\
             path: /sys/devices/virtual/block/md0/md/stripe_cache_size\nlines: 1\n256\n",
        );
        for name in ["sdb", "sdc"] {
            host.push_str(&format!(
                "path: /sys/class/block/{name}\nlink: ../../devices/p/{name}\n\
                 path: /sys/devices/p/{name}/size\nlines: 1\n8\n\
                 path: /sys/devices/virtual/block/md0/slaves/{name}\nlink: ../../../../p/{name}\n"
            ));
        }
        let path = collect_on(&host, "/dev/md0");
        let array = &path.root.below[0];
        assert_eq!(array.title, "raid5 on 2 devices");
        assert_eq!(facts(&path, "md0", "degraded"), "1");
        assert_eq!(facts(&path, "sdc", "size_bytes"), "4096");
        assert!(array.setting("md/stripe_cache_size").is_some());
    }
}
