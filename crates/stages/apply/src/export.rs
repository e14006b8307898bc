//! A proven record in the words of another tool: a shell script, tasks of Ansible, a profile of TuneD. Nothing is changed
//! here. Knobs, devices and values were checked against catalogue and machine; what is left of the record's own words stands
//! in comments of one line, cleaned.

mod ansible;
mod shell;
mod tuned;

use super::{CheckedValue, SettingWish, persisted, served};
use host::Host;
use model::subject::{Subject, SubjectKind};
use model::text::{clean, clean_to, is_plain_name, is_plain_value};

/// The tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// A list of tasks.
    Ansible,
    /// A profile.
    Tuned,
    /// A POSIX shell script that also puts back.
    Shell,
}

/// What is written down, and what could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedText {
    /// The whole file.
    pub text: String,
    /// A line for each value that this tool cannot set, and why.
    pub missing: Vec<String>,
}

/// Writes a wish in a form; `claims` are the sentences that prove it.
///
/// # Errors
/// Where none of its values can be said in this form, or one is more than a plain word.
pub fn export(
    host: &Host,
    wish: &SettingWish,
    claims: &[String],
    form: ExportForm,
) -> Result<ExportedText, String> {
    let device = wish.device();
    if !is_plain_name(device) {
        return Err(format!("`{}` is no name of a device", clean_to(device, 60)));
    }
    let (mut settings, mut missing) = (Vec::new(), Vec::new());
    for value in wish.values() {
        if !is_plain_value(&value.value) {
            return Err(format!(
                "`{}` is no value of {}",
                clean_to(&value.value, 60),
                value.knob.id
            ));
        }
        match setting(host, device, value, form) {
            Ok(setting) => settings.push(setting),
            Err(why) => missing.push(format!(
                "{}={} is not in it: {why}",
                value.knob.id, value.value
            )),
        }
    }
    if settings.is_empty() {
        return Err(missing.join("; "));
    }
    let head = head(wish, claims, &missing);
    let sheet = Sheet {
        host,
        wish,
        device,
        settings,
        head,
    };
    let text = match form {
        ExportForm::Ansible => ansible::text(&sheet),
        ExportForm::Tuned => tuned::text(&sheet),
        ExportForm::Shell => shell::text(&sheet),
    };
    Ok(ExportedText { text, missing })
}

/// What a form is made of.
struct Sheet<'a> {
    host: &'a Host,
    wish: &'a SettingWish,
    device: &'a str,
    settings: Vec<ExportedSetting<'a>>,
    /// Comment lines without their mark.
    head: Vec<String>,
}

/// One value with its place.
struct ExportedSetting<'a> {
    value: &'a CheckedValue,
    place: Place,
}

/// Where a value is written.
enum Place {
    /// A file below the device's directory in /sys/block.
    OfDevice(String),
    /// A kernel parameter: `vm.dirty_bytes`.
    Sysctl(String),
    /// Another file of the kernel's, which has the same path on every machine.
    Path(String),
    /// A file of the interrupts that serve whom this pattern of the shell's names.
    OfInterrupt { serves: String, file: &'static str },
}

fn setting<'a>(
    host: &Host,
    device: &str,
    value: &'a CheckedValue,
    form: ExportForm,
) -> Result<ExportedSetting<'a>, String> {
    let (knob, subject) = (value.knob, value.files.subject());
    let path = subject.path(knob.attribute);
    let place = match subject {
        Subject::Loop { .. } => {
            return Err(
                "a loop device is asked by a call, not by a file: losetup --direct-io".into(),
            );
        }
        Subject::Sysctl => Place::Sysctl(knob.attribute.replace('/', ".")),
        Subject::Interrupt { .. } if form == ExportForm::Tuned => {
            return Err("TuneD has no plugin that writes to one interrupt's /proc/irq".into());
        }
        Subject::Interrupt { .. } => Place::OfInterrupt {
            serves: served::pattern(host, subject)?,
            file: knob.attribute,
        },
        Subject::Mount { point, .. } | Subject::FileSystem { point, .. } => {
            let word = value.files.fstab_word(knob.attribute, &value.value);
            let word = word.as_ref().unwrap_or(&value.value);
            let point = clean_to(point, 200);
            return Err(format!(
                "put `{word}` among the options of {point} in /etc/fstab"
            ));
        }
        _ => match (
            path.strip_prefix(&format!("/sys/block/{device}/")),
            path.starts_with("/sys/"),
        ) {
            (Some(file), _) => Place::OfDevice(file.into()),
            (None, true) if subject.device().is_none() && is_one_file(subject.kind()) => {
                Place::Path(path)
            }
            _ => {
                return Err(format!(
                    "a setting of {subject} is no one file of the kernel's"
                ));
            }
        },
    };
    Ok(ExportedSetting { value, place })
}

/// Whether settings of a kind are files that hold one value.
fn is_one_file(kind: SubjectKind) -> bool {
    !matches!(
        kind,
        SubjectKind::Mount | SubjectKind::FileSystem | SubjectKind::Group | SubjectKind::CpuLatency
    )
}

/// What the file says of itself, in lines of comments.
fn head(wish: &SettingWish, claims: &[String], missing: &[String]) -> Vec<String> {
    let name = wish.proof().name();
    let mut lines = vec![format!(
        "Settings of {} that record {name} of iodyno proved, made by `iodyno apply {name}`.",
        wish.device()
    )];
    let claims = claims
        .iter()
        .map(|claim| format!("Proof: {}", clean_to(claim, 400)));
    lines.extend(claims);
    lines.push("A verdict holds for the machine and the load that it was proved on.".into());
    lines.extend(missing.iter().map(|line| clean(line).into_owned()));
    lines
}

fn comments(lines: &[String]) -> String {
    lines.iter().map(|line| format!("# {line}\n")).collect()
}

/// The files of iodyno's own that keep the values for the next boot, where this machine can keep them.
fn kept_files(sheet: &Sheet<'_>) -> Vec<super::PersistPlan> {
    let fresh = |plan: &super::PersistPlan| plan.before.is_none();
    let kept = persisted::plans(sheet.host, sheet.wish)
        .map(|kept| kept.needed)
        .unwrap_or_default();
    kept.into_iter().filter(fresh).collect()
}

#[cfg(test)]
mod tests;
