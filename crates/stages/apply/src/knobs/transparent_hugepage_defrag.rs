//! # Making room for huge pages
//!
//! ## What it does
//! What a program waits for when it takes memory and no huge page is free: `always` for the kernel to move and write out pages until
//! there is one, `defer` for nothing while that is done in the background, `madvise` and `defer+madvise` for it only where the
//! program asked for huge pages, `never` for nothing.
//!
//! ## Who should change it
//! Servers with stalls of milliseconds while memory is short and huge pages are `always`: `defer` or `never` takes the
//! waiting away.
//!
//! ## Risk and how it is undone
//! Acts on every program of the machine. `always` makes whoever takes memory wait for writeback and compaction. Back at once.
//!
//! ## Kernel versions
//! 2.6.38 and newer; `defer` since 4.6, `defer+madvise` since 4.12.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --command ./bench.sh --metric-regex '([0-9.]+) ops/s' --budget 20m --knob transparent_hugepage_defrag=defer
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/mm/transhuge.rst`; `mm/huge_memory.c`, `vma_thp_gfp_mask`

use super::transparent_hugepage::pointless;
use crate::{Knob, SubjectFiles, ValueReading, values};
use model::change::{Class, Risk};
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "transparent_hugepage_defrag",
    since: "0.1.0",
    summary: "whether programs wait until the kernel has made a huge page free",
    on: SubjectKind::HugePages,
    attribute: "defrag",
    reading: ValueReading::Chosen,
    class: Class::Learned,
    memory_ms: 30_000,
    risk: Risk::CostsLatency,
    load: "--command COMMAND",
    pointless,
    choices: |kernel| values::choices(&KNOB, kernel, &["madvise", "defer", "never"]),
    rejects,
    ..Knob::PLAIN
};

const VALUES: [&str; 5] = ["always", "defer", "defer+madvise", "madvise", "never"];

fn rejects(kernel: &SubjectFiles, value: &str) -> Option<String> {
    let offered = kernel.text(KNOB.attribute).unwrap_or_default();
    let has = |word: &&&str| kernel::choice::offered(&offered).any(|one| one == **word);
    let words: Vec<&str> = VALUES.iter().filter(has).copied().collect();
    match words.is_empty() {
        true => values::not_one_of(value, &VALUES),
        false => values::not_one_of(value, &words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_this_kernel_offers() {
        let now = "always defer defer+madvise [madvise] never";
        tries(
            &KNOB,
            now,
            &["madvise", "defer", "never"],
            &["1", "always never"],
        );
        let old = "[always] madvise never";
        tries(
            &KNOB,
            old,
            &["always", "madvise", "never"],
            &["defer", "defer+madvise"],
        );
    }
}
