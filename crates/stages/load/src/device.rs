//! A load as its block device counts it: for engines whose I/O is not ours to time.
//!
//! The counters are looked at every few ms, so that a bin is known as soon as it is over. What grew between two looks
//! is spread evenly over the time between them: normally that is half a bin, after a late look it may be several.

use super::counters::{BIN_NS, lane};
use super::worker::Worker;
use host::Host;
use host::disk_counters::DeviceCounters;
use kernel::stat::{Counters, SECTOR_BYTES};
use std::sync::atomic::Ordering::Relaxed;

/// Time between two looks, ns: half a bin.
pub const LOOK_NS: u64 = BIN_NS / 2;

/// Books what a device completes to one worker's counters.
#[derive(Debug)]
pub struct Watched {
    counters: DeviceCounters,
    first: Counters,
    last: Counters,
    last_ns: u64,
}

impl Watched {
    /// Opens the counters of a device by its kernel name; the error says why there is nothing to see.
    pub fn open(host: &Host, device: &str) -> Result<Watched, String> {
        if host.number(&format!("/sys/class/block/{device}/queue/iostats")) == Some(0) {
            return Err(format!(
                "{device} does not count its I/O; write 1 to /sys/block/{device}/queue/iostats to make it"
            ));
        }
        let mut counters = DeviceCounters::open(host, device).map_err(|error| error.to_string())?;
        let first = counters.read().map_err(|error| error.to_string())?;
        Ok(Watched {
            counters,
            first,
            last: first,
            last_ns: 0,
        })
    }

    /// Begins to count now.
    pub fn begin(&mut self, now_ns: u64) -> Result<(), String> {
        self.first = self.counters.read().map_err(|error| error.to_string())?;
        (self.last, self.last_ns) = (self.first, now_ns);
        Ok(())
    }

    /// Looks once and books what was completed since the last look; how many requests that were.
    pub fn look(&mut self, worker: &Worker) -> Result<u64, String> {
        let now = self.counters.read().map_err(|error| error.to_string())?;
        let now_ns = worker.clock.now_ns();
        let sides = sides(&self.last, &now);
        for side in &sides {
            worker.counters.counted(side.lane, side.ios, side.bytes);
        }
        let ios = sides
            .iter()
            .filter(|side| side.lane != lane::SYNC)
            .map(|side| side.ios)
            .sum();
        let from_ns = self.last_ns.saturating_sub(worker.origin_ns);
        for (at_ns, count) in spread(from_ns, now_ns.saturating_sub(worker.origin_ns), ios) {
            worker.counters.bin(at_ns, count);
        }
        worker
            .counters
            .inflight
            .store(now.in_flight as u32, Relaxed);
        worker.counters.last_ns.store(now_ns, Relaxed);
        (self.last, self.last_ns) = (now, now_ns);
        Ok(ios)
    }

    /// Mean time of a request since the beginning, ns, by kind. The kernel adds it up in ns and shows whole ms
    /// (`part_stat_show`, block/genhd.c, since Linux 4.19), so a mean over a whole run is exact enough and one over a
    /// look of 5 ms would not be; percentiles cannot be had from it at all.
    pub fn means_ns(&self) -> Vec<(&'static str, f64)> {
        let mean =
            |name, ios: u64, ms: u64| (ios > 0).then(|| (name, ms as f64 * 1e6 / ios as f64));
        let done = self.last.since(&self.first);
        [
            mean("read", done.read_ios, done.read_ms),
            mean("write", done.write_ios, done.write_ms),
            mean("flush", done.flush_ios, done.flush_ms),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// What one kind of request did between two looks.
struct DeviceCounterSide {
    lane: usize,
    ios: u64,
    bytes: u64,
}

fn sides(before: &Counters, after: &Counters) -> [DeviceCounterSide; 4] {
    let done = after.since(before);
    let side = |lane, ios, sectors: u64| DeviceCounterSide {
        lane,
        ios,
        bytes: sectors.saturating_mul(SECTOR_BYTES),
    };
    [
        side(lane::READ, done.read_ios, done.read_sectors),
        side(lane::WRITE, done.write_ios, done.write_sectors),
        side(lane::TRIM, done.discard_ios, done.discard_sectors),
        side(lane::SYNC, done.flush_ios, 0),
    ]
}

/// Spreads `count` completions evenly over a span, bin by bin; none is lost and none is made up.
pub fn spread(from_ns: u64, to_ns: u64, count: u64) -> impl Iterator<Item = (u64, u32)> {
    let (first, last) = (
        from_ns / BIN_NS,
        to_ns.max(from_ns + 1).saturating_sub(1) / BIN_NS,
    );
    let length = u128::from((to_ns - from_ns.min(to_ns)).max(1));
    let until = move |at_ns: u64| {
        (u128::from(at_ns.clamp(from_ns, to_ns.max(from_ns)) - from_ns) * u128::from(count)
            / length) as u64
    };
    (first..=last).filter_map(move |bin| {
        let end = if bin == last {
            count
        } else {
            until((bin + 1) * BIN_NS)
        };
        let begin = if bin == first { 0 } else { until(bin * BIN_NS) };
        (end > begin).then(|| (bin * BIN_NS, (end - begin).min(u64::from(u32::MAX)) as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread_of(from_ms: u64, to_ms: u64, count: u64) -> Vec<(u64, u32)> {
        spread(from_ms * 1_000_000, to_ms * 1_000_000, count)
            .map(|(at_ns, count)| (at_ns / BIN_NS, count))
            .collect()
    }

    #[test]
    fn a_prompt_look_fills_one_bin_and_a_late_one_several() {
        assert_eq!(spread_of(0, 5, 7), [(0, 7)]);
        assert_eq!(
            spread_of(5, 10, 7),
            [(0, 7)],
            "the end of a bin belongs to it"
        );
        assert_eq!(spread_of(5, 25, 100), [(0, 25), (1, 50), (2, 25)]);
        assert_eq!(spread_of(7, 7, 3), [(0, 3)], "a span of no length");
        assert_eq!(spread_of(0, 40, 0), []);
    }

    #[test]
    fn nothing_is_lost_whatever_the_span() {
        for seed in 0..2_000 {
            let dice = |n: u64| stats::dice::mix64(seed * 3 + n);
            let (from, length, count) =
                (dice(0) % 90_000_000, dice(1) % 70_000_000, dice(2) % 5_000);
            let sum: u64 = spread(from, from + length, count)
                .map(|(_, count)| u64::from(count))
                .sum();
            assert_eq!(sum, count, "seed {seed}");
        }
    }

    #[test]
    fn a_device_that_does_not_count_is_named() {
        let text = "iodyno-host 1\npath: /sys/class/block/sda/queue/iostats\nlines: 1\n0\n";
        let host = Host::from_archive(host::Archive::parse(text).unwrap());
        assert!(
            Watched::open(&host, "sda")
                .unwrap_err()
                .contains("does not count its I/O")
        );
    }
}
