//! Lays one path over the other: which layer of the first is which of the second, and what is not the same in both.

use model::difference::DifferenceWhat;
use model::iopath::{IoPath, Layer, LayerKind, Setting};
use std::collections::BTreeSet;

/// Something that is not the same.
pub struct Pair<'a> {
    /// The layer, as the second side names it.
    pub place: String,
    /// Setting, fact or layer.
    pub name: String,
    /// What it is.
    pub what: DifferenceWhat,
    /// On the first side.
    pub a: Option<String>,
    /// On the second.
    pub b: Option<String>,
    /// The two settings, where it is one on both sides.
    pub settings: Option<(&'a Setting, &'a Setting)>,
    /// Whether it is about a further member of an array.
    pub is_member: bool,
}

/// Everything that is not the same, and how much is.
#[derive(Default)]
pub struct Aligned<'a> {
    /// What is not.
    pub pairs: Vec<Pair<'a>>,
    /// How many facts and settings are the same.
    pub same: usize,
}

/// Facts that name a thing, or change by themselves: never the reason of anything.
const IDENTITY: &[&str] = &[
    "named",
    "serial_digest",
    "source",
    "mount_point",
    "subdirectory",
    "dm_name",
    "vg",
    "lv",
    "controller",
    "backing_file",
    "free_bytes",
    "free_inodes",
    "total_inodes",
    "reason",
    "users",
    "instance_id",
    "fstab_place",
    "sync_completed",
    "uptime_s",
    "start_bytes",
    "number",
    "iscsi_portal",
    "pcie_narrowest",
    "cgroup",
    "for_container",
    "named_in_container",
    "io_limits_from",
    "memory_limit_from",
    "cpu_limit_from",
    "overlay_lower",
    "bind_of",
    "cluster_fsid",
    "pg_states",
    "stored_bytes",
    "max_avail_bytes",
    "pool_used_share",
    "recovering_bytes_per_s",
    "recovering_objects_per_s",
    "client_read_bytes_per_s",
    "client_write_bytes_per_s",
    "client_reads_per_s",
    "client_writes_per_s",
    "mds",
    "mds_clients",
    "mds_caps",
    "mds_dentries",
    "mds_requests_per_s",
    "osd_host",
    "osd_devices",
    "pgs",
    "commit_ms",
    "apply_ms",
    "peers_commit_ms",
    "peers_spread_ms",
    "used_share",
];

/// Beginnings of the names of facts that every such thing has, whether or not the kernel tells them: the speed of a link, the
/// size of a block, the version of a driver.
const MEASURED: &[&str] = &[
    "link_",
    "sata_speed",
    "sas_speed",
    "fc_speed",
    "block_bytes",
    "driver_version",
    "firmware",
    "bios_",
];

/// Facts that say something only of one thing: the version of a driver is none of another driver's.
const OF_ONE: &[(&str, &[&str])] = &[
    ("driver_version", &["driver", "controller_driver"]),
    ("firmware", &["model"]),
    ("bios_version", &["bios_vendor"]),
    ("bios_date", &["bios_vendor"]),
];

/// Kernels keep back more or less of a machine's memory for themselves: below this share two machines have the same.
const MEMORY_SHARE: f64 = 0.01;

/// Facts that somebody has set, of this process's control groups: where one side has none, it has no limit.
pub(super) const GROUP_LIMITS: &[&str] =
    &["io_limits", "io_weight", "memory_limit_bytes", "cpu_limit"];

/// Settings that count or that follow from others.
const VOLATILE: &[&str] = &[
    "fs.aio-nr",
    "inflight",
    "state",
    "nr_zones",
    "hw_sector_size",
    "md/sync_completed",
];

/// Lays the second path over the first.
pub fn all<'a>(a: &'a IoPath, b: &'a IoPath) -> Aligned<'a> {
    let mut aligned = Aligned::default();
    aligned.children(&a.root, &b.root, false);
    if let (Some(a), Some(b)) = (&a.machine, &b.machine) {
        aligned.layer(a, b, false);
    }
    aligned
}

impl<'a> Aligned<'a> {
    /// Layers of the same kind belong together; where one side has a layer more, what is below it may still match.
    fn walk(&mut self, a: &'a Layer, b: &'a Layer, is_member: bool) {
        if a.kind == b.kind {
            self.layer(a, b, is_member);
            self.children(a, b, is_member);
        } else if a.below.first().is_some_and(|below| has(below, b.kind)) {
            self.extra(a, b, Some(a), None);
            self.walk(&a.below[0], b, is_member);
        } else if b.below.first().is_some_and(|below| has(below, a.kind)) {
            self.extra(b, b, None, Some(b));
            self.walk(a, &b.below[0], is_member);
        } else {
            self.extra(b, b, Some(a), Some(b));
        }
    }

    fn children(&mut self, a: &'a Layer, b: &'a Layer, is_member: bool) {
        for (index, (a, b)) in a.below.iter().zip(&b.below).enumerate() {
            self.walk(a, b, is_member || index > 0);
        }
        if a.below.len() != b.below.len() {
            let count = |layer: &Layer| Some(layer.below.len().to_string());
            self.put(
                &b.name,
                "members",
                DifferenceWhat::Structure,
                count(a),
                count(b),
            );
        }
    }

    fn extra(&mut self, at: &Layer, place: &Layer, a: Option<&Layer>, b: Option<&Layer>) {
        let words = |layer: &Layer| match layer.title.as_str() {
            "" => format!("{} {}", kind_word(layer.kind), layer.name),
            title => format!("{} ({title})", kind_word(layer.kind)),
        };
        let name = format!("layer {}", kind_word(at.kind));
        self.put(
            &place.name,
            &name,
            DifferenceWhat::Structure,
            a.map(words),
            b.map(words),
        );
    }

    fn layer(&mut self, a: &'a Layer, b: &'a Layer, is_member: bool) {
        let first = self.pairs.len();
        self.facts(a, b);
        self.settings(a, b);
        if a.kind == LayerKind::Disk {
            let queues = |layer: &Layer| {
                Some(layer.queues.len().to_string()).filter(|_| !layer.queues.is_empty())
            };
            self.compare(&b.name, "hardware queues", queues(a), queues(b));
            self.compare(
                &b.name,
                "CPUs that take its interrupts",
                spread(a),
                spread(b),
            );
        }
        self.pairs[first..]
            .iter_mut()
            .for_each(|pair| pair.is_member |= is_member);
    }

    fn facts(&mut self, a: &Layer, b: &Layer) {
        let names: BTreeSet<&String> = a.facts.keys().chain(b.facts.keys()).collect();
        for name in names
            .into_iter()
            .filter(|name| !IDENTITY.contains(&name.as_str()))
            .filter(|name| is_comparable(a, b, name))
        {
            if matches!(name.as_str(), "options" | "super_options") {
                self.options(
                    &b.name,
                    a.fact(name).unwrap_or_default(),
                    b.fact(name).unwrap_or_default(),
                );
                continue;
            }
            let value = |layer: &Layer| layer.fact(name).map(str::to_string);
            let (a, there) = (value(a), value(b));
            // Older kernels and captures do not tell these; a side that is silent is no other than one that speaks.
            let is_silent = a.is_none() || there.is_none();
            if is_silent && MEASURED.iter().any(|family| name.starts_with(family)) {
                continue;
            }
            if is_near(name, a.as_deref(), there.as_deref()) {
                self.same += 1;
                continue;
            }
            self.compare(&b.name, name, a, there);
        }
    }

    /// Mount options are a list of settings: only those that differ are worth a line, each its own.
    fn options(&mut self, place: &str, a: &str, b: &str) {
        let (a, b): (BTreeSet<&str>, BTreeSet<&str>) =
            (a.split(',').collect(), b.split(',').collect());
        let mut heads: Vec<&str> = Vec::new();
        for option in a.symmetric_difference(&b) {
            let head = option.split('=').next().unwrap_or(option);
            if !head.is_empty() && !heads.contains(&head) {
                heads.push(head);
            }
        }
        let of = |set: &BTreeSet<&str>, head: &str| {
            let found = set.iter().find(|one| one.split('=').next() == Some(head));
            found.map(|one| (*one).to_string())
        };
        for head in heads {
            self.compare(
                place,
                &format!("mount option {head}"),
                of(&a, head),
                of(&b, head),
            );
        }
        self.same += a.intersection(&b).count();
    }

    fn settings(&mut self, a: &'a Layer, b: &'a Layer) {
        // Each scheduler has parameters of its own: with another one, they say nothing.
        let scheduler = |layer: &'a Layer| layer.setting("scheduler").and_then(Setting::chosen);
        let has_same = scheduler(a) == scheduler(b);
        let volatile = |setting: &&Setting| {
            !VOLATILE.contains(&setting.name.as_str())
                && (has_same || !setting.name.starts_with("iosched/"))
        };
        for one in a.settings.iter().filter(volatile) {
            let Some(other) = b.setting(&one.name) else {
                if one.chosen().is_some() {
                    self.put(
                        &b.name,
                        &one.name,
                        DifferenceWhat::Setting,
                        one.chosen().map(Into::into),
                        None,
                    );
                }
                continue;
            };
            if one.chosen() == other.chosen() {
                self.same += 1;
                continue;
            }
            let value = |setting: &Setting| setting.chosen().map(Into::into);
            self.put(
                &b.name,
                &one.name,
                DifferenceWhat::Setting,
                value(one),
                value(other),
            );
            if let Some(pair) = self.pairs.last_mut() {
                pair.settings = Some((one, other));
            }
        }
        for new in b
            .settings
            .iter()
            .filter(volatile)
            .filter(|new| a.setting(&new.name).is_none())
        {
            if new.chosen().is_some() {
                self.put(
                    &b.name,
                    &new.name,
                    DifferenceWhat::Setting,
                    None,
                    new.chosen().map(Into::into),
                );
            }
        }
    }

    fn compare(&mut self, place: &str, name: &str, a: Option<String>, b: Option<String>) {
        if a == b {
            self.same += usize::from(a.is_some());
        } else {
            let what = match GROUP_LIMITS.contains(&name) {
                true => DifferenceWhat::Setting,
                false => DifferenceWhat::Fact,
            };
            self.put(place, name, what, a, b);
        }
    }

    fn put(
        &mut self,
        place: &str,
        name: &str,
        what: DifferenceWhat,
        a: Option<String>,
        b: Option<String>,
    ) {
        let (place, name) = (place.to_string(), name.to_string());
        self.pairs.push(Pair {
            place,
            name,
            what,
            a,
            b,
            settings: None,
            is_member: false,
        });
    }
}

/// Whether a fact is worth a line of its own: not where the two have a setting that says it, and not where it is about two things.
fn is_comparable(a: &Layer, b: &Layer, name: &str) -> bool {
    let is_set = |layer: &Layer| layer.setting(name).and_then(Setting::chosen).is_some();
    let of = OF_ONE.iter().find(|(fact, _)| *fact == name);
    let is_same = |what: &&str| a.fact(what) == b.fact(what);
    !(is_set(a) && is_set(b)) && of.is_none_or(|(_, things)| things.iter().all(is_same))
}

/// Whether two numbers are the same for everybody who reads them.
fn is_near(name: &str, a: Option<&str>, b: Option<&str>) -> bool {
    let number = |text: Option<&str>| text?.parse::<f64>().ok();
    match (name, number(a), number(b)) {
        ("memory_bytes", Some(a), Some(b)) => (a - b).abs() < MEMORY_SHARE * a.max(b),
        _ => false,
    }
}

fn has(layer: &Layer, kind: LayerKind) -> bool {
    layer.walk().iter().any(|one| one.kind == kind)
}

/// How many CPUs take the interrupts of a disk.
fn spread(disk: &Layer) -> Option<String> {
    let cpus: BTreeSet<&str> = disk
        .interrupts
        .iter()
        .filter_map(|line| line.effective_cpus.as_deref())
        .collect();
    (!cpus.is_empty()).then(|| cpus.len().to_string())
}

/// The word for a kind of layer.
pub fn kind_word(kind: LayerKind) -> &'static str {
    match kind {
        LayerKind::Target => "target",
        LayerKind::FileSystem => "file system",
        LayerKind::Partition => "partition",
        LayerKind::Loop => "loop device",
        LayerKind::Zram => "zram",
        LayerKind::Stacked => "stacked device",
        LayerKind::Disk => "disk",
        LayerKind::Unbacked => "file system without a disk",
        LayerKind::Cluster => "Ceph cluster",
        LayerKind::Pool => "pool",
        LayerKind::Osd => "OSD",
        LayerKind::Machine => "machine",
    }
}
