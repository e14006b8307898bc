//! # sysctl.d
//!
//! ## What it does
//! Writes `/etc/sysctl.d/99-iodyno-RECORD.conf` with the proven kernel parameters. systemd-sysctl, or `sysctl --system`
//! of procps, sets them at boot. 99 comes after the distribution's own files and after what packages bring. Where a later
//! name, such as `99-zz.conf`, would still win, nothing is written until `--outrank` names the file `zz-iodyno-RECORD.conf`
//! or `--despite-owners` is given. `iodyno set --persist` writes `99-iodyno-set.conf`, where each parameter has one line.
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
//! - sysctl.d(5); sysctl(8) of procps; Linux `Documentation/admin-guide/sysctl/vm.rst`

use crate::{Persist, PersistPlan, PersistTurn, SettingWish};
use host::Host;
use model::subject::Subject;
use model::text::{clean_to, is_plain_value};

/// The way.
pub static PERSIST: Persist = Persist {
    id: "sysctl_d",
    since: "0.1.0",
    summary: "a file that sets kernel parameters at boot",
    turn: PersistTurn::First,
    takes,
    available,
    plan,
};

fn takes(subject: &Subject) -> bool {
    *subject == Subject::Sysctl
}

fn available(host: &Host) -> Result<(), String> {
    match host.exists("/etc/sysctl.d") {
        true => Ok(()),
        false => Err("there is no /etc/sysctl.d here, so nothing would read the file".into()),
    }
}

fn plan(host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    let name = wish.proof().name();
    let path = format!("/etc/sysctl.d/99-iodyno-{name}.conf");
    let mut lines = vec![wish.proof().comment()];
    for value in wish.values() {
        if !is_plain_value(&value.value) {
            let shown = clean_to(&value.value, 60);
            let knob = value.knob.id;
            return Err(format!(
                "`{shown}` is no value of {knob} that a file can hold"
            ));
        }
        let name = value.knob.attribute.replace('/', ".");
        lines.push(format!("{name} = {}", value.value));
    }
    // What an earlier command has left in the file stays, but for what is set anew.
    let old = crate::persisted::own_text(host, &path);
    let is_set_anew = |line: &str| {
        let name = |line: &str| {
            line.split('=')
                .next()
                .unwrap_or_default()
                .trim()
                .to_string()
        };
        lines
            .iter()
            .any(|new| line == new || (line.contains('=') && name(line) == name(new)))
    };
    let kept = old.lines().filter(|line| !is_set_anew(line));
    let content = kept
        .map(String::from)
        .chain(lines.iter().cloned())
        .map(|line| line + "\n")
        .collect();
    Ok(PersistPlan {
        activate: format!("sysctl -p {path}"),
        later: Some(format!("/etc/sysctl.d/zz-iodyno-{name}.conf")),
        path,
        content,
        before: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::wish;
    use host::Archive;

    #[test]
    fn sets_the_parameter_under_its_own_name() {
        let wish = wish("sda", &[("dirty_background_bytes", "67108864")]);
        let plan = plan(&Host::from_archive(Archive::default()), &wish).unwrap();
        assert_eq!(plan.path, "/etc/sysctl.d/99-iodyno-7.conf");
        assert!(plan.content.contains("record 7") && plan.content.contains("iodyno undo"));
        assert!(
            plan.content
                .ends_with("\nvm.dirty_background_bytes = 67108864\n")
        );
        assert_eq!(plan.activate, "sysctl -p /etc/sysctl.d/99-iodyno-7.conf");
    }

    #[test]
    fn nothing_but_words_gets_into_a_file() {
        for value in ["1\nkernel.core_pattern=|/bin/sh", "a b", "", "1;2"] {
            let wish = wish("sda", &[("dirty_background_bytes", value)]);
            let refused = plan(&Host::from_archive(Archive::default()), &wish).unwrap_err();
            assert!(
                refused.contains("no value of") && !refused.contains('\n'),
                "{refused}"
            );
        }
    }

    #[test]
    fn what_was_set_before_stays_in_the_file_of_what_nobody_proved() {
        let earlier = SettingWish::unproved("sda", wish("sda", &[("swappiness", "1")]).values());
        let mut archive = Archive::default();
        let first = plan(&Host::from_archive(archive.clone()), &earlier).unwrap();
        assert_eq!(first.path, "/etc/sysctl.d/99-iodyno-set.conf");
        archive.insert(&first.path, model::change::Attribute::Value(first.content));
        let values = [("swappiness", "2"), ("vfs_cache_pressure", "50")];
        let later = SettingWish::unproved("sda", wish("sda", &values).values());
        let content = plan(&Host::from_archive(archive), &later).unwrap().content;
        assert_eq!(
            content,
            "# Written by iodyno set: nobody has proved these values. Take them back: iodyno undo\n\
             vm.swappiness = 2\nvm.vfs_cache_pressure = 50\n"
        );
    }

    #[test]
    fn a_machine_without_the_directory_cannot_use_it() {
        let mut archive = Archive::default();
        assert!(available(&Host::from_archive(archive.clone())).is_err());
        archive.insert_directory("/etc/sysctl.d");
        assert!(available(&Host::from_archive(archive)).is_ok());
    }
}
