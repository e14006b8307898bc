//! From tallies to results: one for each device.

use super::pairs::{BlktraceSide, Pairs};
use super::tally::{Span, Tally, Times};
use crate::printed::series::PrintedSeries;
use model::imported::{Imported, LatencyFigures, LoadFigures, SideFigures};
use std::collections::BTreeMap;

/// The percentiles that fio prints.
const PERCENTILES: [f64; 15] = [
    1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.9, 99.99,
];
/// More idle seconds than this in all are no rates of zero: the trace was put together, or its times are damaged.
const IDLE_MAX_S: u64 = 100_000;

/// The results with their devices' numbers, of those devices that had an I/O.
pub fn results(pairs: Pairs, tool: &str, start_unix_ms: Option<u64>) -> Vec<(u32, Imported)> {
    let others = pairs.other_devices;
    let devices = pairs
        .devices
        .into_iter()
        .filter_map(|(number, mut device)| {
            device.tally.keep();
            let left = device.left();
            let tally = device.tally;
            let has_io = tally.done.iter().any(|side| side.ios > 0)
                || tally.queued.iter().any(|count| *count > 0);
            has_io.then(|| {
                let mut imported = imported(number, &tally, left, tool);
                imported.measured_unix_ms = start_unix_ms;
                if others > 0 {
                    imported
                        .lossy
                        .push(format!("{others} events of further devices were left out"));
                }
                (number, imported)
            })
        });
    devices.collect()
}

fn imported(number: u32, tally: &Tally, left: u64, tool: &str) -> Imported {
    let name = format!("{}:{}", number >> 20, number & 0xf_ffff);
    let seconds = tally.elapsed_ns() as f64 / 1e9;
    let side = |side: BlktraceSide| side_figures(tally, side, seconds);
    let load = LoadFigures {
        elapsed_ms: Some(seconds * 1e3),
        read: side(BlktraceSide::Read),
        write: side(BlktraceSide::Write),
        trim: side(BlktraceSide::Discard),
        sync: side(BlktraceSide::Flush),
        ..LoadFigures::default()
    };
    Imported {
        tool: tool.into(),
        name: name.clone(),
        lossy: lossy(tally, left),
        units: vec![
            "I/Os are requests as the device completed them; q2c and its counts are of bios".into(),
        ],
        load: Some(load),
        series: series(tally, &name),
        facts: facts(tally, left, &name),
        ..Imported::default()
    }
}

fn side_figures(tally: &Tally, side: BlktraceSide, seconds: f64) -> Option<SideFigures> {
    let place = side as usize;
    let done = tally.done[place];
    let latencies: Vec<LatencyFigures> = Span::ALL
        .iter()
        .filter_map(|span| Some(latency(*span, tally.times(place, *span)?)))
        .collect();
    let per_s = |count: u64| (seconds > 0.0).then(|| count as f64 / seconds);
    (done.ios > 0 || !latencies.is_empty()).then(|| SideFigures {
        ios: Some(done.ios),
        bytes: Some(done.bytes as f64),
        iops: per_s(done.ios),
        bytes_per_s: per_s(done.bytes),
        latencies,
        ..SideFigures::default()
    })
}

fn latency(span: Span, times: &Times) -> LatencyFigures {
    let mut figures = LatencyFigures {
        kind: span.name().into(),
        count: Some(times.histogram.total()),
        min_ns: Some(times.min_ns as f64),
        mean_ns: Some(times.mean_ns()),
        stddev_ns: Some(times.stddev_ns()),
        max_ns: Some(times.max_ns as f64),
        percentiles: Vec::new(),
        histogram: Some(times.histogram.clone()),
    };
    figures.percentiles = figures.counted_percentiles(&PERCENTILES);
    figures
}

/// Rates of each whole second, by their fields.
fn series(tally: &Tally, name: &str) -> Vec<model::imported::ImportedSeries> {
    let mut series = PrintedSeries::default();
    let fields: [(BlktraceSide, &str, &str); 4] = [
        (
            BlktraceSide::Read,
            "disk.reads_per_s",
            "disk.read_bytes_per_s",
        ),
        (
            BlktraceSide::Write,
            "disk.writes_per_s",
            "disk.write_bytes_per_s",
        ),
        (
            BlktraceSide::Discard,
            "disk.discards_per_s",
            "disk.discard_bytes_per_s",
        ),
        (BlktraceSide::Flush, "disk.flushes_per_s", ""),
    ];
    let last = tally.elapsed_ns() / 1_000_000_000;
    for (side, ios, bytes) in fields
        .into_iter()
        .filter(|(side, ..)| tally.done[*side as usize].ios > 0)
    {
        let (mut next, mut idle_left) = (0, IDLE_MAX_S);
        for (second, sides) in &tally.seconds {
            // Whole seconds only: a rate of a part of one would look like a drop.
            if *second >= last {
                break;
            }
            let gap = second.saturating_sub(next);
            if gap < idle_left {
                idle_left -= gap;
                (next..*second)
                    .for_each(|idle| push(&mut series, (ios, bytes), name, idle, (0, 0)));
            }
            let counts = sides[side as usize];
            push(
                &mut series,
                (ios, bytes),
                name,
                *second,
                (counts.ios, counts.bytes),
            );
            next = second + 1;
        }
    }
    series.finish()
}

fn push(
    series: &mut PrintedSeries,
    (ios, bytes): (&str, &str),
    name: &str,
    second: u64,
    counts: (u64, u64),
) {
    let at_ms = (second + 1) as f64 * 1e3;
    series.push(ios, name, "/s", at_ms, Some(counts.0 as f64));
    if !bytes.is_empty() {
        series.push(bytes, name, "bytes/s", at_ms, Some(counts.1 as f64));
    }
}

fn facts(tally: &Tally, left: u64, name: &str) -> BTreeMap<String, String> {
    let counts = [
        ("queued", tally.queued.iter().sum()),
        ("issued", tally.issued),
        ("merged", tally.merged),
        ("split", tally.split),
        ("requeued", tally.requeued),
        ("replaced", tally.replaced),
        ("unmatched", tally.unmatched),
        ("under_way_at_end", left),
    ];
    let counted = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut facts: BTreeMap<String, String> = counted
        .map(|(name, count)| (name.to_string(), count.to_string()))
        .collect();
    facts.insert("device".into(), name.into());
    facts
}

fn lossy(tally: &Tally, left: u64) -> Vec<String> {
    let done: u64 = tally.done.iter().map(|side| side.ios).sum();
    let mut lossy = Vec::new();
    if tally.replaced > 0 {
        lossy.push(format!(
            "{} I/Os had the sector of another one at once and have no latency",
            tally.replaced
        ));
    }
    // Some ends without a beginning are those of I/Os that were under way when tracing began.
    if tally.unmatched > done / 100 {
        lossy.push(format!(
            "{} of {done} ends have no beginning or too old a one: events of another CPU or dropped ones are missing",
            tally.unmatched
        ));
    }
    if left > done / 100 + 64 {
        lossy.push(format!("{left} I/Os have no end in the trace"));
    }
    if tally.unkept > 0 {
        lossy.push(format!(
            "{} seconds are in no series: the trace is too long",
            tally.unkept
        ));
    }
    lossy
}
