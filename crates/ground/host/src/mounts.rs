//! What file system an open object lies in, as far as that decides what may be done with it.

use kernel::devno::Devno;
use kernel::mounts::{Mount, Mounts};
use rustix::fs::{AtFlags, Stat, StatxFlags};
use rustix::io::Errno;
use std::os::fd::{AsRawFd, BorrowedFd};

/// File systems whose files are the kernel's own attributes, with their magic numbers (include/uapi/linux/magic.h and
/// each file system's own source).
const OF_THE_KERNEL: [(u32, &str); 25] = [
    (PROC, "proc"),
    (0x6265_6572, "sysfs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x6265_6570, "configfs"),
    (0x7363_6673, "securityfs"),
    (0xcafe_4a11, "bpf"),
    (0x0000_1cd1, "devpts"),
    (0xde5e_81e4, "efivarfs"),
    (0x6165_676c, "pstore"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x4341_5d53, "smackfs"),
    (0x5a3c_69f0, "apparmorfs"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x6573_5543, "fusectl"),
    (0x0765_5821, "resctrl"),
    (0x1980_0202, "mqueue"),
    (0x6e73_6673, "nsfs"),
    (0x5049_4446, "pidfs"),
    (0x0904_1934, "anon_inodefs"),
    (0x6e66_7364, "nfsd"),
    (0x6759_6969, "rpc_pipefs"),
    (0xabba_1974, "xenfs"),
];
const PROC: u32 = 0x9fa0;
const FUSE: u32 = 0x6573_5546;
const TMPFS: u32 = 0x0102_1994;
const RAMFS: u32 = 0x8584_58f6;

/// Whether links here are those of /proc.
pub(crate) fn is_proc(fd: BorrowedFd<'_>) -> bool {
    magic(fd) == Some(PROC)
}

/// Whether the file system lives in memory.
pub(crate) fn is_memory(fd: BorrowedFd<'_>) -> bool {
    magic(fd).is_some_and(|magic| [TMPFS, RAMFS].contains(&magic))
}

/// The name of the file system where it holds no data of users but attributes of the kernel.
pub(crate) fn of_the_kernel(fd: BorrowedFd<'_>) -> Option<&'static str> {
    let magic = magic(fd)?;
    if [TMPFS, RAMFS].contains(&magic) {
        // devtmpfs is one of these two, and only the list of mounts tells them apart.
        let stat = rustix::fs::fstat(fd).ok()?;
        return (mount(&stat)?.fstype == "devtmpfs").then_some("devtmpfs");
    }
    OF_THE_KERNEL
        .iter()
        .find(|(one, _)| *one == magic)
        .map(|(_, name)| *name)
}

/// The user whose program answers for this file system, where it is FUSE.
pub(crate) fn fuse_owner(fd: BorrowedFd<'_>) -> Option<u32> {
    if magic(fd)? != FUSE {
        return None;
    }
    user_of(&mount(&rustix::fs::fstat(fd).ok()?)?)
}

fn magic(fd: BorrowedFd<'_>) -> Option<u32> {
    let stat = match rustix::fs::fstatfs(fd) {
        // Before Linux 3.12 a descriptor opened with O_PATH could not be asked.
        Err(Errno::BADF) => rustix::fs::statfs(format!("/proc/self/fd/{}", fd.as_raw_fd())),
        stat => stat,
    };
    stat.ok().map(|stat| stat.f_type as u32)
}

/// Number of the mount that it was opened in, where the kernel tells it (Linux 5.8).
pub(crate) fn number(fd: BorrowedFd<'_>) -> Option<u64> {
    let told = rustix::fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    (told.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(told.stx_mnt_id)
}

/// A mount of the file system that a file lies in; none where it is mounted in another namespace only.
fn mount(stat: &Stat) -> Option<Mount> {
    // A name that is no UTF-8 anywhere in the table must not hide all of it.
    let text = std::fs::read("/proc/self/mountinfo").ok()?;
    let devno = Devno {
        major: rustix::fs::major(stat.st_dev),
        minor: rustix::fs::minor(stat.st_dev),
    };
    Mounts::parse(&String::from_utf8_lossy(&text))
        .into_iter()
        .find(|mount| mount.devno == devno)
}

fn user_of(mount: &Mount) -> Option<u32> {
    mount
        .super_options
        .iter()
        .find_map(|option| option.strip_prefix("user_id=")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    fn named(path: &str) -> Option<&'static str> {
        let file = std::fs::File::open(path).unwrap();
        of_the_kernel(file.as_fd())
    }

    #[test]
    fn attributes_of_the_kernel_are_told_from_data() {
        assert_eq!(named("/proc/version"), Some("proc"));
        assert_eq!(named("/sys/kernel"), Some("sysfs"));
        assert_eq!(named(env!("CARGO_MANIFEST_DIR")), None);
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        if mounts
            .lines()
            .any(|line| line.contains(" /dev ") && line.contains(" - devtmpfs "))
        {
            assert_eq!(named("/dev"), Some("devtmpfs"));
        }
        if mounts
            .lines()
            .any(|line| line.contains(" /dev/shm ") && line.contains(" - tmpfs "))
        {
            assert_eq!(named("/dev/shm"), None, "memory is no attribute");
        }
    }

    #[test]
    fn the_user_of_a_fuse_mount_is_in_its_options() {
        let line = "60 30 0:52 / /home/u/mnt rw - fuse.sshfs u@h: rw,user_id=1000,group_id=1000,allow_other";
        assert_eq!(user_of(&Mount::parse(line).unwrap()), Some(1000));
        let other = "60 30 0:52 / /mnt rw - ext4 /dev/sda rw";
        assert_eq!(user_of(&Mount::parse(other).unwrap()), None);
    }
}
