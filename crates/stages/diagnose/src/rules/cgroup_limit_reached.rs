//! # A rate that is the control group's limit
//!
//! ## What it finds
//! A rate that is an I/O limit of the control group that iodyno runs in: at most 3 % below it (a proposal of this project),
//! and above it by no more than 3 %, what the kernel gives in advance (two slices of 100 ms) and one I/O.
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
//! limit: vda riops 1000 /db 2
//! result: read=10000@32ms elapsed=10s
//! expect: wrong says "limit of control group /db"
//! ```
//!
//! ```facts
//! own: rw=write bs=1m
//! disk: vda transport=virtio
//! limit: vda wbps 10m /db 1
//! result: write=32@94ms elapsed=3s
//! expect: wrong says "10.0 MiB/s of writes"
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
//! ```facts
//! own: rw=write bs=1m direct=0
//! filesystem: ext4
//! disk: vda transport=virtio
//! limit: vda wbps 10m /db 1
//! result: write=32@94ms elapsed=3s
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.max`

use crate::CgroupLimit;
use crate::finding::{With, wrong};
use crate::group_limits::reached;
use crate::measured::{MeasuredStage, stages};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, LIMIT, Level};
use model::proposal::TuneProposal;
use model::text::shell_word;
use model::time_account::TimePlace;
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "cgroup_limit_reached",
    since: "0.1.0",
    summary: "a rate that is the container's limit",
    level: Level::Wrong,
    when: When::AfterLoad,
    in_check: Some(Level::Warning),
    explains: &[TimePlace::Request],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let of_stage = |stage: &MeasuredStage<'_>| -> Vec<Finding> {
        let reached = reached(facts, stage).into_iter();
        reached.map(|limit| finding(limit, stage)).collect()
    };
    stages(facts).iter().flat_map(of_stage).collect()
}

fn finding(limit: &CgroupLimit, stage: &MeasuredStage<'_>) -> Finding {
    let owner = limit.owner();
    let limit_words = format!("{owner}, {} on {}", limit.words(), limit.device);
    let claim = format!("The rate is the limit of {limit_words}: the disk was not asked for more.");
    let advice = format!(
        "sudo iodyno set {} /dev/{} # takes it away until iodyno undo; or run outside the group, or raise its {}",
        shell_word(&format!("{}=max", limit.knob())),
        shell_word(&limit.device),
        limit.file()
    );
    wrong(stage.name(), claim)
        .shows(LIMIT, limit_words)
        .shows(&limit.what, units::count(limit.limit as f64))
        .refuted_by("A higher limit gives the same rate.")
        .tune(lifted(limit))
        .advise(advice)
}

/// The limit and none in turns, under a load that it holds.
fn lifted(limit: &CgroupLimit) -> TuneProposal {
    let tune = TuneProposal::new(format!("{}={},max", limit.knob(), limit.limit));
    match limit.what.as_str() {
        "rbps" => tune.rw("read").bs("1m").iodepth(4),
        "wbps" => tune.rw("write").bs("1m").iodepth(4),
        "wiops" => tune.rw("randwrite"),
        _ => tune.rw("randread"),
    }
}
