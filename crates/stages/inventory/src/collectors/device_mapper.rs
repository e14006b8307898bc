//! # Device mapper
//!
//! What a device-mapper device makes of those below it: LVM's linear, striped, thin, cached and RAID volumes,
//! encryption, several paths to one disk, and what tests use.
//!
//! ## What it reads
//! `/sys/class/block/{}/dm/{name,uuid,suspended}`; as root the table and the status of the mapping, through
//! `/dev/mapper/control` (no key leaves that file's answer). Without root the owner's prefix of the identifier has to
//! do, and a note says so. The mapped device is not opened, and a thin pool not made to write its metadata.
//!
//! ## Fields
//! - `stack`: `LVM`, `encrypted`, `multipath`, `device mapper`; `dm_name`; of LVM `vg`, `lv` and, below a volume, `lv_part`
//!   (`tpool`, `tdata`, `rimage_0`)
//! - `mapping`: the target's type: `linear`, `striped`, `mirror`, `raid`, `thin`, `thin-pool`, `cache`, `writecache`, `crypt`,
//!   `multipath`, `delay`, `flakey`, `error`, `snapshot` …; `mixed` where there are several, then `mapping_kinds`
//! - `segments`: pieces, where there is more than one
//! - `suspended`: `yes` while all I/O waits
//! - `stripes`, `stripe_bytes`: of a striped volume
//! - `aligned`, `block_bytes`: whether the pieces begin on blocks of the disks below
//! - `cipher`, `crypt_flags`, `crypt_sector_bytes`: of encryption
//! - `paths_active`, `paths_failed`, `path_groups`, `path_policy`, `multipath_features`
//! - `thin_data_used_percent`, `thin_metadata_used_percent`, `thin_mode`, `thin_zeroing`, `chunk_bytes`: of a thin pool;
//!   `thin_mapped_percent`: of a thin volume
//! - `cache_mode`, `cache_policy`, `cache_used_percent`, `cache_dirty_percent`, `cache_read_hit_percent`,
//!   `cache_write_hit_percent`, `chunk_bytes`: of a cache
//! - `raid_level`, `raid_disks`, `raid_health` (`AA`, a letter a member), `degraded`, `sync_action`, `sync_percent`,
//!   `mismatch_cnt`: of LVM's RAID; `snapshot_used_percent`
//! - `delay_ms`, `delay_write_ms`; `flakey_up_s`, `flakey_down_s`
//!
//! ## Example
//! `dm-3`, LVM `vg0` / `data`, `mapping` striped, 4 stripes of 65536 bytes.

mod targets;

use crate::{Collector, Draft, Survey};
use host::Host;
use host::device_mapper::{Mapping, Target};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "device_mapper",
    since: "0.1.0",
    kinds: &[LayerKind::Stacked],
    reads: &["/sys/class/block/{}/dm/*", "/dev/mapper/control"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    if !draft.layer.name.starts_with("dm-") {
        return;
    }
    draft.fact_from(host, "dm_name", "dm/name");
    let uuid = host.text(&draft.path("dm/uuid")).unwrap_or_default();
    // The prefix is the owner's by convention (Documentation/admin-guide/device-mapper, libdevmapper).
    let stack = match uuid.split('-').next().unwrap_or_default() {
        "LVM" => "LVM",
        "CRYPT" => "encrypted",
        "mpath" => "multipath",
        prefix if prefix.starts_with("part") => "partition on a mapped device",
        _ => "device mapper",
    };
    draft.fact("stack", Some(stack));
    if let Some(name) = draft
        .known("dm_name")
        .filter(|_| stack == "LVM")
        .map(str::to_string)
    {
        let [vg, lv, part] = split(&name);
        draft.fact("vg", vg);
        draft.fact("lv", lv);
        draft.fact("lv_part", part);
    }
    draft.fact(
        "suspended",
        (host.number(&draft.path("dm/suspended")) == Some(1)).then_some("yes"),
    );
    let devno = draft.layer.devno.clone().unwrap_or_default();
    match host.mapping(&devno) {
        Ok(mapping) => describe(host, draft, &mapping),
        Err(error) => {
            draft.fact("mapping", by_identifier(&uuid));
            unreadable(survey, draft, &error);
        }
    }
}

/// One note for all of them. An old capture lacks the answers, which nobody refused.
fn unreadable(survey: &mut Survey<'_>, draft: &Draft, error: &host::Error) {
    const START: &str = "What device-mapper devices map";
    let is_missing_in_capture = !survey.host.is_live() && error.errno() == Some(2);
    if is_missing_in_capture || survey.notes.iter().any(|note| note.starts_with(START)) {
        return;
    }
    let why = if error.is_permission() {
        "only root may ask".to_string()
    } else {
        error.to_string()
    };
    let name = &draft.layer.name;
    survey.notes.push(format!(
        "{START} ({name} here) is known by their names only: {why}."
    ));
}

/// What the identifier alone says, in LVM's and cryptsetup's manner.
fn by_identifier(uuid: &str) -> Option<&'static str> {
    match uuid {
        uuid if uuid.starts_with("CRYPT-") => Some("crypt"),
        uuid if uuid.starts_with("mpath-") => Some("multipath"),
        uuid if uuid.starts_with("LVM-") && uuid.ends_with("-tpool") => Some("thin-pool"),
        _ => None,
    }
}

fn describe(host: &Host, draft: &mut Draft, mapping: &Mapping) {
    let mut kinds: Vec<&str> = mapping
        .table
        .iter()
        .map(|target| target.kind.as_str())
        .collect();
    kinds.dedup();
    let [kind] = kinds[..] else {
        draft.fact("mapping", (!kinds.is_empty()).then_some("mixed"));
        kinds.sort_unstable();
        kinds.dedup();
        draft.fact(
            "mapping_kinds",
            Some(kinds.join(" ")).filter(|kinds| !kinds.is_empty()),
        );
        return;
    };
    draft.fact("mapping", Some(kind));
    draft.fact(
        "segments",
        (mapping.table.len() > 1).then(|| mapping.table.len().to_string()),
    );
    targets::describe(draft, mapping);
    alignment(host, draft, &mapping.table);
}

/// A piece that begins between two blocks of the disk below makes every block of the volume touch two of them.
fn alignment(host: &Host, draft: &mut Draft, table: &[Target]) {
    let block = host
        .number(&draft.path("queue/physical_block_size"))
        .filter(|bytes| *bytes > 0);
    let offsets: Vec<u64> = table.iter().flat_map(targets::offsets).collect();
    let Some(block) = block.filter(|_| !offsets.is_empty()) else {
        return;
    };
    let is_aligned = offsets
        .iter()
        .all(|sector| sector.saturating_mul(512) % block == 0);
    draft.fact("aligned", Some(if is_aligned { "yes" } else { "no" }));
    draft.fact("block_bytes", Some(block.to_string()));
}

/// `vg0-my--lv-tpool` → volume group, volume, part: a dash in a name is doubled (lvm2, `dm_build_dm_name`).
fn split(name: &str) -> [Option<String>; 3] {
    let mut parts = vec![String::new()];
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_doubled = letter == '-' && letters.next_if_eq(&'-').is_some();
        // After the third every dash is part of it.
        if letter == '-' && !is_doubled && parts.len() < 3 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
    }
    let mut parts = parts.into_iter().filter(|part| !part.is_empty());
    // `vg-pool_tdata` has its part behind an underscore, and no other name of a volume may end so.
    let (vg, lv, mut part) = (parts.next(), parts.next(), parts.next());
    let lv = lv.map(
        |lv| match lv.rsplit_once('_').filter(|(_, end)| is_reserved(end)) {
            Some((whole, end)) => {
                part.get_or_insert(end.to_string());
                whole.to_string()
            }
            None => match lv
                .rsplit_once('_')
                .and_then(|(front, number)| Some((front.rsplit_once('_')?, number)))
            {
                Some(((whole, kind), number)) if is_reserved(kind) => {
                    part.get_or_insert(format!("{kind}_{number}"));
                    whole.to_string()
                }
                _ => lv,
            },
        },
    );
    [vg, lv, part]
}

/// lvmraid(7), lvmthin(7), lvmcache(7).
fn is_reserved(end: &str) -> bool {
    matches!(
        end,
        "tdata"
            | "tmeta"
            | "cdata"
            | "cmeta"
            | "corig"
            | "cvol"
            | "cpool"
            | "wcorig"
            | "rimage"
            | "rmeta"
            | "mimage"
            | "mlog"
    )
}

#[cfg(test)]
mod tests {
    use super::split;
    use crate::tests::{collect_on, facts};

    /// dm-0 with this table, this status and this identifier.
    fn mapped(table: &str, status: &str, uuid: &str) -> model::iopath::IoPath {
        let count = |text: &str| text.lines().count();
        collect_on(
            &format!(
                "path: /sys/class/block/dm-0\nlink: ../../devices/virtual/block/dm-0\n\
                 path: /sys/devices/virtual/block/dm-0/dev\nlines: 1\n253:0\n\
                 path: /sys/devices/virtual/block/dm-0/dm/name\nlines: 1\nvg0-my--lv\n\
                 path: /sys/devices/virtual/block/dm-0/dm/uuid\nlines: 1\n{uuid}\n\
                 path: /sys/devices/virtual/block/dm-0/dm/suspended\nlines: 1\n1\n\
                 path: /sys/devices/virtual/block/dm-0/queue/physical_block_size\nlines: 1\n4096\n\
                 path: /dev/mapper/control/253:0/table\nlines: {}\n{table}\n\
                 path: /dev/mapper/control/253:0/status\nlines: {}\n{status}\n",
                count(table),
                count(status)
            ),
            "dm-0",
        )
    }

    /// The facts of this list, as `name value` lines.
    fn assert_facts(path: &model::iopath::IoPath, wanted: &[(&str, &str)]) {
        for (name, value) in wanted {
            assert_eq!(facts(path, "dm-0", name), *value, "{name}");
        }
    }

    #[test]
    fn volumes_of_lvm() {
        let striped = mapped(
            "0 64 striped 2 128 8:16 2048 8:32 2047",
            "0 64 striped 2 8:16 8:32 1 AA",
            "LVM-x",
        );
        assert_facts(
            &striped,
            &[
                ("mapping", "striped"),
                ("stripes", "2"),
                ("stripe_bytes", "65536"),
                ("aligned", "no"),
                ("vg", "vg0"),
                ("lv", "my-lv"),
                ("suspended", "yes"),
                ("stack", "LVM"),
            ],
        );
        let linear = mapped(
            "0 64 linear 8:16 2048\n64 8 linear 8:32 2048",
            "0 64 linear\n64 8 linear",
            "LVM-x",
        );
        assert_facts(
            &linear,
            &[("mapping", "linear"), ("segments", "2"), ("aligned", "yes")],
        );
        let mixed = mapped(
            "0 64 linear 8:16 2048\n64 8 striped 2 128 8:16 0 8:32 0",
            "",
            "LVM-x",
        );
        assert_facts(
            &mixed,
            &[("mapping", "mixed"), ("mapping_kinds", "linear striped")],
        );
    }

    #[test]
    fn without_rights_the_identifier_has_to_do() {
        let path = collect_on(
            "path: /sys/class/block/dm-0\nlink: ../../devices/virtual/block/dm-0\n\
             path: /sys/devices/virtual/block/dm-0/dev\nlines: 1\n253:0\n\
             path: /sys/devices/virtual/block/dm-0/dm/uuid\nlines: 1\nCRYPT-LUKS2-\n\
             path: /dev/mapper/control/253:0/table\nerrno: 13\n",
            "dm-0",
        );
        assert_eq!(facts(&path, "dm-0", "mapping"), "crypt");
        assert!(
            path.notes
                .iter()
                .any(|note| note.contains("only root may ask")),
            "{:?}",
            path.notes
        );
    }

    #[test]
    fn names_of_volumes_and_their_parts() {
        let parts = |name: &str| split(name).map(|part| part.unwrap_or_default());
        assert_eq!(parts("vg0-data"), ["vg0", "data", ""]);
        assert_eq!(parts("my--vg-my--lv-tpool"), ["my-vg", "my-lv", "tpool"]);
        assert_eq!(parts("vg-pool_tdata"), ["vg", "pool", "tdata"]);
        assert_eq!(parts("vg-r_rimage_0"), ["vg", "r", "rimage_0"]);
        assert_eq!(parts("vg-my_lv"), ["vg", "my_lv", ""]);
        for odd in ["", "-", "--", "a-", "a---b-_", "-_rimage_"] {
            split(odd);
        }
    }
}
