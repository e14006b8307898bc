//! NUMA nodes and their CPUs, as the kernel lists them below `/sys/devices/system/node`.

use crate::Host;
use kernel::cpulist::CpuList;

const NODES: &str = "/sys/devices/system/node";

impl Host {
    /// The numbers of the NUMA nodes, rising; none where the kernel was built without NUMA.
    pub fn nodes(&self) -> Vec<u32> {
        let number = |name: String| name.strip_prefix("node")?.parse().ok();
        let mut nodes: Vec<u32> = self.list(NODES).into_iter().filter_map(number).collect();
        nodes.sort_unstable();
        nodes
    }

    /// The CPUs of a NUMA node; an empty list for a node of memory alone, none for no node and for a list that is none.
    pub fn node_cpus(&self, node: u32) -> Option<CpuList> {
        CpuList::parse(&self.text(&format!("{NODES}/node{node}/cpulist"))?)
    }

    /// The CPUs that are online, also those that this process may not use; none where the host does not say.
    pub fn online_cpus(&self) -> Option<CpuList> {
        let list = CpuList::parse(&self.text("/sys/devices/system/cpu/online")?)?;
        (!list.is_empty()).then_some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_in_order_with_their_cpus() {
        let text = "iodyno-host 1\npath: /sys/devices/system/node/node10/cpulist\nlines: 1\n2-3,6\n\
                    path: /sys/devices/system/node/node2/cpulist\nlines: 1\n\n\
                    path: /sys/devices/system/node/online\nlines: 1\n2,10\n";
        let host = Host::from_archive(crate::Archive::parse(text).unwrap());
        assert_eq!(host.nodes(), [2, 10]);
        let cpus = |node| {
            host.node_cpus(node)
                .map(|list| list.iter().collect::<Vec<_>>())
        };
        assert_eq!(cpus(10), Some(vec![2, 3, 6]));
        assert_eq!((cpus(2), cpus(3)), (Some(vec![]), None));
    }
}
