//! # A control group that limits the device
//!
//! ## What it finds
//! An I/O limit (`io.max`, or `blkio.throttle.*` of version 1) of a control group that iodyno runs in, on a device
//! of the path, and what it does to this job.
//!
//! ## Why it matters
//! The kernel delays requests before they reach the disk. What the limit holds is measured at the limit, and no setting
//! of the device moves it. What passes it by is measured without it: under version 1 buffered writes that nobody syncs,
//! since the kernel's flusher submits them in the name of the root group; under version 2 the same on file systems
//! without accounting of write-back.
//!
//! ## What to try
//! Run outside the group, or take the figure as what this container gets. To measure within a limit that the job
//! passes by: `direct=1`, `sync=1` or `fsync`.
//!
//! ## Example
//! ```facts
//! own: rw=randread
//! disk: vda transport=virtio
//! limit: vda riops 1000 /db 2
//! expect: warning says "1.00 k reads per second" says "the limit of control group /db (version 2)"
//! ```
//!
//! ```facts
//! own: rw=write direct=0
//! filesystem: ext4
//! disk: vda transport=virtio
//! limit: vda wbps 10m /db 1
//! expect: warning says "10.0 MiB/s of writes" says "pass it by"
//! ```
//!
//! ```facts
//! own: rw=write direct=0
//! filesystem: ext4
//! disk: vda transport=virtio
//! limit: vda wbps 10m /db 2
//! expect: warning says "page cache first"
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
//! - Linux `Documentation/admin-guide/cgroup-v2.rst`, `io.max` and Writeback
//! - Linux `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`

use crate::CgroupLimit;
use crate::finding::{With, warning};
use crate::group_limits::hold_of;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::group_hold::Hold;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "cgroup_limits_device",
    since: "0.1.0",
    summary: "a limit of the container",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: Some(Level::Warning),
    explains: &[],
    yields_to: &["cgroup_limit_reached", "limit_without_effect"],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let of = |limit: &CgroupLimit| Some(finding(limit, hold_of(facts, limit)?));
    facts.limits().into_iter().filter_map(of).collect()
}

const AS_IT_IS: &str = "Run outside the group, or take the figure as what this container gets.";
const WITHIN: &str =
    "Use direct=1, sync=1 or fsync to measure within the limit, or run outside the group.";

fn finding(limit: &CgroupLimit, hold: Hold) -> Finding {
    let limits = format!(
        "This process may do {} on {}, the limit of {}",
        limit.words(),
        limit.device,
        limit.owner()
    );
    let (what, advice) = match hold {
        Hold::Every => ("; more cannot be seen.", AS_IT_IS),
        Hold::BehindCache if limit.is_on_reads() => {
            (", of what the page cache does not answer.", AS_IT_IS)
        }
        Hold::BehindCache => (
            ", and buffered writes go into the page cache first: the limit shows once the kernel makes them wait, or syncs.",
            WITHIN,
        ),
        Hold::PassedBy => (
            ", and buffered writes pass it by: the kernel's write-back submits them in the name of the root group.",
            WITHIN,
        ),
    };
    warning("", format!("{limits}{what}"))
        .shows(&limit.what, limit.limit)
        .advise(advice)
}
