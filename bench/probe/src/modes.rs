//! The ways of tracing that take turns.

use crate::Outcome;
use crate::disk::Disk;
use model::layers::{DeviceLayers, Span};
use probe::{Layers, ProgramCost, Strength};
use std::process::{Child, Command, Stdio};

/// One way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is traced.
    Off,
    /// Ours, lite, on both devices.
    Lite,
    /// Ours, full, on both devices.
    Full,
    /// Lite with the kernel's statistics of programs on, which cost something themselves.
    LiteMeasured,
    /// Full, the same.
    FullMeasured,
    /// The trace events read and paired here, on both devices.
    Tracefs,
    /// `perf record` of the five events of a request, on every device.
    Perf,
}

impl Mode {
    /// All, the one that others are compared with first.
    pub const ALL: [Mode; 7] = [
        Mode::Off,
        Mode::Lite,
        Mode::Full,
        Mode::LiteMeasured,
        Mode::FullMeasured,
        Mode::Tracefs,
        Mode::Perf,
    ];

    /// In the table.
    pub fn label(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Lite => "lite",
            Mode::Full => "full",
            Mode::LiteMeasured => "lite, with the kernel's statistics on",
            Mode::FullMeasured => "full, with the kernel's statistics on",
            Mode::Tracefs => "tracefs, without programs",
            Mode::Perf => "perf record of the same events",
        }
    }

    /// Runs the load with this kind of tracing.
    pub fn run(
        self,
        disk: &Disk,
        load: impl FnOnce() -> Result<(u64, f64), String>,
    ) -> Result<Outcome, String> {
        match self {
            Mode::Off => bare(load()?),
            Mode::Lite => traced(disk, Strength::Lite, load),
            Mode::Full => traced(disk, Strength::Full, load),
            Mode::LiteMeasured => measured(disk, Strength::Lite, load),
            Mode::FullMeasured => measured(disk, Strength::Full, load),
            Mode::Tracefs => traced(disk, Strength::Tracefs, load),
            Mode::Perf => {
                let Some(mut perf) = perf() else { return bare((0, 0.0)) };
                let done = load();
                // SIGINT makes perf write what it has and end.
                let _ = Command::new("sh").args(["-c", &format!("kill -INT {}", perf.id())]).status();
                let _ = perf.wait();
                bare(done?)
            }
        }
    }
}

fn bare((ios, iops): (u64, f64)) -> Result<Outcome, String> {
    Ok(Outcome { iops, ios, programs_ns: 0.0, measuring_ns: 0.0, unseen: 0.0 })
}

fn measured(
    disk: &Disk,
    strength: Strength,
    load: impl FnOnce() -> Result<(u64, f64), String>,
) -> Result<Outcome, String> {
    let _statistics = probe::measure_cost().map_err(|error| error.to_string())?;
    let mut layers = Layers::attach(disk.devices(), strength).map_err(|error| error.to_string())?;
    layers.calibrate().map_err(|error| error.to_string())?;
    let done = load()?;
    let (nothing, ours): (Vec<_>, Vec<_>) =
        layers.cost().into_iter().partition(|program| program.program == "nothing");
    let sum = |of: &dyn Fn(&ProgramCost) -> u64| ours.iter().map(of).sum::<u64>() as f64;
    let empty_ns = nothing.first().map_or(0.0, |one| one.time_ns as f64 / one.runs.max(1) as f64);
    let outcome = outcome(&layers, strength, done)?;
    // The disk serves others too: what the programs cost is shared out over all that they followed.
    let traced = traced_ios(&layers, strength)?.max(1) as f64;
    Ok(Outcome {
        programs_ns: sum(&|one| one.time_ns) / traced,
        measuring_ns: empty_ns * sum(&|one| one.runs) / traced,
        ..outcome
    })
}

fn traced(
    disk: &Disk,
    strength: Strength,
    load: impl FnOnce() -> Result<(u64, f64), String>,
) -> Result<Outcome, String> {
    let layers = Layers::attach(disk.devices(), strength).map_err(|error| error.to_string())?;
    let done = load()?;
    outcome(&layers, strength, done)
}

fn outcome(layers: &Layers, strength: Strength, (ios, iops): (u64, f64)) -> Result<Outcome, String> {
    let counted = layers.read().map_err(|error| error.to_string())?;
    let missing = counted.devices[0].counter("unseen") + counted.devices[0].counter("dropped");
    let unseen = if strength == Strength::Lite { counted.devices[0].counter("unseen") } else { missing };
    Ok(Outcome { iops, ios, programs_ns: 0.0, measuring_ns: 0.0, unseen: unseen as f64 / ios as f64 })
}

/// I/Os of all devices that were followed to their end.
fn traced_ios(layers: &Layers, strength: Strength) -> Result<u64, String> {
    let whole = if strength == Strength::Lite { Span::G2C } else { Span::Q2C };
    let of_device = |device: &DeviceLayers| -> u64 {
        device.spans.iter().filter(|one| one.span == whole).map(|one| one.times.total()).sum()
    };
    let counted = layers.read().map_err(|error| error.to_string())?;
    Ok(counted.devices.iter().map(of_device).sum())
}

/// None where there is no perf or no tracefs.
fn perf() -> Option<Child> {
    let events = "block:block_bio_queue,block:block_getrq,block:block_rq_insert,block:block_rq_issue,block:block_rq_complete";
    // perf mounts tracefs where it is missing; in a mount namespace of its own that stays there.
    let mut perf = Command::new("unshare");
    perf.args(["-m", "perf", "record", "-a", "-q", "-m", "1024", "-e", events, "-o", "/dev/null"]);
    let mut child = perf.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    host::clock::sleep_ms(500);
    match child.try_wait() {
        Ok(None) => Some(child),
        _ => None,
    }
}
