//! What the driver of loop devices is asked: include/uapi/linux/loop.h.
#![allow(unsafe_code, reason = "ioctl has no typed form for these requests")]

use std::os::fd::{AsRawFd, BorrowedFd};

const LOOP_SET_FD: libc::Ioctl = 0x4C00;
const LOOP_CLR_FD: libc::Ioctl = 0x4C01;
const LOOP_SET_STATUS64: libc::Ioctl = 0x4C04;
const LOOP_GET_STATUS64: libc::Ioctl = 0x4C05;
const LOOP_SET_DIRECT_IO: libc::Ioctl = 0x4C08;
const LOOP_SET_BLOCK_SIZE: libc::Ioctl = 0x4C09;
const LOOP_CONFIGURE: libc::Ioctl = 0x4C0A;
const LOOP_CTL_GET_FREE: libc::Ioctl = 0x4C82;

const LO_FLAGS_DIRECT_IO: u32 = 16;

/// Bytes of a file's name that the driver keeps, the last of them 0.
const NAME_BYTES: usize = 64;

/// `struct loop_info64`, 232 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
struct LoopInfo {
    device: u64,
    inode: u64,
    special: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; NAME_BYTES],
    crypt_name: [u8; NAME_BYTES],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

const EMPTY: LoopInfo = LoopInfo {
    device: 0,
    inode: 0,
    special: 0,
    offset: 0,
    size_limit: 0,
    number: 0,
    encrypt_type: 0,
    encrypt_key_size: 0,
    flags: 0,
    file_name: [0; NAME_BYTES],
    crypt_name: [0; NAME_BYTES],
    encrypt_key: [0; 32],
    init: [0; 2],
};

/// `struct loop_config`, 304 bytes.
#[repr(C)]
struct LoopConfig {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// How a loop device is to be set up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopSetup<'a> {
    /// The file below it.
    pub file: BorrowedFd<'a>,
    /// Its name, for `losetup` and other programs; cut where it is long.
    pub name: &'a [u8],
    /// Size of a logical sector, bytes.
    pub sector_bytes: u32,
    /// Whether it is to do direct I/O to its file. Where the file does not allow that, the driver does without.
    pub is_direct: bool,
}

/// What a loop device stands over: device and inode of the file, and the device that the file is, where it is one.
/// None where the descriptor is no loop device, or one over nothing.
pub(crate) fn loop_backing(fd: BorrowedFd<'_>) -> Option<(u64, u64, u64)> {
    let mut info = EMPTY;
    // SAFETY: LOOP_GET_STATUS64 writes one struct loop_info64, 232 bytes, which is the size of `info`.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), LOOP_GET_STATUS64, &mut info) };
    (result >= 0).then_some((info.device, info.inode, info.special))
}

/// Says whether a loop device does direct I/O to its file (Linux 4.4). EINVAL where the file cannot be used so.
pub(crate) fn set_loop_direct(fd: BorrowedFd<'_>, is_direct: bool) -> std::io::Result<()> {
    number(fd, LOOP_SET_DIRECT_IO, libc::c_ulong::from(is_direct)).map(drop)
}

/// The number of a loop device that stands over nothing, made where there was none. Asked of `/dev/loop-control`.
pub(crate) fn free_loop(control: BorrowedFd<'_>) -> std::io::Result<u32> {
    Ok(number(control, LOOP_CTL_GET_FREE, 0)? as u32)
}

/// Takes the file away from a loop device; while somebody has the device open, it goes with the last of those.
pub(crate) fn clear_loop(fd: BorrowedFd<'_>) -> std::io::Result<()> {
    number(fd, LOOP_CLR_FD, 0).map(drop)
}

/// Sets a loop device up. EBUSY where it stands over a file already.
pub(crate) fn set_up_loop(fd: BorrowedFd<'_>, setup: LoopSetup<'_>) -> std::io::Result<()> {
    let mut info = EMPTY;
    let kept = setup.name.len().min(NAME_BYTES - 1);
    info.file_name[..kept].copy_from_slice(&setup.name[..kept]);
    if setup.is_direct {
        info.flags = LO_FLAGS_DIRECT_IO;
    }
    let config = LoopConfig {
        fd: setup.file.as_raw_fd() as u32,
        block_size: setup.sector_bytes,
        info,
        reserved: [0; 8],
    };
    // SAFETY: LOOP_CONFIGURE reads one struct loop_config, 304 bytes, which is the size of `config`.
    let result = unsafe { libc::ioctl(fd.as_raw_fd(), LOOP_CONFIGURE, &config) };
    if result >= 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    match error.raw_os_error() {
        // Before Linux 5.8 the driver does not know the request: EINVAL of lo_ioctl, or ENOTTY.
        Some(libc::EINVAL | libc::ENOTTY) => set_up_in_steps(fd, setup, &info),
        _ => Err(error),
    }
}

/// The same by the requests of older kernels; taken back where a later one fails.
fn set_up_in_steps(
    fd: BorrowedFd<'_>,
    setup: LoopSetup<'_>,
    info: &LoopInfo,
) -> std::io::Result<()> {
    let file = setup.file.as_raw_fd() as libc::c_ulong;
    number(fd, LOOP_SET_FD, file)?;
    let finish = || {
        if setup.sector_bytes != 512 {
            number(fd, LOOP_SET_BLOCK_SIZE, setup.sector_bytes.into())?;
        }
        // The flag of direct I/O is none that this request takes.
        let plain = LoopInfo { flags: 0, ..*info };
        // SAFETY: LOOP_SET_STATUS64 reads one struct loop_info64, 232 bytes, which is the size of `plain`.
        let result = unsafe { libc::ioctl(fd.as_raw_fd(), LOOP_SET_STATUS64, &plain) };
        if result < 0 {
            return Err(std::io::Error::last_os_error());
        }
        if setup.is_direct {
            // What the file does not allow is no failure of setting the device up; who asks reads it back.
            let _ = set_loop_direct(fd, true);
        }
        Ok(())
    };
    finish().inspect_err(|_| {
        let _ = clear_loop(fd);
    })
}

/// A request that takes a number and no pointer.
fn number(fd: BorrowedFd<'_>, request: libc::Ioctl, value: libc::c_ulong) -> std::io::Result<i32> {
    // SAFETY: of the requests above those that are asked by this take a number and no pointer.
    match unsafe { libc::ioctl(fd.as_raw_fd(), request, value) } {
        result @ 0.. => Ok(result),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn the_structures_have_the_sizes_of_the_kernel() {
        assert_eq!(size_of::<LoopInfo>(), 232);
        assert_eq!(size_of::<LoopConfig>(), 304);
    }

    /// This kernel knows the one request, so that the steps of older ones are tried apart.
    #[test]
    fn the_steps_of_older_kernels_do_the_same() {
        if !crate::rights::is_root() {
            skip::missing("root", "only root can attach loop devices");
            return;
        }
        let dir = crate::files::temporary_dir("steps").unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        let open = |path: &str| {
            let mut options = std::fs::File::options();
            options.read(true).write(true).open(path)
        };
        let file = open(path.to_str().unwrap()).unwrap();
        let setup = LoopSetup {
            file: file.as_fd(),
            name: b"file",
            sector_bytes: 1024,
            is_direct: false,
        };
        let attempt = || {
            let number = free_loop(open("/dev/loop-control")?.as_fd())?;
            let device = open(&format!("/dev/loop{number}"))?;
            set_up_in_steps(device.as_fd(), setup, &EMPTY)?;
            let backing = loop_backing(device.as_fd());
            clear_loop(device.as_fd()).map(|()| backing)
        };
        // A test beside this one may have taken the device meanwhile.
        let is_busy = |done: &std::io::Result<_>| {
            let errno = done.as_ref().err().and_then(std::io::Error::raw_os_error);
            errno == Some(libc::EBUSY)
        };
        let mut tries = std::iter::repeat_with(attempt).take(64);
        let done = tries.find(|done| !is_busy(done)).unwrap();
        match done {
            Ok(backing) => {
                let inode = std::os::unix::fs::MetadataExt::ino(&file.metadata().unwrap());
                assert_eq!(backing.unwrap().1, inode);
            }
            Err(error) => skip::missing("loop", error.to_string()),
        }
    }

    #[test]
    fn what_is_no_loop_device_is_over_nothing() {
        let null = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(loop_backing(null.as_fd()), None);
        assert!(clear_loop(null.as_fd()).is_err());
    }
}
