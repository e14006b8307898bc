//! # Backing device info of a file system
//!
//! Read-ahead and shares of dirty memory of file systems that have these settings for themselves: btrfs, NFS, Ceph,
//! FUSE, 9P. Elsewhere the settings are those of the block device.
//!
//! ## What it reads
//! `/sys/class/bdi/M:m/*` where the file system has a number without a device; `/sys/fs/btrfs/*/bdi`; `/sys/class/bdi/TYPE-*`
//! where one mount alone is of that type (Documentation/ABI/testing/sysfs-class-bdi).
//!
//! ## Fields
//! Settings: `bdi/read_ahead_kb`, `bdi/min_ratio`, `bdi/max_ratio`, `bdi/strict_limit`.
//!
//! ## Example
//! NFS on `/home` reads 128 KiB ahead, whatever the settings of local disks.

use crate::{Collector, Draft, Survey};
use kernel::devno::Devno;
use model::iopath::LayerKind;

const CLASS: &str = "/sys/class/bdi";

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "filesystem_bdi",
    since: "0.1.0",
    kinds: &[LayerKind::FileSystem, LayerKind::Unbacked],
    reads: &["/sys/class/bdi/*/*", "/sys/fs/btrfs/*/bdi"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let is_own = draft
        .layer
        .devno
        .as_deref()
        .is_some_and(|devno| devno.starts_with("0:"));
    let Some(name) = is_own.then(|| own(survey, draft)).flatten() else {
        return;
    };
    for file in ["read_ahead_kb", "min_ratio", "max_ratio", "strict_limit"] {
        draft.setting_if_there(
            host,
            &format!("bdi/{file}"),
            format!("{CLASS}/{name}/{file}"),
        );
    }
}

/// The name of its info. NFS and FUSE name it by number, others by type and a counter (fs/super.c, `super_setup_bdi`).
fn own(survey: &Survey<'_>, draft: &Draft) -> Option<String> {
    let host = survey.host;
    let devno = draft.layer.devno.as_deref()?;
    let fstype = draft.known("fstype")?;
    for name in [devno.to_string(), format!("{devno}-fuseblk")] {
        if host.exists(&format!("{CLASS}/{name}")) {
            return Some(name);
        }
    }
    if let Some(id) = super::filesystem_btrfs::volume(survey, draft) {
        let link = host.link(&format!("/sys/fs/btrfs/{id}/bdi"))?;
        return link.rsplit('/').next().map(str::to_string);
    }
    let counted = format!("{fstype}-");
    let infos: Vec<String> = host
        .list(CLASS)
        .into_iter()
        .filter(|name| name.starts_with(&counted))
        .collect();
    let mut numbers: Vec<Devno> = survey
        .mounts
        .iter()
        .filter(|mount| mount.fstype == fstype)
        .map(|mount| mount.devno)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    // With several of a type nothing says which is whose.
    (infos.len() == 1 && numbers.len() == 1).then(|| infos[0].clone())
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;
    use model::iopath::{IoPath, Setting};

    fn ahead(mounts: &[&str], more: &str) -> Option<Setting> {
        let path: IoPath = collect_on(
            &format!(
                "path: /proc/self/mountinfo\nlines: {}\n{}\npath: /n\ndirectory\npath: /b\ndirectory\n{more}",
                mounts.len(),
                mounts.join("\n")
            ),
            "/n",
        );
        path.root.below[0].setting("bdi/read_ahead_kb").cloned()
    }

    #[test]
    fn nfs_has_its_number_and_its_default() {
        let setting = ahead(
            &["1 1 0:50 / /n rw - nfs4 nas:/x rw"],
            "path: /sys/class/bdi/0:50\nlink: ../../devices/virtual/bdi/0:50\n\
             path: /sys/devices/virtual/bdi/0:50/read_ahead_kb\nlines: 1\n15360\n\
             path: /proc/sys/kernel/osrelease\nlines: 1\n6.1.0\n\
             path: /etc/udev/rules.d/50-nfs.rules\nlines: 1\nSUBSYSTEM==\"bdi\", KERNEL==\"0:*\", ATTR{read_ahead_kb}=\"15360\"\n",
        )
        .unwrap();
        assert_eq!(
            (setting.number(), setting.default.unwrap().value.as_str()),
            (Some(15360.0), "128")
        );
        assert_eq!(setting.owners[0].place, "/etc/udev/rules.d/50-nfs.rules:1");
    }

    #[test]
    fn an_info_that_could_be_another_s_is_left_out() {
        let info = "path: /sys/class/bdi/9p-1/read_ahead_kb\nlines: 1\n0\n";
        let one = ["1 1 0:20 / /n rw - 9p share rw"];
        assert!(ahead(&one, info).is_some());
        assert!(ahead(&[one[0], "2 1 0:21 / /b rw - 9p other rw"], info).is_none());
    }
}
