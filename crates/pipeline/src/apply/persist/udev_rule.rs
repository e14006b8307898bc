//! # udev rule
//!
//! ## What it does
//! Writes `/etc/udev/rules.d/99-iodyno-NAME.rules`, which sets the proven values whenever the device appears. The rule
//! finds the device by its serial where udev knows one, else by its kernel name. 99 comes after the distribution's own
//! 60-*.rules, which would otherwise have the last word.
//!
//! ## How it is undone
//! `iodyno undo` removes the file, or puts back what was there before. The file names the record and the command.
//!
//! ## Example
//! ```text
//! iodyno apply 7 --persist
//! ```
//!
//! ## Sources
//! - udev(7); Linux `Documentation/ABI/stable/sysfs-block`

use crate::apply::{Persist, PersistPlan, Wish};
use host::Host;

/// The way.
pub static PERSIST: Persist = Persist {
    id: "udev_rule",
    since: "0.1.0",
    summary: "a rule that sets the values whenever the device appears",
    available,
    plan,
};

fn available(host: &Host) -> Result<(), String> {
    let has_udev =
        ["/lib/systemd/systemd-udevd", "/usr/lib/systemd/systemd-udevd", "/sbin/udevd", "/usr/bin/udevadm"]
            .iter()
            .any(|path| host.exists(path));
    if has_udev { Ok(()) } else { Err("udev is not installed here, so nothing would read the rule".into()) }
}

fn plan(host: &Host, wish: &Wish) -> Result<PersistPlan, String> {
    if wish.device.starts_with("loop") || wish.device.starts_with("zram") || wish.device.starts_with("ram") {
        return Err(format!(
            "{} is set up anew at each boot; set it where the device is set up",
            wish.device
        ));
    }
    let assignments: Vec<String> =
        wish.values.iter().map(|(knob, value)| format!("ATTR{{queue/{knob}}}=\"{value}\"")).collect();
    let name: String = wish.device.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let content = format!(
        "# Written by iodyno: record {record} proved these values. Take them back: iodyno undo\n\
         ACTION==\"add|change\", SUBSYSTEM==\"block\", {subject}, {assignments}\n",
        record = wish.record,
        subject = subject(host, &wish.device),
        assignments = assignments.join(", "),
    );
    Ok(PersistPlan {
        path: format!("/etc/udev/rules.d/99-iodyno-{name}.rules"),
        content,
        activate: "udevadm control --reload".into(),
    })
}

/// The match of the device: by the serial that udev stored, where it has one that is safe to quote.
fn subject(host: &Host, device: &str) -> String {
    let devno = host.text(&format!("/sys/block/{device}/dev")).unwrap_or_default();
    let stored = host.text(&format!("/run/udev/data/b{}", devno.trim())).unwrap_or_default();
    let serial = stored.lines().find_map(|line| line.strip_prefix("E:ID_SERIAL=")).unwrap_or_default();
    let is_plain = serial.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    if serial.is_empty() || !is_plain {
        format!("KERNEL==\"{device}\"")
    } else {
        format!("ENV{{DEVTYPE}}==\"disk\", ENV{{ID_SERIAL}}==\"{serial}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;
    use model::change::Attribute;

    fn wish(device: &str) -> Wish {
        let values = vec![("scheduler".into(), "none".into()), ("nr_requests".into(), "64".into())];
        Wish { device: device.into(), values, record: 7 }
    }

    #[test]
    fn finds_the_disk_by_its_serial() {
        let mut archive = Archive::default();
        archive.insert("/sys/block/sda/dev", Attribute::Value("8:0".into()));
        archive.insert("/run/udev/data/b8:0", Attribute::Value("S:disk/x\nE:ID_SERIAL=INTEL_S4500_1".into()));
        let plan = plan(&Host::from_archive(archive), &wish("sda")).unwrap();
        assert_eq!(plan.path, "/etc/udev/rules.d/99-iodyno-sda.rules");
        assert!(plan.content.ends_with(
            "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", \
             ENV{ID_SERIAL}==\"INTEL_S4500_1\", ATTR{queue/scheduler}=\"none\", ATTR{queue/nr_requests}=\"64\"\n"
        ));
        assert!(plan.content.contains("record 7") && plan.content.contains("iodyno undo"));
    }

    #[test]
    fn falls_back_to_the_name_and_refuses_loops() {
        let host = Host::from_archive(Archive::default());
        assert!(plan(&host, &wish("vda")).unwrap().content.contains("KERNEL==\"vda\""));
        assert!(plan(&host, &wish("loop3")).unwrap_err().contains("set up anew"));
        assert!(available(&host).is_err());
    }
}
