//! Captures what the collectors and claimants read, so that a machine can be inspected elsewhere and kept as a test.

use super::claimants::systemd_unit;
use super::{InventoryError, collect_with_cluster, mask, secrets, udev};
use host::{Archive, Host};

/// Further files that the sensors and a reader of the archive want to know.
const ALSO: &[&str] = &[
    "/proc/sys/kernel/osrelease",
    "/proc/diskstats",
    "/proc/stat",
    "/proc/meminfo",
    "/proc/pressure/io",
];

/// What is replaced in a capture besides serial numbers and secrets, which always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Masking {
    /// Nothing more.
    #[default]
    Serials,
    /// Also identifiers of volumes and file systems, host names, network addresses, and names of units.
    Names,
}

/// Everything that inspecting a target on this machine reads, and `also`. Serial numbers are replaced, alike wherever they stand;
/// passwords and tokens are cut, and of files that may hold more of them only the lines that matter are kept.
pub fn capture(target: &str, masking: Masking, also: &[String]) -> Result<Archive, InventoryError> {
    let host = Host::recording();
    let path = collect_with_cluster(&host, target)?;
    for file in ALSO.iter().copied().chain(also.iter().map(String::as_str)) {
        host.attribute(file);
    }
    for layer in path
        .root
        .walk()
        .iter()
        .filter(|layer| layer.devno.is_some())
    {
        host.attribute(&format!("/sys/class/block/{}/stat", layer.name));
    }
    let mut archive = host.recorded();
    for layer in path.root.walk() {
        archive.rewrite(
            &format!("/sys/class/block/{}/dm/uuid", layer.name),
            cut_identifier,
        );
    }
    conceal(&mut archive, masking);
    Ok(archive)
}

/// Takes out of a recording of this machine what others must not see: secrets and serial numbers, and with
/// [`Masking::Names`] what names it.
pub fn conceal(archive: &mut Archive, masking: Masking) {
    archive.rewrite_all(reduced);
    mask::apply(
        archive,
        masking,
        Host::live().text("/proc/sys/kernel/hostname").as_deref(),
    );
}

/// What of a file is kept.
fn reduced(path: &str, text: &str) -> String {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    if path.ends_with(".rules") && !udev::may_claim(text) {
        return String::new();
    }
    let is_unit = directory.contains("/systemd/system") || directory.contains("/systemd/transient");
    if is_unit || path.ends_with("/rc.local") {
        return lines(text, systemd_unit::is_relevant);
    }
    if directory.ends_with("/tmpfiles.d") {
        return lines(text, |line| line.starts_with('w'));
    }
    if path.starts_with("/run/udev/data/") {
        // Names and links of the device repeat its serial number; nothing here reads them.
        let kept = text
            .lines()
            .filter(|line| line.starts_with("G:") || mask::is_harmless_property(line));
        return kept.collect::<Vec<_>>().join("\n");
    }
    if path == "/proc/cmdline" {
        return secrets::command_line(text);
    }
    if path.ends_with("/cmdline") {
        let words: Vec<String> = text.split('\0').map(str::to_string).collect();
        return model::secret::command(&words).join("\0");
    }
    if path == "/etc/waagent.conf" {
        return lines(text, |line| line.starts_with("OS."));
    }
    secrets::cut(text)
}

/// Blanks the other lines, so that those that stay keep their numbers; nothing at all when none does.
fn lines(text: &str, keep: impl Fn(&str) -> bool) -> String {
    let kept: Vec<String> = text
        .lines()
        .map(|line| {
            if keep(line) {
                secrets::cut(line)
            } else {
                String::new()
            }
        })
        .collect();
    kept.join("\n").trim_end_matches('\n').to_string()
}

/// `LVM-q5lv…` → `LVM-`: what follows the first dash identifies the volume, not its kind.
fn cut_identifier(uuid: &str) -> String {
    uuid.split_inclusive('-')
        .next()
        .unwrap_or_default()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect;
    use model::iopath::IoPath;

    /// What a capture cannot keep: modes, the digest of a disk's serial number, and numbers that change between two
    /// readings.
    fn comparable(path: &IoPath) -> serde_json::Value {
        let mut path = path.clone();
        let plain = |layer: &mut model::iopath::Layer| {
            for changing in ["free_bytes", "free_inodes", "serial_digest"] {
                layer.facts.remove(changing);
            }
            layer
                .interrupts
                .iter_mut()
                .for_each(|line| line.counts.clear());
            layer.settings.retain(|setting| setting.name != "fs.aio-nr");
            layer
                .settings
                .iter_mut()
                .for_each(|setting| setting.writable = false);
        };
        fn each(layer: &mut model::iopath::Layer, plain: &impl Fn(&mut model::iopath::Layer)) {
            plain(layer);
            layer.below.iter_mut().for_each(|below| each(below, plain));
        }
        each(&mut path.root, &plain);
        path.machine.iter_mut().for_each(plain);
        path.log.clear();
        serde_json::to_value(path).unwrap()
    }

    #[test]
    fn a_captured_machine_shows_the_same_path() {
        for masking in [Masking::Serials, Masking::Names] {
            let Ok(archive) = capture("/", masking, &[]) else {
                return;
            };
            let live = collect(&Host::live(), "/").unwrap();
            let captured = collect(&Host::from_archive(archive), "/").unwrap();
            match masking {
                Masking::Serials => assert_eq!(comparable(&captured), comparable(&live)),
                Masking::Names => {
                    assert_eq!(captured.root.walk().len(), live.root.walk().len());
                    let settings = |path: &IoPath| {
                        path.root
                            .walk()
                            .iter()
                            .map(|layer| layer.settings.len())
                            .sum::<usize>()
                    };
                    assert_eq!(settings(&captured), settings(&live));
                }
            }
        }
    }

    #[test]
    fn of_files_with_more_only_what_matters_is_kept() {
        let unit = "[Service]\nEnvironment=TOKEN=x\nExecStart=/bin/sh -c 'echo 1 > /sys/block/sda/queue/nomerges'\n";
        let kept = reduced("/etc/systemd/system/a.service", unit);
        assert!(
            !kept.contains("TOKEN")
                && kept
                    .lines()
                    .nth(2)
                    .is_some_and(|line| line.contains("nomerges")),
            "{kept}"
        );
        assert_eq!(
            reduced(
                "/usr/lib/udev/rules.d/60-cdrom_id.rules",
                "KERNEL==\"sr0\", IMPORT{program}=\"x\""
            ),
            ""
        );
        assert_eq!(
            reduced("/proc/cmdline", "quiet a.token=5 ip=x"),
            "quiet a.token=… ip=…"
        );
        assert_eq!(
            reduced("/proc/7/cmdline", "nbd-client\0--password\0x\0h\0"),
            "nbd-client\0--password\0…\0h\0"
        );
        let fstab = "//nas/x /m cifs credentials=/etc/c,username=me,password=s3,ro 0 0\n";
        assert_eq!(
            reduced("/etc/fstab", fstab),
            "//nas/x /m cifs credentials=/etc/c,username=…,password=…,ro 0 0\n"
        );
    }

    #[test]
    fn identifiers_are_cut() {
        assert_eq!(cut_identifier("LVM-q5lvAbc"), "LVM-");
        assert_eq!(cut_identifier("mpath-3600508b400105e21"), "mpath-");
    }
}
