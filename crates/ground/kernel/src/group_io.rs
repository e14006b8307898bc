//! How much I/O a control group sent to one device: `io.stat` of version 2, and of version 1
//! `blkio.throttle.io_service_bytes` with `blkio.throttle.io_serviced`.
//!
//! Tried on Linux 6.18: under version 1 a device has lines in these two files from the first limit on that any group got on
//! it (`blk_throtl_init`, since Linux 6.10), and a group has lines of it once it has sent it something. Under version 2 a
//! group that sent nothing to a device has no line.

use crate::device_lines;
use crate::devno::Devno;

/// The file of version 2.
pub const STAT: &str = "io.stat";
/// The files of version 1: bytes, and I/Os.
pub const THROTTLED: [&str; 2] = [
    "blkio.throttle.io_service_bytes",
    "blkio.throttle.io_serviced",
];

/// What a group sent to a device so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupIo {
    /// Bytes read.
    pub read_bytes: u64,
    /// Reads.
    pub read_ios: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Writes.
    pub write_ios: u64,
}

impl GroupIo {
    /// Of the text of `io.stat`: `8:16 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0`.
    pub fn of_stat(text: &str, device: Devno) -> GroupIo {
        let of = |wanted: &str| {
            let mut words = device_lines::of(text, device).flat_map(device_lines::keyed);
            let value =
                words.find_map(|(key, value)| (key == wanted).then(|| value.parse().ok())?);
            value.unwrap_or(0)
        };
        GroupIo {
            read_bytes: of("rbytes"),
            read_ios: of("rios"),
            write_bytes: of("wbytes"),
            write_ios: of("wios"),
        }
    }

    /// Of the texts of the two files of version 1, with lines as `8:16 Read 4096`; none where they tell nothing of the device.
    pub fn of_throttled(bytes: &str, ios: &str, device: Devno) -> Option<GroupIo> {
        let of = |text: &str, wanted: &str| {
            device_lines::of(text, device).find_map(|words| {
                let (word, value) = words.split_once(' ')?;
                (word == wanted).then(|| value.trim().parse().ok())?
            })
        };
        Some(GroupIo {
            read_bytes: of(bytes, "Read")?,
            read_ios: of(ios, "Read")?,
            write_bytes: of(bytes, "Write")?,
            write_ios: of(ios, "Write")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SDB: Devno = Devno {
        major: 8,
        minor: 16,
    };

    #[test]
    fn counters_of_both_versions_are_read() {
        let bytes =
            "8:0 Read 1\n8:16 Read 4096\n8:16 Write 512\n8:16 Sync 0\n8:16 Total 4608\nTotal 9\n";
        let ios = "8:16 Read 1\n8:16 Write 2\n";
        let wanted = GroupIo {
            read_bytes: 4096,
            read_ios: 1,
            write_bytes: 512,
            write_ios: 2,
        };
        assert_eq!(GroupIo::of_throttled(bytes, ios, SDB), Some(wanted));
        let other = Devno {
            major: 8,
            minor: 32,
        };
        assert_eq!(GroupIo::of_throttled(bytes, ios, other), None);
        let stat = "8:16 rbytes=4096 wbytes=512 rios=1 wios=2 dbytes=7 dios=1\n8:0 rbytes=9\n";
        assert_eq!(GroupIo::of_stat(stat, SDB), wanted);
        assert_eq!(GroupIo::of_stat(stat, other), GroupIo::default());
    }

    proptest! {
        #[test]
        fn any_text_is_bounded(text in "[0-9:=a-zA-Z \n]{0,80}") {
            let _ = (GroupIo::of_stat(&text, SDB), GroupIo::of_throttled(&text, &text, SDB));
        }
    }
}
