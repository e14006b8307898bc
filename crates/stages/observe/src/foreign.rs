//! How much of a device's traffic was not ours.
//!
//! Bytes are the firm ground: merging and splitting change how many requests there are, never how many bytes. Requests
//! are compared too, because small foreign I/O costs a disk more than its bytes tell.

use kernel::stat::{Counters, SECTOR_BYTES};

/// What our own load completed in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Reads completed.
    pub read_ios: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Writes completed.
    pub write_ios: u64,
    /// Bytes written.
    pub write_bytes: u64,
}

impl Own {
    /// Reads and writes completed.
    pub fn ios(&self) -> u64 {
        self.read_ios + self.write_ios
    }

    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.read_bytes + self.write_bytes
    }
}

/// What others did to the device in the same window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Foreign {
    /// Bytes moved by others, at the least.
    pub bytes: u64,
    /// Their share of all bytes moved, 0 to 1.
    pub bytes_share: f64,
    /// I/Os by others, at the least, as they were submitted: a merged one counts as the I/O it was.
    pub ios: u64,
    /// Their share of all I/Os, 0 to 1.
    pub ios_share: f64,
    /// Bytes of ours that never reached the device: reads from the page cache, writes that are still in it. Where it
    /// is much, the load is buffered and the shares are of no use.
    pub unseen_own_bytes: u64,
}

impl Foreign {
    /// The larger of the two shares: what a verdict should be wary of.
    pub fn share(&self) -> f64 {
        self.bytes_share.max(self.ios_share)
    }
}

/// Compares a device's counters before and after a window with what our load completed in it. `request_bytes_max` is
/// the device's `max_sectors_kb` in bytes: larger I/Os of ours reach it in pieces.
///
/// The journal and the metadata of the load's own files count as foreign, as does I/O to other partitions when the
/// counters are the whole disk's.
pub fn foreign(before: &Counters, after: &Counters, own: &Own, request_bytes_max: u64) -> Foreign {
    let grown = after.since(before);
    let read = ForeignSide {
        device_bytes: grown.read_sectors.saturating_mul(SECTOR_BYTES),
        device_ios: grown.read_ios.saturating_add(grown.read_merges),
        own_bytes: own.read_bytes,
        own_ios: pieces(own.read_ios, own.read_bytes, request_bytes_max),
    };
    let write = ForeignSide {
        device_bytes: grown.write_sectors.saturating_mul(SECTOR_BYTES),
        device_ios: grown.write_ios.saturating_add(grown.write_merges),
        own_bytes: own.write_bytes,
        own_ios: pieces(own.write_ios, own.write_bytes, request_bytes_max),
    };
    let bytes = read.foreign_bytes() + write.foreign_bytes();
    let ios = read.foreign_ios() + write.foreign_ios();
    Foreign {
        bytes,
        bytes_share: share(bytes, read.device_bytes + write.device_bytes),
        ios,
        ios_share: share(ios, read.device_ios + write.device_ios),
        unseen_own_bytes: read.unseen_bytes() + write.unseen_bytes(),
    }
}

/// One direction of a window.
struct ForeignSide {
    device_bytes: u64,
    device_ios: u64,
    own_bytes: u64,
    own_ios: u64,
}

impl ForeignSide {
    fn foreign_bytes(&self) -> u64 {
        self.device_bytes.saturating_sub(self.own_bytes)
    }

    fn foreign_ios(&self) -> u64 {
        self.device_ios.saturating_sub(self.own_ios)
    }

    fn unseen_bytes(&self) -> u64 {
        self.own_bytes.saturating_sub(self.device_bytes)
    }
}

/// I/Os as the device sees them when each of the mean size is split at the largest request.
fn pieces(ios: u64, bytes: u64, request_bytes_max: u64) -> u64 {
    let size = bytes.checked_div(ios).unwrap_or(0);
    ios * size.div_ceil(request_bytes_max.max(1)).max(1)
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn device(
        read_ios: u64,
        read_merges: u64,
        read_mib: u64,
        write_ios: u64,
        write_mib: u64,
    ) -> Counters {
        Counters {
            read_ios,
            read_merges,
            read_sectors: read_mib * MIB / SECTOR_BYTES,
            write_ios,
            write_sectors: write_mib * MIB / SECTOR_BYTES,
            ..Counters::default()
        }
    }

    #[test]
    fn an_undisturbed_load_has_no_foreign_share() {
        let own = Own {
            read_ios: 2560,
            read_bytes: 10 * MIB,
            ..Own::default()
        };
        let after = device(2560, 0, 10, 0, 0);
        assert_eq!(
            foreign(&Counters::default(), &after, &own, MIB),
            Foreign::default()
        );
    }

    #[test]
    fn merges_and_splits_are_not_foreign() {
        let own = Own {
            read_ios: 2560,
            read_bytes: 10 * MIB,
            ..Own::default()
        };
        let merged = device(640, 1920, 10, 0, 0);
        assert_eq!(
            foreign(&Counters::default(), &merged, &own, MIB).share(),
            0.0
        );
        let own = Own {
            write_ios: 10,
            write_bytes: 40 * MIB,
            ..Own::default()
        };
        let split = device(0, 0, 0, 40, 40);
        assert_eq!(
            foreign(&Counters::default(), &split, &own, MIB).share(),
            0.0
        );
    }

    #[test]
    fn another_writer_shows_in_bytes_or_in_ios() {
        let own = Own {
            read_ios: 90,
            read_bytes: 90 * MIB,
            ..Own::default()
        };
        let seen = foreign(&Counters::default(), &device(90, 0, 90, 10, 10), &own, MIB);
        assert_eq!((seen.bytes, seen.ios), (10 * MIB, 10));
        assert!((seen.bytes_share - 0.1).abs() < 1e-9);
        let small = foreign(&Counters::default(), &device(90, 0, 90, 900, 4), &own, MIB);
        assert!(small.share() > 0.9, "many small writes: {small:?}");
    }

    #[test]
    fn the_other_partition_of_a_disk_is_foreign() {
        let own = Own {
            write_ios: 100,
            write_bytes: 100 * MIB,
            ..Own::default()
        };
        let partition = foreign(&Counters::default(), &device(0, 0, 0, 100, 100), &own, MIB);
        let disk = foreign(&Counters::default(), &device(0, 0, 0, 200, 200), &own, MIB);
        assert_eq!((partition.share(), disk.share()), (0.0, 0.5));
    }

    #[test]
    fn buffered_writes_are_told_from_quiet_disks() {
        let own = Own {
            write_ios: 100,
            write_bytes: 100 * MIB,
            ..Own::default()
        };
        let cached = foreign(&Counters::default(), &device(0, 0, 0, 5, 5), &own, MIB);
        assert_eq!((cached.bytes, cached.unseen_own_bytes), (0, 95 * MIB));
    }
}
