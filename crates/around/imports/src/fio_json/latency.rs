//! Latencies of one kind, in ns whatever fio printed them in.

use super::value::{Bins, Value, ValueMap, as_number, count, map, number};
use model::histogram::{BUCKETS, Histogram, bucket_of, value_of};

/// What fio tells of one kind of latency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latency {
    /// Smallest, ns.
    pub min_ns: f64,
    /// Largest, ns.
    pub max_ns: f64,
    /// Mean, ns.
    pub mean_ns: f64,
    /// Standard deviation, ns.
    pub stddev_ns: f64,
    /// How many; none where fio does not say (before 3.18) and there are no bins.
    pub samples: Option<u64>,
    /// Per cent and ns, the smallest first.
    pub percentiles: Vec<(f64, f64)>,
    /// All latencies, of json+.
    pub bins: Option<Histogram>,
}

impl Latency {
    /// `NAME_ns`, else `NAME`, which is µs.
    pub fn find(direction: &ValueMap, name: &str) -> Option<Latency> {
        let in_ns = map(direction, &format!("{name}_ns")).map(|found| (found, 1.0));
        let (from, unit_ns) = in_ns.or_else(|| Some((map(direction, name)?, 1e3)))?;
        let value = |key| number(from, key).unwrap_or(0.0) * unit_ns;
        let bins = match from.get("bins") {
            Some(Value::Bins(bins)) => Some(histogram(bins, unit_ns)),
            _ => None,
        };
        Some(Latency {
            min_ns: value("min"),
            max_ns: value("max"),
            mean_ns: value("mean"),
            stddev_ns: value("stddev"),
            samples: count(from, "N").or_else(|| bins.as_ref().map(Histogram::total)),
            percentiles: percentiles(from, unit_ns),
            bins,
        })
    }

    /// The value of a percentile that fio was asked for, ns.
    pub fn percentile_ns(&self, per_cent: f64) -> Option<f64> {
        self.percentiles
            .iter()
            .find(|(asked, _)| (asked - per_cent).abs() < 1e-6)
            .map(|(_, value)| *value)
    }
}

/// Until 3.3 the list is padded with `0.00`, which is no percentile.
fn percentiles(from: &ValueMap, unit_ns: f64) -> Vec<(f64, f64)> {
    let all = map(from, "percentile").into_iter().flat_map(ValueMap::iter);
    let mut all: Vec<(f64, f64)> = all
        .filter_map(|(key, value)| Some((key.trim().parse().ok()?, as_number(value)? * unit_ns)))
        .filter(|(per_cent, _): &(f64, f64)| *per_cent > 0.0 && *per_cent <= 100.0)
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

/// The bins in our buckets, which are fio's. Up to 2.19 a bin's key is its index; later it is the latency itself.
fn histogram(bins: &Bins, unit_ns: f64) -> Histogram {
    let mut histogram = Histogram::new();
    for &(key, count) in &bins.counts {
        let value = if bins.is_by_index {
            value_of(key.min(BUCKETS as u64 - 1) as usize)
        } else {
            key
        };
        // One bin of more than this many is damage, and sums must not overflow.
        histogram.add_count(
            bucket_of((value as f64 * unit_ns) as u64),
            count.min(1 << 44),
        );
    }
    histogram
}

/// Gives `lat` what was printed below `clat` in its name.
pub fn move_percentiles(clat: &mut Option<Latency>, lat: &mut Option<Latency>) {
    if let (Some(clat), Some(lat)) = (clat, lat) {
        lat.percentiles = std::mem::take(&mut clat.percentiles);
        // The bins of json+ have their right place in some of these versions.
        lat.bins = lat.bins.take().or_else(|| clat.bins.take());
    }
}
