//! Who else sets what is about to be made permanent, found before anything is written: the inventory looks at this machine
//! as it would be with the new files.

use crate::drift::{setting, target};
use apply::{CheckedValue, PersistPlan};
use host::{Archive, Host};
use inventory::claimants::irqbalance;
use model::change::Attribute;
use model::iopath::{IoPath, Owner};
use model::ownership::is_same;
use model::subject::Subject;

/// Somebody else who sets a setting, to another value or to one that is not known before.
#[derive(Clone, Debug, PartialEq)]
pub struct Rival {
    /// The setting, in words.
    pub setting: String,
    /// Who, where, when, and which value.
    pub owner: Owner,
    /// Whether it acts after the new files, for sure.
    pub has_last_word: bool,
}

impl Rival {
    /// `/etc/udev/rules.d/60-x.rules:3 sets read_ahead_kb of sda to 128, when the device appears`.
    pub fn words(&self) -> String {
        let Owner {
            place, wants, acts, ..
        } = &self.owner;
        match wants {
            Some(wants) => format!("{place} sets {} to {wants}, {acts}", self.setting),
            None => format!("{place} sets {}, {acts}", self.setting),
        }
    }
}

/// Who else sets these values, once these files are in place.
pub fn of(host: &Host, device: &str, values: &[CheckedValue], files: &[PersistPlan]) -> Vec<Rival> {
    if !host.is_live() {
        return Vec::new();
    }
    let recording = Host::recording();
    for value in values {
        if let Some(target) = target(value.files.subject(), Some(device)) {
            let _ = inventory::collect(&recording, &target);
        }
        if let Subject::Interrupt { number } = value.files.subject() {
            let _ = irqbalance::bans(&recording, *number);
        }
    }
    among(recording.recorded(), device, values, files)
}

fn among(
    mut archive: Archive,
    device: &str,
    values: &[CheckedValue],
    files: &[PersistPlan],
) -> Vec<Rival> {
    for file in files {
        archive.insert(&file.path, Attribute::Value(file.content.clone()));
    }
    let host = Host::from_archive(archive);
    let mut rivals: Vec<Rival> = Vec::new();
    for value in values {
        let target = target(value.files.subject(), Some(device));
        let path = target.and_then(|target| inventory::collect(&host, &target).ok());
        let found = path.map(|path| on(&host, &path, value, files));
        rivals.extend(found.into_iter().flatten());
    }
    rivals
}

fn on(host: &Host, path: &IoPath, value: &CheckedValue, files: &[PersistPlan]) -> Vec<Rival> {
    let subject = value.files.subject();
    let name = format!("{} of {subject}", value.knob.id);
    let rival = |owner: &Owner, has_last_word: bool| Rival {
        setting: name.clone(),
        owner: owner.clone(),
        has_last_word,
    };
    if let Subject::Interrupt { number } = subject {
        let layers = path.root.walk().into_iter();
        let serves = layers.filter(|layer| layer.interrupts.iter().any(|line| line.irq == *number));
        let owners = serves
            .filter_map(|layer| layer.owners.get("interrupts"))
            .flatten();
        let acts = owners.filter(|_| !irqbalance::bans(host, *number));
        return acts.map(|owner| rival(owner, true)).collect();
    }
    let Some(setting) = setting(host, path, &value.files.path(value.knob.attribute)) else {
        return Vec::new();
    };
    let is_ours = |owner: &Owner| {
        let begins = |file: &PersistPlan| {
            owner
                .place
                .strip_prefix(&file.path)
                .is_some_and(|it| it.starts_with(':'))
        };
        files.iter().any(begins)
    };
    let ours = setting.owners.iter().rposition(is_ours);
    let owners = setting.owners.iter().enumerate();
    let others = owners.filter(|(_, owner)| {
        let wants_the_same = owner
            .wants
            .as_deref()
            .is_some_and(|wants| is_same(wants, &value.value));
        !is_ours(owner) && !wants_the_same
    });
    others
        .map(|(at, owner)| {
            rival(
                owner,
                owner.is_certain() && ours.is_none_or(|ours| at > ours),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use apply::{Knob, SubjectFiles};

    const MACHINE: &str = "iodyno-host 1\npath: /sys/class/block/sda\nlink: ../../devices/p/sda\n\
        path: /sys/block/sda\nlink: ../devices/p/sda\n\
        path: /sys/devices/p/sda/dev\nlines: 1\n8:0\n\
        path: /sys/devices/p/sda/queue/read_ahead_kb\nlines: 1\n128\n\
        path: /proc/sys/vm/swappiness\nlines: 1\n60\n";

    fn rivals(others: &str, knob: &str, value: &str, file: (&str, &str)) -> Vec<(String, bool)> {
        let mut archive = Archive::parse(&format!("{MACHINE}{others}")).unwrap();
        archive.insert_directory("/proc/sys");
        let knob = Knob::find(knob).unwrap();
        let subject = match knob.id {
            "swappiness" => Subject::Sysctl,
            _ => Subject::Queue {
                device: "sda".into(),
            },
        };
        let files = SubjectFiles::of(&Host::from_archive(archive.clone()), subject).unwrap();
        let value = CheckedValue {
            knob,
            files,
            value: value.into(),
        };
        let plan = PersistPlan {
            path: file.0.into(),
            content: file.1.into(),
            activate: String::new(),
            later: None,
            before: None,
        };
        let found = among(archive, "sda", &[value], &[plan]);
        found
            .into_iter()
            .map(|it| (it.owner.place, it.has_last_word))
            .collect()
    }

    #[test]
    fn a_rule_that_sorts_later_has_the_last_word_and_one_before_has_not() {
        let rule = |name: &str, kb: u32| {
            format!(
                "path: /etc/udev/rules.d/{name}\nlines: 1\nKERNEL==\"sda\", ATTR{{queue/read_ahead_kb}}=\"{kb}\"\n"
            )
        };
        let others = [
            rule("60-a.rules", 64),
            rule("99-z.rules", 32),
            rule("99-zz.rules", 512),
        ]
        .concat();
        let own = "# c\nACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"sda\", ATTR{queue/read_ahead_kb}=\"512\"\n";
        let with = |path: &str| rivals(&others, "read_ahead_kb", "512", (path, own));
        let (before, after) = (
            "/etc/udev/rules.d/60-a.rules:1",
            "/etc/udev/rules.d/99-z.rules:1",
        );
        assert_eq!(
            with("/etc/udev/rules.d/99-iodyno-sda.rules"),
            [(before.into(), false), (after.into(), true)]
        );
        assert_eq!(
            with("/etc/udev/rules.d/zz-iodyno-sda.rules"),
            [(before.into(), false), (after.into(), false)]
        );
    }

    #[test]
    fn a_profile_acts_after_a_rule_and_a_sysctl_file_after_a_profile() {
        let tuned = "path: /etc/tuned/active_profile\nlines: 1\nmine\n\
            path: /etc/tuned/mine/tuned.conf\nlines: 4\n[disk]\nreadahead=4096\n[sysctl]\nvm.swappiness=10\n\
            path: /sys/fs/cgroup/system.slice/tuned.service/cgroup.procs\nlines: 1\n9\n";
        let own = "ACTION==\"add\", SUBSYSTEM==\"block\", KERNEL==\"sda\", ATTR{queue/read_ahead_kb}=\"512\"\n";
        let file = ("/etc/udev/rules.d/99-iodyno-sda.rules", own);
        let place = |line: u32| format!("TuneD profile mine, /etc/tuned/mine/tuned.conf:{line}");
        assert_eq!(
            rivals(tuned, "read_ahead_kb", "512", file),
            [(place(2), true)]
        );
        let file = ("/etc/sysctl.d/99-iodyno-7.conf", "vm.swappiness = 1\n");
        assert_eq!(rivals(tuned, "swappiness", "1", file), [(place(4), false)]);
        let later = format!("{tuned}path: /etc/sysctl.d/99-z.conf\nlines: 1\nvm.swappiness=5\n");
        assert_eq!(
            rivals(&later, "swappiness", "1", file)[1],
            ("/etc/sysctl.d/99-z.conf:1".to_string(), true)
        );
    }
}
