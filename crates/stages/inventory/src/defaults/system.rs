//! Defaults of the machine and of file systems.

use super::{Kernel, always, because};
use model::iopath::{KernelDefault, Layer};

/// Numbers that have been the same as long as there were the settings (mm/page-writeback.c, mm/vmscan.c, mm/swap.c,
/// fs/fs-writeback.c, fs/aio.c, fs/dcache.c, io_uring/io_uring.c).
const SAME: &[(&str, &str)] = &[
    ("vm.dirty_ratio", "20"),
    ("vm.dirty_bytes", "0"),
    ("vm.dirty_background_ratio", "10"),
    ("vm.dirty_background_bytes", "0"),
    ("vm.dirty_expire_centisecs", "3000"),
    ("vm.dirty_writeback_centisecs", "500"),
    ("vm.dirtytime_expire_seconds", "43200"),
    ("vm.swappiness", "60"),
    ("vm.vfs_cache_pressure", "100"),
    ("vm.page-cluster", "3"),
    ("fs.aio-max-nr", "65536"),
    ("kernel.io_uring_disabled", "0"),
];

/// Of the machine.
pub(super) fn of(name: &str, kernel: &Kernel) -> Option<KernelDefault> {
    if let Some((_, value)) = SAME.iter().find(|(same, _)| *same == name) {
        return always(value);
    }
    match name {
        // Before, far nodes switched it on (mm/page_alloc.c, RECLAIM_DISTANCE).
        "vm.zone_reclaim_mode" if kernel.is_since(3, 16) => always(0),
        "pcie_aspm.policy" => because("default", "unless the kernel was built with another policy"),
        _ => None,
    }
}

/// Of the backing device info of a file system without a block device of its own.
pub(super) fn of_file_system(layer: &Layer, name: &str, kernel: &Kernel) -> Option<KernelDefault> {
    match (name, layer.fact("fstype")?) {
        ("bdi/read_ahead_kb", "btrfs") => because(4096, "btrfs raises it to 4 MiB"),
        ("bdi/read_ahead_kb", "nfs" | "nfs4") if kernel.is_since(5, 4) => because(
            128,
            "NFS, kernel 5.4 and later; before it was 15 times rsize",
        ),
        ("bdi/min_ratio" | "bdi/strict_limit", "btrfs" | "nfs" | "nfs4") => always(0),
        ("bdi/max_ratio", "btrfs" | "nfs" | "nfs4") => always(100),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::LayerKind;

    fn kernel(release: &str) -> Kernel {
        let mut machine = Layer::new(LayerKind::Machine, "machine");
        machine.facts.insert("kernel".into(), release.into());
        Kernel::of(Some(&machine))
    }

    #[test]
    fn writeback_starts_at_ten_percent() {
        let value = |name: &str| of(name, &kernel("6.1.0")).map(|default| default.value);
        assert_eq!(value("vm.dirty_background_ratio").as_deref(), Some("10"));
        assert_eq!(value("vm.zone_reclaim_mode").as_deref(), Some("0"));
        assert_eq!(
            value("vm.min_free_kbytes"),
            None,
            "it depends on the machine's memory"
        );
        assert_eq!(of("vm.zone_reclaim_mode", &kernel("3.10.0")), None);
        assert_eq!(of("vm.zone_reclaim_mode", &kernel("custom")), None);
    }

    #[test]
    fn network_file_systems_read_ahead_by_their_own_number() {
        let mut nfs = Layer::new(LayerKind::Unbacked, "/n");
        nfs.facts.insert("fstype".into(), "nfs4".into());
        let value = |release: &str| of_file_system(&nfs, "bdi/read_ahead_kb", &kernel(release));
        assert_eq!(
            value("5.10.0").map(|default| default.value).as_deref(),
            Some("128")
        );
        assert_eq!(value("4.18.0"), None);
    }
}
