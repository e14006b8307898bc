//! Sensors at work beside no load of ours, and what makes sense of them: for the lines of `watch` and for its screen.

mod devices;

use crate::exit::Failure;
use analyse::fields::{Fields, Frame};
use devices::Devices;
use host::Host;
use model::finding::Finding;
use observe::{Keep, LayerHistory, Sampler, Scope, Tracing, TracingWish};
use std::path::PathBuf;

/// What the live rules judge: long enough that one sample proves nothing, short enough that it is still true.
pub const JUDGED_NS: i64 = 5_000_000_000;

/// What is to be looked at.
pub struct Wanted<'a> {
    /// Devices by name, or paths; none for every device that does I/O.
    pub devices: &'a [String],
    /// Control groups beside the busiest.
    pub cgroups: &'a [String],
    /// Files, for their share of the page cache.
    pub files: &'a [PathBuf],
    /// How closely the block layer is traced.
    pub tracing: TracingWish,
    /// Time between two samples, ms.
    pub interval_ms: u64,
}

/// Sensors at work, and what makes sense of them.
pub struct Watching {
    /// What is looked at.
    pub devices: Devices,
    /// The same, as the sensors take it.
    pub scope: Scope,
    /// The sensors.
    pub sampler: Sampler,
    /// The fields.
    pub fields: Fields,
    /// The programs that trace the devices, or why there are none.
    pub tracing: Tracing,
    /// The layers by the second.
    pub layers: LayerHistory,
}

impl Watching {
    /// Finds the devices and starts the sensors, whose samples are kept for so long. Times are ns after that moment.
    pub fn start(host: &Host, wanted: &Wanted<'_>, keep: Keep) -> Result<Watching, Failure> {
        let devices = Devices::find(host, wanted.devices)?;
        let tracing = Tracing::start(&devices.traced, wanted.tracing);
        let scope = Scope {
            devices: devices.named.clone(),
            cgroups: wanted.cgroups.to_vec(),
            files: wanted.files.to_vec(),
            tracing: tracing.clone(),
            ..Scope::of(&devices.path)
        };
        let origin_ns = host::clock::monotonic_ns();
        let sampler = Sampler::keeping(keep, host, wanted.interval_ms, origin_ns, &scope);
        let fields = Fields::new(observe::fields());
        Ok(Watching {
            devices,
            scope,
            sampler,
            fields,
            layers: LayerHistory::new(tracing.clone()),
            tracing,
        })
    }

    /// Every field over the time between two moments.
    pub fn frame(&mut self, from_ns: i64, to_ns: i64) -> Frame {
        self.fields.frame(&self.sampler.readings(from_ns, to_ns))
    }

    /// What the live rules find in the seconds before a moment, the worst first.
    pub fn findings(&mut self, at_ns: i64) -> Vec<Finding> {
        diagnose::during(&self.frame(at_ns - JUDGED_NS, at_ns))
    }
}
