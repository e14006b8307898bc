//! # fstab
//!
//! ## What it does
//! Proposes a change of `/etc/fstab`: the proven options in the line of the mount point, in place of those that they
//! contradict. The change is shown as a unified diff and written only with `--write-proposal`. Everything else of the file
//! stays as it is, byte by byte. A file with a line that mount(8) could not read is not touched, and no change is proposed
//! after which one could not be read. Without a line for the mount point there is none to change: a mount unit or an
//! automounter has the options then.
//!
//! ## How it is undone
//! `iodyno undo` puts the old bytes, owner and mode back. If somebody has edited the file since, it stays as it is, and both
//! texts are shown.
//!
//! ## Example
//! ```text
//! iodyno apply 7 --persist --dry-run
//! iodyno apply 7 --persist --write-proposal
//! ```
//!
//! ## Sources
//! - fstab(5), mount(8), findmnt(8) (`--verify`)

use crate::{CheckedValue, Persist, PersistPlan, PersistTurn, SettingWish, foreign_file};
use host::Host;
use kernel::fstab;
use model::subject::Subject;
use model::text::clean_to;

const FILE: &str = "/etc/fstab";

/// The way.
pub static PERSIST: Persist = Persist {
    id: "fstab",
    since: "0.1.0",
    summary: "a change of the mount's options in /etc/fstab, shown before it is written",
    turn: PersistTurn::First,
    takes,
    available,
    plan,
};

fn takes(subject: &Subject) -> bool {
    matches!(subject, Subject::Mount { .. } | Subject::FileSystem { .. })
}

fn available(host: &Host) -> Result<(), String> {
    let text = host
        .text(FILE)
        .ok_or_else(|| format!("there is no {FILE} here"))?;
    match fstab::lines(&text).1.as_slice() {
        [] => Ok(()),
        [line, ..] => Err(format!(
            "{FILE}:{line} is no line that mount could read; it is not touched"
        )),
    }
}

fn plan(host: &Host, wish: &SettingWish) -> Result<PersistPlan, String> {
    let before = foreign_file::whole(host, FILE)?;
    let mut content = before.clone();
    for value in wish.values() {
        content = with(&content, value)?;
    }
    Ok(PersistPlan {
        path: FILE.into(),
        activate: "findmnt --verify (the mount itself has it already)".into(),
        content,
        later: None,
        before: Some(before),
    })
}

/// The text with one value in the line of its mount point, of several the last, which mount(8) takes.
fn with(text: &str, value: &CheckedValue) -> Result<String, String> {
    let knob = value.knob.id;
    let (Subject::Mount { point, .. } | Subject::FileSystem { point, .. }) = value.files.subject()
    else {
        return Err(format!("{knob} is no option of a mount"));
    };
    let word = value.files.fstab_word(value.knob.attribute, &value.value);
    let word = word.as_ref().unwrap_or(&value.value);
    if !is_option(word) {
        return Err(format!("`{}` is no option of a mount", clean_to(word, 60)));
    }
    let (lines, _) = fstab::lines(text);
    let line = lines.iter().rfind(|line| line.point == *point).ok_or_else(|| {
        let point = clean_to(point, 200);
        format!("{FILE} has no line for {point}. Put `{word}` into `Options=` of its mount unit, or where it is mounted")
    })?;
    let options = fstab::options_with(line.options, word);
    let number = line.number;
    fstab::with_options(text, number, &options)
        .ok_or_else(|| format!("{FILE}:{number} cannot take `{word}`"))
}

/// One option: letters, digits and marks that end neither the option nor the field.
fn is_option(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "=_-".contains(c);
    !word.is_empty() && word.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::wish;
    use host::Archive;
    use model::change::Attribute;

    fn host(text: &str) -> Host {
        let mut archive = Archive::default();
        archive.insert(FILE, Attribute::Value(text.into()));
        Host::from_archive(archive)
    }

    #[test]
    fn the_line_of_the_mount_point_gets_the_option() {
        let text = "# mine\nUUID=1 / ext4 defaults 0 1\nUUID=2\t/srv\txfs\trelatime,nofail\t0 2";
        let plan = plan(&host(text), &wish("sda", &[("atime", "noatime")])).unwrap();
        assert_eq!(
            plan.content,
            format!("{}\n", text.replace("relatime,nofail", "nofail,noatime"))
        );
        assert_eq!(plan.before.unwrap(), format!("{text}\n"));
    }

    #[test]
    fn a_file_that_would_not_be_read_is_left_alone() {
        assert!(
            available(&host("UUID=1 / ext4 defaults 0 1\nUUID=2 /srv"))
                .unwrap_err()
                .contains(":2")
        );
        assert!(available(&Host::from_archive(Archive::default())).is_err());
        let other = plan(
            &host("UUID=1 / ext4 defaults 0 1"),
            &wish("sda", &[("atime", "noatime")]),
        );
        assert!(other.unwrap_err().contains("no line for /srv"));
    }

    #[test]
    fn nothing_but_an_option_gets_into_the_line() {
        for value in ["noatime,exec", "a b", "x\n/dev/sda / ext4", "#", ""] {
            let refused = plan(&host("UUID=2 /srv xfs"), &wish("sda", &[("atime", value)]));
            assert!(refused.unwrap_err().contains("no option"), "{value}");
        }
    }
}
