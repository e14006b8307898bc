//! What the windows of each arm gave beside their rates: figures of the kernel's counters, and times by layer.

use std::collections::BTreeMap;

use model::figures::{ArmFigures, ArmValue};
use model::layers::{ArmSpan, LayerSide, LayerTimes, Span};

use crate::own_latency::OwnLatency;
use analyse::figures::{Moments, Recipe};
use model::histogram::Histogram;
use observe::EdgeReading;

/// Sums over the windows of every arm.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    recipe: Recipe,
    arms: Vec<Arm>,
}

#[derive(Clone, Debug, Default)]
struct Arm {
    figures: Vec<Moments>,
    layers: LayerTimes,
    means: BTreeMap<(String, LayerSide, Span), Moments>,
    outside: BTreeMap<LayerSide, Moments>,
    latency: OwnLatency,
}

impl Gathered {
    /// Nothing yet, of so many arms.
    pub(super) fn new(recipe: Recipe, arms: usize) -> Self {
        let figures = vec![Moments::default(); recipe.names().count()];
        let arm = Arm {
            figures,
            ..Arm::default()
        };
        Gathered {
            recipe,
            arms: vec![arm; arms],
        }
    }

    /// Takes in what the counters grew by in a window.
    pub(super) fn add_counters(&mut self, arm: usize, from: &EdgeReading, to: &EdgeReading) {
        let elapsed_ns = to.time_ns.saturating_sub(from.time_ns);
        let values = self.recipe.compute(&from.values, &to.values, elapsed_ns);
        for (figure, value) in self.arms[arm].figures.iter_mut().zip(values) {
            value.into_iter().for_each(|value| figure.add(value));
        }
    }

    /// Takes in how long the I/Os of the own load took in a window.
    pub(super) fn add_latency(&mut self, arm: usize, latency: &Histogram) {
        self.arms[arm].latency.add(latency);
    }

    /// Takes in the layers of a window.
    pub(super) fn add_layers(&mut self, arm: usize, layers: &LayerTimes) {
        let arm = &mut self.arms[arm];
        for device in &layers.devices {
            for one in &device.spans {
                let Some(mean_ns) = one.times.mean_ns() else {
                    continue;
                };
                arm.means
                    .entry((device.device.clone(), one.side, one.span))
                    .or_default()
                    .add(mean_ns);
            }
        }
        for one in &layers.outside {
            arm.outside.entry(one.side).or_default().add(one.mean_ns);
        }
        arm.layers.merge(layers);
    }

    /// What the layers come from; none before any were seen.
    pub(super) fn source(&self) -> Option<&str> {
        let seen = self.arms.iter().find(|arm| !arm.means.is_empty());
        seen.map(|arm| arm.layers.source.as_str())
    }

    /// Times by layer and arm.
    pub(super) fn spans(&self, names: &[String]) -> Vec<ArmSpan> {
        let of_arm = |(name, arm): (&String, &Arm)| {
            let spread = |span: ArmSpan| {
                let means = arm
                    .means
                    .get(&(span.device.clone(), span.side, span.span))
                    .copied()
                    .unwrap_or_default();
                ArmSpan {
                    spread_ns: means.spread(),
                    windows: means.count,
                    ..span
                }
            };
            ArmSpan::of(name, &arm.layers)
                .into_iter()
                .map(spread)
                .collect::<Vec<_>>()
        };
        names.iter().zip(&self.arms).flat_map(of_arm).collect()
    }

    /// Every figure that was read under any arm.
    pub(super) fn figures(&self, names: &[String]) -> Vec<ArmFigures> {
        let figure = |(index, (name, unit)): (usize, (&str, &'static str))| {
            let of_arm = |(arm, sums): (&String, &Arm)| {
                let moments = sums
                    .figures
                    .get(index)
                    .filter(|moments| moments.count > 0)?;
                let (value, spread, windows) = (moments.mean, moments.spread(), moments.count);
                Some(ArmValue {
                    arm: arm.clone(),
                    value,
                    spread,
                    windows,
                })
            };
            let arms = names.iter().zip(&self.arms).filter_map(of_arm).collect();
            ArmFigures {
                name: name.to_string(),
                unit: unit.to_string(),
                arms,
            }
        };
        let counted = self.recipe.names().enumerate().map(figure);
        let outside = LayerSide::ALL
            .into_iter()
            .map(|side| self.outside(side, names));
        let mean = self.own_latency("load.mean_us", OwnLatency::mean_us, names);
        let p99 = self.own_latency("load.p99_us", OwnLatency::p99_us, names);
        counted
            .chain(outside)
            .chain([mean, p99])
            .filter(|figure| !figure.arms.is_empty())
            .collect()
    }

    /// A figure of the own load's latency.
    fn own_latency(
        &self,
        name: &str,
        of: fn(&OwnLatency, &str) -> Option<ArmValue>,
        names: &[String],
    ) -> ArmFigures {
        let of_arm = |(name, arm): (&String, &Arm)| of(&arm.latency, name);
        ArmFigures {
            name: name.into(),
            unit: "us".into(),
            arms: names.iter().zip(&self.arms).filter_map(of_arm).collect(),
        }
    }

    /// What of the load's latency lay outside the block layer, in the traced windows.
    fn outside(&self, side: LayerSide, names: &[String]) -> ArmFigures {
        let of_arm = |(name, arm): (&String, &Arm)| {
            let moments = arm.outside.get(&side)?;
            let (value, spread) = (moments.mean / 1e3, moments.spread() / 1e3);
            Some(ArmValue {
                arm: name.clone(),
                value,
                spread,
                windows: moments.count,
            })
        };
        let arms = names.iter().zip(&self.arms).filter_map(of_arm).collect();
        ArmFigures {
            name: format!("load.{}_outside_us", side.name()),
            unit: "us".into(),
            arms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::layers::{DeviceLayers, SpanTimes};
    use model::reading::SeriesName;
    use model::sample::MetricKind;

    fn arms() -> Vec<String> {
        vec!["bfq".to_string(), "none".to_string()]
    }

    #[test]
    fn windows_of_an_arm_become_a_mean_and_a_spread() {
        let columns = ["disk.vda.read_ios", "disk.vda.read_ms"].map(|name| SeriesName {
            name: name.into(),
            kind: MetricKind::Counter,
        });
        let mut gathered = Gathered::new(Recipe::new(columns.to_vec()), 2);
        let reading = |time_ns: u64, values: [f64; 2]| EdgeReading {
            time_ns,
            values: values.to_vec(),
        };
        gathered.add_counters(
            0,
            &reading(0, [0.0, 0.0]),
            &reading(100_000_000, [100.0, 50.0]),
        );
        gathered.add_counters(
            0,
            &reading(0, [0.0, 0.0]),
            &reading(100_000_000, [200.0, 100.0]),
        );
        gathered.add_counters(
            1,
            &reading(0, [9.0, 9.0]),
            &reading(100_000_000, [0.0, 10.0]),
        );
        let figures = gathered.figures(&arms());
        let rate = figures
            .iter()
            .find(|figure| figure.name == "disk.vda.reads_per_s")
            .unwrap();
        let found = rate.of("bfq").unwrap();
        assert_eq!((found.value, found.windows), (1_500.0, 2));
        assert!((found.spread - 500.0 * 2f64.sqrt()).abs() < 1e-9);
        assert!(
            rate.of("none").is_none(),
            "the only window of that arm had a reset"
        );
    }

    #[test]
    fn layers_keep_all_times_and_the_spread_of_their_windows() {
        let layers = |times: &[u64]| {
            let mut histogram = Histogram::new();
            times.iter().for_each(|ns| histogram.record(*ns));
            let spans = vec![SpanTimes {
                side: LayerSide::Read,
                span: Span::D2C,
                times: histogram,
            }];
            let device = DeviceLayers {
                device: "vda".into(),
                devno: "8:0".into(),
                spans,
                counters: BTreeMap::new(),
            };
            LayerTimes {
                source: "eBPF full".into(),
                devices: vec![device],
                outside: vec![],
            }
        };
        let mut gathered = Gathered::new(Recipe::default(), 2);
        assert_eq!(gathered.source(), None);
        gathered.add_layers(1, &layers(&[100, 100, 100]));
        gathered.add_layers(1, &layers(&[120]));
        let spans = gathered.spans(&arms());
        assert_eq!(spans.len(), 1);
        assert_eq!(
            (spans[0].arm.as_str(), spans[0].ios, spans[0].windows),
            ("none", 4, 2)
        );
        assert!(
            (spans[0].mean_ns - 105.0).abs() < 0.1 && (spans[0].spread_ns - 14.14).abs() < 0.1,
            "{spans:?}"
        );
        assert_eq!(gathered.source(), Some("eBPF full"));
    }
}
