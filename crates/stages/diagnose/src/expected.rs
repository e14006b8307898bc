//! What this storage should give, from its medium, links, arrays, limits and promises; and what the loads say that it gives.
//!
//! A disk begins with the range of its medium ([`medium`]), its link caps it, and each layer above makes something of its
//! members ([`array`]). Limits of the control group and what the provider promises are put on top. A figure that cannot be
//! derived is left out: a virtual disk without a promise has none.

mod array;
mod limits;
mod medium;

#[cfg(test)]
mod tests;

use super::Scene;
use model::check::{Expected, ExpectedWhat, GivenSetting, Probe, Role};
use model::iopath::{Layer, LayerKind};
use model::units;
use std::collections::BTreeMap;

/// From the least that is in order to the most that it can be.
#[derive(Clone, Debug, PartialEq)]
struct ExpectedRange {
    low: f64,
    high: f64,
    because: String,
    source: String,
}

/// Ranges by figure; a figure that nothing is known about is not there.
type Ranges = BTreeMap<ExpectedWhat, ExpectedRange>;

/// What the storage of a scene should give, in the order of a table.
pub fn expected(scene: &Scene<'_>) -> Vec<Expected> {
    let mut ranges = of_layer(&scene.path.root);
    limits::promised(scene, &mut ranges);
    limits::of_control_group(scene, &mut ranges);
    let one = |(what, range): (ExpectedWhat, ExpectedRange)| Expected {
        what,
        low: range.low,
        high: range.high,
        unit: what.unit().into(),
        because: range.because,
        source: range.source,
    };
    ranges.into_iter().map(one).collect()
}

/// What the loads found, in the order of a table.
pub fn gives(scene: &Scene<'_>) -> Vec<GivenSetting> {
    let given = |what: ExpectedWhat, value: f64, how: String| GivenSetting {
        what,
        value,
        unit: what.unit().into(),
        how,
    };
    let rate = |what: ExpectedWhat, role: Role, how: fn(&Probe) -> String| {
        let best = scene
            .all(role)
            .max_by(|one, other| one.bytes_per_s().total_cmp(&other.bytes_per_s()))?;
        let value = if what.unit() == "/s" {
            best.iops()
        } else {
            best.bytes_per_s()
        };
        (value > 0.0).then(|| given(what, value, how(best)))
    };
    let latency = scene.probe(Role::Latency).and_then(|probe| {
        let p99 = units::duration_ns(probe.percentile_us(0.99)? * 1e3);
        Some(given(
            ExpectedWhat::ReadLatency,
            probe.mean_us()?,
            format!("depth 1, p99 {p99}"),
        ))
    });
    let fsyncs = scene.probe(Role::Fsync).and_then(|probe| {
        let seconds = probe.load.elapsed_ms / 1e3;
        let mean = units::duration_ns(probe.load.sync.latency.mean_ns()?);
        Some(given(
            ExpectedWhat::Fsyncs,
            probe.load.sync.ios as f64 / seconds,
            format!("{mean} each"),
        ))
        .filter(|_| seconds > 0.0)
    });
    let found = [
        latency,
        most_reads(scene)
            .map(|(depth, iops)| given(ExpectedWhat::RandomReads, iops, format!("depth {depth}"))),
        rate(ExpectedWhat::SequentialRead, Role::Stream, |probe| {
            format!("reads of {}", units::bytes(probe.job.bs as f64))
        }),
        rate(ExpectedWhat::SequentialReads, Role::Streams, |probe| {
            format!("{} streams", probe.job.numjobs)
        }),
        rate(ExpectedWhat::RandomWrites, Role::Write, |probe| {
            format!("depth {}", probe.load.depth.max(1))
        }),
        rate(ExpectedWhat::SequentialWrite, Role::WriteStream, |probe| {
            format!("writes of {}", units::bytes(probe.job.bs as f64))
        }),
        fsyncs,
    ];
    found.into_iter().flatten().collect()
}

/// Of the depths that gain nothing more than noise over each other, the least counts.
const AS_GOOD: f64 = 0.95;

/// The least depth that gives the most random reads, to five per cent, and how many those are.
fn most_reads(scene: &Scene<'_>) -> Option<(u32, f64)> {
    let best = scene.iops_best().filter(|best| *best > 0.0)?;
    let alone = scene.all(Role::Latency).map(|probe| (1, probe));
    let mut steps: Vec<_> = alone.chain(scene.curve()).collect();
    steps.sort_by_key(|(depth, _)| *depth);
    let step = steps
        .into_iter()
        .find(|(_, probe)| probe.iops() >= best * AS_GOOD);
    step.map(|(depth, _)| (depth, best))
}

/// What a layer should give, by what is below it.
fn of_layer(layer: &Layer) -> Ranges {
    match layer.kind {
        LayerKind::Disk => medium::of_disk(layer),
        LayerKind::Stacked => array::of_members(layer, layer.below.iter().map(of_layer).collect()),
        LayerKind::Unbacked
        | LayerKind::Zram
        | LayerKind::Cluster
        | LayerKind::Pool
        | LayerKind::Osd
        | LayerKind::Machine => Ranges::new(),
        // What a file, a file system, a partition or a loop device adds is small beside what the disk is.
        LayerKind::Target | LayerKind::FileSystem | LayerKind::Partition | LayerKind::Loop => {
            layer.below.first().map(of_layer).unwrap_or_default()
        }
    }
}

/// Lowers a figure to a limit that it cannot pass; a figure that was unknown becomes the limit itself.
fn cap(ranges: &mut Ranges, what: ExpectedWhat, limit: f64, because: &str, source: &str) {
    let range = ranges.entry(what).or_insert_with(|| ExpectedRange {
        low: limit,
        high: f64::INFINITY,
        because: String::new(),
        source: source.into(),
    });
    if range.high > limit {
        range.low = range.low.min(limit);
        range.high = limit;
        let before = if range.because.is_empty() {
            String::new()
        } else {
            format!("{}; ", range.because)
        };
        range.because = format!("{before}{because}");
        if range.source != source {
            range.source = format!("{}; {source}", range.source);
        }
    }
}
