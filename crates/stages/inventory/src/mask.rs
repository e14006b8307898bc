//! Replaces what identifies a machine in a capture, the same thing by the same word wherever it stands, so that what
//! matched before still matches.

use super::capture::Masking;
use super::collectors::rados_cluster;
use host::Archive;
use std::collections::BTreeMap;

/// Properties of udev whose values are serial numbers.
const SERIAL_KEYS: &[&str] = &[
    "ID_SERIAL",
    "ID_SERIAL_SHORT",
    "ID_SCSI_SERIAL",
    "ID_WWN",
    "ID_WWN_WITH_EXTENSION",
    "ID_WWN_VENDOR_EXTENSION",
];

/// Attributes of devices that are serial numbers.
const SERIAL_FILES: &[&str] = &[
    "serial",
    "wwid",
    "nguid",
    "eui",
    "product_serial",
    "chassis_serial",
    "board_serial",
    "unique_id",
];

/// Shorter ones could be part of anything.
const SHORTEST_SERIAL: usize = 6;

/// Masks an archive.
pub(super) fn apply(archive: &mut Archive, masking: Masking, hostname: Option<&str>) {
    let mut words: BTreeMap<String, String> = BTreeMap::new();
    let serials: Vec<String> = archive
        .texts()
        .flat_map(|(path, text)| serials(path, text))
        .collect();
    for serial in serials {
        let next = words.len() + 1;
        words
            .entry(serial)
            .or_insert_with(|| format!("SERIAL{next}"));
    }
    if masking == Masking::Names {
        let all: Vec<String> = archive
            .texts()
            .flat_map(|(path, text)| names(path, text))
            .collect();
        for name in all {
            let next = words.len() + 1;
            words
                .entry(name.clone())
                .or_insert_with(|| stand_in(&name, next));
        }
        let is_telling = |name: &&str| name.len() > 3 && *name != "localhost";
        if let Some(name) = hostname.map(str::trim).filter(is_telling) {
            words.insert(name.to_string(), "host1".into());
        }
    }
    if words.is_empty() {
        return;
    }
    // The longest first: a short one may be a part of it.
    let mut order: Vec<(&String, &String)> = words.iter().collect();
    order.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    archive.rename(|text| {
        order.iter().fold(text.to_string(), |text, (word, with)| {
            replace_word(&text, word, with)
        })
    });
}

/// Replaces a word where no letter or digit goes on before or after it.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    if !text.contains(word) {
        return text.to_string();
    }
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(word) {
        let end = at + word.len();
        let goes_on = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if at >= from
            && !goes_on(text[..at].chars().next_back())
            && !goes_on(text[end..].chars().next())
        {
            result.push_str(&text[from..at]);
            result.push_str(with);
            from = end;
        }
    }
    result.push_str(&text[from..]);
    result
}

/// Whether a line of what udev stored may be kept: a property, but not the links, and no serial number that is too
/// short to be replaced wherever it stands.
pub(super) fn is_harmless_property(line: &str) -> bool {
    let Some((key, value)) = line
        .strip_prefix("E:")
        .and_then(|line| line.split_once('='))
    else {
        return false;
    };
    key != "DEVLINKS" && (!SERIAL_KEYS.contains(&key) || value.len() >= SHORTEST_SERIAL)
}

fn serials(path: &str, text: &str) -> Vec<String> {
    let is_long = |serial: &String| serial.len() >= SHORTEST_SERIAL;
    let name = path.rsplit('/').next().unwrap_or_default();
    if path.starts_with("/sys/") && SERIAL_FILES.contains(&name) {
        return Some(text.trim().to_string())
            .filter(is_long)
            .into_iter()
            .collect();
    }
    if !path.starts_with("/run/udev/data/") {
        return Vec::new();
    }
    let properties = text
        .lines()
        .filter_map(|line| line.strip_prefix("E:")?.split_once('='));
    properties
        .filter(|(key, _)| SERIAL_KEYS.contains(key))
        .map(|(_, value)| value.to_string())
        .filter(is_long)
        .collect()
}

/// Identifiers, addresses, long digests, servers of network file systems, and units of the administrator.
fn names(path: &str, text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '@');
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !is_word(c))
            .filter(|word| is_name(word))
            .map(str::to_string)
            .collect()
    };
    let mut found = words(path);
    found.extend(words(text));
    // A version of anything may look like an address only in /sys, where no addresses are.
    if path.starts_with("/sys/") {
        found.retain(|word| !is_address(word));
    }
    if path.starts_with("/usr/bin/ceph/") {
        found.extend(rados_cluster::host_names(text));
    }
    if path == "/proc/self/mountinfo" || path == "/etc/fstab" {
        let sources = text
            .split_whitespace()
            .filter_map(|word| word.split_once(":/"));
        let servers = sources.map(|(server, _)| server.trim_matches(['[', ']', '/']).to_string());
        found.extend(servers.filter(|server| server.len() > 3 && !server.contains(['=', ','])));
    }
    found
}

fn is_name(word: &str) -> bool {
    is_uuid(word) || is_address(word) || is_digest(word) || is_unit(word)
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<&str> = word.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_address(word: &str) -> bool {
    word.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|address| !address.is_unspecified() && !address.is_loopback())
}

/// Containers are named by digests.
fn is_digest(word: &str) -> bool {
    word.len() >= 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Units whose name may tell what runs here; those of systemd itself and of the daemons that claimants know do not.
fn is_unit(word: &str) -> bool {
    let Some((name, ending)) = word.rsplit_once('.') else {
        return false;
    };
    let known = [
        "system",
        "user",
        "init",
        "tuned",
        "irqbalance",
        "walinuxagent",
        "waagent",
        "fstrim",
        "multi-user",
        "timers",
    ];
    let is_systemd =
        name.starts_with("systemd-") || name.starts_with("user-") || name.starts_with("dbus");
    matches!(ending, "service" | "scope" | "slice")
        && !is_systemd
        && !known.contains(&name)
        && !name.is_empty()
}

/// A word of the same form, so that what reads it still understands it.
fn stand_in(name: &str, number: usize) -> String {
    match name.rsplit_once('.') {
        _ if is_uuid(name) => format!("00000000-0000-0000-0000-{number:012}"),
        // 192.0.2.0/24 and 198.51.100.0/24 are for documentation (RFC 5737).
        _ if is_address(name) => format!("192.0.2.{}", number % 254 + 1),
        _ if is_digest(name) => format!("{number:0width$}", width = name.len()),
        Some((_, ending)) if is_unit(name) => format!("unit{number}.{ending}"),
        _ => format!("server{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARCHIVE: &str = "iodyno-host 1\n\
        path: /run/udev/data/b8:0\nlines: 2\nE:ID_SERIAL=INTEL_X_PHYF123\nE:ID_SERIAL_SHORT=PHYF123\n\
        path: /etc/udev/rules.d/60-x.rules\nlines: 1\nENV{ID_SERIAL}==\"INTEL_X_PHYF123\", ATTR{queue/x}=\"1\"\n\
        path: /etc/fstab\nlines: 2\nnas.example:/x /srv nfs addr=10.1.2.3 0 0\nUUID=0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f / ext4 x 0 0\n\
        path: /sys/fs/btrfs/0a1b2c3d-0a1b-0a1b-0a1b-0a1b2c3d4e5f/label\nlines: 1\nx\n\
        path: /proc/self/cgroup\nlines: 1\n0::/system.slice/billing-db.service\n\
        path: /proc/sys/kernel/osrelease\nlines: 1\n6.1.0-18-amd64\n";

    #[test]
    fn serials_are_replaced_alike_everywhere() {
        let mut archive = Archive::parse(ARCHIVE).unwrap();
        apply(&mut archive, Masking::Serials, Some("dbhost"));
        let printed = archive.print();
        assert!(
            !is_harmless_property("E:ID_SERIAL_SHORT=x1")
                && !is_harmless_property("S:disk/by-id/x")
        );
        assert!(
            is_harmless_property("E:ID_SERIAL_SHORT=PHYF123")
                && is_harmless_property("E:ID_BUS=ata")
        );
        assert!(
            !printed.contains("PHYF123") && printed.contains("billing-db"),
            "{printed}"
        );
        let serial = printed
            .lines()
            .find_map(|line| line.strip_prefix("E:ID_SERIAL="))
            .unwrap();
        assert!(
            printed.contains(&format!("ENV{{ID_SERIAL}}==\"{serial}\"")),
            "{printed}"
        );
    }

    #[test]
    fn names_are_replaced_where_asked_for() {
        let mut archive = Archive::parse(ARCHIVE).unwrap();
        apply(&mut archive, Masking::Names, Some("dbhost"));
        let printed = archive.print();
        for gone in ["nas.example", "10.1.2.3", "0a1b2c3d", "billing"] {
            assert!(!printed.contains(gone), "{gone}: {printed}");
        }
        let uuid = printed
            .lines()
            .find_map(|line| line.strip_prefix("UUID=")?.split(' ').next())
            .unwrap();
        assert!(
            printed.contains(&format!("/sys/fs/btrfs/{uuid}/label")),
            "{printed}"
        );
        assert!(
            printed.contains("6.1.0-18-amd64")
                && printed.contains("192.0.2.")
                && printed.contains("/system.slice/unit")
        );
    }

    #[test]
    fn only_whole_words_are_replaced() {
        assert_eq!(replace_word("db adb db1 db,db", "db", "x"), "x adb db1 x,x");
    }
}
