//! What people read of the disk counters: iostat's columns, by their long names. Every figure of a device is one of these.

use super::Formula::{Last, Rate, Ratio};
use super::{Field, field};

const SECTOR_BYTES: f64 = 512.0;
const BELOW: &str =
    "where it was spent: on dm and md it contains the queues and the service of every device below";

/// In the order in which iostat -x has them.
pub static FIELDS: &[Field] = &[
    field(
        "disk.{}.reads_per_s",
        "/s",
        Rate(&["disk.{}.read_ios"], 1.0),
        "reads completed",
        "how many the program asked for: merged ones count once, split ones several times",
    ),
    field(
        "disk.{}.read_bytes_per_s",
        "bytes/s",
        Rate(&["disk.{}.read_sectors"], SECTOR_BYTES),
        "bytes read",
        "what programs read: the page cache answers without the disk, and read-ahead reads more",
    ),
    field(
        "disk.{}.read_merges_per_s",
        "/s",
        Rate(&["disk.{}.read_merges"], 1.0),
        "reads that joined another request before it was sent",
        "merges above a stacked device: bio-based dm and md merge nothing themselves",
    ),
    field(
        "disk.{}.read_merged_percent",
        "percent",
        Ratio(
            &["disk.{}.read_merges"],
            &["disk.{}.read_merges", "disk.{}.read_ios"],
            100.0,
        ),
        "share of reads that joined another request",
        "whether the device got larger requests: a merged request may be split again",
    ),
    field(
        "disk.{}.await_read_ms",
        "ms",
        Ratio(&["disk.{}.read_ms"], &["disk.{}.read_ios"], 1.0),
        "mean time of a read from its request to its completion",
        "where it was spent, nor the slowest: it is a mean over merged requests with their requeues and, on dm and md, \
         everything below",
    ),
    field(
        "disk.{}.size_read_bytes",
        "bytes",
        Ratio(
            &["disk.{}.read_sectors"],
            &["disk.{}.read_ios"],
            SECTOR_BYTES,
        ),
        "mean size of a read",
        "the size the program asked for: merging and splitting come between",
    ),
    field(
        "disk.{}.writes_per_s",
        "/s",
        Rate(&["disk.{}.write_ios"], 1.0),
        "writes completed",
        "when the program wrote: buffered writes come later, and merged ones count once",
    ),
    field(
        "disk.{}.write_bytes_per_s",
        "bytes/s",
        Rate(&["disk.{}.write_sectors"], SECTOR_BYTES),
        "bytes written",
        "which program wrote, or when: write-back sends pages long after",
    ),
    field(
        "disk.{}.write_merges_per_s",
        "/s",
        Rate(&["disk.{}.write_merges"], 1.0),
        "writes that joined another request before it was sent",
        "merges above a stacked device: bio-based dm and md merge nothing themselves",
    ),
    field(
        "disk.{}.write_merged_percent",
        "percent",
        Ratio(
            &["disk.{}.write_merges"],
            &["disk.{}.write_merges", "disk.{}.write_ios"],
            100.0,
        ),
        "share of writes that joined another request",
        "whether the device got larger requests: a merged request may be split again",
    ),
    field(
        "disk.{}.await_write_ms",
        "ms",
        Ratio(&["disk.{}.write_ms"], &["disk.{}.write_ios"], 1.0),
        "mean time of a write from its request to its completion",
        "where it was spent, nor that data is safe: a volatile cache completes writes at once; on dm and md it contains \
         everything below",
    ),
    field(
        "disk.{}.size_write_bytes",
        "bytes",
        Ratio(
            &["disk.{}.write_sectors"],
            &["disk.{}.write_ios"],
            SECTOR_BYTES,
        ),
        "mean size of a write",
        "the size the program asked for: merging and splitting come between",
    ),
    field(
        "disk.{}.discards_per_s",
        "/s",
        Rate(&["disk.{}.discard_ios"], 1.0),
        "discards completed; Linux 4.18 and later",
        "",
    ),
    field(
        "disk.{}.discard_bytes_per_s",
        "bytes/s",
        Rate(&["disk.{}.discard_sectors"], SECTOR_BYTES),
        "bytes discarded",
        "whether the device has erased them yet",
    ),
    field(
        "disk.{}.discard_merges_per_s",
        "/s",
        Rate(&["disk.{}.discard_merges"], 1.0),
        "discards that joined another request",
        "",
    ),
    field(
        "disk.{}.discard_merged_percent",
        "percent",
        Ratio(
            &["disk.{}.discard_merges"],
            &["disk.{}.discard_merges", "disk.{}.discard_ios"],
            100.0,
        ),
        "share of discards that joined another request",
        "",
    ),
    field(
        "disk.{}.await_discard_ms",
        "ms",
        Ratio(&["disk.{}.discard_ms"], &["disk.{}.discard_ios"], 1.0),
        "mean time of a discard",
        BELOW,
    ),
    field(
        "disk.{}.size_discard_bytes",
        "bytes",
        Ratio(
            &["disk.{}.discard_sectors"],
            &["disk.{}.discard_ios"],
            SECTOR_BYTES,
        ),
        "mean size of a discard",
        "",
    ),
    field(
        "disk.{}.flushes_per_s",
        "/s",
        Rate(&["disk.{}.flush_ios"], 1.0),
        "flushes completed; Linux 5.5 and later",
        "how many fsyncs there were: those in flight together are sent as one, and partitions count none",
    ),
    field(
        "disk.{}.await_flush_ms",
        "ms",
        Ratio(&["disk.{}.flush_ms"], &["disk.{}.flush_ios"], 1.0),
        "mean time of a flush",
        "what one fsync took: a flush that was joined to another counts once",
    ),
    field(
        "disk.{}.inflight",
        "ios",
        Last(&["disk.{}.in_flight"], 1.0),
        "requests sent and not completed at the moment of the sample",
        "what happened between two samples, and what still waits above the request queue",
    ),
    field(
        "disk.{}.queue_mean_ios",
        "ios",
        Rate(&["disk.{}.queue_ms"], 0.001),
        "mean number of requests under way: iostat's aqu-sz",
        "requests that are not completed yet, since Linux 5.0: a stalled disk shows 0 until it answers",
    ),
    field(
        "disk.{}.busy_percent",
        "percent",
        Rate(&["disk.{}.io_ticks_ms"], 0.1),
        "share of the time in which anything was in flight: iostat's %util",
        "how near to its limit a device is that serves requests in parallel, nor (as svctm pretended) what one request \
         costs; since Linux 5.0 it is sampled at timer ticks and wrong for sparse short I/O",
    ),
];

/// The field of an id: `disk.reads_per_s`.
pub fn find(id: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.id() == id)
}
