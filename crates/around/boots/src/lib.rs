//! Experiments whose unit is a boot: an argument of the kernel that takes a reboot, tried in pairs of boots in random order.
//!
//! A plan is a document in a directory of its own. At each boot somebody (a systemd unit) asks it what this boot is for,
//! measures one load and tells the value; then it says which command line the next boot needs. What is decided is decided by
//! [`experiment`], which is asked anew at each boot and told everything that was measured so far: the same seed and the
//! same values give the same order and the same verdict.
//!
//! Nothing here starts a program or reads a file.

pub mod command_line;
mod plan;
pub mod unit;

pub use plan::{BootError, BootPlan, BootRun, NextBoot, PAIRS_MAX, PAIRS_MIN, SCHEMA};
