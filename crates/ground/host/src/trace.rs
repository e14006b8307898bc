//! The kernel's tracing without programs: an instance of tracefs with buffers of its own, gone when dropped.
//!
//! Other users of tracing are not disturbed and do not disturb: an instance has its own events, filters and clock.
//! tracefs need not be mounted: since Linux 5.2 it is reached through a mount that only this process has.

use crate::kernel_mount::KernelMount;
use crate::life::{self, Process};
use crate::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
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
    _root: KernelMount,
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
        let root = mount()?;
        let instances = root.path().join("instances");
        remove_orphans(&instances);
        let folder = instances.join(name(MADE.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir(&folder).map_err(|error| Error::io("create", &folder, error))?;
        Ok(TraceInstance {
            folder,
            _root: root,
        })
    }

    /// Where it is, as this process reaches it while it lasts.
    pub fn folder(&self) -> &Path {
        &self.folder
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
        let entries =
            std::fs::read_dir(&folder).map_err(|error| Error::io("read", &folder, error))?;
        let open = |path: PathBuf| {
            let path = path.join("trace_pipe_raw");
            let file = OpenOptions::new()
                .read(true)
                .custom_flags(libc::O_NONBLOCK)
                .open(&path);
            Ok(TraceBuffer {
                file: file.map_err(|error| Error::io("open", &path, error))?,
                path,
            })
        };
        entries.flatten().map(|entry| open(entry.path())).collect()
    }

    /// Events that were overwritten before anybody read them.
    pub fn overrun(&self) -> u64 {
        let cpus = std::fs::read_dir(self.folder.join("per_cpu"))
            .into_iter()
            .flatten()
            .flatten();
        let of_cpu = |path: PathBuf| {
            let text = std::fs::read_to_string(path.join("stats")).ok()?;
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("overrun:"))?;
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

/// tracefs, wherever it can be had.
fn mount() -> Result<KernelMount> {
    KernelMount::get(
        "tracefs",
        &["/sys/kernel/tracing", "/sys/kernel/debug/tracing"],
        "events",
    )
}

/// The kernel's descriptions of its trace events, to read.
#[derive(Debug)]
pub struct TraceEvents {
    root: KernelMount,
}

impl TraceEvents {
    /// Finds them.
    ///
    /// # Errors
    /// Without root, under a lockdown that forbids tracing, and where the kernel has no tracefs.
    pub fn open() -> Result<TraceEvents> {
        Ok(TraceEvents { root: mount()? })
    }

    /// The description of an event of a part of the kernel: `block/block_bio_queue`.
    pub fn format(&self, event: &str) -> Result<String> {
        let path = self.root.path().join(format!("events/{event}/format"));
        std::fs::read_to_string(&path).map_err(|error| Error::io("read", &path, error))
    }
}

/// The name of this process's instance of that number: `iodyno-PID-START-NUMBER`. The start time tells a process from a
/// later one with the same pid. A pid namespace reuses pids of the host, so a process in one gets a name that no process
/// outside takes for its own.
fn name(number: u32) -> String {
    let pid = std::process::id();
    match (life::in_first_namespaces(), life::start_ticks("self")) {
        (true, Some(start)) => format!("{PREFIX}{pid}-{start}-{number}"),
        (_, start) => format!("{PREFIX}ns-{pid}-{}-{number}", start.unwrap_or(0)),
    }
}

/// Instances of a process that is gone: nobody else would ever remove them. Only who sees all processes can tell.
fn remove_orphans(instances: &Path) {
    if !life::in_first_namespaces() {
        return;
    }
    for entry in std::fs::read_dir(instances).into_iter().flatten().flatten() {
        if is_orphan(&entry.file_name().to_string_lossy(), life::process) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// Whether the process that made an instance of this name is gone, by what `of` knows of its number.
fn is_orphan(name: &str, of: impl Fn(u32) -> Process) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else {
        return false;
    };
    let Ok(parts) = rest
        .split('-')
        .map(str::parse::<u64>)
        .collect::<std::result::Result<Vec<_>, _>>()
    else {
        return false;
    };
    // Releases before the start was part of the name made those of two parts.
    let (pid, start) = match parts[..] {
        [pid, _] => (pid, None),
        [pid, start, _] => (pid, Some(start)),
        _ => return false,
    };
    let Ok(pid) = u32::try_from(pid) else {
        return false;
    };
    match (of(pid), start) {
        (Process::Gone, _) => true,
        (Process::There(Some(its)), Some(start)) => its != start,
        (Process::There(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_instances_of_processes_that_are_gone_are_orphans() {
        let of = |pid| match pid {
            7 => Process::There(Some(500)),
            8 => Process::There(None),
            _ => Process::Gone,
        };
        let orphans = ["iodyno-9-500-0", "iodyno-7-499-0", "iodyno-9-3"];
        let kept = [
            "iodyno-7-500-3",
            "iodyno-7-3",
            "iodyno-8-500-0",
            "iodyno-ns-9-500-0",
            "iodyno-9",
            "iodyno-9-x-0",
            "iodyno-4294967303-1-0",
            "perf-9-500-0",
        ];
        assert_eq!(orphans.map(|name| is_orphan(name, of)), [true; 3]);
        assert_eq!(kept.map(|name| is_orphan(name, of)), [false; 8]);
    }

    #[test]
    fn this_process_is_no_orphan_of_its_own() {
        assert!(!is_orphan(&name(0), life::process), "{}", name(0));
    }

    #[test]
    fn an_instance_is_gone_after_its_buffers_and_itself() {
        let (watch, instance) = match (TraceInstance::create(), TraceInstance::create()) {
            (Ok(watch), Ok(instance)) => (watch, instance),
            (Err(error), _) | (_, Err(error)) => {
                let is_root = crate::rights::is_root();
                return skip::missing(if is_root { "kernel:tracefs" } else { "root" }, error);
            }
        };
        let file = format!(
            "../{}/tracing_on",
            instance.folder().file_name().unwrap().to_string_lossy()
        );
        let buffers = instance.buffers().unwrap();
        assert!(!buffers.is_empty() && watch.read(&file).is_ok());
        drop(buffers);
        drop(instance);
        assert!(watch.read(&file).is_err(), "{file} is still there");
    }
}
