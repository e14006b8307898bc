//! # btrfs
//!
//! How a btrfs keeps its data and its metadata.
//!
//! ## What it reads
//! `/sys/fs/btrfs/*/devices` and the directories of `/sys/fs/btrfs/*/allocation/{data,metadata}`.
//!
//! ## Fields
//! - `data_profile`, `metadata_profile`: `single`, `dup`, `raid0`, `raid1`, `raid10`, `raid5`, …, separated by commas where a
//!   conversion has not come to its end
//!
//! ## Example
//! Data is `raid1`, metadata `raid1`: each write goes to two disks.

use crate::{Below, Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "filesystem_btrfs",
    since: "0.1.0",
    kinds: &[LayerKind::FileSystem],
    reads: &["/sys/fs/btrfs/*/devices", "/sys/fs/btrfs/*/allocation/*"],
    collect,
};

const VOLUMES: &str = "/sys/fs/btrfs";

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let Some(volume) = volume(survey, draft) else {
        return;
    };
    for (kind, fact) in [("data", "data_profile"), ("metadata", "metadata_profile")] {
        let directory = format!("{VOLUMES}/{volume}/allocation/{kind}");
        // Files of the same directory are counters; the profiles in use are directories.
        let profiles = survey
            .host
            .list(&directory)
            .into_iter()
            .filter(|name| is_profile(name));
        let profiles = profiles.collect::<Vec<_>>().join(",");
        draft.fact(fact, Some(profiles).filter(|profiles| !profiles.is_empty()));
    }
}

/// fs/btrfs/volumes.c, `btrfs_raid_array`.
fn is_profile(name: &str) -> bool {
    matches!(name, "single" | "dup") || name.starts_with("raid")
}

/// The identifier of the volume that a layer is, told by one of its disks.
pub(super) fn volume(survey: &Survey<'_>, draft: &Draft) -> Option<String> {
    if draft.known("fstype") != Some("btrfs") {
        return None;
    }
    let device = draft.below.iter().find_map(|below| match below {
        Below::Device(name) => Some(name.clone()),
        Below::Path(_) | Below::Ceph(_) => None,
    })?;
    let volumes = survey.host.list(VOLUMES);
    let has = |volume: &String| {
        survey
            .host
            .list(&format!("{VOLUMES}/{volume}/devices"))
            .contains(&device)
    };
    volumes.into_iter().find(has)
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn profiles_are_the_directories() {
        let path = collect_on(
            "path: /proc/self/mountinfo\nlines: 1\n1 1 0:44 / /b rw - btrfs /dev/sdb rw\npath: /b\ndirectory\n\
             path: /sys/class/block/sdb\nlink: ../../devices/p/sdb\npath: /sys/devices/p/sdb/size\nlines: 1\n9\n\
             path: /sys/fs/btrfs/u-u/devices/sdb\nlink: x\npath: /sys/fs/btrfs/u-u/bdi\nlink: ../../../devices/virtual/bdi/btrfs-2\n\
             path: /sys/class/bdi/btrfs-2/read_ahead_kb\nlines: 1\n4096\n\
             path: /sys/fs/btrfs/u-u/allocation/data/single/used_bytes\nlines: 1\n1\n\
             path: /sys/fs/btrfs/u-u/allocation/data/total_bytes\nlines: 1\n1\n\
             path: /sys/fs/btrfs/u-u/allocation/metadata/dup/used_bytes\nlines: 1\n1\n",
            "/b",
        );
        assert_eq!(facts(&path, "/b", "data_profile"), "single");
        assert_eq!(facts(&path, "/b", "metadata_profile"), "dup");
        assert!(path.root.below[0].setting("bdi/read_ahead_kb").is_some());
    }
}
