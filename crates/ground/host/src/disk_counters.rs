//! One block device's I/O counters, read cheaply and whole.

use crate::{Error, Host, Result, Sampled};
use kernel::stat::Counters;

/// A device's counters, held open.
#[derive(Debug)]
pub struct DeviceCounters {
    stat: Sampled,
}

impl DeviceCounters {
    /// Opens the counters of a disk or a partition by its kernel name.
    pub fn open(host: &Host, name: &str) -> Result<Self> {
        Ok(DeviceCounters {
            stat: host.sampled(&format!("/sys/class/block/{name}/stat"))?,
        })
    }

    /// The counters now: one system call or two, a few µs.
    pub fn read(&mut self) -> Result<Counters> {
        let text = std::str::from_utf8(self.stat.read()?).ok();
        text.and_then(Counters::parse).ok_or_else(|| {
            Error::io(
                "understand",
                self.stat.path(),
                std::io::ErrorKind::InvalidData,
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_captured_device_can_be_read() {
        let text =
            "iodyno-host 1\npath: /sys/class/block/sda1/stat\nlines: 1\n1 0 8 0 2 0 16 0 0 0 0\n";
        let host = Host::from_archive(crate::Archive::parse(text).unwrap());
        let counters = DeviceCounters::open(&host, "sda1").unwrap().read().unwrap();
        assert_eq!((counters.read_sectors, counters.write_sectors), (8, 16));
        assert!(DeviceCounters::open(&host, "sdb").is_err());
    }
}
