//! s
pub mod inventory;
pub mod observe;
pub mod report;
