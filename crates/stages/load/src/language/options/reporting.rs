//! What fio reports and logs. iodyno's record holds all of it already, second by second.

use super::{INT, Kind, Spec, Value, noted, sets};

const RECORD: &str = "iodyno's record has it: `iodyno show --json`";
const LOGS: &str = "it is about fio's log files; iodyno's record has every interval";

pub(super) static GROUP: &[Spec] = &[
    sets(
        "percentile_list",
        "",
        Kind::Floats(20, 0.0, 100.0),
        |draft, value| {
            if let Value::Floats(floats) = value {
                draft.job().percentile_list = floats.clone();
            }
            Ok(())
        },
    ),
    noted("clat_percentiles", "", Kind::Bool, RECORD),
    noted("lat_percentiles", "", Kind::Bool, RECORD),
    noted(
        "slat_percentiles",
        "",
        Kind::Bool,
        "iodyno takes no submission latency on its own",
    ),
    noted(
        "significant_figures",
        "",
        Kind::Number(1, 10),
        "it is about fio's printed results",
    ),
    noted(
        "disk_util",
        "",
        Kind::Bool,
        "the kernel's counters stand beside every load",
    ),
    noted("stats", "", Kind::Bool, RECORD),
    noted(
        "unified_rw_reporting",
        "",
        Kind::Word(&["none", "mixed", "both", "0", "1", "2"]),
        RECORD,
    ),
    noted(
        "block_error_percentiles",
        "",
        Kind::Bool,
        "a failed I/O ends the load",
    ),
    noted(
        "disable_lat",
        "",
        Kind::Bool,
        "iodyno measures every latency always",
    ),
    noted(
        "disable_clat",
        "",
        Kind::Bool,
        "iodyno measures every latency always",
    ),
    noted(
        "disable_slat",
        "",
        Kind::Bool,
        "iodyno takes no submission latency on its own",
    ),
    noted("disable_bw_measurement", "disable_bw", Kind::Bool, RECORD),
    noted("per_job_logs", "", Kind::Bool, LOGS),
    noted("write_bw_log", "", Kind::Free, RECORD),
    noted("write_lat_log", "", Kind::Free, RECORD),
    noted("write_iops_log", "", Kind::Free, RECORD),
    noted("write_hist_log", "", Kind::Free, RECORD),
    noted("bwavgtime", "", INT, LOGS),
    noted("iopsavgtime", "", INT, LOGS),
    noted("log_entries", "", Kind::Number(1024, u32::MAX as i64), LOGS),
    noted("log_avg_msec", "", INT, LOGS),
    noted("log_hist_msec", "", INT, LOGS),
    noted("log_hist_coarseness", "", INT, LOGS),
    noted("log_max_value", "", Kind::Bool, LOGS),
    noted("log_offset", "", Kind::Bool, LOGS),
    noted("log_prio", "", Kind::Bool, LOGS),
    noted("log_compression", "", Kind::Number(1024, 512 << 20), LOGS),
    noted("log_compression_cpus", "", Kind::Free, LOGS),
    noted("log_store_compressed", "", Kind::Bool, LOGS),
    noted("log_unix_epoch", "", Kind::Bool, LOGS),
    noted("log_alternate_epoch", "", Kind::Bool, LOGS),
    noted("log_alternate_epoch_clock_id", "", INT, LOGS),
    noted(
        "error_dump",
        "",
        Kind::Bool,
        "iodyno names the offset and the reason of a failed I/O always",
    ),
];
