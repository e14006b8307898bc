//! Times by layer in words: a table for a run, a sentence for what an experiment moved.

use model::layers::{ArmSpan, DeviceLayers, LayerTimes, Side, Span};
use model::record::Trial;
use model::units;
use model::verdict::Outcome;

/// Width of a time in the table.
const CELL: usize = 9;
/// Counters that a reader of the times must know, with their words.
const NOTABLE: [(&str, &str); 9] = [
    ("unseen", "without a seen end"),
    ("dropped", "not followed"),
    ("unmatched", "without a seen beginning"),
    ("untimed", "without time stamps"),
    ("unwalked", "requests of too many bios"),
    ("errored", "failed"),
    ("requeued", "requeued"),
    ("split", "split off"),
    ("merged", "merged"),
];

/// The table of a run: a line of medians and one of 99th percentiles for each device and direction, 80 columns wide.
/// A layer that a device does not have is a dash.
pub fn lines(layers: &LayerTimes) -> Vec<String> {
    let spans: Vec<Span> = Span::ALL.into_iter().filter(|span| has(layers, *span)).collect();
    if spans.is_empty() {
        return Vec::new();
    }
    let head: String = spans.iter().map(|span| format!("{:>CELL$}", span.name())).collect();
    let mut lines = vec![format!("  {:<21}{head}", format!("layers, {}", layers.source))];
    let mut has_gap = false;
    for device in &layers.devices {
        for side in Side::ALL.into_iter().filter(|side| device.spans.iter().any(|one| one.side == *side)) {
            has_gap |= spans.iter().any(|span| device.times(side, *span).is_none());
            lines.push(row(device, side, &spans, 0.5, "p50"));
            lines.push(row(device, side, &spans, 0.99, "p99"));
        }
    }
    if has_gap {
        lines.push("  – is a layer that this device or its scheduler does not have".into());
    }
    lines.extend(layers.devices.iter().filter_map(notable).map(|words| format!("  {words}")));
    lines
}

fn has(layers: &LayerTimes, span: Span) -> bool {
    layers.devices.iter().flat_map(|device| &device.spans).any(|one| one.span == span)
}

fn row(device: &DeviceLayers, side: Side, spans: &[Span], share: f64, name: &str) -> String {
    let who = if share == 0.5 { format!("{} {}", device.device, side.name()) } else { String::new() };
    let cell = |span: &Span| {
        let value = device.times(side, *span).and_then(|times| times.quantile_ns(share));
        format!("{:>CELL$}", value.map_or_else(|| "–".into(), |ns| units::duration_ns(ns as f64)))
    };
    format!("  {who:<17}{name:<4}{}", spans.iter().map(cell).collect::<String>())
}

/// What a reader of a device's times must know: `vda of 1.00 k I/Os: 3 without a seen end`.
pub fn notable(device: &DeviceLayers) -> Option<String> {
    let counted = NOTABLE.iter().filter_map(|(name, words)| {
        let count = device.counter(name);
        (count > 0).then(|| format!("{} {words}", units::count(count as f64)))
    });
    let words: Vec<String> = counted.collect();
    let of = units::count(device.counter("queued") as f64);
    let of = if device.counter("queued") > 0 { format!(" of {of} I/Os") } else { String::new() };
    (!words.is_empty()).then(|| format!("{}{of}: {}", device.device, words.join(", ")))
}

/// Where a winner's gain came from: `where: G2D 410 µs → 3.00 µs, D2C 88.0 µs unchanged (means)`. None for a trial
/// without a winner or without layers.
pub fn where_sentence(trial: &Trial) -> Option<String> {
    let verdict = trial.verdict.as_ref().filter(|verdict| verdict.outcome == Outcome::Better)?;
    let found = trial.arms.first().filter(|found| **found != verdict.arm)?;
    let side = main_side(trial, found)?;
    let (before, after) = (Parts::of(trial, found, side)?, Parts::of(trial, &verdict.arm, side)?);
    let whole_ns: f64 = before.0.iter().map(|(_, ns)| ns).sum();
    let sentence = |(name, from): &(&str, f64)| {
        let (_, to) = after.0.iter().find(|(other, _)| other == name)?;
        let is_same = (to - from).abs() < 0.02 * whole_ns || (to / from - 1.0).abs() < 0.05;
        Some(match is_same {
            true => format!("{name} {} unchanged", units::duration_ns(*from)),
            false => format!("{name} {} → {}", units::duration_ns(*from), units::duration_ns(*to)),
        })
    };
    let parts: Vec<String> = before.0.iter().filter_map(sentence).collect();
    (!parts.is_empty())
        .then(|| format!("  where: {} (means, {} of {})", parts.join(", "), side.name(), trial.device))
}

/// The direction in which most of the I/O went.
fn main_side(trial: &Trial, arm: &str) -> Option<Side> {
    let of_device = trial.layers.iter().filter(|one| one.device == trial.device && one.arm == arm);
    of_device.max_by_key(|one| one.ios).map(|one| one.side)
}

/// An I/O's time in parts that every scheduler has: waiting for a request, before the driver, in the device.
struct Parts(Vec<(&'static str, f64)>);

impl Parts {
    fn of(trial: &Trial, arm: &str, side: Side) -> Option<Parts> {
        let mean = |span: Span| {
            let is_it = |one: &&ArmSpan| {
                one.arm == arm && one.device == trial.device && one.side == side && one.span == span
            };
            trial.layers.iter().find(is_it).map(|one| one.mean_ns)
        };
        let device = mean(Span::D2C);
        // The parts of the full strength, else what the lite one leaves between its two times.
        let before = match (mean(Span::G2D), mean(Span::G2I), mean(Span::I2D)) {
            (Some(direct), _, _) => Some(direct),
            (None, Some(plug), Some(scheduler)) => Some(plug + scheduler),
            _ => mean(Span::G2C).zip(device).map(|(whole, device)| (whole - device).max(0.0)),
        };
        // A whole without its parts says nothing about where.
        let known = [("G2D", before?), ("D2C", device?)];
        Some(Parts(mean(Span::Q2G).map(|ns| ("Q2G", ns)).into_iter().chain(known).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::histogram::Histogram;
    use model::layers::SpanTimes;
    use model::verdict::{Reason, Verdict};
    use std::collections::BTreeMap;

    fn device(name: &str, spans: &[(Span, u64)]) -> DeviceLayers {
        let one = |(span, ns): &(Span, u64)| {
            let mut times = Histogram::new();
            times.record(*ns);
            SpanTimes { side: Side::Read, span: *span, times }
        };
        let spans = spans.iter().map(one).collect();
        let counters = BTreeMap::from([("queued".to_string(), 1_000), ("unseen".to_string(), 3)]);
        DeviceLayers { device: name.into(), devno: "7:0".into(), spans, counters }
    }

    #[test]
    fn an_absent_layer_is_a_dash_and_the_table_fits_a_terminal() {
        let upper =
            device("loop0", &[(Span::Q2G, 700), (Span::G2D, 400), (Span::D2C, 90_000), (Span::Q2C, 91_000)]);
        let spans = [Span::Q2G, Span::G2I, Span::I2D, Span::D2C, Span::Q2C].map(|span| (span, 1_234_567));
        let layers =
            LayerTimes { source: "eBPF full".into(), devices: vec![upper, device("nvme0n1", &spans)] };
        let lines = lines(&layers);
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
        assert!(lines[1].starts_with("  loop0 read       p50"), "{lines:#?}");
        assert_eq!(lines[1].matches('–').count(), 2, "G2I and I2D: {lines:#?}");
        assert_eq!(lines[3].matches('–').count(), 1, "G2D: {lines:#?}");
        assert!(
            lines.iter().any(|line| line == "  loop0 of 1.00 k I/Os: 3 without a seen end"),
            "{lines:#?}"
        );
    }

    #[test]
    fn nothing_traced_is_no_table() {
        assert!(super::lines(&LayerTimes::default()).is_empty());
    }

    fn won_by_none() -> Verdict {
        Verdict {
            outcome: Outcome::Better,
            arm: "none".into(),
            reason: Reason::Confirmed,
            sentence: "The noise is too large.".into(),
            effect: Some(0.59),
            low: Some(0.57),
            high: Some(0.61),
            estimated_in: None,
            compared: None,
            windows: 0,
            device_ms: 0,
            seed: 7,
            alpha: 0.05,
            rope: 0.02,
            window_ms: 120,
            washout_ms: 40,
            horizon_ms: 0,
            raw_effect: None,
            lives_in_tail: false,
            smallest_detectable: None,
            p99: None,
            arms: vec![],
            stages: vec![],
            pairs: vec![],
            notes: vec![],
        }
    }

    fn span(arm: &str, span: Span, mean_ns: f64) -> ArmSpan {
        let (arm, device) = (arm.to_string(), "loop0".to_string());
        ArmSpan { arm, device, side: Side::Read, span, ios: 9, mean_ns, p50_ns: 0, p99_ns: 0 }
    }

    fn sentence(layers: Vec<ArmSpan>) -> Option<String> {
        where_sentence(&Trial {
            knob: "scheduler".into(),
            device: "loop0".into(),
            arms: vec!["bfq".into(), "none".into()],
            aa: false,
            skipped: None,
            summary: String::new(),
            verdict: Some(won_by_none()),
            layers,
        })
    }

    #[test]
    fn a_gain_is_placed_in_its_layer() {
        let full = vec![
            span("bfq", Span::G2I, 10_000.0),
            span("bfq", Span::I2D, 400_000.0),
            span("bfq", Span::D2C, 88_000.0),
            span("none", Span::G2D, 3_000.0),
            span("none", Span::D2C, 88_900.0),
        ];
        let said = sentence(full).unwrap();
        assert_eq!(said, "  where: G2D 410 µs → 3.00 µs, D2C 88.0 µs unchanged (means, read of loop0)");
        let lite = vec![
            span("bfq", Span::G2C, 498_000.0),
            span("bfq", Span::D2C, 88_000.0),
            span("none", Span::G2C, 91_000.0),
            span("none", Span::D2C, 88_000.0),
        ];
        assert_eq!(sentence(lite).unwrap(), said);
        assert_eq!(sentence(vec![]), None);
        let whole = vec![span("bfq", Span::G2C, 498_000.0), span("none", Span::G2C, 91_000.0)];
        assert_eq!(sentence(whole), None, "a whole does not say where");
    }
}
