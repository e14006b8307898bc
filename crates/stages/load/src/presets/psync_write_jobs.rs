//! # Sequential 4k writes by one, four and fifty threads
//!
//! ## What it measures
//! The test of a field report in which an SSD behind a RAID controller wrote 31 MiB/s with one scheduler and 236
//! MiB/s with another: psync, 4k, sequential, direct, by 1, 4 and 50 threads. All threads of a section write the
//! same blocks, because one file name without an offset_increment means that; the lint says so, and a fourth
//! section shows the fifty threads with a range each.
//!
//! ## When to use it
//! To find out whether a scheduler or the layout of the test makes the difference: when `fifty-apart` is fast and
//! `fifty` is slow, it is the layout.
//!
//! ## Job
//! ```text
//! [global]
//! ioengine=psync
//! direct=1
//! thread
//! rw=write
//! bs=4k
//! size=2g
//! time_based=1
//! runtime=15
//! filename=disk
//! group_reporting
//!
//! [one]
//! numjobs=1
//!
//! [four]
//! stonewall
//! numjobs=4
//!
//! [fifty]
//! stonewall
//! numjobs=50
//!
//! [fifty-apart]
//! stonewall
//! numjobs=50
//! size=40m
//! offset_increment=40m
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /srv --preset psync_write_jobs
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "psync_write_jobs",
    since: "0.1.0",
    summary: "4k sequential psync writes by 1, 4 and 50 threads, on one range and apart",
};
