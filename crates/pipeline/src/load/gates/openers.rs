//! Other processes that have a device or a file open.

use super::device::Device;
use crate::load::error::shown;
use host::files::{self, Identity};
use host::{Host, process};
use std::path::Path;

/// The processes that /proc shows, by number.
pub fn processes(host: &Host) -> impl Iterator<Item = String> {
    host.list("/proc").into_iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Programs that have a device open, or one that shares bytes with it.
pub fn of(host: &Host, device: &Device) -> Vec<String> {
    others(host, |process| {
        let open = open_files(host, process).filter(|(_, file)| file.starts_with("/dev/"));
        let open: Vec<String> = open.map(|(fd, file)| found_at(host, fd, file)).collect();
        let used = device.overlapping.iter().find(|part| open.iter().any(|path| part.is_at(host, path)));
        used.map(|part| format!("has {} open", part.subject))
    })
}

/// The descriptor itself, which knows the device whatever it is called in the process's own /dev; its name where the
/// machine is a captured one.
fn found_at(host: &Host, fd: String, file: String) -> String {
    if host.is_live() { fd } else { file }
}

/// Programs that have a file open for writing.
pub fn of_file(host: &Host, path: &Path, identity: &Identity) -> Vec<String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    others(host, |process| {
        let is_it = |(fd, file): (String, String)| {
            let info = host.text(&fd.replacen("/fd/", "/fdinfo/", 1)).unwrap_or_default();
            // Asking a file of a server that is gone would wait for ever, so only what can be the file is asked: by
            // its inode, which fdinfo shows since Linux 5.14, or by its name.
            let may_be = match field(&info, "ino:") {
                Some(inode) => inode == identity.inode.to_string(),
                None => file.rsplit('/').next() == Some(name.as_str()),
            };
            may_be && is_for_writing(&info) && files::identity(Path::new(&fd)).as_ref() == Some(identity)
        };
        open_files(host, process).any(is_it).then(|| "has it open for writing".to_string())
    })
}

/// A clause for each other process that `look` says something about.
fn others(host: &Host, look: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let own = process::id().to_string();
    let others = processes(host).filter(|process| *process != own);
    let clause = |process: String| {
        let what = look(&process)?;
        let program = host.text(&format!("/proc/{process}/comm")).unwrap_or_default();
        Some(format!("process {process} ({}) {what}", shown(Path::new(&program))))
    };
    others.filter_map(clause).collect()
}

/// The descriptors of a process as paths in /proc, and the names of their files.
fn open_files(host: &Host, process: &str) -> impl Iterator<Item = (String, String)> {
    let dir = format!("/proc/{process}/fd");
    host.list(&dir).into_iter().filter_map(move |fd| {
        let fd = format!("{dir}/{fd}");
        let file = host.link(&fd)?;
        Some((fd, file))
    })
}

fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// The access mode is in the lowest two bits of the flags, which are octal: 1 and 2 write.
fn is_for_writing(info: &str) -> bool {
    let flags = field(info, "flags:").and_then(|flags| u32::from_str_radix(flags, 8).ok());
    flags.is_some_and(|flags| matches!(flags & 3, 1 | 2))
}
