//! What the streams did, each and together, in words.

use super::StreamDone;
use model::job::Rw;
use model::units;
use std::sync::{Mutex, PoisonError};

/// Streams that are told one by one; of more, the slowest and the fastest.
const MOST: usize = 8;

/// Collects what each stream did; the last to come has it told.
#[derive(Debug)]
pub struct Report {
    streams: usize,
    done: Mutex<Vec<StreamDone>>,
}

impl Report {
    /// For so many streams.
    pub fn new(streams: u32) -> Report {
        Report {
            streams: streams as usize,
            done: Mutex::new(Vec::new()),
        }
    }

    /// Adds one stream; with the last one, all that is to be told.
    pub fn add(&self, done: StreamDone, rw: Rw) -> Vec<String> {
        let mut all = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(done);
        if all.len() < self.streams {
            Vec::new()
        } else {
            told(&mut all, rw)
        }
    }
}

fn told(all: &mut [StreamDone], rw: Rw) -> Vec<String> {
    all.sort_by_key(|done| done.index);
    if all.len() <= MOST {
        return all
            .iter()
            .map(|done| format!("stream {}: {}", done.index + 1, sentence(done, rw)))
            .collect();
    }
    all.sort_by(|a, b| bytes_per_s(a).total_cmp(&bytes_per_s(b)));
    let ends = [("slowest", all.first()), ("fastest", all.last())];
    ends.into_iter()
        .filter_map(|(word, done)| {
            let done = done?;
            Some(format!(
                "the {word} of {} streams, {}: {}",
                all.len(),
                done.index + 1,
                sentence(done, rw)
            ))
        })
        .collect()
}

fn bytes_per_s(done: &StreamDone) -> f64 {
    done.bytes as f64 / (done.moving_ns + done.sync_ns.unwrap_or(0)).max(1) as f64 * 1e9
}

/// `write of 1.00 GiB in 1.20 s, then fsync in 2.31 s of what was only in the page cache (800 MiB): 291 MiB/s, 853 MiB/s
/// without fsync`.
fn sentence(done: &StreamDone, rw: Rw) -> String {
    let moved = format!(
        "{} of {} in {}",
        rw.word(),
        units::bytes(done.bytes as f64),
        units::duration_ns(done.moving_ns as f64)
    );
    let rate = units::bytes_per_s(bytes_per_s(done));
    let Some(sync_ns) = done.sync_ns else {
        return format!("{moved}: {rate}");
    };
    let cached = match done.unwritten_bytes {
        None => String::new(),
        Some(bytes) => format!(
            " of the {} that were only in the page cache",
            units::bytes(bytes as f64)
        ),
    };
    let without = units::bytes_per_s(done.bytes as f64 / done.moving_ns.max(1) as f64 * 1e9);
    format!(
        "{moved}, then fsync in {}{cached}: {rate}, it would be {without} without fsync",
        units::duration_ns(sync_ns as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(index: u32, seconds: u64) -> StreamDone {
        StreamDone {
            index,
            bytes: 1 << 30,
            moving_ns: seconds * 1_000_000_000,
            ..StreamDone::default()
        }
    }

    #[test]
    fn the_last_stream_tells_all_in_their_order() {
        let report = Report::new(2);
        assert!(report.add(done(1, 2), Rw::Read).is_empty());
        let told = report.add(done(0, 4), Rw::Read);
        assert_eq!(
            told,
            [
                "stream 1: read of 1.00 GiB in 4.00 s: 256 MiB/s",
                "stream 2: read of 1.00 GiB in 2.00 s: 512 MiB/s"
            ]
        );
    }

    #[test]
    fn a_write_says_what_fsync_cost() {
        let wrote = StreamDone {
            unwritten_bytes: Some(800 << 20),
            sync_ns: Some(3_000_000_000),
            ..done(0, 1)
        };
        assert_eq!(
            Report::new(1).add(wrote, Rw::Write),
            [
                "stream 1: write of 1.00 GiB in 1.00 s, then fsync in 3.00 s of the 800 MiB that were only in the page \
              cache: 256 MiB/s, it would be 1.00 GiB/s without fsync"
            ]
        );
    }

    #[test]
    fn of_many_the_ends_are_told() {
        let report = Report::new(20);
        let told: Vec<String> = (0..20)
            .flat_map(|index| report.add(done(index, u64::from(index) + 1), Rw::Read))
            .collect();
        assert_eq!(told.len(), 2);
        assert!(
            told[0].starts_with("the slowest of 20 streams, 20:"),
            "{}",
            told[0]
        );
        assert!(
            told[1].starts_with("the fastest of 20 streams, 1:"),
            "{}",
            told[1]
        );
    }
}
