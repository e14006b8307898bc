//! The eight stages, in running order; each folder is one.

pub mod analyse;
pub mod apply;
pub mod diagnose;
pub mod experiment;
pub mod inventory;
pub mod load;
pub mod observe;
pub mod report;
