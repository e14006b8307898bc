//! # Memory and writeback settings
//!
//! The kernel's settings of dirty pages, reclaim and huge pages, which act on buffered I/O of every path.
//!
//! ## What it reads
//! `/proc/sys/vm/*` and `/sys/kernel/mm/transparent_hugepage/enabled` (Documentation/admin-guide/sysctl/vm.rst).
//!
//! ## Fields
//! Settings: `vm.dirty_ratio`, `vm.dirty_bytes`, `vm.dirty_background_ratio`, `vm.dirty_background_bytes`,
//! `vm.dirty_expire_centisecs`, `vm.dirty_writeback_centisecs`, `vm.dirtytime_expire_seconds`, `vm.swappiness`,
//! `vm.vfs_cache_pressure`, `vm.min_free_kbytes`, `vm.zone_reclaim_mode`, `vm.page-cluster`, `transparent_hugepage`. Of a
//! ratio and its bytes one is 0, and the other counts.
//!
//! ## Example
//! `vm.dirty_ratio` 20, `vm.dirty_bytes` 0: writers are held back when a fifth of memory is dirty.

use crate::{Collector, Draft, Survey};
use model::iopath::LayerKind;

const NAMES: &[&str] = &[
    "dirty_ratio",
    "dirty_bytes",
    "dirty_background_ratio",
    "dirty_background_bytes",
    "dirty_expire_centisecs",
    "dirty_writeback_centisecs",
    "dirtytime_expire_seconds",
    "swappiness",
    "vfs_cache_pressure",
    "min_free_kbytes",
    "zone_reclaim_mode",
    "page-cluster",
];

const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "vm_settings",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &["/proc/sys/vm/*", HUGE_PAGES],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    for name in NAMES {
        draft.setting_if_there(
            survey.host,
            &format!("vm.{name}"),
            format!("/proc/sys/vm/{name}"),
        );
    }
    draft.setting_if_there(survey.host, "transparent_hugepage", HUGE_PAGES.into());
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn settings_are_named_as_sysctl_names_them() {
        let path = collect_on(
            "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
             path: /sys/devices/p/sda/dev\nlines: 1\n8:0\npath: /proc/sys/vm/dirty_ratio\nlines: 1\n20\n\
             path: /sys/kernel/mm/transparent_hugepage/enabled\nlines: 1\nalways [madvise] never\n",
            "sda",
        );
        let ratio = path.machine_setting("vm.dirty_ratio").unwrap();
        assert_eq!(
            (
                ratio.number(),
                ratio.default.as_ref().unwrap().value.as_str()
            ),
            (Some(20.0), "20")
        );
        assert_eq!(
            path.machine_setting("transparent_hugepage")
                .unwrap()
                .chosen(),
            Some("madvise")
        );
        assert!(path.machine_setting("vm.swappiness").is_none());
    }
}
