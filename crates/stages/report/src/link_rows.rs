//! The rows that say how a disk is attached: the controller with its PCI Express link, and the disk's own link.

use super::text::clean;
use super::tree::TreeRow;
use model::iopath::Layer;
use model::units;

/// What lies behind the disk, the cable between, and what is remarkable about either.
pub(super) fn rows(layer: &Layer) -> Vec<TreeRow> {
    let rows = [
        behind(layer),
        raid(layer),
        link(layer),
        limit(layer),
        remote(layer),
        nvme(layer),
        asleep(layer),
    ];
    rows.into_iter().flatten().collect()
}

fn plain(key: &str, text: impl AsRef<str>) -> Option<TreeRow> {
    Some(TreeRow::plain(key, clean(text.as_ref())))
}

fn join(parts: impl IntoIterator<Item = Option<String>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn behind(layer: &Layer) -> Option<TreeRow> {
    let driver = layer
        .fact("controller_driver")
        .filter(|driver| *driver != "virtio-pci");
    let address = layer.fact("controller");
    let name = layer.fact("raid_controller").or(driver)?;
    let at = address
        .map(|address| format!(" at {address}"))
        .unwrap_or_default();
    let node = layer.fact("numa_node").map(|node| format!("NUMA {node}"));
    plain(
        "behind",
        join([Some(format!("{name}{at}")), node, pcie(layer)]),
    )
}

/// `PCIe 8 GT/s x8 (of x8)`; where the speed is less as well, `(of 16 GT/s x8)`.
fn pcie(layer: &Layer) -> Option<String> {
    let (speed, width) = (rate(layer.fact("link_speed")?), layer.fact("link_width")?);
    let speed_max = layer
        .fact("link_speed_max")
        .map(rate)
        .filter(|max| *max != speed);
    let most = match (speed_max, layer.fact("link_width_max")) {
        (Some(speed), width) => format!(" (of {speed} x{})", width.unwrap_or("?")),
        (None, Some(width)) => format!(" (of x{width})"),
        (None, None) => String::new(),
    };
    let emulated = layer
        .fact("link_emulated")
        .map(|_| ", in name only")
        .unwrap_or_default();
    Some(format!("PCIe {speed} x{width}{most}{emulated}"))
}

/// `8.0 GT/s PCIe` → `8 GT/s`.
fn rate(text: &str) -> String {
    let mut words = text.split_whitespace();
    let number = words.next().unwrap_or_default();
    let number = number.strip_suffix(".0").unwrap_or(number);
    format!("{number} {}", words.next().unwrap_or_default())
        .trim_end()
        .to_string()
}

fn raid(layer: &Layer) -> Option<TreeRow> {
    let level = layer.fact("raid_level").map(str::to_string);
    let state = layer.fact("raid_state").map(str::to_string);
    match layer.fact("raid_volume")? {
        "yes" => {
            let hidden = Some("the disks behind it are not seen from here".to_string());
            plain(
                "volume",
                join([Some("made by the controller".into()), level, state, hidden]),
            )
        }
        _ => None,
    }
}

/// The disk's own cable.
fn link(layer: &Layer) -> Option<TreeRow> {
    sata(layer)
        .or_else(|| sas(layer))
        .or_else(|| usb(layer))
        .or_else(|| fibre_channel(layer))
}

/// `now, of most` where they differ.
fn of(layer: &Layer, now: &str, most: &str) -> Option<String> {
    let now = layer.fact(now)?;
    let most = layer.fact(most).filter(|most| *most != now);
    Some(most.map_or(rate(now), |most| {
        format!("{}, and {} could be had", rate(now), rate(most))
    }))
}

fn sata(layer: &Layer) -> Option<TreeRow> {
    let speed = of(layer, "sata_speed", "sata_speed_max")?;
    let downs = layer
        .fact("sata_speed_downs")
        .map(|count| format!("slowed down after errors ({count})"));
    let ncq = layer
        .fact("ncq")
        .filter(|ncq| *ncq == "no")
        .map(|_| "NCQ off".to_string());
    let mode = layer
        .fact("ata_mode")
        .filter(|mode| mode.contains("PIO"))
        .map(str::to_string);
    plain(
        "link",
        join([Some(format!("SATA {speed}")), downs, ncq, mode]),
    )
}

fn sas(layer: &Layer) -> Option<TreeRow> {
    let speed = of(layer, "sas_speed", "sas_speed_max")?;
    let lanes = layer
        .fact("sas_lanes")
        .filter(|lanes| *lanes != "1")
        .map(|lanes| format!("{lanes} lanes"));
    let expanders = layer
        .fact("sas_expanders")
        .map(|count| format!("{count} expander on the way"));
    plain(
        "link",
        join([Some(format!("SAS {speed}")), lanes, expanders]),
    )
}

fn usb(layer: &Layer) -> Option<TreeRow> {
    let speed = layer.number("usb_speed_mbit")?;
    let best = layer
        .number("usb_speed_max_mbit")
        .filter(|best| *best > speed);
    let best = best.map(|best| format!("the device can do {best}", best = units::whole(best)));
    let driver = layer.fact("usb_driver");
    let streams = layer.fact("uas_streams").filter(|_| driver == Some("uas"));
    let streams = streams.map(|count| format!("{count} streams"));
    let better = match (driver, layer.fact("uas_capable"), layer.fact("usb_quirks")) {
        (Some("usb-storage"), Some("yes"), Some(quirks)) if quirks.contains('u') => Some(
            "one command at a time; uas is possible but switched off by usb_storage.quirks"
                .to_string(),
        ),
        (Some("usb-storage"), Some("yes"), _) => {
            Some("one command at a time, though the device can do uas".to_string())
        }
        (Some("usb-storage"), ..) => Some("one command at a time".to_string()),
        _ => None,
    };
    let hubs = layer
        .fact("usb_hubs")
        .map(|count| format!("behind {count} hub{}", if count == "1" { "" } else { "s" }));
    plain(
        "link",
        join([
            Some(format!("USB {speed} Mbit/s", speed = units::whole(speed))),
            best,
            hubs,
            driver.map(str::to_string),
            streams,
            better,
        ]),
    )
}

fn fibre_channel(layer: &Layer) -> Option<TreeRow> {
    let speed = of(layer, "fc_speed", "fc_speed_max")?;
    let state = layer
        .fact("fc_remote_state")
        .filter(|state| *state != "Online");
    plain(
        "link",
        join([
            Some(format!("Fibre Channel {speed}")),
            state.map(|state| format!("remote port {state}")),
        ]),
    )
}

/// What all links together let through, where that is less than it could be, or where a link further up is the least.
fn limit(layer: &Layer) -> Option<TreeRow> {
    let (now, by) = (
        layer.number("link_bytes_per_s")?,
        layer.fact("link_limited_by")?,
    );
    let most = layer.number("link_bytes_per_s_max").unwrap_or(now);
    let is_elsewhere = by.contains(':') && Some(by) != layer.fact("controller");
    // The estimates round; a real difference is a factor.
    if now * 1.05 > most && !is_elsewhere {
        return None;
    }
    let could = if now * 1.05 > most {
        String::new()
    } else {
        format!("; {} if all ran at their best", units::bytes_per_s(most))
    };
    let which = if is_elsewhere {
        format!("the link above {by}")
    } else {
        format!("its {by} link")
    };
    let which = if Some(by) == layer.fact("controller") {
        "its PCIe link".to_string()
    } else {
        which
    };
    plain(
        "at most",
        format!("{} through {which}{could}", units::bytes_per_s(now)),
    )
}

fn remote(layer: &Layer) -> Option<TreeRow> {
    if let Some((pool, image)) = layer.fact("rbd_pool").zip(layer.fact("rbd_image")) {
        return plain("image", format!("{pool}/{image} of a Ceph cluster"));
    }
    if let Some(target) = layer.fact("iscsi_target") {
        let portal = layer
            .fact("iscsi_portal")
            .map(|portal| format!("at {portal}"));
        let state = layer
            .fact("iscsi_state")
            .filter(|state| *state != "LOGGED_IN")
            .map(str::to_string);
        return plain("target", join([Some(target.to_string()), portal, state]));
    }
    if let Some(connection) = layer.fact("drbd_connection") {
        let disks = layer.fact("drbd_disks").map(str::to_string);
        let protocol = layer
            .fact("drbd_protocol")
            .map(|protocol| format!("protocol {protocol}"));
        return plain(
            "peer",
            join([Some(connection.to_string()), disks, protocol]),
        );
    }
    let server = layer.fact("nbd_server").or(layer.fact("nvme_address"))?;
    plain("server", server)
}

/// A healthy controller is worth no line.
fn nvme(layer: &Layer) -> Option<TreeRow> {
    let state = layer
        .fact("nvme_state")
        .filter(|state| *state != "live")
        .map(|state| format!("controller {state}"));
    let paths = layer
        .fact("nvme_paths")
        .map(|paths| format!("{paths} paths"));
    let memory = layer.fact("nvme_hmb").filter(|used| *used == "yes");
    let memory = memory.map(|_| "keeps its map in the machine's memory".to_string());
    let text = join([state, paths, memory]);
    if text.is_empty() {
        None
    } else {
        plain("nvme", text)
    }
}

fn asleep(layer: &Layer) -> Option<TreeRow> {
    layer
        .fact("power_state")
        .filter(|state| state.starts_with("suspend"))?;
    plain(
        "power",
        "asleep, and left so: what it would have to be woken for is missing here",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::iopath::LayerKind;

    fn shown(facts: &[(&str, &str)]) -> String {
        let mut layer = Layer::new(LayerKind::Disk, "sda");
        layer.facts = facts
            .iter()
            .map(|(name, value)| ((*name).to_string(), (*value).to_string()))
            .collect();
        rows(&layer)
            .into_iter()
            .map(|row| format!("{}: {}\n", row.key, row.value))
            .collect()
    }

    const RAID: [(&str, &str); 7] = [
        ("raid_controller", "megaraid_sas PERC H730P Adp"),
        ("raid_volume", "yes"),
        ("controller", "0000:03:00.0"),
        ("link_speed", "8.0 GT/s PCIe"),
        ("link_speed_max", "8.0 GT/s PCIe"),
        ("link_width", "8"),
        ("link_width_max", "8"),
    ];

    #[test]
    fn a_controller_and_its_link() {
        assert_eq!(
            shown(&RAID),
            "behind: megaraid_sas PERC H730P Adp at 0000:03:00.0, PCIe 8 GT/s x8 (of x8)\n\
             volume: made by the controller, the disks behind it are not seen from here\n"
        );
        let slow = [
            ("controller_driver", "nvme"),
            ("controller", "0000:01:00.0"),
            ("link_speed", "8.0 GT/s PCIe"),
            ("link_speed_max", "16.0 GT/s PCIe"),
            ("link_width", "1"),
            ("link_width_max", "4"),
            ("link_bytes_per_s", "984615385"),
            ("link_bytes_per_s_max", "7876923077"),
            ("link_limited_by", "0000:01:00.0"),
        ];
        assert_eq!(
            shown(&slow),
            "behind: nvme at 0000:01:00.0, PCIe 8 GT/s x1 (of 16 GT/s x4)\n\
             at most: 939 MiB/s through its PCIe link; 7.34 GiB/s if all ran at their best\n"
        );
    }

    #[test]
    fn cables_and_what_they_could_do() {
        let sata = [
            ("sata_speed", "3.0 Gbps"),
            ("sata_speed_max", "6.0 Gbps"),
            ("sata_speed_downs", "1"),
        ];
        assert_eq!(
            shown(&sata),
            "link: SATA 3 Gbps, and 6 Gbps could be had, slowed down after errors (1)\n"
        );
        let usb = [
            ("usb_speed_mbit", "480"),
            ("usb_driver", "usb-storage"),
            ("uas_capable", "yes"),
            ("usb_hubs", "1"),
        ];
        assert_eq!(
            shown(&usb),
            "link: USB 480 Mbit/s, behind 1 hub, usb-storage, one command at a time, though the device can do uas\n"
        );
        let fast = [
            ("usb_speed_mbit", "5000"),
            ("usb_speed_max_mbit", "10000"),
            ("usb_driver", "uas"),
            ("uas_streams", "32"),
        ];
        assert_eq!(
            shown(&fast),
            "link: USB 5000 Mbit/s, the device can do 10000, uas, 32 streams\n"
        );
    }
}
