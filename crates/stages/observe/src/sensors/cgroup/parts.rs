//! The formats of a group's files, and the disks whose I/O is added up.

use crate::parse;
use host::Host;
use std::collections::HashSet;

/// Places among the metrics.
pub(super) const READ_BYTES: usize = 0;
pub(super) const WRITE_BYTES: usize = 1;
pub(super) const READ_IOS: usize = 2;
pub(super) const WRITE_IOS: usize = 3;
const DISCARD_BYTES: usize = 4;
const DISCARD_IOS: usize = 5;
const COST_USAGE: usize = 6;
const COST_WAIT: usize = 7;
const LATENCY: usize = 8;
pub(super) const SOME: usize = 9;
pub(super) const FULL: usize = 10;
pub(super) const MEMORY: usize = 11;
const DIRTY: usize = 12;
const WRITEBACK: usize = 13;
pub(super) const MEMORY_LIMIT: usize = 14;
pub(super) const READ_BYTES_LIMIT: usize = 15;
pub(super) const WRITE_BYTES_LIMIT: usize = 16;
pub(super) const READ_IOS_LIMIT: usize = 17;
pub(super) const WRITE_IOS_LIMIT: usize = 18;
pub(super) const COUNT: usize = 19;

/// What a group tells; NaN where it does not.
pub(super) type Values = [f64; COUNT];

/// Version 1 has no other way to say that there is no limit than a number near the largest.
const UNLIMITED: f64 = (1u64 << 60) as f64;

/// Which devices stand on others. Their I/O is counted again below them. What once did never counts again: when a loop
/// device is detached, all that it ever did would seem to happen at that moment.
#[derive(Debug, Default)]
pub(super) struct Disks {
    stacked: HashSet<Vec<u8>>,
    /// Disks of which version 1 counts nothing, by name.
    uncounted: Vec<String>,
    /// Whether version 1 counts no disk at all, so that nothing is known of a group without a line.
    is_blind: bool,
}

impl Disks {
    pub fn refresh(&mut self, host: &Host) {
        let is_stacked = |name: &String| {
            // A loop device that is free now counts nothing either, and may be attached any time.
            name.starts_with("loop") || !host.list(&format!("/sys/block/{name}/slaves")).is_empty()
        };
        let names = host.list("/sys/block").into_iter().filter(is_stacked);
        let numbers = names.filter_map(|name| host.text(&format!("/sys/block/{name}/dev")));
        self.stacked.extend(numbers.map(Vec::from));
    }

    /// Takes from the root's counters of version 1 which disks are counted. Since Linux 6.10 the kernel begins to count a
    /// disk with the first limit that any group gets on it (`block/blk-throttle.c`, `blk_throtl_init`; seen on 6.18), and
    /// the root has a line of it from then on. What cannot be read says nothing.
    pub fn refresh_counted(&mut self, host: &Host, root: Option<String>) {
        let text = root.and_then(|path| host.text(&path));
        let Some(text) = text else {
            (self.uncounted, self.is_blind) = (Vec::new(), false);
            return;
        };
        let listed: HashSet<&str> = text
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        let number = |name: &str| host.text(&format!("/sys/block/{name}/dev"));
        let has_size = |name: &str| host.number(&format!("/sys/block/{name}/size")) > Some(0);
        let of_disk = |name: String| Some((number(&name)?.trim().to_string(), name));
        let disks = host.list("/sys/block").into_iter().filter_map(of_disk);
        let disks = disks.filter(|(number, name)| {
            !self.stacked.contains(number.as_bytes()) && !name.starts_with("ram") && has_size(name)
        });
        let (counted, uncounted): (Vec<_>, Vec<_>) =
            disks.partition(|(number, _)| listed.contains(number.as_str()));
        self.is_blind = counted.is_empty();
        self.uncounted = uncounted.into_iter().map(|(_, name)| name).collect();
    }

    /// Disks of which control groups of version 1 count nothing.
    pub fn uncounted(&self) -> &[String] {
        &self.uncounted
    }

    fn counts(&self, number: &[u8]) -> bool {
        !self.stacked.contains(number)
    }
}

fn add(cell: &mut f64, number: u64) {
    *cell = if cell.is_nan() {
        number as f64
    } else {
        *cell + number as f64
    };
}

fn pair(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = word.iter().position(|byte| *byte == b'=')?;
    Some((&word[..at], &word[at + 1..]))
}

/// `8:16 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6 cost.usage=7 …`. A group without a line has done nothing.
pub(super) fn io_stat(text: &[u8], disks: &Disks, values: &mut Values) {
    values[READ_BYTES..=WRITE_IOS].fill(0.0);
    for line in parse::lines(text) {
        let mut words = parse::words(line);
        let counts = words.next().is_some_and(|number| disks.counts(number));
        for (key, text) in words.filter(|_| counts).filter_map(pair) {
            let Some(number) = parse::number(text) else {
                continue;
            };
            let place = match key {
                b"rbytes" => READ_BYTES,
                b"wbytes" => WRITE_BYTES,
                b"rios" => READ_IOS,
                b"wios" => WRITE_IOS,
                b"dbytes" if number > 0 => DISCARD_BYTES,
                b"dios" if number > 0 => DISCARD_IOS,
                b"cost.usage" => COST_USAGE,
                b"cost.wait" => COST_WAIT,
                b"avg_lat" => {
                    values[LATENCY] = values[LATENCY].max(number as f64);
                    continue;
                }
                _ => continue,
            };
            add(&mut values[place], number);
        }
    }
}

/// `8:16 Read 4096`: bytes or I/Os of version 1.
pub(super) fn blkio(text: &[u8], is_bytes: bool, disks: &Disks, values: &mut Values) {
    let [read, write, discard] = match is_bytes {
        true => [READ_BYTES, WRITE_BYTES, DISCARD_BYTES],
        false => [READ_IOS, WRITE_IOS, DISCARD_IOS],
    };
    if !disks.is_blind {
        [values[read], values[write]] = [0.0; 2];
    }
    for line in parse::lines(text) {
        let mut words = parse::words(line);
        let (Some(number), Some(kind), Some(count)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Some(count) = parse::number(count).filter(|_| disks.counts(number)) else {
            continue;
        };
        match kind {
            b"Read" => add(&mut values[read], count),
            b"Write" => add(&mut values[write], count),
            b"Discard" if count > 0 => add(&mut values[discard], count),
            _ => {}
        }
    }
}

/// Dirty pages and writeback, of version 1 those of the groups below it too.
pub(super) fn memory_stat(text: &[u8], is_unified: bool, values: &mut Values) {
    let keys: [(&[u8], usize); 2] = match is_unified {
        true => [(b"file_dirty ", DIRTY), (b"file_writeback ", WRITEBACK)],
        false => [(b"total_dirty ", DIRTY), (b"total_writeback ", WRITEBACK)],
    };
    for line in parse::lines(text) {
        for (key, place) in keys {
            if let Some(number) = line.strip_prefix(key).and_then(parse::number) {
                values[place] = number as f64;
            }
        }
    }
}

/// The only number of a file; `max` is none.
pub(super) fn single(text: &[u8]) -> Option<f64> {
    let number = parse::lines(text).next().and_then(parse::number)? as f64;
    (number < UNLIMITED).then_some(number)
}

/// `8:16 rbps=2097152 wbps=max riops=max wiops=120`
pub(super) fn io_max(text: &[u8], values: &mut Values) {
    for (key, text) in parse::lines(text).flat_map(parse::words).filter_map(pair) {
        let place = match key {
            b"rbps" => READ_BYTES_LIMIT,
            b"wbps" => WRITE_BYTES_LIMIT,
            b"riops" => READ_IOS_LIMIT,
            b"wiops" => WRITE_IOS_LIMIT,
            _ => continue,
        };
        if let Some(number) = parse::number(text) {
            values[place] = values[place].min(number as f64);
        }
    }
}

/// `8:16 1048576`: one limit of version 1.
pub(super) fn throttle(text: &[u8], place: usize, values: &mut Values) {
    for line in parse::lines(text) {
        if let Some(number) = parse::words(line).nth(1).and_then(parse::number) {
            values[place] = values[place].min(number as f64);
        }
    }
}
