//! # A container volume: deep reads, shallow writes
//!
//! ## What it measures
//! The tests of a field report about slow container volumes: 4k sequential reads at depth 64 with libaio, 4k
//! sequential writes at depth 1, and a buffered writer that dirties memory as dd does. The second is a latency
//! test: its rate is the inverse of one I/O's time.
//!
//! ## When to use it
//! On the host and inside a container, to see what the container's limits and its overlay cost. Compare the same
//! section in both places.
//!
//! ## Job
//! ```text
//! [global]
//! bs=4k
//! size=1g
//!
//! [read]
//! ioengine=libaio
//! rw=read
//! direct=1
//! iodepth=64
//! runtime=15
//! time_based=1
//!
//! [write]
//! stonewall
//! ioengine=libaio
//! rw=write
//! direct=1
//! runtime=15
//! time_based=1
//!
//! [dirty]
//! stonewall
//! ioengine=psync
//! rw=write
//! bs=1m
//! size=2g
//! end_fsync=1
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /var/lib/docker --preset container_volume
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "container_volume",
    since: "0.1.0",
    summary: "4k depth-64 reads, depth-1 writes and a buffered writer",
};
