//! Which paths a journal may name: those that knobs and ways to persist own. Whatever else stands in one is not ours, and
//! is neither written nor put back.

use kernel::super_option::SuperOption;
use model::change::{DeviceIdentity, SavedFile};
use model::subject::Subject;
use model::text::{is_plain_name, is_unit_name};

/// Whether a path is a setting that a journal of this device may hold: one of the device, or, where the journal reaches
/// so far, of the whole machine.
pub(crate) fn is_setting_of(device: Option<&DeviceIdentity>, machine: bool, path: &str) -> bool {
    let Some((subject, name)) = Subject::of_path(path) else {
        return false;
    };
    match subject {
        Subject::Sysctl => machine && (name.starts_with(DIRTY_LIMITS) || MEMORY.contains(&name)),
        Subject::Interrupt { .. } => machine && name == "smp_affinity_list",
        // Nothing else of a mount: a forged line must not make one writable, or take away nosuid.
        Subject::Mount { .. } => machine && name == crate::mount_setting::ATIME,
        // Of a file system the options that a knob sets: none that takes a barrier or the order of data away.
        Subject::FileSystem { .. } => machine && SuperOption::of(name).is_some(),
        Subject::HugePages => machine && HUGE_PAGES.contains(&name),
        Subject::CpuLatency => machine && crate::held_setting::is_held(path),
        // What the device has of the page cache, without what else a driver may show there.
        Subject::Bdi { .. } if !BDI.contains(&name) => false,
        // Beside these stand files that remove a disk, stop an array or take a member out of it.
        Subject::Scsi { .. } if name != "queue_depth" => false,
        Subject::Md { .. } if !MD.contains(&name) => false,
        Subject::Loop { .. } if name != crate::loop_setting::DIO => false,
        // Of a group its limits and weights of I/O on this very device; none of the files that move or kill processes.
        Subject::Group { .. } if !crate::group_setting::NAMES.contains(&name) => false,
        of_device => device.is_some_and(|device| of_device.device() == Some(&device.name)),
    }
}

/// The kernel parameters that knobs set: none that decides about rights, and none that acts when it is written.
const DIRTY_LIMITS: &str = "vm/dirty_";
const MEMORY: [&str; 6] = [
    "vm/dirtytime_expire_seconds",
    "vm/min_free_kbytes",
    "vm/page-cluster",
    "vm/swappiness",
    "vm/vfs_cache_pressure",
    "vm/zone_reclaim_mode",
];

/// How programs get huge pages; beside these stand files of `khugepaged` and of single sizes.
const HUGE_PAGES: [&str; 2] = ["defrag", "enabled"];

/// The settings of a backing device that knobs set or disturb.
const BDI: [&str; 5] = [
    "max_ratio",
    "max_ratio_fine",
    "min_ratio",
    "min_ratio_fine",
    "strict_limit",
];

/// The settings of an array that knobs set or disturb.
const MD: [&str; 6] = [
    "group_thread_cnt",
    "preread_bypass_threshold",
    "skip_copy",
    "stripe_cache_size",
    "sync_speed_max",
    "sync_speed_min",
];

/// Whether a path is a setting of the whole machine, which other devices' journals may hold too.
pub(crate) fn is_of_machine(path: &str) -> bool {
    Subject::of_path(path).is_some_and(|(subject, _)| subject.device().is_none())
}

/// Directories of configuration files that iodyno writes, with the ending of theirs.
const OWN_FILES: [(&str, &str); 5] = [
    ("/etc/udev/rules.d/99-iodyno-", ".rules"),
    ("/etc/udev/rules.d/zz-iodyno-", ".rules"),
    ("/etc/sysctl.d/99-iodyno-", ".conf"),
    ("/etc/sysctl.d/zz-iodyno-", ".conf"),
    ("/etc/systemd/system/iodyno-loop-", ".service"),
];

/// Files of others that are changed where somebody has asked for the change that was shown.
const OTHERS_FILES: [&str; 6] = [
    "/etc/fstab",
    "/etc/kernel/cmdline",
    "/etc/default/grub",
    "/etc/default/irqbalance",
    "/etc/sysconfig/irqbalance",
    "/etc/conf.d/irqbalance",
];

/// Whether a path is a drop-in that iodyno writes for a unit of systemd, in a directory that may have to be made.
pub(crate) fn is_drop_in(path: &str) -> bool {
    let rest = path.strip_prefix("/etc/systemd/system/");
    let parts = rest.and_then(|rest| rest.split_once(".d/99-iodyno-"));
    parts.is_some_and(|(unit, name)| {
        let name = name.strip_suffix(".conf");
        is_unit_name(unit) && name.is_some_and(is_plain_name)
    })
}

/// Whether a path is a configuration file that iodyno writes.
pub(crate) fn is_own_file(path: &str) -> bool {
    is_drop_in(path) || is_in_own_directory(path)
}

fn is_in_own_directory(path: &str) -> bool {
    OWN_FILES.iter().any(|(directory, ending)| {
        let name = path
            .strip_prefix(directory)
            .and_then(|rest| rest.strip_suffix(ending));
        name.is_some_and(is_plain_name)
    })
}

/// Whether a path is a file of others that may be changed.
pub(crate) fn is_others_file(path: &str) -> bool {
    OTHERS_FILES.contains(&path)
}

/// Whether a file that a journal names may be put back: one of iodyno's own, or a change of another that was there before,
/// for none of those is ever made or removed.
pub(crate) fn is_put_back(file: &SavedFile) -> bool {
    is_own_file(&file.path) || (is_others_file(&file.path) && file.old.is_some())
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
    use model::change::FileContent;

    fn device(name: &str) -> DeviceIdentity {
        DeviceIdentity {
            name: name.into(),
            number: "8:0".into(),
            diskseq: None,
            serial_digest: None,
            sectors: 0,
        }
    }

    #[test]
    fn only_settings_of_the_very_device_are_owned() {
        let is_of = |name: &str, path: &str| is_setting_of(Some(&device(name)), true, path);
        assert!(is_of("sda", "/sys/block/sda/queue/scheduler"));
        assert!(is_of("sda", "/sys/block/sda/queue/iosched/slice_idle"));
        assert!(is_of("sda", "/sys/block/sda/bdi/max_ratio"));
        assert!(is_of("sda", "/sys/block/sda/device/queue_depth"));
        assert!(is_of("md0", "/sys/block/md0/md/stripe_cache_size"));
        assert!(is_of("md0", "/sys/block/md0/md/sync_speed_max"));
        assert!(is_of("loop0", "/sys/block/loop0/loop/dio"));
        assert!(is_of("cciss!c0d0", "/sys/block/cciss!c0d0/queue/nomerges"));
        assert!(is_of("sda", "group:riops:sda:/sys/fs/cgroup/blkio/db"));
        for path in [
            "group:riops:sdb:/sys/fs/cgroup/blkio/db",
            "group:riops:sda:/sys/fs/cgroup/blkio/../cpu",
            "group:cgroup.kill:sda:/sys/fs/cgroup/db",
            "group:memory.max:sda:/sys/fs/cgroup/db",
            "/sys/fs/cgroup/db/io.max",
            "/sys/block/sdb/queue/scheduler",
            "/sys/block/sdb/bdi/max_ratio",
            "/sys/block/sda/bdi/uevent",
            "/sys/block/sda/queue/../../../../etc/passwd",
            "/sys/block/sda/queue/iosched/../scheduler",
            "/sys/block/sda/queue/iosched/..",
            "/sys/block/sda/queue/",
            "/sys/block/sda/device/delete",
            "/sys/block/sda/device/state",
            "/sys/block/sda/md/array_state",
            "/sys/block/sda/md/sync_action",
            "/sys/block/sda/loop/backing_file",
            "/sys/block/md0/md/stripe_cache_size",
            "/etc/passwd",
        ] {
            assert!(!is_of("sda", path), "{path}");
        }
        assert!(!is_of(
            "../../tmp/x",
            "/sys/block/../../tmp/x/queue/scheduler"
        ));
        assert!(!is_of("..", "/sys/block/../queue/scheduler"));
        let nobodys = is_setting_of(None, true, "/sys/block/sda/queue/scheduler");
        assert!(!nobodys);
    }

    #[test]
    fn settings_of_the_machine_are_owned_where_the_journal_reaches_so_far() {
        for path in [
            "/proc/sys/vm/dirty_background_bytes",
            "/proc/irq/24/smp_affinity_list",
            "mount:atime:7:1:/srv",
            "held:cpu_latency_us",
            "fs:commit:7:1:/srv",
            "/sys/kernel/mm/transparent_hugepage/enabled",
        ] {
            assert!(is_setting_of(Some(&device("sda")), true, path), "{path}");
            assert!(!is_setting_of(Some(&device("sda")), false, path), "{path}");
            assert!(is_of_machine(path));
        }
        for path in [
            "/proc/sys/kernel/core_pattern",
            "/proc/sys/kernel/modprobe",
            "/proc/sys/net/ipv4/ip_forward",
            "/proc/sys/vm/drop_caches",
            "/proc/sys/vm/overcommit_memory",
            "/proc/irq/24/smp_affinity",
            "/proc/irq/24/spurious",
            "held:wakeup",
            "mount:ro:7:1:/srv",
            "mount:nosuid:7:1:/srv",
            "mount:atime:7:1:/srv/..",
            "fs:barrier:7:1:/srv",
            "fs:ro:7:1:/srv",
            "fs:data:7:1:/srv",
            "fs:commit:7:1:/srv/..",
            "/sys/kernel/mm/transparent_hugepage/use_zero_page",
        ] {
            assert!(!is_setting_of(Some(&device("sda")), true, path), "{path}");
        }
        assert!(!is_of_machine("/sys/block/sda/queue/scheduler"));
    }

    #[test]
    fn only_files_and_trees_of_our_own_names_are_owned() {
        assert!(is_own_file("/etc/udev/rules.d/99-iodyno-sda.rules"));
        assert!(is_own_file("/etc/sysctl.d/99-iodyno-7.conf"));
        let drop_in = "/etc/systemd/system/db@1\\x2da.service.d/99-iodyno-sda.conf";
        assert!(is_own_file(drop_in) && is_drop_in(drop_in));
        assert!(is_own_file("/etc/sysctl.d/zz-iodyno-set.conf"));
        assert!(is_own_file(
            "/etc/systemd/system/iodyno-loop-srv-data.img.service"
        ));
        for path in [
            "/etc/systemd/system/db.service.d/50-limits.conf",
            "/etc/systemd/system/../x.service.d/99-iodyno-sda.conf",
            "/etc/systemd/system/a/b.service.d/99-iodyno-sda.conf",
            "/etc/systemd/system/db.service.d/99-iodyno-../x.conf",
            "/etc/systemd/system/.d/99-iodyno-sda.conf",
            "/etc/systemd/system/99-iodyno-sda.conf",
            "/etc/systemd/system/iodyno-loop-x.mount",
            "/etc/systemd/system/iodyno-loop-../sshd.service",
            "/etc/udev/rules.d/60-ssd.rules",
            "/etc/udev/rules.d/99-iodyno-../../passwd.rules",
            "/etc/udev/rules.d/99-iodyno-.rules",
            "/etc/udev/rules.d/99-iodyno-sda.conf",
            "/etc/sysctl.d/99-sysctl.conf",
            "/etc/udev/rules.d/99-iodyno-a/b.rules",
            "/etc/shadow",
            "/etc/fstab",
        ] {
            assert!(!is_own_file(path), "{path}");
        }
        let file = |path: &str, old: bool| {
            let content = FileContent::new(b"x", 0o644, (0, 0));
            let old = old.then(|| content.clone());
            let (path, new) = (path.to_string(), content);
            SavedFile {
                path,
                old,
                new,
                made_directory: false,
            }
        };
        assert!(is_put_back(&file("/etc/fstab", true)));
        assert!(is_put_back(&file("/etc/sysctl.d/99-iodyno-7.conf", false)));
        for (path, old) in [
            ("/etc/fstab", false),
            ("/etc/fstab.d/x", true),
            ("/etc/shadow", true),
        ] {
            assert!(!is_put_back(&file(path, old)), "{path}");
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
