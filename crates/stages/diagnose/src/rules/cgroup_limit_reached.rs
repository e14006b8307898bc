//! # A rate that is the control group's limit
//!
//! ## What it finds
//! A rate within 3 % of an I/O limit of the control group that iodyno runs in. The 3 % are a proposal of this
//! project.
//!
//! ## Why it matters
//! The kernel held the requests back. The result is the limit that somebody wrote down, not the disk.
//!
//! ## What to try
//! Run outside the group.
//!
//! ## Example
//! ```facts
//! own: rw=randread
//! disk: vda transport=virtio
//! limit: vda riops 1000
//! result: read=10000@32ms elapsed=10s
//! expect: wrong says "limit of its control group"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread
//! disk: vda transport=virtio
//! limit: vda riops 2000
//! result: read=10000@32ms elapsed=10s
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.max`

use crate::CgroupLimit;
use crate::finding::{With, wrong};
use crate::measured::{MeasuredStage, stages};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "cgroup_limit_reached",
    since: "0.1.0",
    summary: "a rate that is the container's limit",
    level: Level::Wrong,
    when: When::AfterLoad,
    judge,
};

const NEAR: f64 = 0.03;

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let limits = facts.limits();
    let of_stage = |stage: &MeasuredStage<'_>| -> Vec<Finding> {
        limits
            .iter()
            .filter(|limit| is_reached(limit, stage))
            .map(|limit| finding(limit, stage))
            .collect()
    };
    stages(facts).iter().flat_map(of_stage).collect()
}

fn is_reached(limit: &CgroupLimit, stage: &MeasuredStage<'_>) -> bool {
    let seconds = stage.window.length_ms().max(1.0) / 1e3;
    let ios = |of: fn(&model::record::LoadResult) -> u64| -> f64 {
        stage
            .sections
            .iter()
            .map(|section| of(&section.load) as f64)
            .sum()
    };
    let done = match limit.what.as_str() {
        "riops" => ios(|load| load.read.ios),
        "wiops" => ios(|load| load.write.ios),
        "rbps" => stage.read_bytes,
        _ => stage.write_bytes,
    };
    (done / seconds / limit.limit.max(1) as f64 - 1.0).abs() <= NEAR
}

fn finding(limit: &CgroupLimit, stage: &MeasuredStage<'_>) -> Finding {
    let claim = format!(
        "The rate is the limit of its control group on {} ({}={}): the disk was not asked for more.",
        limit.device, limit.what, limit.limit
    );
    wrong(stage.name(), claim)
        .shows(&limit.what, units::count(limit.limit as f64))
        .refuted_by("A higher limit gives the same rate.")
        .advise("Run outside the group, or raise its io.max.")
}
