//! What the benchmarks share: their section of `bench/RESULTS.md`, and devices to measure on.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark is no part of the product: it starts programs, reads clocks and files of its own and prints its report"
)]

pub mod results;
pub mod share;
pub mod targets;
