//! The cluster as a whole: health, monitors, managers, what it is busy with, and how full it may become.

use super::answers::{Answers, number, text, whole};
use crate::Draft;
use model::units;
use serde_json::Value;
use std::collections::BTreeSet;

/// Flags of the map that every cluster of today has, and that stop nothing.
const USUAL_FLAGS: &[&str] = &[
    "sortbitwise",
    "recovery_deletes",
    "purged_snapdirs",
    "pglog_hardlimit",
];
/// So many health checks are told with their words.
const CHECKS_MAX: usize = 24;

/// Writes the facts of the cluster's layer.
pub(super) fn describe(answers: &Answers, draft: &mut Draft) {
    draft.fact("cluster_fsid", fsid(answers));
    health(answers, draft);
    daemons(answers, draft);
    placement(answers, draft);
    rates(answers, draft);
    space(answers, draft);
    let flags = at(answers, "osd dump", "/flags").unwrap_or_default();
    let flags: Vec<&str> = flags
        .split(',')
        .filter(|flag| !flag.is_empty() && !USUAL_FLAGS.contains(flag))
        .collect();
    draft.fact(
        "osd_flags",
        Some(flags.join(" ")).filter(|flags| !flags.is_empty()),
    );
}

/// The cluster's identifier.
pub(super) fn fsid(answers: &Answers) -> Option<String> {
    at(answers, "status", "/fsid")
}

fn at(answers: &Answers, question: &str, pointer: &str) -> Option<String> {
    text(answers.at(question, pointer)?, "")
}

fn count(answers: &Answers, pointer: &str) -> Option<String> {
    let value = number(answers.at("status", pointer)?, "")?;
    Some(units::whole(value))
}

/// Checks with their words: those that somebody muted say nothing.
fn health(answers: &Answers, draft: &mut Draft) {
    draft.fact("health", at(answers, "status", "/health/status"));
    let question = match answers.at("health detail", "/checks") {
        Some(_) => ("health detail", "/checks"),
        None => ("status", "/health/checks"),
    };
    let checks = answers
        .at(question.0, question.1)
        .and_then(Value::as_object);
    let standing = checks
        .into_iter()
        .flatten()
        .filter(|(_, check)| check.pointer("/muted").and_then(Value::as_bool) != Some(true));
    let told: Vec<String> = standing
        .take(CHECKS_MAX)
        .map(|(name, check)| {
            let message = text(check, "/summary/message").unwrap_or_default();
            format!("{name} {}", message.replace(';', ","))
        })
        .collect();
    draft.fact(
        "health_checks",
        Some(told.join("; ")).filter(|checks| !checks.is_empty()),
    );
}

fn daemons(answers: &Answers, draft: &mut Draft) {
    draft.fact("mons", count(answers, "/monmap/num_mons"));
    let quorum = answers
        .at("status", "/quorum_names")
        .and_then(Value::as_array);
    draft.fact(
        "mons_in_quorum",
        quorum.map(|names| names.len().to_string()),
    );
    let available = answers
        .at("status", "/mgrmap/available")
        .and_then(Value::as_bool);
    draft.fact(
        "mgr_active",
        available.map(|is| if is { "yes" } else { "no" }),
    );
    draft.fact("mgr_standbys", count(answers, "/mgrmap/num_standbys"));
    // Up to Ceph 14 the map of the OSDs stood in a member of its own name.
    for (name, member) in [
        ("osds", "num_osds"),
        ("osds_up", "num_up_osds"),
        ("osds_in", "num_in_osds"),
    ] {
        let places = [
            format!("/osdmap/{member}"),
            format!("/osdmap/osdmap/{member}"),
        ];
        let value = places.iter().find_map(|place| count(answers, place));
        draft.fact(name, value);
    }
    let about = answers.list("osd metadata", "").iter();
    let versions: BTreeSet<String> = about
        .filter_map(|osd| text(osd, "/ceph_version_short"))
        .collect();
    let versions: Vec<String> = versions.into_iter().collect();
    draft.fact(
        "ceph_version",
        Some(versions.join(" ")).filter(|versions| !versions.is_empty()),
    );
}

/// Placement groups by what they are doing.
fn placement(answers: &Answers, draft: &mut Draft) {
    draft.fact("cluster_pgs", count(answers, "/pgmap/num_pgs"));
    let states = answers.list("status", "/pgmap/pgs_by_state").iter();
    let mut states: Vec<(i64, String)> = states
        .filter_map(|state| Some((whole(state, "/count")?, text(state, "/state_name")?)))
        .collect();
    states.sort_by(|one, other| (other.0, &one.1).cmp(&(one.0, &other.1)));
    let told: Vec<String> = states
        .iter()
        .map(|(count, name)| format!("{count} {name}"))
        .collect();
    draft.fact(
        "pg_states",
        Some(told.join(", ")).filter(|states| !states.is_empty()),
    );
    let with = |words: &[&str]| {
        let has = |name: &str| name.split('+').any(|part| words.contains(&part));
        let those = states.iter().filter(|(_, name)| has(name));
        those.map(|(count, _)| count).sum::<i64>()
    };
    // A cluster that says nothing of its placement groups has not none that are degraded.
    let some = |count: i64| (!states.is_empty()).then(|| count.to_string());
    draft.fact("pgs_recovering", some(with(&["recovering", "backfilling"])));
    draft.fact(
        "pgs_waiting_to_recover",
        some(with(&["recovery_wait", "backfill_wait"])),
    );
    draft.fact(
        "pgs_toofull",
        some(with(&["backfill_toofull", "recovery_toofull"])),
    );
    draft.fact("pgs_degraded", some(with(&["degraded"])));
    draft.fact("pgs_undersized", some(with(&["undersized"])));
    let away = [
        "down",
        "incomplete",
        "stale",
        "unknown",
        "peering",
        "inactive",
        "creating",
    ];
    draft.fact("pgs_inactive", some(with(&away)));
    draft.fact("pgs_scrubbing", some(with(&["scrubbing"])));
    draft.fact("pgs_deep_scrubbing", some(with(&["deep"])));
    let share = |pointer: &str| {
        let share = number(answers.at("status", pointer)?, "")?;
        Some(units::decimals(share, 4))
    };
    draft.fact("degraded_share", share("/pgmap/degraded_ratio"));
    draft.fact("misplaced_share", share("/pgmap/misplaced_ratio"));
}

fn rates(answers: &Answers, draft: &mut Draft) {
    draft.fact(
        "recovering_bytes_per_s",
        count(answers, "/pgmap/recovering_bytes_per_sec"),
    );
    draft.fact(
        "recovering_objects_per_s",
        count(answers, "/pgmap/recovering_objects_per_sec"),
    );
    draft.fact(
        "client_read_bytes_per_s",
        count(answers, "/pgmap/read_bytes_sec"),
    );
    draft.fact(
        "client_write_bytes_per_s",
        count(answers, "/pgmap/write_bytes_sec"),
    );
    draft.fact(
        "client_reads_per_s",
        count(answers, "/pgmap/read_op_per_sec"),
    );
    draft.fact(
        "client_writes_per_s",
        count(answers, "/pgmap/write_op_per_sec"),
    );
}

fn space(answers: &Answers, draft: &mut Draft) {
    // The map keeps its ratios with the precision of a float.
    let ratio = |pointer: &str| {
        let ratio = number(answers.at("osd dump", pointer)?, "")?;
        Some(units::decimals(ratio, 4))
    };
    draft.fact("nearfull_ratio", ratio("/nearfull_ratio"));
    draft.fact("backfillfull_ratio", ratio("/backfillfull_ratio"));
    draft.fact("full_ratio", ratio("/full_ratio"));
    let bytes = |pointer: &str| {
        let bytes = number(answers.at("df detail", pointer)?, "")?;
        Some(units::whole(bytes))
    };
    draft.fact("total_bytes", bytes("/stats/total_bytes"));
    draft.fact("free_bytes", bytes("/stats/total_avail_bytes"));
}
