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
    /// Size of its file, bytes, over which it goes again and again.
    pub file_bytes: u64,
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

/// So near to what a weight promises is kept, a share of the whole.
const DUE_NEAR: f64 = 0.1;
/// So far above a limit is no measuring error, a share.
const NEAR: f64 = 0.03;
/// The same of what was written back: the end of that is seen a moment late, a share.
const WRITTEN_NEAR: f64 = 0.15;
/// Below this share of a limit something else is slower.
const REACHED: f64 = 0.9;
/// What the kernel lets through in advance: it counts by slices of 100 ms (`block/blk-throttle.c`).
const AHEAD_S: f64 = 0.2;

impl LimitedWay {
    /// What a limit of so much a second did, where one I/O is so many units of it. What others do on the device has no part
    /// in it.
    pub fn effect_of(&self, limit: &CgroupLimit, one: u64) -> LimitEffect {
        let most = limit.limit as f64;
        let ahead = AHEAD_S * most + one as f64;
        let (program_s, device_s) = (self.program_ms / 1e3, self.device_ms / 1e3);
        let program = self.program.of(limit) as f64;
        let charged = self.charged.map_or(0.0, |charged| charged.of(limit) as f64);
        // Read-ahead is on its way to the page cache when the program ends.
        let is_reached =
            program >= REACHED * most * program_s || charged >= REACHED * most * device_s;
        if !is_reached {
            LimitEffect::NotReached
        } else if program <= (1.0 + NEAR) * most * program_s + ahead {
            LimitEffect::Held
        } else if self.has_passed(limit, (1.0 + WRITTEN_NEAR) * most * device_s + ahead) {
            LimitEffect::PassedBy
        } else {
            LimitEffect::BehindCache
        }
    }

    /// Whether the file came to the device, or from it, uncharged or faster than the limit allows. While it is still being
    /// written, it waits behind the limit.
    fn has_passed(&self, limit: &CgroupLimit, allowed: f64) -> bool {
        let moved = self.program.bytes.min(self.file_bytes);
        let is_uncharged = self
            .charged
            .is_some_and(|charged| charged.bytes * 2 < moved);
        let is_too_fast = limit.is_in_bytes() && moved as f64 > allowed;
        self.is_written_back && (is_uncharged || is_too_fast)
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
    /// Its weight on the disk; none where none was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<u32>,
    /// Its 99th percentile of latency, ns; none without I/O.
    pub p99_ns: Option<u64>,
    /// Its record.
    pub record: Option<i64>,
}

/// Who divides a disk by the weights of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WeightsBy {
    /// The scheduler.
    Bfq,
    /// io.cost, of version 2.
    IoCost,
}

impl WeightsBy {
    /// Its name.
    pub fn words(self) -> &'static str {
        match self {
            WeightsBy::Bfq => "bfq",
            WeightsBy::IoCost => "io.cost",
        }
    }
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

    /// What each is due by its weight and what it got, shares of all that was moved; none where no weights were given, one
    /// group was alone or nobody got anything.
    pub fn dues(&self) -> Option<Vec<(f64, f64)>> {
        let weights: Option<Vec<u32>> = self.shares.iter().map(|share| share.weight).collect();
        let weights = weights.filter(|weights| weights.len() > 1)?;
        let all = f64::from(weights.iter().sum::<u32>());
        let sum = self.sum().bytes as f64;
        let got = self
            .shares
            .iter()
            .map(|share| share.moved.bytes as f64 / sum);
        let due = weights.iter().map(|weight| f64::from(*weight) / all);
        (sum > 0.0).then(|| due.zip(got).collect())
    }

    /// Whether each got what its weight promises, within a tenth of the whole; none as with [`Self::dues`].
    pub fn keeps_weights(&self) -> Option<bool> {
        let is_near = |(due, got): &(f64, f64)| (due - got).abs() <= DUE_NEAR;
        self.dues().map(|dues| dues.iter().all(is_near))
    }

    /// How evenly their bytes are shared, [`stats::jain`]; none where nobody got anything.
    pub fn fairness(&self) -> Option<f64> {
        let each = self.shares.iter().map(|share| share.moved.bytes as f64);
        stats::jain(&each.collect::<Vec<_>>())
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
    /// The weights of groups at once, by turns; empty where none were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weights: Vec<u32>,
    /// Who acts on weights of this device now; none where nobody does or none were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_by: Option<WeightsBy>,
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

    fn way(program: u64, charged: u64, is_written_back: bool) -> LimitedWay {
        let moved = |mib: u64| Moved {
            bytes: mib << 20,
            ios: mib,
        };
        LimitedWay {
            way: IoWay::Buffered,
            file_bytes: 200 << 20,
            program: moved(program),
            program_ms: 5000.0,
            device: moved(charged),
            charged: Some(moved(charged)),
            device_ms: 8000.0,
            is_written_back,
            dirty_peak_bytes: None,
            longest_ms: 0.0,
            effect: LimitEffect::Held,
            record: None,
        }
    }

    #[test]
    fn an_effect_is_told_by_what_the_program_got_and_the_group_was_charged() {
        let limit = |what: &str, limit| CgroupLimit {
            what: what.into(),
            limit,
            ..CgroupLimit::default()
        };
        let bytes = |way: LimitedWay| way.effect_of(&limit("wbps", 10 << 20), 1 << 20);
        assert_eq!(bytes(way(52, 52, true)), LimitEffect::Held);
        assert_eq!(bytes(way(45, 79, true)), LimitEffect::Held, "read ahead");
        assert_eq!(bytes(way(400, 82, false)), LimitEffect::BehindCache);
        assert_eq!(
            bytes(way(400, 200, true)),
            LimitEffect::PassedBy,
            "too fast"
        );
        assert_eq!(bytes(way(400, 0, true)), LimitEffect::PassedBy, "uncharged");
        assert_eq!(bytes(way(20, 20, true)), LimitEffect::NotReached);
        let ios = |way: LimitedWay| way.effect_of(&limit("wiops", 10), 1);
        assert_eq!(ios(way(400, 0, true)), LimitEffect::PassedBy);
        assert_eq!(ios(way(400, 100, true)), LimitEffect::BehindCache, "merged");
    }

    #[test]
    fn a_weight_is_kept_where_its_share_came() {
        let of = |each: &[(Option<u32>, u64)]| GroupsAtOnce {
            shares: each
                .iter()
                .map(|(weight, bytes)| GroupShare {
                    weight: *weight,
                    moved: Moved {
                        bytes: *bytes,
                        ios: 0,
                    },
                    ..GroupShare::default()
                })
                .collect(),
            ..GroupsAtOnce::default()
        };
        let kept = |each: &[(Option<u32>, u64)]| of(each).keeps_weights();
        assert_eq!(kept(&[(Some(100), 25), (Some(400), 75)]), Some(true));
        assert_eq!(kept(&[(Some(100), 50), (Some(400), 50)]), Some(false));
        assert_eq!(
            of(&[(Some(100), 1), (Some(300), 3)]).dues().unwrap()[1],
            (0.75, 0.75)
        );
        for none in [
            &[(Some(100), 5)][..],
            &[(None, 5), (None, 5)],
            &[(Some(1), 0), (Some(1), 0)],
        ] {
            assert_eq!(kept(none), None, "{none:?}");
        }
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
