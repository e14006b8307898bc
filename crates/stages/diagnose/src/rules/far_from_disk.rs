//! # Jobs on another NUMA node than the disk
//!
//! ## What it finds
//! `numa_cpu_nodes`, or `cpus_allowed`, that keep a job on nodes other than the one the disk's controller is
//! attached to.
//!
//! ## Why it matters
//! Every request and every byte then crosses the link between the sockets. On fast flash that costs latency and,
//! with several disks, bandwidth.
//!
//! ## What to try
//! The disk's own node; or a run on each, when the application has no choice.
//!
//! ## Example
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -numa_cpu_nodes=0
//! disk: nvme0n1 transport=nvme numa_node=1
//! expect: warning says "node 1" fix numa_cpu_nodes=1
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -cpus_allowed=0,1
//! disk: nvme0n1 transport=nvme numa_node=1
//! machine: nodes=0:0,1:0,2:1,3:1
//! expect: warning says "node 1" fix cpus_allowed
//! ```
//!
//! ## Stays silent
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32 -cpus_allowed=2
//! disk: nvme0n1 transport=nvme numa_node=1
//! machine: nodes=0:0,1:0,2:1,3:1
//! ```
//!
//! ```facts
//! fio: -ioengine=libaio -direct=1 -rw=randread -iodepth=32
//! disk: nvme0n1 transport=nvme numa_node=1
//! ```
//!
//! ## Sources
//! - Linux `Documentation/ABI/testing/sysfs-bus-pci`, `numa_node`; fio issue 141

use crate::facts::block_sections;
use crate::finding::{With, warning};
use crate::{Rule, RuleFacts, When};
use model::finding::{Finding, Level};
use model::job::Section;

/// What this file finds.
pub static RULE: Rule = Rule {
    id: "far_from_disk",
    since: "0.1.0",
    summary: "jobs on another NUMA node than the disk",
    level: Level::Warning,
    when: When::BeforeLoad,
    in_check: None,
    explains: &[],
    yields_to: &[],
    judge,
};

fn judge(facts: &RuleFacts<'_>) -> Vec<Finding> {
    let node = facts
        .disk()
        .and_then(|disk| disk.facts.get("numa_node")?.parse::<u32>().ok());
    let Some(node) = node else { return Vec::new() };
    block_sections(facts)
        .filter_map(|section| one(facts, section, node))
        .collect()
}

fn one(facts: &RuleFacts<'_>, section: &Section, node: u32) -> Option<Finding> {
    let job = &section.job;
    let node_of = |cpu: &u32| {
        facts
            .machine
            .nodes
            .iter()
            .find(|(known, _)| known == cpu)
            .map(|(_, node)| *node)
    };
    let by_cpu: Vec<u32> = job.cpus_allowed.iter().filter_map(node_of).collect();
    let nodes = if job.numa_nodes.is_empty() {
        by_cpu
    } else {
        job.numa_nodes.clone()
    };
    if nodes.is_empty() || nodes.contains(&node) {
        return None;
    }
    let claim = format!(
        "The disk is attached to NUMA node {node} and the job is kept away from it: each request crosses the link \
         between the nodes."
    );
    let finding = warning(&section.name, claim)
        .shows("numa_node", node)
        .refuted_by("A run on the disk's node has the same latency.")
        .advise("Run it on the disk's node, or on both and state which.")
        .at(section, &["numa_cpu_nodes", "cpus_allowed"]);
    let by_node = !job.numa_nodes.is_empty();
    Some(if by_node {
        finding.set("numa_cpu_nodes", node)
    } else {
        finding.drop_option("cpus_allowed")
    })
}
