//! # SCSI
//!
//! What the SCSI layer knows of a disk and of its host: queues, time-outs, cache, and the speed of SAS links.
//!
//! ## What it reads
//! Of the SCSI device `rev`, `scsi_level`, `queue_type`, `timeout`, `state`, `iotmo_cnt`, `ioerr_cnt`,
//! `scsi_disk/*/{FUA,cache_type,provisioning_mode}`; of its host `scsi_host/*/{proc_name,can_queue,cmd_per_lun,
//! nr_hw_queues}`; of the phys of every SAS port on the way `negotiated_linkrate`, `maximum_linkrate` and
//! `maximum_linkrate_hw`. Nothing here is asked of the disk.
//!
//! ## Fields
//! - `firmware`: the revision that the device gives; of an ATA disk the last four characters
//! - `scsi_level`, `queue_type`, `scsi_state`, `timeout_s`: of the device
//! - `scsi_timeouts`, `scsi_errors`: commands since boot that timed out or failed
//! - `fua`: `yes` or `no`, whether single writes can pass the cache
//! - `host_driver`: the host's own name of its driver (`usb-storage`, `uas`, `megaraid_sas`, `ahci`)
//! - `host_can_queue`, `host_cmd_per_lun`, `host_queues`: commands of all the host's disks, of one, and its queues
//! - `sas_speed`, `sas_speed_max`, `sas_lanes`: of the disk's own SAS port; `sas_expanders`: how many lie between
//! - settings `cache_type`, `provisioning_mode`
//!
//! ## Example
//! `sda` behind `mpt3sas`: 12.0 Gbit on one lane, 1 expander, `cache_type` is `write through`.

use crate::{Collector, Draft, Survey, device, link};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "scsi",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/class/scsi_device/*/device/*",
        "/sys/class/scsi_disk/*/cache_type",
        "/sys/class/scsi_host/*/can_queue",
        "/sys/class/sas_phy/*/*_linkrate",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let ancestors = device::ancestors(&draft.subject);
    let Some(scsi_host) = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "host"))
    else {
        return;
    };
    let files = [
        ("firmware", "device/rev"),
        ("scsi_level", "device/scsi_level"),
        ("queue_type", "device/queue_type"),
        ("timeout_s", "device/timeout"),
        ("scsi_state", "device/state"),
    ];
    for (name, file) in files {
        draft.fact_from(host, name, file);
    }
    for (name, file) in [
        ("scsi_timeouts", "device/iotmo_cnt"),
        ("scsi_errors", "device/ioerr_cnt"),
    ] {
        draft.fact(
            name,
            host.text(&draft.path(file)).as_deref().and_then(count),
        );
    }
    let directory = format!("{scsi_host}/scsi_host/{}", link::base(scsi_host));
    let of_host = |file: &str| {
        Some(
            host.text(&format!("{directory}/{file}"))?
                .trim()
                .to_string(),
        )
    };
    // uas and some others give no name: then it is the driver of the device that the host stands for.
    let own = of_host("proc_name").filter(|name| !name.is_empty() && !name.starts_with(['<', '(']));
    let above = || device::link_name(host, &format!("{}/driver", scsi_host.rsplit_once('/')?.0));
    draft.fact("host_driver", own.or_else(above));
    draft.fact("host_can_queue", of_host("can_queue"));
    draft.fact("host_cmd_per_lun", of_host("cmd_per_lun"));
    draft.fact("host_queues", of_host("nr_hw_queues"));
    medium(host, draft);
    serial_attached(host, draft, &ancestors);
}

/// The counters are printed in hexadecimal.
fn count(text: &str) -> Option<String> {
    let count = u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()?;
    (count > 0).then(|| count.to_string())
}

fn medium(host: &Host, draft: &mut Draft) {
    let folder = draft.path("device/scsi_disk");
    let Some(name) = host.list(&folder).into_iter().next() else {
        return;
    };
    let path = |file: &str| format!("{folder}/{name}/{file}");
    draft.fact(
        "fua",
        host.number(&path("FUA"))
            .map(|fua| if fua == 1 { "yes" } else { "no" }),
    );
    for file in ["cache_type", "provisioning_mode"] {
        if host.exists(&path(file)) {
            draft.setting(host, file, path(file));
        }
    }
}

/// `port-0:3` has the phys of the upper side of a link as `phy-0:3`: a host's or an expander's.
fn serial_attached(host: &Host, draft: &mut Draft, ancestors: &[String]) {
    let ports: Vec<&String> = ancestors
        .iter()
        .filter(|path| link::base(path).starts_with("port-"))
        .collect();
    if ports.is_empty() {
        return;
    }
    let expanders = ancestors
        .iter()
        .filter(|path| link::base(path).starts_with("expander-"))
        .count();
    draft.fact(
        "sas_expanders",
        (expanders > 0).then(|| expanders.to_string()),
    );
    for (index, port) in ports.iter().enumerate() {
        let phys = phys(host, port);
        let least = |rate: fn(&Phy) -> Option<&String>| {
            let rates = phys
                .iter()
                .filter_map(rate)
                .filter_map(|text| Some((link::rate(text)?, text)));
            rates
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .map(|(rate, text)| (rate, text.clone()))
        };
        let Some((now, speed)) = least(|phy| phy.now.as_ref()) else {
            continue;
        };
        let most = least(|phy| phy.most.as_ref());
        let lanes = phys.iter().filter(|phy| phy.now.is_some()).count();
        let bytes = |gbit: f64| link::serial_bytes_per_s(gbit) * lanes as f64;
        link::offer(
            draft,
            "sas",
            bytes(now),
            bytes(most.as_ref().map_or(now, |(most, _)| most.max(now))),
        );
        if index == 0 {
            draft.fact("sas_speed", Some(speed));
            draft.fact("sas_speed_max", most.map(|(_, text)| text));
            draft.fact("sas_lanes", Some(lanes.to_string()));
        }
    }
}

struct Phy {
    now: Option<String>,
    most: Option<String>,
}

fn phys(host: &Host, port: &str) -> Vec<Phy> {
    let names = host
        .list(port)
        .into_iter()
        .filter(|name| name.starts_with("phy-"));
    let read = |name: String| {
        let text = |file: &str| {
            let text = host.text(&format!("{port}/{name}/sas_phy/{name}/{file}"))?;
            link::rate(&text).map(|_| text.trim().to_string())
        };
        Phy {
            now: text("negotiated_linkrate"),
            most: text("maximum_linkrate"),
        }
    };
    names.map(read).collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn a_host_without_a_name_goes_by_its_driver() {
        let usb = "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/sdc\nlink: ../../{usb}/host4/target4:0:0/4:0:0:0/block/sdc\n\
                 path: /sys/{usb}/host4/target4:0:0/4:0:0:0/block/sdc/size\nlines: 1\n8\n\
                 path: /sys/{usb}/driver\nlink: ../../../../../bus/usb/drivers/uas\n\
                 path: /sys/{usb}/host4/scsi_host/host4/proc_name\nlines: 1\n(null)\n"
            ),
            "sdc",
        );
        assert_eq!(facts(&path, "sdc", "host_driver"), "uas");
    }

    #[test]
    fn a_sas_disk_behind_an_expander() {
        let host = "/sys/devices/pci0000:00/0000:03:00.0/host0";
        let disk = "port-0:0/expander-0:0/port-0:0:1/end_device-0:0:1/target0:0:1/0:0:1:0";
        let mut text = format!(
            "path: /sys/class/block/sda\nlink: ../../devices/pci0000:00/0000:03:00.0/host0/{disk}/block/sda\n\
             path: {host}/{disk}/block/sda/device\nlink: ../..\n\
             path: {host}/{disk}/block/sda/size\nlines: 1\n8\n\
             path: {host}/{disk}/timeout\nlines: 1\n30\npath: {host}/{disk}/iotmo_cnt\nlines: 1\n0x1f\n\
             path: {host}/{disk}/ioerr_cnt\nlines: 1\n0x0\n\
             path: {host}/{disk}/scsi_disk/0:0:1:0/FUA\nlines: 1\n1\n\
             path: {host}/{disk}/scsi_disk/0:0:1:0/cache_type\nlines: 1\nwrite back\n\
             path: {host}/scsi_host/host0/proc_name\nlines: 1\nmpt3sas\n\
             path: {host}/scsi_host/host0/can_queue\nlines: 1\n9000\n"
        );
        let mut phy = |port: &str, name: &str, now: &str| {
            for (file, rate) in [
                ("negotiated_linkrate", now),
                ("maximum_linkrate", "12.0 Gbit"),
            ] {
                text.push_str(&format!(
                    "path: {host}/{port}/{name}/sas_phy/{name}/{file}\nlines: 1\n{rate}\n"
                ));
            }
        };
        phy("port-0:0", "phy-0:0", "12.0 Gbit");
        phy("port-0:0", "phy-0:1", "12.0 Gbit");
        phy("port-0:0/expander-0:0/port-0:0:1", "phy-0:0:4", "6.0 Gbit");
        let path = collect_on(&text, "sda");
        let fact = |name: &str| facts(&path, "sda", name);
        assert_eq!(
            (fact("sas_speed"), fact("sas_speed_max"), fact("sas_lanes")),
            ("6.0 Gbit", "12.0 Gbit", "1")
        );
        assert_eq!(
            (fact("link_bytes_per_s"), fact("link_limited_by")),
            ("549600000", "sas")
        );
        assert_eq!(
            (
                fact("sas_expanders"),
                fact("host_driver"),
                fact("host_can_queue")
            ),
            ("1", "mpt3sas", "9000")
        );
        assert_eq!(
            (
                fact("fua"),
                fact("timeout_s"),
                fact("scsi_timeouts"),
                fact("scsi_errors")
            ),
            ("yes", "30", "31", "")
        );
        assert_eq!(
            path.disks()[0].setting("cache_type").unwrap().chosen(),
            Some("write back")
        );
    }
}
