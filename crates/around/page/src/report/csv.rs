//! The series of a record as comma-separated values, one value a line, whole as a file and thinned inside the report.

use super::{About, pieces};
use crate::figure::FigureTable;
use base64::Engine;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, html};
use model::imported::ImportedSeries;
use model::record::{Interval, Record, Trial};
use model::sample::{SampleSeries, SensorLog};
use model::units;
use std::io::Write as _;
use view::csv::CsvLines;

/// The columns.
const HEAD: [&str; 6] = ["source", "series", "unit", "kind", "time_s", "value"];
/// Series of a sensor beyond these are left out of the report: the record has them.
const MOST_SERIES: usize = 48;
/// Sensors whose samples go into the report, in the order of their worth.
const EMBEDDED: [&str; 6] = [
    "diskstats",
    "inflight",
    "vmstat",
    "cpu",
    "pressure",
    "interrupts",
];

/// Everything that was sampled: intervals of the load, windows of experiments, and the raw values of every sensor.
/// Counters are as read; their differences over time are the rates.
pub fn series_csv(record: &Record) -> String {
    let mut out = CsvLines::with_head(HEAD);
    own(record, &mut out);
    for log in &record.sensors {
        for series in &log.series {
            of_series(log, series, 0.0, &mut out);
        }
    }
    out.finish()
}

/// The data inside a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedded {
    /// The file, compressed, in base64.
    pub base64: String,
    /// Time between two samples of a series at the least, s.
    pub step_s: f64,
    /// Series that are in it, and those that are not.
    pub series: usize,
    /// Left out.
    pub left_out: usize,
    /// Whether there is any value in it.
    pub is_empty: bool,
}

/// As much as fits: coarser in time where it has to be.
pub fn embedded(record: &Record, most_bytes: usize) -> Embedded {
    let mut chosen: Vec<(&SensorLog, &SampleSeries)> = Vec::new();
    let all: usize = record.sensors.iter().map(|log| log.series.len()).sum();
    for sensor in EMBEDDED {
        for log in record.sensors.iter().filter(|log| log.sensor == sensor) {
            chosen.extend(
                log.series
                    .iter()
                    .take(MOST_SERIES)
                    .map(|series| (log, series)),
            );
        }
    }
    let mut result = Embedded {
        base64: String::new(),
        step_s: 1.0,
        series: 0,
        left_out: all,
        is_empty: true,
    };
    for step_s in [1.0, 5.0, 20.0, 60.0, 600.0] {
        let mut lines = CsvLines::with_head(HEAD);
        own(record, &mut lines);
        chosen
            .iter()
            .for_each(|(log, series)| of_series(log, series, step_s, &mut lines));
        let text = lines.finish();
        let base64 = packed(text.as_bytes());
        let is_empty = has_no_line(&text);
        result = Embedded {
            base64,
            step_s,
            series: chosen.len(),
            left_out: all - chosen.len(),
            is_empty,
        };
        if result.base64.len() <= most_bytes {
            return result;
        }
    }
    // Even at ten minutes it is too much: the load's own numbers alone, or nothing.
    let mut lines = CsvLines::with_head(HEAD);
    own(record, &mut lines);
    let text = lines.finish();
    let base64 = packed(text.as_bytes());
    let base64 = if base64.len() <= most_bytes {
        base64
    } else {
        String::new()
    };
    let is_empty = has_no_line(&text);
    Embedded {
        base64,
        step_s: result.step_s,
        series: 0,
        left_out: all,
        is_empty,
    }
}

/// Whether there is nothing below the names.
fn has_no_line(text: &str) -> bool {
    text.lines().count() <= 1
}

fn packed(bytes: &[u8]) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail; if it did, there would be no data to download rather than wrong ones.
    let done = encoder.write_all(bytes).and_then(|()| encoder.finish());
    done.map(|packed| base64::engine::general_purpose::STANDARD.encode(packed))
        .unwrap_or_default()
}

/// What the load and the experiments counted themselves, and what an import holds.
fn own(record: &Record, out: &mut CsvLines) {
    load_lines(record, out);
    for trial in record.trials() {
        trial_lines(trial, out);
    }
    for series in record
        .imported()
        .into_iter()
        .flat_map(|imported| &imported.series)
    {
        imported_lines(series, out);
    }
}

fn load_lines(record: &Record, out: &mut CsvLines) {
    let loads = match record.sections().is_empty() {
        true => record
            .load()
            .into_iter()
            .map(|load| ("load".to_string(), 0, load))
            .collect::<Vec<_>>(),
        false => record
            .sections()
            .iter()
            .map(|one| (format!("load.{}", one.name), one.start_ms, &one.load))
            .collect(),
    };
    for (name, start_ms, load) in loads {
        for interval in &load.intervals {
            interval_lines(&name, start_ms, interval, out);
        }
    }
}

/// The windows of an experiment, and the pairs of its verdict.
fn trial_lines(trial: &Trial, out: &mut CsvLines) {
    let verdict = trial.verdict.as_ref();
    let unit = verdict.map_or(model::metric::PER_S, |verdict| &verdict.metric.unit);
    for window in trial.windows.iter().filter(|window| window.has_value()) {
        let arm = trial.arms.get(window.arm).map_or("?", String::as_str);
        let time = (window.start_ms + window.length_ms) as f64 / 1e3;
        let series = format!("{}.{arm}.rate", trial.knob);
        line(
            out,
            "window",
            &series,
            unit,
            "mean of the part that counts",
            time,
            window.rate,
        );
    }
    let pairs = trial.verdict.iter().flat_map(|verdict| &verdict.pairs);
    for (index, pair) in pairs.enumerate() {
        let series = format!("{}.{}.effect_ln", trial.knob, pair.arm);
        line(
            out,
            "pair",
            &series,
            "ln ratio",
            "pair by number, not by time",
            index as f64 + 1.0,
            pair.effect_ln,
        );
    }
}

fn imported_lines(series: &ImportedSeries, out: &mut CsvLines) {
    let name = if series.subject.is_empty() {
        series.field.clone()
    } else {
        format!("{}.{}", series.field, series.subject)
    };
    for (time, value) in series.time_ms.iter().zip(&series.values) {
        if let Some(value) = value {
            line(
                out,
                "imported",
                &name,
                &series.unit,
                "value",
                time / 1e3,
                *value,
            );
        }
    }
}

fn interval_lines(name: &str, start_ms: u64, interval: &Interval, out: &mut CsvLines) {
    let time = (start_ms + interval.start_ms + interval.length_ms) as f64 / 1e3;
    let seconds = interval.length_ms.max(1) as f64 / 1e3;
    for (side, done) in [("read", interval.read), ("write", interval.write)] {
        if done.ios == 0 && done.bytes == 0 {
            line(out, name, &format!("{side}.iops"), "/s", "rate", time, 0.0);
            continue;
        }
        line(
            out,
            name,
            &format!("{side}.iops"),
            "/s",
            "rate",
            time,
            done.ios as f64 / seconds,
        );
        line(
            out,
            name,
            &format!("{side}.bytes_per_s"),
            "bytes/s",
            "rate",
            time,
            done.bytes as f64 / seconds,
        );
        line(
            out,
            name,
            &format!("{side}.p50"),
            "ns",
            "percentile",
            time,
            done.p50_ns as f64,
        );
        line(
            out,
            name,
            &format!("{side}.p99"),
            "ns",
            "percentile",
            time,
            done.p99_ns as f64,
        );
    }
    line(
        out,
        name,
        "inflight",
        "ios",
        "gauge",
        time,
        f64::from(interval.inflight),
    );
}

/// The samples of a series, at least `step_s` apart, the first and the last always.
fn of_series(log: &SensorLog, series: &SampleSeries, step_s: f64, out: &mut CsvLines) {
    let kind = serde_json::to_value(series.kind).ok();
    let kind = kind
        .as_ref()
        .and_then(|kind| kind.as_str())
        .unwrap_or("gauge")
        .to_string();
    let mut next = f64::NEG_INFINITY;
    let last = series.values.len().min(log.time_ns.len()).saturating_sub(1);
    for (index, (time_ns, value)) in log.time_ns.iter().zip(&series.values).enumerate() {
        let time = *time_ns as f64 / 1e9;
        let Some(value) = value.filter(|_| time >= next || index == last) else {
            continue;
        };
        next = time + step_s * 0.999;
        line(
            out,
            &log.sensor,
            &series.name,
            &series.unit,
            &kind,
            time,
            value,
        );
    }
}

fn line(
    out: &mut CsvLines,
    source: &str,
    series: &str,
    unit: &str,
    kind: &str,
    time: f64,
    value: f64,
) {
    [source, series, unit, kind]
        .into_iter()
        .for_each(|cell| out.text(cell));
    out.number(Some(units::decimals(time, 3)));
    out.number(Some(short(value)));
    out.end();
}

/// Six significant digits below a million, whole numbers as they are: counters are exact.
fn short(value: f64) -> String {
    if value.fract() == 0.0 || value.abs() >= 1e6 {
        units::whole(value)
    } else {
        units::decimals(value, 4)
    }
}

/// The part of the page.
pub fn section(record: &Record, about: &About, data: &Embedded) -> Markup {
    let name = about
        .id
        .map_or("iodyno".into(), |id| format!("iodyno-{id}"));
    html! {
        @if !data.base64.is_empty() && !data.is_empty {
            p.download {
                a download={ (name) "-series.csv.gz" } href={ "data:application/gzip;base64," (data.base64) } {
                    "Series as CSV, compressed (" (data.base64.len() * 3 / 4 / 1000) " kB)"
                }
            }
            p.quiet { (contents(record, data)) }
        }
        @if let Some(id) = about.id {
            p.quiet {
                "The whole record: " code { "iodyno show " (id) " --json" }
                @if !data.is_empty {
                    "; every sample: " code { "iodyno report " (id) " -o " (name) ".csv" }
                }
                "."
            }
        }
        // What another tool printed stands in a part of its own.
        @if record.imported().is_none() { (pieces::table_fold(&summary(record))) }
    }
}

/// What is in the embedded data, and what is not.
fn contents(record: &Record, data: &Embedded) -> String {
    let rest = match data.left_out {
        0 => String::new(),
        n => format!(" {n} more series are in the record only."),
    };
    let kernel = match data.series {
        0 => String::new(),
        n => format!(
            " {n} series of the kernel are thinned to one sample in {} s, which loses nothing of a counter's total.",
            data.step_s
        ),
    };
    let own = if record.imported().is_some() {
        "The values are as printed."
    } else {
        "The load's own intervals are whole."
    };
    format!("Columns: {}. {own}{kernel}{rest}", HEAD.join(","))
}

/// The load in numbers.
pub fn summary(record: &Record) -> FigureTable {
    let mut table = FigureTable::new(&[
        "load",
        "direction",
        "I/Os",
        "rate",
        "bandwidth",
        "mean",
        "p50",
        "p99",
        "p99.9",
    ]);
    let loads: Vec<(String, &model::record::LoadResult)> = match record.sections().is_empty() {
        true => record
            .load()
            .into_iter()
            .map(|load| (record.job.phrase(), load))
            .collect(),
        false => record
            .sections()
            .iter()
            .map(|one| (one.name.clone(), &one.load))
            .collect(),
    };
    for (name, load) in loads {
        let sides = [
            ("read", &load.read),
            ("write", &load.write),
            ("trim", &load.trim),
            ("sync", &load.sync),
        ];
        for (side, done) in sides.into_iter().filter(|(_, done)| done.ios > 0) {
            let per_s = |value: f64| {
                if load.elapsed_ms > 0.0 {
                    value / load.elapsed_ms * 1e3
                } else {
                    0.0
                }
            };
            let at = |share: f64| {
                let enough = done.latency.total() as f64 * (1.0 - share) >= 10.0 * 0.999;
                let found = done.latency.quantile_ns(share).filter(|_| enough);
                found.map_or("too few I/Os".into(), |ns| {
                    model::units::duration_ns(ns as f64)
                })
            };
            table.row([
                name.clone(),
                side.into(),
                done.ios.to_string(),
                view::scale::Quantity::Iops.words(per_s(done.ios as f64)),
                model::units::bytes_per_s(per_s(done.bytes as f64)),
                done.latency
                    .mean_ns()
                    .map_or("–".into(), model::units::duration_ns),
                at(0.5),
                at(0.99),
                at(0.999),
            ]);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_exact() {
        assert_eq!(short(12_345_678_901_234.0), "12345678901234");
        assert_eq!(short(0.25), "0.2500");
    }
}
