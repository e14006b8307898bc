//! # SATA port
//!
//! The link of an ATA disk, what both of its ends could do, and what the kernel has fallen back to.
//!
//! ## What it reads
//! Of the disk's `ata` port `link*/ata_link/*/{sata_spd,hw_sata_spd_limit,sata_spd_limit}` and
//! `link*/dev*/ata_device/*/{id,dma_mode,xfer_mode,spdn_cnt,trim}`; of its host `link_power_management_policy`. All are
//! what the kernel remembers: the disk is not asked. Of the identification the serial number and the World Wide Name
//! are not kept.
//!
//! ## Fields
//! - `sata_speed`: of the link now, such as `6.0 Gbps`
//! - `sata_speed_max`: the most that the disk and the port's own limit allow
//! - `sata_speed_limit`: what the kernel has reduced the link to after errors, where it has
//! - `sata_speed_downs`: how often the link was slowed down
//! - `ncq`: `yes` where commands are queued in the disk, else `no`; `ncq_capable`: whether the disk could
//! - `ncq_depth`: commands that the disk itself can hold
//! - `ata_mode`: the transfer mode, `UDMA_6`; a PIO mode is a fault
//! - `ata_trim`: `queued`, `unqueued`, `unsupported` or why it is off
//! - `rotation_rpm`: of a spinning disk, as it says itself
//! - setting `link_power_management_policy`
//!
//! ## Example
//! `sata_speed` 3.0 Gbps where `sata_speed_max` is 6.0 Gbps and `sata_speed_downs` is 1: a bad cable.

use crate::{Collector, Draft, Survey, device, link};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "ata",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/class/ata_link/*/sata_spd",
        "/sys/class/ata_device/*/id",
        "/sys/class/scsi_host/*/link_power_management_policy",
    ],
    collect,
};

// Words of IDENTIFY DEVICE (ACS-3, 7.12.7).
const QUEUE_DEPTH: usize = 75;
const SATA_CAPABILITIES: usize = 76;
const ROTATION_RATE: usize = 217;
const NCQ: u16 = 1 << 8;

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    let ancestors = device::ancestors(&draft.subject);
    let Some(port) = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "ata"))
    else {
        return;
    };
    let Some(name) = host
        .list(port)
        .into_iter()
        .find(|name| link::is_numbered(name, "link"))
    else {
        return;
    };
    let directory = format!("{port}/{name}");
    let of_link = |file: &str| {
        let text = host.text(&format!("{directory}/ata_link/{name}/{file}"))?;
        text.contains("Gbps").then(|| text.trim().to_string())
    };
    let speed = of_link("sata_spd");
    let identity = attributes(host, draft, &directory);
    let most = most(
        identity.as_deref(),
        of_link("hw_sata_spd_limit"),
        speed.as_deref(),
    );
    draft.fact(
        "sata_speed_limit",
        of_link("sata_spd_limit").filter(|limit| Some(limit) != most.as_ref()),
    );
    let queue_depth = host.number(&draft.path("device/queue_depth"));
    draft.fact(
        "ncq",
        queue_depth.map(|depth| if depth > 1 { "yes" } else { "no" }),
    );
    if let Some((now, best)) = speed
        .as_deref()
        .zip(most.as_deref())
        .filter(|_| !link::is_emulated(host, draft))
    {
        let bytes = |text: &str| link::rate(text).map(link::serial_bytes_per_s);
        if let Some((now, best)) = bytes(now).zip(bytes(best)) {
            link::offer(draft, "sata", now, best);
        }
    }
    draft.fact("sata_speed", speed);
    draft.fact("sata_speed_max", most);
    let scsi_host = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "host"));
    if let Some(scsi_host) = scsi_host {
        let file = "link_power_management_policy";
        let policy = format!("{scsi_host}/scsi_host/{}/{file}", link::base(scsi_host));
        if host.exists(&policy) {
            draft.setting(host, file, policy);
        }
    }
}

/// What the kernel remembers of the device behind the link; gives its identification.
fn attributes(host: &Host, draft: &mut Draft, link_directory: &str) -> Option<Vec<u16>> {
    let name = host
        .list(link_directory)
        .into_iter()
        .find(|name| name.starts_with("dev"))?;
    let directory = format!("{link_directory}/{name}/ata_device/{name}");
    let text = |file: &str| {
        Some(
            host.text(&format!("{directory}/{file}"))?
                .trim()
                .to_string(),
        )
    };
    let is_known = |text: &String| !text.is_empty() && !text.contains("unknown");
    // `XFER_UDMA_6`, after the header of the kernel that numbers them.
    let mode = text("xfer_mode")
        .filter(is_known)
        .or_else(|| text("dma_mode").filter(is_known));
    draft.fact(
        "ata_mode",
        mode.map(|mode| mode.trim_start_matches("XFER_").to_string()),
    );
    draft.fact("ata_trim", text("trim").filter(is_known));
    draft.fact(
        "sata_speed_downs",
        text("spdn_cnt").filter(|count| count != "0"),
    );
    let identity = host.ata_identity(&format!("{directory}/id"))?;
    let is_capable = identity[SATA_CAPABILITIES] & NCQ != 0;
    draft.fact("ncq_capable", Some(if is_capable { "yes" } else { "no" }));
    draft.fact(
        "ncq_depth",
        is_capable.then(|| ((identity[QUEUE_DEPTH] & 0x1F) + 1).to_string()),
    );
    // 1 is "does not rotate", 0 and the values around it are not given.
    let rate = Some(identity[ROTATION_RATE]).filter(|rate| (0x401..0xFFFF).contains(rate));
    draft.fact("rotation_rpm", rate.map(|rate| rate.to_string()));
    Some(identity)
}

/// The most that the link could do: by what the disk says, and no more than the port's own limit. Never less than it
/// does.
fn most(identity: Option<&[u16]>, limit: Option<String>, now: Option<&str>) -> Option<String> {
    let generations = [(3, "6.0 Gbps"), (2, "3.0 Gbps"), (1, "1.5 Gbps")];
    let of_disk = identity.and_then(|words| {
        let word = words[SATA_CAPABILITIES];
        // All ones or none: a device without the word.
        let is_given = word != 0 && word != 0xFFFF;
        generations
            .iter()
            .find(|(bit, _)| is_given && word & (1 << bit) != 0)
            .map(|(_, speed)| (*speed).to_string())
    });
    let rate = |text: &String| link::rate(text).unwrap_or_default();
    let least = [of_disk, limit]
        .into_iter()
        .flatten()
        .min_by(|a, b| rate(a).total_cmp(&rate(b)))?;
    let now = now
        .map(str::to_string)
        .filter(|now| rate(now) > rate(&least));
    Some(now.unwrap_or(least))
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    fn disk(speed: &str, capabilities: &str) -> model::iopath::IoPath {
        let port = "/sys/devices/pci0000:00/0000:00:17.0/ata1";
        let mut words = vec!["0000"; 256];
        (words[10], words[75], words[76], words[217]) = ("5345", "001f", capabilities, "1c20");
        collect_on(
            &format!(
                "path: /sys/class/block/sda\n\
                 link: ../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda\n\
                 path: {port}/host0/target0:0:0/0:0:0:0/block/sda/size\nlines: 1\n8\n\
                 path: {port}/host0/target0:0:0/0:0:0:0/block/sda/device\nlink: ../..\n\
                 path: {port}/host0/target0:0:0/0:0:0:0/queue_depth\nlines: 1\n32\n\
                 path: {port}/host0/scsi_host/host0/link_power_management_policy\nlines: 1\nmed_power_with_dipm\n\
                 path: {port}/link1/ata_link/link1/sata_spd\nlines: 1\n{speed}\n\
                 path: {port}/link1/ata_link/link1/hw_sata_spd_limit\nlines: 1\n<unknown>\n\
                 path: {port}/link1/dev1.0/ata_device/dev1.0/id\nlines: 1\n{}\n\
                 path: {port}/link1/dev1.0/ata_device/dev1.0/xfer_mode\nlines: 1\nXFER_UDMA_6\n\
                 path: {port}/link1/dev1.0/ata_device/dev1.0/spdn_cnt\nlines: 1\n1\n",
                words.join(" ")
            ),
            "sda",
        )
    }

    #[test]
    fn a_link_that_fell_back_shows_against_what_the_disk_can() {
        // Generations 1 to 3 and NCQ.
        let path = disk("3.0 Gbps", "010e");
        let fact = |name: &str| facts(&path, "sda", name).to_string();
        assert_eq!(
            (fact("sata_speed"), fact("sata_speed_max")),
            ("3.0 Gbps".into(), "6.0 Gbps".into())
        );
        assert_eq!(
            (fact("link_bytes_per_s"), fact("link_bytes_per_s_max")),
            ("274800000".into(), "549600000".into())
        );
        assert_eq!(
            (fact("ncq"), fact("ncq_capable"), fact("ncq_depth")),
            ("yes".into(), "yes".into(), "32".into())
        );
        assert_eq!(
            (fact("rotation_rpm"), fact("sata_speed_downs")),
            ("7200".into(), "1".into())
        );
        assert_eq!(fact("ata_mode"), "UDMA_6");
        assert!(
            path.disks()[0]
                .setting("link_power_management_policy")
                .is_some()
        );
        assert!(
            !serde_json::to_string(&path).unwrap().contains("5345"),
            "no serial number"
        );
    }

    #[test]
    fn what_the_disk_does_not_say_is_not_guessed() {
        let path = disk("6.0 Gbps", "0000");
        assert_eq!(facts(&path, "sda", "sata_speed_max"), "");
        let older = disk("6.0 Gbps", "0006");
        assert_eq!(
            facts(&older, "sda", "sata_speed_max"),
            "6.0 Gbps",
            "it does more than it claims"
        );
    }
}
