//! # Stacked device
//!
//! A device made of others: its size and its members. What kind it is, the collectors of device mapper, software RAID and
//! bcache say.
//!
//! ## What it reads
//! `/sys/class/block/{}/{size,slaves}`.
//!
//! ## Fields
//! - `size_bytes`
//!
//! ## Example
//! `md0`, raid5 on 3 devices; below it `sdb`, `sdc` and `sdd`.

use crate::{Below, Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "stacked",
    since: "0.1.0",
    kinds: &[LayerKind::Stacked],
    reads: &["/sys/class/block/{}/size", "/sys/class/block/{}/slaves"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let sectors = host.number(&draft.path("size"));
    draft.fact(
        "size_bytes",
        sectors.map(|sectors| sectors.saturating_mul(512).to_string()),
    );
    let members = host.list(&draft.path("slaves"));
    let stack = kind(draft);
    let plural = if members.len() == 1 { "" } else { "s" };
    draft.layer.title = format!("{stack} on {} device{plural}", members.len());
    if members.is_empty() {
        survey
            .notes
            .push(format!("{} names no devices below it.", draft.layer.name));
    }
    draft.below = members.into_iter().map(Below::Device).collect();
}

/// `LVM linear`, `raid5`, `device mapper delay`: the owner, and what it makes of the devices where that is not the same.
fn kind(draft: &Draft) -> String {
    let stack = draft.known("stack").unwrap_or("stacked device");
    match draft.known("mapping") {
        // Both words would say one thing.
        None | Some("crypt" | "multipath") if stack != "device mapper" => stack.to_string(),
        None => stack.to_string(),
        Some("raid") => format!("{stack} {}", draft.known("raid_level").unwrap_or("raid")),
        Some(mapping) => format!("{stack} {mapping}"),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

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
        assert_eq!(path.notes, Vec::<String>::new());
        assert!(array.setting("md/stripe_cache_size").is_some());
    }
}
