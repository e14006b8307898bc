//! # Seventy reads to thirty writes
//!
//! ## What it measures
//! 4k random, direct, depth 32, 70 % reads: the mix that data sheets and field tests quote. One number to compare
//! volumes by, and a poor stand-in for any real program.
//!
//! ## When to use it
//! To compare with a data sheet or with somebody else's figure.
//!
//! ## Job
//! ```text
//! [mix]
//! ioengine=io_uring
//! direct=1
//! rw=randrw
//! rwmixread=70
//! bs=4k
//! iodepth=32
//! size=4g
//! time_based=1
//! runtime=30
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /srv --preset mixed_70_30
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "mixed_70_30",
    since: "0.1.0",
    summary: "4k random, 70 % reads, depth 32, direct",
};
