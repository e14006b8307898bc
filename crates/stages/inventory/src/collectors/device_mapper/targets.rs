//! The words of device-mapper tables and status lines, target by target, as Documentation/admin-guide/device-mapper
//! describes them.

use crate::Draft;
use host::device_mapper::{Mapping, Target};
use kernel::devno::Devno;
use model::units;

/// Adds what the first piece says; where there are several, they are of one kind.
pub(super) fn describe(draft: &mut Draft, mapping: &Mapping) {
    let Some(target) = mapping.table.first() else {
        return;
    };
    let table: Vec<&str> = words(target);
    let status: Vec<&str> = mapping.status.first().map(words).unwrap_or_default();
    match target.kind.as_str() {
        "striped" => {
            draft.fact("stripes", table.first().copied());
            draft.fact("stripe_bytes", bytes(table.get(1)));
        }
        "crypt" => crypt(draft, &table),
        "multipath" => multipath(draft, &table, &status),
        "thin" => {
            let mapped =
                number(status.first()).map(|mapped| mapped / target.sectors.max(1) as f64 * 100.0);
            draft.fact("thin_mapped_percent", mapped.map(percent));
        }
        "thin-pool" => thin_pool(draft, &table, &status),
        "cache" => cache(draft, &table, &status),
        "writecache" => writecache(draft, &status),
        "raid" => raid(draft, &table, &status),
        "snapshot" => draft.fact(
            "snapshot_used_percent",
            status.first().and_then(|used| share(used)).map(percent),
        ),
        "delay" => {
            draft.fact("delay_ms", table.get(2).copied());
            draft.fact("delay_write_ms", table.get(5).copied());
        }
        "flakey" => {
            draft.fact("flakey_up_s", table.get(2).copied());
            draft.fact("flakey_down_s", table.get(3).copied());
        }
        _ => {}
    }
}

/// Where on the devices below a piece begins, in units of 512 bytes; none for targets without a fixed place.
pub(super) fn offsets(target: &Target) -> Vec<u64> {
    let words = words(target);
    let at = |index: usize| words.get(index).and_then(|word| word.parse().ok());
    match target.kind.as_str() {
        "linear" => at(1).into_iter().collect(),
        "striped" => {
            let pairs = words.get(2..).unwrap_or_default().chunks_exact(2);
            pairs.filter_map(|pair| pair[1].parse().ok()).collect()
        }
        // cipher, key, offset of the counter, device, offset
        "crypt" => at(4).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn words(target: &Target) -> Vec<&str> {
    target.words.iter().map(String::as_str).collect()
}

fn number(word: Option<&&str>) -> Option<f64> {
    word?.parse().ok()
}

fn bytes(sectors: Option<&&str>) -> Option<String> {
    number(sectors).map(|sectors| units::whole(sectors * 512.0))
}

fn percent(value: f64) -> String {
    units::decimals(value, 1)
}

/// `used/all`, per cent.
fn share(word: &str) -> Option<f64> {
    let (used, all) = word.split_once('/')?;
    let (used, all): (f64, f64) = (used.parse().ok()?, all.parse().ok()?);
    (all > 0.0).then_some(used / all * 100.0)
}

/// What follows a count of words, and the place behind it.
fn counted<'a>(words: &'a [&'a str], at: usize) -> Option<(&'a [&'a str], usize)> {
    let count: usize = words.get(at)?.parse().ok()?;
    let end = at.checked_add(1)?.checked_add(count)?;
    Some((words.get(at + 1..end)?, end))
}

fn crypt(draft: &mut Draft, table: &[&str]) {
    draft.fact("cipher", table.first().copied());
    let (options, _) = counted(table, 5).unwrap_or_default();
    draft.fact(
        "crypt_flags",
        Some(options.join(" ")).filter(|options| !options.is_empty()),
    );
    let sector = options
        .iter()
        .find_map(|option| option.strip_prefix("sector_size:"));
    draft.fact("crypt_sector_bytes", Some(sector.unwrap_or("512")));
}

/// Table: features, hardware handler, groups, the next group, then for each group `selector #args args #paths #args` and
/// its paths. Status: features, events, groups, the next group, then for each group its state and its paths with theirs.
fn multipath(draft: &mut Draft, table: &[&str], status: &[&str]) {
    let groups = counted(table, 0).and_then(|(features, at)| {
        draft.fact(
            "multipath_features",
            Some(features.join(" ")).filter(|features| !features.is_empty()),
        );
        counted(table, at).map(|(_, at)| at)
    });
    if let Some(at) = groups {
        draft.fact("path_groups", table.get(at).copied());
        draft.fact("path_policy", table.get(at + 2).copied());
    }
    // A path is a device and, behind it, its state.
    let states: Vec<&str> = status
        .windows(2)
        .filter(|pair| Devno::parse(pair[0]).is_some())
        .map(|pair| pair[1])
        .collect();
    if !states.is_empty() {
        let count = |state: &str| {
            states
                .iter()
                .filter(|known| **known == state)
                .count()
                .to_string()
        };
        draft.fact("paths_active", Some(count("A")));
        draft.fact("paths_failed", Some(count("F")));
    }
}

/// `transaction used/all-metadata used/all-data held-root mode discard full-behaviour [needs_check]`
fn thin_pool(draft: &mut Draft, table: &[&str], status: &[&str]) {
    draft.fact(
        "thin_metadata_used_percent",
        status.get(1).and_then(|word| share(word)).map(percent),
    );
    draft.fact(
        "thin_data_used_percent",
        status.get(2).and_then(|word| share(word)).map(percent),
    );
    let modes = ["rw", "ro", "out_of_data_space"];
    let failed = status
        .first()
        .filter(|word| **word == "Fail")
        .map(|_| "failed");
    draft.fact(
        "thin_mode",
        failed.or_else(|| status.iter().find(|word| modes.contains(word)).copied()),
    );
    draft.fact("chunk_bytes", bytes(table.get(2)));
    let (features, _) = counted(table, 4).unwrap_or_default();
    draft.fact(
        "thin_zeroing",
        Some(if features.contains(&"skip_block_zeroing") {
            "no"
        } else {
            "yes"
        }),
    );
}

/// `metadata-block used/all-metadata cache-block used/all read-hits read-misses write-hits write-misses demotions
/// promotions dirty #features … #core … policy …`
fn cache(draft: &mut Draft, table: &[&str], status: &[&str]) {
    draft.fact("chunk_bytes", bytes(table.get(3)));
    draft.fact(
        "cache_used_percent",
        status.get(3).and_then(|word| share(word)).map(percent),
    );
    let hits = |at: usize| {
        let (hits, misses) = number(status.get(at)).zip(number(status.get(at + 1)))?;
        (hits + misses > 0.0).then(|| percent(hits / (hits + misses) * 100.0))
    };
    draft.fact("cache_read_hit_percent", hits(4));
    draft.fact("cache_write_hit_percent", hits(6));
    let all: Option<f64> = status
        .get(3)
        .and_then(|word| word.split_once('/')?.1.parse().ok());
    let dirty = number(status.get(10)).zip(all.filter(|all| *all > 0.0));
    draft.fact(
        "cache_dirty_percent",
        dirty.map(|(dirty, all)| percent(dirty / all * 100.0)),
    );
    let Some((features, at)) = counted(status, 11).or_else(|| counted(table, 4)) else {
        return;
    };
    let modes = ["writeback", "writethrough", "passthrough"];
    draft.fact(
        "cache_mode",
        features.iter().find(|word| modes.contains(word)).copied(),
    );
    let policy = counted(status, at).and_then(|(_, at)| status.get(at).copied());
    draft.fact("cache_policy", policy.or_else(|| table.get(at).copied()));
}

/// `error blocks free writing-back …`
fn writecache(draft: &mut Draft, status: &[&str]) {
    draft.fact("cache_mode", Some("writeback"));
    let used = number(status.get(1))
        .zip(number(status.get(2)))
        .filter(|(all, _)| *all > 0.0);
    draft.fact(
        "cache_used_percent",
        used.map(|(all, free)| percent((all - free) / all * 100.0)),
    );
}

/// `level #disks health done/all action mismatches …`
fn raid(draft: &mut Draft, table: &[&str], status: &[&str]) {
    draft.fact("raid_level", table.first().copied());
    draft.fact("raid_disks", status.get(1).copied());
    if let Some(health) = status.get(2) {
        draft.fact("raid_health", Some(*health));
        draft.fact("degraded", Some(health.matches('D').count().to_string()));
    }
    let action = status.get(4).copied();
    draft.fact("sync_action", action);
    let running = action.is_some_and(|action| action != "idle" && action != "frozen");
    draft.fact(
        "sync_percent",
        status
            .get(3)
            .filter(|_| running)
            .and_then(|word| share(word))
            .map(percent),
    );
    draft.fact("mismatch_cnt", status.get(5).copied());
    let (parameters, _) = counted(table, 1).unwrap_or_default();
    draft.fact(
        "chunk_bytes",
        bytes(parameters.first()).filter(|chunk| chunk != "0"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::{Layer, LayerKind};

    fn target(line: &str) -> Target {
        let mut words = line.split_whitespace();
        Target {
            start_sector: 0,
            sectors: 1000,
            kind: words.next().unwrap_or_default().into(),
            words: words.map(str::to_string).collect(),
        }
    }

    fn described(table: &str, status: &str) -> Layer {
        let layer = Layer::new(LayerKind::Stacked, "dm-0");
        let mut draft = Draft::of(layer, String::new());
        describe(
            &mut draft,
            &Mapping {
                table: vec![target(table)],
                status: vec![target(status)],
            },
        );
        draft.layer
    }

    fn assert_facts(table: &str, status: &str, wanted: &[(&str, &str)]) {
        let layer = described(table, status);
        for (name, value) in wanted {
            assert_eq!(
                layer.fact(name).unwrap_or_default(),
                *value,
                "{name}: {:?}",
                layer.facts
            );
        }
    }

    const CACHE: (&str, &str) = (
        "cache 253:1 253:2 253:3 128 1 writethrough smq 0",
        "cache 8 27/4096 128 100/200 30 10 5 5 0 42 20 1 writethrough 2 migration_threshold 2048 smq 0 rw -",
    );
    const MULTIPATH: (&str, &str) = (
        "multipath 1 queue_if_no_path 0 2 1 service-time 0 1 2 8:16 1 1 service-time 0 1 2 8:32 1 1",
        "multipath 2 0 0 0 2 1 A 0 1 2 8:16 A 0 0 1 E 0 1 2 8:32 F 3 0 1",
    );
    const POOL: (&str, &str) = (
        "thin-pool 253:1 253:2 128 0 1 skip_block_zeroing",
        "thin-pool 1 25/100 810/1000 - rw no_discard_passdown queue_if_no_space - 1024",
    );
    const RAID: (&str, &str) = (
        "raid raid5_ls 3 128 region_size 4096 3 253:1 253:2 253:3 253:4 253:5 253:6",
        "raid raid5_ls 3 AaD 250/1000 recover 0 0 -",
    );

    #[test]
    fn each_target_s_own_words() {
        assert_facts(
            "crypt aes-xts-plain64 - 0 8:16 32768 3 allow_discards no_read_workqueue sector_size:4096",
            "crypt",
            &[
                ("cipher", "aes-xts-plain64"),
                (
                    "crypt_flags",
                    "allow_discards no_read_workqueue sector_size:4096",
                ),
                ("crypt_sector_bytes", "4096"),
            ],
        );
        assert_facts(
            "crypt aes-xts-plain64 - 0 8:16 32768",
            "crypt",
            &[("crypt_flags", ""), ("crypt_sector_bytes", "512")],
        );
        assert_facts(
            MULTIPATH.0,
            MULTIPATH.1,
            &[
                ("paths_active", "1"),
                ("paths_failed", "1"),
                ("path_policy", "service-time"),
                ("path_groups", "2"),
                ("multipath_features", "queue_if_no_path"),
            ],
        );
        assert_facts(
            POOL.0,
            POOL.1,
            &[
                ("thin_data_used_percent", "81.0"),
                ("thin_metadata_used_percent", "25.0"),
                ("thin_mode", "rw"),
                ("thin_zeroing", "no"),
                ("chunk_bytes", "65536"),
            ],
        );
        assert_facts(
            CACHE.0,
            CACHE.1,
            &[
                ("cache_mode", "writethrough"),
                ("cache_used_percent", "50.0"),
                ("cache_policy", "smq"),
                ("cache_dirty_percent", "10.0"),
                ("cache_read_hit_percent", "75.0"),
            ],
        );
    }

    #[test]
    fn arrays_and_what_tests_use() {
        assert_facts(
            RAID.0,
            RAID.1,
            &[
                ("raid_level", "raid5_ls"),
                ("degraded", "1"),
                ("sync_action", "recover"),
                ("sync_percent", "25.0"),
                ("raid_health", "AaD"),
                ("chunk_bytes", "65536"),
            ],
        );
        assert_facts(
            "delay 8:16 0 100 8:16 0 250",
            "delay 1 2",
            &[("delay_ms", "100"), ("delay_write_ms", "250")],
        );
        assert_facts(
            "thin 253:4 1",
            "thin 250 999",
            &[("thin_mapped_percent", "25.0")],
        );
        assert_facts(
            "writecache s 8:16 8:32 4096 0",
            "writecache 0 100 40 0",
            &[("cache_used_percent", "60.0")],
        );
        assert_facts(
            "snapshot 8:16 8:32 P 8",
            "snapshot 16/64 0",
            &[("snapshot_used_percent", "25.0")],
        );
    }

    #[test]
    fn cut_and_mangled_lines_are_no_failure() {
        for (table, status) in [CACHE, MULTIPATH, POOL, RAID] {
            for end in 0..table.len() {
                described(&table[..end], status);
                offsets(&target(&table[..end]));
            }
            for end in 0..status.len() {
                described(table, &status[..end]);
            }
            let huge = table.replace(" 1 ", " 18446744073709551615 ");
            described(&huge, &status.replace(" 1 ", " 18446744073709551615 "));
        }
    }
}
