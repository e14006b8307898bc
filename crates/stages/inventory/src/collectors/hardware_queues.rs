//! # Hardware queues
//!
//! The queues through which requests reach the device, and the CPUs that use each.
//!
//! ## What it reads
//! `/sys/class/block/{}/mq/*/{cpu_list,nr_tags}` (Linux 3.13 and later; drivers of the old block layer have none).
//!
//! ## Fields
//! One hardware queue per directory: its index, its CPUs as a list, and the requests it can hold.
//!
//! ## Example
//! Queue 0 serves CPUs 0-3 with 1023 tags.

use crate::{Collector, Draft, Survey};
use model::iopath::{HardwareQueue, LayerKind};

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "hardware_queues",
    since: "0.1.0",
    kinds: &[
        LayerKind::Disk,
        LayerKind::Loop,
        LayerKind::Zram,
        LayerKind::Stacked,
    ],
    reads: &[
        "/sys/class/block/{}/mq/*/cpu_list",
        "/sys/class/block/{}/mq/*/nr_tags",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let mq = draft.path("mq");
    let queue = |name: String| {
        Some(HardwareQueue {
            index: name.parse().ok()?,
            // The kernel writes `0, 1`, unlike every other CPU list (block/blk-mq-sysfs.c).
            cpu_list: host
                .text(&format!("{mq}/{name}/cpu_list"))?
                .replace(", ", ","),
            nr_tags: host.number(&format!("{mq}/{name}/nr_tags")),
        })
    };
    let mut queues: Vec<HardwareQueue> = host.list(&mq).into_iter().filter_map(queue).collect();
    // Names sort as text: 10 comes before 2.
    queues.sort_by_key(|queue| queue.index);
    draft.layer.queues = queues;
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn queues_are_in_order_of_their_numbers() {
        let mut host =
            String::from("path: /sys/class/block/nvme0n1\nlink: ../../devices/p/nvme0n1\n");
        for index in [0, 2, 10] {
            host.push_str(&format!(
                "path: /sys/devices/p/nvme0n1/mq/{index}/cpu_list\nlines: 1\n{index}, {}\n\
                 path: /sys/devices/p/nvme0n1/mq/{index}/nr_tags\nlines: 1\n1023\n",
                index + 1
            ));
        }
        let path = collect_on(&host, "nvme0n1");
        let queues = &path.root.below[0].queues;
        let lists: Vec<&str> = queues.iter().map(|queue| queue.cpu_list.as_str()).collect();
        assert_eq!(lists, ["0,1", "2,3", "10,11"]);
        assert_eq!(queues[2].nr_tags, Some(1023));
    }
}
