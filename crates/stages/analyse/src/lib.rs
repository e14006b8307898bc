//! Stage 4, analyse: what measured numbers say. Pure: numbers in, nouns out; no clock, no machine, no randomness but a
//! seed that is given.

pub mod cliff;
pub mod curve;
pub mod dataset;
pub mod fields;
pub mod figures;
pub mod interference;
pub mod knee;
pub mod little;
pub mod moved;
pub mod order;
pub mod plateau;
pub mod search;
pub mod spread;
pub mod steady;
pub mod time_account;
