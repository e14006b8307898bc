//! A record of what another tool measured. What its source does not say is left open, not taken from this machine.

use host::Host;
use load::language;
use model::imported::{Imported, LatencyFigures, LoadFigures, OperationFigures, SideFigures};
use model::iopath::{IoPath, Layer, LayerKind};
use model::job::Job;
use model::record::{Provenance, Record, RecordBody};
use model::units;

/// With what the user says of it, where it does not say itself.
pub fn labelled(mut imported: Imported, host: Option<&str>, device: Option<&str>) -> Imported {
    for (name, value) in [("host", host), ("device", device)] {
        if let Some(value) = value {
            imported
                .facts
                .entry(name.into())
                .or_insert_with(|| value.into());
        }
    }
    imported
}

/// Without the place it was read from: the same result of a copy of the file is the same result.
pub fn bare(imported: &Imported) -> Imported {
    Imported {
        file: String::new(),
        lines: None,
        ..imported.clone()
    }
}

/// The record.
pub fn of(host: &Host, imported: Imported) -> Record {
    let fact = |name: &str| imported.facts.get(name).cloned().unwrap_or_default();
    let here = crate::provenance::of(host);
    let provenance = Provenance {
        iodyno: here.iodyno,
        commit: here.commit,
        hostname: fact("host"),
        kernel: fact("kernel"),
        cpu: fact("cpu"),
        clock: String::new(),
        started_unix_ms: imported.measured_unix_ms.unwrap_or(here.started_unix_ms),
        command: here.command,
        kube: None,
        rehearsed: None,
    };
    let target = target(&imported);
    let path = path(&target, &imported);
    Record {
        summary: summary(&imported),
        job: job(&imported),
        target,
        ..Record::of(RecordBody::Import(imported), provenance, path)
    }
}

/// What was measured, in the source's own words; else the file that tells.
fn target(imported: &Imported) -> String {
    let named = ["device", "filename", "directory", "pool", "model"]
        .iter()
        .find_map(|name| imported.facts.get(*name));
    named.cloned().unwrap_or_else(|| imported.file.clone())
}

/// One layer for what was named, with the device below it where one is known.
fn path(target: &str, imported: &Imported) -> IoPath {
    let mut root = Layer::new(LayerKind::Target, target);
    root.title = format!("{} of {}", imported.tool, imported.file);
    let mut disks = imported
        .load
        .iter()
        .flat_map(|load| &load.disks)
        .map(|disk| disk.name.clone());
    let named = imported
        .facts
        .get("device")
        .map(|device| device.trim_start_matches("/dev/").to_string());
    if let Some(name) = named.or_else(|| disks.next_back()) {
        let mut disk = Layer::new(LayerKind::Disk, name.clone());
        disk.title = imported.facts.get("model").cloned().unwrap_or(name);
        for name in ["model", "serial", "size_bytes", "firmware"] {
            if let Some(value) = imported.facts.get(name) {
                disk.facts.insert(name.into(), value.clone());
            }
        }
        root.below.push(disk);
    }
    IoPath::new(target, root)
}

/// The job as far as the source tells it: the whole command line where fio's language is understood, else the options one
/// by one that are.
fn job(imported: &Imported) -> Job {
    let options = [
        "ioengine",
        "rw",
        "bs",
        "iodepth",
        "numjobs",
        "direct",
        "rwmixread",
        "size",
        "runtime",
    ];
    let mut words: Vec<String> = Vec::new();
    let mut job = Job::default();
    for name in options {
        let Some(value) = imported.facts.get(name).filter(|value| !value.is_empty()) else {
            continue;
        };
        words.push(format!("--{name}={value}"));
        let parsed = language::from_words(&words)
            .ok()
            .and_then(|parsed| parsed.sections.into_iter().next());
        match parsed {
            Some(section) => job = section.job,
            None => drop(words.pop()),
        }
    }
    job
}

/// `fio-3.7 ./fio.test: read 20.1 k IOPS, 78.7 MiB/s, p99 9.63 ms`.
pub fn summary(imported: &Imported) -> String {
    let sides = imported.load.iter().flat_map(LoadFigures::sides);
    let sides = sides
        .filter(|(name, _)| *name != "sync")
        .filter_map(|(name, side)| side_words(name, side));
    let operations = imported.load.iter().flat_map(|load| &load.operations);
    let operations = operations.filter_map(operation_words);
    let mut parts: Vec<String> = sides.chain(operations).collect();
    if parts.is_empty() && !imported.series.is_empty() {
        let moments = imported
            .series
            .iter()
            .map(|series| series.time_ms.len())
            .max()
            .unwrap_or(0);
        parts.push(format!(
            "{} series of {moments} {}",
            imported.series.len(),
            if moments == 1 { "moment" } else { "moments" }
        ));
    }
    // `rados bench write` says its tool already.
    let what = match imported.name.starts_with(&imported.tool) {
        true => imported.name.clone(),
        false => format!("{} {}", imported.tool, imported.name),
    };
    let said = match parts.is_empty() {
        true if imported.load.is_none() && !imported.facts.is_empty() => "facts".into(),
        true => "no rates".into(),
        false => parts.join("; "),
    };
    report::text::clean(&format!("{what}: {said}")).into_owned()
}

fn side_words(name: &str, side: &SideFigures) -> Option<String> {
    let rate = side.iops.map(|iops| format!("{} IOPS", units::rate(iops)));
    let bytes = side.bytes_per_s.map(units::bytes_per_s);
    let latency = p99_ns(side).map(|ns| format!("p99 {}", units::duration_ns(ns)));
    let latency = latency.or_else(|| Some(format!("mean {}", units::duration_ns(mean_ns(side)?))));
    let parts: Vec<String> = [rate, bytes, latency].into_iter().flatten().collect();
    let name = if name == "mixed" {
        String::new()
    } else {
        format!("{name} ")
    };
    (!parts.is_empty()).then(|| format!("{name}{}", parts.join(", ")))
}

/// `1.69 k transactions/s, mean 9.47 ms`.
fn operation_words(operation: &OperationFigures) -> Option<String> {
    let rate = operation
        .per_s
        .map(|per_s| format!("{} {}/s", units::rate(per_s), operation.name));
    let latency = operation.latency.as_ref().and_then(latency_words);
    let parts: Vec<String> = rate.into_iter().chain(latency).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The 99th percentile, else the mean with the highest percentile that is told: `mean 9.47 ms, p95 15.3 ms`.
pub fn latency_words(latency: &LatencyFigures) -> Option<String> {
    if let Some(p99) = latency.percentile_ns(99.0) {
        return Some(format!("p99 {}", units::duration_ns(p99)));
    }
    let mean = latency
        .mean_ns
        .map(|ns| format!("mean {}", units::duration_ns(ns)));
    let highest = latency
        .percentiles
        .iter()
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let highest = highest.map(|(per_cent, ns)| format!("p{per_cent} {}", units::duration_ns(*ns)));
    let parts: Vec<String> = mean.into_iter().chain(highest).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The latency that a person means: completion, else total.
pub fn main_latency(side: &SideFigures) -> Option<&LatencyFigures> {
    ["clat", "lat", "await"]
        .iter()
        .find_map(|kind| side.latency(kind))
        .or(side.latencies.first())
}

/// 99th percentile, where the source tells it or can be asked for it.
pub fn p99_ns(side: &SideFigures) -> Option<f64> {
    side.latencies
        .iter()
        .find_map(|latency| latency.percentile_ns(99.0))
}

fn mean_ns(side: &SideFigures) -> Option<f64> {
    main_latency(side)?.mean_ns
}
