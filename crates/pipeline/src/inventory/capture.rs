//! Captures what the collectors read, so that a machine can be inspected elsewhere and kept as a test.

use super::{InventoryError, collect};
use host::{Archive, Host};

/// Further files that the sensors and a reader of the archive want to know.
const ALSO: &[&str] =
    &["/proc/sys/kernel/osrelease", "/proc/diskstats", "/proc/stat", "/proc/meminfo", "/proc/pressure/io"];

/// Everything that inspecting a target on this machine reads. Host names, serial numbers and identifiers are not read
/// or are cut out, so that the archive can be shown to others.
pub fn capture(target: &str) -> Result<Archive, InventoryError> {
    let host = Host::recording();
    let path = collect(&host, target)?;
    for file in ALSO {
        host.attribute(file);
    }
    for layer in path.root.walk().iter().filter(|layer| layer.devno.is_some()) {
        host.attribute(&format!("/sys/class/block/{}/stat", layer.name));
    }
    let mut archive = host.recorded();
    for layer in path.root.walk() {
        archive.rewrite(&format!("/sys/class/block/{}/dm/uuid", layer.name), cut_identifier);
    }
    Ok(archive)
}

/// `LVM-q5lv…` → `LVM-`: what follows the first dash identifies the volume, not its kind.
fn cut_identifier(uuid: &str) -> String {
    uuid.split_inclusive('-').next().unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_machine_shows_the_same_path() {
        let Ok(archive) = capture("/") else { return };
        let live = collect(&Host::live(), "/").unwrap();
        let captured = collect(&Host::from_archive(archive), "/").unwrap();
        let names = |path: &model::iopath::IoPath| -> Vec<String> {
            path.root.walk().iter().map(|layer| format!("{:?} {}", layer.kind, layer.name)).collect()
        };
        assert_eq!(names(&captured), names(&live));
        let count = |path: &model::iopath::IoPath| -> usize {
            path.root.walk().iter().map(|layer| layer.settings.len() + layer.interrupts.len()).sum()
        };
        assert_eq!(count(&captured), count(&live));
    }

    #[test]
    fn identifiers_are_cut() {
        assert_eq!(cut_identifier("LVM-q5lvAbc"), "LVM-");
        assert_eq!(cut_identifier("mpath-3600508b400105e21"), "mpath-");
    }
}
