//! Which block devices the sensors look at.

use super::{Scope, parse};
use host::Host;

/// The devices that were named; else the whole ones that have seen I/O, as iostat has it.
pub(super) fn chosen(host: &Host, scope: &Scope) -> Vec<String> {
    if !scope.devices.is_empty() {
        return scope.devices.clone();
    }
    let text = host.text("/proc/diskstats").unwrap_or_default();
    let used = parse::lines(text.as_bytes()).filter_map(|line| {
        let mut words = parse::words(line).skip(2);
        let name = std::str::from_utf8(words.next()?).ok()?;
        words.any(|word| word != b"0").then(|| name.to_string())
    });
    used.filter(|name| is_whole(host, name)).collect()
}

/// Whether it is no partition.
pub(super) fn is_whole(host: &Host, name: &str) -> bool {
    !host.exists(&format!("/sys/class/block/{}/partition", directory(name)))
}

/// A device's name as sysfs has it: `cciss!c0d0` for `cciss/c0d0`.
pub(super) fn directory(name: &str) -> String {
    name.replace('/', "!")
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;
    use model::change::Attribute;

    #[test]
    fn without_a_choice_whole_devices_that_have_seen_io() {
        let mut archive = Archive::default();
        let mut add = |path: &str, text: &str| archive.insert(path, Attribute::Value(text.into()));
        add(
            "/proc/diskstats",
            " 8 0 sda 1 0 8 0\n 8 1 sda1 1 0 8 0\n 7 0 loop0 0 0 0 0\n 104 0 cciss/c0d0 2 0 8 1",
        );
        add("/sys/class/block/sda1/partition", "1");
        let host = Host::from_archive(archive);
        assert_eq!(chosen(&host, &Scope::default()), ["sda", "cciss/c0d0"]);
        assert_eq!(chosen(&host, &Scope::devices(&["sda1"])), ["sda1"]);
    }
}
