//! The ways of tracing that take turns.

use crate::disk::Disk;
use crate::machine::Busy;
use crate::tools::{self, Tool};
use crate::{Load, Outcome};
use model::layers::{DeviceLayers, Span};
use probe::{Layers, ProgramCost, Strength};

/// One way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is traced.
    Nothing,
    /// The same once more: how much two of the same differ here.
    NothingAgain,
    /// Ours, of some strength, on both devices.
    Ours(Strength),
    /// The same with the kernel's statistics of programs on, which cost something themselves.
    Measured(Strength),
    /// `perf trace` of every block event.
    PerfTrace,
    /// `perf record` of the five events of a request.
    PerfRecord,
    /// bpftrace's biolatency.
    Biolatency,
    /// blktrace.
    Blktrace,
}

impl Mode {
    /// All, the one that others are compared with first.
    pub const ALL: [Mode; 11] = [
        Mode::Nothing,
        Mode::NothingAgain,
        Mode::Ours(Strength::Lite),
        Mode::Ours(Strength::Full),
        Mode::Ours(Strength::Tracefs),
        Mode::PerfTrace,
        Mode::PerfRecord,
        Mode::Biolatency,
        Mode::Blktrace,
        Mode::Measured(Strength::Lite),
        Mode::Measured(Strength::Full),
    ];

    /// In the table.
    pub fn label(self) -> &'static str {
        match self {
            Mode::Nothing => "nothing",
            Mode::NothingAgain => "nothing, once more",
            Mode::Ours(Strength::Tracefs) => "ours, tracefs without programs",
            Mode::Ours(Strength::Lite) | Mode::Measured(Strength::Lite) => "ours, lite",
            Mode::Ours(_) | Mode::Measured(_) => "ours, full",
            Mode::PerfTrace => "`perf trace -e 'block:*'`",
            Mode::PerfRecord => "`perf record` of the events that full takes",
            Mode::Biolatency => "bpftrace's `biolatency`",
            Mode::Blktrace => "`blktrace` of both devices",
        }
    }

    /// Runs the load with this kind of tracing; the error says why it cannot be had here.
    pub fn run(
        self,
        disk: &Disk,
        load: impl Fn() -> Result<Load, String>,
    ) -> Result<Outcome, String> {
        match self {
            Mode::Nothing | Mode::NothingAgain => timed(load),
            Mode::Ours(strength) => {
                let layers = attach(disk, strength)?;
                let outcome = timed(load)?;
                Ok(Outcome {
                    unseen: Some(unseen(&layers, strength, outcome.ios)?),
                    ..outcome
                })
            }
            Mode::Measured(strength) => measured(disk, strength, load),
            Mode::PerfTrace => beside(tools::perf_trace(), load),
            Mode::PerfRecord => beside(tools::perf_record(), load),
            Mode::Biolatency => beside(tools::biolatency(), load),
            Mode::Blktrace => beside(tools::blktrace(disk), load),
        }
    }
}

fn attach(disk: &Disk, strength: Strength) -> Result<Layers, String> {
    Layers::attach(disk.devices(), strength).map_err(|error| error.to_string())
}

/// Runs the load and takes the machine's CPU time over it.
fn timed(load: impl Fn() -> Result<Load, String>) -> Result<Outcome, String> {
    let before = Busy::now();
    let Load { ios, iops } = load()?;
    let cpu_ns = Busy::now().since_ns(before) / ios.max(1) as f64;
    Ok(Outcome {
        iops,
        ios,
        cpu_ns,
        ..Outcome::default()
    })
}

fn beside(
    tool: Result<Tool, String>,
    load: impl Fn() -> Result<Load, String>,
) -> Result<Outcome, String> {
    let _tool = tool?;
    timed(load)
}

fn measured(
    disk: &Disk,
    strength: Strength,
    load: impl Fn() -> Result<Load, String>,
) -> Result<Outcome, String> {
    let _statistics = probe::measure_cost().map_err(|error| error.to_string())?;
    let mut layers = attach(disk, strength)?;
    layers.calibrate().map_err(|error| error.to_string())?;
    let outcome = timed(load)?;
    let (nothing, ours): (Vec<_>, Vec<_>) = layers
        .cost()
        .into_iter()
        .partition(|program| program.program == "nothing");
    let sum = |of: &dyn Fn(&ProgramCost) -> u64| ours.iter().map(of).sum::<u64>() as f64;
    let empty_ns = nothing
        .first()
        .map_or(0.0, |one| one.time_ns as f64 / one.runs.max(1) as f64);
    // Both devices are followed: what the programs cost is shared out over the I/Os of one of them.
    let traced = (traced_ios(&layers, strength)? as f64 / disk.devices().len() as f64).max(1.0);
    Ok(Outcome {
        unseen: Some(unseen(&layers, strength, outcome.ios)?),
        programs_ns: sum(&|one| one.time_ns) / traced,
        measuring_ns: empty_ns * sum(&|one| one.runs) / traced,
        ..outcome
    })
}

/// Share of the load's I/Os whose end nobody saw, or whose beginning.
fn unseen(layers: &Layers, strength: Strength, ios: u64) -> Result<f64, String> {
    let counted = layers.read().map_err(|error| error.to_string())?;
    let of = |name| counted.devices[0].counter(name);
    let unseen = if strength == Strength::Lite {
        of("unseen")
    } else {
        of("unseen") + of("dropped")
    };
    Ok(unseen as f64 / ios.max(1) as f64)
}

/// I/Os of all devices that were followed to their end.
fn traced_ios(layers: &Layers, strength: Strength) -> Result<u64, String> {
    let whole = if strength == Strength::Lite {
        Span::G2C
    } else {
        Span::Q2C
    };
    let of_device = |device: &DeviceLayers| -> u64 {
        device
            .spans
            .iter()
            .filter(|one| one.span == whole)
            .map(|one| one.times.total())
            .sum()
    };
    let counted = layers.read().map_err(|error| error.to_string())?;
    Ok(counted.devices.iter().map(of_device).sum())
}
