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
        let folder = instances.join(name(MADE.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir(&folder).map_err(|error| Error::io("create", &folder, error))?;
        Ok(TraceInstance { folder, _mount: mount })
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

/// The name of this process's instance of that number: `iodyno-PID-START-NUMBER`. The start tells a process from a
/// later one with its number. In namespaces the same numbers mean others: that name is one that nobody takes for his.
fn name(number: u32) -> String {
    let pid = std::process::id();
    match (in_first_namespaces(), start_ticks("self")) {
        (true, Some(start)) => format!("{PREFIX}{pid}-{start}-{number}"),
        (_, start) => format!("{PREFIX}ns-{pid}-{}-{number}", start.unwrap_or(0)),
    }
}

/// Instances of a process that is gone: nobody else would ever remove them. Only who sees all processes can tell.
fn remove_orphans(instances: &Path) {
    if !in_first_namespaces() {
        return;
    }
    for entry in std::fs::read_dir(instances).into_iter().flatten().flatten() {
        if is_orphan(&entry.file_name().to_string_lossy(), start_of) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// What is known of the process with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Process {
    Gone,
    /// It is there; its start in ticks since boot, if that can be read.
    There(Option<u64>),
}

/// Whether the process that made an instance of this name is gone, by what `of` knows of its number.
fn is_orphan(name: &str, of: impl Fn(u32) -> Process) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let Ok(parts) = rest.split('-').map(str::parse::<u64>).collect::<std::result::Result<Vec<_>, _>>() else {
        return false;
    };
    // Releases before the start was part of the name made those of two parts.
    let (pid, start) = match parts[..] {
        [pid, _] => (pid, None),
        [pid, start, _] => (pid, Some(start)),
        _ => return false,
    };
    let Ok(pid) = u32::try_from(pid) else { return false };
    match (of(pid), start) {
        (Process::Gone, _) => true,
        (Process::There(Some(its)), Some(start)) => its != start,
        (Process::There(_), _) => false,
    }
}

fn start_of(pid: u32) -> Process {
    match Path::new(&format!("/proc/{pid}")).try_exists() {
        Ok(false) => Process::Gone,
        _ => Process::There(start_ticks(&pid.to_string())),
    }
}

/// When a process began, in ticks since boot: the 22nd field of its `stat`.
fn start_ticks(process: &str) -> Option<u64> {
    start_in(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// The second field, the command in parentheses, may have spaces and parentheses of its own.
fn start_in(stat: &str) -> Option<u64> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// Whether this process sees all processes, and their starts without an offset: the kernel has fixed numbers for the
/// namespaces it booted with (include/linux/proc_ns.h). Kernels before 5.6 have none of time.
fn in_first_namespaces() -> bool {
    let link = |kind: &str| std::fs::read_link(format!("/proc/self/ns/{kind}"));
    let is = |kind: &str, wanted: &str| link(kind).is_ok_and(|found| found.as_os_str() == wanted);
    let no_time = link("time").is_err_and(|error| error.kind() == ErrorKind::NotFound);
    is("pid", "pid:[4026531836]") && (no_time || is("time", "time:[4026531834]"))
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
        assert!(!is_orphan(&name(0), start_of), "{}", name(0));
        assert_eq!(start_of(std::process::id()), Process::There(start_ticks("self")));
        assert!(start_ticks("self").is_some());
    }

    #[test]
    fn the_start_is_found_behind_any_command() {
        let fields: Vec<String> = (4..=52).map(|field: u32| field.to_string()).collect();
        let stat = format!("12 (a) S (b) R {}\n", fields.join(" "));
        assert_eq!(start_in(&stat), Some(22));
        assert_eq!(start_in("12 (a) R 1 2"), None);
        assert_eq!(start_in(""), None);
    }

    #[test]
    fn an_instance_is_gone_after_its_buffers_and_itself() {
        let (watch, instance) = match (TraceInstance::create(), TraceInstance::create()) {
            (Ok(watch), Ok(instance)) => (watch, instance),
            (Err(error), _) | (_, Err(error)) => return println!("skipped: {error}"),
        };
        let file = format!("../{}/tracing_on", instance.folder().file_name().unwrap().to_string_lossy());
        let buffers = instance.buffers().unwrap();
        assert!(!buffers.is_empty() && watch.read(&file).is_ok());
        drop(buffers);
        drop(instance);
        assert!(watch.read(&file).is_err(), "{file} is still there");
    }
}
