//! The lines of the kernel's log that are about storage: those that name a device of the path or what it hangs on, and
//! those with words that storage in trouble has, unless they name a disk that is not of the path.

use super::{Survey, device};
use host::Host;
use model::iopath::{IoPath, LogLine};

/// As many lines are kept, the latest.
const LINES_MAX: usize = 200;

/// What trouble with storage says, whatever the device.
const WORDS: &[&str] = &[
    "I/O error",
    "blk_update_request",
    "critical medium error",
    "critical target error",
    "EXT4-fs error",
    "EXT4-fs warning",
    "Remounting filesystem read-only",
    "remounted read-only",
    "Metadata corruption",
    "Corruption of in-memory data",
    "Filesystem has been shut down",
    "BTRFS error",
    "BTRFS warning",
    "limiting SATA link speed",
    "hard resetting link",
    "link is slow to respond",
    "exception Emask",
    "failed command:",
    "uas_eh_",
    "rejecting I/O to offline device",
    "task abort",
    "Abort Command",
    "controller is down",
    "md/raid",
    "md: ",
    "device-mapper: multipath",
    "Failing path",
    "blocked for more than",
    "available PCIe bandwidth, limited by",
    "not responding, ",
    "session recovery timed out",
    "does not have any effect anymore",
    "Queue full",
    "queue depth",
];

/// What reading the log takes from the path: the names that lines may have.
pub(super) fn read(survey: &mut Survey<'_>, path: &IoPath) -> Vec<LogLine> {
    let names = names(survey.host, path);
    let others = others(survey.host, &names);
    let wanted = |text: &str| {
        let is_trouble = || WORDS.iter().any(|word| text.contains(word));
        let is_foreign = || others.iter().any(|name| has_word(text, name));
        names.iter().any(|name| has_word(text, name)) || is_trouble() && !is_foreign()
    };
    match survey.host.kernel_log(LINES_MAX, wanted) {
        Ok(lines) => {
            let lines = lines.into_iter();
            let lines = lines.map(|(uptime_s, text)| LogLine { uptime_s, text });
            without_predecessors(lines.collect(), &names)
        }
        Err(libc::ENOENT) => {
            survey.notes.push(
                "The kernel's log cannot be seen from here (no /dev/kmsg), so errors that it names are not known."
                    .into(),
            );
            Vec::new()
        }
        Err(_) => {
            survey.notes.push(
                "The kernel's log may not be read without more rights, so errors that it names are not known.".into(),
            );
            Vec::new()
        }
    }
}

/// What is left where a name had another device behind it before: a loop device that got a file, or a drive that got a medium, says
/// that its capacity was 0 (Linux `block/genhd.c`, `set_capacity_and_notify`; seen on 6.18).
fn without_predecessors(mut lines: Vec<LogLine>, names: &[String]) -> Vec<LogLine> {
    for name in names {
        let birth = format!("{name}: detected capacity change from 0 to ");
        let begin = lines.iter().rposition(|line| line.text.starts_with(&birth));
        let mut place = 0..;
        lines.retain(|line| place.next() >= begin || !has_word(&line.text, name));
    }
    lines
}

/// Kernel names of the devices, and of what they hang on where that is theirs alone: `nvme0`, `ata3`, `2:0:0:0`, the
/// address of a PCI function, `usb 1-1`.
fn names(host: &Host, path: &IoPath) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for layer in path
        .root
        .walk()
        .into_iter()
        .filter(|layer| layer.devno.is_some())
    {
        let Some(directory) = device::directory(host, &layer.name) else {
            continue;
        };
        names.push(layer.name.clone());
        names.extend(layer.fact("dm_name").map(str::to_string));
        let parts = directory
            .split('/')
            .skip(3)
            .filter(|part| is_device_name(part));
        names.extend(parts.map(|part| {
            if is_usb(part) {
                format!("usb {part}")
            } else {
                part.to_string()
            }
        }));
    }
    names.sort();
    names.dedup();
    names
}

/// Block devices that are not of the path: trouble that names one of them is somebody else's.
fn others(host: &Host, names: &[String]) -> Vec<String> {
    let all = host.list("/sys/class/block").into_iter();
    all.filter(|name| !names.iter().any(|own| has_word(name, own)))
        .collect()
}

/// Groups (`block`, `virtual`, `target0:0:0`) and whole buses (`pci0000:00`) name too much.
fn is_device_name(part: &str) -> bool {
    let is_numbered = part.ends_with(|c: char| c.is_ascii_digit()) && part.len() > 2;
    is_numbered
        && !["pci", "usb", "target", "pnp", "LNX", "ACPI"]
            .iter()
            .any(|prefix| part.starts_with(prefix))
        || (part.matches(':').count() == 2 && part.contains('.'))
}

fn is_usb(part: &str) -> bool {
    part.contains('-')
        && !part.contains(':')
        && part
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'-' || b == b'.')
}

/// Whether a text has a name whole: `sda` is not in `sdab`, but is in `sda1`, which is a part of it.
fn has_word(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let ends_in_digit = name.ends_with(|c: char| c.is_ascii_digit());
        let goes_on = |c: char| {
            if ends_in_digit {
                c.is_ascii_digit()
            } else {
                c.is_alphabetic()
            }
        };
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(goes_on)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::collect_on;

    const DISK: &str = "path: /sys/class/block/sda\n\
        link: ../../devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda\n\
        path: /sys/devices/pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda/dev\nlines: 1\n8:0\n";

    #[test]
    fn lines_about_the_path_and_about_trouble_are_kept() {
        let log = "path: /dev/kmsg\nlines: 3\n4,1,1000000,-;ata3: hard resetting link\n\
            6,2,2500000,-;sd 2:0:0:0: [sda] Attached SCSI disk\n3,3,3000000,-;x\n";
        let path = collect_on(&format!("{DISK}{log}"), "sda");
        let texts: Vec<&str> = path.log.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert_eq!(path.log[1].uptime_s, 2.5);
    }

    #[test]
    fn trouble_of_another_disk_is_not_told() {
        let other = "path: /sys/class/block/sdb\nlink: ../../devices/x/sdb\npath: /sys/class/block/sda1\nlink: x\n";
        let log = "path: /dev/kmsg\nlines: 3\n3,1,1,-;I/O error, dev sdb, sector 1\n\
            3,2,2,-;I/O error, dev sda1, sector 1\n3,3,3,-;INFO: task x blocked for more than 120 seconds\n";
        let path = collect_on(&format!("{DISK}{other}{log}"), "sda");
        let texts: Vec<&str> = path.log.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("sda1"), "{texts:?}");
    }

    #[test]
    fn what_the_name_stood_for_before_is_not_told() {
        let log = "path: /dev/kmsg\nlines: 5\n3,1,1,-;I/O error, dev sda, sector 1\n3,2,2,-;ata3: hard resetting link\n\
            6,3,3,-;sda: detected capacity change from 0 to 8\n3,4,4,-;I/O error, dev sda, sector 2\n\
            6,5,5,-;sda: detected capacity change from 8 to 16\n";
        let path = collect_on(&format!("{DISK}{log}"), "sda");
        let texts: Vec<&str> = path.log.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "ata3: hard resetting link",
                "sda: detected capacity change from 0 to 8",
                "I/O error, dev sda, sector 2",
                "sda: detected capacity change from 8 to 16"
            ]
        );
    }

    #[test]
    fn a_refusal_is_a_note() {
        let path = collect_on(&format!("{DISK}path: /dev/kmsg\nerrno: 1\n"), "sda");
        assert!(
            path.log.is_empty() && path.notes[0].contains("more rights"),
            "{:?}",
            path.notes
        );
        let path = collect_on(&format!("{DISK}path: /dev/kmsg\nerrno: 2\n"), "sda");
        assert!(path.notes[0].contains("no /dev/kmsg"), "{:?}", path.notes);
    }

    #[test]
    fn names_are_those_of_the_device_and_its_own_way() {
        let text = format!("iodyno-host 1\n{DISK}");
        let host = Host::from_archive(host::Archive::parse(&text).unwrap());
        let path = crate::collect(&host, "sda").unwrap();
        assert_eq!(
            names(&host, &path),
            ["0000:00:1f.2", "2:0:0:0", "ata3", "host2", "sda"]
        );
        assert!(has_word("sd 2:0:0:0: [sda] x", "sda") && has_word("sda1: y", "sda"));
        assert!(!has_word("[sdab] x", "sda") && !has_word("ata31: x", "ata3"));
    }
}
