//! What is derived from a document so that records find each other. Nothing of it is in the document: a later version
//! may derive more, and does so when it brings a store up to date.

use crate::job_words::{self, JobWords};
use model::imported::{Imported, LatencyFigures, LoadFigures, SideFigures};
use model::iopath::{IoPath, Layer};
use model::record::Record;
use std::collections::BTreeSet;

/// The columns of one record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    pub unix_ms: i64,
    pub verb: String,
    pub target: String,
    pub path: String,
    pub device: Option<String>,
    pub serial: Option<String>,
    pub model: Option<String>,
    pub host: String,
    pub kernel: String,
    pub job: Option<JobWords>,
    pub summary: String,
    pub figures: Figures,
    pub samples: i64,
    pub devices: Vec<DeviceColumns>,
    pub settings: BTreeSet<(String, String)>,
    /// What became of suspicions: the rule, and how the experiment decided.
    pub proofs: Vec<(String, &'static str)>,
}

/// What the load did, all directions as one. Latencies are ns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    pub elapsed_ms: Option<f64>,
    pub iops: Option<f64>,
    pub bytes_per_s: Option<f64>,
    pub mean_ns: Option<f64>,
    pub p50_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    pub p999_ns: Option<f64>,
}

/// A block device of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceColumns {
    pub name: String,
    pub serial: Option<String>,
    pub model: Option<String>,
}

/// The columns of a record.
pub fn of(record: &Record) -> Columns {
    let columns = Columns {
        verb: record.verb().into(),
        target: record.target.clone(),
        path: record.path.target.clone(),
        job: job_words::of(record),
        summary: record.summary.clone(),
        samples: samples(record),
        devices: devices(&record.path),
        settings: settings(&record.path),
        proofs: proofs(record),
        ..Columns::default()
    };
    match record.imported() {
        Some(imported) => of_import(columns, record, imported),
        None => of_own(columns, record),
    }
}

fn proofs(record: &Record) -> Vec<(String, &'static str)> {
    let findings = record.findings.iter();
    findings
        .filter_map(|finding| Some((finding.rule.clone(), finding.proof.as_ref()?.outcome.word())))
        .collect()
}

fn of_own(mut columns: Columns, record: &Record) -> Columns {
    let provenance = &record.provenance;
    columns.unix_ms = provenance.started_unix_ms as i64;
    columns.host.clone_from(&provenance.hostname);
    columns.kernel.clone_from(&provenance.kernel);
    let queue = record.path.queue_device();
    columns.device = queue.map(|layer| layer.name.clone());
    // An array has no model of its own; over a single disk it is as good as that disk.
    let disks = record.path.disks();
    let told = match disks[..] {
        [disk] => Some(disk),
        _ => queue,
    };
    columns.model = told.and_then(model);
    columns.serial = told.and_then(serial);
    if let Some(load) = record.load() {
        let latency = load.latency();
        let quantile = |share| latency.quantile_ns(share).map(|ns| ns as f64);
        columns.figures = Figures {
            elapsed_ms: Some(load.elapsed_ms),
            iops: Some(load.iops()),
            bytes_per_s: Some(load.bytes_per_s()),
            mean_ns: latency.mean_ns(),
            p50_ns: quantile(0.5),
            p99_ns: quantile(0.99),
            p999_ns: quantile(0.999),
        };
    }
    columns
}

/// Where and when an import was measured is what its source says: the machine that read it is another matter.
fn of_import(mut columns: Columns, record: &Record, imported: &Imported) -> Columns {
    let fact = |name: &str| {
        imported
            .facts
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
    };
    let own = |name: &str| fact(name).map(str::to_string);
    let measured = imported
        .measured_unix_ms
        .unwrap_or(record.provenance.started_unix_ms);
    columns.unix_ms = measured as i64;
    columns.host = own("host").unwrap_or_default();
    columns.kernel = own("kernel").unwrap_or_default();
    columns.model = own("model");
    columns.serial = own("serial").map(|serial| digest(&serial));
    let disks = imported
        .load
        .iter()
        .flat_map(|load| &load.disks)
        .map(|disk| disk.name.as_str());
    let named = fact("device").map(device_names).unwrap_or_default();
    let names: BTreeSet<&str> = named
        .iter()
        .copied()
        .chain(disks)
        .map(short_name)
        .filter(|name| !name.is_empty())
        .collect();
    for name in &names {
        if !columns.devices.iter().any(|device| device.name == **name) {
            // The source's one model and serial are of its one device.
            let is_only = names.len() == 1;
            let of_it = |value: &Option<String>| value.clone().filter(|_| is_only);
            let (serial, model) = (of_it(&columns.serial), of_it(&columns.model));
            columns.devices.push(DeviceColumns {
                name: name.to_string(),
                serial,
                model,
            });
        }
    }
    let first = named.first().copied().map(short_name);
    let only = columns
        .devices
        .first()
        .filter(|_| columns.devices.len() == 1)
        .map(|device| device.name.clone());
    columns.device = first.map(str::to_string).or(only);
    columns.figures = imported
        .load
        .as_ref()
        .map(imported_figures)
        .unwrap_or_default();
    columns
}

/// The devices that a source names: several only where each is a name of the kernel's, else the words are a label.
fn device_names(text: &str) -> Vec<&str> {
    let is_kernels = |word: &&str| {
        word.chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "/_-".contains(c))
    };
    let words: Vec<&str> = text
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    if words.iter().all(is_kernels) {
        words
    } else {
        vec![text]
    }
}

/// A device by its kernel name, `/dev/` taken off.
pub fn short_name(name: &str) -> &str {
    name.strip_prefix("/dev/").unwrap_or(name)
}

/// What the store keeps of a serial number: its digest, which tells disks apart and reveals no number.
pub fn digest(serial: &str) -> String {
    host::serial_digest(serial)
}

fn known(layer: &Layer, name: &str) -> Option<String> {
    layer
        .fact(name)
        .map(str::trim)
        .filter(|value| !value.is_empty())
        .map(str::to_string)
}

fn model(layer: &Layer) -> Option<String> {
    known(layer, "model")
}

fn serial(layer: &Layer) -> Option<String> {
    known(layer, "serial_digest").or_else(|| known(layer, "serial").map(|serial| digest(&serial)))
}

/// The block devices of a path, each once.
fn devices(path: &IoPath) -> Vec<DeviceColumns> {
    let mut devices: Vec<DeviceColumns> = Vec::new();
    for layer in path
        .root
        .walk()
        .into_iter()
        .filter(|layer| layer.devno.is_some() || path.queue_device() == Some(layer))
    {
        let name = short_name(&layer.name);
        if !devices.iter().any(|device| device.name == name) {
            devices.push(DeviceColumns {
                name: name.into(),
                serial: serial(layer),
                model: model(layer),
            });
        }
    }
    devices
}

/// The settings of path and machine, of a list the chosen word.
fn settings(path: &IoPath) -> BTreeSet<(String, String)> {
    let layers = path.root.walk().into_iter().chain(path.machine.as_ref());
    let settings = layers.flat_map(|layer| &layer.settings);
    settings
        .filter_map(|setting| Some((setting.name.clone(), setting.chosen()?.to_string())))
        .collect()
}

fn samples(record: &Record) -> i64 {
    let own = record
        .sensors
        .iter()
        .flat_map(|log| &log.series)
        .map(|series| series.values.len());
    let imported = record
        .imported()
        .into_iter()
        .flat_map(|imported| &imported.series)
        .map(|series| series.values.len());
    own.chain(imported).sum::<usize>() as i64
}

fn imported_figures(load: &LoadFigures) -> Figures {
    let sides: Vec<&SideFigures> = match &load.mixed {
        Some(mixed) => vec![mixed],
        None => [&load.read, &load.write, &load.trim]
            .into_iter()
            .flatten()
            .collect(),
    };
    let seconds = load.elapsed_ms.filter(|ms| *ms > 0.0).map(|ms| ms / 1e3);
    let rate = |rate: Option<f64>, count: Option<f64>| rate.or_else(|| Some(count? / seconds?));
    let iops = sides
        .iter()
        .filter_map(|side| rate(side.iops, side.ios.map(|ios| ios as f64)));
    let bytes = sides
        .iter()
        .filter_map(|side| rate(side.bytes_per_s, side.bytes));
    let sum = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum());
    Figures {
        elapsed_ms: load.elapsed_ms,
        iops: sum(iops.collect()),
        bytes_per_s: sum(bytes.collect()),
        ..imported_latency(&sides)
    }
}

/// Latency of all sides as one: from histograms, or of the one side that there is. The percentiles of two sides do not
/// make one.
fn imported_latency(sides: &[&SideFigures]) -> Figures {
    let of = |side: &SideFigures| {
        ["clat", "lat", "await"]
            .into_iter()
            .find_map(|kind| side.latency(kind).cloned())
    };
    let told: Vec<LatencyFigures> = sides.iter().filter_map(|side| of(side)).collect();
    let [first, rest @ ..] = &told[..] else {
        return Figures::default();
    };
    if told.iter().all(|one| one.histogram.is_some()) && told.len() == sides.len() {
        let mut all = first.histogram.clone().unwrap_or_default();
        rest.iter()
            .flat_map(|one| &one.histogram)
            .for_each(|one| all.merge(one));
        let quantile = |share| all.quantile_ns(share).map(|ns| ns as f64);
        let (p50_ns, p99_ns, p999_ns) = (quantile(0.5), quantile(0.99), quantile(0.999));
        let mean_ns = if rest.is_empty() {
            first.mean_ns
        } else {
            all.mean_ns()
        };
        return Figures {
            mean_ns,
            p50_ns,
            p99_ns,
            p999_ns,
            ..Figures::default()
        };
    }
    if sides.len() > 1 {
        return Figures::default();
    }
    let at = |percent: f64| {
        first
            .percentiles
            .iter()
            .find(|(at, _)| (at - percent).abs() < 1e-6)
            .map(|(_, ns)| *ns)
    };
    let (p50_ns, p99_ns, p999_ns) = (at(50.0), at(99.0), at(99.9));
    Figures {
        mean_ns: first.mean_ns,
        p50_ns,
        p99_ns,
        p999_ns,
        ..Figures::default()
    }
}
