//! # A cluster that does not answer
//!
//! Also: `ceph status` hangs, keyring, `client.admin`, monitors, quorum, `EACCES`.
//!
//! ## What it finds
//! A Ceph cluster behind the path that could not be asked: no answer in time is a warning; no program, no configuration, no keyring or
//! no rights on this machine is a note, since the storage may be well.
//!
//! ## Why it matters
//! Monitors without a quorum answer nobody, and clients that lose their OSDs wait without an end. Where only this machine cannot ask,
//! nothing can be said of the cluster.
//!
//! ## What to try
//! `ceph -s --connect-timeout 5` with the same configuration and user; on a monitor's host `ceph daemon mon.NAME mon_status`. For a machine
//! that only mounts: a user that may read, `ceph auth get-or-create client.iodyno mon 'allow r' mgr 'allow r'`.
//!
//! ## Example
//! ```scene
//! cluster: ceph unanswered=status:_ceph_status_has_no_answer_after_10_s
//! expect: warning says "no answer" about ceph
//! ```
//! ```scene
//! cluster: ceph unanswered=status:_there_is_no_program_ceph_in_the_search_path
//! expect: note says "cannot be asked" about ceph
//! ```
//!
//! ## Stays silent
//! Only a part is not known:
//! ```scene
//! cluster: ceph health=HEALTH__OK unanswered=osd_perf:_access_denied
//! pool: vms pool_size=3
//! ```
//!
//! ## Seen
//! Not produced: what the programs say is passed on.
//!
//! ## Sources
//! - Ceph documentation: Troubleshooting Monitors; ceph(8), `--connect-timeout`; User Management, capabilities

use crate::ceph_parts::cluster;
use crate::finding::{With, found};
use crate::{Cause, Experiment, Scene};
use model::change::Risk;
use model::finding::{Finding, Level};

/// What this file finds.
pub static CAUSE: Cause = Cause {
    id: "cluster_does_not_answer",
    since: "0.1.0",
    summary: "a Ceph cluster that gives no answer, or that this machine cannot ask",
    level: Level::Warning,
    risk: Risk::Safe,
    competing: &[
        "the way to the monitors is closed, and the cluster is well: then it answers on a monitor's host",
        "the configuration names monitors of another cluster, or of long ago: then mon host in it is wrong",
    ],
    experiment: Experiment::Line("{ceph} -s --connect-timeout 5 # here, then on a monitor's host"),
    contrast: None,
    knob: None,
    explains: &[],
    yields_to: &[],
    judge,
};

/// What the program and its caller say where nobody answered: the second is the client library's own time out (ETIMEDOUT).
const SILENT: &[&str] = &["no answer", "errno 110", "TimedOut", "timed out"];

fn judge(scene: &Scene<'_>) -> Vec<Finding> {
    finding(scene).into_iter().collect()
}

fn finding(scene: &Scene<'_>) -> Option<Finding> {
    let cluster = cluster(scene)?;
    let why = cluster.fact("unanswered")?.strip_prefix("status: ")?;
    let is_silent = SILENT.iter().any(|words| why.contains(words));
    let (level, claim) = match is_silent {
        true => (
            Level::Warning,
            "The Ceph cluster gives no answer to ceph status.",
        ),
        false => (
            Level::Note,
            "The Ceph cluster cannot be asked from this machine.",
        ),
    };
    Some(
        found(level, &cluster.name, claim)
            .shows("unanswered", why)
            .refuted_by("ceph status answers on this machine")
            .advise("Find out whether the monitors have a quorum, or give this machine what it needs to ask.")
            .gains(if is_silent { 1.0 } else { 0.0 }),
    )
}
