//! The kernel's tracing without programs: an instance of tracefs with buffers of its own, gone when dropped.
//!
//! Other users of tracing are not disturbed and do not disturb: an instance has its own events, filters and clock.
//! tracefs need not be mounted: since Linux 5.2 it is reached through a mount that only this process has.

use crate::{Error, Result};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Instances made by this process.
static MADE: AtomicU32 = AtomicU32::new(0);
const PREFIX: &str = "iodyno-";

/// Tracing of our own.
#[derive(Debug)]
pub struct TraceInstance {
    folder: PathBuf,
    /// Keeps the private mount.
    _mount: Option<OwnedFd>,
}

/// What one CPU wrote.
#[derive(Debug)]
pub struct TraceBuffer {
    file: File,
    path: PathBuf,
}

impl TraceInstance {
    /// Makes an instance, and removes those of processes that were killed.
    ///
    /// # Errors
    /// Without root, under a lockdown that forbids tracing, and where the kernel has no tracefs.
    pub fn create() -> Result<TraceInstance> {
        let (root, mount) = match mount() {
            Ok(mount) => (PathBuf::from(format!("/proc/self/fd/{}", mount.as_raw_fd())), Some(mount)),
            Err(error) => (mounted().ok_or_else(|| Error::io("mount", Path::new("tracefs"), error))?, None),
        };
        let instances = root.join("instances");
        remove_orphans(&instances);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let folder = instances.join(format!("{PREFIX}{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| Error::io("create", &folder, error))?;
        Ok(TraceInstance { folder, _mount: mount })
    }

    /// A file of the instance.
    pub fn read(&self, file: &str) -> Result<String> {
        let path = self.folder.join(file);
        std::fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))
    }

    /// Sets a file of the instance.
    pub fn write(&self, file: &str, text: &str) -> Result<()> {
        let path = self.folder.join(file);
        std::fs::write(&path, text).map_err(|error| Error::io("write", &path, error))
    }

    /// The buffers, one a CPU.
    pub fn buffers(&self) -> Result<Vec<TraceBuffer>> {
        let folder = self.folder.join("per_cpu");
        let entries = std::fs::read_dir(&folder).map_err(|error| Error::io("read", &folder, error))?;
        let open = |path: PathBuf| {
            let path = path.join("trace_pipe_raw");
            let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path);
            Ok(TraceBuffer { file: file.map_err(|error| Error::io("open", &path, error))?, path })
        };
        entries.flatten().map(|entry| open(entry.path())).collect()
    }

    /// Events that were overwritten before anybody read them.
    pub fn overrun(&self) -> u64 {
        let cpus = std::fs::read_dir(self.folder.join("per_cpu")).into_iter().flatten().flatten();
        let of_cpu = |path: PathBuf| {
            let text = std::fs::read_to_string(path.join("stats")).ok()?;
            let line = text.lines().find_map(|line| line.strip_prefix("overrun:"))?;
            line.trim().parse::<u64>().ok()
        };
        cpus.filter_map(|entry| of_cpu(entry.path())).sum()
    }
}

impl Drop for TraceInstance {
    fn drop(&mut self) {
        let _ = self.write("tracing_on", "0");
        let _ = self.write("events/enable", "0");
        let _ = std::fs::remove_dir(&self.folder);
    }
}

impl TraceBuffer {
    /// Reads one page; 0 bytes where there is nothing.
    pub fn read_page(&mut self, page: &mut [u8]) -> Result<usize> {
        match self.file.read(page) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(0),
            read => read.map_err(|error| Error::io("read", &self.path, error)),
        }
    }
}

/// tracefs on a mount that is in no namespace.
fn mount() -> std::io::Result<OwnedFd> {
    let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_create(context.as_fd())?;
    Ok(fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?)
}

/// Where it is mounted already.
fn mounted() -> Option<PathBuf> {
    let places = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
    places.into_iter().map(PathBuf::from).find(|place| place.join("instances").is_dir())
}

/// Instances of a process that is gone: nobody else would ever remove them.
fn remove_orphans(instances: &Path) {
    for entry in std::fs::read_dir(instances).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
        if pid.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}
