//! Keeps what is read from this machine, so that it can be read again elsewhere.

use crate::{Archive, FileSize, Space, files::FileKind};
use model::change::Attribute;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The archive a recording host fills.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Archive>);

impl Recorder {
    pub(crate) fn archive(&self) -> Archive {
        self.lock().clone()
    }

    pub(crate) fn attribute(&self, path: &str, attribute: &Attribute) {
        if !matches!(
            attribute,
            Attribute::Absent | Attribute::Refused(libc::EISDIR)
        ) {
            let mut archive = self.lock();
            let real = keep_links(&mut archive, path);
            archive.insert(&real, attribute.clone());
        }
    }

    pub(crate) fn link(&self, path: &str, to: &str) {
        let mut archive = self.lock();
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = keep_links(&mut archive, parent);
        archive.insert_link(&format!("{}/{name}", parent.trim_end_matches('/')), to);
    }

    /// Names alone are not enough: a reader of the archive sees only what has an entry, so each name gets one.
    pub(crate) fn list(&self, path: &str, names: &[String]) {
        let mut archive = self.lock();
        let real = keep_links(&mut archive, path);
        for name in names {
            let child = format!("{}/{name}", real.trim_end_matches('/'));
            match std::fs::symlink_metadata(&child).map(|metadata| metadata.file_type()) {
                Ok(kind) if kind.is_symlink() => {
                    if let Ok(to) = std::fs::read_link(&child) {
                        archive.insert_link(&child, &to.to_string_lossy());
                    }
                }
                Ok(kind) if kind.is_dir() => archive.insert_directory(&child),
                _ => archive.insert_name(&child),
            }
        }
    }

    pub(crate) fn kind(&self, path: &str, kind: FileKind) {
        let mut archive = self.lock();
        let real = keep_links(&mut archive, path);
        match kind {
            FileKind::Directory => archive.insert_directory(&real),
            FileKind::File => archive.insert_name(&real),
            FileKind::BlockDevice { major, minor } => archive.insert_device(&real, major, minor),
            FileKind::Other => {}
        }
    }

    pub(crate) fn resolve(&self, path: &str) {
        if let Ok(kind) = crate::files::kind(std::path::Path::new(path)) {
            self.kind(path, kind);
        }
    }

    pub(crate) fn space(&self, path: &str, space: Space) {
        let mut archive = self.lock();
        let real = keep_links(&mut archive, path);
        archive.insert_directory(&real);
        archive.insert_space(&real, space);
    }

    /// An answer that stands in a capture below the path of the file that was asked, where no file is.
    pub(crate) fn answer(&self, path: &str, attribute: &Attribute) {
        self.lock().insert(path, attribute.clone());
    }

    pub(crate) fn bytes(&self, path: &str, bytes: &[u8]) {
        let mut archive = self.lock();
        let real = keep_links(&mut archive, path);
        archive.insert_bytes(&real, bytes);
    }

    pub(crate) fn file_size(&self, path: &str, size: FileSize) {
        let mut archive = self.lock();
        let real = keep_links(&mut archive, path);
        archive.insert_name(&real);
        archive.insert_file_size(&real, size);
    }

    pub(crate) fn device_number(&self, path: &str, devno: &str) {
        let mut archive = self.lock();
        let real = keep_links(&mut archive, path);
        archive.insert_directory(&real);
        archive.insert_device_number(&real, devno);
    }

    /// A thread that panicked while it recorded leaves an archive that lacks one entry: still worth having.
    fn lock(&self) -> MutexGuard<'_, Archive> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts every link on the way to a path into the archive; gives the path without them.
fn keep_links(archive: &mut Archive, path: &str) -> String {
    let mut parts: Vec<String> = path.split('/').rev().map(str::to_string).collect();
    let mut real = String::new();
    let mut links_left = 40;
    while let Some(part) = parts.pop() {
        match part.as_str() {
            "" | "." => {}
            ".." => real.truncate(real.rfind('/').unwrap_or(0)),
            name => {
                let next = format!("{real}/{name}");
                match std::fs::read_link(&next) {
                    // /proc/self leads to the number of this very process, which means nothing later.
                    Ok(to) if links_left > 0 && next != "/proc/self" => {
                        links_left -= 1;
                        let to = to.to_string_lossy().into_owned();
                        archive.insert_link(&next, &to);
                        if to.starts_with('/') {
                            real.clear();
                        }
                        parts.extend(to.split('/').rev().map(str::to_string));
                    }
                    _ => real = next,
                }
            }
        }
    }
    if real.is_empty() {
        "/".to_string()
    } else {
        real
    }
}
