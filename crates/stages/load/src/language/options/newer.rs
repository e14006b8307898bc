//! Options that came after fio 3.33: known by name, so that a line for a newer fio is understood as one.

use super::{Spec, ValueKind, other};

const WHY: &str = "an option that came after fio 3.33";

const fn newer(name: &'static str) -> Spec {
    other(name, ValueKind::Free, "\0", WHY)
}

pub(super) static GROUP: &[Spec] = &[
    newer("comm"),
    newer("data_placement"),
    newer("dataplacement"),
    newer("dp_scheme"),
    newer("end_syncfs"),
    newer("fdp"),
    newer("fdp_pli"),
    newer("fdp_pli_select"),
    newer("filetype"),
    newer("job_start_clock_id"),
    newer("log_issue_time"),
    newer("log_window_value"),
    newer("num_range"),
    newer("plid_select"),
    newer("plids"),
    newer("priohint"),
    newer("ramp_size"),
    newer("random_sequence_stride"),
    newer("recover_zbd_write_error"),
    newer("spr_cs"),
    newer("spr_num_regions"),
    newer("spr_op"),
    newer("sprandom"),
    newer("ss_interval"),
    newer("steadystate_check_interval"),
    newer("thinkcycles"),
    newer("verify_header_seed"),
    newer("verify_pattern_interval"),
    newer("verify_policy"),
    newer("verify_write_sequence"),
    newer("write_zone_remainder"),
];

/// Whether an option came after the fio that the table was made from.
pub(in super::super) fn is_newer(name: &str) -> bool {
    GROUP.iter().any(|spec| spec.name == name)
}
