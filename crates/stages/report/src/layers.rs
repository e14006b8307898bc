//! Times by layer in words: the table of a run.

use model::layers::{DeviceLayers, LayerSide, LayerTimes, Outside, Span};
use model::units;
use view::{layer_shares, text};

/// Columns of the table.
const WIDTH: usize = 80;
/// Width of a time in the table.
const CELL: usize = 9;
/// Counters that a reader of the times must know, with their words.
const NOTABLE: [(&str, &str); 11] = [
    ("unseen", "without a seen end"),
    ("dropped", "not followed"),
    ("unmatched", "without a seen beginning"),
    ("lost_events", "events lost"),
    ("untimed", "without time stamps"),
    ("unwalked", "requests of too many bios"),
    ("errored", "failed"),
    ("requeued", "requeued"),
    ("again", "sent again rather than wait"),
    ("split", "split off"),
    ("merged", "merged"),
];

/// The table of a run: a line of medians, one of 99th percentiles and one of shares of the mean for each device and
/// direction, and what the letters mean; 80 columns wide. A layer that a device does not have is a dash.
pub fn lines(layers: &LayerTimes) -> Vec<String> {
    let spans: Vec<Span> = Span::ALL
        .into_iter()
        .filter(|span| has(layers, *span))
        .collect();
    if spans.is_empty() {
        return Vec::new();
    }
    let head: String = spans
        .iter()
        .map(|span| format!("{:>CELL$}", span.name()))
        .collect();
    let mut lines = vec![format!(
        "  {:<21}{head}",
        format!("layers, {}", layers.source)
    )];
    let mut has_gap = false;
    for device in &layers.devices {
        for side in LayerSide::ALL
            .into_iter()
            .filter(|side| device.spans.iter().any(|one| one.side == *side))
        {
            has_gap |= spans.iter().any(|span| device.times(side, *span).is_none());
            lines.push(row(device, side, &spans, 0.5, "p50"));
            lines.push(row(device, side, &spans, 0.99, "p99"));
            lines.extend(shares(device, side));
        }
    }
    if has_gap {
        lines.push("  – is a layer that this device or its scheduler does not have".into());
    }
    lines.extend(legend(&spans));
    lines.extend(layers.outside.iter().map(outside));
    lines.extend(
        layers
            .devices
            .iter()
            .filter_map(notable)
            .map(|words| format!("  {words}")),
    );
    lines
}

/// `mean of Q2C: G2D 6 %, D2C 94 %`, under the times.
fn shares(device: &DeviceLayers, side: LayerSide) -> Option<String> {
    let (whole, all) = device.whole(side)?;
    let parts = Span::PARTS
        .into_iter()
        .filter_map(|span| Some((span.name(), device.times(side, span)?)));
    let shares = layer_shares::shares(parts, whole, all)?;
    Some(format!("{:19}{}", "", layer_shares::words(&shares, whole)))
}

/// What the letters mean.
fn legend(spans: &[Span]) -> Vec<String> {
    let each = spans
        .iter()
        .map(|span| format!("{} {}", span.name(), span.phrase()));
    let all = each.collect::<Vec<String>>().join(", ");
    let lines = text::wrap(&all, WIDTH - 2).into_iter();
    lines.map(|line| format!("  {line}")).collect()
}

/// `outside   read mean 12.3 µs of 489 µs: before the block layer and after it`.
fn outside(outside: &Outside) -> String {
    let (mean, whole) = (
        units::duration_ns(outside.mean_ns),
        units::duration_ns(outside.latency_mean_ns),
    );
    let side = outside.side.name();
    format!("  outside, {side}: mean {mean} of {whole}, before the block layer and after it")
}

fn has(layers: &LayerTimes, span: Span) -> bool {
    layers
        .devices
        .iter()
        .flat_map(|device| &device.spans)
        .any(|one| one.span == span)
}

fn row(device: &DeviceLayers, side: LayerSide, spans: &[Span], share: f64, name: &str) -> String {
    let who = if share == 0.5 {
        format!("{} {}", device.device, side.name())
    } else {
        String::new()
    };
    let cell = |span: &Span| {
        let value = device
            .times(side, *span)
            .and_then(|times| times.quantile_ns(share));
        format!(
            "{:>CELL$}",
            value.map_or_else(|| "–".into(), |ns| units::duration_ns(ns as f64))
        )
    };
    format!(
        "  {who:<17}{name:<4}{}",
        spans.iter().map(cell).collect::<String>()
    )
}

/// What a reader of a device's times must know: `vda of 1.00 k I/Os: 3 without a seen end`.
pub fn notable(device: &DeviceLayers) -> Option<String> {
    let counted = NOTABLE.iter().filter_map(|(name, words)| {
        let count = device.counter(name);
        (count > 0).then(|| format!("{} {words}", units::count(count as f64)))
    });
    let words: Vec<String> = counted.collect();
    let of = units::count(device.counter("queued") as f64);
    let of = if device.counter("queued") > 0 {
        format!(" of {of} I/Os")
    } else {
        String::new()
    };
    (!words.is_empty()).then(|| format!("{}{of}: {}", device.device, words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::histogram::Histogram;
    use model::layers::SpanTimes;
    use std::collections::BTreeMap;

    fn device(name: &str, spans: &[(Span, u64)]) -> DeviceLayers {
        let one = |(span, ns): &(Span, u64)| {
            let mut times = Histogram::new();
            times.record(*ns);
            SpanTimes {
                side: LayerSide::Read,
                span: *span,
                times,
            }
        };
        let spans = spans.iter().map(one).collect();
        let counters = BTreeMap::from([("queued".to_string(), 1_000), ("unseen".to_string(), 3)]);
        DeviceLayers {
            device: name.into(),
            devno: "7:0".into(),
            spans,
            counters,
        }
    }

    #[test]
    fn an_absent_layer_is_a_dash_and_the_table_fits_a_terminal() {
        let upper = device(
            "loop0",
            &[
                (Span::Q2G, 700),
                (Span::G2D, 400),
                (Span::D2C, 90_000),
                (Span::Q2C, 91_000),
            ],
        );
        let spans =
            [Span::Q2G, Span::G2I, Span::I2D, Span::D2C, Span::Q2C].map(|span| (span, 1_234_567));
        let layers = LayerTimes {
            source: "eBPF full".into(),
            devices: vec![upper, device("nvme0n1", &spans)],
            outside: vec![],
        };
        let lines = lines(&layers);
        assert!(
            lines.iter().all(|line| line.chars().count() <= 80),
            "{lines:#?}"
        );
        assert!(lines[1].starts_with("  loop0 read       p50"), "{lines:#?}");
        assert_eq!(lines[1].matches('–').count(), 2, "G2I and I2D: {lines:#?}");
        assert_eq!(lines[3].trim(), "mean of Q2C: Q2G 1 %, D2C 99 %");
        assert_eq!(lines[4].matches('–').count(), 1, "G2D: {lines:#?}");
        let legend = lines
            .iter()
            .find(|line| line.contains("D2C in driver and device"));
        assert!(legend.is_some(), "{lines:#?}");
        assert!(
            lines
                .iter()
                .any(|line| line == "  loop0 of 1.00 k I/Os: 3 without a seen end"),
            "{lines:#?}"
        );
    }

    #[test]
    fn what_is_outside_has_a_line() {
        let outside = Outside {
            side: LayerSide::Discard,
            mean_ns: 123_456.0,
            latency_mean_ns: 1_234_567.0,
            ios: 9,
        };
        let disk = device("loop0", &[(Span::Q2C, 1_111_111)]);
        let layers = LayerTimes {
            source: "perf".into(),
            devices: vec![disk],
            outside: vec![outside],
        };
        let lines = lines(&layers);
        let line = lines
            .iter()
            .find(|line| line.starts_with("  outside, discard: mean"))
            .unwrap();
        assert!(
            line.contains("123 µs of 1.23 ms") && line.chars().count() <= 80,
            "{line}"
        );
    }

    #[test]
    fn nothing_traced_is_no_table() {
        assert!(super::lines(&LayerTimes::default()).is_empty());
    }
}
