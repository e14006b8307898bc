//! # Disk
//!
//! A whole disk: what it calls itself, how large it is, its blocks, its driver and how it is attached.
//!
//! ## What it reads
//! `/sys/class/block/{}/{size,ro,removable}`, `device/{model,vendor,name,transport,queue_depth}`, `device/driver`,
//! `cache_type`, `serial`, and on the controller above it `driver`, `numa_node`; `/sys/module/*/version` of the drivers on the
//! way; `power/runtime_status` of both and of what lies between. Of the serial number only a digest is kept, and none of it in a capture. Links are a collector's of their own each.
//!
//! ## Fields
//! - `model`, `vendor`: as the disk gives them
//! - `serial_digest`: 12 digits by which records find the same disk again, on another machine too
//! - `size_bytes`, `logical_block_bytes`, `physical_block_bytes`, `rotational`, `read_only`
//! - `driver`: of the disk; `controller_driver`, `controller`: of the PCI function or platform device it hangs on
//! - `driver_version`: of the driver nearest to the disk whose module gives one, which is mostly the controller's
//! - `transport`: `nvme (pcie)`, `virtio`, `sata`, `sas`, `usb`, `mmc`, `scsi`, `iscsi`, `fibre channel`, `xen`, `network`
//! - `numa_node`: of the controller
//! - `power_state`: `active`, or `suspended` where the kernel has put the disk or its controller to sleep
//! - settings `queue_depth` (SCSI) and `cache_type` (virtio)
//!
//! ## Example
//! `sda`, INTEL SSDSC2KB480G8, 447 GiB, sata behind `ahci`.

use crate::{Collector, Draft, Survey, device, link};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "disk",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/class/block/{}/size",
        "/sys/class/block/{}/queue/rotational",
        "/sys/class/block/{}/device/*",
        "/sys/module/*/version",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let sectors = host.number(&draft.path("size"));
    draft.fact(
        "size_bytes",
        sectors.map(|sectors| sectors.saturating_mul(512).to_string()),
    );
    draft.fact_from(host, "rotational", "queue/rotational");
    draft.fact_from(host, "logical_block_bytes", "queue/logical_block_size");
    draft.fact_from(host, "physical_block_bytes", "queue/physical_block_size");
    draft.fact(
        "read_only",
        host.text(&draft.path("ro"))
            .filter(|text| text == "1")
            .map(|_| "yes"),
    );
    names(host, draft);
    draft.fact(
        "serial_digest",
        host.disk_serial_digest(draft.path("").trim_end_matches('/')),
    );
    for (name, file) in [
        ("queue_depth", "device/queue_depth"),
        ("cache_type", "cache_type"),
    ] {
        let path = draft.path(file);
        if host.exists(&path) {
            draft.setting(host, name, path);
        }
    }
    controller(host, draft);
    driver_version(host, draft);
    power_state(host, draft);
    let transport = transport(host, draft);
    draft.layer.title = draft
        .known("model")
        .map_or_else(|| format!("{transport} disk"), str::to_string);
    draft.fact("transport", Some(transport));
}

fn names(host: &Host, draft: &mut Draft) {
    draft.fact_from(host, "model", "device/model");
    if draft.known("model").is_none() && draft.layer.name.starts_with("mmcblk") {
        draft.fact_from(host, "model", "device/name");
    }
    // virtio and PCI give the vendor as a number, which tells a reader nothing.
    let vendor = host
        .text(&draft.path("device/vendor"))
        .map(|text| text.trim().to_string());
    draft.fact(
        "vendor",
        vendor.filter(|vendor| !vendor.is_empty() && !vendor.starts_with("0x")),
    );
    draft.fact(
        "driver",
        device::link_name(host, &draft.path("device/driver")),
    );
}

/// The nearest ancestor with an `irq` file is a PCI function; where there is none (virtio-mmio, MMC, a network
/// disk), the nearest with a driver stands for the controller.
fn controller(host: &Host, draft: &mut Draft) {
    let ancestors = device::ancestors(&draft.subject);
    let pci = ancestors
        .iter()
        .find(|path| host.exists(&format!("{path}/irq")));
    let Some(controller) = pci else { return };
    draft.fact("controller", controller.rsplit('/').next());
    draft.fact(
        "controller_driver",
        device::link_name(host, &format!("{controller}/driver")),
    );
    let text = |file: &str| {
        host.text(&format!("{controller}/{file}"))
            .map(|text| text.trim().to_string())
    };
    // -1 is a machine with one node; "Unknown" and a width of 0 or 255 are devices without a PCI Express link.
    draft.fact("numa_node", text("numa_node").filter(|node| node != "-1"));
}

/// Drivers that come with the kernel mostly have no version of their own; those of controllers have, and distributions and
/// vendors exchange them.
fn driver_version(host: &Host, draft: &mut Draft) {
    let version = device::ancestors(&draft.subject)
        .iter()
        .filter_map(|path| device::link_name(host, &format!("{path}/driver")))
        .find_map(|driver| {
            // The kernel has `_` for `-` in names of modules.
            let text = host.text(&format!("/sys/module/{}/version", driver.replace('-', "_")))?;
            Some(text.trim().to_string()).filter(|version| !version.is_empty())
        });
    draft.fact("driver_version", version);
}

/// Whether any device between the disk and its controller sleeps. A disk without runtime power management says nothing.
fn power_state(host: &Host, draft: &mut Draft) {
    let ancestors = device::ancestors(&draft.subject);
    let last = ancestors
        .iter()
        .position(|path| host.exists(&format!("{path}/irq")));
    let way = ancestors.iter().take(last.map_or(1, |last| last + 1));
    let states: Vec<String> = way
        .filter_map(|path| {
            Some(
                host.text(&format!("{path}/power/runtime_status"))?
                    .trim()
                    .to_string(),
            )
        })
        .collect();
    let asleep = states.iter().find(|state| state.starts_with("suspend"));
    let state = asleep.or_else(|| states.iter().find(|state| *state == "active"));
    draft.fact("power_state", state.map(String::as_str));
}

fn transport(host: &Host, draft: &Draft) -> String {
    let by_name = [
        ("vd", "virtio"),
        ("xvd", "xen"),
        ("mmcblk", "mmc"),
        ("nbd", "network"),
        ("rbd", "network"),
        ("drbd", "network"),
        ("cciss", "scsi"),
        ("ram", "memory"),
        ("pmem", "persistent memory"),
        ("nullb", "null"),
    ];
    let name = draft.layer.name.as_str();
    if name.starts_with("nvme") {
        // With native multipath the disk hangs on a subsystem, and the controllers know the transport.
        let of_controller = || {
            let mut controllers = super::nvme::controllers(host, draft).into_iter();
            controllers.find_map(|controller| host.text(&format!("{controller}/transport")))
        };
        let kind = host
            .text(&draft.path("device/transport"))
            .or_else(of_controller);
        return kind.map_or("nvme".into(), |kind| format!("nvme ({})", kind.trim()));
    }
    if let Some((_, transport)) = by_name.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        return (*transport).to_string();
    }
    by_way(&draft.subject).to_string()
}

/// SCSI disks are told apart by the devices on the way to them, the most telling first: a USB bridge and an ATA port
/// both pose as a SCSI host.
fn by_way(directory: &str) -> &'static str {
    let numbered = |prefix: &str| {
        directory
            .split('/')
            .any(|part| link::is_numbered(part, prefix))
    };
    let named = |prefix: &str| directory.split('/').any(|part| part.starts_with(prefix));
    let ways = [
        (numbered("usb"), "usb"),
        (numbered("ata"), "sata"),
        (numbered("session"), "iscsi"),
        (named("rport-"), "fibre channel"),
        (named("end_device-"), "sas"),
        (numbered("virtio"), "virtio-scsi"),
        (named("target"), "scsi"),
    ];
    ways.iter()
        .find(|(is_on_the_way, _)| *is_on_the_way)
        .map_or("unknown", |(_, transport)| transport)
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    fn disk(name: &str, devices: &str) -> model::iopath::IoPath {
        let host = format!(
            "path: /sys/class/block/{name}\nlink: ../../devices/{devices}/block/{name}\n\
             path: /sys/devices/{devices}/block/{name}/device\nlink: ../..\n\
             path: /sys/devices/{devices}/block/{name}/size\nlines: 1\n2048\n\
             path: /sys/devices/{devices}/model\nlines: 1\nMODEL 1   \n\
             path: /sys/devices/pci0000:00/0000:00:1f.2/irq\nlines: 1\n29\n\
             path: /sys/devices/pci0000:00/0000:00:1f.2/driver\nlink: ../../../bus/pci/drivers/ahci\n\
             path: /sys/devices/pci0000:00/0000:00:1f.2/ata3/link3/ata_link/link3/sata_spd\nlines: 1\n6.0 Gbps\n"
        );
        collect_on(&host, name)
    }

    #[test]
    fn the_controller_s_driver_has_a_version() {
        let way = "pci0000:17/0000:18:00.0";
        let host = format!(
            "path: /sys/class/block/sdb\nlink: ../../devices/{way}/host0/target0:0:4/0:0:4:0/block/sdb\n\
             path: /sys/devices/{way}/host0/target0:0:4/0:0:4:0/block/sdb/device\nlink: ../..\n\
             path: /sys/devices/{way}/host0/target0:0:4/0:0:4:0/block/sdb/size\nlines: 1\n2048\n\
             path: /sys/devices/{way}/host0/target0:0:4/0:0:4:0/driver\nlink: ../../../../../bus/scsi/drivers/sd\n\
             path: /sys/devices/{way}/host0/target0:0:4/0:0:4:0/rev\nlines: 1\n0110\n\
             path: /sys/devices/{way}/irq\nlines: 1\n34\n\
             path: /sys/devices/{way}/driver\nlink: ../../../bus/pci/drivers/a-raid\n\
             path: /sys/module/a_raid/version\nlines: 1\n07.701.17.00-rh1\n"
        );
        let path = collect_on(&host, "sdb");
        assert_eq!(facts(&path, "sdb", "driver_version"), "07.701.17.00-rh1");
        assert_eq!(facts(&path, "sdb", "firmware"), "0110");
    }

    #[test]
    fn the_way_to_a_disk_tells_its_transport() {
        let sata = disk(
            "sda",
            "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0",
        );
        assert_eq!(facts(&sata, "sda", "transport"), "sata");
        assert_eq!(facts(&sata, "sda", "controller_driver"), "ahci");
        assert_eq!(facts(&sata, "sda", "sata_speed"), "6.0 Gbps");
        assert_eq!(facts(&sata, "sda", "model"), "MODEL 1");
        let usb = disk(
            "sdb",
            "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host4/target4:0:0/4:0:0:0",
        );
        assert_eq!(facts(&usb, "sdb", "transport"), "usb");
        let virtio = disk(
            "sdc",
            "pci0000:00/0000:00:04.0/virtio1/host0/target0:0:0/0:0:0:0",
        );
        assert_eq!(facts(&virtio, "sdc", "transport"), "virtio-scsi");
        let fibre = disk(
            "sdd",
            "pci0000:00/0000:03:00.0/host5/rport-5:0-1/target5:0:1/5:0:1:0",
        );
        assert_eq!(facts(&fibre, "sdd", "transport"), "fibre channel");
    }
}
