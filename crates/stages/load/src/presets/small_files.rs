//! # A tree of small files
//!
//! ## What it measures
//! Four workers each create 10,000 files of 4 KiB in 100 directories, stat them, read them in random order and
//! delete them: a data set of small files for training, a mail store, a build tree. Metadata is what it costs, not
//! bandwidth. `--engine-option` changes number, sizes and directories; `iodyno explain files` lists them.
//!
//! ## When to use it
//! To compare file systems and mount options, network file systems and local disks, for work on many files. Watch
//! the inodes: the run refuses to use the last of them.
//!
//! ## Job
//! ```text
//! [tree]
//! ioengine=files
//! numjobs=4
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /data --preset small_files --engine-option files=100000
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "small_files",
    since: "0.1.0",
    summary: "create, stat, read and delete thousands of small files",
};
