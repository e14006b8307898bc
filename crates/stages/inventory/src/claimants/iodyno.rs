//! # iodyno
//!
//! ## What it reads
//! `/etc/udev/rules.d/99-iodyno-*.rules` and `zz-iodyno-*.rules`, which `iodyno apply --persist` writes.
//!
//! ## What it claims
//! The settings that a record proved and that were made to outlive a reboot. The file names the record.
//!
//! ## When it acts
//! When the device appears, after the distribution's rules, whose names sort before.
//!
//! ## Example
//! `/etc/udev/rules.d/99-iodyno-vda.rules:2` wants `scheduler` to be `none`.
//!
//! ## Sources
//! - `iodyno explain udev_rule`

use crate::claims::{Claim, Claimant, Scene};
use crate::udev;

/// The claimant.
pub static CLAIMANT: Claimant = Claimant {
    id: "iodyno",
    since: "0.1.0",
    reads: &[
        "/etc/udev/rules.d/99-iodyno-*.rules",
        "/etc/udev/rules.d/zz-iodyno-*.rules",
    ],
    claims,
};

fn claims(scene: &Scene<'_>) -> Vec<Claim> {
    udev::claims(scene, |file| is_ours(&file.path))
}

/// Whether a rules file was written by this program.
pub(super) fn is_ours(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with("99-iodyno-") || name.starts_with("zz-iodyno-"))
}

#[cfg(test)]
mod tests {
    use crate::tests::collect_on;

    #[test]
    fn its_own_rules_are_told_from_those_of_others() {
        let path = collect_on(
            "path: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
             path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
             path: /sys/devices/p/sda/queue/nr_requests\nlines: 1\n64\n\
             path: /etc/udev/rules.d/99-iodyno-sda.rules\nlines: 2\n# record 7\n\
             ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"sda\", ATTR{queue/nr_requests}=\"64\"\n",
            "sda",
        );
        let owners = &path.disks()[0].setting("nr_requests").unwrap().owners;
        assert_eq!(
            owners
                .iter()
                .map(|owner| owner.kind.as_str())
                .collect::<Vec<_>>(),
            ["iodyno"]
        );
    }
}
