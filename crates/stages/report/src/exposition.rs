//! The raw series as Prometheus reads them: text format 0.0.4, in base units, counters with `_total`.
//!
//! Rates are Prometheus' own work, so what is served is what the kernel counts; the formulas of the derived fields are in
//! the catalogue. Source: https://prometheus.io/docs/instrumenting/exposition_formats/ and its naming rules.

use model::field::{Metric, subject};
use model::guard::{GuardAnswer, GuardLevel};
use model::layers::LayerTimes;
use model::reading::Reading;
use model::sample::MetricKind;
use std::fmt::Write;

/// What the names begin with.
const PREFIX: &str = "iodyno";

/// Every series of the readings, by metric in the order of the catalogue.
pub fn text(catalogue: &[(&'static str, &'static [Metric])], readings: &[Reading]) -> String {
    let mut text = String::new();
    for (sensor, metrics) in catalogue {
        let Some(reading) = readings.iter().find(|reading| reading.sensor == *sensor) else {
            continue;
        };
        metrics
            .iter()
            .for_each(|metric| family(metric, reading, &mut text));
    }
    text
}

fn family(metric: &Metric, reading: &Reading, text: &mut String) {
    let name = Name::of(metric);
    let mut is_first = true;
    for (series, value) in reading.series.iter().zip(reading.to.cells.iter()) {
        let Some(subject) = subject(metric.name, &series.name).filter(|_| !value.is_nan()) else {
            continue;
        };
        if std::mem::take(&mut is_first) {
            head(&name.name, name.kind, metric.meaning, text);
        }
        let labels = labels(metric.name, subject);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{labels} {}", name.name, value * name.factor);
    }
}

fn head(name: &str, kind: &str, meaning: &str, text: &mut String) {
    let help = meaning.replace('\\', "\\\\").replace('\n', " ");
    let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

/// A metric's name, in base units.
struct Name {
    name: String,
    kind: &'static str,
    factor: f64,
}

impl Name {
    fn of(metric: &Metric) -> Name {
        let Unit {
            words: own,
            base,
            factor,
        } = unit(metric.unit);
        let id = metric.id().replace(['.', '-'], "_");
        let mut words: Vec<&str> = id.split('_').filter(|word| !own.contains(word)).collect();
        let kind = match metric.kind {
            MetricKind::Gauge => "gauge",
            MetricKind::Counter | MetricKind::Counter32 => "counter",
        };
        words.pop_if(|last| *last == base || (kind == "counter" && *last == "total"));
        let total = (kind == "counter").then_some("total");
        let parts = std::iter::once(PREFIX)
            .chain(words)
            .chain((!base.is_empty()).then_some(base))
            .chain(total);
        Name {
            name: parts.collect::<Vec<_>>().join("_"),
            kind,
            factor,
        }
    }
}

/// How a unit of ours is told.
struct Unit {
    /// The words for it in the names of series, which the base unit at the end takes the place of.
    words: &'static [&'static str],
    base: &'static str,
    factor: f64,
}

const fn told(words: &'static [&'static str], base: &'static str, factor: f64) -> Unit {
    Unit {
        words,
        base,
        factor,
    }
}

/// The base unit that stands for one of ours. What is counted (`ios`, `pages`, `events`) has none and keeps its name.
fn unit(unit: &str) -> Unit {
    match unit {
        "ns" => told(&["ns"], "seconds", 1e-9),
        "us" | "µs" => told(&["us"], "seconds", 1e-6),
        "ms" => told(&["ms", "ticks"], "seconds", 1e-3),
        "s" => told(&["seconds", "s"], "seconds", 1.0),
        "min" => told(&["minutes"], "seconds", 60.0),
        "h" => told(&["hours"], "seconds", 3600.0),
        // USER_HZ, in which the kernel gives CPU time whatever its own rate (Documentation/filesystems/proc.rst).
        "ticks" => told(&["ticks"], "seconds", 0.01),
        "sectors" => told(&["sectors"], "bytes", 512.0),
        "KiB" => told(&["kib"], "bytes", 1024.0),
        "bytes" => told(&["bytes"], "bytes", 1.0),
        "KiB/s" => told(&["kib", "per", "s"], "bytes_per_second", 1024.0),
        "bytes/s" => told(&["bytes", "per", "s"], "bytes_per_second", 1.0),
        "ios/s" => told(&["ios", "per", "s"], "ios_per_second", 1.0),
        "percent" => told(&["percent", "percentage"], "ratio", 0.01),
        "celsius" => told(&["celsius"], "celsius", 1.0),
        "millicelsius" => told(&["millicelsius"], "celsius", 1e-3),
        _ => told(&[], "", 1.0),
    }
}

/// What a subject is, by the first words of the series' name. Of `nvme0n1@4` the part behind the @ is the CPU.
fn labels(pattern: &str, subject: &str) -> String {
    if subject.is_empty() {
        return String::new();
    }
    let label = match pattern.split_once("{}").map(|(before, _)| before) {
        Some("cpu." | "irq.cpu" | "softirq.cpu") => "cpu",
        Some("irq.line") => "line",
        Some("process.") => "process",
        Some("cgroup.") => "cgroup",
        Some("page_cache.") => "file",
        Some("pressure.") => "resource",
        Some("temperature." | "throttle.") => "sensor",
        _ => "device",
    };
    match subject.rsplit_once('@') {
        Some((one, cpu)) if label == "device" && cpu.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("{{device=\"{}\",cpu=\"{cpu}\"}}", escaped(one))
        }
        _ => format!("{{{label}=\"{}\"}}", escaped(subject)),
    }
}

fn escaped(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// A visit of `guard`.
pub fn guard(answer: &GuardAnswer) -> String {
    let mut text = String::new();
    let target = escaped(&answer.target);
    let mut gauge = |name: &str, meaning: &str, value: f64| {
        head(name, "gauge", meaning, &mut text);
        let _ = writeln!(text, "{name}{{target=\"{target}\"}} {value}");
    };
    gauge(
        "iodyno_guard_alarms",
        "Levels and settings that are not as they were.",
        answer.done.alarms.len() as f64,
    );
    gauge(
        "iodyno_guard_visit_time_seconds",
        "When the target was visited last, since 1970.",
        answer.visit.unix_ms as f64 / 1e3,
    );
    gauge(
        "iodyno_guard_loaded",
        "Whether loads were made at the last visit.",
        f64::from(u8::from(answer.done.skipped.is_none())),
    );
    gauge(
        "iodyno_guard_device_seconds",
        "Device time that the last visit took.",
        answer.done.device_ms as f64 / 1e3,
    );
    let levels = answer.levels.iter();
    let known: Vec<(&GuardLevel, f64)> = levels
        .filter_map(|level| Some((level, 1.0 + level.effect()?)))
        .collect();
    if !known.is_empty() {
        let name = "iodyno_guard_level_ratio";
        head(
            name,
            "gauge",
            "A level as a part of the usual one; less is worse.",
            &mut text,
        );
        for (level, ratio) in known {
            let (load, measure) = (escaped(&level.load), level.measure.phrase());
            let _ = writeln!(
                text,
                "{name}{{target=\"{target}\",load=\"{load}\",measure=\"{measure}\"}} {ratio}"
            );
        }
    }
    text
}

/// Upper edges of the histograms' buckets: 1 µs to about 17 s, each twice the one before.
const EDGES: usize = 25;

/// The layers as histograms.
pub fn layers(times: &LayerTimes) -> String {
    let mut text = String::new();
    for device in &times.devices {
        for one in &device.spans {
            if text.is_empty() {
                head(
                    "iodyno_layer_seconds",
                    "histogram",
                    "Time of block I/O in a layer.",
                    &mut text,
                );
            }
            let labels = format!(
                "device=\"{}\",direction=\"{}\",layer=\"{}\"",
                escaped(&device.device),
                one.side.name(),
                one.span.name()
            );
            histogram(&labels, &one.times, &mut text);
        }
    }
    text
}

fn histogram(labels: &str, times: &model::histogram::Histogram, text: &mut String) {
    let (mut below, mut bucket, mut sum_ns) = (0u64, 0, 0.0);
    let counts = times.counts();
    for edge in 0..EDGES {
        let edge_ns = 1000u64 << edge;
        while bucket < counts.len() && model::histogram::value_of(bucket) <= edge_ns {
            below += counts[bucket];
            bucket += 1;
        }
        let _ = writeln!(
            text,
            "iodyno_layer_seconds_bucket{{{labels},le=\"{}\"}} {below}",
            edge_ns as f64 / 1e9
        );
    }
    if let Some(mean_ns) = times.mean_ns() {
        sum_ns = mean_ns * times.total() as f64;
    }
    let total = times.total();
    let _ = writeln!(
        text,
        "iodyno_layer_seconds_bucket{{{labels},le=\"+Inf\"}} {total}"
    );
    let _ = writeln!(
        text,
        "iodyno_layer_seconds_sum{{{labels}}} {}",
        sum_ns / 1e9
    );
    let _ = writeln!(text, "iodyno_layer_seconds_count{{{labels}}} {total}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::histogram::Histogram;
    use model::layers::{DeviceLayers, LayerSide, Span, SpanTimes};
    use model::reading::{ReadingRow, SeriesName};
    use model::sample::MetricKind::{Counter, Counter32, Gauge};
    use std::sync::Arc;

    static METRICS: &[Metric] = &[
        metric("disk.{}.read_ios", "ios", Counter),
        metric("disk.{}.read_ms", "ms", Counter32),
        metric("disk.{}.read_sectors", "sectors", Counter),
        metric("memory.dirty", "bytes", Gauge),
        metric("irq.device.{}.count", "events", Counter),
    ];

    const fn metric(name: &'static str, unit: &'static str, kind: MetricKind) -> Metric {
        Metric {
            name,
            unit,
            kind,
            meaning: "what it is",
            cannot_tell: "",
        }
    }

    fn served(series: &[(&str, f64)]) -> String {
        let names = series.iter().map(|(name, _)| SeriesName {
            name: (*name).into(),
            kind: Counter,
        });
        let cells: Vec<f64> = series.iter().map(|(_, value)| *value).collect();
        let to = ReadingRow {
            time_ns: 0,
            cells: cells.into(),
        };
        let reading = Reading {
            sensor: "s",
            series: Arc::new(names.collect()),
            from: None,
            to,
        };
        text(&[("s", METRICS)], &[reading])
    }

    #[test]
    fn names_are_in_base_units() {
        let text = served(&[
            ("disk.vda.read_ios", 4.0),
            ("disk.vda.read_ms", 1500.0),
            ("disk.vda.read_sectors", 8.0),
            ("memory.dirty", 4096.0),
        ]);
        assert!(
            text.contains("# TYPE iodyno_disk_read_ios_total counter\n"),
            "{text}"
        );
        assert!(
            text.contains("iodyno_disk_read_ios_total{device=\"vda\"} 4\n"),
            "{text}"
        );
        assert!(
            text.contains("iodyno_disk_read_seconds_total{device=\"vda\"} 1.5\n"),
            "{text}"
        );
        assert!(
            text.contains("iodyno_disk_read_bytes_total{device=\"vda\"} 4096\n"),
            "{text}"
        );
        assert!(
            text.contains(
                "# TYPE iodyno_memory_dirty_bytes gauge\niodyno_memory_dirty_bytes 4096\n"
            ),
            "{text}"
        );
    }

    /// Words for units that are not base units.
    const ABBREVIATED: &[&str] = &[
        "ms",
        "us",
        "ns",
        "s",
        "h",
        "kib",
        "mib",
        "sectors",
        "ticks",
        "percent",
        "hours",
        "minutes",
        "millicelsius",
    ];

    #[test]
    fn every_metric_of_the_catalogue_is_told_in_base_units_under_a_name_of_its_own() {
        let mut names = std::collections::HashSet::new();
        for (sensor, metrics) in observe::metrics() {
            let series = metrics.iter().map(|metric| SeriesName {
                name: metric.name.replacen("{}", "x", 1),
                kind: metric.kind,
            });
            let series: Arc<Vec<SeriesName>> = Arc::new(series.collect());
            let to = ReadingRow {
                time_ns: 0,
                cells: vec![3.0; series.len()].into(),
            };
            let text = text(
                &[(sensor, metrics)],
                &[Reading {
                    sensor,
                    series,
                    from: None,
                    to,
                }],
            );
            let types: Vec<(&str, &str)> = text
                .lines()
                .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
                .collect();
            assert_eq!(types.len(), metrics.len(), "{text}");
            for (metric, (name, kind)) in metrics.iter().zip(types) {
                let is_plain =
                    |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
                assert!(name.bytes().all(is_plain) && !name.contains("__"), "{name}");
                // Sectors of a disk have the size that the disk gives them, so they are counted rather than converted.
                let left = name.split('_').find(|word| {
                    ABBREVIATED.contains(word)
                        && !(*word == "sectors" && metric.unit == "disk sectors")
                });
                assert_eq!(left, None, "{name} of {}", metric.name);
                assert_eq!(name.ends_with("_total"), kind == "counter", "{name}");
                let words: Vec<&str> = name.split('_').collect();
                assert!(
                    words.windows(2).all(|pair| pair[0] != pair[1]),
                    "{name} says a word twice"
                );
                assert!(names.insert(name.to_string()), "{name} is told twice");
            }
        }
    }

    #[test]
    fn rates_hours_and_minutes_are_converted() {
        static ODD: &[Metric] = &[
            metric("md.{}.sync_kib_per_s", "KiB/s", Gauge),
            metric("cgroup.{}.read_bytes_limit", "bytes/s", Gauge),
            metric("health.{}.power_on_hours", "h", Counter),
            metric("health.{}.controller_busy_minutes", "min", Counter),
            metric("health.{}.percentage_used", "percent", Gauge),
            metric("md.{}.sync_total_sectors", "sectors", Gauge),
        ];
        let told = ODD
            .iter()
            .map(Name::of)
            .map(|name| (name.name, name.factor))
            .collect::<Vec<_>>();
        let expected = [
            ("iodyno_md_sync_bytes_per_second", 1024.0),
            ("iodyno_cgroup_read_limit_bytes_per_second", 1.0),
            ("iodyno_health_power_on_seconds_total", 3600.0),
            ("iodyno_health_controller_busy_seconds_total", 60.0),
            ("iodyno_health_used_ratio", 0.01),
            ("iodyno_md_sync_total_bytes", 512.0),
        ];
        assert_eq!(
            told,
            expected.map(|(name, factor)| (name.to_string(), factor))
        );
    }

    #[test]
    fn subjects_become_labels_and_gaps_are_left_out() {
        let text = served(&[
            ("irq.device.nvme0n1@4.count", 7.0),
            ("disk.a\"b.read_ios", 1.0),
            ("disk.gone.read_ios", f64::NAN),
        ]);
        assert!(
            text.contains("iodyno_irq_device_count_total{device=\"nvme0n1\",cpu=\"4\"} 7\n"),
            "{text}"
        );
        assert!(text.contains("{device=\"a\\\"b\"} 1\n"), "{text}");
        assert!(!text.contains("gone"), "{text}");
    }

    #[test]
    fn layers_are_cumulative_histograms() {
        let mut times = Histogram::new();
        [500, 90_000, 90_000, 30_000_000_000]
            .into_iter()
            .for_each(|ns| times.record(ns));
        let spans = vec![SpanTimes {
            side: LayerSide::Read,
            span: Span::D2C,
            times,
        }];
        let device = DeviceLayers {
            device: "vda".into(),
            devno: "253:0".into(),
            spans,
            counters: Default::default(),
        };
        let text = layers(&LayerTimes {
            source: "eBPF full".into(),
            devices: vec![device],
            outside: vec![],
        });
        let count = |le: &str| {
            let wanted = format!("le=\"{le}\"}} ");
            let line = text.lines().find(|line| line.contains(&wanted)).unwrap();
            line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()
        };
        assert_eq!(
            (count("0.000001"), count("0.000128"), count("+Inf")),
            (1, 3, 4),
            "{text}"
        );
        assert!(text.contains(
            "iodyno_layer_seconds_count{device=\"vda\",direction=\"read\",layer=\"D2C\"} 4\n"
        ));
    }
}
