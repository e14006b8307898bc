//! Opening a file that somebody names or sends: only what ends, and what opening does not change.

use crate::{Error, Result};
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// `f_type` of file systems that are no disk's but the kernel speaking (statfs(2), include/uapi/linux/magic.h). Reading
/// a file of theirs may block, never end, or do something.
const KERNEL_FILE_SYSTEMS: [u32; 14] = [
    0x9fa0,      // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0xf97c_ff8c, // selinuxfs
    0x6265_6570, // configfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0xcafe_4a11, // bpf
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0x4249_4e4d, // binfmt_misc
    0x0bad_1dea, // futex, anonymous
];

/// `f_type` of pipes that have no name: what a shell makes for `<(…)`. They have a writer, so they end.
const PIPES: u32 = 0x5049_5045;

/// Opens a file to read it once from its start. Opening never waits, and nothing but a regular file on a real file system
/// or a nameless pipe is taken.
///
/// # Errors
/// When it cannot be opened, or is something else; the message says what to do.
pub fn open(path: &Path) -> Result<File> {
    let failed = |error: rustix::io::Errno| Error::io("open", path, error);
    // Opening a device can do something to it: what it is is asked of a descriptor that cannot read.
    let found =
        rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(failed)?;
    let kind = FileType::from_raw_mode(rustix::fs::fstat(&found).map_err(failed)?.st_mode);
    if let Some(why) = objection(kind) {
        return refused(path, why);
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let again = format!("/proc/self/fd/{}", found.as_raw_fd());
    let fd = rustix::fs::open(again, flags, Mode::empty()).map_err(failed)?;
    let system = rustix::fs::fstatfs(&fd).map_err(failed)?.f_type as u32;
    match kind {
        FileType::Fifo if system != PIPES => refused(path, NAMED_PIPE),
        _ if KERNEL_FILE_SYSTEMS.contains(&system) => refused(
            path,
            "it is on a file system of the kernel's; copy it to a file first",
        ),
        _ => blocking(fd).map_err(failed),
    }
}

const NAMED_PIPE: &str =
    "it is a pipe with a name, which may never end; read it with: cat PIPE | iodyno import -";

/// Whether a directory is on a disk's file system, and not on one of the kernel's own.
pub fn is_on_kernel_file_system(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|stat| KERNEL_FILE_SYSTEMS.contains(&(stat.f_type as u32)))
}

fn objection(kind: FileType) -> Option<&'static str> {
    match kind {
        FileType::RegularFile | FileType::Fifo => None,
        FileType::Directory => Some("it is a directory"),
        FileType::CharacterDevice | FileType::BlockDevice => Some("it is a device, not a file"),
        FileType::Socket => Some("it is a socket, not a file"),
        _ => Some("it is no regular file"),
    }
}

/// Reads of a pipe wait for its writer.
fn blocking(fd: OwnedFd) -> rustix::io::Result<File> {
    let flags = rustix::fs::fcntl_getfl(&fd)?;
    rustix::fs::fcntl_setfl(&fd, flags - OFlags::NONBLOCK)?;
    Ok(File::from(fd))
}

fn refused(path: &Path, why: &str) -> Result<File> {
    Err(Error::io("read", path, std::io::Error::other(why)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::temporary_dir;
    use std::io::Read;

    #[test]
    fn only_what_ends_is_opened() {
        let dir = temporary_dir("foreign").unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "text").unwrap();
        let mut text = String::new();
        open(&file).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
        let fifo = dir.path().join("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(
            open(&fifo)
                .unwrap_err()
                .to_string()
                .contains("iodyno import -")
        );
        for (path, why) in [
            ("/dev/zero", "a device"),
            ("/proc/self/status", "file system of the kernel's"),
            ("/sys/kernel/uevent_seqnum", "file system of the kernel's"),
            ("/proc", "a directory"),
            ("/nonexistent", "No such file"),
        ] {
            let error = open(Path::new(path)).unwrap_err().to_string();
            assert!(error.contains(why), "{path}: {error}");
        }
        assert!(
            is_on_kernel_file_system(Path::new("/proc")) && !is_on_kernel_file_system(dir.path())
        );
    }

    #[test]
    fn a_nameless_pipe_is_read_to_its_end() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"results").unwrap();
        drop(writer);
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&reader));
        let mut text = String::new();
        open(Path::new(&path))
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "results");
    }
}
