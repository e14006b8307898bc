//! Simulated disks whose true effects are known, so that a verdict can be marked right or wrong.
//!
//! A device is a rate series on a 10 ms grid: the logarithm of the rate is the sum of counting noise, a fast and a
//! slow correlated part, drift, regimes, stalls and periodic dips, plus the arm's effect and its carry-over. Nothing
//! here knows the experiment: an arm goes in, rates come out, as with a real disk. A neighbour may take a part of them.
//! A disk is a device as a machine has it, for a rehearsal: with settings, a load and counters.

mod device;
mod disk;
mod draw;
mod neighbour;
mod scenario;

pub use device::Device;
pub use disk::{Demand, Disk, DiskCounters, Effect, STEP_MS, StepDone};
pub use draw::Draw;
pub use neighbour::{Kind as NeighbourKind, Neighbour};
pub use scenario::{Scenario, carry, public, robbed, shared};
