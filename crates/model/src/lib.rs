//! The nouns of iodyno: plain data that every stage shares. No I/O, no clock, no randomness; serde only.

pub mod histogram;
pub mod units;
pub mod verdict;
