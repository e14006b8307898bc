//! What most settings have in common: which values they take, and which are worth trying.

use crate::{Knob, SubjectFiles, current_first};
use std::ops::RangeInclusive;

/// Why a text is no whole number of this range, if so.
pub fn outside(text: &str, range: RangeInclusive<u64>, unit: &str) -> Option<String> {
    let (least, most) = (range.start(), range.end());
    match text.parse::<u64>() {
        Ok(number) if number.to_string() == text && range.contains(&number) => None,
        _ => Some(format!(
            "it is a whole number of {unit} from {least} to {most}"
        )),
    }
}

/// Why a text is none of these words, if so.
pub fn not_one_of(text: &str, words: &[&str]) -> Option<String> {
    if words.contains(&text) {
        return None;
    }
    let (last, others) = words.split_last()?;
    Some(match others {
        [] => format!("it is {last}"),
        _ => format!("it is {} or {last}", others.join(", ")),
    })
}

/// The value that the subject has, then the others of these that it takes; nothing where it has no such setting.
pub fn choices(knob: &Knob, files: &SubjectFiles, worth_trying: &[&str]) -> Vec<String> {
    let Some(now) = files.text(knob.attribute) else {
        return Vec::new();
    };
    let taken = worth_trying
        .iter()
        .filter(|value| (knob.rejects)(files, value).is_none());
    current_first(
        knob.reading.value(&now),
        taken.map(|value| value.to_string()),
    )
}

/// What a refused remount with one option means.
pub const NO_REMOUNT: [(i32, &str); 3] = [
    (
        libc::ENOSYS,
        "only Linux 5.2 and newer can change one option of a file system and leave the others",
    ),
    (
        libc::EPERM,
        "the kernel does not let this process change the file system: it needs CAP_SYS_ADMIN where it was mounted",
    ),
    (
        libc::EINVAL,
        "the file system does not take it; `dmesg` may say why",
    ),
];

/// Why an option of a file system makes no difference, if nothing can be written to it.
pub fn read_only(file_system: &SubjectFiles) -> Option<String> {
    let mount = file_system.mount()?;
    let is_read_only = mount.super_options.iter().any(|option| option == "ro");
    is_read_only.then(|| "the file system is read-only".into())
}

/// Why what acts on swapped pages cannot matter, if there are none.
pub fn no_swap(kernel: &SubjectFiles) -> Option<String> {
    let swaps = kernel.host().text("/proc/swaps").unwrap_or_default();
    let has_swap = swaps.lines().count() > 1;
    (!has_swap).then(|| "there is no swap space".into())
}

/// Of two settings of which writing one sets the other to 0: 0 is not written, but the value of the other that was in
/// force, and the kernel sets this one to 0.
pub fn the_other_for_0(
    other: &'static str,
    value: &str,
    old: &dyn Fn(&str) -> Option<String>,
) -> Option<(&'static str, String)> {
    let was_in_force = old(other).filter(|theirs| value == "0" && theirs != "0")?;
    Some((other, was_in_force))
}

/// [`choices`] without numbers above the one that the subject has.
pub fn choices_up_to_now(knob: &Knob, files: &SubjectFiles, worth_trying: &[&str]) -> Vec<String> {
    let now = files.number(knob.attribute).unwrap_or(0);
    let is_less = |value: &&&str| value.parse::<u64>().is_ok_and(|value| value < now);
    let less: Vec<&str> = worth_trying.iter().filter(is_less).copied().collect();
    choices(knob, files, &less)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{any_subject, files};
    use crate::knobs;
    use model::subject::SubjectKind;

    #[test]
    fn only_a_number_of_the_range_is_in_it() {
        assert_eq!(outside("0", 0..=2, "ms"), None);
        assert_eq!(outside("2", 0..=2, "ms"), None);
        for text in ["3", "-1", "+1", "01", "1.0", "", "1 ", "x"] {
            let why = outside(text, 0..=2, "ms").unwrap();
            assert!(why.contains("ms from 0 to 2"), "{text}: {why}");
        }
    }

    #[test]
    fn words_are_told_as_people_say_them() {
        assert_eq!(not_one_of("1", &["0", "1"]), None);
        let told = |words: &[&str]| not_one_of("x", words).unwrap();
        assert_eq!(told(&["0", "1"]), "it is 0 or 1");
        assert_eq!(told(&["0", "1", "2"]), "it is 0, 1 or 2");
    }

    /// Those whose settings are files; the others have machines of their own in their tests.
    fn of_files() -> impl Iterator<Item = &'static Knob> {
        let are_files = |knob: &&Knob| {
            !matches!(
                knob.on,
                SubjectKind::Mount
                    | SubjectKind::FileSystem
                    | SubjectKind::Group
                    | SubjectKind::CpuLatency
            )
        };
        knobs::ALL.iter().copied().filter(are_files)
    }

    #[test]
    fn no_knob_takes_what_is_no_value() {
        for knob in of_files() {
            let files = files(any_subject(knob.on), &[(knob.attribute, "1")]);
            for value in ["", " ", "1 1", "\n", "1\nx", "x\"", "-"] {
                assert!(
                    (knob.rejects)(&files, value).is_some(),
                    "{} takes {value:?}",
                    knob.id
                );
            }
        }
    }

    #[test]
    fn where_there_is_no_such_setting_there_is_nothing_to_try() {
        for knob in of_files() {
            let files = files(any_subject(knob.on), &[("other", "1")]);
            assert!((knob.choices)(&files).is_empty(), "{}", knob.id);
        }
    }
}
