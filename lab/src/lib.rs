//! The lab: virtual machines with real kernels and the storage that a test asks for, for tests only.
//!
//! ```no_run
//! use lab::{Bus, Disk, Machine};
//! let Some(mut guest) = Machine::new().disk(Disk::new(Bus::Nvme, 64).iops(1000)).boot_or_skip() else { return };
//! let nvme = guest.disk(0).unwrap();
//! let done = guest.run(&format!("blockdev --getsize64 {nvme}"), 20).unwrap();
//! assert_eq!(done.out.trim(), "67108864");
//! ```
//!
//! The CPU is emulated (QEMU's TCG), so no support of the host is needed; `lab/README.md` tells what that does to time.
//! `lab/build` makes what guests boot. A guest ends with the thread that booted it, and takes its files with it.
#![allow(
    clippy::disallowed_methods,
    reason = "the lab runs programs and keeps files; it is no part of the product"
)]

mod architecture;
mod cache;
pub mod cases;
mod disk;
mod guest;
mod machine;
mod qmp;

pub use architecture::Architecture;
pub use disk::{Bus, Disk};
pub use guest::{CommandDone, Guest};
pub use machine::Machine;

/// Why there is no guest, or no answer from it.
#[derive(Debug)]
pub enum Error {
    /// This machine cannot have guests, or `lab/build` has not run: a test that needs one is skipped.
    Missing(String),
    /// The guest did not come up, went away, or did not answer in time.
    Failed(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Missing(why) => write!(formatter, "no guest: {why}"),
            Error::Failed(why) => write!(formatter, "the guest failed: {why}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Error::Failed(error.to_string())
    }
}
