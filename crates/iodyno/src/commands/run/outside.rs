//! What of a load's latency lies outside the block layer.

use model::histogram::Histogram;
use model::layers::{LayerSide, LayerTimes};
use model::record::{Direction, LoadResult};

/// The layers with what of the load's latency lies outside them.
pub(super) fn told(layers: LayerTimes, loads: &[&LoadResult]) -> LayerTimes {
    let latency = |of: fn(&LoadResult) -> &Direction| {
        let mut all = Histogram::new();
        loads.iter().for_each(|load| all.merge(&of(load).latency));
        all
    };
    let sides = [
        (LayerSide::Read, latency(|load| &load.read)),
        (LayerSide::Write, latency(|load| &load.write)),
        (LayerSide::Discard, latency(|load| &load.trim)),
    ];
    // With a rate to keep, latencies begin when an I/O was due; those from its submission are kept for all directions
    // together, so they can be told where there is one direction.
    let is_open = loads.iter().any(|load| load.service.is_some());
    let used = sides
        .iter()
        .filter(|(_, latency)| latency.total() > 0)
        .count();
    let service = || {
        let mut all = Histogram::new();
        loads
            .iter()
            .filter_map(|load| load.service.as_ref())
            .for_each(|one| all.merge(one));
        all
    };
    let outside = sides
        .iter()
        .filter_map(|(side, latency)| match (is_open, used) {
            (false, _) => layers.outside(*side, latency),
            (true, 1) if latency.total() > 0 => layers.outside(*side, &service()),
            _ => None,
        });
    LayerTimes {
        outside: outside.collect(),
        ..layers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::layers::{DeviceLayers, Span, SpanTimes};

    fn times(ns: u64, count: u64) -> Histogram {
        let mut times = Histogram::new();
        (0..count).for_each(|_| times.record(ns));
        times
    }

    fn load(read_ns: u64, service_ns: Option<u64>) -> LoadResult {
        let read = Direction {
            ios: 100,
            bytes: 0,
            latency: times(read_ns, 100),
        };
        let service = service_ns.map(|ns| times(ns, 100));
        LoadResult {
            read,
            service,
            ..LoadResult::default()
        }
    }

    fn outside_of(loads: &[LoadResult], seen: u64) -> Vec<f64> {
        let spans = vec![SpanTimes {
            side: LayerSide::Read,
            span: Span::Q2C,
            times: times(100, seen),
        }];
        let device = DeviceLayers {
            device: "vda".into(),
            devno: String::new(),
            spans,
            counters: [].into(),
        };
        let layers = LayerTimes {
            devices: vec![device],
            ..LayerTimes::default()
        };
        told(layers, &loads.iter().collect::<Vec<_>>())
            .outside
            .iter()
            .map(|one| one.mean_ns)
            .collect()
    }

    #[test]
    fn all_sections_are_one_load_to_the_device() {
        assert_eq!(outside_of(&[load(120, None)], 100), [20.0]);
        assert_eq!(outside_of(&[load(120, None), load(110, None)], 200), [15.0]);
        assert!(outside_of(&[load(120, None)], 200).is_empty());
    }

    #[test]
    fn waiting_for_its_turn_is_not_outside() {
        assert_eq!(outside_of(&[load(127, Some(105))], 100), [5.0]);
    }
}
