//! An attribute held open, so that reading it ten times a second costs one system call each time.

use crate::{Error, Host, Result};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Room at first for an attribute of sysfs, whose page is the most that most have, and for a file of /proc: most are
/// short, hundreds may be held open, and the room grows to what a file needs.
const ATTRIBUTE_BYTES: usize = 4096;
const TABLE_BYTES: usize = 1 << 10;

/// Attributes of devices are handed out in one piece of a page at most (fs/kernfs/file.c). Other files below /sys,
/// such as those of control groups and of debugfs, may be long and come in parts.
const DEVICE_ATTRIBUTES: [&str; 3] = ["/sys/block/", "/sys/class/", "/sys/devices/"];

/// Files that the kernel writes as one record (single_open in fs/seq_file.c): a read that has room for more than it gets
/// has got everything.
const ONE_RECORD: [&str; 6] = [
    "/proc/stat",
    "/proc/meminfo",
    "/proc/softirqs",
    "/proc/loadavg",
    "/proc/pressure/",
    "/proc/self/task/",
];

/// Files of lines that are short: the kernel gathers as many as fit in a page, so that a read which leaves more than a
/// line's room in the page has got everything.
const SHORT_LINES: [&str; 2] = ["/proc/diskstats", "/proc/vmstat"];
const PAGE_BYTES: usize = 4096;
/// Seventeen counters of twenty digits behind a name of 32.
const SHORT_LINE_BYTES_MAX: usize = 512;

/// A file of /proc or /sys to be read again and again.
#[derive(Debug)]
pub struct Sampled {
    path: String,
    source: SampledSource,
    buffer: Vec<u8>,
    pieces: Pieces,
}

/// In what the kernel hands a file out, which tells when a read was the last and saves the one that would find the end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pieces {
    /// One: a read that does not fill the buffer was the last.
    One,
    /// Pages of short lines.
    ShortLines,
    Any,
}

impl Pieces {
    fn of(path: &str) -> Pieces {
        let is_in = |paths: &[&str]| paths.iter().any(|known| path.starts_with(known));
        let is_account = path.starts_with("/proc/") && path.ends_with("/io");
        match () {
            () if is_in(&DEVICE_ATTRIBUTES) || is_in(&ONE_RECORD) || is_account => Pieces::One,
            () if is_in(&SHORT_LINES) => Pieces::ShortLines,
            () => Pieces::Any,
        }
    }

    /// Whether a piece of so many bytes, for which there was so much room, was the last.
    fn ends_with(self, bytes: usize, room: usize) -> bool {
        match self {
            Pieces::One => bytes < room,
            Pieces::ShortLines => bytes < room.min(PAGE_BYTES - SHORT_LINE_BYTES_MAX),
            Pieces::Any => false,
        }
    }
}

#[derive(Debug)]
enum SampledSource {
    Live(File),
    /// What the captured machine has there, which does not change.
    Archive(Vec<u8>),
    /// Counters of a simulated disk.
    Rehearsed(Host),
}

impl Sampled {
    pub(crate) fn open(host: &Host, path: &str) -> Result<Self> {
        let rehearsal = host.rehearsal();
        let source = if rehearsal.is_some_and(|rehearsal| rehearsal.is_counted(path)) {
            SampledSource::Rehearsed(host.clone())
        } else if host.is_live() && rehearsal.is_none() {
            SampledSource::Live(File::open(path).map_err(|error| Error::io("open", path, error))?)
        // Beside a simulated disk the counters of everything else would tell of another story.
        } else if rehearsal.is_none() && host.exists(path) {
            SampledSource::Archive(host.text(path).unwrap_or_default().into_bytes())
        } else {
            return Err(Error::io(
                "open",
                path,
                std::io::Error::from_raw_os_error(libc::ENOENT),
            ));
        };
        let is_attribute = DEVICE_ATTRIBUTES
            .iter()
            .any(|folder| path.starts_with(folder));
        let bytes = if is_attribute {
            ATTRIBUTE_BYTES
        } else {
            TABLE_BYTES
        };
        Ok(Sampled {
            path: path.to_string(),
            source,
            buffer: vec![0; bytes],
            pieces: Pieces::of(path),
        })
    }

    /// The bytes now. The buffer grows to the file and is kept.
    pub fn read(&mut self) -> Result<&[u8]> {
        let length = match &self.source {
            SampledSource::Live(file) => {
                let whole = read_whole(file, &mut self.buffer, self.pieces);
                whole.map_err(|error| Error::io("read", &self.path, error))?
            }
            SampledSource::Archive(text) => fill(&mut self.buffer, text),
            SampledSource::Rehearsed(host) => {
                let text = host.text(&self.path).unwrap_or_default();
                fill(&mut self.buffer, text.as_bytes())
            }
        };
        Ok(&self.buffer[..length])
    }

    /// The first so many bytes now, or fewer where the file is shorter. The kernel writes a table line by line as it is
    /// read, so that lines which nobody asks for cost nothing.
    pub fn read_head(&mut self, bytes: usize) -> Result<&[u8]> {
        let length = match &self.source {
            SampledSource::Live(file) => {
                let room = self.buffer.len().max(bytes);
                self.buffer.resize(room, 0);
                let head = read_full(file, &mut self.buffer[..bytes]);
                head.map_err(|error| Error::io("read", &self.path, error))?
            }
            SampledSource::Archive(text) => fill(&mut self.buffer, &text[..bytes.min(text.len())]),
            SampledSource::Rehearsed(host) => {
                let text = host.text(&self.path).unwrap_or_default();
                let head = &text.as_bytes()[..bytes.min(text.len())];
                fill(&mut self.buffer, head)
            }
        };
        Ok(&self.buffer[..length])
    }

    /// The path, for messages.
    pub fn path(&self) -> &str {
        &self.path
    }
}

fn fill(buffer: &mut Vec<u8>, bytes: &[u8]) -> usize {
    buffer.clear();
    buffer.extend_from_slice(bytes);
    bytes.len()
}

/// Reads until the file gives nothing more: /proc hands out large files page by page.
fn read_whole(file: &File, buffer: &mut Vec<u8>, pieces: Pieces) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        if length == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
        let room = buffer.len() - length;
        let read = file.read_at(&mut buffer[length..], length as u64)?;
        length += read;
        if read == 0 || pieces.ends_with(read, room) {
            return Ok(length);
        }
    }
}

/// Reads until the buffer is full or the file gives nothing more.
fn read_full(file: &File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read_at(&mut buffer[length..], length as u64)? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_anew_each_time() {
        let mut uptime = Host::live().sampled("/proc/uptime").unwrap();
        let first = uptime.read().unwrap().to_vec();
        crate::clock::sleep_ms(30);
        assert_ne!(first, uptime.read().unwrap());
    }

    #[test]
    fn an_attribute_is_read_in_one_piece() {
        let mut attribute = Host::live()
            .sampled("/sys/devices/system/cpu/online")
            .unwrap();
        let text = attribute.read().unwrap().to_vec();
        assert_eq!(text, std::fs::read(attribute.path()).unwrap());
        assert_eq!(text, attribute.read().unwrap());
    }

    #[test]
    fn one_record_that_outgrows_the_buffer_is_read_whole() {
        let mut stat = Host::live().sampled("/proc/stat").unwrap();
        stat.buffer.truncate(64);
        for _ in 0..2 {
            let text = String::from_utf8(stat.read().unwrap().to_vec()).unwrap();
            assert!(
                text.starts_with("cpu ") && text.contains("\nsoftirq ") && text.ends_with('\n'),
                "{text}"
            );
        }
    }

    #[test]
    fn short_lines_end_where_another_would_have_fitted() {
        let lines = Pieces::of("/proc/diskstats");
        assert!(
            lines.ends_with(3583, 8192)
                && !lines.ends_with(3584, 8192)
                && !lines.ends_with(900, 900)
        );
        assert_eq!(
            [Pieces::of("/proc/17/io"), Pieces::of("/proc/interrupts")],
            [Pieces::One, Pieces::Any]
        );
        let mut disks = Host::live().sampled("/proc/diskstats").unwrap();
        let count = disks
            .read()
            .unwrap()
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        disks.pieces = Pieces::Any;
        assert_eq!(
            disks
                .read()
                .unwrap()
                .iter()
                .filter(|byte| **byte == b'\n')
                .count(),
            count
        );
    }

    #[test]
    fn the_head_is_the_beginning_of_the_whole() {
        let mut version = Host::live().sampled("/proc/version").unwrap();
        let whole = version.read().unwrap().to_vec();
        assert_eq!(version.read_head(9).unwrap(), &whole[..9]);
        assert_eq!(version.read_head(1 << 20).unwrap(), whole);
        assert_eq!(version.read().unwrap(), whole);
    }

    #[test]
    fn missing_is_an_error_with_the_path() {
        let error = Host::live().sampled("/proc/none").unwrap_err();
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }
}
