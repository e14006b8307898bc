//! Which time, direction, layers and percentiles the panels on latency show.

use super::{ScreenLook, SideChoice};
use model::histogram::{Histogram, bucket_of, edge_of};
use model::layers::{DeviceLayers, LayerSide};

/// A percentile that rests on ten I/Os at least; the longest time itself where there are fewer than a hundred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tail {
    /// `p99`, `p90`, `max`.
    pub name: &'static str,
    share: f64,
}

/// The highest percentile that so many I/Os can carry, p99 at most.
pub fn tail(ios: u64) -> Tail {
    match ios {
        0..100 => Tail {
            name: "max",
            share: 1.0,
        },
        100..1_000 => Tail {
            name: "p90",
            share: 0.9,
        },
        _ => Tail {
            name: "p99",
            share: 0.99,
        },
    }
}

impl Tail {
    /// Its value, ns. The longest time is given as the end of its bucket: it was no longer than that.
    pub fn of(self, times: &Histogram) -> Option<f64> {
        let value = times.quantile_ns(self.share)?;
        Some(if self.share < 1.0 {
            value as f64
        } else {
            edge_of(bucket_of(value) + 1) as f64
        })
    }
}

/// The longest time, ns, as the end of its bucket.
pub fn longest(times: &Histogram) -> Option<f64> {
    tail(0).of(times)
}

/// The time that the panels over time show, ns. It ends with the last whole step of the layers: the second that is still
/// being counted would look like a gap.
pub fn window(look: &ScreenLook<'_>) -> (i64, i64) {
    let last = look
        .layers
        .steps(look.at_ns - look.span_ns, look.at_ns)
        .last();
    let is_recent = |step: &&observe::LayerStep| {
        let step_ns = step.to_ns - step.from_ns;
        look.at_ns - step.to_ns < 2 * step_ns.max(1_000_000_000)
    };
    let to_ns = last.filter(is_recent).map_or(look.at_ns, |step| step.to_ns);
    (to_ns - look.span_ns, to_ns)
}

/// The direction that was chosen, or the one with more I/O.
pub fn side(choice: SideChoice, device: &DeviceLayers) -> LayerSide {
    let ios = |side: &LayerSide| device.whole(*side).map_or(0, |(_, times)| times.total());
    match choice {
        SideChoice::Read => LayerSide::Read,
        SideChoice::Write => LayerSide::Write,
        SideChoice::Busier => {
            // The first of equals, in place of the last.
            LayerSide::ALL
                .into_iter()
                .rev()
                .max_by_key(ios)
                .unwrap_or(LayerSide::Read)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::layers::{Span, SpanTimes};
    use std::collections::BTreeMap;

    fn device(spans: &[(LayerSide, Span, u64)]) -> DeviceLayers {
        let one = |(side, span, ios): &(LayerSide, Span, u64)| {
            let mut times = Histogram::new();
            times.add_count(bucket_of(100_000), *ios);
            SpanTimes {
                side: *side,
                span: *span,
                times,
            }
        };
        DeviceLayers {
            device: "sda".into(),
            devno: "8:0".into(),
            spans: spans.iter().map(one).collect(),
            counters: BTreeMap::new(),
        }
    }

    #[test]
    fn no_percentile_rests_on_a_handful() {
        assert_eq!(
            [5, 100, 999, 1_000].map(|ios| tail(ios).name),
            ["max", "p90", "p90", "p99"]
        );
        let mut times = Histogram::new();
        times.record(100_000);
        assert_eq!(longest(&times), Some(100_352.0), "the end of the bucket");
        assert_eq!(longest(&Histogram::new()), None);
    }

    #[test]
    fn the_busier_direction_by_its_longest_span() {
        let both = device(&[
            (LayerSide::Read, Span::D2C, 900),
            (LayerSide::Write, Span::D2C, 10),
            (LayerSide::Write, Span::Q2C, 1_000),
        ]);
        assert_eq!(side(SideChoice::Busier, &both), LayerSide::Write);
        assert_eq!(side(SideChoice::Read, &both), LayerSide::Read);
        assert_eq!(both.whole(LayerSide::Write).unwrap().0, Span::Q2C);
        assert_eq!(both.whole(LayerSide::Read).unwrap().0, Span::D2C);
        assert_eq!(side(SideChoice::Busier, &device(&[])), LayerSide::Read);
    }
}
