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
    let pattern = serves.replace(['[', ']'], "?");
    let plain = pattern.replace('?', "");
    match is_plain_name(&plain) && !plain.contains(',') {
        true => Ok(pattern),
        false => Err(format!(
            "{subject} serves `{}`: no one name by which it could be found after a boot",
            clean_to(&serves, 60)
        )),
    }
}
