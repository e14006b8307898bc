//! What a promise comes to at a block size, and which of its limits binds there.

use model::check::Promise;
use serde::Serialize;

/// The sizes of a table, bytes: 4 KiB to 1 MiB.
pub const BLOCK_SIZES: [u64; 9] = [
    4 << 10,
    8 << 10,
    16 << 10,
    32 << 10,
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
];

/// Which limit is met first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bind {
    /// The disk's I/Os a second.
    Iops,
    /// The disk's bytes a second.
    Bandwidth,
    /// The instance's I/Os a second.
    InstanceIops,
    /// The instance's bytes a second.
    InstanceBandwidth,
}

impl Bind {
    /// For people.
    pub fn phrase(self) -> &'static str {
        match self {
            Bind::Iops => "IOPS of the disk",
            Bind::Bandwidth => "bandwidth of the disk",
            Bind::InstanceIops => "IOPS of the instance",
            Bind::InstanceBandwidth => "bandwidth of the instance",
        }
    }
}

/// What there is at a block size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reach {
    /// Block size, bytes.
    pub bs: u64,
    /// I/Os of this size a second.
    pub iops: f64,
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// What keeps it there.
    pub binds: Bind,
    /// As how many an I/O of this size counts.
    pub counted_as: u64,
}

/// As how many one I/O counts.
pub fn counted_as(promise: &Promise, bs: u64) -> u64 {
    promise
        .io_unit_bytes
        .filter(|unit| *unit > 0)
        .map_or(1, |unit| bs.div_ceil(unit).max(1))
}

/// What a promise comes to; none where it says nothing about rates.
pub fn reach(promise: &Promise, bs: u64) -> Option<Reach> {
    let counted = counted_as(promise, bs) as f64;
    let size = bs.max(1) as f64;
    let limits = [
        (promise.iops.map(|iops| iops / counted), Bind::Iops),
        (
            promise.bytes_per_s.map(|bytes| bytes / size),
            Bind::Bandwidth,
        ),
        (
            promise.instance_iops.map(|iops| iops / counted),
            Bind::InstanceIops,
        ),
        (
            promise.instance_bytes_per_s.map(|bytes| bytes / size),
            Bind::InstanceBandwidth,
        ),
    ];
    let known = limits
        .into_iter()
        .filter_map(|(iops, bind)| Some((iops?, bind)));
    let (iops, binds) = known.min_by(|one, other| one.0.total_cmp(&other.0))?;
    Some(Reach {
        bs,
        iops,
        bytes_per_s: iops * size,
        binds,
        counted_as: counted as u64,
    })
}
