//! Small questions about a Ceph cluster that several causes ask: its layers, and what its health checks say.

use super::Scene;
use model::iopath::{Layer, LayerKind};

/// The cluster behind the path, where there is one.
pub fn cluster<'a>(scene: &Scene<'a>) -> Option<&'a Layer> {
    scene.of_kind(LayerKind::Cluster).next()
}

/// The pools that the path lies in.
pub fn pools<'a>(scene: &Scene<'a>) -> impl Iterator<Item = &'a Layer> {
    scene.of_kind(LayerKind::Pool)
}

/// The OSDs of these pools, each once: two pools of a file system mostly lie on the same.
pub fn osds<'a>(scene: &Scene<'a>) -> Vec<&'a Layer> {
    let mut all: Vec<&Layer> = Vec::new();
    for osd in scene.of_kind(LayerKind::Osd) {
        if !all.iter().any(|one| one.name == osd.name) {
            all.push(osd);
        }
    }
    all
}

/// The health checks of these names that stand, each with its words: `SLOW_OPS 12 slow ops, …`.
pub fn checks<'a>(cluster: &'a Layer, names: &[&str]) -> Vec<&'a str> {
    let all = cluster
        .fact("health_checks")
        .unwrap_or_default()
        .split("; ");
    let is_meant = |check: &&str| names.contains(&check.split(' ').next().unwrap_or_default());
    all.filter(is_meant).collect()
}

/// The words of a check without its name.
pub fn words(check: &str) -> &str {
    check.split_once(' ').map_or(check, |(_, words)| words)
}

/// An OSD with its host and disks, as far as they are known: `osd.7 (sdd on node3)`.
pub fn osd_words(osd: &Layer) -> String {
    let disks = osd
        .fact("osd_devices")
        .map(|names| names.replace(',', ", "));
    let host = osd.fact("osd_host");
    match (disks, host) {
        (Some(disks), Some(host)) => format!("{} ({disks} on {host})", osd.name),
        (None, Some(host)) => format!("{} (on {host})", osd.name),
        (Some(disks), None) => format!("{} ({disks})", osd.name),
        (None, None) => osd.name.clone(),
    }
}
