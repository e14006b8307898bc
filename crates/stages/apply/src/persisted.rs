//! All files that make a wish outlive a reboot: each value goes to the first way that can keep it.

use super::{CheckedValue, Persist, PersistPlan, PersistTurn, SettingWish, persist};
use host::Host;
use model::subject::Subject;

/// The files that keep a wish.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptFiles {
    /// Those without which it is not kept.
    pub needed: Vec<PersistPlan>,
    /// Those that keep other programs from writing the same settings.
    pub beside: Vec<PersistPlan>,
}

/// The files to write, or why some value cannot be kept: then none should be written, for half of what was proved
/// together is not what was proved.
///
/// # Errors
/// A line for each way that takes such a value and cannot keep it here.
pub fn plans(host: &Host, wish: &SettingWish) -> Result<KeptFiles, Vec<String>> {
    let mut files = KeptFiles::default();
    let mut reasons = Vec::new();
    let mut is_kept = vec![false; wish.values().len()];
    for turn in [PersistTurn::First, PersistTurn::Last] {
        for way in persist::ALL.iter().filter(|way| way.turn == turn) {
            let own = taken(way, wish, |index| !is_kept[index]);
            if own.is_empty() {
                continue;
            }
            match plan(way, host, &wish.part(&own)) {
                Ok(plan) => {
                    own.into_iter().for_each(|index| is_kept[index] = true);
                    files.needed.push(plan);
                }
                Err(why) => reasons.push(format!("{}: {why}", way.id)),
            }
        }
    }
    let left = wish.values().iter().zip(&is_kept);
    for (value, _) in left.filter(|(_, is_kept)| !**is_kept) {
        let subject = value.files.subject();
        if !ways().any(|way| (way.takes)(subject)) {
            reasons.push(no_way(value));
        }
    }
    if !is_kept.iter().all(|is_kept| *is_kept) {
        return Err(reasons);
    }
    let beside = persist::ALL
        .iter()
        .filter(|way| way.turn == PersistTurn::Beside);
    for way in beside {
        let own = taken(way, wish, |_| true);
        // What is not needed here is no reason against anything.
        files.beside.extend(
            (!own.is_empty())
                .then(|| plan(way, host, &wish.part(&own)))
                .and_then(Result::ok),
        );
    }
    Ok(files)
}

/// What an earlier command has left in a file of iodyno's own; empty where there is none.
pub(crate) fn own_text(host: &Host, path: &str) -> String {
    let text = host.text(path).unwrap_or_default();
    match text.starts_with("# Written by iodyno") {
        true => text,
        false => String::new(),
    }
}

fn no_way(value: &CheckedValue) -> String {
    let (id, subject) = (value.knob.id, value.files.subject());
    match subject {
        Subject::HugePages => format!(
            "{id}: it is no kernel parameter of /etc/sysctl.d. Put `transparent_hugepage=` on the kernel's command line for \
             `enabled`, or a line `w {} - - - - {}` into a file of /etc/tmpfiles.d",
            subject.path(value.knob.attribute),
            value.value
        ),
        _ => format!("{id}: there is no way to keep a setting of {subject}"),
    }
}

/// The ways that keep a value by themselves.
fn ways() -> impl Iterator<Item = &'static &'static Persist> {
    persist::ALL
        .iter()
        .filter(|way| way.turn != PersistTurn::Beside)
}

/// The values that a way takes, by their place, of those that are still to be kept.
fn taken(way: &Persist, wish: &SettingWish, is_left: impl Fn(usize) -> bool) -> Vec<usize> {
    let values = wish.values().iter().enumerate();
    let taken =
        values.filter(|(index, value)| is_left(*index) && (way.takes)(value.files.subject()));
    taken.map(|(index, _)| index).collect()
}

/// Why nothing outlives a reboot on a device of this name, if so.
pub(crate) fn made_anew(device: &str) -> Option<String> {
    let is_made_anew = ["loop", "zram", "ram"]
        .iter()
        .any(|kind| device.starts_with(kind));
    is_made_anew
        .then(|| format!("{device} is set up anew at each boot; set it where the device is set up"))
}

fn plan(way: &Persist, host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    (way.available)(host)?;
    (way.plan)(host, wish)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::wish;
    use host::Archive;

    #[test]
    fn half_of_a_wish_is_not_kept() {
        let mut archive = Archive::default();
        archive.insert_directory("/etc/sysctl.d");
        let host = Host::from_archive(archive);
        let one = wish("sda", &[("dirty_background_bytes", "67108864")]);
        assert_eq!(plans(&host, &one).unwrap().needed.len(), 1);
        let two = wish(
            "sda",
            &[
                ("dirty_background_bytes", "67108864"),
                ("scheduler", "none"),
            ],
        );
        let why = plans(&host, &two).unwrap_err().join("\n");
        assert!(why.contains("udev is not installed"), "{why}");
    }
}
