//! s
pub mod experiment;
