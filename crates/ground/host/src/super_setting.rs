//! Options of a mounted file system as settings: read from the mount table and from what ext4 says of itself, changed
//! through a descriptor of the mount by which the file system is found. They are of the superblock, so all mounts of the
//! file system change with it.
//!
//! Tried on Linux 6.18 with ext4, btrfs and xfs, and on 6.1: a reconfiguration (`fspick` and `fsconfig`, Linux
//! 5.2) leaves all flags of the mounts and all options as they are, but for those that `kernel::super_option::said_again`
//! names: without `ro` a file system that is read-only becomes writable. What else changes is an error.

use crate::Host;
use crate::mount_setting::MountPlace;
use kernel::mounts::Mount;
use kernel::super_option::{SuperOption, said_again};
use model::change::Attribute;
use model::subject::Subject;
use rustix::mount::{
    FsPickFlags, fsconfig_reconfigure, fsconfig_set_flag, fsconfig_set_string, fspick,
};
use std::os::fd::{AsFd, BorrowedFd};

/// A file system whose option a place names.
pub(crate) struct SuperPlace {
    mount: MountPlace,
    option: SuperOption,
}

impl SuperPlace {
    /// Of the text of a place; none where it is no file system's, or of an option that is never written.
    pub(crate) fn of(place: &str) -> Option<SuperPlace> {
        match Subject::of_path(place)? {
            (Subject::FileSystem { devno, point }, name) => Some(SuperPlace {
                mount: MountPlace::at(devno, point),
                option: SuperOption::of(name)?,
            }),
            _ => None,
        }
    }

    /// The value that the file system has.
    pub(crate) fn read(&self, host: &Host) -> Attribute {
        let mount = self.mount.mount(host);
        let value = mount.and_then(|mount| self.value(host, &mount));
        value.map_or(Attribute::Absent, Attribute::Value)
    }

    fn value(&self, host: &Host, mount: &Mount) -> Option<String> {
        self.option
            .value(mount, ext4_options(host, mount).as_deref())
    }

    /// Sets the option of the file system whose mount has this mark, and leaves all others as they are.
    ///
    /// # Errors
    /// EINVAL for what is no value here; what the kernel gives; and what else has changed with it.
    pub(crate) fn write(
        &self,
        host: &Host,
        value: &str,
        marked: Option<&str>,
    ) -> std::io::Result<()> {
        let fd = self.mount.open_marked(host, marked)?;
        let invalid = || std::io::Error::from_raw_os_error(libc::EINVAL);
        let before = self.mount.mount(host).ok_or_else(invalid)?;
        // An option that the file system does not have might be taken and ignored.
        let now = self.value(host, &before).ok_or_else(invalid)?;
        let word = self
            .option
            .word(&before.fstype, value)
            .ok_or_else(invalid)?;
        if now == value {
            return Ok(());
        }
        let words = said_again(&before).into_iter().chain([word.as_str()]);
        reconfigure(fd.as_fd(), words)?;
        let after = self.mount.mount(host).ok_or_else(invalid)?;
        match self.others(&before) == self.others(&after) {
            true => Ok(()),
            false => Err(std::io::Error::other(format!(
                "other options changed with it: they were {}, and are {}",
                before.super_options.join(","),
                after.super_options.join(",")
            ))),
        }
    }

    /// All options but this one, and the flags of the mount among them.
    fn others<'a>(&self, mount: &'a Mount) -> Vec<&'a str> {
        let options = mount.options.iter().map(String::as_str);
        let mut others: Vec<&str> = options
            .filter(|word| !self.option.is_told_by(word))
            .collect();
        others.sort_unstable();
        others
    }
}

/// The file in which ext4 says all of its options, those that it has by default too (Linux 3.4 and newer).
fn ext4_options(host: &Host, mount: &Mount) -> Option<String> {
    if !["ext3", "ext4"].contains(&mount.fstype.as_str()) {
        return None;
    }
    let name = host.block_name(&mount.devno.to_string())?;
    host.text(&format!("/proc/fs/ext4/{name}/options"))
}

/// Gives these words to the file system, and nothing else.
fn reconfigure<'a>(
    mount: BorrowedFd<'_>,
    words: impl Iterator<Item = &'a str>,
) -> std::io::Result<()> {
    let flags = FsPickFlags::FSPICK_CLOEXEC | FsPickFlags::FSPICK_EMPTY_PATH;
    let picked = fspick(mount, "", flags)?;
    for word in words {
        match word.split_once('=') {
            Some((name, value)) => fsconfig_set_string(&picked, name, value)?,
            None => fsconfig_set_flag(&picked, word)?,
        }
    }
    Ok(fsconfig_reconfigure(&picked)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    fn host() -> Host {
        let table = "66 1 7:1 / /srv rw,noatime - ext4 /dev/loop1 rw,lazytime\n\
            67 1 0:40 / /b rw - btrfs /dev/loop2 rw,commit=60,subvol=/\n";
        Host::from_archive(
            Archive::parse(&format!(
                "iodyno-host 1\npath: /proc/self/mountinfo\nlines: 2\n{table}path: /sys/dev/block/7:1\n\
                 link: ../../devices/virtual/block/loop1\npath: /sys/devices/virtual/block/loop1\ndirectory\n\
                 path: /proc/fs/ext4/loop1/options\nlines: 3\ncommit=5\nnodiscard\ndata=ordered\n"
            ))
            .unwrap(),
        )
    }

    #[test]
    fn a_file_system_is_read_by_its_mount() {
        let read = |place: &str| host().attribute(place);
        let value = |text: &str| Attribute::Value(text.into());
        assert_eq!(read("fs:commit:7:1:/srv"), value("5"));
        assert_eq!(read("fs:discard:7:1:/srv"), value("off"));
        assert_eq!(read("fs:lazytime:7:1:/srv"), value("on"));
        assert_eq!(read("fs:commit:0:40:/b"), value("60"));
        for absent in [
            "fs:commit:7:9:/srv",
            "fs:commit:7:1:/",
            "fs:max_batch_time:0:40:/b",
        ] {
            assert_eq!(read(absent), Attribute::Absent, "{absent}");
        }
        for never in ["fs:barrier:7:1:/srv", "fs:ro:7:1:/srv", "fs:data:7:1:/srv"] {
            assert!(SuperPlace::of(never).is_none(), "{never}");
        }
    }

    #[test]
    fn nothing_is_written_to_what_is_no_mount_of_the_device() {
        let place = SuperPlace::of("fs:commit:4095:7:/").unwrap();
        let error = place.write(&Host::live(), "9", None).unwrap_err();
        assert!(error.to_string().contains("4095:7"), "{error}");
    }
}
