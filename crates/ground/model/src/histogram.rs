//! Latency histogram in fio's own bucket layout, so that ours and fio's json+ merge by adding counts.
//!
//! 29 groups of 64 buckets (1,856 in all) hold nanoseconds from 0 to 2^34 (17 s) with at most 1/64 relative width.
//! Source: fio `stat.h`, `FIO_IO_U_PLAT_BITS` 6 and `FIO_IO_U_PLAT_GROUP_NR` 29, unchanged since fio 2.99.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Buckets in the layout.
pub const BUCKETS: usize = 29 * 64;

/// Completions that a document's histogram may count: a million a second for 285 years. Sums of them saturate.
pub const TOTAL_MAX: u64 = 1 << 53;

/// The bucket that holds a latency of `latency_ns`; everything above the layout falls into the last bucket.
#[inline(always)]
pub fn bucket_of(latency_ns: u64) -> usize {
    if latency_ns < 128 {
        return latency_ns as usize;
    }
    let shift = 57 - latency_ns.leading_zeros() as usize;
    let index = ((shift + 1) << 6) + (63 & (latency_ns >> shift) as usize);
    if index < BUCKETS { index } else { BUCKETS - 1 }
}

/// The value fio prints for a bucket: its midpoint in nanoseconds, truncated.
pub fn value_of(bucket: usize) -> u64 {
    if bucket < 128 {
        return bucket as u64;
    }
    let shift = (bucket >> 6) - 1;
    let base = 1u64 << (shift + 6);
    base + (((bucket & 63) as f64 + 0.5) * (1u64 << shift) as f64) as u64
}

/// The least nanosecond of a bucket, which is where the bucket before it ends. Beyond the last one: the end of the layout.
pub fn edge_of(bucket: usize) -> u64 {
    if bucket < 128 {
        return bucket as u64;
    }
    let shift = (bucket >> 6) - 1;
    (64 + (bucket as u64 & 63)) << shift
}

/// Counts of completions by latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram {
            counts: vec![0; BUCKETS],
            total: 0,
        }
    }
}

impl Histogram {
    /// An empty histogram.
    pub fn new() -> Self {
        Self::default()
    }

    /// From counts by bucket index; missing buckets count as empty, surplus ones fall into the last.
    pub fn from_counts(counts: impl IntoIterator<Item = u64>) -> Self {
        let mut histogram = Self::new();
        for (bucket, count) in counts.into_iter().enumerate() {
            histogram.add_count(bucket, count);
        }
        histogram
    }

    /// Counts one completion.
    pub fn record(&mut self, latency_ns: u64) {
        self.add_count(bucket_of(latency_ns), 1);
    }

    /// Adds `count` completions to a bucket.
    pub fn add_count(&mut self, bucket: usize, count: u64) {
        let counted = &mut self.counts[bucket.min(BUCKETS - 1)];
        *counted = counted.saturating_add(count);
        self.total = self.total.saturating_add(count);
    }

    /// Adds all of another histogram's counts.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine = mine.saturating_add(*theirs);
        }
        self.total = self.total.saturating_add(other.total);
    }

    /// What was counted since an earlier copy of the same histogram.
    pub fn since(&self, earlier: &Histogram) -> Histogram {
        let counts = self.counts.iter().zip(&earlier.counts);
        Histogram::from_counts(counts.map(|(now, then)| now.saturating_sub(*then)))
    }

    /// Completions counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Counts by bucket, `BUCKETS` long.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The latency in nanoseconds that a share `quantile` (0 to 1) of completions did not exceed; none when empty.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        let rank = (quantile.clamp(0.0, 1.0) * self.total as f64)
            .ceil()
            .max(1.0) as u64;
        let mut seen = 0;
        self.counts
            .iter()
            .position(|count| {
                seen += count;
                seen >= rank
            })
            .map(value_of)
    }

    /// Mean of the bucket values in nanoseconds; none when empty.
    pub fn mean_ns(&self) -> Option<f64> {
        let sum: f64 = self
            .counts
            .iter()
            .enumerate()
            .map(|(bucket, &n)| value_of(bucket) as f64 * n as f64)
            .sum();
        (self.total > 0).then(|| sum / self.total as f64)
    }
}

/// Written as `[[bucket, count], …]` of the non-empty buckets.
impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.counts
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0),
        )
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let buckets = Vec::<(usize, u64)>::deserialize(deserializer)?;
        let counts = buckets.iter().map(|(_, count)| *count);
        // Documents come from elsewhere too: no sum of histograms that were read may overflow.
        let total = counts.fold(0u64, u64::saturating_add);
        if total > TOTAL_MAX {
            let why = format!("a histogram counts {TOTAL_MAX} completions at most, not {total}");
            return Err(serde::de::Error::custom(why));
        }
        let mut histogram = Histogram::new();
        for (bucket, count) in buckets {
            histogram.add_count(bucket, count);
        }
        Ok(histogram)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Histogram {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Histogram".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = Vec::<(usize, u64)>::json_schema(generator);
        let says = "[[bucket, count], …] of the buckets that are not empty, ascending";
        schema.insert("description".into(), says.into());
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_is_fios() {
        // Pairs of (nanoseconds, index) worked out from fio's plat_val_to_idx.
        for (value, index) in [
            (0, 0),
            (127, 127),
            (128, 128),
            (129, 128),
            (130, 129),
            (255, 191),
            (256, 192),
            (1_000_000, 954),
        ] {
            assert_eq!(bucket_of(value), index, "{value} ns");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn every_value_lies_in_its_own_bucket() {
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(value_of(bucket)), bucket);
        }
    }

    #[test]
    fn a_bucket_reaches_from_its_edge_to_the_next() {
        for bucket in 0..BUCKETS {
            assert_eq!(bucket_of(edge_of(bucket)), bucket);
            assert_eq!(bucket_of(edge_of(bucket + 1) - 1), bucket);
        }
        assert_eq!(edge_of(BUCKETS), 1 << 34, "17 s");
    }

    #[test]
    fn quantiles_are_within_one_bucket_of_an_exact_sort() {
        let mut exact: Vec<u64> = (1..=10_000u64).map(|i| i * i % 7_919_993 + 40).collect();
        let mut histogram = Histogram::new();
        exact.iter().for_each(|&value| histogram.record(value));
        exact.sort_unstable();
        for quantile in [0.5, 0.9, 0.99, 0.999] {
            let wanted = exact[((quantile * exact.len() as f64).ceil() as usize) - 1];
            assert_eq!(
                histogram.quantile_ns(quantile).map(bucket_of),
                Some(bucket_of(wanted))
            );
        }
        assert_eq!(Histogram::new().quantile_ns(0.5), None);
    }

    #[test]
    fn survives_json() {
        let histogram = Histogram::from_counts([0, 3, 0, 7]);
        let text = serde_json::to_string(&histogram).unwrap();
        assert_eq!(text, "[[1,3],[3,7]]");
        assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), histogram);
        let most = format!("[[1,{}],[2,{}]]", u64::MAX, u64::MAX);
        let refused = serde_json::from_str::<Histogram>(&most).unwrap_err();
        assert!(refused.to_string().contains("at most"), "{refused}");
    }
}
