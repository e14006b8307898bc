//! The rows of a stacked device: volumes, arrays, encryption, several paths, caches.

use super::text::clean;
use super::tree::TreeRow;
use model::iopath::Layer;
use model::units;

/// Everything about the device itself that a reader has to know; its settings and members come elsewhere.
pub(super) fn rows(layer: &Layer) -> Vec<TreeRow> {
    let rows = [
        name(layer),
        suspended(layer),
        stripes(layer),
        chunk(layer),
        alignment(layer),
        state(layer),
        synchronisation(layer),
        bitmap(layer),
        cipher(layer),
        paths(layer),
        thin_pool(layer),
        cache(layer),
        snapshot(layer),
        delay(layer),
    ];
    rows.into_iter().flatten().collect()
}

fn plain(key: &str, text: impl AsRef<str>) -> Option<TreeRow> {
    Some(TreeRow::plain(key, clean(text.as_ref())))
}

fn percent(layer: &Layer, fact: &str) -> Option<String> {
    Some(units::percent_whole(layer.number(fact)?))
}

fn name(layer: &Layer) -> Option<TreeRow> {
    if let Some((vg, lv)) = layer.fact("vg").zip(layer.fact("lv")) {
        let part = layer
            .fact("lv_part")
            .map(|part| format!(", its {part}"))
            .unwrap_or_default();
        return plain("volume", format!("{vg}/{lv}{part}"));
    }
    plain("name", layer.fact("dm_name")?)
}

fn suspended(layer: &Layer) -> Option<TreeRow> {
    layer.fact("suspended")?;
    plain(
        "state",
        "suspended: every I/O waits until somebody resumes it (dmsetup resume)",
    )
}

fn stripes(layer: &Layer) -> Option<TreeRow> {
    if let Some((stripes, bytes)) = layer.fact("stripes").zip(layer.number("stripe_bytes")) {
        return plain(
            "stripes",
            format!("{stripes} of {} each", units::bytes(bytes)),
        );
    }
    let segments = layer.fact("segments")?;
    plain("segments", format!("{segments}, one behind the other"))
}

fn chunk(layer: &Layer) -> Option<TreeRow> {
    let bytes = layer.number("chunk_bytes").filter(|bytes| *bytes > 0.0)?;
    plain("chunk", units::bytes(bytes))
}

/// Only worth a line where it is wrong.
fn alignment(layer: &Layer) -> Option<TreeRow> {
    (layer.fact("aligned")? == "no").then_some(())?;
    let block = layer
        .number("block_bytes")
        .map(units::bytes)
        .unwrap_or_default();
    plain(
        "start",
        format!("not aligned to the disks' {block} blocks: a write of one block touches two"),
    )
}

fn state(layer: &Layer) -> Option<TreeRow> {
    let mut state = match (layer.fact("array_state"), layer.fact("raid_health")) {
        (Some(state), _) => state.to_string(),
        (None, Some(health)) => format!("members {health}"),
        (None, None) => return None,
    };
    if let Some(missing) = layer.number("degraded").filter(|missing| *missing > 0.0) {
        let failed = layer
            .fact("failed_members")
            .map(|names| format!("; failed: {names}"))
            .unwrap_or_default();
        state.push_str(&format!(
            ", degraded: {missing} missing{failed}",
            missing = units::whole(missing)
        ));
    }
    plain("state", state)
}

fn synchronisation(layer: &Layer) -> Option<TreeRow> {
    let action = layer
        .fact("sync_action")
        .filter(|action| !matches!(*action, "idle" | "frozen"))?;
    let mut text = format!("{action} takes disk time");
    if let Some(done) = percent(layer, "sync_percent") {
        text.push_str(&format!(": {done} done"));
    }
    if let Some(kib) = layer.number("sync_speed_kib") {
        text.push_str(&format!(", {}", units::bytes_per_s(kib * 1024.0)));
    }
    plain("sync", text)
}

/// None is worth a line: after a crash the whole array is copied. RAID 0 has nothing to synchronise.
fn bitmap(layer: &Layer) -> Option<TreeRow> {
    let bitmap = layer.fact("bitmap")?;
    let is_redundant = layer
        .fact("stack")
        .is_some_and(|level| level != "raid0" && level != "linear");
    let meaning = match bitmap {
        "none" if is_redundant => "none: after a crash all of it is synchronised anew".to_string(),
        "none" => return None,
        place => place.to_string(),
    };
    plain("bitmap", meaning)
}

fn cipher(layer: &Layer) -> Option<TreeRow> {
    let mut text = layer.fact("cipher")?.to_string();
    if let Some(bytes) = layer.number("crypt_sector_bytes") {
        text.push_str(&format!(", sectors of {}", units::bytes(bytes)));
    }
    // The size of a sector is among the flags once more.
    let flags = layer.fact("crypt_flags").unwrap_or_default().split(' ');
    let flags: Vec<&str> = flags
        .filter(|flag| !flag.is_empty() && !flag.starts_with("sector_size:"))
        .collect();
    if !flags.is_empty() {
        text.push_str(&format!(", {}", flags.join(" ")));
    }
    plain("cipher", text)
}

fn paths(layer: &Layer) -> Option<TreeRow> {
    let active = layer.number("paths_active")?;
    let failed = layer.number("paths_failed").filter(|failed| *failed > 0.0);
    let failed = failed
        .map(|failed| format!(", {failed} failed", failed = units::whole(failed)))
        .unwrap_or_default();
    let policy = layer
        .fact("path_policy")
        .map(|policy| format!(", {policy}"))
        .unwrap_or_default();
    plain(
        "paths",
        format!(
            "{active} active{failed}{policy}",
            active = units::whole(active)
        ),
    )
}

fn thin_pool(layer: &Layer) -> Option<TreeRow> {
    if let Some(mapped) = percent(layer, "thin_mapped_percent") {
        return plain(
            "thin",
            format!("{mapped} of it is there; the first write to the rest allocates"),
        );
    }
    let data = percent(layer, "thin_data_used_percent")?;
    let metadata = percent(layer, "thin_metadata_used_percent").unwrap_or_else(|| "unknown".into());
    let mode = layer.fact("thin_mode").filter(|mode| *mode != "rw");
    let mode = mode
        .map(|mode| format!("; mode {mode}"))
        .unwrap_or_default();
    plain(
        "thin pool",
        format!("{data} of data and {metadata} of metadata used{mode}"),
    )
}

fn cache(layer: &Layer) -> Option<TreeRow> {
    let mut parts = vec![layer.fact("cache_mode")?.to_string()];
    parts.extend(layer.fact("cache_state").map(str::to_string));
    parts.extend(percent(layer, "cache_used_percent").map(|used| format!("{used} used")));
    parts.extend(percent(layer, "cache_dirty_percent").map(|dirty| format!("{dirty} dirty")));
    parts.extend(
        layer
            .fact("cache_dirty")
            .map(|dirty| format!("{dirty} dirty")),
    );
    let hits = percent(layer, "cache_read_hit_percent").map(|hits| format!("{hits} of reads hit"));
    parts.extend(
        hits.or_else(|| percent(layer, "cache_hit_percent").map(|hits| format!("{hits} hit"))),
    );
    plain("cache", parts.join(", "))
}

fn snapshot(layer: &Layer) -> Option<TreeRow> {
    let used = percent(layer, "snapshot_used_percent")?;
    plain(
        "snapshot",
        format!("{used} used; the first write to a block copies it"),
    )
}

fn delay(layer: &Layer) -> Option<TreeRow> {
    let reads = layer.fact("delay_ms")?;
    match layer.fact("delay_write_ms") {
        Some(writes) => plain(
            "delay",
            format!("reads {reads} ms, writes {writes} ms, on purpose"),
        ),
        None => plain("delay", format!("{reads} ms, on purpose")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::LayerKind;

    fn shown(facts: &[(&str, &str)]) -> String {
        let mut layer = Layer::new(LayerKind::Stacked, "dm-0");
        layer.facts = facts
            .iter()
            .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
            .collect();
        rows(&layer)
            .into_iter()
            .map(|row| format!("{}: {}\n", row.key, row.value))
            .collect()
    }

    #[test]
    fn a_rebuild_is_told_with_its_cause() {
        let array = [
            ("stack", "raid5"),
            ("array_state", "clean"),
            ("degraded", "1"),
            ("failed_members", "sdc"),
            ("sync_action", "recover"),
            ("sync_percent", "12.5"),
            ("sync_speed_kib", "102400"),
            ("bitmap", "none"),
        ];
        assert_eq!(
            shown(&array),
            "state: clean, degraded: 1 missing; failed: sdc\n\
             sync: recover takes disk time: 12 % done, 100 MiB/s\n\
             bitmap: none: after a crash all of it is synchronised anew\n"
        );
        assert_eq!(
            shown(&[
                ("stack", "raid0"),
                ("bitmap", "none"),
                ("sync_action", "idle")
            ]),
            ""
        );
    }

    #[test]
    fn volumes_say_what_they_are_made_of() {
        let striped = [
            ("vg", "vg0"),
            ("lv", "data"),
            ("stripes", "4"),
            ("stripe_bytes", "65536"),
            ("aligned", "yes"),
        ];
        assert_eq!(
            shown(&striped),
            "volume: vg0/data\nstripes: 4 of 64.0 KiB each\n"
        );
        let crypt = [
            ("cipher", "aes-xts-plain64"),
            ("crypt_sector_bytes", "4096"),
            ("crypt_flags", "no_read_workqueue sector_size:4096"),
        ];
        assert_eq!(
            shown(&crypt),
            "cipher: aes-xts-plain64, sectors of 4.00 KiB, no_read_workqueue\n"
        );
        let paths = [
            ("paths_active", "1"),
            ("paths_failed", "1"),
            ("path_policy", "service-time"),
        ];
        assert_eq!(shown(&paths), "paths: 1 active, 1 failed, service-time\n");
    }
}
