//! # Limits of the kernel
//!
//! What the kernel lets all programs have together, and the policy of PCI Express links.
//!
//! ## What it reads
//! `/proc/sys/fs/{aio-max-nr,aio-nr,file-max}`, `/proc/sys/kernel/io_uring_disabled`,
//! `/sys/module/pcie_aspm/parameters/policy` (Documentation/admin-guide/sysctl/fs.rst and kernel.rst).
//!
//! ## Fields
//! Settings: `fs.aio-max-nr`, `fs.aio-nr` (in use now), `fs.file-max`, `kernel.io_uring_disabled` (Linux 6.6 and later: 0
//! for everybody, 1 for a group, 2 for nobody), `pcie_aspm.policy`.
//!
//! ## Example
//! `fs.aio-nr` 65000 of `fs.aio-max-nr` 65536: libaio will soon fail with EAGAIN.

use crate::{Collector, Draft, Survey};
use model::iopath::LayerKind;

const SETTINGS: &[(&str, &str)] = &[
    ("fs.aio-max-nr", "/proc/sys/fs/aio-max-nr"),
    ("fs.aio-nr", "/proc/sys/fs/aio-nr"),
    ("fs.file-max", "/proc/sys/fs/file-max"),
    (
        "kernel.io_uring_disabled",
        "/proc/sys/kernel/io_uring_disabled",
    ),
    (
        "pcie_aspm.policy",
        "/sys/module/pcie_aspm/parameters/policy",
    ),
];

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "kernel_limits",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &[
        "/proc/sys/fs/aio-*",
        "/proc/sys/kernel/io_uring_disabled",
        "/sys/module/pcie_aspm/parameters/policy",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    for (name, path) in SETTINGS {
        draft.setting_if_there(survey.host, name, (*path).to_string());
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn limits_and_the_policy_are_settings() {
        let path = collect_on(
            "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
             path: /sys/devices/p/sda/dev\nlines: 1\n8:0\npath: /proc/sys/fs/aio-max-nr\nlines: 1\n65536\n\
             path: /sys/module/pcie_aspm/parameters/policy\nlines: 1\ndefault [powersave]\n",
            "sda",
        );
        assert_eq!(
            path.machine_setting("fs.aio-max-nr").unwrap().number(),
            Some(65536.0)
        );
        assert_eq!(
            path.machine_setting("pcie_aspm.policy").unwrap().chosen(),
            Some("powersave")
        );
    }
}
