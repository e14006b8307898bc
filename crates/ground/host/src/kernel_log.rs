//! The kernel's log, and other answers of the kernel that are no plain text file. A captured machine has them as text.

use crate::Host;
use model::change::Attribute;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;

/// Where a capture keeps the lines of the log that were wanted.
const LOG: &str = "/dev/kmsg";
/// Where a capture keeps the size of a page: no file of the kernel says it alone.
const PAGE_BYTES: &str = "/proc/self/page_bytes";
pub(crate) const LATENCY: &str = "/dev/cpu_dma_latency";
/// More records than the largest usual buffer holds; a bound on the loop only.
const RECORDS_MAX: usize = 1 << 18;

impl Host {
    /// The lines of the kernel's log that are wanted, with their time in seconds after boot, oldest first, at most
    /// `most` of them and those the latest. Reading neither waits nor takes anything out of the log. The error is the
    /// errno: EPERM and EACCES without the right, ENOENT in a container without the device.
    pub fn kernel_log(
        &self,
        most: usize,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<(f64, String)>, i32> {
        if !self.is_live() {
            return match self.attribute(LOG) {
                Attribute::Value(text) => {
                    let lines = text
                        .lines()
                        .filter_map(record)
                        .filter(|(_, text)| wanted(text));
                    Ok(last(lines.collect(), most))
                }
                Attribute::Refused(errno) => Err(errno),
                Attribute::Absent | Attribute::OfAnother => Ok(Vec::new()),
            };
        }
        let found = read_log(&wanted).map(|lines| last(lines, most));
        self.record(|recorder| {
            let attribute = match &found {
                Ok(lines) => Attribute::Value(lines.join("\n")),
                Err(errno) => Attribute::Refused(*errno),
            };
            recorder.attribute(LOG, &attribute);
        });
        found.map(|lines| lines.iter().filter_map(|line| record(line)).collect())
    }

    /// The first bytes of a file, as text: enough of one that repeats itself for every CPU.
    pub fn head(&self, path: &str, bytes: u64) -> Option<String> {
        if !self.is_live() {
            return self.text(path);
        }
        let mut text = Vec::new();
        std::fs::File::open(path)
            .ok()?
            .take(bytes)
            .read_to_end(&mut text)
            .ok()?;
        let text = crate::trim_text(&text);
        self.record(|recorder| recorder.attribute(path, &Attribute::Value(text.clone())));
        Some(text)
    }

    /// Size of a memory page, bytes.
    pub fn page_bytes(&self) -> Option<u64> {
        if !self.is_live() {
            return self.number(PAGE_BYTES);
        }
        let bytes = crate::rights::page_bytes();
        self.record(|recorder| {
            recorder.attribute(PAGE_BYTES, &Attribute::Value(bytes.to_string()))
        });
        Some(bytes)
    }

    /// The latency that programs ask CPUs to wake up within, µs (Documentation/power/pm_qos_interface.rst); only root
    /// may ask. A reader asks for nothing itself: its own request is the default one until it writes.
    pub fn cpu_dma_latency_us(&self) -> Option<u32> {
        if !self.is_live() {
            return self.number(LATENCY)?.try_into().ok();
        }
        let mut bytes = [0u8; 4];
        std::fs::File::open(LATENCY)
            .ok()?
            .read_exact(&mut bytes)
            .ok()?;
        let us = u32::from_ne_bytes(bytes);
        self.record(|recorder| recorder.attribute(LATENCY, &Attribute::Value(us.to_string())));
        Some(us)
    }
}

/// Raw records without their key-value lines: `6,339,5140900,-;text` (Documentation/ABI/testing/dev-kmsg).
fn read_log(wanted: &impl Fn(&str) -> bool) -> Result<Vec<String>, i32> {
    let open = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(LOG);
    let mut log = open.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
    let mut lines = Vec::new();
    let mut buffer = [0u8; 8192];
    for _ in 0..RECORDS_MAX {
        let length = match log.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // Records were overwritten while they were read; the next read goes on with the oldest that is left.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EPIPE | libc::EINTR)) => {
                continue;
            }
            Err(error) => return Err(error.raw_os_error().unwrap_or(libc::EIO)),
        };
        let text = String::from_utf8_lossy(&buffer[..length]);
        let line = text.lines().next().unwrap_or_default();
        if line.split_once(';').is_some_and(|(_, text)| wanted(text)) {
            lines.push(line.to_string());
        }
    }
    Ok(lines)
}

fn record(line: &str) -> Option<(f64, String)> {
    let (head, text) = line.split_once(';')?;
    let us: f64 = head.split(',').nth(2)?.parse().ok()?;
    Some((us / 1e6, text.to_string()))
}

fn last<T>(mut lines: Vec<T>, most: usize) -> Vec<T> {
    lines.drain(..lines.len().saturating_sub(most));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    #[test]
    fn a_captured_log_is_read_with_its_times() {
        let text = "iodyno-host 1\npath: /dev/kmsg\nlines: 4\n6,1,500000,-;sda old\nno record\n3,2,1500000,-;sda: I/O; x\n3,3,1600000,-;other\n";
        let host = Host::from_archive(Archive::parse(text).unwrap());
        assert_eq!(
            host.kernel_log(1, |text| text.contains("sda")),
            Ok(vec![(1.5, "sda: I/O; x".to_string())])
        );
        let refused = Archive::parse("iodyno-host 1\npath: /dev/kmsg\nerrno: 1\n").unwrap();
        assert_eq!(Host::from_archive(refused).kernel_log(1, |_| true), Err(1));
    }

    #[test]
    fn what_is_read_here_reads_the_same_from_the_capture() {
        let live = Host::recording();
        let log = live.kernel_log(5, |_| true);
        let (page, latency) = (live.page_bytes(), live.cpu_dma_latency_us());
        let head = live.head("/proc/version", 5);
        let there = Host::from_archive(live.recorded());
        assert_eq!(there.kernel_log(5, |_| true), log);
        assert_eq!(
            (there.page_bytes(), there.cpu_dma_latency_us()),
            (page, latency)
        );
        assert_eq!(
            (there.head("/proc/version", 5), head.as_deref()),
            (head.clone(), Some("Linux"))
        );
    }
}
