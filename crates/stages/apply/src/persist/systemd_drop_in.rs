//! # systemd drop-in
//!
//! ## What it does
//! Writes `/etc/systemd/system/UNIT.d/99-iodyno-DISK.conf`, which gives the unit whose control group it is the proven limits
//! (`IOReadIOPSMax=` and its kin) or weight (`IODeviceWeight=`) on the disk. systemd writes them into the group whenever it
//! starts the unit. The disk is named by a link of `/dev/disk/by-id` where udev made one, else by its kernel name.
//!
//! Only a group of version 2 that systemd itself made for a unit can be kept so. A container's group is made anew with the
//! container, by Docker, Podman or Kubernetes, and its limits are theirs to set; a weight under bfq has no directive of its
//! own.
//!
//! ## How it is undone
//! `iodyno undo` removes the file, and the directory where it made that, or puts back what was there before. The file names
//! the record and the command. Then `systemctl daemon-reload`.
//!
//! ## Example
//! ```text
//! iodyno apply 7 --persist
//! ```
//!
//! ## Sources
//! - systemd.resource-control(5); systemd.unit(5), drop-in files

use crate::persisted::made_anew;
use crate::{CheckedValue, Persist, PersistPlan, PersistTurn, SettingWish};
use host::Host;
use kernel::device_settings::{NO_LIMIT, NO_WEIGHT};
use model::subject::Subject;
use model::text::{clean_to, is_plain_name, is_plain_value, is_unit_name};

/// The way.
pub static PERSIST: Persist = Persist {
    id: "systemd_drop_in",
    since: "0.1.0",
    summary: "a drop-in that gives a unit's control group its limits",
    turn: PersistTurn::First,
    takes,
    available,
    plan,
};

/// The directives, as systemd calls them, by the knob that they keep.
const DIRECTIVES: [(&str, &str); 5] = [
    ("riops", "IOReadIOPSMax"),
    ("wiops", "IOWriteIOPSMax"),
    ("rbps", "IOReadBandwidthMax"),
    ("wbps", "IOWriteBandwidthMax"),
    ("io_weight", "IODeviceWeight"),
];

fn takes(subject: &Subject) -> bool {
    matches!(subject, Subject::Group { .. })
}

fn available(host: &Host) -> Result<(), String> {
    match host.exists("/run/systemd/system") {
        true => Ok(()),
        false => {
            Err("systemd does not run this machine: set the limit where the group is made".into())
        }
    }
}

fn plan(host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    let device = wish.device();
    if !is_plain_name(device) {
        let shown = clean_to(device, 60);
        return Err(format!("`{shown}` is no name of a device"));
    }
    if let Some(why) = made_anew(device) {
        return Err(why);
    }
    let mut groups = wish.values().iter().map(|value| value.files.subject());
    let group = groups.next().ok_or("there is nothing to keep")?;
    if groups.any(|other| other != group) {
        return Err("the values are of several groups: keep one with --only".into());
    }
    let (unit, section) = unit(host, group)?;
    let disk = disk(host, device);
    let lines = wish.values().iter().map(|value| line(value, &disk));
    let lines = lines.collect::<Result<Vec<String>, String>>()?.concat();
    Ok(PersistPlan {
        path: format!("/etc/systemd/system/{unit}.d/99-iodyno-{device}.conf"),
        content: format!("{}\n[{section}]\n{lines}", wish.proof().comment()),
        activate: "systemctl daemon-reload".into(),
        later: None,
        before: None,
    })
}

/// The unit whose group it is, with the section of its settings; or who else made the group.
fn unit<'a>(host: &Host, group: &'a Subject) -> Result<(&'a str, &'static str), String> {
    let Subject::Group { directory, .. } = group else {
        return Err(format!("{group} is no control group"));
    };
    if !host.exists(&format!("{directory}/io.max")) {
        return Err(format!(
            "{group} is of version 1, in which systemd keeps no limits: set it where the group is made"
        ));
    }
    let name = directory.rsplit('/').next().unwrap_or_default();
    let sections = [(".service", "Service"), (".slice", "Slice")];
    let section = sections.iter().find(|(ending, _)| name.ends_with(ending));
    let (_, section) = section
        .filter(|_| is_unit_name(name) && is_made_by_system(directory))
        .ok_or_else(|| {
            format!(
                "{group} is no unit of the system's manager: {}",
                maker(directory)
            )
        })?;
    match host.exists(&format!("/run/systemd/transient/{name}")) {
        true => Err(format!(
            "{name} is a transient unit: it ends with the boot, and its starter sets its limits"
        )),
        false => Ok((name, section)),
    }
}

/// Whether systemd itself made a group for a unit: it has slices above it and nothing else. Below a scope or a service whoever owns
/// that group gives what names he likes, such as that of a unit of the machine's.
fn is_made_by_system(directory: &str) -> bool {
    // Of systemd's own mounts; the second one is there beside version 1.
    let trees = ["/sys/fs/cgroup/unified/", "/sys/fs/cgroup/"];
    let below = trees.iter().find_map(|tree| directory.strip_prefix(tree));
    let above = below.and_then(|below| below.rsplit_once('/'));
    below.is_some()
        && above.is_none_or(|(above, _)| above.split('/').all(|one| one.ends_with(".slice")))
}

/// Who makes groups of such names, and where their limits are set.
fn maker(directory: &str) -> &'static str {
    let makers = [
        (
            "kubepods",
            "Kubernetes makes it with the pod, and the container runtime sets its limits",
        ),
        (
            "docker",
            "Docker makes it with the container; give the limit to `docker run` (--device-read-iops and its kin)",
        ),
        (
            "libpod",
            "Podman makes it with the container; give the limit to `podman run` (--device-read-iops and its kin)",
        ),
        (
            "user@",
            "the manager of a user made it; give the limit to the user's unit there",
        ),
        (
            ".scope",
            "a program made the scope while it ran, and sets its limits",
        ),
    ];
    let made = makers.iter().find(|(part, _)| directory.contains(part));
    made.map_or("set the limit where the group is made", |(_, words)| words)
}

/// A link that names the disk after a boot too, where udev made one that is safe to write.
fn disk(host: &Host, device: &str) -> String {
    let text = |path: &str| host.text(path).unwrap_or_default();
    let number = text(&format!("/sys/block/{device}/dev"));
    let stored = text(&format!("/run/udev/data/b{}", number.trim()));
    let mut links = stored
        .lines()
        .filter_map(|line| line.strip_prefix("S:disk/by-id/"));
    match links.find(|link| is_plain_value(link)) {
        Some(link) => format!("/dev/disk/by-id/{link}"),
        None => format!("/dev/{device}"),
    }
}

/// A directive with the disk and the value.
fn line(proven: &CheckedValue, disk: &str) -> Result<String, String> {
    let (id, value) = (proven.knob.id, proven.value.as_str());
    let directive = DIRECTIVES.iter().find(|(knob, _)| *knob == id);
    let (_, directive) = directive.ok_or_else(|| format!("systemd has no directive for {id}"))?;
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    match value {
        NO_LIMIT => Ok(format!("{directive}={disk} infinity\n")),
        NO_WEIGHT => Err(format!(
            "{id}=default is what a unit without {directive}= has"
        )),
        _ if is_number => Ok(format!("{directive}={disk} {value}\n")),
        _ => Err(format!("`{}` is no value of {id}", clean_to(value, 60))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Knob, SubjectFiles};
    use host::Archive;
    use model::change::Attribute;

    fn host(directory: &str, links: &str) -> Host {
        let mut archive = Archive::default();
        for (path, text) in [
            ("/sys/block/sda/dev", "8:0"),
            ("/run/udev/data/b8:0", links),
            (&format!("{directory}/io.max"), ""),
        ] {
            archive.insert(path, Attribute::Value(text.into()));
        }
        Host::from_archive(archive)
    }

    fn planned(directory: &str, values: &[(&str, &str)]) -> Result<PersistPlan, String> {
        let host = host(directory, "S:disk/by-id/ata-X_1\nE:ID_SERIAL=X_1");
        let (device, directory) = ("sda".to_string(), directory.to_string());
        let files = SubjectFiles::of(&host, Subject::Group { device, directory }).unwrap();
        let value = |(id, value): &(&str, &str)| CheckedValue {
            knob: Knob::find(id).unwrap(),
            files: files.clone(),
            value: value.to_string(),
        };
        let values = values.iter().map(value).collect();
        plan(&host, &SettingWish::new("sda".into(), values, 7))
    }

    #[test]
    fn gives_the_unit_its_limits_on_the_disk() {
        let unit = "/sys/fs/cgroup/system.slice/db@1.service";
        let plan = planned(unit, &[("riops", "500"), ("wbps", "max")]).unwrap();
        assert_eq!(
            plan.path,
            "/etc/systemd/system/db@1.service.d/99-iodyno-sda.conf"
        );
        assert!(plan.content.contains("record 7") && plan.content.contains("iodyno undo"));
        let lines = "\n[Service]\nIOReadIOPSMax=/dev/disk/by-id/ata-X_1 500\n\
             IOWriteBandwidthMax=/dev/disk/by-id/ata-X_1 infinity\n";
        assert!(plan.content.ends_with(lines), "{}", plan.content);
        let slice = planned("/sys/fs/cgroup/system.slice", &[("io_weight", "50")]).unwrap();
        assert!(slice.content.contains("[Slice]\nIODeviceWeight="));
    }

    #[test]
    fn a_group_that_is_no_unit_is_its_makers() {
        for (directory, told) in [
            ("/sys/fs/cgroup/docker/4f", "docker run"),
            ("/sys/fs/cgroup/kubepods.slice/pod1", "Kubernetes"),
            ("/sys/fs/cgroup/machine.slice/libpod-1.scope", "podman run"),
            (
                "/sys/fs/cgroup/user.slice/user@1.service/db.service",
                "user's unit",
            ),
            ("/sys/fs/cgroup/mine", "where the group is made"),
            // Names that whoever owns the group above gives them.
            (
                "/sys/fs/cgroup/system.slice/docker-4f.scope/ssh.service",
                "docker run",
            ),
            (
                "/sys/fs/cgroup/system.slice/db.service/ssh.service",
                "where the group is made",
            ),
        ] {
            let why = planned(directory, &[("riops", "500")]).unwrap_err();
            assert!(why.contains(told), "{directory}: {why}");
        }
        let unit = "/sys/fs/cgroup/db.service";
        assert!(planned(unit, &[("bfq_weight", "500")]).is_err());
        assert!(planned(unit, &[("io_weight", "default")]).is_err());
        for value in ["5\n[Unit]", "$x", "", "1k"] {
            let why = planned(unit, &[("riops", value)]).unwrap_err();
            assert!(
                why.contains("no value of riops") && !why.contains('\n'),
                "{why}"
            );
        }
    }

    #[test]
    fn a_link_that_a_file_cannot_hold_is_not_used() {
        let odd = host("/x", "S:disk/by-id/a b\nS:disk/by-id/%n");
        assert_eq!(disk(&odd, "sda"), "/dev/sda");
        assert!(available(&odd).is_err());
    }
}
