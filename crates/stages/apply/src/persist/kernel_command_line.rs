//! # Kernel command line
//!
//! ## What it does
//! Proposes an argument for the kernel's command line, for settings that nothing else can keep: on Linux before 5.0 without
//! udev `elevator=`, which chooses the scheduler of all disks. The change is one of `/etc/kernel/cmdline`, where entries of
//! the boot loader are made from it (BLS, kernel-install), else of `GRUB_CMDLINE_LINUX` in `/etc/default/grub`. It is shown
//! as a unified diff and written only with `--write-proposal`; the command that makes the boot loader's files of it is
//! printed and not run. An assignment that is more than plain words in quotes is left alone.
//!
//! ## How it is undone
//! `iodyno undo` puts the old bytes, owner and mode back; an edit since stays. Then make the boot loader's files once more.
//!
//! ## Example
//! ```text
//! iodyno apply 7 --persist --dry-run
//! iodyno apply 7 --persist --write-proposal
//! update-grub
//! ```
//!
//! ## Sources
//! - Linux `Documentation/admin-guide/kernel-parameters.txt`; `block/elevator.c` of 4.20; kernel-install(8); grubby(8);
//!   GNU GRUB manual, "Simple configuration handling"

use crate::{CheckedValue, Persist, PersistPlan, PersistTurn, SettingWish, foreign_file};
use host::Host;
use kernel::release::Release;
use model::subject::Subject;
use model::text::{clean_to, is_plain_value};

const CMDLINE: &str = "/etc/kernel/cmdline";
const GRUB: &str = "/etc/default/grub";
const GRUB_KEY: &str = "GRUB_CMDLINE_LINUX";
/// Where entries of the boot loader are.
const ENTRIES: &str = "/boot/loader/entries";

/// The way.
pub static PERSIST: Persist = Persist {
    id: "kernel_command_line",
    since: "0.1.0",
    summary: "an argument of the kernel for what nothing else can keep, shown before it is written",
    turn: PersistTurn::Last,
    takes,
    available: |host| file(host).map(|_| ()),
    plan,
};

fn takes(subject: &Subject) -> bool {
    matches!(subject, Subject::Queue { .. })
}

fn file(host: &Host) -> Result<&'static str, String> {
    let found = [CMDLINE, GRUB].into_iter().find(|path| host.exists(path));
    found.ok_or_else(|| format!("neither {CMDLINE} nor {GRUB} is here"))
}

fn plan(host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    let path = file(host)?;
    let before = foreign_file::whole(host, path)?;
    let mut content = before.clone();
    let mut arguments = Vec::new();
    for value in wish.values() {
        let argument = argument(host, value)?;
        content = match path {
            GRUB => foreign_file::with_argument(&content, GRUB_KEY, &argument)?,
            _ => foreign_file::words_with(&content, &argument) + "\n",
        };
        arguments.push(argument);
    }
    Ok(PersistPlan {
        path: path.into(),
        activate: activate(host, path, &arguments.join(" ")),
        content,
        later: None,
        before: Some(before),
    })
}

/// The argument of a value; none where this kernel has none, or something else keeps the value.
fn argument(host: &Host, value: &CheckedValue) -> Result<String, String> {
    let (knob, word) = (value.knob.id, &value.value);
    if !is_plain_value(word) {
        return Err(format!(
            "`{}` is no value of {knob} that an argument can hold",
            clean_to(word, 60)
        ));
    }
    let release = host.text("/proc/sys/kernel/osrelease").unwrap_or_default();
    let is_old = Release::parse(&release).is_some_and(|it| !it.at_least(5, 0));
    match value.files.subject() {
        Subject::Queue { device } if knob == "scheduler" && is_old => {
            match host.exists(&format!("/sys/block/{device}/mq")) {
                true => Err(format!(
                    "elevator= does not act on {device}, which has several hardware queues (blk-mq)"
                )),
                false => Ok(format!("elevator={word}")),
            }
        }
        _ => Err(format!("the kernel has no argument for {knob}")),
    }
}

/// What makes the boot loader's files of it.
fn activate(host: &Host, path: &str, arguments: &str) -> String {
    let has_entries = !host.list(ENTRIES).is_empty();
    match path {
        CMDLINE => "kernel-install add-all, and a reboot".into(),
        _ if has_entries => {
            format!("grubby --update-kernel=ALL --args=\"{arguments}\", and a reboot")
        }
        _ if host.exists("/usr/sbin/update-grub") => "update-grub, and a reboot".into(),
        _ => "grub2-mkconfig -o /boot/grub2/grub.cfg, and a reboot".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::wish;
    use host::Archive;
    use model::change::Attribute;

    fn planned(release: &str, files: &[(&str, &str)], value: &str) -> Result<PersistPlan, String> {
        let mut archive = Archive::default();
        archive.insert(
            "/proc/sys/kernel/osrelease",
            Attribute::Value(release.into()),
        );
        for (path, text) in files {
            archive.insert(path, Attribute::Value(text.to_string()));
        }
        plan(
            &Host::from_archive(archive),
            &wish("sda", &[("scheduler", value)]),
        )
    }

    #[test]
    fn an_old_kernel_gets_its_scheduler_by_an_argument() {
        let grub = "GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX=\"quiet elevator=cfq\"";
        let plan = planned("3.10.0-1160.el7", &[(GRUB, grub)], "deadline").unwrap();
        assert_eq!(
            plan.content,
            "GRUB_TIMEOUT=5\nGRUB_CMDLINE_LINUX=\"quiet elevator=deadline\"\n"
        );
        assert!(plan.activate.contains("grub2-mkconfig"));
        let entry = format!("{ENTRIES}/x.conf");
        let plan = planned(
            "4.18.0",
            &[(GRUB, grub), (entry.as_str(), "title x")],
            "noop",
        )
        .unwrap();
        assert_eq!(
            plan.activate,
            "grubby --update-kernel=ALL --args=\"elevator=noop\", and a reboot"
        );
        let plan = planned(
            "4.18.0",
            &[(CMDLINE, "root=/dev/sda1 quiet"), (GRUB, grub)],
            "noop",
        )
        .unwrap();
        assert_eq!(plan.content, "root=/dev/sda1 quiet elevator=noop\n");
    }

    #[test]
    fn where_an_argument_does_nothing_none_is_proposed() {
        let grub = [(GRUB, "GRUB_CMDLINE_LINUX=\"\"")];
        assert!(
            planned("5.10.0", &grub, "none")
                .unwrap_err()
                .contains("no argument")
        );
        assert!(planned("4.18.0", &[], "noop").is_err());
        let queues = ("/sys/block/sda/mq/0/nr_tags", "64");
        assert!(
            planned("4.18.0", &[grub[0], queues], "none")
                .unwrap_err()
                .contains("blk-mq")
        );
        assert!(
            planned("4.18.0", &grub, "a b")
                .unwrap_err()
                .contains("no value")
        );
    }
}
