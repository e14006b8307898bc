//! The name by which an interrupt is found after a boot, which gives it another number: of whom it serves.

use host::Host;
use model::subject::Subject;
use model::text::{clean_to, is_plain_name};

/// The directory below `/proc/irq/*/` that only this interrupt has, as a pattern of the shell's: the brackets of
/// `ahci[0000:00:1f.2]` would be a set of letters there, so any character may stand for them.
///
/// # Errors
/// When it serves nobody or several, or a name that a rule or a script cannot hold.
pub fn pattern(host: &Host, subject: &Subject) -> Result<String, String> {
    let serves = host.subject_mark(subject).unwrap_or_default();
    let plain = serves.replace(['[', ']'], "");
    match is_plain_name(&plain) && !plain.contains(',') {
        true => Ok(serves.replace(['[', ']'], "?")),
        false => Err(format!(
            "{subject} serves `{}`: no one name by which it could be found after a boot",
            clean_to(&serves, 60)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::Archive;

    #[test]
    fn a_name_is_a_pattern_of_its_own_or_none() {
        let of = |names: &[&str]| {
            let mut archive = Archive::default();
            for name in names {
                archive.insert_directory(&format!("/proc/irq/24/{name}"));
            }
            pattern(
                &Host::from_archive(archive),
                &Subject::Interrupt { number: 24 },
            )
        };
        assert_eq!(of(&["nvme0q1"]), Ok("nvme0q1".into()));
        assert_eq!(of(&["ahci[0000:00:1f.2]"]), Ok("ahci?0000:00:1f.2?".into()));
        for names in [
            &[][..],
            &["[]"],
            &["a", "b"],
            &["any?"],
            &["any*"],
            &["a$(b)"],
            &["a'b"],
        ] {
            assert!(of(names).unwrap_err().contains("no one name"), "{names:?}");
        }
    }
}
