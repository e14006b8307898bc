//! # Taking memory from the near node first
//!
//! ## What it does
//! On a machine with several NUMA nodes, whether a program whose node is full first drops cached pages there (1) or takes memory
//! of another node (0, the default). 2 and 4 in addition write dirty pages out and swap for it.
//!
//! ## Who should change it
//! File servers and databases find it at 0 and leave it there: with 1 the page cache of one node is dropped while other nodes
//! have memory free. It suits programs that are bound to nodes and cache nothing.
//!
//! ## Risk and how it is undone
//! Acts on the whole machine. Not 0, it shrinks the page cache, and programs wait for it. Back at once; pages that were dropped are
//! read again.
//!
//! ## Kernel versions
//! 2.6.16 and newer, on machines with NUMA. Up to 3.15 the kernel chose 1 where nodes are far from each other.
//!
//! ## Example
//! ```text
//! iodyno tune /srv --rw randread --direct 0 --budget 30m --knob vm.zone_reclaim_mode=0,1
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/sysctl/vm.rst`; `mm/vmscan.c`, `node_reclaim`

use crate::{Knob, SubjectFiles, loads, values};
use model::change::{Class, Risk};
use model::job::Job;
use model::subject::SubjectKind;

/// The knob.
pub static KNOB: Knob = Knob {
    id: "zone_reclaim_mode",
    since: "0.1.0",
    summary: "whether a full NUMA node drops its cached pages before it takes memory of another",
    on: SubjectKind::Sysctl,
    attribute: "vm/zone_reclaim_mode",
    class: Class::Slow,
    risk: Risk::CostsLatency,
    load: "--direct 0 --budget 20m",
    pointless,
    choices: |kernel| values::choices(&KNOB, kernel, &["0", "1"]),
    rejects: |_, value| values::outside(value, 0..=7, "bits"),
    ..Knob::PLAIN
};

fn pointless(kernel: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let nodes = kernel.host().text("/sys/devices/system/node/online");
    let one = nodes.filter(|online| online.trim() == "0");
    let alone = one.map(|_| "the machine has one NUMA node".into());
    alone.or_else(|| loads::through_the_page_cache(kernel, job, named))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::tries;

    #[test]
    fn tries_what_differs_from_its_own() {
        tries(&KNOB, "0", &["0", "1"], &["8", "-1", "x", ""]);
        tries(&KNOB, "1", &["1", "0"], &["8"]);
    }
}
