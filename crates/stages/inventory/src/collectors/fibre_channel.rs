//! # Fibre Channel
//!
//! The port through which a disk of a storage network is reached, and how long the kernel waits when it goes away.
//!
//! ## What it reads
//! `fc_host/*/{speed,supported_speeds,port_state}` of the adapter and
//! `fc_remote_ports/*/{port_state,dev_loss_tmo,fast_io_fail_tmo}` of the way to the disk. Port names are not read.
//!
//! ## Fields
//! - `fc_speed`: of the adapter's link; `fc_speed_max`: the fastest it supports
//! - `fc_port_state`, `fc_remote_state`: `Online`, or what else
//! - settings `fc/dev_loss_tmo`, `fc/fast_io_fail_tmo`: seconds until the disk is given up, until its I/O fails
//!
//! ## Example
//! `fc_speed` is 8 Gbit where `fc_speed_max` is 16 Gbit: the switch's port or the cable holds the link back.

use crate::{Collector, Draft, Survey, device, link};
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "fibre_channel",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/class/fc_host/*/speed",
        "/sys/class/fc_remote_ports/*/dev_loss_tmo",
    ],
    collect,
};

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let ancestors = device::ancestors(&draft.subject);
    let Some(remote) = ancestors
        .iter()
        .find(|path| link::base(path).starts_with("rport-"))
    else {
        return;
    };
    let adapter = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "host"));
    let text =
        |path: String| Some(host.text(&path)?.trim().to_string()).filter(|text| !text.is_empty());
    let of_remote = |file: &str| format!("{remote}/fc_remote_ports/{}/{file}", link::base(remote));
    draft.fact("fc_remote_state", text(of_remote("port_state")));
    for file in ["dev_loss_tmo", "fast_io_fail_tmo"] {
        if host.exists(&of_remote(file)) {
            draft.setting(host, &format!("fc/{file}"), of_remote(file));
        }
    }
    let Some(adapter) = adapter else { return };
    let of_adapter = |file: &str| text(format!("{adapter}/fc_host/{}/{file}", link::base(adapter)));
    draft.fact("fc_port_state", of_adapter("port_state"));
    let speed = of_adapter("speed").filter(|speed| link::rate(speed).is_some());
    // `4 Gbit, 8 Gbit, 16 Gbit`
    let supported = of_adapter("supported_speeds").unwrap_or_default();
    let supported = supported
        .split(',')
        .filter_map(|speed| Some((link::rate(speed)?, speed.trim().to_string())));
    let most = supported.max_by(|a, b| a.0.total_cmp(&b.0));
    if let Some(gbit) = speed.as_deref().and_then(link::rate) {
        // The names are nominal: 8 Gbit carry 800 MB/s, 16 Gbit 1600 MB/s (FC-PI).
        let bytes = |gbit: f64| gbit * 1e8;
        link::offer(
            draft,
            "fibre channel",
            bytes(gbit),
            bytes(most.as_ref().map_or(gbit, |(most, _)| most.max(gbit))),
        );
    }
    draft.fact("fc_speed", speed);
    draft.fact("fc_speed_max", most.map(|(_, text)| text));
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    #[test]
    fn a_link_below_its_best() {
        let adapter = "/sys/devices/pci0000:00/0000:03:00.0/host5";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/sdd\n\
                 link: ../../devices/pci0000:00/0000:03:00.0/host5/rport-5:0-1/target5:0:1/5:0:1:0/block/sdd\n\
                 path: {adapter}/rport-5:0-1/target5:0:1/5:0:1:0/block/sdd/size\nlines: 1\n8\n\
                 path: {adapter}/fc_host/host5/speed\nlines: 1\n8 Gbit\n\
                 path: {adapter}/fc_host/host5/supported_speeds\nlines: 1\n4 Gbit, 8 Gbit, 16 Gbit\n\
                 path: {adapter}/rport-5:0-1/fc_remote_ports/rport-5:0-1/port_state\nlines: 1\nOnline\n\
                 path: {adapter}/rport-5:0-1/fc_remote_ports/rport-5:0-1/dev_loss_tmo\nlines: 1\n30\n"
            ),
            "sdd",
        );
        let fact = |name: &str| facts(&path, "sdd", name);
        assert_eq!(
            (fact("fc_speed"), fact("fc_speed_max")),
            ("8 Gbit", "16 Gbit")
        );
        assert_eq!(
            (fact("link_bytes_per_s"), fact("link_bytes_per_s_max")),
            ("800000000", "1600000000")
        );
        assert_eq!(fact("fc_remote_state"), "Online");
        assert!(path.disks()[0].setting("fc/dev_loss_tmo").is_some());
    }
}
