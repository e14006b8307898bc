//! Settings and facts of many hosts side by side: what is usual, and who has something else.
//!
//! One host is the usual one: the one that has the most common value most often. Every other is compared with it as `diff`
//! compares two machines, so the same things count as identity, and the same weights order the list.

use diagnose::difference::{WEIGHT_MIN, differences};
use model::iopath::IoPath;
use serde::Serialize;
use std::collections::BTreeMap;

/// A setting or fact that is not the same on all hosts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingRow {
    /// Whose it is: `disk`, `file-system`, `machine`.
    pub place: String,
    /// Its name, as `diff` has it.
    pub name: String,
    /// The usual host's value; none where it has no such thing.
    pub usual: Option<String>,
    /// Hosts that have another value, each with it.
    pub others: Vec<SettingElsewhere>,
    /// How likely it matters, 0 to 1, as `diff` has it.
    pub weight: f64,
    /// Why it can matter.
    pub why: String,
}

/// A host's own value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingElsewhere {
    /// Its place in the list of hosts.
    #[serde(skip)]
    pub at: usize,
    /// The host.
    pub host: String,
    /// Its value; none where it has no such thing.
    pub value: Option<String>,
}

/// What differs between hosts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SettingsTable {
    /// The host that the others were compared with; empty where there are fewer than two.
    pub usual_host: String,
    /// Hosts that were compared, that one too.
    pub hosts: usize,
    /// Settings and facts that each was compared by, at the least.
    pub compared: usize,
    /// What differs, what is likely to matter first.
    pub rows: Vec<SettingRow>,
}

impl SettingsTable {
    /// Of hosts by place and name.
    pub fn of(paths: &[(usize, &str, &IoPath)]) -> SettingsTable {
        let Some(usual) = usual(paths) else {
            return SettingsTable::default();
        };
        let (usual_at, usual_name, usual_path) = paths[usual];
        let mut rows: BTreeMap<(String, String), SettingRow> = BTreeMap::new();
        let mut compared = usize::MAX;
        for (at, host, path) in paths.iter().filter(|one| one.0 != usual_at) {
            let found = differences(usual_path, path, [usual_name, host], None);
            compared = compared.min(found.same + found.differences.len());
            for one in found.differences {
                let place = place_kind(path, &one.place);
                let key = (place.clone(), one.name.clone());
                let row = rows.entry(key).or_insert_with(|| SettingRow {
                    place,
                    name: one.name,
                    usual: one.a,
                    others: Vec::new(),
                    weight: one.weight,
                    why: one.why,
                });
                row.weight = row.weight.max(one.weight);
                if row.others.last().is_none_or(|last| last.at != *at) {
                    row.others.push(SettingElsewhere {
                        at: *at,
                        host: host.to_string(),
                        value: one.b,
                    });
                }
            }
        }
        let mut rows: Vec<SettingRow> = rows.into_values().collect();
        rows.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        SettingsTable {
            usual_host: usual_name.into(),
            hosts: paths.len(),
            compared: if paths.len() > 1 { compared } else { 0 },
            rows,
        }
    }

    /// Rows that are worth a reader's time without being asked for.
    pub fn weighty(&self) -> impl Iterator<Item = &SettingRow> {
        self.rows.iter().filter(|row| row.weight >= WEIGHT_MIN)
    }
}

/// The host whose values most others have; the first of several. That a host has no such setting is a value too, or one with
/// more layers than all others would be the usual one.
fn usual(paths: &[(usize, &str, &IoPath)]) -> Option<usize> {
    let all: Vec<BTreeMap<String, String>> = paths.iter().map(|one| values(one.2)).collect();
    let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for (name, value) in all.iter().flatten() {
        *counts.entry(name).or_default().entry(value).or_default() += 1;
    }
    let alike = |host: &BTreeMap<String, String>| -> usize {
        let of = |(name, known): (&&str, &BTreeMap<&str, usize>)| match host.get(*name) {
            Some(value) => known.get(value.as_str()).copied().unwrap_or(0),
            None => all.len() - known.values().sum::<usize>(),
        };
        counts.iter().map(of).sum()
    };
    let scores: Vec<usize> = all.iter().map(alike).collect();
    let best = scores.iter().max()?;
    scores.iter().position(|score| score == best)
}

/// Settings of a path by kind of layer and name, as one word each.
fn values(path: &IoPath) -> BTreeMap<String, String> {
    let layers = path.root.walk().into_iter().chain(&path.machine);
    let mut values = BTreeMap::new();
    for layer in layers {
        for setting in &layer.settings {
            if let Some(value) = setting.chosen() {
                let name = format!("{:?} {}", layer.kind, setting.name);
                values.entry(name).or_insert_with(|| value.to_string());
            }
        }
    }
    values
}

/// Which layer a difference is about, by its kind and, of several of a kind, its number: hosts call the same disk by other
/// names.
fn place_kind(path: &IoPath, place: &str) -> String {
    let layers: Vec<_> = path.root.walk().into_iter().chain(&path.machine).collect();
    let Some(layer) = layers.iter().find(|layer| layer.name == place) else {
        return model::text::clean_to(place, 60);
    };
    let kind = serde_json::to_value(layer.kind).ok();
    let kind = kind
        .as_ref()
        .and_then(|kind| kind.as_str())
        .unwrap_or(place);
    let alike: Vec<_> = layers.iter().filter(|one| one.kind == layer.kind).collect();
    match alike.iter().position(|one| one.name == place) {
        Some(at) if alike.len() > 1 => format!("{kind} {}", at + 1),
        _ => kind.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::change::Attribute;
    use model::iopath::{Layer, LayerKind, Setting};

    /// A file system over a disk with this scheduler and read-ahead.
    pub fn path(disk: &str, scheduler: &str, read_ahead_kb: &str) -> IoPath {
        let mut layer = Layer::new(LayerKind::Disk, disk);
        for (name, value) in [("scheduler", scheduler), ("read_ahead_kb", read_ahead_kb)] {
            let file = format!("/sys/block/{disk}/queue/{name}");
            let value = Attribute::Value(value.into());
            layer.settings.push(Setting::new(name, file, value, true));
        }
        let mut mount = Layer::new(LayerKind::FileSystem, "/srv");
        mount.below.push(layer);
        let mut root = Layer::new(LayerKind::Target, "/srv");
        root.below.push(mount);
        IoPath::new("/srv", root)
    }

    #[test]
    fn who_has_something_else_is_named_whatever_the_disk_is_called() {
        let paths = [
            path("vda", "none [mq-deadline]", "128"),
            path("sda", "[none] mq-deadline", "4"),
            path("vdb", "none [mq-deadline]", "128"),
            path("sdc", "none [mq-deadline]", "4096"),
        ];
        let names = ["h1", "h2", "h3", "h4"];
        let hosts: Vec<_> = paths
            .iter()
            .enumerate()
            .map(|(at, path)| (at, names[at], path))
            .collect();
        let table = SettingsTable::of(&hosts);
        assert_eq!((table.usual_host.as_str(), table.hosts), ("h1", 4));
        let row = |name: &str| table.rows.iter().find(|row| row.name == name).unwrap();
        let read_ahead = row("read_ahead_kb");
        assert_eq!(read_ahead.usual.as_deref(), Some("128"));
        assert_eq!(read_ahead.place, "disk");
        let others: Vec<(&str, &str)> = read_ahead
            .others
            .iter()
            .map(|one| (one.host.as_str(), one.value.as_deref().unwrap()))
            .collect();
        assert_eq!(others, [("h2", "4"), ("h4", "4096")]);
        assert_eq!(row("scheduler").others.len(), 1);
        assert!(table.weighty().count() >= 2);
    }

    #[test]
    fn a_host_with_more_layers_than_all_others_is_not_the_usual_one() {
        let bare = IoPath::new("/srv", Layer::new(LayerKind::Target, "/srv"));
        let disk = path("vda", "[none]", "128");
        let paths = [(0, "h1", &disk), (1, "h2", &bare), (2, "h3", &bare)];
        assert_eq!(SettingsTable::of(&paths).usual_host, "h2");
    }

    #[test]
    fn one_host_differs_from_nobody() {
        let one = path("vda", "[none]", "128");
        let table = SettingsTable::of(&[(0, "h1", &one)]);
        assert!(table.rows.is_empty() && table.compared == 0);
        assert_eq!(SettingsTable::of(&[]), SettingsTable::default());
    }
}
