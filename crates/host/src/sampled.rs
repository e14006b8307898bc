//! An attribute held open, so that reading it ten times a second costs one system call each time.

use crate::{Error, Host, Result};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Room at first for an attribute of sysfs, whose page is the most that most have, and for a table of /proc.
const ATTRIBUTE_BYTES: usize = 4096;
const TABLE_BYTES: usize = 16 << 10;

/// Attributes of devices are handed out in one piece of a page at most (fs/kernfs/file.c). Other files below /sys,
/// such as those of control groups and of debugfs, may be long and come in parts.
const DEVICE_ATTRIBUTES: [&str; 3] = ["/sys/block/", "/sys/class/", "/sys/devices/"];

/// A file of /proc or /sys to be read again and again.
#[derive(Debug)]
pub struct Sampled {
    path: String,
    source: SampledSource,
    buffer: Vec<u8>,
    /// A read that does not fill the buffer was the last, which saves the one that would find the end.
    is_one_piece: bool,
}

#[derive(Debug)]
enum SampledSource {
    Live(File),
    Archive(Host),
}

impl Sampled {
    pub(crate) fn open(host: &Host, path: &str) -> Result<Self> {
        let source = if host.is_live() {
            SampledSource::Live(File::open(path).map_err(|error| Error::io("open", path, error))?)
        } else if host.exists(path) {
            SampledSource::Archive(host.clone())
        } else {
            return Err(Error::io("open", path, std::io::Error::from_raw_os_error(libc::ENOENT)));
        };
        let is_one_piece = DEVICE_ATTRIBUTES.iter().any(|folder| path.starts_with(folder));
        let bytes = if is_one_piece { ATTRIBUTE_BYTES } else { TABLE_BYTES };
        Ok(Sampled { path: path.to_string(), source, buffer: vec![0; bytes], is_one_piece })
    }

    /// The bytes now. The buffer grows to the file and is kept.
    pub fn read(&mut self) -> Result<&[u8]> {
        let length = match &self.source {
            SampledSource::Live(file) => {
                let whole = read_whole(file, &mut self.buffer, self.is_one_piece);
                whole.map_err(|error| Error::io("read", &self.path, error))?
            }
            SampledSource::Archive(host) => {
                self.buffer = host.text(&self.path).unwrap_or_default().into_bytes();
                self.buffer.len()
            }
        };
        Ok(&self.buffer[..length])
    }

    /// The path, for messages.
    pub fn path(&self) -> &str {
        &self.path
    }
}

/// Reads until the file gives nothing more: /proc hands out large files page by page.
fn read_whole(file: &File, buffer: &mut Vec<u8>, is_one_piece: bool) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        if length == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
        match file.read_at(&mut buffer[length..], length as u64)? {
            0 => return Ok(length),
            read => length += read,
        }
        if is_one_piece && length < buffer.len() {
            return Ok(length);
        }
    }
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
        let mut attribute = Host::live().sampled("/sys/devices/system/cpu/online").unwrap();
        let text = attribute.read().unwrap().to_vec();
        assert_eq!(text, std::fs::read(attribute.path()).unwrap());
        assert_eq!(text, attribute.read().unwrap());
    }

    #[test]
    fn missing_is_an_error_with_the_path() {
        let error = Host::live().sampled("/proc/none").unwrap_err();
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }
}
