//! Loop devices: set up over a file that is held open, found by the file that they stand over, and taken away.

pub use crate::loop_image::{ImageNow, ImagePlace};
pub use crate::loop_removal::{LoopState, state};
pub use crate::mount_point::{MountPoint, PlannedPoint};

use crate::files::{self, DataFile, Identity};
use crate::loop_ioctl::{self, LoopSetup};
use crate::{Error, Host, Result, clock};
use kernel::devno::Devno;
use rustix::fs::{FileType, Mode, OFlags};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const CONTROL: &str = "/dev/loop-control";

/// Others may take the device that the kernel has just named as free; so often it is asked again.
const TRIES: u32 = 64;

/// A device goes with the last that has it open, as udev has every new one for a moment: so long that is waited for, ms.
const PATIENCE_MS: u64 = 5_000;
const PAUSE_MS: u64 = 10;

/// Sets a free loop device up over the whole of a file, for reading and writing. Gives its kernel name, `loop7`. Where the
/// file does not allow direct I/O, the device does without: its `loop/dio` says so.
///
/// # Errors
/// Where the kernel has no loop devices, for want of rights, and where the kernel does not take the file or the sector.
pub fn attach(file: &DataFile, sector_bytes: u32, is_direct: bool) -> Result<String> {
    let control = open(CONTROL).map_err(|error| match error.errno() {
        Some(libc::ENOENT) => Error::io(
            "open",
            CONTROL,
            std::io::Error::other(
                "this kernel has no loop devices here; load them with: modprobe loop",
            ),
        ),
        _ => error,
    })?;
    let setup = LoopSetup {
        file: file.as_fd(),
        name: file.path().as_os_str().as_bytes(),
        sector_bytes,
        is_direct,
    };
    for _ in 0..TRIES {
        let number = loop_ioctl::free_loop(control.as_fd());
        let number =
            number.map_err(|error| Error::io("find a free loop device in", CONTROL, error))?;
        let name = format!("loop{number}");
        let device = node(&name)?;
        match loop_ioctl::set_up_loop(device.as_fd(), setup) {
            Ok(()) => return Ok(name),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {}
            Err(error) => return Err(Error::io("set up", format!("/dev/{name}"), error)),
        }
    }
    let why = "others took every loop device that was free";
    Err(Error::io("set up", CONTROL, std::io::Error::other(why)))
}

/// The loop devices that stand over a file.
pub fn over(host: &Host, file: &Identity) -> Vec<String> {
    let is_over = |name: &String| {
        let backing = files::loop_backing(&Path::new("/dev").join(name));
        backing
            .is_some_and(|backing| (&backing.device, backing.inode) == (&file.device, file.inode))
    };
    all(host).into_iter().filter(is_over).collect()
}

/// The loop devices that stand over any file.
pub fn all(host: &Host) -> Vec<String> {
    let names = host.list("/sys/class/block").into_iter();
    names
        .filter(|name| host.exists(&format!("/sys/class/block/{name}/loop/backing_file")))
        .collect()
}

/// Takes the file away from a loop device that stands over it, and waits until it is gone.
///
/// # Errors
/// While a program keeps the device open.
pub(crate) fn detach(name: &str, file: &Identity) -> Result<()> {
    let path = format!("/dev/{name}");
    let is_over = || {
        let backing = files::loop_backing(Path::new(&path));
        backing
            .is_some_and(|backing| (&backing.device, backing.inode) == (&file.device, file.inode))
    };
    let device = node(name)?;
    if is_over() {
        loop_ioctl::clear_loop(device.as_fd())
            .map_err(|error| Error::io("detach", &path, error))?;
    }
    drop(device);
    let end_ns = clock::outer::monotonic_ns() + PATIENCE_MS * 1_000_000;
    while is_over() {
        if clock::outer::monotonic_ns() > end_ns {
            let why =
                "a program has it open, or it is mounted elsewhere; it goes with the last of those";
            return Err(Error::io("detach", &path, std::io::Error::other(why)));
        }
        clock::outer::sleep_ms(PAUSE_MS);
    }
    Ok(())
}

/// The node of a loop device, opened where it is of the very device that sysfs names.
fn node(name: &str) -> Result<OwnedFd> {
    let path = format!("/dev/{name}");
    let fd = open(&path)?;
    let stat = rustix::fs::fstat(&fd).map_err(|error| Error::io("look at", &path, error))?;
    let number = Host::live().text(&format!("/sys/class/block/{name}/dev"));
    let number = number.and_then(|text| Devno::parse(&text));
    let is_block = FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
    match is_block && number.map(Devno::encoded) == Some(stat.st_rdev) {
        true => Ok(fd),
        false => Err(Error::refused("open", &path, "it is not that loop device")),
    }
}

fn open(path: &str) -> Result<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map_err(|error| Error::io("open", path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Access;

    #[test]
    fn a_device_is_found_by_its_file_and_goes_when_it_is_told_to() {
        if !crate::rights::is_root() {
            skip::missing("root", "only root can attach loop devices");
            return;
        }
        let dir = crate::files::temporary_dir("attach").unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let access = Access {
            write: true,
            ..Access::default()
        };
        let file = DataFile::open(&path, access).unwrap();
        let host = Host::live();
        let name = match attach(&file, 4096, false) {
            Ok(name) => name,
            Err(error) => {
                skip::missing("loop", error.to_string());
                return;
            }
        };
        let identity = files::identity(&path).unwrap();
        assert_eq!(over(&host, &identity), std::slice::from_ref(&name));
        assert!(all(&host).contains(&name));
        let attribute =
            |attribute: &str| host.text(&format!("/sys/class/block/{name}/{attribute}"));
        assert_eq!(
            attribute("queue/logical_block_size").as_deref(),
            Some("4096")
        );
        assert_eq!(attribute("size").as_deref(), Some("2048"));
        // A second over the same file is none of the first's.
        let second = attach(&file, 512, false).unwrap();
        assert_eq!(over(&host, &identity).len(), 2);
        detach(&second, &identity).unwrap();
        detach(&name, &identity).unwrap();
        detach(&name, &identity).unwrap();
        assert_eq!(over(&host, &identity), Vec::<String>::new());
        assert!(node("null").is_err());
    }
}
