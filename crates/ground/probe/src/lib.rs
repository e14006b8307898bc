//! Where an I/O's time goes below the system call: times by layer of the block devices on a path, from programs that
//! run in the kernel; and where the threads of a load sleep meanwhile ([`LoadSleeps`]).
//!
//! [`Layers::attach`] loads them, [`Layers::read`] gives what they counted. The programs are C (`bpf/`) and
//! come compiled inside this crate: they find the running kernel's structures by its type information (BTF), so that a
//! user needs no compiler. [`rung`] says what a machine can give and why not more.

mod blktrace;
mod btf;
mod error;
mod events;
#[cfg(fuzzing)]
pub mod fuzz;
mod instrument;
mod layers;
mod layout;
mod loading;
mod perf;
mod rung;
mod sleeps;
#[cfg(test)]
mod tests;
mod tracefs;

use kernel::devno::Devno;

pub use error::ProbeError;
pub use instrument::Layers;
pub use loading::{ProgramCost, measure_cost};
pub use rung::{Rung, RungStep, rung};
pub use sleeps::{LoadSleeps, SleepCounts};

/// A block device to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbedDevice {
    /// Major number.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Kernel name of the whole disk: `vda`, `loop0`.
    pub name: String,
}

impl ProbedDevice {
    fn devno(&self) -> Devno {
        Devno {
            major: self.major,
            minor: self.minor,
        }
    }
}

/// How much is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// One program at completion with the kernel's own time stamps: G2C, and D2C before Linux 6.9 where the kernel keeps
    /// the time of issue. About 0.1 µs of CPU per I/O and device.
    Lite,
    /// Every event of every I/O: Q2G, G2I, I2D or G2D, D2C, Q2C. About half a µs of CPU per I/O and device.
    Full,
    /// The same events without programs, from perf's rings and paired by device and sector: for kernels that take no
    /// programs. Some of its CPU is this process's own.
    Perf,
    /// The same from buffers of tracefs.
    Tracefs,
    /// The same from blktrace, one trace a device.
    Blktrace,
}

impl Strength {
    /// The ways to see every event of every I/O, the best first.
    pub const EVERY_EVENT: [Strength; 4] = [
        Strength::Full,
        Strength::Perf,
        Strength::Tracefs,
        Strength::Blktrace,
    ];

    /// `lite`, `full`, `perf`, `tracefs` or `blktrace`.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Lite => "lite",
            Strength::Full => "full",
            Strength::Perf => "perf",
            Strength::Tracefs => "tracefs",
            Strength::Blktrace => "blktrace",
        }
    }

    /// The name of the rung that it stands on: `eBPF`, `perf`, `tracefs` or `blktrace`.
    pub fn rung(self) -> &'static str {
        match self {
            Strength::Lite | Strength::Full => "eBPF",
            other => other.name(),
        }
    }
}
