//! What may be looked at and loaded from a browser: mounts, disks, and the directories that the user named. A browser
//! names one by its key and never a path.

use host::{Host, files, rights};
use kernel::mounts::Mounts;
use serde::Serialize;
use std::path::Path;

/// Most mounts and disks that are told.
const MOST: usize = 500;

/// What a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", schemars(rename = "PlaceKind"))]
pub enum Kind {
    /// A directory that the user named.
    Directory,
    /// The root of a mounted file system.
    Mount,
    /// A whole disk.
    Disk,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Directory => "directory",
            Kind::Mount => "mount",
            Kind::Disk => "disk",
        }
    }
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Target {
    /// By which it is named; the same after a restart.
    pub key: String,
    /// Where it is.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// Whether a load may be put on it from here.
    pub safe_to_load: bool,
    /// What keeps it from that, or limits it.
    pub why_not: Option<String>,
}

/// All of them: the named directories first, each path once.
pub fn all(host: &Host, named: &[String]) -> Vec<Target> {
    let named = named
        .iter()
        .map(|path| directory(Kind::Directory, path, false));
    let mounts = mounts(&host.text("/proc/self/mountinfo").unwrap_or_default());
    let is_directory = |mount: &Mount| {
        files::kind(Path::new(&mount.path)).ok() == Some(files::FileKind::Directory)
    };
    let mounts = mounts
        .into_iter()
        .filter(is_directory)
        .map(|mount| directory(Kind::Mount, &mount.path, mount.read_only));
    let disks = host
        .list("/sys/block")
        .into_iter()
        .filter_map(|name| disk(host, &name));
    let mut targets: Vec<Target> = Vec::new();
    for target in named.chain(mounts).chain(disks).take(MOST) {
        if !targets.iter().any(|known| known.path == target.path) {
            targets.push(target);
        }
    }
    targets
}

fn directory(kind: Kind, path: &str, is_read_only: bool) -> Target {
    let why_not = if is_read_only {
        Some("it is mounted read-only")
    } else if !rights::may_write(path) {
        Some("this user may not write there")
    } else {
        None
    };
    let why_not = why_not.map(str::to_string);
    Target {
        key: key(kind, path),
        path: path.into(),
        kind,
        safe_to_load: why_not.is_none(),
        why_not,
    }
}

/// A disk that has a size. From here it is only read: `--destroy-data` is for the command line.
fn disk(host: &Host, name: &str) -> Option<Target> {
    let is_of_interest = !["ram", "zram", "fd", "sr"]
        .iter()
        .any(|kind| name.starts_with(kind));
    let sectors = host.number(&format!("/sys/block/{name}/size")).unwrap_or(0);
    if !is_of_interest || sectors == 0 {
        return None;
    }
    let path = format!("/dev/{}", name.replace('!', "/"));
    let may_read = rights::may_read(&path);
    let why_not = match may_read {
        true => "only reads; a load that writes would destroy what is on it",
        false => "this user may not read it",
    };
    let key = format!("disk-{}", name.replace('!', "+"));
    Some(Target {
        key,
        path,
        kind: Kind::Disk,
        safe_to_load: may_read,
        why_not: Some(why_not.into()),
    })
}

/// A name for a path that says nothing else: FNV-1a, 64 bits.
fn key(kind: Kind, path: &str) -> String {
    let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{}-{hash:016x}", kind.word())
}

/// A mount of something that stores.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    path: String,
    read_only: bool,
}

/// File systems that store without a device of their own.
const STORING: &[&str] = &[
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "ceph",
    "zfs",
    "9p",
    "virtiofs",
    "glusterfs",
    "lustre",
    "beegfs",
    "gpfs",
    "overlay",
    "fuse.glusterfs",
    "fuse.ceph-fuse",
    "fuse.sshfs",
    "fuse.s3fs",
];

/// The mounts of what stores, the last on each place.
fn mounts(text: &str) -> Vec<Mount> {
    let mut mounts: Vec<Mount> = Vec::new();
    for mount in Mounts::parse(text) {
        if mount.source.starts_with("/dev/") || STORING.contains(&mount.fstype.as_str()) {
            mounts.retain(|known| known.path != mount.point);
            mounts.push(Mount {
                read_only: mount.is_read_only(),
                path: mount.point,
            });
        }
    }
    mounts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_that_store_are_told_from_the_others() {
        let text = "21 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n\
                    22 21 0:5 / /proc rw - proc proc rw\n\
                    23 21 0:50 / /mnt/a\\040b ro,relatime - nfs4 server:/export rw,vers=4.2\n\
                    24 21 0:51 / /run rw - tmpfs tmpfs rw\n\
                    broken line\n";
        let found = mounts(text);
        let expected = [("/", false), ("/mnt/a b", true)];
        let expected = expected.map(|(path, read_only)| Mount {
            path: path.into(),
            read_only,
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_key_is_no_path() {
        let dir = files::temporary_dir("targets").unwrap();
        let path = dir.path().to_string_lossy().into_owned();
        let targets = all(&Host::live(), std::slice::from_ref(&path));
        assert_eq!(
            (
                targets[0].kind,
                targets[0].path.as_str(),
                targets[0].safe_to_load
            ),
            (Kind::Directory, path.as_str(), true)
        );
        assert!(
            targets
                .iter()
                .all(|target| !target.key.contains(['/', '.'])),
            "{targets:?}"
        );
        assert_eq!(targets, all(&Host::live(), &[path]), "keys stay");
    }
}
