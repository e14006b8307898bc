//! # A cloud volume at 4k and depth 64
//!
//! ## What it measures
//! The test of a field report that ranked NVMe, SATA and cloud volumes: libaio, 4k, depth 64; random writes, random
//! reads and a 70/30 mix, each first direct and then buffered. Buffered libaio is synchronous, so those sections
//! run at depth 1 and through the page cache; they are here to show the difference, and the lint says so.
//!
//! ## When to use it
//! To place a volume in such a ranking without its mistakes: read the direct sections.
//!
//! ## Job
//! ```text
//! [global]
//! ioengine=libaio
//! thread
//! bs=4k
//! iodepth=64
//! size=4g
//! time_based=1
//! runtime=15
//! filename=fio.test
//!
//! [randwrite-direct]
//! rw=randwrite
//! direct=1
//!
//! [randread-direct]
//! stonewall
//! rw=randread
//! direct=1
//!
//! [mix-direct]
//! stonewall
//! rw=randrw
//! rwmixread=70
//! direct=1
//!
//! [mix-buffered]
//! stonewall
//! rw=randrw
//! rwmixread=70
//! buffered=1
//! ```
//!
//! ## Example
//! ```text
//! iodyno run /data --preset volume_4k_depth64 --max-size 1g
//! ```

use crate::Preset;

/// The preset.
pub static PRESET: Preset = Preset {
    id: "volume_4k_depth64",
    since: "0.1.0",
    summary: "libaio 4k depth 64: random write, read and mix, direct and buffered",
};
