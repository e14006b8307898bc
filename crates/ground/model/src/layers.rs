//! Times of block I/O by layer, per device and direction, as the kernel's own events give them.
//!
//! The letters are blktrace's: Q a bio is queued, G it has got a request, I the request is in the scheduler, D the
//! driver has it, C it is done. A layer that a driver or scheduler does not have has no entry; it is never a zero.

use crate::histogram::Histogram;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why there are none where nobody asked for them.
pub const SWITCHED_OFF: &str = "it was switched off (--layers off)";

/// The time between two events of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Span {
    /// Waiting for a request: tags, plugging of what came before, throttling.
    Q2G,
    /// In the submitter's batch (plug), until it reaches the scheduler.
    G2I,
    /// In the scheduler.
    I2D,
    /// From the request to the driver where no scheduler is between them.
    G2D,
    /// In driver and device.
    D2C,
    /// All of it, bio by bio.
    Q2C,
    /// All of it from the request on.
    G2C,
}

impl Span {
    /// Every span in the order of an I/O's life, the sums last.
    pub const ALL: [Span; 7] = [
        Span::Q2G,
        Span::G2I,
        Span::I2D,
        Span::G2D,
        Span::D2C,
        Span::Q2C,
        Span::G2C,
    ];

    /// Those whose means add up to that of the whole, in the order of an I/O's life.
    pub const PARTS: [Span; 5] = [Span::Q2G, Span::G2I, Span::I2D, Span::G2D, Span::D2C];

    /// `Q2G`, …
    pub fn name(self) -> &'static str {
        match self {
            Span::Q2G => "Q2G",
            Span::G2I => "G2I",
            Span::I2D => "I2D",
            Span::G2D => "G2D",
            Span::D2C => "D2C",
            Span::Q2C => "Q2C",
            Span::G2C => "G2C",
        }
    }

    /// What an I/O does meanwhile, in words.
    pub fn phrase(self) -> &'static str {
        match self {
            Span::Q2G => "waiting for a request",
            Span::G2I => "in the submitter's batch",
            Span::I2D => "in the scheduler",
            Span::G2D => "from request to driver",
            Span::D2C => "in driver and device",
            Span::Q2C => "all of it",
            Span::G2C => "all of it from the request on",
        }
    }
}

/// What an I/O does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LayerSide {
    /// Reads.
    Read,
    /// Writes, of zeroes too.
    Write,
    /// Discards.
    Discard,
    /// Flushes of the device's cache that carry no data.
    Flush,
}

impl LayerSide {
    /// Every direction.
    pub const ALL: [LayerSide; 4] = [
        LayerSide::Read,
        LayerSide::Write,
        LayerSide::Discard,
        LayerSide::Flush,
    ];

    /// `read`, …
    pub fn name(self) -> &'static str {
        match self {
            LayerSide::Read => "read",
            LayerSide::Write => "write",
            LayerSide::Discard => "discard",
            LayerSide::Flush => "flush",
        }
    }
}

/// The times of one span in one direction of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanTimes {
    /// Direction.
    pub side: LayerSide,
    /// Span.
    pub span: Span,
    /// How long it took, ns: Q2C and Q2G by bio, the others by request.
    pub times: Histogram,
}

/// One device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceLayers {
    /// Kernel name.
    pub device: String,
    /// `major:minor`.
    pub devno: String,
    /// The spans that any I/O went through.
    pub spans: Vec<SpanTimes>,
    /// What was counted beside the times, by name: `queued`, `merged`, `dropped`, …; those that are zero are left out.
    pub counters: BTreeMap<String, u64>,
}

impl DeviceLayers {
    /// The times of a span, where there are any.
    pub fn times(&self, side: LayerSide, span: Span) -> Option<&Histogram> {
        self.spans
            .iter()
            .find(|one| one.side == side && one.span == span)
            .map(|one| &one.times)
    }

    /// The longest span that a direction has: from queueing where that is traced.
    pub fn whole(&self, side: LayerSide) -> Option<(Span, &Histogram)> {
        [Span::Q2C, Span::G2C, Span::D2C]
            .into_iter()
            .find_map(|span| Some((span, self.times(side, span)?)))
    }

    /// A counter by name; 0 where it never counted.
    pub fn counter(&self, name: &str) -> u64 {
        self.counters.get(name).copied().unwrap_or(0)
    }

    fn since(&self, earlier: &DeviceLayers) -> DeviceLayers {
        let spans = self.spans.iter().filter_map(|now| {
            let times = match earlier.times(now.side, now.span) {
                Some(before) => now.times.since(before),
                None => now.times.clone(),
            };
            (times.total() > 0).then_some(SpanTimes { times, ..*now })
        });
        let counters = self.counters.iter().filter_map(|(name, now)| {
            let more = now.saturating_sub(earlier.counter(name));
            (more > 0).then(|| (name.clone(), more))
        });
        DeviceLayers {
            spans: spans.collect(),
            counters: counters.collect(),
            ..self.bare()
        }
    }

    fn merge(&mut self, other: &DeviceLayers) {
        for one in &other.spans {
            match self
                .spans
                .iter_mut()
                .find(|mine| mine.side == one.side && mine.span == one.span)
            {
                Some(mine) => mine.times.merge(&one.times),
                None => self.spans.push(one.clone()),
            }
        }
        self.spans.sort_by_key(|one| (one.side, one.span));
        for (name, count) in &other.counters {
            *self.counters.entry(name.clone()).or_default() += count;
        }
    }

    fn bare(&self) -> DeviceLayers {
        DeviceLayers {
            device: self.device.clone(),
            devno: self.devno.clone(),
            spans: Vec::new(),
            counters: BTreeMap::new(),
        }
    }
}

/// What of a load's latency lies outside the block layer: from the call that submits an I/O until it is queued on the
/// uppermost device (Q), and from that device's end (C) until the program has the completion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Outside {
    /// Direction.
    pub side: LayerSide,
    /// Mean latency of the load less mean Q2C of the uppermost device, ns.
    pub mean_ns: f64,
    /// The load's mean latency, ns.
    pub latency_mean_ns: f64,
    /// I/Os of the load.
    pub ios: u64,
}

/// The layers of every device of an I/O path, over some time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayerTimes {
    /// What they come from: `eBPF full`, `eBPF lite`, `perf`, `tracefs`, `blktrace`.
    pub source: String,
    /// The devices, from the top of the path down.
    pub devices: Vec<DeviceLayers>,
    /// What of the load's latency is none of these, by direction; absent where the device's I/Os are not the load's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outside: Vec<Outside>,
}

/// The device's I/Os are the load's when their numbers differ by no more than this.
const SAME_IOS: f64 = 0.01;

impl LayerTimes {
    /// What was counted since an earlier reading of the same instrument.
    pub fn since(&self, earlier: &LayerTimes) -> LayerTimes {
        let device = |now: &DeviceLayers| match earlier.device(&now.device) {
            Some(before) => now.since(before),
            None => now.clone(),
        };
        let devices = self.devices.iter().map(device).collect();
        LayerTimes {
            source: self.source.clone(),
            devices,
            outside: Vec::new(),
        }
    }

    /// What of a load's latency is outside the block layer; none where the uppermost device has not seen the load's I/Os
    /// and next to no others, or did more than one for one of the load's: a mean of others says nothing.
    pub fn outside(&self, side: LayerSide, latency: &Histogram) -> Option<Outside> {
        let whole = self.devices.first()?.times(side, Span::Q2C)?;
        let (ios, seen) = (latency.total(), whole.total());
        let is_same = ios > 0 && ios.abs_diff(seen) as f64 <= SAME_IOS * ios as f64;
        let latency_mean_ns = latency.mean_ns()?;
        let mean_ns = latency_mean_ns - whole.mean_ns()?;
        // Histograms are exact to a hundredth or so: a difference below nothing is none that could be told.
        is_same.then_some(Outside {
            side,
            mean_ns: mean_ns.max(0.0),
            latency_mean_ns,
            ios,
        })
    }

    /// Adds what was counted over another time.
    pub fn merge(&mut self, other: &LayerTimes) {
        self.source.clone_from(&other.source);
        for device in &other.devices {
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

    /// A device by its kernel name.
    pub fn device(&self, name: &str) -> Option<&DeviceLayers> {
        self.devices.iter().find(|device| device.device == name)
    }
}

/// What one arm of an experiment spent in one span, over all its windows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmSpan {
    /// The arm: the value of the knob.
    pub arm: String,
    /// Kernel name of the device.
    pub device: String,
    /// Direction.
    pub side: LayerSide,
    /// Span.
    pub span: Span,
    /// I/Os.
    pub ios: u64,
    /// Mean, ns: the means of the spans of an I/O add up, its medians do not.
    pub mean_ns: f64,
    /// Standard deviation between the means of its windows, ns; 0 for a single one.
    #[serde(default)]
    pub spread_ns: f64,
    /// Windows in which it was seen.
    #[serde(default)]
    pub windows: u64,
    /// Median, ns.
    pub p50_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
}

impl ArmSpan {
    /// The spans of an arm, as if all were one window.
    pub fn of(arm: &str, layers: &LayerTimes) -> Vec<ArmSpan> {
        let of_device = |device: &DeviceLayers| {
            let span = |one: &SpanTimes| {
                Some(ArmSpan {
                    arm: arm.to_string(),
                    device: device.device.clone(),
                    side: one.side,
                    span: one.span,
                    ios: one.times.total(),
                    mean_ns: one.times.mean_ns()?,
                    spread_ns: 0.0,
                    windows: 1,
                    p50_ns: one.times.quantile_ns(0.5)?,
                    p99_ns: one.times.quantile_ns(0.99)?,
                })
            };
            device.spans.iter().filter_map(span).collect::<Vec<_>>()
        };
        layers.devices.iter().flat_map(of_device).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(d2c: &[u64], merged: u64) -> LayerTimes {
        let mut times = Histogram::new();
        d2c.iter().for_each(|ns| times.record(*ns));
        let spans = vec![SpanTimes {
            side: LayerSide::Read,
            span: Span::D2C,
            times,
        }];
        let counters = BTreeMap::from([("merged".to_string(), merged)]);
        let device = DeviceLayers {
            device: "vda".into(),
            devno: "253:0".into(),
            spans,
            counters,
        };
        LayerTimes {
            source: "eBPF full".into(),
            devices: vec![device],
            outside: vec![],
        }
    }

    #[test]
    fn a_difference_and_its_start_make_the_end() {
        let (start, end) = (
            layers(&[100, 2_000], 1),
            layers(&[100, 2_000, 90, 5_000], 1),
        );
        let mut sum = end.since(&start);
        let vda = sum.device("vda").unwrap();
        assert_eq!(vda.times(LayerSide::Read, Span::D2C).unwrap().total(), 2);
        assert_eq!(
            (vda.counter("merged"), vda.counters.len()),
            (0, 0),
            "what did not count is left out"
        );
        sum.merge(&start);
        assert_eq!(sum, end);
    }

    #[test]
    fn what_is_outside_the_block_layer_is_told_where_the_ios_are_the_same() {
        let mut times = layers(&[], 0);
        let of = |ns: &[u64], count: u64| {
            let mut histogram = Histogram::new();
            (0..count).for_each(|_| ns.iter().for_each(|ns| histogram.record(*ns)));
            histogram
        };
        times.devices[0].spans = vec![SpanTimes {
            side: LayerSide::Read,
            span: Span::Q2C,
            times: of(&[100], 200),
        }];
        let outside = times
            .outside(LayerSide::Read, &of(&[110, 126], 100))
            .unwrap();
        assert_eq!(
            (outside.mean_ns, outside.latency_mean_ns, outside.ios),
            (18.0, 118.0, 200)
        );
        assert!(
            times.outside(LayerSide::Read, &of(&[118], 202)).is_some(),
            "within a hundredth"
        );
        assert_eq!(
            times.outside(LayerSide::Read, &of(&[118], 203)),
            None,
            "others' I/Os, or not all"
        );
        assert_eq!(times.outside(LayerSide::Write, &of(&[118], 200)), None);
        assert_eq!(
            times
                .outside(LayerSide::Read, &of(&[90], 200))
                .unwrap()
                .mean_ns,
            0.0
        );
    }

    #[test]
    fn a_span_without_io_is_absent() {
        let same = layers(&[100], 0);
        assert!(same.since(&same).devices[0].spans.is_empty());
        assert_eq!(ArmSpan::of("none", &same.since(&same)), []);
    }

    #[test]
    fn names_are_those_of_the_document() {
        let text = serde_json::to_string(&Span::ALL).unwrap();
        let names: Vec<String> = serde_json::from_str(&text).unwrap();
        assert!(
            names
                .iter()
                .zip(Span::ALL)
                .all(|(name, span)| name == span.name())
        );
        let text = serde_json::to_string(&LayerSide::ALL).unwrap();
        let names: Vec<String> = serde_json::from_str(&text).unwrap();
        assert!(
            names
                .iter()
                .zip(LayerSide::ALL)
                .all(|(name, side)| name == side.name())
        );
    }
}
