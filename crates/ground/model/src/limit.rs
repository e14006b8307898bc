//! What a control group's limit does to each way of doing I/O, and how groups share a disk, as it was measured.

use crate::target::CgroupLimit;
use serde::{Deserialize, Serialize};

/// The schema of [`LimitReport`].
pub const LIMIT_SCHEMA: &str = "iodyno.limit/1";

/// A way for a program to read or write a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum IoWay {
    /// `O_DIRECT`.
    Direct,
    /// Through the page cache.
    Buffered,
    /// Through the page cache, with an fsync after every few writes.
    Fsync,
    /// Through a mapping of the file.
    Mmap,
    /// Through the page cache, into a file that a process of another group made: under version 2 write-back is charged to
    /// the group that first made a file dirty, until most of its writes come from another for a while.
    Foreign,
}

impl IoWay {
    /// For people, as a subject of a sentence.
    pub fn words(self) -> &'static str {
        match self {
            IoWay::Direct => "direct",
            IoWay::Buffered => "buffered",
            IoWay::Fsync => "buffered with fsync",
            IoWay::Mmap => "mapped",
            IoWay::Foreign => "another group's file",
        }
    }
}

/// What a limit did to a way of doing I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LimitEffect {
    /// The program got what the limit allows.
    Held,
    /// The page cache gave or took the rest; the device moved what the limit allows.
    BehindCache,
    /// The device moved more than the limit allows.
    PassedBy,
    /// Something else was slower: the limit was not reached.
    NotReached,
}

/// Bytes and I/Os.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// Bytes.
    pub bytes: u64,
    /// I/Os.
    pub ios: u64,
}

impl Moved {
    /// In the unit of a limit.
    pub fn of(self, limit: &CgroupLimit) -> u64 {
        match limit.is_in_bytes() {
            true => self.bytes,
            false => self.ios,
        }
    }

    /// What was added since an earlier reading of the same counters.
    pub fn since(self, before: Moved) -> Moved {
        Moved {
            bytes: self.bytes.saturating_sub(before.bytes),
            ios: self.ios.saturating_sub(before.ios),
        }
    }
}

/// One way of doing I/O under a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitedWay {
    /// The way.
    pub way: IoWay,
    /// What the program read or wrote.
    pub program: Moved,
    /// How long it did so, ms.
    pub program_ms: f64,
    /// What the device moved in that direction from the program's start on until everything was written back, or patience
    /// ended: the I/O of others on it is in it.
    pub device: Moved,
    /// What the group was charged in the same time; none where the kernel does not count it.
    pub charged: Option<Moved>,
    /// That time, ms.
    pub device_ms: f64,
    /// Whether all dirty pages of the program were on the device at its end.
    pub is_written_back: bool,
    /// The most dirty pages that the group had, bytes; none where its memory is not counted.
    pub dirty_peak_bytes: Option<u64>,
    /// The longest that a single I/O took, ms.
    pub longest_ms: f64,
    /// What the limit did.
    pub effect: LimitEffect,
    /// The program's record.
    pub record: Option<i64>,
}

/// So far above a limit is no measuring error, a share.
const NEAR: f64 = 0.03;
/// The device is shared with others, so it may move so much more than the limit, a share.
const DEVICE_NEAR: f64 = 0.15;
/// Below this share of a limit something else is slower.
const REACHED: f64 = 0.9;
/// What the kernel lets through in advance: it counts by slices of 100 ms (`block/blk-throttle.c`).
const AHEAD_S: f64 = 0.2;

impl LimitedWay {
    /// Whether the group was charged for what the device moved, or nobody counts it.
    fn is_charged(&self) -> bool {
        let charged = |charged: Moved| charged.bytes * 2 >= self.device.bytes;
        self.charged.is_none_or(charged)
    }

    /// What a limit of so much a second did, where one I/O is so many units of it.
    pub fn effect_of(&self, limit: &CgroupLimit, one: u64) -> LimitEffect {
        let most = limit.limit as f64;
        let ahead = AHEAD_S * most + one as f64;
        let (program_s, device_s) = (self.program_ms / 1e3, self.device_ms / 1e3);
        let program = self.program.of(limit) as f64;
        let device = self.device.of(limit) as f64;
        // Read-ahead is on its way to the page cache when the program ends.
        let is_reached =
            program >= REACHED * most * program_s || device >= REACHED * most * device_s;
        if !is_reached {
            LimitEffect::NotReached
        } else if program <= (1.0 + NEAR) * most * program_s + ahead {
            LimitEffect::Held
        } else if self.is_charged() && device <= (1.0 + DEVICE_NEAR) * most * device_s + ahead {
            LimitEffect::BehindCache
        } else {
            LimitEffect::PassedBy
        }
    }
}

/// A limit with what it did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitMeasured {
    /// The limit.
    pub limit: CgroupLimit,
    /// Each way of doing I/O, in the order measured.
    pub ways: Vec<LimitedWay>,
}

/// One of several groups, or programs, that load a disk at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupShare {
    /// What it moved while all ran, bytes and I/Os.
    pub moved: Moved,
    /// Its 99th percentile of latency, ns; none without I/O.
    pub p99_ns: Option<u64>,
    /// Its record.
    pub record: Option<i64>,
}

/// Several groups at once on one disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupsAtOnce {
    /// How many; the same number of programs without groups of their own where `is_host`.
    pub count: usize,
    /// Whether the programs were in no groups of their own.
    pub is_host: bool,
    /// How long all of them ran at once, ms.
    pub span_ms: f64,
    /// Each.
    pub shares: Vec<GroupShare>,
    /// What the device moved in that time, the I/O of others included.
    pub device: Moved,
}

impl GroupsAtOnce {
    /// What all moved.
    pub fn sum(&self) -> Moved {
        self.shares.iter().fold(Moved::default(), |sum, one| Moved {
            bytes: sum.bytes + one.moved.bytes,
            ios: sum.ios + one.moved.ios,
        })
    }

    /// Jain's index of fairness by bytes: 1 where all got the same, 1 divided by their number where one got everything
    /// (Jain, Chiu, Hawe 1984). None where nobody got anything.
    pub fn fairness(&self) -> Option<f64> {
        let each = self.shares.iter().map(|share| share.moved.bytes as f64);
        let (sum, squares) = each.fold((0.0, 0.0), |(sum, squares), bytes| {
            (sum + bytes, squares + bytes * bytes)
        });
        (squares > 0.0).then(|| sum * sum / (self.shares.len() as f64 * squares))
    }
}

/// What `iodyno limit` found: `iodyno.limit/1`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LimitReport {
    /// [`LIMIT_SCHEMA`].
    pub schema: String,
    /// The directory.
    pub target: String,
    /// The device below it that a limit is on.
    pub device: String,
    /// Its file system; none where that is not known.
    pub fstype: Option<String>,
    /// Of control groups: 1 or 2.
    pub version: u8,
    /// The group that was there and was entered; none where groups were made and removed.
    pub group: Option<String>,
    /// The most memory that a group made for this may have, bytes; none without such a limit.
    pub memory_bytes: Option<u64>,
    /// Limits with what they did.
    pub limits: Vec<LimitMeasured>,
    /// Groups at once, in the order measured.
    pub at_once: Vec<GroupsAtOnce>,
    /// The job of groups at once, in words.
    pub job: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(program: u64, device: u64) -> LimitedWay {
        let moved = |bytes| Moved { bytes, ios: 0 };
        LimitedWay {
            way: IoWay::Buffered,
            program: moved(program << 20),
            program_ms: 5000.0,
            device: moved(device << 20),
            charged: None,
            device_ms: 8000.0,
            is_written_back: true,
            dirty_peak_bytes: None,
            longest_ms: 0.0,
            effect: LimitEffect::Held,
            record: None,
        }
    }

    #[test]
    fn an_effect_is_told_by_what_program_and_device_did() {
        let limit = CgroupLimit {
            what: "wbps".into(),
            limit: 10 << 20,
            ..CgroupLimit::default()
        };
        let effect = |program, device| way(program, device).effect_of(&limit, 1 << 20);
        assert_eq!(effect(52, 52), LimitEffect::Held);
        assert_eq!(effect(400, 82), LimitEffect::BehindCache);
        assert_eq!(effect(400, 400), LimitEffect::PassedBy);
        assert_eq!(effect(20, 20), LimitEffect::NotReached);
    }

    #[test]
    fn fairness_is_one_for_equals_and_a_share_for_a_winner() {
        let of = |bytes: &[u64]| {
            let share = |bytes: &u64| GroupShare {
                moved: Moved {
                    bytes: *bytes,
                    ios: 0,
                },
                ..GroupShare::default()
            };
            let groups = GroupsAtOnce {
                shares: bytes.iter().map(share).collect(),
                ..GroupsAtOnce::default()
            };
            groups.fairness()
        };
        assert_eq!(of(&[5, 5, 5, 5]), Some(1.0));
        assert_eq!(of(&[8, 0, 0, 0]), Some(0.25));
        assert_eq!(of(&[0, 0]), None);
    }
}
