//! Other processes that have a device or a file open, and whether all of them could be looked at.
//!
//! Without rights the descriptors of other users' processes cannot be listed, and with `hidepid` not even the processes.
//! That is no sign that nobody has it open, so it is told apart.

use super::device::GatedDevice;
use host::files::{self, Identity};
use host::{Host, process};
use kernel::process_stat::ProcessStat;
use model::text::shown;
use std::cell::Cell;
use std::path::Path;

/// The processes that /proc shows, by number.
pub fn processes(host: &Host) -> impl Iterator<Item = String> {
    host.list("/proc")
        .into_iter()
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What is known of the other processes.
#[derive(Debug, PartialEq, Eq)]
pub struct Openers {
    /// A clause for each that has it open.
    pub uses: Vec<String>,
    /// Which could not be looked at for lack of rights, a clause; none when all were.
    pub unseen: Option<String>,
}

/// Programs that have a device open, or one that shares bytes with it.
pub fn of(host: &Host, device: &GatedDevice) -> Openers {
    others(host, |_, open| {
        let open = open.iter().filter(|(_, file)| file.starts_with("/dev/"));
        let open: Vec<&str> = open.map(|(fd, file)| found_at(host, fd, file)).collect();
        let used = device
            .overlapping
            .iter()
            .find(|part| open.iter().any(|path| part.is_at(host, path)));
        used.map(|part| format!("has {} open", part.subject))
    })
}

/// The descriptor itself, which knows the device whatever it is called in the process's own /dev; its name where the
/// machine is a captured one.
fn found_at<'a>(host: &Host, fd: &'a str, file: &'a str) -> &'a str {
    if host.is_live() { fd } else { file }
}

/// Programs that have a file open for writing.
pub fn of_file(host: &Host, path: &Path, identity: &Identity) -> Openers {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    others(host, |_, open| {
        let is_it = |(fd, file): &(String, String)| {
            let info = host
                .text(&fd.replacen("/fd/", "/fdinfo/", 1))
                .unwrap_or_default();
            // Asking a file of a server that is gone would wait for ever, so only what can be the file is asked: by
            // its inode, which fdinfo shows since Linux 5.14, or by its name.
            let may_be = match field(&info, "ino:") {
                Some(inode) => inode == identity.inode.to_string(),
                None => file.rsplit('/').next() == Some(name.as_str()),
            };
            may_be
                && is_for_writing(&info)
                && files::identity(Path::new(fd)).as_ref() == Some(identity)
        };
        open.iter()
            .any(is_it)
            .then(|| "has it open for writing".to_string())
    })
}

/// Programs that keep a mount: that have something below its point open or mapped, work in it, or run from it.
pub fn of_mount(host: &Host, point: &str) -> Openers {
    let is_below = |path: &str| {
        let rest = path.strip_prefix(point);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    others(host, |process, open| {
        let linked = |name: &str| {
            let path = host.link(&format!("/proc/{process}/{name}"));
            path.filter(|path| is_below(path))
        };
        let named = |path: String, what: &str| format!("{what} {}", shown(Path::new(&path)));
        let opened = || {
            open.iter()
                .find(|(_, file)| is_below(file))
                .map(|(_, file)| file.clone())
        };
        let mapped = || {
            let names = host.list(&format!("/proc/{process}/map_files"));
            let mut names = names.iter();
            names.find_map(|name| linked(&format!("map_files/{name}")))
        };
        let works = linked("cwd").map(|path| named(path, "works in"));
        works
            .or_else(|| linked("root").map(|path| named(path, "has its root at")))
            .or_else(|| opened().map(|path| named(path, "has open:")))
            .or_else(|| linked("exe").map(|path| named(path, "runs")))
            .or_else(|| mapped().map(|path| named(path, "has mapped:")))
    })
}

/// A clause for each other process of whose open files `look` says something.
fn others(host: &Host, look: impl Fn(&str, &[(String, String)]) -> Option<String>) -> Openers {
    let own = process::id().to_string();
    let others = processes(host).filter(|process| *process != own);
    let unseen = Cell::new(0);
    let clause = |process: String| {
        let (open, is_seen) = open_files(host, &process);
        if !is_seen && !is_kernel_thread(host, &process) {
            unseen.set(unseen.get() + 1);
        }
        let what = look(&process, &open)?;
        let program = host
            .text(&format!("/proc/{process}/comm"))
            .unwrap_or_default();
        Some(format!(
            "process {process} ({}) {what}",
            shown(Path::new(&program))
        ))
    };
    let uses = others.filter_map(clause).collect();
    Openers {
        uses,
        unseen: told(unseen.get(), hides_processes(host)),
    }
}

fn told(unseen: u32, are_hidden: bool) -> Option<String> {
    match unseen {
        _ if are_hidden => Some("the processes of other users are hidden (hidepid)".into()),
        0 => None,
        1 => Some("1 process could not be looked at for lack of rights".into()),
        count => Some(format!(
            "{count} processes could not be looked at for lack of rights"
        )),
    }
}

/// Whether /proc leaves out processes: every namespace has a first one, and it is another user's or our own.
fn hides_processes(host: &Host) -> bool {
    host.is_live() && !host.exists("/proc/1")
}

/// The descriptors of a process as paths in /proc, each with the name of its file, and whether they are all. A process
/// or a descriptor that has gone meanwhile is not missing.
fn open_files(host: &Host, process: &str) -> (Vec<(String, String)>, bool) {
    let dir = format!("/proc/{process}/fd");
    let names = match host.try_list(&dir) {
        Ok(names) => names,
        Err(error) => return (Vec::new(), !error.is_permission()),
    };
    let (mut open, mut is_seen) = (Vec::new(), true);
    for name in names {
        let fd = format!("{dir}/{name}");
        match host.try_link(&fd) {
            Ok(file) => open.push((fd, file)),
            Err(error) => is_seen &= !error.is_permission(),
        }
    }
    (open, is_seen)
}

/// Kernel threads have no descriptors, and only root may see that; what they are anybody may read.
fn is_kernel_thread(host: &Host, process: &str) -> bool {
    let stat = host
        .text(&format!("/proc/{process}/stat"))
        .unwrap_or_default();
    ProcessStat::parse(&stat).is_some_and(|stat| stat.is_kernel_thread())
}

fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines()
        .find_map(|line| line.strip_prefix(name))
        .map(str::trim)
}

/// The access mode is in the lowest two bits of the flags, which are octal: 1 and 2 write.
fn is_for_writing(info: &str) -> bool {
    let flags = field(info, "flags:").and_then(|flags| u32::from_str_radix(flags, 8).ok());
    flags.is_some_and(|flags| matches!(flags & 3, 1 | 2))
}
