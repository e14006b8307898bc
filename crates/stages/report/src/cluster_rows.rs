//! The rows of a Ceph cluster, its pools and its OSDs.

use super::text::clean;
use super::tree::TreeRow;
use model::iopath::{Layer, LayerKind};
use model::osd_trouble::{NEARFULL, worst_osds};
use model::units;

/// So many OSDs of a pool are shown, the worst, where it has more; beside them those that are nearly full.
const OSDS_SHOWN: usize = 8;

/// What a reader wants to know of a layer of a cluster; nothing of other layers.
pub(super) fn rows(layer: &Layer) -> Vec<TreeRow> {
    match layer.kind {
        LayerKind::Cluster => cluster(layer),
        LayerKind::Pool => pool(layer),
        _ => Vec::new(),
    }
}

/// What an OSD is and how it fares, in a line.
pub(super) fn osd(layer: &Layer) -> String {
    let fact = |name: &str| layer.fact(name).map(str::to_string);
    let word = |name: &str, yes: &str, no: &str| {
        let is = layer.fact(name)? == "yes";
        Some(if is { yes } else { no }.to_string())
    };
    let disks = fact("osd_devices").map(|names| names.replace(',', "+"));
    let place = match (disks, fact("osd_host")) {
        (Some(disks), Some(host)) => Some(format!("{disks} on {host}")),
        (None, Some(host)) => Some(format!("on {host}")),
        (disks, None) => disks,
    };
    let latency = |name: &str, what: &str| {
        let ms = layer.number(name).filter(|ms| *ms > 0.0)?;
        Some(format!("{what} in {}", units::duration_ns(ms * 1e6)))
    };
    let parts = [
        word("osd_up", "up", "DOWN"),
        word("osd_in", "in", "OUT"),
        fact("device_class"),
        place,
        layer.number("size_bytes").map(units::bytes),
        layer
            .number("used_share")
            .map(|share| format!("{} full", units::share(share))),
        fact("pgs").map(|count| format!("{count} placement groups")),
        latency("commit_ms", "commits"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The OSDs of a pool that are worth a line, in their order: those that are away, slow or full before the others.
pub(super) fn worst(osds: &[Layer]) -> Vec<&Layer> {
    worst_osds(osds, NEARFULL, OSDS_SHOWN)
}

fn row(key: &str, text: String) -> Option<TreeRow> {
    (!text.is_empty()).then(|| TreeRow::plain(key, clean(&text)))
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn cluster(layer: &Layer) -> Vec<TreeRow> {
    let fact = |name: &str| layer.fact(name).map(str::to_string);
    let mut rows: Vec<Option<TreeRow>> = vec![row("health", fact("health").unwrap_or_default())];
    let checks = fact("health_checks").unwrap_or_default();
    let checks = checks.split("; ").filter(|check| !check.is_empty());
    rows.extend(checks.map(|check| {
        let (name, words) = check.split_once(' ').unwrap_or((check, ""));
        row("", format!("{words} ({name})"))
    }));
    let of = |some: &str, all: &str, what: &str| {
        Some(format!(
            "{} of {} {what}",
            layer.fact(some)?,
            layer.fact(all)?
        ))
    };
    let manager = layer.fact("mgr_active").map(|active| match active {
        "yes" => "a manager".to_string(),
        _ => "no manager, so that figures are old".to_string(),
    });
    let daemons = joined([
        of("mons_in_quorum", "mons", "monitors in quorum"),
        manager,
        of("osds_up", "osds", "OSDs up"),
        fact("osds_in").map(|count| format!("{count} in")),
    ]);
    rows.push(row("daemons", daemons));
    rows.push(row("metadata servers", metadata_servers(layer)));
    rows.push(row("placement", fact("pg_states").unwrap_or_default()));
    rows.push(row("recovery", moved(layer, "recovering_bytes_per_s", "")));
    let reads = moved(layer, "client_read_bytes_per_s", " read");
    let writes = moved(layer, "client_write_bytes_per_s", " written");
    let clients = [reads, writes].into_iter().filter(|part| !part.is_empty());
    rows.push(row("clients", clients.collect::<Vec<_>>().join(", ")));
    rows.push(row("room", room(layer)));
    rows.push(row("flags", fact("osd_flags").unwrap_or_default()));
    rows.push(row("not known", fact("unanswered").unwrap_or_default()));
    rows.into_iter().flatten().collect()
}

fn metadata_servers(layer: &Layer) -> String {
    let count = |name: &str, what: &str| Some(format!("{} {what}", layer.fact(name)?));
    let servers = layer.fact("mds").map(str::to_string);
    if layer.fact("cephfs").is_none() {
        return String::new();
    }
    joined([
        Some(servers.unwrap_or_else(|| "none is up".into())),
        count("mds_standbys", "standing by"),
        count("mds_clients", "clients"),
        layer
            .number("mds_caps")
            .map(|caps| format!("{} caps", units::count(caps))),
    ])
}

fn moved(layer: &Layer, name: &str, what: &str) -> String {
    let rate = layer.number(name).filter(|rate| *rate > 0.0);
    rate.map_or_else(String::new, |rate| {
        format!("{}{what}", units::bytes_per_s(rate))
    })
}

fn room(layer: &Layer) -> String {
    let bytes = |name: &str| layer.number(name).map(units::bytes);
    let Some((free, total)) = bytes("free_bytes").zip(bytes("total_bytes")) else {
        return String::new();
    };
    let ratio = |name: &str, what: &str| {
        let ratio = layer.number(name)?;
        Some(format!("{what} at {}", units::share(ratio)))
    };
    joined([
        Some(format!("{free} of {total} raw")),
        ratio("nearfull_ratio", "an OSD is nearly full"),
        ratio("full_ratio", "full"),
    ])
}

fn pool(layer: &Layer) -> Vec<TreeRow> {
    let fact = |name: &str| layer.fact(name).map(str::to_string);
    let with = |name: &str, before: &str, behind: &str| {
        Some(format!("{before}{}{behind}", layer.fact(name)?))
    };
    let copies = joined([
        fact("pool_size"),
        with("pool_min_size", "", " needed"),
        with("failure_domain", "no two on one ", ""),
        with("crush_rule", "rule ", ""),
        with("rule_class", "class ", ""),
    ]);
    let groups = joined([
        fact("pg_num"),
        with("pg_autoscale_mode", "autoscaler ", ""),
        with("pg_num_wanted", "which would give ", ""),
    ]);
    let bytes =
        |name: &str, what: &str| Some(format!("{} {what}", units::bytes(layer.number(name)?)));
    let data = joined([
        bytes("stored_bytes", "stored"),
        bytes("max_avail_bytes", "more fit"),
        bytes("quota_bytes", "at most"),
    ]);
    let latency = |name: &str, what: &str| {
        let ms = layer.number(name).filter(|ms| *ms > 0.0)?;
        Some(format!("{what} {}", units::duration_ns(ms * 1e6)))
    };
    let osds = joined([
        fact("osds"),
        with("osds_up", "", " up"),
        with("osds_in", "", " in"),
        with("osd_hosts", "on hosts: ", ""),
        layer
            .number("osd_used_share_max")
            .map(|share| format!("the fullest {}", units::share(share))),
        latency("osd_commit_ms_median", "commit median"),
        latency("osd_commit_ms_max", "slowest"),
    ]);
    let hidden = layer.below.len().saturating_sub(OSDS_SHOWN);
    let hidden = (hidden > 0).then(|| format!("the worst {OSDS_SHOWN} below; --all shows more"));
    let rows = [
        row("copies", copies),
        row("placement groups", groups),
        row("data", data),
        row("used by", fact("application").unwrap_or_default()),
        row("OSDs", osds),
        row("", hidden.unwrap_or_default()),
    ];
    rows.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(kind: LayerKind, facts: &[(&str, &str)]) -> Layer {
        let mut layer = Layer::new(kind, "x");
        let facts = facts
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        layer.facts = facts.collect();
        layer
    }

    fn shown(layer: &Layer) -> String {
        let rows = rows(layer);
        let lines = rows.iter().map(|row| format!("{}: {}", row.key, row.value));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_cluster_in_lines() {
        let facts = [
            ("health", "HEALTH_WARN"),
            (
                "health_checks",
                "OSD_NEARFULL 1 nearfull osd(s); SLOW_OPS 3 slow\u{1b}[2J",
            ),
            ("mons", "3"),
            ("mons_in_quorum", "2"),
            ("mgr_active", "no"),
        ];
        let shown = shown(&layer(LayerKind::Cluster, &facts));
        assert!(
            shown.contains(": 1 nearfull osd(s) (OSD_NEARFULL)"),
            "{shown}"
        );
        assert!(
            shown.contains("daemons: 2 of 3 monitors in quorum, no manager"),
            "{shown}"
        );
        assert!(!shown.contains('\u{1b}'), "{shown}");
    }

    #[test]
    fn of_many_osds_the_worst_are_shown() {
        let osd = |number: usize| {
            let ms = if number == 30 { "50.0" } else { "2.0" };
            let up = if number == 7 { "no" } else { "yes" };
            let facts = [
                ("commit_ms", ms),
                ("peers_commit_ms", "2.0"),
                ("osd_up", up),
            ];
            let mut osd = layer(LayerKind::Osd, &facts);
            osd.name = format!("osd.{number}");
            osd
        };
        let osds: Vec<Layer> = (0..40).map(osd).collect();
        let names: Vec<&str> = worst(&osds)
            .into_iter()
            .map(|osd| osd.name.as_str())
            .collect();
        assert_eq!(names.len(), OSDS_SHOWN);
        assert!(
            names.contains(&"osd.7") && names.contains(&"osd.30"),
            "{names:?}"
        );
        assert_eq!(super::osd(&osds[7]), "DOWN, commits in 2.00 ms");
    }
}
