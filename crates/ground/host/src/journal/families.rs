//! Which paths a journal may name: those that knobs and ways to persist own. Whatever else stands in one is not ours, and
//! is neither written nor put back.

use model::change::DeviceIdentity;
use model::text::is_plain_name;

/// Whether a path is a setting of this device: a file of its queue, or of its scheduler.
pub(crate) fn is_setting_of(device: &DeviceIdentity, path: &str) -> bool {
    let queue = format!("/sys/block/{}/queue/", device.name);
    let Some(rest) = path.strip_prefix(&queue) else {
        return false;
    };
    let name = rest.strip_prefix("iosched/").unwrap_or(rest);
    is_plain_name(&device.name) && is_plain_name(name)
}

/// Whether a path is a configuration file that iodyno writes.
pub(crate) fn is_own_file(path: &str) -> bool {
    let name = path
        .strip_prefix("/etc/udev/rules.d/99-iodyno-")
        .and_then(|rest| rest.strip_suffix(".rules"));
    name.is_some_and(is_plain_name)
}

/// Whether a path can be that of a tree of this id: its marker decides before anything in it is removed.
pub(crate) fn is_tree(path: &str, id: &str) -> bool {
    let last = path
        .strip_prefix('/')
        .and_then(|_| path.rsplit('/').next())
        .unwrap_or_default();
    is_plain_name(id)
        && last == format!("iodyno-tree-{id}")
        && !path.split('/').any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_the_very_device_are_owned() {
        let device = |name: &str| DeviceIdentity {
            name: name.into(),
            number: "8:0".into(),
            diskseq: None,
            serial_digest: None,
            sectors: 0,
        };
        let sda = device("sda");
        assert!(is_setting_of(&sda, "/sys/block/sda/queue/scheduler"));
        assert!(is_setting_of(
            &sda,
            "/sys/block/sda/queue/iosched/slice_idle"
        ));
        assert!(is_setting_of(
            &device("cciss!c0d0"),
            "/sys/block/cciss!c0d0/queue/nomerges"
        ));
        for path in [
            "/sys/block/sdb/queue/scheduler",
            "/sys/block/sda/queue/../../../../etc/passwd",
            "/sys/block/sda/queue/iosched/../scheduler",
            "/sys/block/sda/queue/iosched/..",
            "/sys/block/sda/queue/",
            "/sys/block/sda/device/delete",
            "/etc/passwd",
        ] {
            assert!(!is_setting_of(&sda, path), "{path}");
        }
        assert!(!is_setting_of(
            &device("../../tmp/x"),
            "/sys/block/../../tmp/x/queue/scheduler"
        ));
        assert!(!is_setting_of(
            &device(".."),
            "/sys/block/../queue/scheduler"
        ));
    }

    #[test]
    fn only_files_and_trees_of_our_own_names_are_owned() {
        assert!(is_own_file("/etc/udev/rules.d/99-iodyno-sda.rules"));
        for path in [
            "/etc/udev/rules.d/60-ssd.rules",
            "/etc/udev/rules.d/99-iodyno-../../passwd.rules",
            "/etc/udev/rules.d/99-iodyno-.rules",
            "/etc/udev/rules.d/99-iodyno-a/b.rules",
            "/etc/shadow",
        ] {
            assert!(!is_own_file(path), "{path}");
        }
        assert!(is_tree("/srv/iodyno-tree-1a-2b", "1a-2b"));
        for (path, id) in [
            ("/srv/iodyno-tree-1a", "2b"),
            ("srv/iodyno-tree-1a", "1a"),
            ("/srv/../iodyno-tree-1a", "1a"),
            ("/srv/iodyno-tree-", ""),
        ] {
            assert!(!is_tree(path, id), "{path}");
        }
    }
}
