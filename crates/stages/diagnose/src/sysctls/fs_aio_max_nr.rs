//! # Requests of Linux AIO
//!
//! ## What it does
//! The most requests of Linux AIO that all programs together may have prepared room for; `fs.aio-nr` says how much is
//! taken.
//!
//! ## Unit and default
//! Requests; 65536 by default.
//!
//! ## What it does to storage
//! It decides whether a program with libaio starts, not how fast it is: at the limit io_setup fails with EAGAIN.
//! io_uring, psync and every other way of I/O do not count.
//!
//! ## Recommended
//! TuneD 1048576 in oracle.
//!
//! ## Known against it
//! Nothing; raising it allocates nothing.
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/fs.rst`, `aio-nr & aio-max-nr`
//! - TuneD 2bfa4423, `profiles/oracle/tuned.conf`

use crate::Sysctl;
use crate::acts::ActsOn;

/// The setting.
pub static SYSCTL: Sysctl = Sysctl {
    id: "fs_aio_max_nr",
    since: "0.1.0",
    name: "fs.aio-max-nr",
    summary: "at the limit, jobs with libaio fail to start",
    acts: ActsOn::Libaio,
};
