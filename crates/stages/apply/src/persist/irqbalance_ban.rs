//! # irqbalance's ban
//!
//! ## What it does
//! Proposes `--banirq=NUMBER` among the arguments of irqbalance, which else moves the interrupt away from the CPUs that it
//! was given within 10 s. The change of `/etc/default/irqbalance`, or of the file that has its place on other
//! distributions, is shown as a unified diff and written only with `--write-proposal`. A ban names the interrupt by its
//! number, which another disk in the machine can change.
//!
//! ## How it is undone
//! `iodyno undo` puts the old bytes, owner and mode back; an edit since stays.
//!
//! ## Example
//! ```text
//! iodyno set --persist smp_affinity_list@24=2 /dev/nvme0n1 --write-proposal
//! systemctl restart irqbalance
//! ```
//!
//! ## Sources
//! - irqbalance(1); its unit file in Debian and in Fedora

use crate::{Persist, PersistPlan, PersistTurn, SettingWish, foreign_file};
use host::Host;
use model::subject::Subject;

/// Where distributions keep its arguments.
const FILES: [&str; 3] = [
    "/etc/default/irqbalance",
    "/etc/sysconfig/irqbalance",
    "/etc/conf.d/irqbalance",
];
const UNITS: [&str; 3] = [
    "/etc/systemd/system/irqbalance.service",
    "/usr/lib/systemd/system/irqbalance.service",
    "/lib/systemd/system/irqbalance.service",
];

/// The way.
pub static PERSIST: Persist = Persist {
    id: "irqbalance_ban",
    since: "0.1.0",
    summary: "an argument that keeps irqbalance from moving an interrupt, shown before it is written",
    turn: PersistTurn::Beside,
    takes,
    available: |host| file(host).map(|_| ()),
    plan,
};

fn takes(subject: &Subject) -> bool {
    matches!(subject, Subject::Interrupt { .. })
}

fn file(host: &Host) -> Result<&'static str, String> {
    let found = FILES.into_iter().find(|path| host.exists(path));
    found.ok_or_else(|| "irqbalance has no file of arguments here".into())
}

fn plan(host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    let path = file(host)?;
    let before = foreign_file::whole(host, path)?;
    let key = key(host);
    let mut content = before.clone();
    for value in wish.values() {
        if let Subject::Interrupt { number } = value.files.subject() {
            content = foreign_file::with_argument(&content, key, &format!("--banirq={number}"))?;
        }
    }
    match content == before {
        true => Err("it is banned already".into()),
        false => Ok(PersistPlan {
            path: path.into(),
            content,
            activate: "systemctl restart irqbalance".into(),
            later: None,
            before: Some(before),
        }),
    }
}

/// The variable that the unit hands to the program: `OPTIONS` in older ones.
fn key(host: &Host) -> &'static str {
    let unit = UNITS
        .iter()
        .find_map(|path| host.text(path))
        .unwrap_or_default();
    match unit.contains("$OPTIONS") {
        true => "OPTIONS",
        false => "IRQBALANCE_ARGS",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::wish;
    use host::Archive;
    use model::change::Attribute;

    fn planned(files: &[(&str, &str)]) -> Result<PersistPlan, String> {
        let mut archive = Archive::default();
        for (path, text) in files {
            archive.insert(path, Attribute::Value(text.to_string()));
        }
        plan(
            &Host::from_archive(archive),
            &wish("sda", &[("smp_affinity_list", "2")]),
        )
    }

    #[test]
    fn the_interrupt_is_banned_under_the_name_that_the_unit_reads() {
        let plan = planned(&[(FILES[1], "# c\nIRQBALANCE_ARGS=\"--oneshot\"")]).unwrap();
        assert_eq!(plan.path, FILES[1]);
        assert_eq!(
            plan.content,
            "# c\nIRQBALANCE_ARGS=\"--oneshot --banirq=24\"\n"
        );
        let old = planned(&[
            (FILES[0], "OPTIONS="),
            (UNITS[2], "ExecStart=/usr/sbin/irqbalance $OPTIONS"),
        ]);
        assert_eq!(old.unwrap().content, "OPTIONS=\"--banirq=24\"\n");
    }

    #[test]
    fn what_is_banned_needs_nothing_and_without_a_file_there_is_nothing() {
        assert!(planned(&[(FILES[0], "IRQBALANCE_ARGS=\"--banirq=24\"")]).is_err());
        assert!(planned(&[]).is_err());
    }
}
