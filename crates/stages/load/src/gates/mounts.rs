//! What is mounted, in every mount namespace that shows.

use super::device::Overlap;
use super::openers::processes;
use host::Host;
use model::text::shown;
use std::collections::BTreeSet;
use std::path::Path;

/// A mount in some namespace.
pub struct Mount {
    number: String,
    pub point: String,
    source: String,
}

impl Mount {
    /// Whether a device is mounted by this: by number, or, where the file system shows a number of its own (btrfs,
    /// bcachefs, overlay), by the source, which may list several devices.
    pub fn is_of(&self, host: &Host, device: &Overlap) -> bool {
        self.number == device.number
            || self
                .source
                .split(':')
                .any(|source| device.is_at(host, source))
    }
}

/// The mounts of every mount namespace that this process can see: a container's mounts are in none but its own.
pub fn all(host: &Host) -> Vec<Mount> {
    let mut seen = BTreeSet::new();
    let mut mounts = Vec::new();
    for process in ["self".to_string()].into_iter().chain(processes(host)) {
        let namespace = host.link(&format!("/proc/{process}/ns/mnt"));
        if namespace.is_some_and(|namespace| !seen.insert(namespace)) {
            continue;
        }
        let text = host
            .text(&format!("/proc/{process}/mountinfo"))
            .unwrap_or_default();
        mounts.extend(text.lines().filter_map(parse));
    }
    mounts
}

/// A line of mountinfo (proc(5)): `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw`.
fn parse(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let fields: Vec<&str> = left.split(' ').collect();
    Some(Mount {
        number: (*fields.get(2)?).into(),
        point: shown(Path::new(&unescaped(fields.get(4)?))),
        source: unescaped(right.split(' ').nth(1)?),
    })
}

/// The kernel writes space, tab, newline and backslash in octal.
pub fn unescaped(text: &str) -> String {
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(text.to_string(), |text, (code, character)| {
        text.replace(code, character)
    })
}
