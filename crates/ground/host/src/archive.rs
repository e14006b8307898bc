//! A captured machine: /proc, /sys and what else was read, as one text file that can be reviewed in a diff.
//!
//! ```text
//! iodyno-host 1
//! path: /sys/block/vda/queue/scheduler
//! lines: 1
//! none [mq-deadline] kyber bfq
//! path: /sys/block/vda/queue/wbt_lat_usec
//! errno: 22
//! path: /sys/block/vda/device
//! link: ../../../virtio1
//! path: /srv
//! directory
//! path: /srv
//! space: 1073741824 4294967296 65000 262144
//! ```
//!
//! `device: 254:0` is a block device's node, `on: 254:0` the device of a path's file system. `space` is free and total
//! bytes, then free and total inodes, and the size of a block where it was read; `file: 4096 512` a file's length and the bytes that are there; `bytes: 12ff` what
//! is no text, in hexadecimal. Lines that start with `#` are comments. The tables of device-mapper devices stand below
//! `/dev/mapper/control`: see [`crate::device_mapper`].
//! Three more entries are no files of text on a live machine: `/dev/kmsg` has the lines of the kernel's log that were
//! wanted, `/dev/cpu_dma_latency` a number of µs, `/proc/self/page_bytes` the size of a page.

use crate::{FileSize, Space, files::FileKind};
use kernel::devno::Devno;
use model::change::Attribute;
use std::collections::BTreeMap;

const HEADER: &str = "iodyno-host 1";

#[derive(Clone, Debug, PartialEq, Eq)]
enum ArchiveEntry {
    Text(String),
    Errno(i32),
    Link(String),
    Directory,
    Device { major: u32, minor: u32 },
    Bytes(Vec<u8>),
}

/// The files of a captured machine by absolute path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Archive {
    entries: BTreeMap<String, ArchiveEntry>,
    spaces: BTreeMap<String, Space>,
    numbers: BTreeMap<String, String>,
    sizes: BTreeMap<String, FileSize>,
}

impl Archive {
    /// Reads the text form. The error is the line number and what is wrong there.
    pub fn parse(text: &str) -> Result<Archive, (usize, String)> {
        // `str::lines` would take a carriage return away that belongs to an attribute's text.
        let mut lines = text
            .strip_suffix('\n')
            .unwrap_or(text)
            .split('\n')
            .enumerate()
            .map(|(index, line)| (index + 1, line));
        match lines.next() {
            Some((_, HEADER)) => {}
            _ => return Err((1, format!("the first line must be `{HEADER}`"))),
        }
        let mut archive = Archive::default();
        while let Some((number, line)) = lines.next() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let path = line
                .strip_prefix("path: ")
                .filter(|path| path.starts_with('/'));
            let path =
                path.ok_or_else(|| (number, format!("expected `path: /…`, found `{line}`")))?;
            let (number, line) = lines
                .next()
                .ok_or((number, "the file ends after a path".to_string()))?;
            if let Some(numbers) = line.strip_prefix("space: ") {
                let space = parse_space(numbers)
                    .ok_or((number, "`space:` takes four or five numbers".to_string()))?;
                archive.spaces.insert(path.to_string(), space);
                continue;
            }
            if let Some(numbers) = line.strip_prefix("file: ") {
                let size =
                    parse_size(numbers).ok_or((number, "`file:` takes two numbers".to_string()))?;
                archive.sizes.insert(path.to_string(), size);
                continue;
            }
            if let Some(devno) = line.strip_prefix("on: ") {
                archive.numbers.insert(path.to_string(), devno.to_string());
                continue;
            }
            let entry = parse_entry(number, line, &mut lines)?;
            archive.entries.insert(path.to_string(), entry);
        }
        Ok(archive)
    }

    /// Adds or replaces one attribute.
    pub fn insert(&mut self, path: &str, attribute: Attribute) {
        let entry = match attribute {
            Attribute::Value(text) => ArchiveEntry::Text(text),
            Attribute::Refused(errno) => ArchiveEntry::Errno(errno),
            Attribute::Absent | Attribute::OfAnother => return,
        };
        self.put(path, entry);
    }

    /// Adds or replaces a symbolic link.
    pub fn insert_link(&mut self, path: &str, to: &str) {
        if is_one_line(to) {
            self.put(path, ArchiveEntry::Link(to.to_string()));
        }
    }

    fn put(&mut self, path: &str, entry: ArchiveEntry) {
        if is_one_line(path) {
            self.entries.insert(path.to_string(), entry);
        }
    }

    /// Adds a directory, where nothing else is known at the path.
    pub fn insert_directory(&mut self, path: &str) {
        if !self.entries.contains_key(path) {
            self.put(path, ArchiveEntry::Directory);
        }
    }

    /// Adds a block device's node.
    pub fn insert_device(&mut self, path: &str, major: u32, minor: u32) {
        self.put(path, ArchiveEntry::Device { major, minor });
    }

    /// Adds a file whose content was not read, as an empty one, where nothing else is known at the path.
    pub fn insert_name(&mut self, path: &str) {
        if !self.entries.contains_key(path) {
            self.put(path, ArchiveEntry::Text(String::new()));
        }
    }

    /// Adds or replaces what [`crate::Host::space`] answers for a path.
    pub fn insert_space(&mut self, path: &str, space: Space) {
        if is_one_line(path) {
            self.spaces.insert(path.to_string(), space);
        }
    }

    /// Adds or replaces what [`crate::Host::file_size`] answers for a path.
    pub fn insert_file_size(&mut self, path: &str, size: FileSize) {
        if is_one_line(path) {
            self.sizes.insert(path.to_string(), size);
        }
    }

    /// Adds or replaces an attribute that is no text.
    pub fn insert_bytes(&mut self, path: &str, bytes: &[u8]) {
        self.put(path, ArchiveEntry::Bytes(bytes.to_vec()));
    }

    /// Adds or replaces what [`crate::Host::device_number`] answers for a path.
    pub fn insert_device_number(&mut self, path: &str, devno: &str) {
        if is_one_line(path) {
            self.numbers.insert(path.to_string(), devno.to_string());
        }
    }

    /// Replaces the text of an attribute that is there, such as one that names the owner of the machine.
    pub fn rewrite(&mut self, path: &str, rewrite: impl FnOnce(&str) -> String) {
        let Some(path) = self.resolve(path) else {
            return;
        };
        if let Some(ArchiveEntry::Text(text)) = self.entries.get_mut(&path) {
            *text = rewrite(text);
        }
    }

    /// Replaces the text of every attribute by what the function makes of its path and text.
    pub fn rewrite_all(&mut self, rewrite: impl Fn(&str, &str) -> String) {
        for (path, entry) in &mut self.entries {
            if let ArchiveEntry::Text(text) = entry {
                *text = rewrite(path, text);
            }
        }
    }

    /// Every text, with its path.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|(path, entry)| match entry {
            ArchiveEntry::Text(text) => Some((path.as_str(), text.as_str())),
            _ => None,
        })
    }

    /// Renames alike in paths, texts and links.
    pub fn rename(&mut self, rename: impl Fn(&str) -> String) {
        let entries = std::mem::take(&mut self.entries)
            .into_iter()
            .map(|(path, entry)| {
                let entry = match entry {
                    ArchiveEntry::Text(text) => ArchiveEntry::Text(rename(&text)),
                    ArchiveEntry::Link(to) => ArchiveEntry::Link(rename(&to)),
                    other => other,
                };
                (rename(&path), entry)
            });
        self.entries = entries.collect();
        let spaces = std::mem::take(&mut self.spaces).into_iter();
        self.spaces = spaces.map(|(path, space)| (rename(&path), space)).collect();
        let numbers = std::mem::take(&mut self.numbers).into_iter();
        self.numbers = numbers
            .map(|(path, devno)| (rename(&path), devno))
            .collect();
    }

    /// The text form. Parsing it gives the same archive.
    pub fn print(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (path, entry) in &self.entries {
            text.push_str(&format!("path: {path}\n"));
            text.push_str(&match entry {
                ArchiveEntry::Text(body) if body.is_empty() => "lines: 0\n".to_string(),
                ArchiveEntry::Text(body) => {
                    format!("lines: {}\n{body}\n", body.split('\n').count())
                }
                ArchiveEntry::Errno(errno) => format!("errno: {errno}\n"),
                ArchiveEntry::Link(to) => format!("link: {to}\n"),
                ArchiveEntry::Directory => "directory\n".to_string(),
                ArchiveEntry::Device { major, minor } => format!("device: {major}:{minor}\n"),
                ArchiveEntry::Bytes(bytes) => format!("bytes: {}\n", print_hex(bytes)),
            });
        }
        for (path, space) in &self.spaces {
            let Space {
                free_bytes,
                total_bytes,
                free_inodes,
                total_inodes,
                block_bytes,
            } = space;
            let block = block_bytes.map_or(String::new(), |bytes| format!(" {bytes}"));
            text.push_str(&format!(
                "path: {path}\nspace: {free_bytes} {total_bytes} {free_inodes} {total_inodes}{block}\n"
            ));
        }
        for (
            path,
            FileSize {
                bytes,
                allocated_bytes,
            },
        ) in &self.sizes
        {
            text.push_str(&format!("path: {path}\nfile: {bytes} {allocated_bytes}\n"));
        }
        for (path, devno) in &self.numbers {
            text.push_str(&format!("path: {path}\non: {devno}\n"));
        }
        text
    }

    pub(crate) fn device_number(&self, path: &str) -> Option<String> {
        self.numbers.get(&self.resolve(path)?).cloned()
    }

    pub(crate) fn file_size(&self, path: &str) -> Option<FileSize> {
        self.sizes.get(&self.resolve(path)?).copied()
    }

    pub(crate) fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        match self.entries.get(&self.resolve(path)?) {
            Some(ArchiveEntry::Bytes(bytes)) => Some(bytes.clone()),
            Some(ArchiveEntry::Text(text)) if !text.is_empty() => Some(text.clone().into_bytes()),
            _ => None,
        }
    }

    pub(crate) fn space(&self, path: &str) -> Option<Space> {
        self.spaces.get(&self.resolve(path)?).copied()
    }

    pub(crate) fn kind(&self, path: &str) -> Option<FileKind> {
        match self.entries.get(&self.resolve(path)?) {
            Some(ArchiveEntry::Text(_) | ArchiveEntry::Errno(_) | ArchiveEntry::Bytes(_)) => {
                Some(FileKind::File)
            }
            Some(ArchiveEntry::Device { major, minor }) => Some(FileKind::BlockDevice {
                major: *major,
                minor: *minor,
            }),
            Some(ArchiveEntry::Link(_)) => None,
            Some(ArchiveEntry::Directory) | None => Some(FileKind::Directory),
        }
    }

    pub(crate) fn attribute(&self, path: &str) -> Attribute {
        let Some(path) = self.resolve(path) else {
            return Attribute::Absent;
        };
        match self.entries.get(&path) {
            Some(ArchiveEntry::Text(text)) => Attribute::Value(text.clone()),
            Some(ArchiveEntry::Errno(errno)) => Attribute::Refused(*errno),
            _ => Attribute::Absent,
        }
    }

    pub(crate) fn link(&self, path: &str) -> Option<String> {
        let (parent, name) = path.rsplit_once('/')?;
        let parent = if parent.is_empty() {
            String::new()
        } else {
            self.resolve(parent)?
        };
        match self
            .entries
            .get(&format!("{}/{name}", parent.trim_end_matches('/')))
        {
            Some(ArchiveEntry::Link(to)) => Some(to.clone()),
            _ => None,
        }
    }

    pub(crate) fn list(&self, path: &str) -> Vec<String> {
        let Some(path) = self.resolve(path) else {
            return Vec::new();
        };
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let below = self
            .entries
            .range(prefix.clone()..)
            .take_while(|(name, _)| name.starts_with(&prefix));
        let mut names: Vec<String> = below
            .filter_map(|(name, _)| name[prefix.len()..].split('/').next().map(str::to_string))
            .collect();
        names.dedup();
        names
    }

    pub(crate) fn contains(&self, path: &str) -> bool {
        self.resolve(path).is_some()
    }

    /// The path with every captured link followed; none when nothing is there.
    pub(crate) fn resolve(&self, path: &str) -> Option<String> {
        let mut parts: Vec<String> = path.split('/').rev().map(str::to_string).collect();
        let mut resolved = String::new();
        let mut links_left = 40;
        while let Some(part) = parts.pop() {
            match part.as_str() {
                "" | "." => continue,
                ".." => resolved.truncate(resolved.rfind('/').unwrap_or(0)),
                name => {
                    let next = format!("{resolved}/{name}");
                    match self.entries.get(&next) {
                        Some(ArchiveEntry::Link(_)) if links_left == 0 => return None,
                        Some(ArchiveEntry::Link(to)) => {
                            links_left -= 1;
                            if to.starts_with('/') {
                                resolved.clear();
                            }
                            parts.extend(to.split('/').rev().map(str::to_string));
                        }
                        _ => resolved = next,
                    }
                }
            }
        }
        if resolved.is_empty() {
            return Some("/".to_string());
        }
        let prefix = format!("{resolved}/");
        let is_there = self.entries.contains_key(&resolved)
            || self
                .entries
                .range(prefix.clone()..)
                .next()
                .is_some_and(|(name, _)| name.starts_with(&prefix));
        is_there.then_some(resolved)
    }
}

/// The text form has a line for each name. One with a line break, which anybody may give to a file, would read as other
/// entries, so it is left out.
fn is_one_line(name: &str) -> bool {
    !name.contains('\n')
}

fn parse_space(numbers: &str) -> Option<Space> {
    let numbers: Vec<u64> = numbers
        .split(' ')
        .map_while(|number| number.parse().ok())
        .collect();
    let (space, block_bytes) = match numbers[..] {
        [a, b, c, d] => ([a, b, c, d], None),
        [a, b, c, d, block] => ([a, b, c, d], Some(block)),
        _ => return None,
    };
    let [free_bytes, total_bytes, free_inodes, total_inodes] = space;
    Some(Space {
        free_bytes,
        total_bytes,
        free_inodes,
        total_inodes,
        block_bytes,
    })
}

fn parse_size(numbers: &str) -> Option<FileSize> {
    let (bytes, allocated) = numbers.split_once(' ')?;
    Some(FileSize {
        bytes: bytes.parse().ok()?,
        allocated_bytes: allocated.parse().ok()?,
    })
}

fn print_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

fn parse_device(devno: &str) -> Option<ArchiveEntry> {
    let Devno { major, minor } = Devno::parse(devno)?;
    Some(ArchiveEntry::Device { major, minor })
}

fn parse_entry<'a>(
    number: usize,
    line: &str,
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
) -> Result<ArchiveEntry, (usize, String)> {
    if line == "directory" {
        return Ok(ArchiveEntry::Directory);
    }
    let bad = || {
        (
            number,
            format!(
                "expected `lines: N`, `errno: N`, `link: …`, `device: M:N`, `bytes: …` or `directory`, found `{line}`"
            ),
        )
    };
    let (key, value) = line.split_once(": ").ok_or_else(bad)?;
    match key {
        "link" => Ok(ArchiveEntry::Link(value.to_string())),
        "device" => parse_device(value).ok_or_else(bad),
        "bytes" => parse_hex(value).map(ArchiveEntry::Bytes).ok_or_else(bad),
        "errno" => value.parse().map(ArchiveEntry::Errno).map_err(|_| bad()),
        "lines" => {
            let count: usize = value.parse().map_err(|_| bad())?;
            let body: Vec<&str> = lines.by_ref().take(count).map(|(_, line)| line).collect();
            if body.len() < count {
                return Err((
                    number,
                    format!("{count} lines are announced, {} follow", body.len()),
                ));
            }
            Ok(ArchiveEntry::Text(body.join("\n")))
        }
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod properties;

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "iodyno-host 1\n\
        path: /sys/block/vda\nlink: ../devices/virtio1/block/vda\n\
        path: /sys/devices/virtio1/block/vda/queue/scheduler\nlines: 1\nnone [bfq]\n\
        path: /sys/devices/virtio1/block/vda/queue/wbt_lat_usec\nerrno: 22\n\
        path: /proc/mounts\nlines: 2\na b\n\npath: /srv\ndirectory\npath: /srv\nspace: 1 2 3 4\npath: /srv\non: 8:1\n\
        path: /srv/x.img\nfile: 4096 512\npath: /sys/usb/descriptors\nbytes: 12ff00\n\
        path: /dev/mapper/vg-lv\nlink: ../dm-1\npath: /dev/dm-1\ndevice: 253:1\n";

    #[test]
    fn follows_links_and_lists() {
        let archive = Archive::parse(SMALL).unwrap();
        assert_eq!(
            archive.attribute("/sys/block/vda/queue/scheduler"),
            Attribute::Value("none [bfq]".into())
        );
        assert_eq!(
            archive.attribute("/sys/block/vda/queue/wbt_lat_usec"),
            Attribute::Refused(22)
        );
        assert_eq!(
            archive.list("/sys/block/vda/queue"),
            ["scheduler", "wbt_lat_usec"]
        );
        assert_eq!(archive.list("/sys/block"), ["vda"]);
        assert_eq!(
            archive.attribute("/proc/mounts"),
            Attribute::Value("a b\n".into())
        );
        assert!(archive.contains("/srv") && !archive.contains("/nowhere"));
        assert_eq!(archive.kind("/srv"), Some(FileKind::Directory));
        assert_eq!(
            archive.kind("/dev/mapper/vg-lv"),
            Some(FileKind::BlockDevice {
                major: 253,
                minor: 1
            })
        );
        assert_eq!(
            archive.space("/srv").map(|space| space.total_inodes),
            Some(4)
        );
        assert_eq!(archive.device_number("/srv").as_deref(), Some("8:1"));
        assert_eq!(
            archive.bytes("/sys/usb/descriptors"),
            Some(vec![0x12, 0xFF, 0])
        );
    }

    #[test]
    fn printing_and_parsing_agree() {
        let archive = Archive::parse(SMALL).unwrap();
        assert_eq!(Archive::parse(&archive.print()).unwrap(), archive);
    }

    #[test]
    fn names_can_be_replaced_everywhere() {
        let mut archive = Archive::parse(SMALL).unwrap();
        archive.rename(|text| text.replace("vda", "vdX").replace("srv", "data"));
        assert_eq!(
            archive.list("/sys/block/vdX/queue"),
            ["scheduler", "wbt_lat_usec"]
        );
        assert!(archive.contains("/data") && archive.device_number("/data").is_some());
        archive.rewrite_all(|path, text| {
            if path == "/proc/mounts" {
                String::new()
            } else {
                text.into()
            }
        });
        assert_eq!(
            archive.attribute("/proc/mounts"),
            Attribute::Value(String::new())
        );
        assert_eq!(archive.texts().count(), 2);
    }

    #[test]
    fn a_link_that_loops_ends() {
        let archive =
            Archive::parse("iodyno-host 1\npath: /a\nlink: /b\npath: /b\nlink: /a\n").unwrap();
        assert_eq!(archive.attribute("/a"), Attribute::Absent);
    }

    #[test]
    fn names_the_bad_line() {
        assert_eq!(Archive::parse("nonsense").unwrap_err().0, 1);
        assert_eq!(
            Archive::parse("iodyno-host 1\npath: /a\nlines: 3\nx\n")
                .unwrap_err()
                .0,
            3
        );
        assert_eq!(
            Archive::parse("iodyno-host 1\nfile: /a\n").unwrap_err().0,
            2
        );
    }
}
