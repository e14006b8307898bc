//! # Huge pages for programs
//!
//! ## What it does
//! Whether memory that a program takes comes in huge pages (THP, 2 MiB on x86): `always` where it fits, `madvise` where the program
//! asks for it, `never`. One huge page saves hundreds of entries of the page table, and a large buffer in it is one piece for a
//! disk in place of hundreds.
//!
//! ## Who should change it
//! Programs with large heaps that are walked at random gain by `always`. Redis, MongoDB and Oracle ask for `never`: filling
//! a huge page, and copying one after a fork, are waits of their latency, and a sparse heap takes more memory.
//!
//! ## Risk and how it is undone
//! Acts on every program of the machine. `always` can use up memory. Back at once for memory that is taken afterwards; huge pages
//! that programs have already stay theirs, and `khugepaged` goes on collecting small ones where it is not `never`.
//!
//! ## Kernel versions
//! 2.6.38 and newer, where the kernel was built with it. It acts on memory that a program takes after the switch: a server
//! feels it when it is started anew.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command ./bench.sh --metric-regex '([0-9.]+) ops/s' --budget 20m --knob transparent_hugepage=always,never
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/mm/transhuge.rst`; `mm/huge_memory.c`, `enabled_store`

use crate::{Knob, SubjectFiles, ValueReading, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "transparent_hugepage",
    since: "0.1.0",
    summary: "whether the memory of programs comes in huge pages",
    on: SubjectKind::HugePages,
    attribute: "enabled",
    reading: ValueReading::Chosen,
    class: Class::Learned,
    // What was taken under the other value is still there, and is collected page by page.
    memory_ms: 30_000,
    risk: Risk::NeedsCare,
    load: "--command COMMAND",
    pointless,
    choices: |kernel| values::choices(&KNOB, kernel, &["always", "madvise", "never"]),
    rejects: |_, value| values::not_one_of(value, &["always", "madvise", "never"]),
    ..Knob::PLAIN
};

/// The buffers of iodyno's own loads are there before the first switch.
pub fn pointless(_: &SubjectFiles, job: &Job, _: &[String]) -> Option<String> {
    let is_own = job.ioengine != "command";
    is_own.then(|| {
        "it acts on memory that programs take after the switch, and this load has its own already".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_the_kernel_s_three_words() {
        crate::fixture::tries(
            &KNOB,
            "always [madvise] never",
            &["madvise", "always", "never"],
            &["defer", "1", "always never", ""],
        );
    }
}
