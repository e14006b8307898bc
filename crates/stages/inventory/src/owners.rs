//! Gives each setting of a path what the kernel would have it and who claims it, in the order in which they act.

use super::claims::{Claim, On, Scene};
use super::{claimants, claims, defaults, glob};
use host::Host;
use model::iopath::{IoPath, Layer, Owner, Setting};
use std::collections::BTreeMap;

/// Settings of which the kernel sets one to 0 when the other is written (mm/page-writeback.c).
const PAIRS: &[(&str, &str)] = &[
    ("/proc/sys/vm/dirty_ratio", "/proc/sys/vm/dirty_bytes"),
    (
        "/proc/sys/vm/dirty_background_ratio",
        "/proc/sys/vm/dirty_background_bytes",
    ),
];

/// Fills `default` and `owners` of every setting, and `owners` of the layers.
pub(super) fn attach(host: &Host, path: &mut IoPath) {
    let claims = {
        let scene = Scene::new(host, path);
        let claims = Claims::gather(&scene);
        claims.of_settings(&scene, path)
    };
    let machine = path.machine.clone();
    let kernel = defaults::Kernel::of(machine.as_ref());
    if let Some(machine) = &mut path.machine {
        fill(machine, &claims, &kernel);
    }
    fill(&mut path.root, &claims, &kernel);
}

fn fill(layer: &mut Layer, found: &FoundOwners, kernel: &defaults::Kernel) {
    // What lies below plays no part in the defaults of a layer, and is much to copy.
    let below = std::mem::take(&mut layer.below);
    let values = layer.clone();
    layer.below = below;
    for setting in &mut layer.settings {
        setting.default = defaults::of(&values, &setting.name, kernel);
        setting.owners = found
            .settings
            .get(&setting.path)
            .cloned()
            .unwrap_or_default();
    }
    let facts = found
        .facts
        .iter()
        .filter(|((name, _), _)| *name == layer.name);
    layer.owners = facts
        .map(|((_, fact), owners)| (fact.clone(), owners.clone()))
        .collect();
    for below in &mut layer.below {
        fill(below, found, kernel);
    }
}

/// Owners by the path of the setting, and by layer and fact.
#[derive(Default)]
struct FoundOwners {
    settings: BTreeMap<String, Vec<Owner>>,
    facts: BTreeMap<(String, String), Vec<Owner>>,
}

/// All claims in the order in which they act, with who made them.
struct Claims(Vec<(&'static str, Claim)>);

impl Claims {
    fn gather(scene: &Scene<'_>) -> Claims {
        let mut all: Vec<(&'static str, Claim)> = Vec::new();
        for claimant in claimants::ALL {
            all.extend(
                (claimant.claims)(scene)
                    .into_iter()
                    .map(|claim| (claimant.id, claim)),
            );
        }
        let others: Vec<(&'static str, Claim)> = all
            .iter()
            .filter_map(|(kind, claim)| Some((*kind, cleared(claim)?)))
            .collect();
        all.extend(others);
        all.sort_by_key(|(_, claim)| (claim.phase, claim.sequence));
        Claims(all)
    }

    fn of_settings(&self, scene: &Scene<'_>, path: &IoPath) -> FoundOwners {
        let mut found = FoundOwners::default();
        let index = Index::of(&self.0);
        let layers = path.root.walk().into_iter().chain(path.machine.as_ref());
        for layer in layers {
            for setting in &layer.settings {
                let on_it = index.on(setting, &scene.canonical(&setting.path));
                let mut owners: Vec<Owner> = on_it
                    .iter()
                    .map(|at| owner(self.0[*at].0, &self.0[*at].1))
                    .collect();
                // A command that names its file writes it whatever device it runs for.
                owners.dedup();
                if !owners.is_empty() {
                    found.settings.insert(setting.path.clone(), owners);
                }
            }
        }
        for (kind, claim) in &self.0 {
            if let On::Fact { layer, name } = &claim.on {
                let owners = found
                    .facts
                    .entry((layer.clone(), name.to_string()))
                    .or_default();
                owners.push(owner(kind, claim));
            }
        }
        found
    }
}

/// Where in the list the claims on a setting are: a machine of many disks has thousands of settings.
#[derive(Default)]
struct Index<'a> {
    by_path: BTreeMap<&'a str, Vec<usize>>,
    by_name: BTreeMap<&'a str, Vec<usize>>,
    patterns: Vec<(&'a str, usize)>,
}

impl<'a> Index<'a> {
    fn of(claims: &'a [(&'static str, Claim)]) -> Self {
        let mut index = Index::default();
        for (at, (_, claim)) in claims.iter().enumerate() {
            match &claim.on {
                On::Path(path) if claims::is_pattern(path) => index.patterns.push((path, at)),
                On::Path(path) => index.by_path.entry(path).or_default().push(at),
                On::Named(name) => index.by_name.entry(name).or_default().push(at),
                On::Fact { .. } => {}
            }
        }
        index
    }

    /// The claims on a setting, in the order in which they act.
    fn on(&self, setting: &Setting, canonical: &str) -> Vec<usize> {
        let by_path = self.by_path.get(canonical).into_iter().flatten();
        let by_name = self
            .by_name
            .get(setting.name.as_str())
            .into_iter()
            .flatten();
        let matching = self
            .patterns
            .iter()
            .filter(|(pattern, _)| glob::matches(pattern, &setting.path));
        let mut found: Vec<usize> = by_path
            .chain(by_name)
            .copied()
            .chain(matching.map(|(_, at)| *at))
            .collect();
        found.sort_unstable();
        found
    }
}

/// What a claim on one of a pair does to the other.
fn cleared(claim: &Claim) -> Option<Claim> {
    let On::Path(path) = &claim.on else {
        return None;
    };
    let other = PAIRS.iter().find_map(|(one, other)| match path {
        path if path == one => Some(other),
        path if path == other => Some(one),
        _ => None,
    })?;
    // Zero in a file is written as it is, and has no effect on the other one.
    let is_set = claim
        .wants
        .as_ref()
        .is_some_and(|wants| wants.trim() != "0");
    let name = path.rsplit('/').next()?;
    let acts = match claim.is_certain() {
        true => format!(
            "{}, by setting vm.{name}, which clears this one",
            claim.acts
        ),
        false => format!("maybe, by setting vm.{name}, which clears this one"),
    };
    is_set.then(|| Claim {
        on: On::Path((*other).to_string()),
        wants: Some("0".into()),
        acts,
        ..claim.clone()
    })
}

fn owner(kind: &str, claim: &Claim) -> Owner {
    Owner {
        kind: kind.to_string(),
        place: claim.place.clone(),
        wants: claim.wants.clone(),
        acts: claim.acts.clone(),
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::ownership::SetBy;

    const DISK: &str = "path: /sys/class/block/sda\nlink: ../../devices/p/host0/0:0:0:0/block/sda\n\
        path: /sys/devices/p/host0/0:0:0:0/block/sda/dev\nlines: 1\n8:0\n\
        path: /sys/devices/p/host0/0:0:0:0/block/sda/device\nlink: ../../../0:0:0:0\n\
        path: /sys/devices/p/host0/0:0:0:0/queue_depth\nlines: 1\n16\n\
        path: /sys/devices/p/host0/0:0:0:0/block/sda/queue/read_ahead_kb\nlines: 1\n4096\n\
        path: /proc/sys/kernel/osrelease\nlines: 1\n6.1.0\n\
        path: /proc/sys/vm/dirty_bytes\nlines: 1\n1048576\npath: /proc/sys/vm/dirty_ratio\nlines: 1\n0\n";

    #[test]
    fn a_later_claim_has_the_last_word() {
        let path = collect_on(
            &format!(
                "{DISK}path: /etc/udev/rules.d/60-ra.rules\nlines: 2\n# ours\n\
                 KERNEL==\"sd*\", ATTR{{queue/read_ahead_kb}}=\"128\", ATTR{{device/queue_depth}}=\"16\"\n\
                 path: /etc/tmpfiles.d/ra.conf\nlines: 1\nw /sys/block/sd*/queue/read_ahead_kb - - - - 4096\n"
            ),
            "sda",
        );
        let disk = path.disks()[0];
        let ahead = disk.setting("read_ahead_kb").unwrap();
        let places: Vec<&str> = ahead
            .owners
            .iter()
            .map(|owner| owner.place.as_str())
            .collect();
        assert_eq!(
            places,
            [
                "/etc/udev/rules.d/60-ra.rules:2",
                "/etc/tmpfiles.d/ra.conf:1"
            ]
        );
        assert!(matches!(ahead.set_by(), SetBy::Owner(owner) if owner.kind == "systemd_unit"));
        assert!(ahead.is_contested());
        let depth = disk.setting("queue_depth").unwrap();
        assert!(
            matches!(depth.set_by(), SetBy::Owner(owner) if owner.kind == "udev_rule"),
            "{depth:?}"
        );
    }

    #[test]
    fn writing_one_of_a_pair_clears_the_other() {
        let path = collect_on(
            &format!("{DISK}path: /etc/sysctl.d/9.conf\nlines: 1\nvm.dirty_bytes = 1048576\n"),
            "sda",
        );
        let ratio = path.machine_setting("vm.dirty_ratio").unwrap();
        assert!(
            matches!(ratio.set_by(), SetBy::Owner(owner) if owner.place == "/etc/sysctl.d/9.conf:1")
        );
        assert!(ratio.owners[0].acts.contains("vm.dirty_bytes"), "{ratio:?}");
    }

    #[test]
    fn a_value_that_nobody_wants_was_set_by_hand() {
        let path = collect_on(DISK, "sda");
        assert_eq!(
            path.disks()[0].setting("read_ahead_kb").unwrap().set_by(),
            SetBy::Hand
        );
    }
}
