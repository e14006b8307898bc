//! `watch --json`: one document per line, the first says what the others mean.

use super::args::WatchArgs;
use super::beats::Beats;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::watching::Watching;
use analyse::fields::Frame;
use host::signals::Stop;
use model::layers::{ArmSpan, LayerSide, LayerTimes, Span};
use model::reading::Reading;
use model::watched::{FieldWords, Head, Latencies, Sample};
use std::collections::BTreeMap;

/// Spans that are the whole of an I/O or the most of it, the longest first.
const WHOLE: [Span; 3] = [Span::Q2C, Span::G2C, Span::D2C];

fn latencies(times: &LayerTimes) -> Vec<Latencies<'_>> {
    let mut all = Vec::new();
    for device in &times.devices {
        for side in LayerSide::ALL {
            let whole = WHOLE
                .into_iter()
                .find_map(|span| Some((span, device.times(side, span)?)));
            all.extend(whole.map(|(span, counts)| Latencies {
                device: &device.device,
                side,
                span,
                counts,
            }));
        }
    }
    all
}

/// Prints documents until told to stop.
pub fn run(args: &WatchArgs, context: &Context, stop: &Stop) -> Result<Exit, Failure> {
    let mut watching = Watching::start(&context.host, &args.wanted(), args.since_the_last_line())?;
    context.out.line(&head(args, context, &watching));
    let mut beats = Beats::new(args, stop);
    let mut last_ns = watching.sampler.status().last_ns;
    let mut before = watching.tracing.read();
    while beats.wait() && !context.out.is_unread() {
        let Some(now_ns) = watching.sampler.news(last_ns) else {
            continue;
        };
        let status = watching.sampler.status();
        let readings = watching.sampler.readings(last_ns, now_ns);
        let frame = watching.fields.frame(&readings);
        let of_disks = readings
            .iter()
            .find(|reading| reading.sensor == "diskstats");
        let layers = watching.tracing.read();
        let times = layers
            .as_ref()
            .zip(before.as_ref())
            .map(|(now, before)| now.since(before));
        context.out.line(&Sample {
            schema: "iodyno.sample/1",
            unix_ms: host::clock::unix_ms(),
            at_ms: now_ns as f64 / 1e6,
            seconds: of_disks.map_or((now_ns - last_ns) as f64 / 1e9, Reading::seconds),
            late: status.late,
            lost: status.lost,
            cost_cpu_ms: status.cost_cpu_ns as f64 / 1e6,
            fields: by_field(&frame),
            findings: watching.findings(now_ns),
            layers: times
                .as_ref()
                .map_or_else(Vec::new, |times| ArmSpan::of("", times)),
            latencies: times
                .as_ref()
                .filter(|_| args.latencies)
                .map_or_else(Vec::new, latencies),
        });
        beats.said();
        (last_ns, before) = (now_ns, layers);
    }
    Ok(Exit::Fine)
}

fn by_field(frame: &Frame) -> BTreeMap<&str, BTreeMap<&str, f64>> {
    let mut fields: BTreeMap<&str, BTreeMap<&str, f64>> = BTreeMap::new();
    for (id, subject, value) in frame.all() {
        fields.entry(id).or_default().insert(subject, value);
    }
    fields
}

fn head<'a>(args: &WatchArgs, context: &Context, watching: &'a Watching) -> Head<'a> {
    let words = |field: &model::field::Field| FieldWords {
        id: field.id(),
        unit: field.unit,
        meaning: field.meaning,
        cannot_tell: field.cannot_tell,
    };
    Head {
        schema: "iodyno.watch/1",
        host: context
            .host
            .text("/proc/sys/kernel/hostname")
            .unwrap_or_default(),
        interval_ms: args.interval,
        every_ms: args.every_ms(),
        devices: &watching.devices.named,
        fields: observe::fields()
            .iter()
            .flat_map(|(_, fields)| fields.iter().map(words))
            .collect(),
        absent: watching.sampler.status().absent.into_iter().collect(),
        layers_note: &watching.devices.note,
        no_layers: watching.tracing.layers().err().map(str::to_string),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::histogram::Histogram;
    use model::layers::{DeviceLayers, SpanTimes};

    #[test]
    fn the_longest_span_that_is_traced_tells_the_latencies() {
        let times = |ns: u64| {
            let mut times = Histogram::new();
            times.record(ns);
            times
        };
        let span = |side, span, ns| SpanTimes {
            side,
            span,
            times: times(ns),
        };
        let spans = vec![
            span(LayerSide::Read, Span::D2C, 50),
            span(LayerSide::Read, Span::Q2C, 100),
            span(LayerSide::Write, Span::G2C, 70),
            span(LayerSide::Flush, Span::Q2G, 10),
        ];
        let device = DeviceLayers {
            device: "vda".into(),
            devno: "254:0".into(),
            spans,
            counters: BTreeMap::new(),
        };
        let layers = LayerTimes {
            source: "eBPF full".into(),
            devices: vec![device],
            outside: Vec::new(),
        };
        let document = serde_json::to_value(latencies(&layers)).unwrap();
        let expected = serde_json::json!([
            {"device": "vda", "side": "read", "span": "Q2C", "counts": [[100, 1]]},
            {"device": "vda", "side": "write", "span": "G2C", "counts": [[70, 1]]},
        ]);
        assert_eq!(document, expected);
    }
}
