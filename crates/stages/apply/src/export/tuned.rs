//! A profile of TuneD, which puts the old values back itself when another profile is chosen.

use super::{Place, Sheet, comments};

/// The `tuned.conf` of the profile.
pub(super) fn text(sheet: &Sheet<'_>) -> String {
    let name = format!("iodyno-{}", sheet.wish.proof().name());
    let usage = [
        format!(
            "Put this into /etc/tuned/profiles/{name}/tuned.conf (before TuneD 2.23: /etc/tuned/{name}/tuned.conf),"
        ),
        format!(
            "then beside the profile that is active: tuned-adm profile $(tuned-adm active | sed 's/.*: //') {name}"
        ),
        "To take it back, choose that profile alone: tuned-adm profile NAME".to_string(),
    ];
    let mut profile = comments(&sheet.head);
    profile.push_str(&comments(&usage));
    profile.push_str(&format!(
        "[main]\nsummary=What iodyno record {} proved\n",
        sheet.wish.proof().name()
    ));
    let (mut disk, mut sysctl, mut sysfs) = (Vec::new(), Vec::new(), Vec::new());
    for setting in &sheet.settings {
        let value = &setting.value.value;
        match &setting.place {
            Place::OfDevice(file) if file == "queue/scheduler" => {
                disk.push(format!("elevator={value}"))
            }
            // Without a unit it is KiB.
            Place::OfDevice(file) if file == "queue/read_ahead_kb" => {
                disk.push(format!("readahead={value}"))
            }
            Place::OfDevice(file) => {
                sysfs.push(format!("/sys/block/{}/{file}={value}", sheet.device))
            }
            Place::Path(path) => sysfs.push(format!("{path}={value}")),
            Place::Sysctl(name) => sysctl.push(format!("{name}={value}")),
            // Said in the head: TuneD cannot.
            Place::OfInterrupt { .. } => {}
        }
    }
    if !disk.is_empty() {
        disk.insert(0, format!("devices={}", sheet.device));
    }
    for (section, lines) in [("disk", disk), ("sysctl", sysctl), ("sysfs", sysfs)] {
        if !lines.is_empty() {
            profile.push_str(&format!("\n[{section}]\n{}\n", lines.join("\n")));
        }
    }
    profile
}
