//! Counters of a block device: /sys/block/DEVICE/stat (Documentation/block/stat.rst), and behind the name in
//! /proc/diskstats (Documentation/admin-guide/iostats.rst).

use crate::counter::Width::{self, Bits32, Bits64};

/// Bytes of a sector in these counters, whatever the device's block is.
pub const SECTOR_BYTES: u64 = 512;
/// Fewest columns of a device: what Linux 2.6 had. Discards came with 4.18, flushes with 5.5.
pub const COLUMNS_LEAST: usize = 11;

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatColumn {
    /// As the sensors name it: `read_ios`.
    pub name: &'static str,
    /// Where it wraps; none for the one that is no counter.
    pub width: Option<Width>,
}

/// The columns, in order. Times are `unsigned int` of ms, all others `unsigned long` (`part_stat_show` of block/genhd.c).
pub const COLUMNS: [StatColumn; 17] = [
    column("read_ios", Bits64),
    column("read_merges", Bits64),
    column("read_sectors", Bits64),
    column("read_ms", Bits32),
    column("write_ios", Bits64),
    column("write_merges", Bits64),
    column("write_sectors", Bits64),
    column("write_ms", Bits32),
    StatColumn {
        name: "in_flight",
        width: None,
    },
    column("io_ticks_ms", Bits32),
    column("queue_ms", Bits32),
    column("discard_ios", Bits64),
    column("discard_merges", Bits64),
    column("discard_sectors", Bits64),
    column("discard_ms", Bits32),
    column("flush_ios", Bits64),
    column("flush_ms", Bits32),
];

const fn column(name: &'static str, width: Width) -> StatColumn {
    StatColumn {
        name,
        width: Some(width),
    }
}

/// Counters of a disk or a partition since it came, or what they grew by.
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
    /// Of a `stat` file, or of a line of /proc/diskstats behind the name. Columns that this kernel has not are 0, those
    /// that a later one adds are left out.
    pub fn parse(text: &str) -> Option<Counters> {
        let mut columns = [0u64; COLUMNS.len()];
        let mut count = 0;
        for (column, word) in columns.iter_mut().zip(text.split_ascii_whitespace()) {
            *column = word.parse().ok()?;
            count += 1;
        }
        // Partitions had four columns of their own before Linux 2.6.25.
        (count >= COLUMNS_LEAST).then(|| Counters::of(columns))
    }

    /// What was counted since an earlier reading; of the requests in flight, those of now. A counter that was reset
    /// belongs to a device that came anew, and everything it shows has been counted since.
    pub fn since(&self, before: &Counters) -> Counters {
        let mut grown = self.columns();
        for ((after, before), column) in grown.iter_mut().zip(before.columns()).zip(COLUMNS) {
            if let Some(width) = column.width {
                *after = width.grown(before, *after).unwrap_or(*after);
            }
        }
        Counters::of(grown)
    }

    /// Requests completed, of every kind.
    pub fn requests(&self) -> u64 {
        [
            self.read_ios,
            self.write_ios,
            self.discard_ios,
            self.flush_ios,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// As the kernel prints them.
    pub fn print(&self) -> String {
        self.columns().map(|number| number.to_string()).join(" ")
    }

    fn of(columns: [u64; COLUMNS.len()]) -> Counters {
        let [
            read_ios,
            read_merges,
            read_sectors,
            read_ms,
            write_ios,
            write_merges,
            write_sectors,
            write_ms,
            in_flight,
            io_ticks_ms,
            queue_ms,
            discard_ios,
            discard_merges,
            discard_sectors,
            discard_ms,
            flush_ios,
            flush_ms,
        ] = columns;
        Counters {
            read_ios,
            read_merges,
            read_sectors,
            read_ms,
            write_ios,
            write_merges,
            write_sectors,
            write_ms,
            in_flight,
            io_ticks_ms,
            queue_ms,
            discard_ios,
            discard_merges,
            discard_sectors,
            discard_ms,
            flush_ios,
            flush_ms,
        }
    }

    fn columns(&self) -> [u64; COLUMNS.len()] {
        [
            self.read_ios,
            self.read_merges,
            self.read_sectors,
            self.read_ms,
            self.write_ios,
            self.write_merges,
            self.write_sectors,
            self.write_ms,
            self.in_flight,
            self.io_ticks_ms,
            self.queue_ms,
            self.discard_ios,
            self.discard_merges,
            self.discard_sectors,
            self.discard_ms,
            self.flush_ios,
            self.flush_ms,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn eleven_fifteen_seventeen_and_more_columns() {
        let eleven = Counters::parse("    1 2 3 4 5 6 7 8 9 10 11\n").unwrap();
        assert_eq!(
            (eleven.read_ios, eleven.queue_ms, eleven.discard_ios),
            (1, 11, 0)
        );
        let fifteen = Counters::parse("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15").unwrap();
        assert_eq!((fifteen.discard_ms, fifteen.flush_ios), (15, 0));
        let text = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17";
        let seventeen = Counters::parse(text).unwrap();
        assert_eq!((seventeen.write_sectors, seventeen.flush_ms), (7, 17));
        assert_eq!(seventeen.requests(), 1 + 5 + 12 + 16);
        assert_eq!(Counters::parse(&format!("{text} 18 x")), Some(seventeen));
        for damaged in ["", "1 2 3 4", "1 2 x 4 5 6 7 8 9 10 11"] {
            assert_eq!(Counters::parse(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn times_wrap_and_a_device_that_came_anew_counts_from_zero() {
        let before = Counters {
            read_ios: 4_294_967_290,
            read_ms: 4_294_967_290,
            in_flight: 9,
            ..Counters::default()
        };
        let later = Counters {
            read_ios: 4_294_967_299,
            read_ms: 4,
            in_flight: 2,
            ..before
        };
        let grown = later.since(&before);
        assert_eq!((grown.read_ios, grown.read_ms, grown.in_flight), (9, 10, 2));
        let anew = Counters {
            read_ios: 7,
            ..Counters::default()
        };
        assert_eq!(anew.since(&before).read_ios, 7);
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_again(columns in prop::array::uniform17(any::<u64>())) {
            let counters = Counters::of(columns);
            let text = counters.print();
            prop_assert_eq!(Counters::parse(&text), Some(counters));
            prop_assert_eq!(counters.columns(), columns);
        }

        #[test]
        fn no_pair_of_readings_panics(before in prop::array::uniform17(any::<u64>()), after in prop::array::uniform17(any::<u64>())) {
            let grown = Counters::of(after).since(&Counters::of(before));
            prop_assert_eq!(grown.in_flight, after[8]);
            let _ = grown.requests();
        }

        #[test]
        fn any_text_is_counters_or_none(text in any::<String>()) {
            let _ = Counters::parse(&text);
        }
    }
}
