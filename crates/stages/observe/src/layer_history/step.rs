//! What some time added to the layers, without the buckets that stayed empty.

use model::histogram::{BUCKETS, Histogram};
use model::layers::{DeviceLayers, LayerSide, LayerTimes, Span, SpanTimes};
use std::collections::BTreeMap;

/// The I/Os that were completed in some time.
#[derive(Clone, Debug)]
pub struct LayerStep {
    /// Beginning, ns on the sampler's clock.
    pub from_ns: i64,
    /// End, ns.
    pub to_ns: i64,
    devices: Vec<DeviceStep>,
}

#[derive(Clone, Debug)]
struct DeviceStep {
    device: String,
    devno: String,
    spans: Vec<SpanStep>,
    counters: BTreeMap<String, u64>,
}

#[derive(Clone, Debug)]
struct SpanStep {
    side: LayerSide,
    span: Span,
    counts: SpanCounts,
}

/// How many I/Os took how long, by the buckets of [`model::histogram`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanCounts {
    buckets: Box<[u16]>,
    counts: Box<[u32]>,
    total: u64,
}

impl LayerStep {
    /// The times of every device between two moments.
    pub(super) fn new(from_ns: i64, to_ns: i64, times: &LayerTimes) -> Self {
        let span = |one: &SpanTimes| SpanStep {
            side: one.side,
            span: one.span,
            counts: SpanCounts::of(&one.times),
        };
        let device = |one: &DeviceLayers| DeviceStep {
            device: one.device.clone(),
            devno: one.devno.clone(),
            spans: one.spans.iter().map(span).collect(),
            counters: one.counters.clone(),
        };
        LayerStep {
            from_ns,
            to_ns,
            devices: times.devices.iter().map(device).collect(),
        }
    }

    /// Length, s.
    pub fn seconds(&self) -> f64 {
        (self.to_ns - self.from_ns) as f64 / 1e9
    }

    /// Kernel names of the devices that were traced.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.devices.iter().map(|one| one.device.as_str())
    }

    /// The times of a span in one direction of a device; none where no I/O went through it.
    pub fn counts(&self, device: &str, side: LayerSide, span: Span) -> Option<&SpanCounts> {
        let device = self.devices.iter().find(|one| one.device == device)?;
        device
            .spans
            .iter()
            .find(|one| one.side == side && one.span == span)
            .map(|one| &one.counts)
    }

    /// Counts that are kept.
    pub(super) fn cells(&self) -> usize {
        self.devices
            .iter()
            .flat_map(|one| &one.spans)
            .map(|one| one.counts.buckets.len())
            .sum()
    }

    /// Takes in the step that follows.
    pub(super) fn merge(&mut self, next: &LayerStep) {
        self.to_ns = next.to_ns;
        for device in &next.devices {
            match self
                .devices
                .iter_mut()
                .find(|mine| mine.device == device.device)
            {
                Some(mine) => mine.merge(device),
                None => self.devices.push(device.clone()),
            }
        }
    }

    /// Adds one device's times to a sum.
    pub(super) fn add_to(&self, device: &str, sum: &mut Option<DeviceLayers>) {
        let Some(step) = self.devices.iter().find(|one| one.device == device) else {
            return;
        };
        let sum = sum.get_or_insert_with(|| DeviceLayers {
            device: step.device.clone(),
            devno: step.devno.clone(),
            spans: Vec::new(),
            counters: BTreeMap::new(),
        });
        for one in &step.spans {
            let known = sum
                .spans
                .iter()
                .position(|mine| mine.side == one.side && mine.span == one.span);
            let place = known.unwrap_or(sum.spans.len());
            if known.is_none() {
                sum.spans.push(SpanTimes {
                    side: one.side,
                    span: one.span,
                    times: Histogram::new(),
                });
            }
            one.counts
                .iter()
                .for_each(|(bucket, count)| sum.spans[place].times.add_count(bucket, count));
        }
        for (name, count) in &step.counters {
            *sum.counters.entry(name.clone()).or_default() += count;
        }
    }
}

impl DeviceStep {
    fn merge(&mut self, next: &DeviceStep) {
        for one in &next.spans {
            match self
                .spans
                .iter_mut()
                .find(|mine| mine.side == one.side && mine.span == one.span)
            {
                Some(mine) => mine.counts.merge(&one.counts),
                None => self.spans.push(one.clone()),
            }
        }
        for (name, count) in &next.counters {
            *self.counters.entry(name.clone()).or_default() += count;
        }
    }
}

impl SpanCounts {
    fn of(times: &Histogram) -> Self {
        let counts = times.counts().iter().enumerate();
        Self::from_sorted(
            counts
                .filter(|(_, count)| **count > 0)
                .map(|(bucket, count)| (bucket, *count)),
        )
    }

    fn from_sorted(counts: impl Iterator<Item = (usize, u64)>) -> Self {
        let (mut buckets, mut kept, mut total) = (Vec::new(), Vec::new(), 0);
        for (bucket, count) in counts {
            // Four billion I/Os of one latency in an hour are beyond any machine; more would only look like as many.
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            buckets.push(bucket.min(BUCKETS - 1) as u16);
            kept.push(count);
            total += u64::from(count);
        }
        SpanCounts {
            buckets: buckets.into(),
            counts: kept.into(),
            total,
        }
    }

    /// I/Os.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The buckets that are not empty, from the shortest time up, with their I/Os.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        let counts = self.counts.iter().map(|count| u64::from(*count));
        self.buckets
            .iter()
            .map(|bucket| usize::from(*bucket))
            .zip(counts)
    }

    fn merge(&mut self, other: &SpanCounts) {
        let mut sums = [0; BUCKETS];
        self.iter()
            .chain(other.iter())
            .for_each(|(bucket, count)| sums[bucket] += count);
        let counts = sums.into_iter().enumerate().filter(|(_, count)| *count > 0);
        *self = Self::from_sorted(counts);
    }
}
