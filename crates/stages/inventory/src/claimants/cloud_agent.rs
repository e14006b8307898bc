//! # Cloud agent
//!
//! ## What it reads
//! udev rules that clouds' images bring, told by their names (`*azure*`, `*-ec2-*`, `*gce*`, `*google*`, `*aliyun*`);
//! `/etc/waagent.conf`; `/etc/default/instance_configs.cfg` of Google's guest environment.
//!
//! ## What it claims
//! What those rules set, such as Azure's `queue/io_timeout` and Amazon Linux's `read_ahead_kb`; the command timeout that
//! Azure's agent gives SCSI disks (`OS.RootDeviceScsiTimeout`); the interrupts of local SSDs, which Google's agent spreads
//! (`optimize_local_ssd`).
//!
//! ## When it acts
//! The rules when the device appears; the agents when they start, and Azure's whenever a disk is attached.
//!
//! ## Example
//! `/usr/lib/udev/rules.d/80-azure-disk.rules:9` wants `io_timeout` to be 240000.
//!
//! ## Sources
//! - WALinuxAgent, `config/waagent.conf`; azure-vm-utils, `udev/80-azure-disk.rules`
//! - GoogleCloudPlatform/guest-configs, `src/usr/bin/google_optimize_local_ssd`

use crate::claims::{Claim, Claimant, On, Phase, Scene};
use crate::config_files::ini;
use crate::{services, udev};
use model::iopath::LayerKind;

/// Azure's agent.
const WAAGENT: &str = "/etc/waagent.conf";
/// Google's guest environment.
const GOOGLE: &str = "/etc/default/instance_configs.cfg";

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "cloud_agent",
    since: "0.1.0",
    reads: &["/usr/lib/udev/rules.d", WAAGENT, GOOGLE],
    claims,
};

/// Whether a rules file comes with a cloud's image.
pub(super) fn is_theirs(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    ["azure", "-ec2-", "-gce-", "google", "aliyun", "alibaba"]
        .iter()
        .any(|word| name.contains(word))
}

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    let mut claims = udev::claims(scene, |file| is_theirs(&file.path));
    claims.extend(azure(scene));
    claims.extend(google(scene));
    claims
}

fn azure(scene: &Scene<'_>) -> Vec<Claim> {
    let Some(text) = scene.host.text(WAAGENT) else {
        return Vec::new();
    };
    let running = ["walinuxagent", "waagent"]
        .iter()
        .any(|name| services::is_running(scene.host, name, &[]));
    let set = ini(&text)
        .into_iter()
        .find(|(_, key, ..)| key == "OS.RootDeviceScsiTimeout");
    let Some((_, _, seconds, line)) = set else {
        return Vec::new();
    };
    let claim = |device: &crate::claims::ClaimedDevice| Claim {
        on: On::Path(scene.canonical(&format!("{}/device/timeout", device.directory))),
        phase: Phase::Service,
        sequence: 0,
        place: format!("{WAAGENT}:{line}"),
        wants: Some(seconds.clone()),
        acts: match running {
            true => "when the agent starts and when a disk is attached".into(),
            false => "maybe when the agent runs, which it does not seem to".into(),
        },
    };
    scene
        .devices
        .iter()
        .filter(|device| device.name.starts_with("sd"))
        .map(claim)
        .collect()
}

fn google(scene: &Scene<'_>) -> Vec<Claim> {
    let Some(text) = scene.host.text(GOOGLE) else {
        return Vec::new();
    };
    let set = ini(&text)
        .into_iter()
        .find(|(_, key, value, _)| key == "optimize_local_ssd" && value == "true");
    let Some((.., line)) = set else {
        return Vec::new();
    };
    let disks = scene
        .path
        .of_kind(LayerKind::Disk)
        .filter(|disk| !disk.interrupts.is_empty());
    let local = disks.filter(|disk| {
        disk.fact("model")
            .is_some_and(|model| model.starts_with("nvme_card"))
    });
    let claim = |disk: &model::iopath::Layer| Claim {
        on: On::Fact {
            layer: disk.name.clone(),
            name: "interrupts",
        },
        phase: Phase::Service,
        sequence: 0,
        place: format!("{GOOGLE}:{line}"),
        wants: None,
        acts: "once, when the agent starts".into(),
    };
    local.map(claim).collect()
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn azure_s_rule_and_its_agent_are_named() {
        let base = "/sys/devices/v/host0/0:0:0:0";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/v/host0/0:0:0:0/block/sda\n\
                 path: {base}/block/sda/dev\nlines: 1\n8:0\npath: {base}/block/sda/device\nlink: ../../../0:0:0:0\n\
                 path: {base}/block/sda/queue/io_timeout\nlines: 1\n240000\n\
                 path: /etc/waagent.conf\nlines: 2\n# x\nOS.RootDeviceScsiTimeout=300\n\
                 path: /usr/lib/udev/rules.d/80-azure-disk.rules\nlines: 1\n\
                 SUBSYSTEM==\"block\", KERNEL==\"sd*\", ATTR{{queue/io_timeout}}=\"240000\"\n"
            ),
            "sda",
        );
        let owners = &path.disks()[0].setting("io_timeout").unwrap().owners;
        assert_eq!(owners.len(), 1, "one rule is one owner: {owners:?}");
        assert_eq!(
            (owners[0].kind.as_str(), owners[0].place.as_str()),
            ("cloud_agent", "/usr/lib/udev/rules.d/80-azure-disk.rules:1")
        );
    }
}
