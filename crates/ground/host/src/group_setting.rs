//! What a control group gives to one device, as a setting: read from the device's part of a file of the group, and changed
//! in that part alone.
//!
//! The group's directory is opened, has to be one of a control group hierarchy and the one that was saved, and its file is
//! written through that descriptor. The device is a whole one: its number is that of its name in /sys/block.

use crate::Host;
use crate::group::Group;
use kernel::device_settings::{DeviceSetting, forms};
use kernel::devno::Devno;
use model::change::Attribute;
use model::subject::Subject;
use std::io::Error;

/// The settings of groups that knobs set.
pub(crate) const NAMES: [&str; 7] = [
    "bfq_weight",
    "io_cost",
    "io_weight",
    "rbps",
    "riops",
    "wbps",
    "wiops",
];

/// A device's part of a group that a place names.
pub(crate) struct GroupPlace {
    name: &'static str,
    device: String,
    directory: String,
}

impl GroupPlace {
    /// Of the text of a place; none where it is no group's, or of a file that is never written.
    pub(crate) fn of(place: &str) -> Option<GroupPlace> {
        match Subject::of_path(place)? {
            (Subject::Group { device, directory }, name) => {
                let name = NAMES.into_iter().find(|known| *known == name)?;
                Some(GroupPlace {
                    name,
                    device,
                    directory,
                })
            }
            _ => None,
        }
    }

    /// What the device's part says; absent where the group, its file or the device is not there.
    pub(crate) fn read(&self, host: &Host) -> Attribute {
        let Some((number, (form, attribute))) = self.number(host).zip(self.found(host)) else {
            return Attribute::Absent;
        };
        match attribute {
            Attribute::Value(text) => Attribute::Value(form.value(&text, number)),
            refused => refused,
        }
    }

    /// Which group it is, so that another one with the same name is told from it; empty where there is none. The kernel
    /// numbers groups, and gives no number twice in a boot (Linux 5.5, 64 bits).
    pub(crate) fn mark(&self, host: &Host) -> String {
        let number = match host.is_live() {
            true => Group::open(&self.directory).and_then(|group| group.number()),
            false if host.exists(&self.directory) => Ok(0),
            false => return String::new(),
        };
        number.map(told).unwrap_or_default()
    }

    /// Gives the device this value in the group that has this mark.
    pub(crate) fn write(
        &self,
        host: &Host,
        value: &str,
        marked: Option<&str>,
    ) -> std::io::Result<()> {
        let group = Group::open(&self.directory).map_err(Error::other)?;
        let is_marked = |marked: &str| group.number().is_ok_and(|number| told(number) == marked);
        if !marked.is_none_or(is_marked) {
            return Err(Error::other("another group of this name is there now"));
        }
        let number = self.number(host);
        let number =
            number.ok_or_else(|| Error::other(format!("there is no disk {}", self.device)))?;
        let (form, _) = self.found(host).ok_or_else(|| {
            Error::other(format!(
                "the group has no {}: the controller of I/O is not handed down to it",
                self.name
            ))
        })?;
        group.write_journalled(form.file(), &form.line(number, value))
    }

    /// The file that the setting stands in; none where the group has none.
    pub(crate) fn file(&self, host: &Host) -> Option<String> {
        let (form, _) = self.found(host)?;
        Some(format!("{}/{}", self.directory, form.file()))
    }

    /// The form of the setting that the group has, with its file.
    fn found(&self, host: &Host) -> Option<(DeviceSetting, Attribute)> {
        let each = forms(self.name).into_iter().map(|form| {
            let path = format!("{}/{}", self.directory, form.file());
            (form, host.attribute(&path))
        });
        each.into_iter()
            .find(|(_, attribute)| *attribute != Attribute::Absent)
    }

    fn number(&self, host: &Host) -> Option<Devno> {
        Devno::parse(&host.text(&format!("/sys/block/{}/dev", self.device))?)
    }
}

fn told(number: u64) -> String {
    format!("control group {number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Archive;

    fn host() -> Host {
        let mut archive = Archive::default();
        for (path, text) in [
            ("/sys/block/sdb/dev", "8:16"),
            ("/old/db/blkio.throttle.read_iops_device", "8:0 7\n8:16 500"),
            (
                "/new/db/io.max",
                "8:16 rbps=max wbps=1024 riops=max wiops=9",
            ),
            ("/new/db/io.weight", "default 100"),
        ] {
            archive.insert(path, Attribute::Value(text.into()));
        }
        Host::from_archive(archive)
    }

    #[test]
    fn the_devices_own_part_is_read_in_either_version() {
        let host = host();
        let read = |place: &str| host.attribute(place);
        let value = |text: &str| Attribute::Value(text.into());
        assert_eq!(read("group:riops:sdb:/old/db"), value("500"));
        assert_eq!(read("group:riops:sdb:/new/db"), value("max"));
        assert_eq!(read("group:wbps:sdb:/new/db"), value("1024"));
        assert_eq!(read("group:io_weight:sdb:/new/db"), value("default"));
        for absent in [
            "group:wiops:sdb:/old/db",
            "group:riops:sdc:/old/db",
            "group:riops:sdb:/none",
        ] {
            assert_eq!(read(absent), Attribute::Absent, "{absent}");
        }
        for never in ["group:cgroup.procs:sdb:/old/db", "group:io.max:sdb:/new/db"] {
            assert!(GroupPlace::of(never).is_none());
        }
    }

    #[test]
    fn nothing_is_written_to_what_is_no_group() {
        let dir = crate::files::temporary_dir("group-setting").unwrap();
        let directory = dir.path().to_str().unwrap();
        std::fs::write(dir.path().join("io.max"), "").unwrap();
        let place = GroupPlace::of(&format!("group:riops:sda:{directory}")).unwrap();
        let error = place.write(&Host::live(), "5", None).unwrap_err();
        assert!(error.to_string().contains("no control group"), "{error}");
        assert_eq!(place.mark(&Host::live()), "");
    }
}
