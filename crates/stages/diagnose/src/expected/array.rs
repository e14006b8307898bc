//! What arrays and volumes make of their members.

use super::{ExpectedRange, Ranges};
use model::check::ExpectedWhat;
use model::iopath::Layer;
use model::units;

/// How many members' worth of a figure an array gives, at least and at most. Random writes of RAID 5 and 6 cost four and six
/// I/Os (Patterson, Gibson, Katz 1988); a mirror serves one stream from one side (md(4)).
struct Factors {
    random_reads: (f64, f64),
    stream: (f64, f64),
    streams: (f64, f64),
    random_writes: (f64, f64),
    stream_write: (f64, f64),
}

const SOURCE: &str = "Patterson, Gibson, Katz: A case for RAID, SIGMOD 1988; md(4)";

/// What a stacked device should give, of its members' ranges. Where a figure of one member is unknown, so is the array's.
pub fn of_members(volume: &Layer, members: Vec<Ranges>) -> Ranges {
    let kind = kind_of(volume);
    let n = members.len() as f64;
    let Some(first) = members.first().cloned() else {
        return Ranges::new();
    };
    let Some((words, factors)) = factors(kind, n) else {
        return Ranges::new();
    };
    if members.len() == 1 {
        return first;
    }
    let mut ranges = Ranges::new();
    for what in ExpectedWhat::ALL {
        let known: Vec<&ExpectedRange> = members
            .iter()
            .filter_map(|member| member.get(&what))
            .collect();
        if known.len() < members.len() {
            continue;
        }
        // The slowest member sets the pace of a stripe.
        let low = known
            .iter()
            .map(|range| range.low)
            .fold(f64::INFINITY, f64::min);
        let high = known
            .iter()
            .map(|range| range.high)
            .fold(f64::INFINITY, f64::min);
        let (least, most) = factors.of(what);
        ranges.insert(
            what,
            ExpectedRange {
                low: low * least,
                high: high * most,
                because: format!("{words}: {}", share(what, least, most, &known[0].because)),
                source: format!("{SOURCE}; {}", known[0].source),
            },
        );
    }
    ranges
}

fn share(what: ExpectedWhat, least: f64, most: f64, of: &str) -> String {
    let number = |value: f64| {
        let text = units::decimals(value, 2);
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    };
    match (what, least == most) {
        (ExpectedWhat::ReadLatency, _) => format!("as {of}"),
        (_, true) => format!("{} times {of}", number(least)),
        (_, false) => format!("{} to {} times {of}", number(least), number(most)),
    }
}

/// The level of an array or the target of a mapping.
fn kind_of(volume: &Layer) -> &str {
    match volume.fact("stack") {
        Some(level) if level.starts_with("raid") || level == "linear" => level,
        _ => volume.fact("mapping").unwrap_or("unknown"),
    }
}

fn factors(kind: &str, n: f64) -> Option<(String, Factors)> {
    let same = |value: f64| (value, value);
    let all = |value: f64| Factors {
        random_reads: same(value),
        stream: same(value),
        streams: same(value),
        random_writes: same(value),
        stream_write: same(value),
    };
    // One stream with little read-ahead may reach one member at a time: at least one, at most all that hold data.
    // A small write reads old data and parity, or the other data disks of the stripe where those are fewer.
    let parity = |data: f64, cost: f64| Factors {
        random_reads: same(n),
        stream: (1.0, data),
        streams: (data / 2.0, n),
        random_writes: same(n / cost.min(n)),
        stream_write: (data / 2.0, data),
    };
    let found = match kind {
        "raid0" | "striped" => Factors {
            stream: (1.0, n),
            ..all(n)
        },
        "raid1" | "mirror" => Factors {
            random_reads: same(n),
            streams: (1.0, n),
            ..all(1.0)
        },
        "raid10" => Factors {
            random_reads: same(n),
            stream: (1.0, n),
            streams: (n / 2.0, n),
            random_writes: same(n / 2.0),
            stream_write: (1.0, n / 2.0),
        },
        // Every small write reads and writes the one parity disk.
        "raid4" => Factors {
            random_reads: same(n - 1.0),
            random_writes: same(0.5),
            ..parity(n - 1.0, 4.0)
        },
        "raid5" => parity(n - 1.0, 4.0),
        "raid6" => parity(n - 2.0, 6.0),
        // A file lies on one member; work that is spread over all of the volume reaches all.
        "linear" => Factors {
            random_reads: (1.0, n),
            streams: (1.0, n),
            random_writes: (1.0, n),
            ..all(1.0)
        },
        // Several paths to one disk, or a layer that hands on what it is given.
        "multipath" | "crypt" => all(1.0),
        _ if n == 1.0 && matches!(kind, "thin" | "thin-pool" | "unknown" | "delay" | "flakey") => {
            all(1.0)
        }
        _ => return None,
    };
    Some((format!("{kind} of {n}", n = units::whole(n)), found))
}

impl Factors {
    fn of(&self, what: ExpectedWhat) -> (f64, f64) {
        match what {
            ExpectedWhat::ReadLatency => (1.0, 1.0),
            ExpectedWhat::RandomReads => self.random_reads,
            ExpectedWhat::SequentialRead => self.stream,
            ExpectedWhat::SequentialReads => self.streams,
            ExpectedWhat::RandomWrites => self.random_writes,
            ExpectedWhat::SequentialWrite => self.stream_write,
            // A flush goes to all members and waits for the last.
            ExpectedWhat::Fsyncs => (0.25, 1.0),
        }
    }
}
