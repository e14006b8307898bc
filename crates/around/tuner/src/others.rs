//! What other programs do on the device while arms are compared.

use experiment::{ForeignIo, OwnAndOthers};
use host::Host;
use kernel::stat::Counters;
use observe::DeviceCounters;
use observe::foreign::{Foreign, Own, foreign};

/// Compares the device's counters with what the load completed.
#[derive(Debug)]
pub(super) struct Others<'a> {
    host: &'a Host,
    /// Directory of the queue's attributes.
    queue: String,
    counters: Option<DeviceCounters>,
    seen: OthersSeen,
}

/// The smallest page that Linux has: larger ones are scattered less.
const PAGE_BYTES: u64 = 4096;

/// What was done so far, by whom.
#[derive(Debug, Default)]
struct OthersSeen {
    own: Own,
    others: Foreign,
    /// The unit of the amounts, once it is chosen.
    unit: Option<AmountUnit>,
}

/// In what an exchange between the load and others is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AmountUnit {
    Bytes,
    Ios,
}

impl<'a> Others<'a> {
    /// Counts on a device where the load is told apart from others: `can_tell`.
    pub(super) fn open(host: &'a Host, device: &str, can_tell: bool) -> Others<'a> {
        Others {
            host,
            queue: format!("/sys/block/{device}/queue"),
            counters: DeviceCounters::open(host, device).ok().filter(|_| can_tell),
            seen: OthersSeen::default(),
        }
    }

    /// The device's counters at an edge of a window's kept part.
    pub(super) fn edge(&mut self) -> Option<Counters> {
        self.counters.as_mut()?.read().ok()
    }

    /// What others did between two edges `kept_ms` apart. With the first window that compares arms the unit is fixed.
    pub(super) fn between(
        &mut self,
        edges: [Option<Counters>; 2],
        own: &Own,
        kept_ms: u64,
        compares: bool,
    ) -> Option<ForeignIo> {
        let [before, after] = edges;
        let done = foreign(&before?, &after?, own, self.request_bytes());
        let amounts = self.seen.take(own, &done, compares);
        let kept_s = kept_ms.max(1) as f64 / 1e3;
        Some(ForeignIo {
            share: done.share(),
            per_second: amounts.map(|[own, others]| OwnAndOthers {
                own: own as f64 / kept_s,
                others: others as f64 / kept_s,
            }),
        })
    }
}

impl Others<'_> {
    /// The largest request that I/O of scattered pages is sure to make: what is larger reaches the device in pieces. A queue takes
    /// `max_segments` pieces of memory at a time (block/blk-merge.c, `bio_split_rw_at`), and a buffer is as scattered as one page a
    /// piece: with 254 of them, as virtio_blk has here on Linux 6.18, 1 MiB is two requests. Read each time: the knob that is tried
    /// may change it.
    fn request_bytes(&self) -> u64 {
        let number = |name: &str| self.host.number(&format!("{}/{name}", self.queue));
        let largest = number("max_sectors_kb").map(|kb| kb.saturating_mul(1 << 10));
        let scattered = number("max_segments").map(|count| count.saturating_mul(PAGE_BYTES));
        let known = [largest, scattered].into_iter().flatten();
        known.min().unwrap_or(u64::MAX)
    }
}

impl OthersSeen {
    /// Adds a window, and gives the own amount and that of others in the unit that was chosen.
    fn take(&mut self, own: &Own, others: &Foreign, compares: bool) -> Option<[u64; 2]> {
        if compares && self.unit.is_none() {
            self.unit = Some(self.unit());
        }
        self.own.read_ios += own.read_ios;
        self.own.write_ios += own.write_ios;
        self.own.read_bytes += own.read_bytes;
        self.own.write_bytes += own.write_bytes;
        self.others.ios += others.ios;
        self.others.bytes += others.bytes;
        Some(match self.unit? {
            AmountUnit::Bytes => [own.bytes(), others.bytes],
            AmountUnit::Ios => [own.ios(), others.ios],
        })
    }

    /// The unit in which others do less: in the other one a few large I/Os, or many small ones, would pass for an exchange
    /// that the device does not make.
    fn unit(&self) -> AmountUnit {
        let bytes = self.others.bytes as f64 / self.own.bytes().max(1) as f64;
        let ios = self.others.ios as f64 / self.own.ios().max(1) as f64;
        if ios < bytes {
            AmountUnit::Ios
        } else {
            AmountUnit::Bytes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amounts(others: &Foreign) -> Option<[u64; 2]> {
        let own = Own {
            read_ios: 1000,
            read_bytes: 1000 * 4096,
            ..Own::default()
        };
        let mut seen = OthersSeen::default();
        assert_eq!(seen.take(&own, others, false), None);
        seen.take(&own, others, true)
    }

    #[test]
    fn what_a_queue_takes_in_pieces_is_known_by_its_segments() {
        let bytes = |attributes: &[(&str, &str)]| {
            let lines = attributes.iter().map(|(name, value)| {
                format!("path: /sys/block/vda/queue/{name}\nlines: 1\n{value}\n")
            });
            let text = format!("iodyno-host 1\n{}", lines.collect::<String>());
            let host = Host::from_archive(host::Archive::parse(&text).unwrap());
            Others::open(&host, "vda", false).request_bytes()
        };
        let large = ("max_sectors_kb", "4096");
        assert_eq!(bytes(&[large]), 4 << 20);
        assert_eq!(bytes(&[large, ("max_segments", "254")]), 254 * 4096);
        assert_eq!(
            bytes(&[("max_sectors_kb", "128"), ("max_segments", "254")]),
            128 << 10
        );
        assert_eq!(bytes(&[]), u64::MAX);
    }

    #[test]
    fn an_exchange_is_counted_where_others_do_less() {
        let large = Foreign {
            ios: 10,
            bytes: 10 << 20,
            ..Foreign::default()
        };
        assert_eq!(amounts(&large), Some([1000, 10]));
        let small = Foreign {
            ios: 1000,
            bytes: 512_000,
            ..Foreign::default()
        };
        assert_eq!(amounts(&small), Some([4_096_000, 512_000]));
    }
}
