//! The engines of this build, one file each. Written by `cargo xtask gen`.

pub mod io_uring;
pub mod psync;

/// Every engine, by id.
pub static ALL: &[&super::Engine] = &[&io_uring::ENGINE, &psync::ENGINE];
