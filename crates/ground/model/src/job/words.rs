//! The parts of a job as words: the names that a record's JSON has for them. Records are found and compared by these
//! words, so a variant can be renamed in the source and keeps its word; a test holds them to what serde writes.

use super::{Arrivals, BlockSize, Buffers, Distribution, Job, PerDirection, Rate, SyncMode};
use crate::units::size_word;

impl SyncMode {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            SyncMode::None => "none",
            SyncMode::Dsync => "dsync",
            SyncMode::Sync => "sync",
        }
    }
}

impl Arrivals {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Arrivals::Linear => "linear",
            Arrivals::Poisson => "poisson",
        }
    }
}

impl Buffers {
    /// Its word, with its number behind a colon.
    pub fn word(self) -> String {
        match self {
            Buffers::Random => "random".into(),
            Buffers::Compressible(percent) => format!("compressible:{percent}"),
            Buffers::Zeros => "zeros".into(),
        }
    }
}

impl Distribution {
    /// Its word, with its numbers behind a colon.
    pub fn word(&self) -> String {
        match self {
            Distribution::Random => "random".into(),
            Distribution::Zipf(theta) => format!("zipf:{theta}"),
            Distribution::Pareto(power) => format!("pareto:{power}"),
            Distribution::Normal(percent) => format!("normal:{percent}"),
            Distribution::Zoned(zones) => format!("zoned:{}", pairs(zones)),
            Distribution::ZonedAbs(zones) => format!("zoned_abs:{}", pairs(zones)),
        }
    }
}

/// `50/5:30/15`, as fio writes zones.
fn pairs<A: ToString, B: ToString>(all: &[(A, B)]) -> String {
    let words: Vec<String> = all
        .iter()
        .map(|(one, other)| format!("{}/{}", one.to_string(), other.to_string()))
        .collect();
    words.join(":")
}

impl BlockSize {
    /// `4k`, `4k-64k` or `4k/60:64k/40`, as fio writes them.
    pub fn word(&self) -> String {
        match self {
            BlockSize::Fixed(bytes) => size_word(*bytes),
            BlockSize::Range(from, to) => format!("{}-{}", size_word(*from), size_word(*to)),
            BlockSize::Split(parts) => {
                let words: Vec<String> = parts
                    .iter()
                    .map(|(bytes, share)| format!("{}/{share}", size_word(*bytes)))
                    .collect();
                words.join(":")
            }
        }
    }
}

impl Rate {
    /// `free`, `100/s` for I/Os, `10m/s` for bytes.
    fn word(self) -> String {
        match self {
            Rate::Free => "free".into(),
            Rate::Iops(iops) => format!("{iops}/s"),
            Rate::Bytes(bytes) => format!("{}/s", units_of(bytes)),
        }
    }
}

/// A number of bytes with its unit, so that it is not taken for a number of I/Os.
fn units_of(bytes: u64) -> String {
    let word = size_word(bytes);
    if word.ends_with(|c: char| c.is_ascii_digit()) {
        format!("{word}b")
    } else {
        word
    }
}

impl Job {
    /// The block sizes of the directions that the job has, one where they are alike.
    pub fn sizes_word(&self) -> String {
        let all = self.sizes();
        let mut words: Vec<String> = self
            .used(&all)
            .into_iter()
            .map(|size| size.word())
            .collect();
        words.dedup();
        words.join(",")
    }

    /// The speed limits of the directions that the job has, one where they are alike; `free` without any.
    pub fn rate_word(&self) -> String {
        if !self.is_paced() {
            return "free".into();
        }
        let mut words: Vec<String> = self
            .used(&self.rates)
            .into_iter()
            .map(|rate| rate.word())
            .collect();
        words.dedup();
        words.join(",")
    }

    /// What the directions that the job has are given.
    fn used<'a, T>(&self, all: &'a PerDirection<T>) -> Vec<&'a T> {
        let each = [
            (self.rw.reads(), &all.read),
            (self.rw.writes(), &all.write),
            (self.rw.trims(), &all.trim),
        ];
        each.into_iter()
            .filter_map(|(is_used, value)| is_used.then_some(value))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    /// The first name in a value's JSON.
    fn in_a_record(value: &impl Serialize) -> String {
        match serde_json::to_value(value).unwrap() {
            serde_json::Value::String(name) => name,
            serde_json::Value::Object(map) => map.keys().next().unwrap().clone(),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn words_are_the_names_of_a_record() {
        for mode in [SyncMode::None, SyncMode::Dsync, SyncMode::Sync] {
            assert_eq!(mode.word(), in_a_record(&mode));
        }
        for arrivals in [Arrivals::Linear, Arrivals::Poisson] {
            assert_eq!(arrivals.word(), in_a_record(&arrivals));
        }
        let name = |word: String| word.split(':').next().unwrap().to_string();
        for buffers in [Buffers::Random, Buffers::Compressible(30), Buffers::Zeros] {
            assert_eq!(name(buffers.word()), in_a_record(&buffers));
        }
        for distribution in [
            Distribution::Random,
            Distribution::Zipf(1.2),
            Distribution::Pareto(0.2),
            Distribution::Normal(10.0),
            Distribution::Zoned(vec![(50, 5)]),
            Distribution::ZonedAbs(vec![(50, 4096)]),
        ] {
            assert_eq!(name(distribution.word()), in_a_record(&distribution));
        }
    }

    #[test]
    fn numbers_stand_as_fio_writes_them() {
        assert_eq!(Distribution::Zipf(1.2).word(), "zipf:1.2");
        let zones = Distribution::Zoned(vec![(50, 5), (30, 15)]);
        assert_eq!(zones.word(), "zoned:50/5:30/15");
        assert_eq!(BlockSize::Range(4096, 65_536).word(), "4k-64k");
        let split = BlockSize::Split(vec![(4096, 60), (65_536, 40)]);
        assert_eq!(split.word(), "4k/60:64k/40");
        let paced = Job {
            rates: PerDirection::all(Rate::Bytes(1_000)),
            ..Job::default()
        };
        assert_eq!(paced.rate_word(), "1000b/s");
        assert_eq!(Job::default().rate_word(), "free");
    }
}
