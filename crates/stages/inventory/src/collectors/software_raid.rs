//! # Software RAID
//!
//! An md array: its geometry, its state, what it is busy with, and which members have failed.
//!
//! ## What it reads
//! `/sys/class/block/{}/md/{level,chunk_size,raid_disks,layout,degraded,array_state,sync_action,sync_speed,
//! sync_completed,mismatch_cnt,consistency_policy,metadata_version,journal_mode}`, `md/bitmap/{location,chunksize}`,
//! `md/dev-*/state`; `/proc/sys/dev/raid/speed_limit_*`.
//!
//! ## Fields
//! - `stack`: the level, `raid5`
//! - `chunk_bytes`, `raid_disks`, `md_layout`, `metadata_version`
//! - `array_state`, `degraded`: members that are missing; `failed_members`, `spare_members`, `write_mostly_members`:
//!   kernel names with blanks between
//! - `journal`: the device that journals the array, where it has one
//! - `sync_action`: `idle`, `resync`, `recover`, `check`, `repair`, `reshape`; `sync_speed_kib` and `sync_percent` while it
//!   runs, `sync_completed` as the kernel has it
//! - `bitmap`: `none`, `internal` or `file`; `consistency_policy`; `mismatch_cnt` of the last check
//! - settings `md/stripe_cache_size`, `md/group_thread_cnt`, `md/preread_bypass_threshold`, `md/skip_copy` (RAID 4, 5
//!   and 6), `md/sync_speed_min`, `md/sync_speed_max`, `md/bitmap/location`, `md/bitmap/chunksize`, `md/journal_mode`,
//!   and for all arrays `dev.raid.speed_limit_min`, `dev.raid.speed_limit_max`
//!
//! ## Example
//! `md0`, raid5 of 3 disks, chunk 512 KiB, degraded 1, recover at 102400 KiB/s, 12 %.

use crate::{Collector, Draft, Survey};
use host::Host;
use model::iopath::LayerKind;
use model::units;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "software_raid",
    since: "0.1.0",
    kinds: &[LayerKind::Stacked],
    reads: &[
        "/sys/class/block/{}/md/*",
        "/sys/class/block/{}/md/dev-*/state",
        "/proc/sys/dev/raid/*",
    ],
    collect,
};

const FACTS: [(&str, &str); 9] = [
    ("stack", "md/level"),
    ("chunk_bytes", "md/chunk_size"),
    ("raid_disks", "md/raid_disks"),
    ("md_layout", "md/layout"),
    ("metadata_version", "md/metadata_version"),
    ("degraded", "md/degraded"),
    ("array_state", "md/array_state"),
    ("mismatch_cnt", "md/mismatch_cnt"),
    ("consistency_policy", "md/consistency_policy"),
];

const SETTINGS: [&str; 9] = [
    "md/stripe_cache_size",
    "md/group_thread_cnt",
    "md/preread_bypass_threshold",
    "md/skip_copy",
    "md/sync_speed_min",
    "md/sync_speed_max",
    "md/bitmap/location",
    "md/bitmap/chunksize",
    "md/journal_mode",
];

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    // Linux before 6.14 or so also numbers partitions `md0p1`, which are partitions.
    if !draft.layer.name.starts_with("md") || !host.exists(&draft.path("md/level")) {
        return;
    }
    for (name, file) in FACTS {
        draft.fact_from(host, name, file);
    }
    synchronisation(host, draft);
    members(host, draft);
    let bitmap = host
        .text(&draft.path("md/bitmap/location"))
        .map(|place| match place.trim() {
            "none" => "none",
            place if place.starts_with(['+', '-']) => "internal",
            _ => "file",
        });
    draft.fact("bitmap", bitmap);
    for file in SETTINGS {
        let path = draft.path(file);
        // What an array's level does not have may be there and read empty (Linux 6.1).
        let is_empty = host.text(&path).is_some_and(|text| text.trim().is_empty());
        if host.exists(&path) && !is_empty {
            draft.setting(host, file, path);
        }
    }
    for file in ["speed_limit_min", "speed_limit_max"] {
        let path = format!("/proc/sys/dev/raid/{file}");
        if host.exists(&path) {
            draft.setting(host, &format!("dev.raid.{file}"), path);
        }
    }
}

fn synchronisation(host: &Host, draft: &mut Draft) {
    draft.fact_from(host, "sync_action", "md/sync_action");
    draft.fact_from(host, "sync_completed", "md/sync_completed");
    let speed = host.number(&draft.path("md/sync_speed"));
    draft.fact("sync_speed_kib", speed.map(|kib| kib.to_string()));
    // `sectors / sectors`; `none` and `delayed` otherwise.
    let done = draft.known("sync_completed").and_then(|text| {
        let (done, all) = text.split_once('/')?;
        let number = |text: &str| text.trim().parse::<f64>().ok();
        number(done).zip(number(all)).filter(|(_, all)| *all > 0.0)
    });
    draft.fact(
        "sync_percent",
        done.map(|(done, all)| units::decimals(done / all * 100.0, 1)),
    );
}

/// `dev-sdb` has its role in words: `in_sync,write_mostly`.
fn members(host: &Host, draft: &mut Draft) {
    let members: Vec<(String, String)> = host
        .list(&draft.path("md"))
        .into_iter()
        .filter_map(|name| {
            let state = host
                .text(&draft.path(&format!("md/{name}/state")))
                .filter(|_| name.starts_with("dev-"))?;
            Some((name["dev-".len()..].to_string(), state))
        })
        .collect();
    let with = |words: &[&str]| {
        let is = |state: &str| state.split(',').any(|word| words.contains(&word.trim()));
        let names: Vec<&str> = members
            .iter()
            .filter(|(_, state)| is(state))
            .map(|(name, _)| name.as_str())
            .collect();
        Some(names.join(" ")).filter(|names| !names.is_empty())
    };
    draft.fact("failed_members", with(&["faulty"]));
    draft.fact("spare_members", with(&["spare"]));
    draft.fact("write_mostly_members", with(&["write_mostly"]));
    draft.fact("journal", with(&["journal"]));
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn a_rebuild_and_its_reason() {
        let base = "/sys/devices/virtual/block/md0";
        let mut host =
            String::from("path: /sys/class/block/md0\nlink: ../../devices/virtual/block/md0\n");
        for (file, value) in [
            ("level", "raid5"),
            ("chunk_size", "524288"),
            ("degraded", "1"),
            ("array_state", "clean"),
            ("sync_action", "recover"),
            ("sync_speed", "102400"),
            ("sync_completed", "100 / 800"),
            ("bitmap/location", "+8"),
            ("dev-sdb/state", "in_sync"),
            ("dev-sdc/state", "faulty"),
            ("dev-sdd/state", "spare"),
            ("stripe_cache_size", "256"),
            ("sync_speed_min", "1000 (system)"),
        ] {
            host.push_str(&format!("path: {base}/md/{file}\nlines: 1\n{value}\n"));
        }
        host.push_str("path: /proc/sys/dev/raid/speed_limit_max\nlines: 1\n200000\n");
        let path = collect_on(&host, "md0");
        let fact = |name: &str| facts(&path, "md0", name);
        assert_eq!(
            (fact("sync_speed_kib"), fact("sync_percent"), fact("bitmap")),
            ("102400", "12.5", "internal")
        );
        assert_eq!(
            (
                fact("failed_members"),
                fact("spare_members"),
                fact("journal")
            ),
            ("sdc", "sdd", "")
        );
        let array = &path.root.below[0];
        assert_eq!(
            array.setting("md/stripe_cache_size").unwrap().number(),
            Some(256.0)
        );
        assert!(
            array.setting("md/sync_speed_min").is_some()
                && array.setting("dev.raid.speed_limit_max").is_some()
        );
    }

    #[test]
    fn an_idle_array_has_no_speed() {
        let base = "/sys/devices/virtual/block/md1/md";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/md1\nlink: ../../devices/virtual/block/md1\n\
                 path: {base}/level\nlines: 1\nraid1\npath: {base}/sync_speed\nlines: 1\nnone\n\
                 path: {base}/sync_completed\nlines: 1\nnone\npath: {base}/bitmap/location\nlines: 1\nnone\n"
            ),
            "md1",
        );
        assert_eq!(facts(&path, "md1", "sync_speed_kib"), "");
        assert_eq!(facts(&path, "md1", "sync_percent"), "");
        assert_eq!(facts(&path, "md1", "bitmap"), "none");
    }
}
