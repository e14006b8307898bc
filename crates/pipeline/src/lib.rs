//! s
pub mod load;
