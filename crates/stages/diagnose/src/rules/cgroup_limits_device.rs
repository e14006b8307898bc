//! # A control group that limits the device
//!
//! ## What it finds
//! An I/O limit (`io.max`, or `blkio.throttle.*` of version 1) of a control group that iodyno runs in, on a device
//! of the path.
//!
//! ## Why it matters
//! The kernel then delays requests before they reach the disk. The result is the limit, and no setting of the
//! device moves it.
//!
//! ## What to try
//! Run outside the group, or take the figure as what this container gets.
//!
//! ## Example
//! ```facts
//! own: rw=randread
//! disk: vda transport=virtio
//! limit: vda riops 1000
//! expect: warning says "1.00 k reads per second"
//! ```
//!
//! ## Stays silent
//! ```facts
//! own: rw=randread
//! disk: vda transport=virtio
//! limit: vdb riops 1000
//! ```
//!
//! ```facts
//! own: rw=randread
//! disk: vda transport=virtio
//! limit: vda wiops 1000
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.max`

use crate::CgroupLimit;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::units;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "cgroup_limits_device",
    since: "0.1.0",
    summary: "a limit of the container",
    level: Level::Warning,
    when: When::BeforeLoad,
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    facts.limits().into_iter().map(finding).collect()
}

fn finding(limit: &CgroupLimit) -> Finding {
    let rate = limit.limit as f64;
    let words = match limit.what.as_str() {
        "riops" => format!("{} reads per second", units::count(rate)),
        "wiops" => format!("{} writes per second", units::count(rate)),
        "rbps" => format!("{} read", units::bytes_per_s(rate)),
        _ => format!("{} written", units::bytes_per_s(rate)),
    };
    let claim = format!(
        "A control group limits this process to {words} on {}: more cannot be seen.",
        limit.device
    );
    warning("", claim)
        .shows(&limit.what, limit.limit)
        .advise("Run outside the group, or take the figure as what this container gets.")
}
