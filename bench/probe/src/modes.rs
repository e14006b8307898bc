//! The ways of tracing that take turns.

use crate::Outcome;
use crate::disk::Disk;
use model::layers::{DeviceLayers, Span};
use probe::{Layers, Strength};
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
    /// `perf record` of the five events of a request, on every device.
    Perf,
}

impl Mode {
    /// All, the one that others are compared with first.
    pub const ALL: [Mode; 6] =
        [Mode::Off, Mode::Lite, Mode::Full, Mode::LiteMeasured, Mode::FullMeasured, Mode::Perf];

    /// In the table.
    pub fn label(self) -> &'static str {
        match self {
            Mode::Off => "off",
            Mode::Lite => "lite",
            Mode::Full => "full",
            Mode::LiteMeasured => "lite, with the kernel's statistics on",
            Mode::FullMeasured => "full, with the kernel's statistics on",
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
    Ok(Outcome { iops, ios, programs_ns: 0.0, unseen: 0.0 })
}

fn measured(
    disk: &Disk,
    strength: Strength,
    load: impl FnOnce() -> Result<(u64, f64), String>,
) -> Result<Outcome, String> {
    let _statistics = probe::measure_cost().map_err(|error| error.to_string())?;
    traced(disk, strength, load)
}

fn traced(
    disk: &Disk,
    strength: Strength,
    load: impl FnOnce() -> Result<(u64, f64), String>,
) -> Result<Outcome, String> {
    let layers = Layers::attach(disk.devices(), strength).map_err(|error| error.to_string())?;
    let (ios, iops) = load()?;
    let programs_ns: u64 = layers.cost().iter().map(|program| program.time_ns).sum();
    let counted = layers.read().map_err(|error| error.to_string())?;
    let whole = if strength == Strength::Full { Span::Q2C } else { Span::G2C };
    let of_device = |device: &DeviceLayers| -> u64 {
        device.spans.iter().filter(|one| one.span == whole).map(|one| one.times.total()).sum()
    };
    // The disk serves others too: what the programs cost is shared out over all that they followed.
    let traced: u64 = counted.devices.iter().map(of_device).sum();
    let unseen = counted.devices[0].counter("unseen") as f64 / ios as f64;
    Ok(Outcome { iops, ios, programs_ns: programs_ns as f64 / traced.max(1) as f64, unseen })
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
