//! # udev rule
//!
//! ## What it reads
//! Every `*.rules` of `/etc/udev/rules.d`, `/run/udev/rules.d`, `/usr/local/lib/udev/rules.d`, `/usr/lib/udev/rules.d` and
//! `/lib/udev/rules.d`; a file of an earlier directory masks those of its name in later ones. For conditions:
//! attributes, drivers and subsystems of the device and of those above it, and what udev stored of it in
//! `/run/udev/data`. Files that set no attribute and run nothing that does are passed over.
//!
//! ## What it claims
//! Attributes that a rule sets with `ATTR{…}=`, `SYSCTL{…}=`, or by running `echo … > /sys/…`, `blockdev --setra` or
//! `sysctl -w`: of the block device, of the devices it hangs on, and of backing device infos. A condition that only
//! running udev can decide (`PROGRAM`, properties that were not stored) makes it a maybe that names the condition.
//!
//! ## When it acts
//! When the device appears, or reports a change, in the order of the file names. After `udevadm trigger` also for
//! devices that are there.
//!
//! ## Example
//! `/etc/udev/rules.d/60-ra.rules:3` wants `read_ahead_kb` to be 4096.
//!
//! ## Sources
//! - udev(7); systemd, `src/udev/udev-rules.c`

use crate::claims::{Claim, Claimant, Scene};
use crate::udev;

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "udev_rule",
    since: "0.1.0",
    reads: &[
        "/etc/udev/rules.d",
        "/run/udev/rules.d",
        "/usr/lib/udev/rules.d",
        "/run/udev/data/b*",
    ],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    udev::claims(scene, |file| {
        !super::iodyno::is_ours(&file.path) && !super::cloud_agent::is_theirs(&file.path)
    })
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn a_rule_of_etc_masks_the_distribution_s_and_is_named_with_its_line() {
        let rule = "ACTION==\"add\", KERNEL==\"sd[a-z]\", ATTR{queue/scheduler}=\"none\"";
        let path = collect_on(
            &format!(
                "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
                 path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
                 path: /sys/devices/p/sda/queue/scheduler\nlines: 1\n[none] bfq\n\
                 path: /etc/udev/rules.d/60-io.rules\nlines: 2\n# mine\n{rule}\n\
                 path: /usr/lib/udev/rules.d/60-io.rules\nlines: 1\n{}\n",
                rule.replace("none", "bfq")
            ),
            "sda",
        );
        let owners = &path.disks()[0].setting("scheduler").unwrap().owners;
        assert_eq!(owners.len(), 1);
        assert_eq!(
            (
                owners[0].kind.as_str(),
                owners[0].place.as_str(),
                owners[0].acts.as_str()
            ),
            (
                "udev_rule",
                "/etc/udev/rules.d/60-io.rules:2",
                "when the device appears"
            )
        );
    }
}
