//! # Virtio disk
//!
//! What a virtual disk and the guest's driver have agreed on.
//!
//! ## What it reads
//! `features` of the virtio device, the directories below `/sys/class/block/{}/mq`, and the parameters of the module
//! `virtio_blk`.
//!
//! ## Fields
//! - `virtio_queues`: queues in use; the hypervisor gives their number
//! - `virtio_features`: by name, those of virtio-blk that matter for speed and safety: `flush`, `multiqueue`, `discard`,
//!   `write_zeroes`, `writeback_toggle`, `read_only`, and of the transport `event_index`, `packed_ring`,
//!   `platform_access` (an encrypted guest copies every block)
//! - settings `virtio_blk/queue_depth`, `virtio_blk/num_request_queues`, `virtio_blk/poll_queues`
//!
//! ## Example
//! `vda` with one queue on eight CPUs: the hypervisor's `num-queues` is 1.

use crate::{Collector, Draft, Survey, device, link};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "virtio",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/bus/virtio/devices/*/features",
        "/sys/module/virtio_blk/parameters/*",
    ],
    collect,
};

/// Virtual I/O Device 1.2, 5.2.3 and 6.
const BLOCK_FEATURES: [(usize, &str); 6] = [
    (5, "read_only"),
    (9, "flush"),
    (11, "writeback_toggle"),
    (12, "multiqueue"),
    (13, "discard"),
    (14, "write_zeroes"),
];
const TRANSPORT_FEATURES: [(usize, &str); 3] = [
    (29, "event_index"),
    (33, "platform_access"),
    (34, "packed_ring"),
];

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let ancestors = device::ancestors(&draft.subject);
    let Some(virtio) = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "virtio"))
    else {
        return;
    };
    let queues = host.list(&draft.path("mq")).len();
    draft.fact("virtio_queues", (queues > 0).then(|| queues.to_string()));
    let is_block = draft.layer.name.starts_with("vd");
    let agreed = host.text(&format!("{virtio}/features")).unwrap_or_default();
    let is_on = |bit: usize| agreed.as_bytes().get(bit) == Some(&b'1');
    let of_block = BLOCK_FEATURES.iter().filter(|_| is_block);
    let names: Vec<&str> = of_block
        .chain(&TRANSPORT_FEATURES)
        .filter(|(bit, _)| is_on(*bit))
        .map(|(_, name)| *name)
        .collect();
    draft.fact(
        "virtio_features",
        Some(names.join(" ")).filter(|names| !names.is_empty()),
    );
    for file in ["queue_depth", "num_request_queues", "poll_queues"]
        .iter()
        .filter(|_| is_block)
    {
        let path = format!("/sys/module/virtio_blk/parameters/{file}");
        if host.exists(&path) {
            draft.setting(host, &format!("virtio_blk/{file}"), path);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn features_have_names() {
        let virtio = "/sys/devices/pci0000:00/0000:00:04.0/virtio1";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/vda\nlink: ../../devices/pci0000:00/0000:00:04.0/virtio1/block/vda\n\
                 path: {virtio}/block/vda/mq/0/cpu_list\nlines: 1\n0\npath: {virtio}/block/vda/mq/1/cpu_list\nlines: 1\n1\n\
                 path: {virtio}/features\nlines: 1\n\
                 0010001001011110000000000000010010000000000000000000000000000000\n\
                 path: /sys/module/virtio_blk/parameters/poll_queues\nlines: 1\n0\n"
            ),
            "vda",
        );
        assert_eq!(facts(&path, "vda", "virtio_queues"), "2");
        let features = "flush writeback_toggle multiqueue discard write_zeroes event_index";
        assert_eq!(facts(&path, "vda", "virtio_features"), features);
        assert!(path.disks()[0].setting("virtio_blk/poll_queues").is_some());
    }
}
