//! One block device's I/O counters, read cheaply and whole.

use crate::{Error, Host, Result, Sampled};

/// Counters of a disk or a partition since boot (Documentation/block/stat.rst). Sectors are 512 bytes whatever the
/// device's block is. Times are ms and wrap at 2^32; discards came with Linux 4.18, flushes with 5.5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Reads completed.
    pub read_ios: u64,
    /// Reads that joined another request before it was sent.
    pub read_merges: u64,
    /// Sectors read.
    pub read_sectors: u64,
    /// Time reads took, summed over them.
    pub read_ms: u64,
    /// Writes completed.
    pub write_ios: u64,
    /// Writes that joined another request.
    pub write_merges: u64,
    /// Sectors written.
    pub write_sectors: u64,
    /// Time writes took, summed.
    pub write_ms: u64,
    /// Requests in flight now: the one gauge.
    pub in_flight: u64,
    /// Time during which anything was in flight.
    pub io_ticks_ms: u64,
    /// Time all requests took, summed.
    pub queue_ms: u64,
    /// Discards completed.
    pub discard_ios: u64,
    /// Discards that joined another request.
    pub discard_merges: u64,
    /// Sectors discarded.
    pub discard_sectors: u64,
    /// Time discards took, summed.
    pub discard_ms: u64,
    /// Flushes completed.
    pub flush_ios: u64,
    /// Time flushes took, summed.
    pub flush_ms: u64,
}

impl Counters {
    /// From the fields of a `stat` file, or of a line of /proc/diskstats after the name.
    fn parse(text: &[u8]) -> Option<Counters> {
        let mut fields = [0u64; 17];
        let mut count = 0;
        for (field, word) in fields.iter_mut().zip(words(text)) {
            *field = std::str::from_utf8(word).ok()?.parse().ok()?;
            count += 1;
        }
        // Partitions had four fields of their own before Linux 2.6.25.
        (count >= 11).then(|| Counters::from_fields(fields))
    }

    fn from_fields(f: [u64; 17]) -> Counters {
        Counters {
            read_ios: f[0],
            read_merges: f[1],
            read_sectors: f[2],
            read_ms: f[3],
            write_ios: f[4],
            write_merges: f[5],
            write_sectors: f[6],
            write_ms: f[7],
            in_flight: f[8],
            io_ticks_ms: f[9],
            queue_ms: f[10],
            discard_ios: f[11],
            discard_merges: f[12],
            discard_sectors: f[13],
            discard_ms: f[14],
            flush_ios: f[15],
            flush_ms: f[16],
        }
    }
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// A counter's growth. One that fell has wrapped at 2^32 when it was that small before, else it was reset and what it
/// shows is all that is known.
pub fn growth(before: u64, after: u64) -> u64 {
    match after.checked_sub(before) {
        Some(growth) => growth,
        None if before <= u64::from(u32::MAX) && before > u64::from(u32::MAX / 2) => {
            after + (1 << 32) - before
        }
        None => after,
    }
}

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
        let parsed = Counters::parse(self.stat.read()?);
        parsed.ok_or_else(|| {
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
    fn eleven_fifteen_and_seventeen_fields() {
        let eleven = Counters::parse(b"    1 2 3 4 5 6 7 8 9 10 11\n").unwrap();
        assert_eq!(
            (eleven.read_ios, eleven.queue_ms, eleven.discard_ios),
            (1, 11, 0)
        );
        let seventeen = Counters::parse(b"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17").unwrap();
        assert_eq!(
            (
                seventeen.write_sectors,
                seventeen.discard_ms,
                seventeen.flush_ms
            ),
            (7, 15, 17)
        );
        assert_eq!(Counters::parse(b"1 2 3 4"), None);
        assert_eq!(Counters::parse(b"1 2 x 4 5 6 7 8 9 10 11"), None);
    }

    #[test]
    fn a_wrap_is_no_reset() {
        assert_eq!(growth(10, 15), 5);
        assert_eq!(growth(u64::from(u32::MAX) - 1, 3), 5);
        assert_eq!(growth(1000, 3), 3);
    }

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
