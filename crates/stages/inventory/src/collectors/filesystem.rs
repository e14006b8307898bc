//! # File system
//!
//! The mount that holds a path, its options, its free space, and the device or the directory it lives on.
//!
//! ## What it reads
//! `/proc/self/mountinfo`, statvfs(2) of the path, `/sys/dev/block/*`, `/sys/fs/btrfs/*/devices`,
//! `/proc/self/ns/mnt` and `/proc/1/ns/mnt`.
//!
//! ## Fields
//! - `fstype`, `source`, `mount_point`, `options`: from the mount table
//! - `subdirectory`: the part of the file system that is mounted, on a bind mount or a subvolume
//! - `free_bytes`, `total_bytes`, `free_inodes`, `total_inodes`: what an unprivileged writer could still use;
//!   `block_bytes`: the size of a block of the file system
//! - `super_options`: options of the file system where they contradict those of the mount (`ro` under `rw`)
//! - `read_only`: `yes` where nothing can be written now
//! - `namespace`: `own` where this process sees other mounts than the first process; absent where that cannot be told
//! - `overlay_lower`: the lower directories of an overlay; `bind_of`: what is mounted here a second time
//! - `reason`: why there is no block device below
//!
//! ## Example
//! `ext4` on `/srv` from `/dev/vg0/data`, `rw,relatime`, 118 GiB free; below it `dm-0`.

use crate::{Below, Collector, Draft, Survey, device};
use host::Host;
use kernel::mounts::Mount;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "filesystem",
    since: "0.1.0",
    kinds: &[LayerKind::FileSystem],
    reads: &[
        "/proc/self/mountinfo",
        "/sys/dev/block/*",
        "/sys/fs/btrfs/*/devices",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let Some(mount) = survey.mounts.holding(&draft.subject).cloned() else {
        return unlisted(survey, draft);
    };
    let host = survey.host;
    draft.layer.name.clone_from(&mount.point);
    draft.layer.title = format!("{} on {}", mount.fstype, mount.point);
    draft.layer.devno = Some(mount.devno.to_string());
    draft.fact("fstype", Some(&mount.fstype));
    draft.fact("source", Some(&mount.source));
    draft.fact("mount_point", Some(&mount.point));
    draft.fact("options", Some(mount.options.join(",")));
    draft.fact(
        "subdirectory",
        Some(&mount.root).filter(|root| *root != "/"),
    );
    details(survey, draft, &mount);
    if let Some(space) = host
        .space(&draft.subject)
        .filter(|space| space.total_bytes > 0)
    {
        draft.fact("free_bytes", Some(space.free_bytes.to_string()));
        draft.fact("total_bytes", Some(space.total_bytes.to_string()));
        draft.fact("free_inodes", Some(space.free_inodes.to_string()));
        draft.fact("total_inodes", Some(space.total_inodes.to_string()));
        let block = space.block_bytes.map(|bytes| bytes.to_string());
        draft.fact("block_bytes", block);
    }
    draft.below = below(survey, &mount);
    if draft.below.is_empty() {
        draft.layer.kind = LayerKind::Unbacked;
        draft.fact("reason", Some(reason(&mount.fstype)));
    }
}

/// What sets this mount apart from others of the same file system.
fn details(survey: &Survey<'_>, draft: &mut Draft, mount: &Mount) {
    let host = survey.host;
    // The options of mount and file system stand together; both words among them are a contradiction.
    let differs = mount.is_read_only() && mount.has("rw");
    draft.fact(
        "super_options",
        differs.then(|| mount.super_options.join(",")),
    );
    draft.fact("read_only", mount.is_read_only().then_some("yes"));
    let namespace = |process: &str| host.link(&format!("/proc/{process}/ns/mnt"));
    if let Some((own, first)) = namespace("self").zip(namespace("1")) {
        draft.fact("namespace", (own != first).then_some("own"));
    }
    draft.fact(
        "overlay_lower",
        mount
            .option("lowerdir")
            .filter(|_| mount.fstype == "overlay"),
    );
    draft.fact("bind_of", bind_of(survey, mount));
}

/// The path that is mounted here once more. A subvolume of btrfs is no such thing: its root names the subvolume.
fn bind_of(survey: &Survey<'_>, mount: &Mount) -> Option<String> {
    if mount.root == "/" || mount.fstype == "btrfs" {
        return None;
    }
    let others = survey
        .mounts
        .iter()
        .filter(|other| other.devno == mount.devno && other.id != mount.id);
    let holds = others.filter_map(|other| {
        let rest = mount.root.strip_prefix(other.root.trim_end_matches('/'))?;
        rest.starts_with('/')
            .then(|| format!("{}{rest}", other.point.trim_end_matches('/')))
    });
    holds.min_by_key(String::len)
}

/// After chroot(2) the mount that holds the new root is not listed, but a file still knows its device's number.
fn unlisted(survey: &mut Survey<'_>, draft: &mut Draft) {
    let devno = survey.host.device_number(&draft.subject);
    let device = devno
        .as_ref()
        .and_then(|devno| survey.host.block_name(devno));
    survey.notes.push(match &device {
        Some(name) => {
            format!(
                "No mount is listed that holds {}; its device number says {name}.",
                draft.subject
            )
        }
        None => format!("No mount is listed that holds {}.", draft.subject),
    });
    draft.layer.title = "file system whose mount is not listed".into();
    draft.layer.devno = devno;
    draft.below.extend(device.map(Below::Device));
}

fn below(survey: &mut Survey<'_>, mount: &Mount) -> Vec<Below> {
    if mount.fstype == "overlay" {
        return upper_directory(survey, mount)
            .map(Below::Path)
            .into_iter()
            .collect();
    }
    let Some(name) = device_of(survey.host, mount) else {
        return Vec::new();
    };
    let members = if mount.fstype == "btrfs" {
        btrfs_members(survey.host, &name)
    } else {
        Vec::new()
    };
    if members.is_empty() {
        return vec![Below::Device(name)];
    }
    members.into_iter().map(Below::Device).collect()
}

/// Writes to an overlay go to its upper directory, so its path is the one that matters.
fn upper_directory(survey: &mut Survey<'_>, mount: &Mount) -> Option<String> {
    let note = |text: &str| format!("The overlay on {} {text}", mount.point);
    let Some(upper) = mount.option("upperdir") else {
        survey.notes.push(note(
            "has no upper directory: it is read-only, and its lower layers are not followed.",
        ));
        return None;
    };
    // In a container the directory is named as the host sees it and usually is not there.
    let Some(resolved) = survey.host.resolve(upper) else {
        survey.notes.push(note(&format!(
            "keeps its writes in {upper}, which cannot be seen from here. On the host: iodyno inspect {} --container NAME",
            mount.point
        )));
        return None;
    };
    survey.notes.push(note(
        "reads files that were never written from its lower layers, which may be on another disk.",
    ));
    Some(resolved)
}

/// The number says most; btrfs and file systems mounted by an old initramfs give 0:N there and a node as the source.
fn device_of(host: &Host, mount: &Mount) -> Option<String> {
    let by_number = (mount.devno.major != 0)
        .then(|| host.block_name(&mount.devno.to_string()))
        .flatten();
    by_number.or_else(|| device::by_node(host, &mount.source))
}

/// Every disk of the btrfs that has this one.
fn btrfs_members(host: &Host, name: &str) -> Vec<String> {
    let volumes = host.list("/sys/fs/btrfs");
    let devices = volumes
        .iter()
        .map(|volume| host.list(&format!("/sys/fs/btrfs/{volume}/devices")));
    devices
        .into_iter()
        .find(|members| members.iter().any(|member| member == name))
        .unwrap_or_default()
}

fn reason(fstype: &str) -> &'static str {
    match fstype {
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" => "memory: no disk below",
        "nfs" | "nfs4" | "cifs" | "smb3" | "ceph" | "glusterfs" | "lustre" | "afs" | "beegfs" => {
            "network: the disk is on another machine"
        }
        "9p" | "virtiofs" | "vboxsf" => "shared by the hypervisor: the disk is not visible here",
        "zfs" => "a ZFS pool: its disks are not followed",
        "overlay" => "an overlay whose upper directory is not visible here",
        kind if kind.starts_with("fuse") => "a program (FUSE): what lies below is its own affair",
        "proc" | "sysfs" | "cgroup" | "cgroup2" | "devpts" | "debugfs" | "tracefs" => {
            "the kernel itself: no disk below"
        }
        _ => "no block device on this machine",
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};
    use model::iopath::LayerKind;

    const MOUNTS: &str = "path: /proc/self/mountinfo\nlines: 4\n\
        1 1 0:30 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/up/diff\n\
        2 1 8:1 / /up rw,noatime - xfs /dev/sda1 rw\n\
        3 1 0:44 /sub /b rw - btrfs /dev/sdb rw\n\
        4 1 0:50 / /n rw - nfs4 nas:/x rw\n\
        path: /b\ndirectory\npath: /n\ndirectory\npath: /up/diff\ndirectory\npath: /srv\ndirectory\n\
        path: /n\nspace: 10 20 0 0\n\
        path: /sys/dev/block/8:1\nlink: ../../devices/p/sda1\n\
        path: /sys/class/block/sda1\nlink: ../../devices/p/sda1\npath: /sys/devices/p/sda1/size\nlines: 1\n9\n\
        path: /sys/class/block/sdb\nlink: ../../devices/p/sdb\npath: /sys/devices/p/sdb/size\nlines: 1\n9\n\
        path: /sys/class/block/sdc\nlink: ../../devices/p/sdc\npath: /sys/devices/p/sdc/size\nlines: 1\n9\n\
        path: /sys/fs/btrfs/u-u/devices/sdb\nlink: x\npath: /sys/fs/btrfs/u-u/devices/sdc\nlink: x\n";

    #[test]
    fn an_overlay_leads_to_its_upper_directory() {
        let path = collect_on(MOUNTS, "/srv");
        let kinds: Vec<&str> = path
            .root
            .walk()
            .iter()
            .map(|layer| layer.name.as_str())
            .collect();
        assert_eq!(kinds, ["/srv", "/", "/up", "sda1"]);
        assert!(path.notes[0].contains("lower layers"), "{:?}", path.notes);
    }

    #[test]
    fn btrfs_names_every_member() {
        let path = collect_on(MOUNTS, "/b");
        let below: Vec<&str> = path.root.below[0]
            .below
            .iter()
            .map(|layer| layer.name.as_str())
            .collect();
        assert_eq!(below, ["sdb", "sdc"]);
        assert_eq!(facts(&path, "/b", "subdirectory"), "/sub");
    }

    #[test]
    fn a_bind_mount_and_a_file_system_gone_read_only_say_so() {
        let path = collect_on(
            "path: /proc/self/mountinfo\nlines: 2\n1 1 8:1 / / rw - ext4 /dev/sda1 ro,errors=remount-ro\n\
             2 1 8:1 /srv/db /data rw,noatime - ext4 /dev/sda1 ro\npath: /data\ndirectory\n\
             path: /proc/self/ns/mnt\nlink: mnt:[2]\npath: /proc/1/ns/mnt\nlink: mnt:[1]\n",
            "/data",
        );
        assert_eq!(facts(&path, "/data", "bind_of"), "/srv/db");
        assert_eq!(facts(&path, "/data", "read_only"), "yes");
        assert_eq!(facts(&path, "/data", "super_options"), "ro");
        assert_eq!(facts(&path, "/data", "namespace"), "own");
    }

    #[test]
    fn a_network_mount_says_so() {
        let path = collect_on(MOUNTS, "/n");
        assert_eq!(path.root.below[0].kind, LayerKind::Unbacked);
        assert!(facts(&path, "/n", "reason").starts_with("network"));
        assert_eq!(facts(&path, "/n", "free_bytes"), "10");
    }
}
