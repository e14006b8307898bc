//! # RAID controller
//!
//! Whether a disk is a volume that a controller makes of disks behind it, and of which controller.
//!
//! ## What it reads
//! The driver of the disk's SCSI host (`scsi_host/*/proc_name`); the model from `scsi_host/*/{board_name,model}`, from
//! the controller's own entry among the host's devices (SCSI type 12), or from a volume that carries the controller's
//! name; `raid_level`, `raid_devices/*/{level,state}`; the firmware from `scsi_host/*/{version_fw,firmware_version,
//! firmware_revision}`. The controller itself is not asked, so its cache policy and battery stay unknown.
//!
//! ## Fields
//! - `raid_controller`: the driver, and the model where sysfs says: `megaraid_sas PERC H730P`
//! - `raid_volume`: `yes` for a volume, `no` for a disk that is passed through; absent where the driver does not tell
//! - `raid_level`, `raid_state`: of a volume, where the driver tells
//! - `raid_firmware`: of the controller
//!
//! ## Example
//! `sda` is `LOGICAL VOLUME` of `hpsa P440ar`, `raid_level` is `RAID 5`.

use crate::{Collector, Draft, Survey, device, link};
use host::Host;
use model::iopath::LayerKind;

/// What this file adds to an I/O path.
pub static COLLECTOR: Collector = Collector {
    id: "raid_controller",
    since: "0.1.0",
    kinds: &[LayerKind::Disk],
    reads: &[
        "/sys/class/scsi_host/*/proc_name",
        "/sys/class/scsi_host/*/board_name",
        "/sys/class/block/{}/device/raid_level",
        "/sys/class/raid_devices/*/level",
    ],
    collect,
};

/// Drivers of controllers that can make volumes.
const DRIVERS: &[&str] = &[
    "megaraid_sas",
    "megaraid",
    "mpt3sas",
    "mpt2sas",
    "mptsas",
    "mptspi",
    "mpi3mr",
    "hpsa",
    "cciss",
    "smartpqi",
    "aacraid",
    "arcmsr",
    "3w-9xxx",
    "3w-sas",
    "3w-xxxx",
    "ips",
    "esas2r",
    "pmcraid",
    "ipr",
    "stex",
    "hptiop",
    "mvumi",
];
/// SCSI's type of a RAID controller's own entry.
const CONTROLLER: u64 = 12;
/// Words with which the models of volumes begin that carry their controller's name.
const NAMESAKES: &[&str] = &[
    "PERC",
    "MR9",
    "MR8",
    "MegaRAID",
    "ServeRAID",
    "RAID ",
    "SAS3",
    "UCSC",
    "LSI",
    "AVAGO",
];

fn collect(survey: &mut Survey<'_>, draft: &mut Draft) {
    let host = survey.host;
    if draft.layer.name.starts_with("cciss") {
        return old_smart_array(host, draft);
    }
    let ancestors = device::ancestors(&draft.subject);
    let Some(scsi_host) = ancestors
        .iter()
        .find(|path| link::is_numbered(link::base(path), "host"))
    else {
        return;
    };
    let directory = format!("{scsi_host}/scsi_host/{}", link::base(scsi_host));
    let of_host = |file: &str| {
        Some(
            host.text(&format!("{directory}/{file}"))?
                .trim()
                .to_string(),
        )
    };
    let driver = of_host("proc_name").filter(|name| DRIVERS.contains(&name.as_str()));
    // `(null)` where the driver gives none: the PCI function's does.
    let Some(driver) = driver.or_else(|| {
        draft
            .known("controller_driver")
            .filter(|name| DRIVERS.contains(name))
            .map(str::to_string)
    }) else {
        return;
    };
    let is_volume = volume(host, draft, &driver);
    let files = ["board_name", "model"];
    let model = files
        .into_iter()
        .find_map(|file| of_host(file).filter(|name| !name.is_empty()));
    let model = model
        .or_else(|| entry(host, scsi_host, &driver))
        .or_else(|| namesake(draft, is_volume));
    draft.fact(
        "raid_controller",
        Some(model.map_or(driver.clone(), |model| format!("{driver} {model}"))),
    );
    draft.fact(
        "raid_volume",
        is_volume.map(|is_volume| if is_volume { "yes" } else { "no" }),
    );
    let firmware = ["version_fw", "firmware_version", "firmware_revision"];
    draft.fact("raid_firmware", firmware.into_iter().find_map(of_host));
}

/// Whether the disk is a volume, and with it its level and its state.
fn volume(host: &Host, draft: &mut Draft, driver: &str) -> Option<bool> {
    let address = host
        .link(&draft.path("device"))
        .and_then(|_| host.resolve(&draft.path("device")));
    let address = address
        .as_deref()
        .map(link::base)
        .unwrap_or_default()
        .to_string();
    let channel: Option<u64> = address
        .split(':')
        .nth(1)
        .and_then(|channel| channel.parse().ok());
    let class = draft.path(&format!("device/raid_devices/{address}"));
    let text =
        |path: String| Some(host.text(&path)?.trim().to_string()).filter(|text| !text.is_empty());
    let level = text(draft.path("device/raid_level")).or_else(|| text(format!("{class}/level")));
    draft.fact("raid_state", text(format!("{class}/state")));
    let is_level = level
        .as_deref()
        .map(|level| !matches!(level, "N/A" | "JBOD" | "unknown" | "UNKNOWN"));
    draft.fact("raid_level", level.filter(|_| is_level == Some(true)));
    if is_level.is_some() {
        return is_level;
    }
    match driver {
        // drivers/scsi/megaraid/megaraid_sas.h: two channels of disks, then two of volumes.
        "megaraid_sas" => channel.map(|channel| channel >= 2),
        // drivers/scsi/mpt3sas/mpt3sas_base.h: RAID_CHANNEL.
        "mpt3sas" | "mpt2sas" => channel.map(|channel| channel == 1),
        // drivers/scsi/aacraid/aacraid.h: CONTAINER_CHANNEL.
        "aacraid" => channel.map(|channel| channel == 0),
        "arcmsr" | "3w-9xxx" | "3w-sas" | "3w-xxxx" | "ips" | "megaraid" => Some(true),
        _ => None,
    }
}

/// The model of the controller's own entry among the devices of its host; hpsa and smartpqi have one.
fn entry(host: &Host, scsi_host: &str, driver: &str) -> Option<String> {
    if !matches!(driver, "hpsa" | "smartpqi") {
        return None;
    }
    let is_target = |name: &String| name.starts_with("target");
    for target in host.list(scsi_host).into_iter().filter(is_target) {
        let directory = format!("{scsi_host}/{target}");
        for name in host
            .list(&directory)
            .into_iter()
            .filter(|name| name.matches(':').count() == 3)
        {
            if host.number(&format!("{directory}/{name}/type")) == Some(CONTROLLER) {
                return Some(
                    host.text(&format!("{directory}/{name}/model"))?
                        .trim()
                        .to_string(),
                );
            }
        }
    }
    None
}

/// `PERC H730P Adp` is what the controller's volumes call themselves.
fn namesake(draft: &Draft, is_volume: Option<bool>) -> Option<String> {
    let model = draft.known("model").filter(|_| is_volume == Some(true))?;
    NAMESAKES
        .iter()
        .any(|start| model.starts_with(start))
        .then(|| model.to_string())
}

/// Before hpsa, Smart Arrays had a driver with disks of their own (`/dev/cciss/c0d0`).
fn old_smart_array(host: &Host, draft: &mut Draft) {
    draft.fact("raid_controller", Some("cciss"));
    draft.fact("raid_volume", Some("yes"));
    for directory in [draft.path("device"), draft.subject.clone()] {
        let level = host.text(&format!("{directory}/raid_level"));
        draft.fact("raid_level", level.map(|level| level.trim().to_string()));
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{collect_on, facts};

    fn disk(driver: &str, address: &str, more: &str) -> model::iopath::IoPath {
        let scsi_host = "/sys/devices/pci0000:00/0000:03:00.0/host0";
        let (target, _) = address.rsplit_once(':').unwrap();
        let device = format!("{scsi_host}/target{target}/{address}");
        collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../..{}/block/sda\n\
                 path: {device}/block/sda/device\nlink: ../..\npath: {device}/block/sda/size\nlines: 1\n8\n\
                 path: {scsi_host}/scsi_host/host0/proc_name\nlines: 1\n{driver}\n{}",
                device.trim_start_matches("/sys"),
                more.replace("DEVICE", &device).replace("HOST", scsi_host)
            ),
            "sda",
        )
    }

    #[test]
    fn a_volume_and_a_disk_behind_the_same_driver() {
        let volume = disk(
            "megaraid_sas",
            "0:2:0:0",
            "path: DEVICE/model\nlines: 1\nPERC H730P Adp  \n",
        );
        assert_eq!(
            facts(&volume, "sda", "raid_controller"),
            "megaraid_sas PERC H730P Adp"
        );
        assert_eq!(facts(&volume, "sda", "raid_volume"), "yes");
        let passed = disk(
            "megaraid_sas",
            "0:0:4:0",
            "path: DEVICE/model\nlines: 1\nST4000NM0033\n",
        );
        assert_eq!(facts(&passed, "sda", "raid_controller"), "megaraid_sas");
        assert_eq!(facts(&passed, "sda", "raid_volume"), "no");
    }

    #[test]
    fn smart_arrays_name_themselves_and_the_level() {
        let entry = "path: HOST/target0:3:0/0:3:0:0/type\nlines: 1\n12\n\
            path: HOST/target0:3:0/0:3:0:0/model\nlines: 1\nP440ar\n\
            path: HOST/scsi_host/host0/firmware_revision\nlines: 1\n6.88\n";
        let level = |level: &str| format!("{entry}path: DEVICE/raid_level\nlines: 1\n{level}\n");
        let volume = disk("hpsa", "0:1:0:0", &level("RAID 5"));
        assert_eq!(facts(&volume, "sda", "raid_controller"), "hpsa P440ar");
        assert_eq!(facts(&volume, "sda", "raid_level"), "RAID 5");
        assert_eq!(facts(&volume, "sda", "raid_firmware"), "6.88");
        let passed = disk("hpsa", "0:0:0:0", &level("N/A"));
        assert_eq!(
            (
                facts(&passed, "sda", "raid_volume"),
                facts(&passed, "sda", "raid_level")
            ),
            ("no", "")
        );
    }

    #[test]
    fn a_plain_host_is_none() {
        assert_eq!(
            facts(&disk("ahci", "0:0:0:0", ""), "sda", "raid_controller"),
            ""
        );
    }
}
