//! Traces, zoned devices, and going on after errors.

use super::{INT, Spec, ValueKind, WIDE, noted, other};

const REPLAY: &str = "it belongs to read_iolog";
const ZONES: &str = "it belongs to zonemode";

pub(super) static GROUP: &[Spec] = &[
    other("write_iolog", ValueKind::Text, "", "a file with every I/O"),
    other("read_iolog", ValueKind::Text, "", "the I/Os of a trace"),
    noted("read_iolog_chunked", "", ValueKind::Bool, REPLAY),
    noted("replay_no_stall", "", ValueKind::Bool, REPLAY),
    noted("replay_redirect", "", ValueKind::Text, REPLAY),
    noted("replay_scale", "", INT, REPLAY),
    noted("replay_align", "", INT, REPLAY),
    noted(
        "replay_time_scale",
        "",
        ValueKind::Number(1, u32::MAX as i64),
        REPLAY,
    ),
    noted(
        "replay_skip",
        "",
        ValueKind::Word(&["read", "write", "trim", "sync"]),
        REPLAY,
    ),
    other("merge_blktrace_file", ValueKind::Text, "", "merging traces"),
    noted(
        "merge_blktrace_scalars",
        "",
        ValueKind::Floats(20, f64::MIN, f64::MAX),
        "it belongs to merge_blktrace_file",
    ),
    noted(
        "merge_blktrace_iters",
        "",
        ValueKind::Floats(20, f64::MIN, f64::MAX),
        "it belongs to merge_blktrace_file",
    ),
    other(
        "zonemode",
        ValueKind::Word(&["none", "strided", "zbd"]),
        "none",
        "zones, on zoned devices or as a stride",
    ),
    other(
        "zonesize",
        ValueKind::Number(0, i64::MAX),
        "0",
        "zones, on zoned devices or as a stride",
    ),
    other(
        "zonecapacity",
        WIDE,
        "0",
        "zones, on zoned devices or as a stride",
    ),
    other(
        "zonerange",
        WIDE,
        "0",
        "zones, on zoned devices or as a stride",
    ),
    other(
        "zoneskip",
        ValueKind::Amount,
        "0",
        "zones, on zoned devices or as a stride",
    ),
    noted("read_beyond_wp", "", ValueKind::Bool, ZONES),
    noted("max_open_zones", "", INT, ZONES),
    noted("job_max_open_zones", "", INT, ZONES),
    noted("ignore_zone_limits", "", ValueKind::Bool, ZONES),
    noted(
        "zone_reset_threshold",
        "",
        ValueKind::Floats(1, 0.0, 1.0),
        ZONES,
    ),
    noted(
        "zone_reset_frequency",
        "",
        ValueKind::Floats(1, 0.0, 1.0),
        ZONES,
    ),
    other(
        "continue_on_error",
        ValueKind::Word(&["none", "read", "write", "io", "verify", "all", "0", "1"]),
        "none",
        "going on after a failed I/O; the first one ends the load",
    ),
    other(
        "ignore_error",
        ValueKind::Text,
        "",
        "going on after a failed I/O; the first one ends the load",
    ),
];
