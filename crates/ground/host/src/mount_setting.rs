//! Flags of one mount as settings: read from the mount table, changed through a descriptor of the mount.
//!
//! Tried on Linux 6.18 with ext4: `mount_setattr` with `MOUNT_ATTR__ATIME` cleared leaves nosuid, nodev, ro and nodiratime
//! as they are, while `mount(MS_REMOUNT | MS_BIND)` clears each of them that is not named again. So there is no way for
//! kernels before 5.12, which have the latter only.

#![allow(unsafe_code, reason = "mount_setattr has no wrapper in rustix or libc")]

use crate::Host;
use kernel::mounts::{Mount, Mounts};
use model::change::Attribute;
use model::subject::Subject;
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// The setting that says when reading a file updates its access time.
pub(crate) const ATIME: &str = "atime";

/// Its values with their flags (`include/uapi/linux/mount.h`).
const VALUES: [(&str, u64); 3] = [
    ("relatime", libc::MOUNT_ATTR_RELATIME),
    ("noatime", libc::MOUNT_ATTR_NOATIME),
    ("strictatime", libc::MOUNT_ATTR_STRICTATIME),
];

/// `STATX_MNT_ID_UNIQUE`, Linux 6.8: an id that no later mount of this boot gets; the plain one is used again.
const MNT_ID_UNIQUE: u32 = 0x4000;

/// A mount whose setting a place names.
pub(crate) struct MountPlace {
    devno: String,
    point: String,
}

impl MountPlace {
    /// Of the text of a place; none where it is no mount's, or of a flag that is never written.
    pub(crate) fn of(place: &str) -> Option<MountPlace> {
        match Subject::of_path(place)? {
            (Subject::Mount { devno, point }, ATIME) => Some(MountPlace { devno, point }),
            _ => None,
        }
    }

    /// The mount of this device at this point, for what is found by it.
    pub(crate) fn at(devno: String, point: String) -> MountPlace {
        MountPlace { devno, point }
    }

    /// What the mount table says.
    pub(crate) fn read(&self, host: &Host) -> Attribute {
        match self.mount(host) {
            None => Attribute::Absent,
            Some(mount) => Attribute::Value(value(&mount).into()),
        }
    }

    /// Which mount it is, so that another one at the same point is told from it; empty where there is none.
    pub(crate) fn mark(&self, host: &Host) -> String {
        let mark = match host.is_live() {
            true => self.open(host).and_then(|fd| mark(fd.as_fd())).ok(),
            false => self.mount(host).map(|mount| format!("mount {}", mount.id)),
        };
        mark.unwrap_or_default()
    }

    /// Sets the flag on the mount that has this mark, through the descriptor that was asked for it.
    pub(crate) fn write(
        &self,
        host: &Host,
        value: &str,
        marked: Option<&str>,
    ) -> std::io::Result<()> {
        let (_, flag) = VALUES
            .iter()
            .find(|(name, _)| *name == value)
            .ok_or_else(|| std::io::Error::from_raw_os_error(libc::EINVAL))?;
        set(self.open_marked(host, marked)?.as_fd(), *flag)
    }

    /// Opens the mount, where it is the one that has this mark.
    pub(crate) fn open_marked(
        &self,
        host: &Host,
        marked: Option<&str>,
    ) -> std::io::Result<OwnedFd> {
        let fd = self.open(host)?;
        match marked.is_some_and(|marked| mark(fd.as_fd()).ok().as_deref() != Some(marked)) {
            true => Err(std::io::Error::other(
                "another file system is mounted there now",
            )),
            false => Ok(fd),
        }
    }

    /// The mount on top at the point, where it is of the device.
    pub(crate) fn mount(&self, host: &Host) -> Option<Mount> {
        let mounts = Mounts::parse(&host.text("/proc/self/mountinfo")?);
        let mount = mounts.holding(&self.point)?.clone();
        self.is_it(&mount).then_some(mount)
    }

    fn is_it(&self, mount: &Mount) -> bool {
        mount.point == self.point && mount.devno.to_string() == self.devno
    }

    /// Opens the mount, and compares what was opened with the place: names can be exchanged until then, and no longer.
    fn open(&self, host: &Host) -> std::io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::open(&self.point, flags, Mode::empty())?;
        let id = plain_id(fd.as_fd(), host);
        let table = host.text("/proc/self/mountinfo").unwrap_or_default();
        let is_it = Mounts::parse(&table)
            .iter()
            .any(|mount| Some(mount.id) == id && self.is_it(mount));
        match is_it {
            true => Ok(fd),
            false => Err(std::io::Error::other(format!(
                "no mount of device {} is there now",
                self.devno
            ))),
        }
    }
}

/// The setting's value of a mount: the table names the two that are not the kernel's first (Linux `fs/proc_namespace.c`).
fn value(mount: &Mount) -> &'static str {
    match (mount.has("noatime"), mount.has("relatime")) {
        (true, _) => "noatime",
        (_, true) => "relatime",
        _ => "strictatime",
    }
}

/// The id that the mount table has for the mount of a descriptor (Linux 3.15).
fn plain_id(fd: BorrowedFd<'_>, host: &Host) -> Option<u32> {
    let text = host.text(&format!("/proc/self/fdinfo/{}", fd.as_raw_fd()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("mnt_id:"))?;
    line.trim().parse().ok()
}

fn mark(fd: BorrowedFd<'_>) -> std::io::Result<String> {
    let wanted = StatxFlags::from_bits_retain(MNT_ID_UNIQUE) | StatxFlags::MNT_ID;
    let stat = rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, wanted)?;
    Ok(format!("mount {}", stat.stx_mnt_id))
}

/// Sets one of the flags that exclude each other on this mount alone (Linux 5.12).
fn set(fd: BorrowedFd<'_>, flag: u64) -> std::io::Result<()> {
    let wanted = libc::mount_attr {
        attr_set: flag,
        attr_clr: libc::MOUNT_ATTR__ATIME,
        propagation: 0,
        userns_fd: 0,
    };
    // SAFETY: the path is an empty C string, the structure outlives the call and has the length that is given, and the
    // kernel reads both and writes neither.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            fd.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH,
            &raw const wanted,
            size_of::<libc::mount_attr>(),
        )
    };
    match outcome {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    const TABLE: &str = "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n\
        66 1 7:1 / /srv rw,nosuid,noatime - ext4 /dev/loop1 rw\n\
        67 1 7:2 / /strict rw - xfs /dev/loop2 rw\n";

    fn host() -> Host {
        let mut archive = Archive::default();
        archive.insert("/proc/self/mountinfo", Attribute::Value(TABLE.into()));
        Host::from_archive(archive)
    }

    #[test]
    fn the_table_says_what_a_mount_has() {
        let read = |place: &str| host().attribute(place);
        let value = |text: &str| Attribute::Value(text.into());
        assert_eq!(read("mount:atime:7:1:/srv"), value("noatime"));
        assert_eq!(read("mount:atime:8:1:/"), value("relatime"));
        assert_eq!(read("mount:atime:7:2:/strict"), value("strictatime"));
        assert_eq!(
            read("mount:atime:7:9:/srv"),
            Attribute::Absent,
            "of another device"
        );
        assert_eq!(
            read("mount:atime:7:1:/srv/x"),
            Attribute::Absent,
            "no mount point"
        );
        assert!(MountPlace::of("mount:ro:7:1:/srv").is_none());
    }

    #[test]
    fn nothing_is_written_to_what_is_no_mount_of_the_device() {
        let host = Host::live();
        let place = MountPlace::of("mount:atime:4095:7:/").unwrap();
        let error = place.write(&host, "noatime", None).unwrap_err();
        assert!(error.to_string().contains("4095:7"), "{error}");
        assert_eq!(place.mark(&host), "");
        let error = place.write(&host, "ro", None).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    }
}
