//! Which device a record is about, and what speaks against taking its numbers for the device's.

use model::comparison::Caveat;
use model::imported::Imported;
use model::iopath::{IoPath, LayerKind};
use model::record::Record;

/// Where a record was made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DevicePlace {
    /// Kernel name, or what the source calls it.
    pub device: String,
    /// Serial number, or another name that is the device's own; empty where there is none.
    pub identity: String,
    /// For people.
    pub label: String,
    /// Layers by kind.
    pub stack: String,
}

/// The place of any record.
pub fn place(record: &Record) -> DevicePlace {
    match record.imported() {
        Some(imported) => foreign(imported),
        None => of_path(&record.path),
    }
}

/// The place at the end of a path of this machine.
pub fn of_path(path: &IoPath) -> DevicePlace {
    let device = path
        .queue_device()
        .map_or_else(String::new, |layer| layer.name.clone());
    let disks = path.disks();
    let fact = |names: &[&str]| {
        let found = |name: &&str| {
            disks
                .iter()
                .find_map(|disk| disk.fact(name))
                .filter(|text| !text.trim().is_empty())
        };
        names
            .iter()
            .find_map(found)
            .map(|text| text.trim().to_string())
    };
    let identities: Vec<&str> = disks
        .iter()
        .filter_map(|disk| {
            ["serial_digest", "wwid", "serial", "nguid"]
                .iter()
                .find_map(|name| disk.fact(name))
        })
        .map(str::trim)
        .collect();
    let label = match fact(&["model"]) {
        Some(model) => format!("{device} {model}"),
        None if device.is_empty() => path.target.clone(),
        None => device.clone(),
    };
    let stack: Vec<String> = path
        .root
        .walk()
        .iter()
        .map(|layer| word(layer.kind, layer.fact("fstype")))
        .collect();
    DevicePlace {
        device,
        identity: identities.join("+"),
        label,
        stack: stack.join("/"),
    }
}

fn word(kind: LayerKind, file_system: Option<&str>) -> String {
    match kind {
        LayerKind::FileSystem => file_system.unwrap_or("file system").to_string(),
        LayerKind::Target => "target".into(),
        LayerKind::Partition => "partition".into(),
        LayerKind::Loop => "loop".into(),
        LayerKind::Zram => "zram".into(),
        LayerKind::Stacked => "stacked".into(),
        LayerKind::Disk => "disk".into(),
        LayerKind::Unbacked => file_system.unwrap_or("no device").to_string(),
        LayerKind::Cluster => "Ceph cluster".into(),
        LayerKind::Pool => "Ceph pool".into(),
        LayerKind::Osd => "OSD".into(),
        LayerKind::Machine => "machine".into(),
    }
}

fn foreign(imported: &Imported) -> DevicePlace {
    let told = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| imported.facts.get(*name))
            .map(|text| text.trim().to_string())
    };
    let disk = imported
        .load
        .as_ref()
        .and_then(|load| load.disks.first())
        .map(|disk| disk.name.clone());
    let device = told(&["device"])
        .or(disk)
        .or_else(|| told(&["filename", "directory", "pool"]))
        .unwrap_or_default();
    let model = told(&["model"]);
    let file = imported.file.rsplit('/').next().unwrap_or_default();
    let label = match (model, device.is_empty()) {
        (Some(model), false) => format!("{device} {model}"),
        (Some(model), true) => model,
        (None, false) => format!("{device} in {file}"),
        (None, true) => imported_name(imported),
    };
    // Results of one file name one pool of one cluster; in another file the same name may be another cluster's.
    let is_pool = told(&["host"]).is_none() && told(&["pool"]).is_some_and(|pool| pool == device);
    let pool = is_pool.then(|| format!("pool {device} in {file}"));
    let identity = told(&["serial"]).or(pool).unwrap_or_default();
    DevicePlace {
        device,
        identity,
        label,
        stack: String::new(),
    }
}

/// What a result of a file is called: `old.txt:12`.
pub fn imported_name(imported: &Imported) -> String {
    let file = imported.file.rsplit('/').next().unwrap_or_default();
    match imported.lines {
        Some((first, _)) => format!("{file}:{first}"),
        None => file.to_string(),
    }
}

/// Rules whose finding means that memory answered, and rules that mean a limit from outside.
const CACHE: [&str; 9] = [
    "answered_by_cache",
    "cached_reads",
    "target_in_memory",
    "direct_not_honoured",
    "loop_without_direct_io",
    "loop_outruns_disk",
    "faster_than_medium",
    "holes_read",
    "range_fits_device_cache",
];
const THROTTLED: [&str; 4] = [
    "token_bucket",
    "cgroup_limit_reached",
    "rate_capped_outside",
    "burst_used_up",
];
const UNSTEADY: [&str; 3] = ["not_steady", "noisy_run", "stood_still"];
const SHARED: [&str; 3] = ["others_on_device", "busy_before_load", "device_saturated"];

/// What speaks against a record's numbers.
pub fn caveats(record: &Record) -> Vec<Caveat> {
    let mut caveats: Vec<Caveat> = Vec::new();
    let mut add = |mark: &str, why: String| {
        if !caveats.iter().any(|one| one.mark == mark) {
            caveats.push(Caveat {
                mark: mark.into(),
                why,
            });
        }
    };
    for finding in record
        .findings
        .iter()
        .filter(|finding| finding.withdrawn.is_none())
    {
        let rule = finding.rule.as_str();
        let groups: [(&[&str], &str); 4] = [
            (&CACHE, "page cache?"),
            (&THROTTLED, "throttled"),
            (&UNSTEADY, "not steady"),
            (&SHARED, "others' I/O"),
        ];
        for (rules, mark) in groups {
            if rules.contains(&rule) {
                add(mark, finding.claim.clone());
            }
        }
    }
    if let Some(imported) = record.imported() {
        if let Some(why) = cached(imported) {
            add("page cache?", why);
        }
        if !imported.lossy.is_empty() {
            add("lossy", imported.lossy.join("; "));
        }
    }
    caveats
}

/// Why the numbers of another tool may be memory's: buffered I/O, a loop device, or a disk that saw less than the job did.
fn cached(imported: &Imported) -> Option<String> {
    let fact = |name: &str| imported.facts.get(name).map(|value| value.trim());
    let load = imported.load.as_ref()?;
    // fio takes the later of the two; where they contradict each other, which one that was is not told.
    let (direct, buffered) = (fact("direct"), fact("buffered"));
    let is_buffered = match (direct, buffered) {
        (Some("0"), Some("0")) | (Some("1"), Some("1")) => false,
        _ => direct == Some("0") || buffered == Some("1"),
    };
    if is_buffered {
        return Some("the I/O was buffered".into());
    }
    if let Some(disk) = load.disks.iter().find(|disk| disk.name.starts_with("loop")) {
        return Some(format!(
            "{} is a loop device: without --direct-io=on its file is cached",
            disk.name
        ));
    }
    let seen: u64 = load
        .disks
        .iter()
        .map(|disk| disk.read_ios.unwrap_or(0) + disk.write_ios.unwrap_or(0))
        .sum();
    let merged: u64 = load
        .disks
        .iter()
        .map(|disk| disk.read_merges.unwrap_or(0) + disk.write_merges.unwrap_or(0))
        .sum();
    let done: u64 = load
        .sides()
        .filter(|(name, _)| *name != "sync")
        .filter_map(|(_, side)| side.ios)
        .sum();
    let is_known = load
        .disks
        .iter()
        .any(|disk| disk.read_ios.is_some() && disk.write_ios.is_some())
        && done > 0;
    let missing = is_known && ((seen + merged) as f64) < 0.5 * done as f64;
    missing.then(|| format!("the disk saw {} of {done} I/Os", seen + merged))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::imported::LoadFigures;

    #[test]
    fn a_pool_is_one_device_of_its_file() {
        let of = |pool: &str, line| {
            let facts = [("pool".to_string(), pool.to_string())];
            foreign(&Imported {
                file: "/tmp/ceph.txt".into(),
                lines: Some((line, line)),
                facts: facts.into(),
                ..Imported::default()
            })
        };
        assert_eq!(of("tester", 5), of("tester", 9));
        assert_ne!(of("tester", 5).identity, of("other", 5).identity);
        assert_eq!(of("tester", 5).label, "tester in ceph.txt");
    }

    #[test]
    fn direct_and_buffered_are_believed_where_they_agree() {
        let is_cached = |facts: &[(&str, &str)]| {
            let facts = facts
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()));
            let imported = Imported {
                facts: facts.collect(),
                load: Some(LoadFigures::default()),
                ..Imported::default()
            };
            cached(&imported).is_some()
        };
        assert!(is_cached(&[("direct", "0")]));
        assert!(is_cached(&[("buffered", "1")]));
        assert!(is_cached(&[("direct", "0"), ("buffered", "1")]));
        assert!(!is_cached(&[("direct", "1"), ("buffered", "0")]));
        assert!(!is_cached(&[("direct", "0"), ("buffered", "0")]));
        assert!(!is_cached(&[("direct", "1"), ("buffered", "1")]));
    }
}
