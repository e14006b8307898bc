//! What another tool measured, in numbers; and what it did not print, which is named and not drawn.

use crate::figure::FigureTable;
use crate::report::pieces;
use maud::{Markup, html};
use model::histogram::Histogram;
use model::imported::{Imported, LatencyFigures, LoadFigures, OperationFigures, SideFigures};
use model::record::Record;
use model::units;
use view::other_series::{SeriesTable, readings, tables};
use view::scale::Quantity;

/// The part of the page; empty for records of our own.
pub fn section(record: &Record) -> Markup {
    let Some(imported) = record.imported() else {
        return Markup::default();
    };
    let load = imported.load.as_ref();
    html! {
        @if let Some(table) = load.map(numbers).filter(|table| !table.rows.is_empty()) { (pieces::table(&table)) }
        @if let Some(table) = load.map(operations).filter(|table| !table.rows.is_empty()) { (pieces::table(&table)) }
        (pieces::list(&load.map(beside).unwrap_or_default()))
        (pieces::list(&readings(&imported.series)))
        @for (name, table) in series(imported) { (pieces::named_table(&name, &table)) }
    }
}

/// Rows of a table at most.
const ROWS_MAX: usize = 60;

/// What was printed over time, as tables with their names: a row a thing.
pub fn series(imported: &Imported) -> Vec<(String, FigureTable)> {
    let table = |table: SeriesTable| {
        let first = std::iter::once(table.title.clone());
        let head = first.chain(table.rows.iter().map(|row| row.0.clone()));
        let row = |(at, subject): (usize, &String)| {
            let cells = table.rows.iter().map(|(_, cells)| cells[at].clone());
            std::iter::once(subject.clone()).chain(cells).collect()
        };
        let rows = table.subjects.iter().enumerate().map(row);
        let left_out = table.subjects.len().saturating_sub(ROWS_MAX);
        let note = match left_out {
            0 => String::new(),
            count => format!("{count} more are in the record only."),
        };
        let table_of_page = FigureTable {
            head: head.collect(),
            rows: rows.take(ROWS_MAX).collect(),
            note,
        };
        (table.title, table_of_page)
    };
    tables(&imported.series).into_iter().map(table).collect()
}

/// What is known beside rates and latencies.
fn beside(load: &LoadFigures) -> Vec<String> {
    let mut beside = Vec::new();
    beside.extend(
        load.elapsed_ms
            .map(|ms| format!("ran {}", units::span_ms(ms as u64))),
    );
    if let (Some(user), Some(system)) = (load.cpu_user_pct, load.cpu_system_pct) {
        beside.push(format!(
            "{} of a CPU in user mode, {} in the kernel",
            units::percent(user),
            units::percent(system)
        ));
    }
    beside.extend(
        load.errors
            .filter(|errors| *errors > 0)
            .map(|errors| format!("{errors} I/Os failed")),
    );
    for disk in &load.disks {
        let ios =
            |count: Option<u64>| count.map_or("–".into(), |count| units::count(count as f64));
        let (read, write) = (ios(disk.read_ios), ios(disk.write_ios));
        beside.push(format!(
            "the kernel counted {read} reads and {write} writes on {}",
            disk.name
        ));
    }
    beside
}

/// A column of the table.
type ImportedColumn<'a> = (String, Box<dyn Fn(&SideFigures) -> Option<String> + 'a>);

/// A row a direction; what no direction has is no column.
pub fn numbers(load: &LoadFigures) -> FigureTable {
    let sides: Vec<(&str, &SideFigures)> = load.sides().collect();
    let mut columns: Vec<ImportedColumn<'_>> = vec![
        (
            "rate".into(),
            Box::new(|side| side.iops.map(|value| Quantity::Iops.words(value))),
        ),
        (
            "bandwidth".into(),
            Box::new(|side| side.bytes_per_s.map(units::bytes_per_s)),
        ),
        (
            "I/Os".into(),
            Box::new(|side| side.ios.map(|ios| ios.to_string())),
        ),
        (
            "bytes".into(),
            Box::new(|side| side.bytes.map(units::bytes)),
        ),
    ];
    let mut kinds: Vec<&str> = Vec::new();
    for latency in sides.iter().flat_map(|(_, side)| &side.latencies) {
        if !kinds.contains(&latency.kind.as_str()) {
            kinds.push(&latency.kind);
        }
    }
    for kind in kinds {
        let mut add = |name: &str, of: fn(&LatencyFigures) -> Option<f64>| {
            let head = format!("{kind} {name}");
            let cell =
                move |side: &SideFigures| side.latency(kind).and_then(of).map(units::duration_ns);
            columns.push((head.trim().to_string(), Box::new(cell)));
        };
        add("mean", |one| one.mean_ns);
        add("p50", |one| percentile(one, 50.0));
        add("p99", |one| percentile(one, 99.0));
        add("p99.9", |one| percentile(one, 99.9));
        add("greatest", |one| one.max_ns);
    }
    columns.retain(|(_, cell)| sides.iter().any(|(_, side)| cell(side).is_some()));
    let head = std::iter::once("direction".to_string())
        .chain(columns.iter().map(|(name, _)| name.clone()));
    let mut table = FigureTable {
        head: head.collect(),
        ..FigureTable::default()
    };
    if columns.is_empty() {
        return table;
    }
    for (name, side) in &sides {
        let cells = columns
            .iter()
            .map(|(_, cell)| cell(side).unwrap_or_else(|| "not given".into()));
        table
            .rows
            .push(std::iter::once((*name).to_string()).chain(cells).collect());
    }
    table
}

/// A percentile as it was printed, or of counts with enough of them beyond it.
fn percentile(latency: &LatencyFigures, percent: f64) -> Option<f64> {
    let printed = latency
        .percentiles
        .iter()
        .find(|(at, _)| (at - percent).abs() < 1e-6)
        .map(|(_, ns)| *ns);
    let enough = |counts: &Histogram| counts.total() as f64 * (100.0 - percent) >= 999.9;
    let is_counted = latency.histogram.as_ref().is_some_and(enough);
    let counted = is_counted.then(|| latency.counted_percentile_ns(percent));
    printed.or(counted.flatten())
}

/// A row a kind of operation, where what was done is no single I/Os: transactions of a database.
fn operations(load: &LoadFigures) -> FigureTable {
    let head = [
        "operation",
        "rate",
        "count",
        "mean",
        "p95",
        "p99",
        "greatest",
    ];
    let row = |one: &OperationFigures| {
        let latency = one.latency.as_ref();
        let ns = |value: Option<f64>| value.map_or("not given".into(), units::duration_ns);
        let of = |percent| ns(latency.and_then(|latency| percentile(latency, percent)));
        let rate = one.per_s.map(|per_s| format!("{}/s", units::rate(per_s)));
        let count = one.count.map(|count| count.to_string());
        vec![
            one.name.clone(),
            rate.unwrap_or("not given".into()),
            count.unwrap_or("not given".into()),
            ns(latency.and_then(|latency| latency.mean_ns)),
            of(95.0),
            of(99.0),
            ns(latency.and_then(|latency| latency.max_ns)),
        ]
    };
    FigureTable {
        head: head.map(String::from).into(),
        rows: load.operations.iter().map(row).collect(),
        ..FigureTable::default()
    }
}

/// What is not drawn and why, each a sentence.
pub fn missing(imported: &Imported) -> Vec<String> {
    let mut all = Vec::new();
    let is_fio = imported.tool.starts_with("fio");
    if let Some(load) = &imported.load {
        let of_operations = || {
            load.operations
                .iter()
                .filter_map(|one| one.latency.as_ref())
        };
        let of_sides = || load.sides().flat_map(|(_, side)| &side.latencies);
        let latencies = || of_sides().chain(of_operations());
        let has_counts = latencies().any(|one| one.histogram.is_some());
        let has_percentiles = latencies().any(|one| !one.percentiles.is_empty());
        all.extend(match (has_counts, has_percentiles, latencies().next().is_some()) {
            (true, _, _) => None,
            (_, true, _) => {
                let how = if is_fio { ", which fio writes with --output-format=json+" } else { "" };
                Some(format!(
                    "Counts by latency{how}: only the percentiles that were printed are drawn, as marks."
                ))
            }
            (_, _, true) => {
                Some("A distribution of latencies: no percentiles were printed, so no curve is drawn.".into())
            }
            (_, _, false) => Some("Latencies: none were printed.".into()),
        });
        if load.sides().any(|(_, side)| side.ios.is_none()) {
            all.push("How many I/Os the numbers rest on.".into());
        }
    }
    if imported
        .series
        .iter()
        .all(|series| series.values.iter().flatten().count() == 0)
    {
        let how = if is_fio {
            " fio writes it with --write_bw_log, --write_lat_log and --log_avg_msec."
        } else {
            ""
        };
        all.push(format!(
            "Anything over time, so no rates and no latencies over time are drawn.{how}"
        ));
    }
    all
}
