//! What fio reports and logs. iodyno's record holds all of it already, second by second.

use super::{INT, Spec, Value, ValueKind, noted, sets};

const RECORD: &str = "iodyno's record has it: `iodyno show --json`";
const LOGS: &str = "it is about fio's log files; iodyno's record has every interval";

pub(super) static GROUP: &[Spec] = &[
    sets(
        "percentile_list",
        "",
        ValueKind::Floats(20, 0.0, 100.0),
        |draft, value| {
            if let Value::Floats(floats) = value {
                draft.job().percentile_list = floats.clone();
            }
            Ok(())
        },
    ),
    noted("clat_percentiles", "", ValueKind::Bool, RECORD),
    noted("lat_percentiles", "", ValueKind::Bool, RECORD),
    noted(
        "slat_percentiles",
        "",
        ValueKind::Bool,
        "iodyno takes no submission latency on its own",
    ),
    noted(
        "significant_figures",
        "",
        ValueKind::Number(1, 10),
        "it is about fio's printed results",
    ),
    noted(
        "disk_util",
        "",
        ValueKind::Bool,
        "the kernel's counters stand beside every load",
    ),
    noted("stats", "", ValueKind::Bool, RECORD),
    noted(
        "unified_rw_reporting",
        "",
        ValueKind::Word(&["none", "mixed", "both", "0", "1", "2"]),
        RECORD,
    ),
    noted(
        "block_error_percentiles",
        "",
        ValueKind::Bool,
        "a failed I/O ends the load",
    ),
    noted(
        "disable_lat",
        "",
        ValueKind::Bool,
        "iodyno measures every latency always",
    ),
    noted(
        "disable_clat",
        "",
        ValueKind::Bool,
        "iodyno measures every latency always",
    ),
    noted(
        "disable_slat",
        "",
        ValueKind::Bool,
        "iodyno takes no submission latency on its own",
    ),
    noted(
        "disable_bw_measurement",
        "disable_bw",
        ValueKind::Bool,
        RECORD,
    ),
    noted("per_job_logs", "", ValueKind::Bool, LOGS),
    noted("write_bw_log", "", ValueKind::Free, RECORD),
    noted("write_lat_log", "", ValueKind::Free, RECORD),
    noted("write_iops_log", "", ValueKind::Free, RECORD),
    noted("write_hist_log", "", ValueKind::Free, RECORD),
    noted("bwavgtime", "", INT, LOGS),
    noted("iopsavgtime", "", INT, LOGS),
    noted(
        "log_entries",
        "",
        ValueKind::Number(1024, u32::MAX as i64),
        LOGS,
    ),
    noted("log_avg_msec", "", INT, LOGS),
    noted("log_hist_msec", "", INT, LOGS),
    noted("log_hist_coarseness", "", INT, LOGS),
    noted("log_max_value", "", ValueKind::Bool, LOGS),
    noted("log_offset", "", ValueKind::Bool, LOGS),
    noted("log_prio", "", ValueKind::Bool, LOGS),
    noted(
        "log_compression",
        "",
        ValueKind::Number(1024, 512 << 20),
        LOGS,
    ),
    noted("log_compression_cpus", "", ValueKind::Free, LOGS),
    noted("log_store_compressed", "", ValueKind::Bool, LOGS),
    noted("log_unix_epoch", "", ValueKind::Bool, LOGS),
    noted("log_alternate_epoch", "", ValueKind::Bool, LOGS),
    noted("log_alternate_epoch_clock_id", "", INT, LOGS),
    noted(
        "error_dump",
        "",
        ValueKind::Bool,
        "iodyno names the offset and the reason of a failed I/O always",
    ),
];
