//! A record of what the sensors see, without a load of ours.

use crate::context::Context;
use crate::exit::Failure;
use crate::keep::{self, Kept};
use analyse::fields::Fields;
use host::Host;
use inventory::InventoryError;
use model::iopath::IoPath;
use model::layers::LayerTimes;
use model::record::{Provenance, Record, RecordBody, WatchBody};
use model::units;
use observe::{Sampler, Scope};

/// A record that goes on. It has sensors of its own, so that it is whole however long it gets, while the view thins out
/// its hour.
pub struct Recording {
    sampler: Sampler,
    path: IoPath,
    /// The one that the path is of, by its kernel name.
    device: String,
    provenance: Provenance,
    layers: Option<LayerTimes>,
    scope: Scope,
    origin_ns: u64,
}

/// Whether all named devices, of which there is one at least, are on a path.
fn holds(path: &IoPath, named: &[String]) -> bool {
    let layers = path.root.walk();
    !named.is_empty()
        && named
            .iter()
            .all(|name| layers.iter().any(|layer| layer.name == *name))
}

/// The path from the first of the named devices, which are told from the top down, where it holds the others; else the
/// one through the device.
fn path_of(host: &Host, device: &str, named: &[String]) -> Result<IoPath, InventoryError> {
    let of_all = named
        .first()
        .map(|top| inventory::collect(host, top))
        .transpose()?;
    match of_all.filter(|path| holds(path, named)) {
        Some(path) => Ok(path),
        None => inventory::collect(host, device),
    }
}

impl Recording {
    /// Begins, with the sensors of a scope. The path is the one of all its devices where one holds them, else the one
    /// through a device.
    pub fn start(
        context: &Context,
        device: &str,
        interval_ms: u64,
        scope: &Scope,
    ) -> Result<Recording, Failure> {
        let path = path_of(&context.host, device, &scope.devices)?;
        let origin_ns = host::clock::monotonic_ns();
        Ok(Recording {
            sampler: Sampler::start(&context.host, interval_ms, origin_ns, scope),
            path,
            device: device.to_string(),
            provenance: crate::provenance::of(&context.host),
            layers: scope.tracing.read(),
            scope: scope.clone(),
            origin_ns,
        })
    }

    /// How long it has been going on, ms.
    pub fn ms(&self) -> u64 {
        host::clock::monotonic_ns().saturating_sub(self.origin_ns) / 1_000_000
    }

    /// Ends it and keeps it: what became of the record, and its summary.
    pub fn finish(self, context: &Context) -> (Kept, String) {
        let summary = self.summary();
        // One path is named as every other verb's record names it.
        let is_one_path = holds(&self.path, &self.scope.devices);
        let target = if is_one_path {
            self.path.target.clone()
        } else {
            self.watched()
        };
        let body = RecordBody::Watch(WatchBody {
            layers: self.scope.tracing.since(self.layers.as_ref()),
        });
        let record = Record {
            target,
            summary: summary.clone(),
            sensors: self.sampler.stop(),
            ..Record::of(body, self.provenance, self.path)
        };
        (keep::keep(context, &record), summary)
    }

    /// The devices that the sensors look at: `vda, vdb`.
    fn watched(&self) -> String {
        match self.scope.devices.as_slice() {
            [] => "every device".into(),
            named => super::text::clean(&named.join(", ")),
        }
    }

    /// `watched vda, vdb for 12 s; vda 1.20 k reads/s, 340 writes/s; vdb 3 reads/s, 0 writes/s`; with no device named,
    /// the figures are of the one under the cursor.
    fn summary(&self) -> String {
        let last_ns = self.sampler.status().last_ns;
        let frame = Fields::new(observe::fields()).frame(&self.sampler.readings(0, last_ns));
        let rates = |device: &str| {
            let rate = |id: &str| frame.get(id, device).map(|rate| units::count(rate.round()));
            let (reads, writes) = (rate("disk.reads_per_s")?, rate("disk.writes_per_s")?);
            Some(format!(
                "; {} {reads} reads/s, {writes} writes/s",
                super::text::clean(device)
            ))
        };
        let rates: String = match self.scope.devices.as_slice() {
            [] => rates(&self.device).unwrap_or_default(),
            named => named.iter().filter_map(|device| rates(device)).collect(),
        };
        format!(
            "watched {} for {}{rates}",
            self.watched(),
            units::span_ms(self.ms())
        )
    }
}
