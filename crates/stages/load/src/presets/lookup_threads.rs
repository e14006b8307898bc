//! # Many threads looking things up
//!
//! ## What it measures
//! The load of a field report in which a service went from 27 to 39 thousand queries a second by a smaller read-
//! ahead and by spreading interrupts: many threads read 4k at random through the page cache, often a few
//! neighbouring blocks in a row, which is what makes read-ahead matter.
//!
//! ## When to use it
//! To tune read_ahead_kb and interrupt placement for a service that looks things up in files: `iodyno tune DIR
//! --preset lookup_threads --knob read_ahead_kb`.
//!
//! ## Job
//! ```text
//! [lookup]
//! ioengine=psync
//! direct=0
//! rw=randread:4
//! bs=4k
//! numjobs=16
//! size=4g
//! time_based=1
//! runtime=30
//! filename=index
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /srv --preset lookup_threads
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "lookup_threads",
    since: "0.1.0",
    summary: "sixteen threads, 4k buffered random reads with short runs",
};
