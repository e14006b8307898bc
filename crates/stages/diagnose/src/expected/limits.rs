//! What a provider promises, and what the control group allows.

use super::{ExpectedRange, Ranges, cap};
use crate::Scene;
use crate::seen::{limited, limits};
use model::check::{ExpectedWhat, Promise};
use model::units;

const RATES: [ExpectedWhat; 2] = [ExpectedWhat::RandomReads, ExpectedWhat::RandomWrites];
const BYTES: [ExpectedWhat; 3] = [
    ExpectedWhat::SequentialRead,
    ExpectedWhat::SequentialReads,
    ExpectedWhat::SequentialWrite,
];

/// A promise is both: what it should be, and no more than that.
pub fn promised(scene: &Scene<'_>, ranges: &mut Ranges) {
    let Some(promise) = scene.promise else { return };
    let steady = (
        least(promise.iops, promise.instance_iops),
        least(promise.bytes_per_s, promise.instance_bytes_per_s),
    );
    let burst = (
        least(promise.burst_iops, promise.instance_iops).or(steady.0),
        least(promise.burst_bytes_per_s, promise.instance_bytes_per_s).or(steady.1),
    );
    for (figures, low, high) in [
        (RATES.as_slice(), steady.0, burst.0),
        (BYTES.as_slice(), steady.1, burst.1),
    ] {
        let Some((low, high)) = low.zip(high) else {
            continue;
        };
        for what in figures {
            // Small I/Os come no faster than bytes are let through.
            let bytes = burst
                .1
                .filter(|_| what.unit() == "/s")
                .map_or(f64::INFINITY, |bytes| bytes / 4096.0);
            let because = because(promise, *what, high);
            let source = promise.source.clone();
            ranges.insert(
                *what,
                ExpectedRange {
                    low: low.min(bytes),
                    high: high.max(low).min(bytes),
                    because,
                    source,
                },
            );
        }
    }
}

/// The lower of two limits, where there are any.
fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).min_by(f64::total_cmp)
}

fn because(promise: &Promise, what: ExpectedWhat, high: f64) -> String {
    let name = promise.name();
    let instance = if what.unit() == "/s" {
        promise.instance_iops
    } else {
        promise.instance_bytes_per_s
    };
    let own = if what.unit() == "/s" {
        promise.burst_iops.or(promise.iops)
    } else {
        promise.burst_bytes_per_s.or(promise.bytes_per_s)
    };
    match instance {
        Some(instance) if instance == high && own != Some(high) => {
            let disk = name.as_deref().unwrap_or("the disk");
            format!("the instance's limit, below that of {disk}")
        }
        _ => match name {
            Some(name) => format!("promised for {name}"),
            None => "promised by the figures of --disk-spec".into(),
        },
    }
}

const GROUP_SOURCE: &str = "io.max and blkio.throttle of the groups that this runs in";

/// `vda riops 1000; vda wbps 1048576`: limits of the disks of this path.
pub fn of_control_group(scene: &Scene<'_>, ranges: &mut Ranges) {
    for limit in limits(scene) {
        let per_s = limit.limit as f64;
        let Some(device) = limited(scene, &limit).map(|layer| layer.name.as_str()) else {
            continue;
        };
        let figures: &[ExpectedWhat] = match limit.what.as_str() {
            "riops" => &[ExpectedWhat::RandomReads],
            "wiops" => &[ExpectedWhat::RandomWrites],
            "rbps" => &[ExpectedWhat::SequentialRead, ExpectedWhat::SequentialReads],
            "wbps" => &[ExpectedWhat::SequentialWrite],
            _ => continue,
        };
        for what in figures {
            cap(
                ranges,
                *what,
                per_s,
                &format!("the control group allows {} on {device}", what.words(per_s)),
                GROUP_SOURCE,
            );
        }
        // Bytes bind small I/Os too.
        let small = match limit.what.as_str() {
            "rbps" => Some(ExpectedWhat::RandomReads),
            "wbps" => Some(ExpectedWhat::RandomWrites),
            _ => None,
        };
        if let Some(what) = small.filter(|what| {
            ranges
                .get(what)
                .is_some_and(|range| range.high > per_s / 4096.0)
        }) {
            let because = format!(
                "the control group allows {} on {device}",
                units::bytes_per_s(per_s)
            );
            cap(ranges, what, per_s / 4096.0, &because, GROUP_SOURCE);
        }
    }
}
