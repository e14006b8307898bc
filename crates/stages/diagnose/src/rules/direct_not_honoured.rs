//! # Direct I/O that is cached somewhere else
//!
//! ## What it finds
//! `direct=1` on a file system that takes `O_DIRECT` and caches all the same, here or on another machine: ZFS,
//! FUSE, 9p and virtiofs, network file systems.
//!
//! ## Why it matters
//! ZFS before 2.3 accepts the flag and uses its own cache. A FUSE file system does what its program does. Of a
//! network or host-shared file system only this machine's cache is bypassed; the server's answers.
//!
//! ## What to try
//! A data set of several times the cache that is in the way; or a test on the machine that has the disk.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32
//! unbacked: zfs
//! expect: warning says "ARC"
//! ```
//!
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32
//! unbacked: nfs4
//! expect: warning says "server"
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=io_uring -direct=1 -rw=randread -iodepth=32
//! filesystem: ext4
//! disk: sda transport=sata rotational=0
//! ```
//!
//! ```facts
//! fio: -ioengine=psync -rw=randread
//! unbacked: nfs4
//! ```
//!
//! ## Sources
//! - zfs(4), `zfs_dio_enabled`, OpenZFS 2.3; nfs(5); fio issue 253

use crate::finding::{With, warning};
use crate::medium::is_network_file_system;
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "direct_not_honoured",
    since: "0.1.0",
    summary: "a file system that caches direct I/O",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let is_direct = facts.sections.iter().any(|section| section.job.direct);
    let kind = facts
        .file_system()
        .and_then(|layer| layer.facts.get("fstype"))
        .map(String::as_str);
    let Some(why) = kind.filter(|_| is_direct).and_then(reason) else {
        return Vec::new();
    };
    let kind = kind.unwrap_or_default();
    let finding = warning(
        "",
        format!("direct=1 on {kind}: {why}, so reads may be answered from memory."),
    )
    .shows("file system", kind)
    .refuted_by("The rate stays the same when the range is several times the cache.")
    .advise("Use a range of several times that cache, or load the disk where it is attached.");
    vec![finding]
}

fn reason(kind: &str) -> Option<&'static str> {
    match kind {
        "zfs" => Some("before OpenZFS 2.3 the flag is taken and the ARC caches all the same"),
        "9p" | "virtiofs" | "vboxsf" => Some("this machine's cache is bypassed, the host's is not"),
        kind if kind.starts_with("fuse") => {
            Some("what the flag does is up to the program behind FUSE")
        }
        kind if is_network_file_system(kind) => {
            Some("this machine's cache is bypassed, the server's is not")
        }
        _ => None,
    }
}
