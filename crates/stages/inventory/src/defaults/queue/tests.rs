//! Defaults of devices that were seen, or that the kernel's sources describe.

use super::*;
use model::change::Attribute;
use model::iopath::{HardwareQueue, Setting};

fn kernel(release: &str) -> Kernel {
    let mut machine = Layer::new(LayerKind::Machine, "machine");
    machine.facts.insert("kernel".into(), release.into());
    Kernel::of(Some(&machine))
}

fn disk(name: &str, queues: u32, tags: u64, settings: &[(&str, &str)]) -> Layer {
    let mut disk = Layer::new(LayerKind::Disk, name);
    let queue = |index| HardwareQueue {
        index,
        cpu_list: String::new(),
        nr_tags: Some(tags),
    };
    disk.queues = (0..queues).map(queue).collect();
    let setting = |(name, value): &(&str, &str)| {
        Setting::new(*name, *name, Attribute::Value((*value).into()), true)
    };
    disk.settings = settings.iter().map(setting).collect();
    disk
}

fn value(layer: &Layer, name: &str, release: &str) -> Option<String> {
    of(layer, name, &kernel(release)).map(|default| default.value)
}

/// The disk of a virtual machine with 6.18, as it was seen.
fn virtio() -> Layer {
    let settings = [
        ("scheduler", "none [mq-deadline] kyber bfq"),
        ("rotational", "1"),
        ("optimal_io_size", "0"),
        ("max_hw_sectors_kb", "2147483647"),
        ("max_sectors_kb", "4096"),
    ];
    let mut disk = disk("vda", 1, 128, &settings);
    disk.facts.insert("driver".into(), "virtio_blk".into());
    disk
}

#[test]
fn a_rotational_virtio_disk_of_two_kernels() {
    let told = |release: &str| {
        [
            "read_ahead_kb",
            "nr_requests",
            "max_sectors_kb",
            "wbt_lat_usec",
            "scheduler",
        ]
        .map(|name| value(&virtio(), name, release).unwrap())
    };
    assert_eq!(
        told("6.18.44"),
        ["8192", "256", "4096", "75000", "mq-deadline"]
    );
    assert_eq!(
        told("6.12.1"),
        ["128", "256", "1280", "75000", "mq-deadline"]
    );
    assert_eq!(
        value(&virtio(), "read_ahead_kb", "custom"),
        None,
        "an unknown version has no defaults"
    );
}

#[test]
fn an_nvme_disk_with_queues_has_no_scheduler() {
    let nvme = disk(
        "nvme0n1",
        4,
        1023,
        &[
            ("scheduler", "[none] mq-deadline"),
            ("rotational", "0"),
            ("max_hw_sectors_kb", "128"),
        ],
    );
    assert_eq!(value(&nvme, "scheduler", "6.1.0").as_deref(), Some("none"));
    assert_eq!(
        value(&nvme, "nr_requests", "6.1.0").as_deref(),
        Some("1023")
    );
    assert_eq!(
        value(&nvme, "max_sectors_kb", "6.1.0").as_deref(),
        Some("128")
    );
    assert_eq!(
        value(&nvme, "wbt_lat_usec", "6.1.0").as_deref(),
        Some("2000")
    );
    assert_eq!(value(&nvme, "wbt_lat_usec", "4.18.0"), None);
}

#[test]
fn shared_tags_cannot_be_told() {
    let mut raid = disk("sda", 16, 5000, &[("scheduler", "none [mq-deadline]")]);
    raid.facts
        .insert("controller_driver".into(), "megaraid_sas".into());
    assert_eq!(value(&raid, "scheduler", "5.14.0"), None);
}

#[test]
fn old_kernels_chose_by_distribution() {
    let mut sata = disk("sda", 0, 0, &[("scheduler", "noop deadline [cfq]")]);
    sata.facts.insert("transport".into(), "sata".into());
    assert_eq!(
        value(&sata, "scheduler", "3.10.0-1160.el7.x86_64").as_deref(),
        Some("cfq")
    );
    sata.facts.insert("transport".into(), "scsi".into());
    assert_eq!(
        value(&sata, "scheduler", "3.10.0-1160.el7.x86_64").as_deref(),
        Some("deadline")
    );
    assert_eq!(
        value(&sata, "iosched/quantum", "3.10.0").as_deref(),
        Some("8")
    );
    assert_eq!(
        value(&sata, "nr_requests", "3.10.0").as_deref(),
        Some("128")
    );
}

#[test]
fn an_array_reads_ahead_by_its_stripe() {
    let mut array = disk(
        "md0",
        0,
        0,
        &[("optimal_io_size", "1048576"), ("rotational", "0")],
    );
    array.kind = LayerKind::Stacked;
    assert_eq!(
        value(&array, "read_ahead_kb", "6.1.0").as_deref(),
        Some("2048")
    );
    assert_eq!(value(&array, "read_ahead_kb", "4.18.0"), None);
}

#[test]
fn a_disk_without_requests_has_no_defaults_of_requests() {
    let ram = disk(
        "ram0",
        0,
        0,
        &[
            ("rotational", "0"),
            ("optimal_io_size", "0"),
            ("scheduler", "none"),
        ],
    );
    for name in [
        "iostats",
        "rq_affinity",
        "nomerges",
        "wbt_lat_usec",
        "nr_requests",
    ] {
        assert_eq!(value(&ram, name, "6.1.0"), None, "{name}");
    }
    assert_eq!(
        value(&ram, "read_ahead_kb", "6.1.0").as_deref(),
        Some("128")
    );
}
