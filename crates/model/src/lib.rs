//! The nouns of iodyno: plain data that every stage shares. No I/O, no clock, no randomness; serde only.

pub mod change;
pub mod finding;
pub mod histogram;
pub mod iopath;
pub mod job;
pub mod layers;
pub mod record;
pub mod sample;
pub mod units;
pub mod verdict;
