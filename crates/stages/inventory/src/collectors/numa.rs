//! # NUMA
//!
//! The nodes of memory and CPUs.
//!
//! ## What it reads
//! `/sys/devices/system/node/online` and `node*/cpulist`.
//!
//! ## Fields
//! - `numa_nodes`: how many are online
//! - `numa_cpus`: CPUs of each, `0:0-15; 1:16-31`, where there are several
//!
//! ## Example
//! Two nodes, `0:0-15; 1:16-31`.

use crate::{Collector, Draft, Survey};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "numa",
    since: "0.1.0",
    kinds: &[LayerKind::Machine],
    reads: &["/sys/devices/system/node/node*/cpulist"],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let nodes = host.nodes();
    draft.fact(
        "numa_nodes",
        (!nodes.is_empty()).then(|| nodes.len().to_string()),
    );
    if nodes.len() > 1 {
        let cpus = |node: &u32| {
            let cpus = host.node_cpus(*node).unwrap_or_default();
            format!("{node}:{cpus}")
        };
        draft.fact(
            "numa_cpus",
            Some(nodes.iter().map(cpus).collect::<Vec<_>>().join("; ")),
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn nodes_are_counted_and_their_cpus_told() {
        let path = collect_on(
            "path: /sys/class/block/sda\nlink: ../../devices/p/sda\npath: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
             path: /sys/devices/system/node/node0/cpulist\nlines: 1\n0-1\n\
             path: /sys/devices/system/node/node10/cpulist\nlines: 1\n2-3\n\
             path: /sys/devices/system/node/has_cpu\nlines: 1\n0,10\n",
            "sda",
        );
        assert_eq!(path.machine_fact("numa_nodes"), Some("2"));
        assert_eq!(path.machine_fact("numa_cpus"), Some("0:0-1; 10:2-3"));
    }
}
