//! The tables of an export: their columns, and the lines that a record has in each.

use crate::notes::Note;
use crate::query::RecordRow;
use model::histogram::{Histogram, edge_of};
use model::imported::ImportedSeries;
use model::record::{Direction, Interval, LoadResult, Record};
use model::sample::{MetricKind, SensorLog};
use std::sync::Arc;

/// A record with what lies beside it.
pub struct ExportSubject {
    pub row: RecordRow,
    pub notes: Vec<Note>,
    pub record: Record,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    Int,
    Float,
    Text,
    /// Milliseconds since 1970, UTC.
    Moment,
}

/// A column. Where a value is not known there is none, never 0.
#[derive(Debug)]
pub struct ExportField {
    pub name: &'static str,
    pub holds: Holds,
}

const fn int(name: &'static str) -> ExportField {
    ExportField {
        name,
        holds: Holds::Int,
    }
}

const fn float(name: &'static str) -> ExportField {
    ExportField {
        name,
        holds: Holds::Float,
    }
}

const fn text(name: &'static str) -> ExportField {
    ExportField {
        name,
        holds: Holds::Text,
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportCell {
    None,
    Int(i64),
    Float(f64),
    Text(Arc<str>),
}

/// Takes the lines of a record, one by one, a cell for each column.
pub type Take<'a> = &'a mut dyn FnMut(&[ExportCell]);

/// A table.
pub struct ExportTable {
    pub name: &'static str,
    pub fields: &'static [ExportField],
    pub lines: fn(&ExportSubject, Take),
}

/// All of them.
pub const TABLES: &[ExportTable] = &[
    ExportTable {
        name: "records",
        fields: &[
            int("record"),
            ExportField {
                name: "time",
                holds: Holds::Moment,
            },
            text("verb"),
            text("target"),
            text("device"),
            text("serial"),
            text("model"),
            text("host"),
            text("kernel"),
            text("job"),
            text("job_print"),
            text("summary"),
            text("tags"),
            text("notes"),
            float("elapsed_ms"),
            float("iops"),
            float("bytes_per_s"),
            float("mean_ns"),
            float("p50_ns"),
            float("p99_ns"),
            float("p999_ns"),
            int("samples"),
        ],
        lines: records,
    },
    ExportTable {
        name: "samples",
        fields: &[
            int("record"),
            text("sensor"),
            text("series"),
            text("unit"),
            text("kind"),
            int("time_ns"),
            float("value"),
        ],
        lines: samples,
    },
    ExportTable {
        name: "intervals",
        fields: &[
            int("record"),
            text("section"),
            int("start_ms"),
            int("length_ms"),
            int("read_ios"),
            int("read_bytes"),
            int("read_p50_ns"),
            int("read_p99_ns"),
            int("write_ios"),
            int("write_bytes"),
            int("write_p50_ns"),
            int("write_p99_ns"),
            int("inflight"),
        ],
        lines: intervals,
    },
    ExportTable {
        name: "histograms",
        fields: &[
            int("record"),
            text("source"),
            text("name"),
            text("side"),
            text("span"),
            int("low_ns"),
            int("high_ns"),
            int("ios"),
        ],
        lines: histograms,
    },
    ExportTable {
        name: "settings",
        fields: &[int("record"), text("layer"), text("name"), text("value")],
        lines: settings,
    },
];

fn word(value: &str) -> ExportCell {
    ExportCell::Text(value.into())
}

fn maybe(value: Option<&String>) -> ExportCell {
    value.map_or(ExportCell::None, |value| word(value))
}

fn count(value: u64) -> ExportCell {
    ExportCell::Int(value as i64)
}

/// The machine and its kernel are not always told.
fn told(value: &str) -> ExportCell {
    if value.is_empty() {
        ExportCell::None
    } else {
        word(value)
    }
}

fn records(subject: &ExportSubject, take: Take) {
    let ExportSubject { row, notes, .. } = subject;
    let notes: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
    let float = |value: Option<f64>| value.map_or(ExportCell::None, ExportCell::Float);
    take(&[
        ExportCell::Int(row.id),
        ExportCell::Int(row.unix_ms),
        word(&row.verb),
        word(&row.target),
        maybe(row.device.as_ref()),
        maybe(row.serial.as_ref()),
        maybe(row.model.as_ref()),
        told(&row.host),
        told(&row.kernel),
        maybe(row.job.as_ref()),
        maybe(row.job_print.as_ref()),
        word(&row.summary),
        word(&row.tags.join(",")),
        word(&notes.join("\n")),
        float(row.elapsed_ms),
        float(row.iops),
        float(row.bytes_per_s),
        float(row.mean_ns),
        float(row.p50_ns),
        float(row.p99_ns),
        float(row.p999_ns),
        ExportCell::Int(row.samples),
    ]);
}

fn samples(subject: &ExportSubject, take: Take) {
    let id = subject.row.id;
    for log in &subject.record.sensors {
        sensor_samples(id, log, take);
    }
    if let Some(imported) = subject.record.imported() {
        let sensor = word(&imported.importer);
        imported
            .series
            .iter()
            .for_each(|series| imported_samples(id, &sensor, series, take));
    }
}

fn sensor_samples(id: i64, log: &SensorLog, take: Take) {
    let sensor = word(&log.sensor);
    for series in &log.series {
        let kind = match series.kind {
            MetricKind::Counter => "counter",
            MetricKind::Counter32 => "counter32",
            MetricKind::Gauge => "gauge",
        };
        let head = [
            ExportCell::Int(id),
            sensor.clone(),
            word(&series.name),
            word(&series.unit),
            word(kind),
        ];
        let [record, sensor, name, unit, kind] = head;
        let mut line = [
            record,
            sensor,
            name,
            unit,
            kind,
            ExportCell::None,
            ExportCell::None,
        ];
        for (time_ns, value) in log.time_ns.iter().zip(&series.values) {
            line[5] = ExportCell::Int(*time_ns);
            line[6] = value.map_or(ExportCell::None, ExportCell::Float);
            take(&line);
        }
    }
}

fn imported_samples(id: i64, sensor: &ExportCell, series: &ImportedSeries, take: Take) {
    let name = match series.subject.as_str() {
        "" => word(&series.field),
        subject => word(&format!("{} {subject}", series.field)),
    };
    let mut line = [
        ExportCell::Int(id),
        sensor.clone(),
        name,
        word(&series.unit),
        word("gauge"),
        ExportCell::None,
        ExportCell::None,
    ];
    for (time_ms, value) in series.time_ms.iter().zip(&series.values) {
        line[5] = ExportCell::Int((time_ms * 1e6) as i64);
        line[6] = value.map_or(ExportCell::None, ExportCell::Float);
        take(&line);
    }
}

/// The loads of a record by the name of their section; empty for one that is alone.
fn loads(record: &Record) -> Vec<(&str, &LoadResult)> {
    match record.sections().is_empty() {
        true => record.load().into_iter().map(|load| ("", load)).collect(),
        false => record
            .sections()
            .iter()
            .map(|section| (section.name.as_str(), &section.load))
            .collect(),
    }
}

fn intervals(subject: &ExportSubject, take: Take) {
    for (section, load) in loads(&subject.record) {
        let section = word(section);
        for Interval {
            start_ms,
            length_ms,
            read,
            write,
            inflight,
        } in &load.intervals
        {
            let without_io = |ios: u64, ns: u64| if ios > 0 { count(ns) } else { ExportCell::None };
            take(&[
                ExportCell::Int(subject.row.id),
                section.clone(),
                count(*start_ms),
                count(*length_ms),
                count(read.ios),
                count(read.bytes),
                without_io(read.ios, read.p50_ns),
                without_io(read.ios, read.p99_ns),
                count(write.ios),
                count(write.bytes),
                without_io(write.ios, write.p50_ns),
                without_io(write.ios, write.p99_ns),
                ExportCell::Int(i64::from(*inflight)),
            ]);
        }
    }
}

/// What a histogram is of: kind of source, name, direction and span.
type Of<'a> = [&'a str; 4];

fn histograms(subject: &ExportSubject, take: Take) {
    let id = subject.row.id;
    let mut put = |of: Of<'_>, times: &Histogram| {
        let [kind, name, side, span] = of.map(word);
        let mut line = [
            ExportCell::Int(id),
            kind,
            name,
            side,
            span,
            ExportCell::None,
            ExportCell::None,
            ExportCell::None,
        ];
        for (bucket, ios) in times
            .counts()
            .iter()
            .enumerate()
            .filter(|(_, ios)| **ios > 0)
        {
            line[5] = count(edge_of(bucket));
            line[6] = count(edge_of(bucket + 1));
            line[7] = count(*ios);
            take(&line);
        }
    };
    load_histograms(&subject.record, &mut put);
    layer_histograms(&subject.record, &mut put);
    imported_histograms(&subject.record, &mut put);
}

fn load_histograms(record: &Record, put: &mut dyn FnMut(Of<'_>, &Histogram)) {
    for (section, load) in loads(record) {
        let sides: [(&str, &Direction); 4] = [
            ("read", &load.read),
            ("write", &load.write),
            ("trim", &load.trim),
            ("sync", &load.sync),
        ];
        for (side, done) in sides {
            put(["load", section, side, "clat"], &done.latency);
        }
        for operation in &load.operations {
            put(
                ["load", section, &operation.name, "clat"],
                &operation.done.latency,
            );
        }
        if let Some(service) = &load.service {
            put(["load", section, "all", "service"], service);
        }
    }
}

fn layer_histograms(record: &Record, put: &mut dyn FnMut(Of<'_>, &Histogram)) {
    for device in record
        .layers()
        .into_iter()
        .flat_map(|layers| &layers.devices)
    {
        for span in &device.spans {
            let (side, name) = (span.side.name(), span.span.name());
            put(["layer", &device.device, side, name], &span.times);
        }
    }
}

fn imported_histograms(record: &Record, put: &mut dyn FnMut(Of<'_>, &Histogram)) {
    let figures = record
        .imported()
        .into_iter()
        .flat_map(|imported| &imported.load)
        .flat_map(|load| load.sides());
    for (side, figures) in figures {
        for latency in &figures.latencies {
            if let Some(times) = &latency.histogram {
                put(["import", "", side, &latency.kind], times);
            }
        }
    }
}

fn settings(subject: &ExportSubject, take: Take) {
    let path = &subject.record.path;
    for layer in path.root.walk().into_iter().chain(path.machine.as_ref()) {
        let name = word(&layer.name);
        for setting in &layer.settings {
            if let Some(value) = setting.chosen() {
                take(&[
                    ExportCell::Int(subject.row.id),
                    name.clone(),
                    word(&setting.name),
                    word(value),
                ]);
            }
        }
    }
}
