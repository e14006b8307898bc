//! Direct I/O of a loop device as a setting: read from sysfs, where it cannot be written, and changed by an ioctl on the
//! device.
//!
//! Tried on Linux 6.18: the change waits for the requests under way, and a file system that is mounted from the device
//! stays as it is.

use crate::{Host, loop_ioctl};
use kernel::devno::Devno;
use model::subject::Subject;
use rustix::fs::{FileType, Mode, OFlags};
use std::os::fd::AsFd;

/// The setting that says whether a loop device does direct I/O to its file.
pub(crate) const DIO: &str = "dio";

/// A loop device whose setting a place names.
pub(crate) struct LoopPlace {
    device: String,
}

impl LoopPlace {
    /// Of a place; none where it is no loop device's.
    pub(crate) fn of(place: &str) -> Option<LoopPlace> {
        match Subject::of_path(place)? {
            (Subject::Loop { device }, DIO) => Some(LoopPlace { device }),
            _ => None,
        }
    }

    /// Asks the device for direct I/O or not. The node in /dev has to be of the very device that sysfs names.
    pub(crate) fn write(&self, host: &Host, value: &str) -> std::io::Result<()> {
        let is_direct = match value {
            "0" => false,
            "1" => true,
            _ => return Err(std::io::Error::from_raw_os_error(libc::EINVAL)),
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::open(format!("/dev/{}", self.device), flags, Mode::empty())?;
        let stat = rustix::fs::fstat(&fd)?;
        let is_block = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
        let number = host.text(&format!("/sys/block/{}/dev", self.device));
        let number = number.and_then(|text| Devno::parse(&text));
        match is_block && number.map(Devno::encoded) == Some(stat.st_rdev) {
            true => loop_ioctl::set_loop_direct(fd.as_fd(), is_direct),
            false => Err(std::io::Error::other(format!(
                "/dev/{} is not that device",
                self.device
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_setting_of_a_loop_device_is_set_so() {
        assert!(LoopPlace::of("/sys/block/loop0/loop/dio").is_some());
        for place in [
            "/sys/block/loop0/loop/offset",
            "/sys/block/loop0/queue/dio",
            "/sys/block/../loop/dio",
        ] {
            assert!(LoopPlace::of(place).is_none(), "{place}");
        }
    }

    #[test]
    fn what_is_no_value_and_what_is_no_device_is_refused() {
        let host = Host::live();
        let of = |device: &str| LoopPlace {
            device: device.into(),
        };
        let errno = of("loop0").write(&host, "2").unwrap_err().raw_os_error();
        assert_eq!(errno, Some(libc::EINVAL));
        let why = of("null").write(&host, "1").unwrap_err().to_string();
        assert!(why.contains("not that device"), "{why}");
    }
}
