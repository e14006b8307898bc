//! # Age of file times in memory
//!
//! ## What it does
//! How long a file system that is mounted with `lazytime` keeps times of files in memory at the most, s; 43200, half a day, by
//! default. 0 never writes them for their age.
//!
//! ## Who should change it
//! Machines with `lazytime` whose times of files have to be right after a crash: an hour. Half a day's times written at once are
//! seldom felt.
//!
//! ## Risk and how it is undone
//! Acts on every file system with `lazytime`, and a change looks for old times at once. After a crash times of files are too old by
//! that much. Back at once.
//!
//! ## Kernel versions
//! 4.0 and newer; named so since 4.1.
//!
//! ## Example
//! ```text
//! iodyno set vm.dirtytime_expire_seconds=3600 /srv
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`; `fs/fs-writeback.c`, `dirtytime_interval_handler`

use crate::{Knob, SubjectFiles, values};
use kernel::mounts::Mounts;
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "dirtytime_expire_seconds",
    since: "0.1.0",
    summary: "how long lazytime keeps times of files in memory",
    on: SubjectKind::Sysctl,
    attribute: "vm/dirtytime_expire_seconds",
    class: Class::Slow,
    risk: Risk::NeedsCare,
    load: "--command COMMAND",
    pointless,
    choices: |kernel| values::choices(&KNOB, kernel, &["3600", "43200"]),
    rejects: |_, value| values::outside(value, 0..=604_800, "seconds"),
    ..Knob::PLAIN
};

/// It acts hours after a write, and only where times wait.
fn pointless(kernel: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let table = kernel.host().text("/proc/self/mountinfo");
    let is_lazy = table.is_none_or(|table| {
        Mounts::parse(&table)
            .iter()
            .any(|mount| mount.has("lazytime"))
    });
    match (is_lazy, job.ioengine.as_str()) {
        (false, _) => Some("no file system is mounted with lazytime".into()),
        (true, "command") => None,
        _ => {
            Some("it acts minutes or hours after a write, and a tune's windows are seconds".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(
            &KNOB,
            "43200",
            &["43200", "3600"],
            &["-1", "1h", "604801", ""],
        );
    }
}
