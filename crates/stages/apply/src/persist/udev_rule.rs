//! # udev rule
//!
//! ## What it does
//! Writes `/etc/udev/rules.d/99-iodyno-NAME.rules`, which sets the proven values whenever the device appears. The rule
//! finds the device by its serial where udev knows one, else by its kernel name. 99 comes after the distribution's own
//! 60-*.rules, which would otherwise have the last word; where a rule of a later name sets the same, nothing is written
//! until `--outrank` names the file `zz-iodyno-NAME.rules` or `--despite-owners` is given. Rules that earlier commands left
//! in the file stay in it, but for what is set anew. With a setting of a scheduler's own the rule sets the scheduler
//! that has it, since another one may be in place when the device appears.
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

use crate::persisted::made_anew;
use crate::served;
use crate::{CheckedValue, Persist, PersistPlan, PersistTurn, SettingWish, SubjectFiles};
use host::Host;
use model::subject::Subject;
use model::text::{clean_to, is_plain_name, is_plain_value};

/// The way.
pub static PERSIST: Persist = Persist {
    id: "udev_rule",
    since: "0.1.0",
    summary: "a rule that sets the values whenever the device appears",
    turn: PersistTurn::First,
    takes,
    available,
    plan,
};

fn takes(subject: &Subject) -> bool {
    matches!(
        subject,
        Subject::Queue { .. }
            | Subject::Scheduler { .. }
            | Subject::Bdi { .. }
            | Subject::Scsi { .. }
            | Subject::Md { .. }
            | Subject::Interrupt { .. }
    )
}

fn available(host: &Host) -> Result<(), String> {
    let has_udev = [
        "/lib/systemd/systemd-udevd",
        "/usr/lib/systemd/systemd-udevd",
        "/sbin/udevd",
        "/usr/bin/udevadm",
    ]
    .iter()
    .any(|path| host.exists(path));
    if has_udev {
        Ok(())
    } else {
        Err("udev is not installed here, so nothing would read the rule".into())
    }
}

fn plan(host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    let device = wish.device();
    if let Some(why) = made_anew(device) {
        return Err(why);
    }
    let subject = subject(host, device)?;
    let values = wish
        .values()
        .iter()
        .map(|value| assignment(host, device, value));
    let needed = scheduler_needed(host, device, wish).map(Ok);
    let assignments = needed
        .into_iter()
        .chain(values)
        .collect::<Result<Vec<String>, String>>()?;
    let name: String = device
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let rule = format!(
        "ACTION==\"add|change\", SUBSYSTEM==\"block\", {subject}, {}",
        assignments.join(", "),
    );
    let path = format!("/etc/udev/rules.d/99-iodyno-{name}.rules");
    let earlier = earlier(&crate::persisted::own_text(host, &path), &rule);
    let content = format!("{earlier}{}\n{rule}\n", wish.proof().comment());
    Ok(PersistPlan {
        path,
        content,
        activate: "udevadm control --reload".into(),
        later: Some(format!("/etc/udev/rules.d/zz-iodyno-{name}.rules")),
        before: None,
    })
}

/// The rules that earlier commands have left in the file, each with its comment, but for those whose settings the new one
/// sets.
fn earlier(text: &str, new: &str) -> String {
    let sets = |rule: &str| -> Vec<String> {
        let words = rule.split(", ");
        let words = words.filter(|word| word.starts_with("ATTR{") || word.starts_with("RUN"));
        let key = |word: &str| match word.starts_with("ATTR{") {
            true => word.split('=').next().unwrap_or_default().to_string(),
            false => word.to_string(),
        };
        words.map(key).collect()
    };
    let anew = sets(new);
    let lines: Vec<&str> = text.lines().collect();
    let stays = |pair: &&[&str]| match pair {
        [_, rule] => !sets(rule).iter().all(|key| anew.contains(key)),
        _ => false,
    };
    let pairs = lines.chunks(2).filter(stays);
    pairs
        .map(|pair| format!("{}\n{}\n", pair[0], pair[1]))
        .collect()
}

/// One setting of the rule. A knob has its own name; a value that could end its quotes, or that udev would put something
/// in place of (`$…`, `%…`), is refused here once more, whoever made the wish.
fn assignment(host: &Host, device: &str, proven: &CheckedValue) -> Result<String, String> {
    let (knob, value) = (proven.knob, &proven.value);
    if !is_plain_value(value) {
        return Err(format!(
            "`{}` is no value of {} that a rule can hold",
            clean_to(value, 60),
            knob.id
        ));
    }
    match proven.files.subject() {
        subject @ Subject::Interrupt { .. } => interrupt(host, subject, proven),
        subject => {
            let path = subject.path(knob.attribute);
            let file = path.strip_prefix(&format!("/sys/block/{device}/"));
            let file = file.ok_or_else(|| format!("{subject} is no part of {device}"))?;
            Ok(format!("ATTR{{{file}}}=\"{value}\""))
        }
    }
}

/// The scheduler that is in place, where a value is one of its own.
fn scheduler_needed(host: &Host, device: &str, wish: &SettingWish) -> Option<String> {
    let is_its_own =
        |value: &CheckedValue| matches!(value.files.subject(), Subject::Scheduler { .. });
    wish.values().iter().find(|value| is_its_own(value))?;
    let queue = Subject::Queue {
        device: device.into(),
    };
    let word = SubjectFiles::of(host, queue)?.scheduler()?;
    is_plain_value(&word).then(|| format!("ATTR{{queue/scheduler}}=\"{word}\""))
}

/// An interrupt has another number after a boot, so the rule finds it by whom it serves: `/proc/irq/*/NAME` is a
/// directory. The write may be refused then; the rule goes on.
fn interrupt(host: &Host, subject: &Subject, proven: &CheckedValue) -> Result<String, String> {
    let serves = served::pattern(host, subject)?;
    // `$$` is udev's `$`, `%%` its `%`.
    Ok(format!(
        "RUN+=\"/bin/sh -c 'for d in /proc/irq/*/{serves}; do echo {} > $${{d%%/*}}/{}; done'\"",
        proven.value, proven.knob.attribute
    ))
}

/// The match of the device: by the serial that udev stored, where it has one that is safe to quote.
fn subject(host: &Host, device: &str) -> Result<String, String> {
    if !is_plain_name(device) {
        return Err(format!(
            "`{}` is no name of a device that a rule can hold",
            clean_to(device, 60)
        ));
    }
    Ok(match serial(host, device) {
        Some(serial) => format!("ENV{{DEVTYPE}}==\"disk\", ENV{{ID_SERIAL}}==\"{serial}\""),
        None => format!("KERNEL==\"{device}\""),
    })
}

/// The serial number that udev stored of a device, where it has one that is safe to quote.
pub(crate) fn serial(host: &Host, device: &str) -> Option<String> {
    let devno = host.text(&format!("/sys/block/{device}/dev"))?;
    let stored = host.text(&format!("/run/udev/data/b{}", devno.trim()))?;
    let mut lines = stored.lines();
    let serial = lines.find_map(|line| line.strip_prefix("E:ID_SERIAL="))?;
    is_plain_value(serial).then(|| serial.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;
    use model::change::Attribute;

    fn wish(device: &str) -> SettingWish {
        crate::fixture::wish(device, &[("scheduler", "none"), ("nr_requests", "64")])
    }

    #[test]
    fn finds_the_disk_by_its_serial() {
        let mut archive = Archive::default();
        archive.insert("/sys/block/sda/dev", Attribute::Value("8:0".into()));
        archive.insert(
            "/run/udev/data/b8:0",
            Attribute::Value("S:disk/x\nE:ID_SERIAL=INTEL_S4500_1".into()),
        );
        let plan = plan(&Host::from_archive(archive), &wish("sda")).unwrap();
        assert_eq!(plan.path, "/etc/udev/rules.d/99-iodyno-sda.rules");
        assert!(plan.content.ends_with(
            "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\", \
             ENV{ID_SERIAL}==\"INTEL_S4500_1\", ATTR{queue/scheduler}=\"none\", ATTR{queue/nr_requests}=\"64\"\n"
        ));
        assert!(plan.content.contains("record 7") && plan.content.contains("iodyno undo"));
    }

    /// Values and names that would be a program, a substitution of udev's or a rule of their own.
    #[test]
    fn nothing_but_words_gets_into_a_rule() {
        let host = Host::from_archive(Archive::default());
        for value in [
            "128\", RUN+=\"/bin/sh -c 'touch /x'\", ATTR{queue/nr_requests}=\"1",
            "none\nKERNEL==\"*\", RUN+=\"/bin/id\"",
            "$kernel",
            "$env{ID_SERIAL}",
            "%k",
            "%E{X}",
            "a\\",
            "'x'",
            "a b",
            "",
        ] {
            let refused =
                plan(&host, &crate::fixture::wish("vda", &[("scheduler", value)])).unwrap_err();
            assert!(
                refused.contains("no value of scheduler") && !refused.contains('\n'),
                "{refused}"
            );
        }
        for device in ["sd*", "sd?", "[a-z]", "vda\", RUN+=\"x", "../x", "a\nb", ""] {
            let refused = plan(
                &host,
                &crate::fixture::wish(device, &[("scheduler", "none")]),
            )
            .unwrap_err();
            assert!(refused.contains("no name of a device"), "{refused}");
        }
    }

    #[test]
    fn a_serial_that_a_rule_cannot_hold_is_not_used() {
        for serial in ["A*", "A\", RUN+=\"x", "$kernel", "%k"] {
            let mut archive = Archive::default();
            archive.insert("/sys/block/sda/dev", Attribute::Value("8:0".into()));
            archive.insert(
                "/run/udev/data/b8:0",
                Attribute::Value(format!("E:ID_SERIAL={serial}")),
            );
            let plan = plan(&Host::from_archive(archive), &wish("sda")).unwrap();
            assert!(
                plan.content.contains("KERNEL==\"sda\"") && !plan.content.contains(serial),
                "{serial}"
            );
        }
    }

    #[test]
    fn falls_back_to_the_name_and_refuses_loops() {
        let host = Host::from_archive(Archive::default());
        assert!(
            plan(&host, &wish("vda"))
                .unwrap()
                .content
                .contains("KERNEL==\"vda\"")
        );
        assert!(
            plan(&host, &wish("loop3"))
                .unwrap_err()
                .contains("set up anew")
        );
        assert!(available(&host).is_err());
    }

    #[test]
    fn a_schedulers_own_setting_brings_its_scheduler() {
        let mut archive = Archive::default();
        let text = Attribute::Value("none [mq-deadline] bfq".into());
        archive.insert("/sys/block/sda/queue/scheduler", text);
        let values = [("read_expire", "100"), ("max_ratio", "50")];
        let rule = plan(
            &Host::from_archive(archive),
            &crate::fixture::wish("sda", &values),
        );
        assert!(rule.unwrap().content.ends_with(
            ", ATTR{queue/scheduler}=\"mq-deadline\", ATTR{queue/iosched/read_expire}=\"100\", ATTR{bdi/max_ratio}=\"50\"\n"
        ));
    }

    #[test]
    fn rules_of_earlier_commands_stay_unless_they_are_set_anew() {
        let plan_on = |archive: &Archive, values: &[(&str, &str)]| {
            let one = crate::fixture::wish("vda", values);
            plan(&Host::from_archive(archive.clone()), &one).unwrap()
        };
        let mut archive = Archive::default();
        for (values, rules) in [
            (&[("scheduler", "none")][..], 1),
            (&[("nr_requests", "64"), ("nomerges", "2")], 2),
            (&[("nomerges", "1")], 3),
            (&[("scheduler", "none")], 3),
            (
                &[
                    ("nr_requests", "8"),
                    ("nomerges", "0"),
                    ("scheduler", "bfq"),
                ],
                1,
            ),
        ] {
            let plan = plan_on(&archive, values);
            assert_eq!(plan.content.lines().count(), 2 * rules, "{}", plan.content);
            archive.insert(&plan.path, Attribute::Value(plan.content));
        }
    }

    #[test]
    fn an_interrupt_is_found_by_whom_it_serves() {
        let mut archive = Archive::default();
        archive.insert_directory("/proc/irq/24/nvme0q1");
        let one = crate::fixture::wish("nvme0n1", &[("smp_affinity_list", "1,3")]);
        let content = plan(&Host::from_archive(archive.clone()), &one)
            .unwrap()
            .content;
        assert!(
            content.ends_with(
                "RUN+=\"/bin/sh -c 'for d in /proc/irq/*/nvme0q1; do echo 1,3 > $${d%%/*}/smp_affinity_list; done'\"\n"
            ),
            "{content}"
        );
        let mut adapter = Archive::default();
        adapter.insert_directory("/proc/irq/24/ahci[0000:00:1f.2]");
        let content = plan(&Host::from_archive(adapter), &one).unwrap().content;
        assert!(
            content.contains("in /proc/irq/*/ahci?0000:00:1f.2?; do"),
            "brackets are a set of letters to the shell: {content}"
        );
        archive.insert_directory("/proc/irq/24/eth0");
        let shared = plan(&Host::from_archive(archive), &one).unwrap_err();
        assert!(shared.contains("no one name"), "{shared}");
    }
}
