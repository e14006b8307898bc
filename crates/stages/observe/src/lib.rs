//! Stage 3: reads the kernel's counters while a load runs, on the load's clock.
//!
//! A sensor is one file in `sensors/`: it reads one source and names what it gives. The [`Sampler`] reads them all at
//! fixed moments from one thread, keeps the raw values and what reading them cost. [`foreign`] tells how much of a
//! device's traffic was not ours.

mod aside;
mod declare;
mod devices;
mod edges;
mod flights;
pub mod foreign;
#[cfg(test)]
mod iostat_agrees;
mod layer_history;
mod load_sleep;
mod load_tasks;
mod parse;
mod sampler;
mod scan;
#[cfg(test)]
mod sensor_hosts;
#[cfg(test)]
mod sensor_tests;
pub mod sensors;
mod store;
mod tracing;
mod track;
#[cfg(test)]
mod wide_host;

pub use edges::{EdgeReading, Edges};
pub use flights::Flights;
pub use host::disk_counters::DeviceCounters;
pub use layer_history::{LayerHistory, LayerStep, SpanCounts};
pub use load_sleep::LoadSleep;
pub use load_tasks::{LoadTasks, OwnWait, written_bytes};
pub use probe::{Rung, RungStep, Strength, rung};
pub use sampler::{Sampler, Status};
pub use store::{Keep, Store};
pub use tracing::{Tracing, TracingWish};

use host::{Host, Rehearsal};
use model::field::Field;
pub use model::field::Metric;
use model::iopath::IoPath;
use std::sync::Arc;

/// Time between two samples unless the user says otherwise.
pub const INTERVAL_DEFAULT_MS: u64 = 100;

/// Something that reads one source of the kernel.
pub struct Sensor {
    /// Name of its file.
    pub id: &'static str,
    /// First version that had it.
    pub since: &'static str,
    /// The least time between two readings, ms; 0 for as often as the sampler goes.
    pub every_ms: u64,
    /// Files it reads.
    pub reads: &'static [&'static str],
    /// The raw series it gives.
    pub metrics: &'static [Metric],
    /// What people read, made of those series.
    pub fields: &'static [Field],
    /// Finds its files on this machine; the error says why there is nothing to read.
    pub open: fn(&Host, &Scope) -> Opened,
}

impl Sensor {
    /// Opens it on a machine; in a rehearsal only where it reads what the simulated disk counts.
    pub(crate) fn opened(&self, host: &Host, scope: &Scope) -> Opened {
        let is_counted = |rehearsal: &Arc<Rehearsal>| {
            let mut files = self.reads.iter();
            files.any(|file| rehearsal.is_counted(file))
        };
        match host.rehearsal().is_none_or(is_counted) {
            true => (self.open)(host, scope),
            false => Err("a rehearsal has no counters but those of its disk".into()),
        }
    }
}

/// An opened sensor, or why there is nothing to read.
pub type Opened = Result<Box<dyn SensorSource>, String>;

/// Every field of every sensor, as [`analyse::fields::Fields`] takes them.
pub fn fields() -> Vec<(&'static str, &'static [Field])> {
    sensors::ALL
        .iter()
        .map(|sensor| (sensor.id, sensor.fields))
        .collect()
}

/// The field of this id, and the sensor that gives it.
pub fn field(id: &str) -> Option<(&'static Sensor, &'static Field)> {
    let fields = sensors::ALL
        .iter()
        .flat_map(|sensor| sensor.fields.iter().map(move |field| (*sensor, field)));
    fields.into_iter().find(|(_, field)| field.id() == id)
}

/// Every raw series of every sensor.
pub fn metrics() -> Vec<(&'static str, &'static [Metric])> {
    sensors::ALL
        .iter()
        .map(|sensor| (sensor.id, sensor.metrics))
        .collect()
}

/// An opened sensor.
pub trait SensorSource: Send {
    /// The series it gives, in the order of [`SensorSource::read`].
    fn columns(&self) -> Vec<SensorColumn>;

    /// Series that have come since the last call: a device was plugged in, a process began to write. They are added
    /// behind those before, and never go away again: a subject that is gone leaves gaps.
    fn new_columns(&mut self) -> Vec<SensorColumn> {
        Vec::new()
    }

    /// Reads once into a row as long as the columns, which arrives filled with NaN: what stays NaN was not there.
    fn read(&mut self, row: &mut [f64]) -> host::Result<()>;

    /// What a reader of its series must know about this machine: a device that counts nothing, a disk that tells nothing,
    /// what it may not see, how late it notices.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// CPU time of threads that read for it, ns.
    fn cost_elsewhere_ns(&self) -> u64 {
        0
    }
}

/// One series of a sensor.
#[derive(Clone, Debug)]
pub struct SensorColumn {
    /// Name with its subject: `disk.vda.read_ios`.
    pub name: String,
    /// What it is.
    pub metric: &'static Metric,
}

impl SensorColumn {
    /// The series of a metric for one device, CPU or line.
    pub fn of(metric: &'static Metric, subject: &str) -> Self {
        SensorColumn {
            name: metric.name.replacen("{}", subject, 1),
            metric,
        }
    }

    /// The series of several metrics for one subject.
    pub fn all_of(metrics: &'static [Metric], subject: &str) -> Vec<SensorColumn> {
        metrics
            .iter()
            .map(|metric| SensorColumn::of(metric, subject))
            .collect()
    }
}

/// What the sensors look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Kernel names of block devices; none for every device that has seen I/O.
    pub devices: Vec<String>,
    /// Interrupt lines of those devices.
    pub irqs: Vec<u32>,
    /// Control groups to look at beside the one that iodyno runs in, as paths below the hierarchy's root:
    /// `/system.slice/mysql.service`.
    pub cgroups: Vec<String>,
    /// Files whose share of the page cache is of interest.
    pub files: Vec<std::path::PathBuf>,
    /// The programs that trace those devices.
    pub tracing: Tracing,
    /// Which devices were just seen with nothing in flight.
    pub flights: Flights,
}

impl Scope {
    /// Every block device on an I/O path, and their interrupts.
    pub fn of(path: &IoPath) -> Self {
        let mut scope = Scope::default();
        for layer in path.root.walk() {
            if layer.kind.is_block() && !scope.devices.contains(&layer.name) {
                scope.devices.push(layer.name.clone());
            }
            scope
                .irqs
                .extend(layer.interrupts.iter().map(|line| line.irq));
        }
        scope.irqs.sort_unstable();
        scope.irqs.dedup();
        scope
    }

    /// Devices by name, without their interrupts.
    pub fn devices(names: &[&str]) -> Self {
        Scope {
            devices: names.iter().map(|name| (*name).to_string()).collect(),
            ..Scope::default()
        }
    }
}
