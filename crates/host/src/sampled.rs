//! An attribute held open, so that reading it ten times a second costs one system call each time.

use crate::{Error, Host, Result};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// To begin with: most files are short, and hundreds may be held open. It grows to what a file needs.
const BUFFER_BYTES: usize = 1 << 10;

/// A file of /proc or /sys to be read again and again.
#[derive(Debug)]
pub struct Sampled {
    path: String,
    source: SampledSource,
    buffer: Vec<u8>,
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
        Ok(Sampled { path: path.to_string(), source, buffer: vec![0; BUFFER_BYTES] })
    }

    /// The bytes now. The buffer grows to the file and is kept.
    pub fn read(&mut self) -> Result<&[u8]> {
        let length = match &self.source {
            SampledSource::Live(file) => {
                read_whole(file, &mut self.buffer).map_err(|error| Error::io("read", &self.path, error))?
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
fn read_whole(file: &File, buffer: &mut Vec<u8>) -> std::io::Result<usize> {
    let mut length = 0;
    loop {
        if length == buffer.len() {
            buffer.resize(buffer.len() * 2, 0);
        }
        match file.read_at(&mut buffer[length..], length as u64)? {
            0 => return Ok(length),
            read => length += read,
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
    fn missing_is_an_error_with_the_path() {
        let error = Host::live().sampled("/proc/none").unwrap_err();
        assert!(error.to_string().contains("/proc/none"), "{error}");
    }
}
