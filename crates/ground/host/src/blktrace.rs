//! The kernel's blktrace: a trace of one disk, set up by ioctl and read from files of debugfs. There since Linux 2.6.17.
//!
//! A disk has one trace at a time, whoever set it up, and it goes on after that process is gone. So that our own can be
//! told from others', it is marked: its last sector, which no disk reaches, is made of the process's number and start.
#![allow(unsafe_code, reason = "ioctl has no typed form for these requests")]

use crate::kernel_mount::KernelMount;
use crate::life::{self, Process};
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Numbers from include/uapi/linux/fs.h, the same on every architecture that iodyno builds for.
const SETUP: libc::Ioctl = 0xC048_1273_u32 as libc::Ioctl;
const START: libc::Ioctl = 0x1274;
const STOP: libc::Ioctl = 0x1275;
const TEARDOWN: libc::Ioctl = 0x1276;
/// Half a MiB for each CPU: some 10,000 events.
const BUFFER_BYTES: u32 = 128 << 10;
const BUFFERS: u32 = 4;
/// Everything but messages (BLK_TC_NOTIFY).
const ACTIONS: u16 = !0x400;
/// The upper byte of the mark, and the bit that says that its numbers are of another namespace.
const MARK: u64 = 0x69 << 56;
const MARK_MASK: u64 = 0xff << 56;
const MARK_FOREIGN: u64 = 1 << 55;
const PID_SHIFT: u32 = 32;
const PID_MASK: u64 = (1 << 22) - 1;
const START_MASK: u64 = u32::MAX as u64;

/// `struct blk_user_trace_setup` of include/uapi/linux/blktrace_api.h.
#[repr(C)]
struct Setup {
    /// Filled in by the kernel: the folder of debugfs that has the files.
    name: [u8; 32],
    actions: u16,
    buffer_bytes: u32,
    buffers: u32,
    first_sector: u64,
    last_sector: u64,
    pid: u32,
}

/// A trace of a disk, gone when dropped.
#[derive(Debug)]
pub struct BlkTrace {
    /// One a CPU; closed before the trace is taken down.
    streams: Vec<File>,
    folder: PathBuf,
    /// Declared before the mount it is reached through.
    device: TracedDevice,
    _root: KernelMount,
}

/// The opened disk, with a trace.
#[derive(Debug)]
struct TracedDevice(File);

impl BlkTrace {
    /// Sets up a trace of a whole disk, which is off for now; one that a killed iodyno left behind is taken down first.
    ///
    /// # Errors
    /// Without root, where the kernel was built without CONFIG_BLK_DEV_IO_TRACE, where debugfs cannot be had or may not be
    /// read (lockdown), and while somebody else traces the disk.
    pub fn set_up(disk: &str) -> Result<BlkTrace> {
        let root = KernelMount::get("debugfs", &["/sys/kernel/debug"], "block")?;
        let path = PathBuf::from(format!("/dev/{}", disk.replace('!', "/")));
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path);
        let file = file.map_err(|error| Error::io("open", &path, error))?;
        let name = match set_up(&file) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) && is_left_behind(disk) => {
                let _ = control(&file, STOP);
                control(&file, TEARDOWN).and_then(|()| set_up(&file))
            }
            name => name,
        };
        let name = name.map_err(|error| Error::io("trace", &path, told(error)))?;
        let device = TracedDevice(file);
        // The mount has no name that anybody knows; this is where debugfs is looked for.
        let shown = PathBuf::from("/sys/kernel/debug/block").join(&name);
        let folder = root.path().join("block").join(name);
        let streams = streams(&folder, &shown)?;
        Ok(BlkTrace {
            streams,
            folder,
            device,
            _root: root,
        })
    }

    /// Begins.
    pub fn start(&self) -> Result<()> {
        control(&self.device.0, START).map_err(|error| Error::io("start", "a blktrace", error))
    }

    /// What one CPU writes each.
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// Reads what a CPU wrote; 0 bytes where there is nothing. Whole records, as long as the buffer is not filled.
    pub fn read(&mut self, stream: usize, buffer: &mut [u8]) -> Result<usize> {
        match self.streams[stream].read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            read => read.map_err(|error| Error::io("read", &self.folder, error)),
        }
    }

    /// Events for which there was no room.
    pub fn dropped(&self) -> u64 {
        let text = std::fs::read_to_string(self.folder.join("dropped")).unwrap_or_default();
        text.trim().parse().unwrap_or(0)
    }
}

impl Drop for TracedDevice {
    fn drop(&mut self) {
        let _ = control(&self.0, STOP);
        let _ = control(&self.0, TEARDOWN);
    }
}

/// The name of the folder that has the files.
fn set_up(device: &File) -> std::io::Result<String> {
    let mut setup = Setup {
        name: [0; 32],
        actions: ACTIONS,
        buffer_bytes: BUFFER_BYTES,
        buffers: BUFFERS,
        first_sector: 0,
        last_sector: own_mark(),
        pid: 0,
    };
    // SAFETY: BLKTRACESETUP reads and writes one struct blk_user_trace_setup, whose layout `Setup` has, during the call.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), SETUP, &mut setup) };
    if result < 0 {
        return Err(std::io::Error::last_os_error());
    }
    let length = setup
        .name
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(setup.name.len());
    Ok(String::from_utf8_lossy(&setup.name[..length]).into_owned())
}

fn control(device: &File, request: libc::Ioctl) -> std::io::Result<()> {
    // SAFETY: these requests take no argument.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), request, 0) };
    if result < 0 {
        Err(std::io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// `trace0`, `trace1`, …
fn streams(folder: &Path, shown: &Path) -> Result<Vec<File>> {
    let entries = std::fs::read_dir(folder).map_err(|error| Error::io("read", shown, error))?;
    let is_stream = |name: &str| {
        let digits = name.strip_prefix("trace").unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let paths = entries
        .flatten()
        .filter(|entry| is_stream(&entry.file_name().to_string_lossy()));
    let open = |path: PathBuf| {
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path);
        let shown = shown.join(path.file_name().unwrap_or_default());
        file.map_err(|error| Error::io("open", &shown, locked(error)))
    };
    let streams: Vec<File> = paths
        .map(|entry| open(entry.path()))
        .collect::<Result<_>>()?;
    match streams.is_empty() {
        true => Err(Error::io(
            "find the files of a trace in",
            shown,
            std::io::Error::from(ErrorKind::NotFound),
        )),
        false => Ok(streams),
    }
}

/// What an error of setting a trace up means.
fn told(error: std::io::Error) -> std::io::Error {
    match error.raw_os_error() {
        Some(libc::EBUSY) => std::io::Error::other(
            "another blktrace, or the blk tracer of ftrace, traces it already; a disk has one trace at a time",
        ),
        Some(libc::ENOTTY) => {
            std::io::Error::other("this kernel was built without CONFIG_BLK_DEV_IO_TRACE (ENOTTY)")
        }
        _ => error,
    }
}

fn locked(error: std::io::Error) -> std::io::Error {
    match error.raw_os_error() {
        Some(libc::EPERM) => {
            std::io::Error::other("a locked down kernel refuses the files of debugfs (EPERM)")
        }
        _ => error,
    }
}

fn own_mark() -> u64 {
    let foreign = if life::in_first_namespaces() {
        0
    } else {
        MARK_FOREIGN
    };
    let start = life::start_ticks("self").unwrap_or(0) & START_MASK;
    MARK | foreign | (u64::from(std::process::id()) & PID_MASK) << PID_SHIFT | start
}

/// Whether the trace of a disk is of an iodyno that is gone. Only who sees all processes can tell.
fn is_left_behind(disk: &str) -> bool {
    let text =
        std::fs::read_to_string(format!("/sys/block/{disk}/trace/end_lba")).unwrap_or_default();
    let mark = text.trim().parse().unwrap_or(0);
    life::in_first_namespaces() && is_orphan(mark, life::process)
}

/// Whether the process that left this mark is gone, by what `of` knows of its number.
fn is_orphan(mark: u64, of: impl Fn(u32) -> Process) -> bool {
    if mark & MARK_MASK != MARK || mark & MARK_FOREIGN != 0 {
        return false;
    }
    let pid = (mark >> PID_SHIFT & PID_MASK) as u32;
    match of(pid) {
        Process::Gone => true,
        Process::There(start) => start.is_some_and(|start| start & START_MASK != mark & START_MASK),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_the_kernels() {
        assert_eq!(size_of::<Setup>(), 72);
        assert_eq!(
            (SETUP >> 16) & 0x3fff,
            72,
            "the size is part of the request"
        );
    }

    #[test]
    fn a_trace_is_an_orphan_only_with_a_mark_of_a_process_that_is_gone() {
        let mark = |pid: u64, start: u64| MARK | pid << PID_SHIFT | start;
        let of = |pid| match pid {
            7 => Process::There(Some((1 << 32) + 500)),
            8 => Process::There(None),
            _ => Process::Gone,
        };
        let orphans = [mark(9, 500), mark(7, 499)];
        let kept = [
            mark(7, 500),
            mark(8, 1),
            mark(9, 500) | MARK_FOREIGN,
            u64::MAX,
            0,
            500,
        ];
        assert_eq!(orphans.map(|mark| is_orphan(mark, of)), [true; 2]);
        assert_eq!(kept.map(|mark| is_orphan(mark, of)), [false; 6]);
        assert!(!is_orphan(own_mark(), life::process));
    }
}
