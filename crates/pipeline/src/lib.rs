//! The eight stages, in running order; each folder is one.

pub mod apply;
pub mod experiment;
