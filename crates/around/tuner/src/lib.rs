//! The experiment on a real machine: turns a setting, cuts windows out of a running load, and tells the pure
//! decision code what it measured.

pub mod breaker;
pub mod drive;
mod explain;
mod gathered;
mod guard;
pub mod meter;
pub mod meters;
mod others;
mod own_latency;

pub use explain::reserve_ms as explain_reserve_ms;
pub use meter::Meter;
