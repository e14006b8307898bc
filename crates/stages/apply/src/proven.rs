//! From a record to settings that may be written. A record may come from anywhere, so every word of it is checked before
//! a path, a rule or a line is made of it: the knob is one of the catalogue's, the device one of this machine's, the
//! value one that the knob takes.

use super::{CheckedValue, Knob, NotTogether, SettingWish, SubjectFiles, together};
use host::Host;
use model::change::Attribute;
use model::record::{Apart, Record, Trial, Winners};
use model::subject::{Subject, SubjectKind};
use model::text::{clean_to, is_plain_name, is_plain_value};
use model::verdict::Verdict;

/// Why a record gives no settings to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotProven {
    /// No trial found a better value than the one that was there.
    #[error("it proved no setting to be better than the one it found: there is nothing to apply")]
    Nothing,
    /// Several values won, and were not proved together.
    #[error("{} won one by one, and {}. Choose one with --only", .knobs.join(" and "), .why)]
    Apart {
        /// Ids of the knobs, cleaned.
        knobs: Vec<String>,
        /// Why they are not put in place together.
        why: String,
    },
    /// The values were proved in place together, and none of them alone.
    #[error("{} were proved in place together, and none of them alone: leave --only out", .0.join(" and "))]
    OnlyTogether(Vec<String>),
    /// The value asked for is none that won.
    #[error("it proved nothing about `{0}` that could be put in place")]
    NotAmongThem(String),
    /// Its trials are of several devices; a tune is of one.
    #[error("its trials are of several devices ({}), and a tune is of one", .0.join(", "))]
    SeveralDevices(Vec<String>),
    /// The device's name is none that a kernel gives.
    #[error("`{0}` is no name of a device")]
    DeviceName(String),
    /// The device is not on this machine, or has no queue.
    #[error("{0} is not on this machine now")]
    NoDevice(String),
    /// The knob is not in the catalogue.
    #[error("`{0}` is no setting that iodyno knows")]
    Knob(String),
    /// The value is more than a plain word.
    #[error("`{value}` is no value of {knob}")]
    Characters {
        /// Id of the knob.
        knob: &'static str,
        /// The value, cleaned.
        value: String,
    },
    /// The record's setting is of another kind of thing than the knob, or of another device than it says.
    #[error("it proves {knob} of {subject}, which has no such setting")]
    Subject {
        /// Id of the knob.
        knob: &'static str,
        /// The subject.
        subject: String,
    },
    /// What has the subject's name now is another.
    #[error("{subject} served {was} when it was measured and serves {is} now")]
    Another {
        /// The subject.
        subject: String,
        /// What it was, cleaned.
        was: String,
        /// What it is.
        is: String,
    },
    /// What has the setting is not there now.
    #[error("{0} is not there now")]
    Gone(String),
    /// The setting ends with the process that makes it.
    #[error("{knob} cannot be kept by apply: {why}")]
    EndsWithProcess {
        /// Id of the knob.
        knob: &'static str,
        /// Why, and who can keep it.
        why: &'static str,
    },
    /// The subject has no such setting now: another scheduler is chosen.
    #[error("{subject} has no {knob} now")]
    Absent {
        /// The subject.
        subject: String,
        /// Id of the knob.
        knob: &'static str,
    },
    /// The values cannot be written, or not together.
    #[error(transparent)]
    Together(#[from] NotTogether),
}

/// Longest piece of a record in a message, characters.
const SHOWN: usize = 60;

/// The settings that a record proved to be better, checked, in the order of writing.
///
/// # Errors
/// The first thing that is wrong with it; what a message quotes of the record is cleaned.
pub fn wish(
    id: i64,
    record: &Record,
    only: &[String],
    host: &Host,
) -> Result<SettingWish, NotProven> {
    let won: Vec<(&Trial, &Verdict)> = chosen(record, only)?
        .into_iter()
        .filter_map(|trial| Some((trial, trial.verdict.as_ref()?)))
        .collect();
    let (first, _) = won.first().ok_or(NotProven::Nothing)?;
    must_be_here(&first.device, host)?;
    if won.iter().any(|(trial, _)| trial.device != first.device) {
        let mut devices: Vec<String> = won
            .iter()
            .map(|(trial, _)| clean_to(&trial.device, SHOWN))
            .collect();
        devices.dedup();
        return Err(NotProven::SeveralDevices(devices));
    }
    let values = won
        .iter()
        .map(|(trial, verdict)| value(trial, verdict, host))
        .collect::<Result<Vec<CheckedValue>, NotProven>>()?;
    Ok(SettingWish::new(
        first.device.clone(),
        together(values)?,
        id,
    ))
}

/// The trials whose values are to be put in place: one, or several that were proved together.
pub fn chosen<'a>(record: &'a Record, only: &[String]) -> Result<Vec<&'a Trial>, NotProven> {
    let winners = Winners::of(record.trials());
    let each = winners.each();
    if let Some(odd) = only
        .iter()
        .find(|name| each.iter().all(|one| one.knob != **name))
    {
        return Err(NotProven::NotAmongThem(clean_to(odd, SHOWN)));
    }
    let is_wanted = |one: &&Trial| only.is_empty() || only.contains(&one.knob);
    let wanted: Vec<&Trial> = each.iter().copied().filter(is_wanted).collect();
    match winners {
        Winners::Together { .. } if wanted.len() == each.len() => Ok(wanted),
        _ if wanted.iter().any(|one| one.win().is_none()) => Err(only_together(&each)),
        _ if wanted.len() < 2 => Ok(wanted),
        Winners::Apart { why, .. } if wanted.len() == each.len() => Err(apart(&wanted, &why)),
        _ => Err(apart(&wanted, &Apart::NeverTogether)),
    }
}

fn only_together(each: &[&Trial]) -> NotProven {
    let names = each.iter().map(|one| clean_to(&one.knob, SHOWN));
    NotProven::OnlyTogether(names.collect())
}

fn apart(wanted: &[&Trial], why: &Apart<'_>) -> NotProven {
    let clean = |knob: &str| clean_to(knob, SHOWN);
    NotProven::Apart {
        knobs: wanted.iter().map(|one| clean(&one.knob)).collect(),
        why: match why {
            Apart::NeverTogether => "were never measured together".into(),
            Apart::NoGain => "together they were not proved to be better".into(),
            Apart::LessThan(one) => {
                format!("together they give less than {} alone", clean(&one.knob))
            }
        },
    }
}

/// One value with its knob and its subject, each of them known here.
fn value(trial: &Trial, verdict: &Verdict, host: &Host) -> Result<CheckedValue, NotProven> {
    let knob =
        Knob::find(&trial.knob).ok_or_else(|| NotProven::Knob(clean_to(&trial.knob, SHOWN)))?;
    if !is_plain_value(&verdict.arm) {
        return Err(NotProven::Characters {
            knob: knob.id,
            value: clean_to(&verdict.arm, SHOWN),
        });
    }
    let files = subject(knob, trial, host)?;
    if files.attribute(knob.attribute) == Attribute::Absent {
        return Err(NotProven::Absent {
            subject: files.subject().to_string(),
            knob: knob.id,
        });
    }
    Ok(CheckedValue {
        knob,
        files,
        value: verdict.arm.clone(),
    })
}

/// The subject of a trial, where it is the knob's kind and still the one that was measured.
fn subject(knob: &'static Knob, trial: &Trial, host: &Host) -> Result<SubjectFiles, NotProven> {
    let subject = trial.subject();
    let strange = || NotProven::Subject {
        knob: knob.id,
        subject: clean_to(&subject.to_string(), SHOWN),
    };
    let is_of_device = subject.device().is_none_or(|device| device == trial.device);
    if subject.kind() != knob.on || !is_of_device {
        return Err(strange());
    }
    if let Some(why) = subject.held_by() {
        return Err(NotProven::EndsWithProcess { knob: knob.id, why });
    }
    let (was, is) = (trial.mark.clone(), host.subject_mark(&subject));
    // A mount ends with its boot, and a group with its service; what was proved holds for the next one of that name.
    let is_made_anew = matches!(
        subject.kind(),
        SubjectKind::Mount | SubjectKind::FileSystem | SubjectKind::Group
    );
    if was != is && !is_made_anew {
        return Err(NotProven::Another {
            subject: subject.to_string(),
            was: clean_to(&was.unwrap_or_else(|| "somebody unknown".into()), SHOWN),
            is: is.unwrap_or_default(),
        });
    }
    SubjectFiles::of(host, subject.clone()).ok_or_else(|| match is_made_anew {
        true => NotProven::Gone(clean_to(&subject.to_string(), SHOWN)),
        false => strange(),
    })
}

fn must_be_here(device: &str, host: &Host) -> Result<(), NotProven> {
    if !is_plain_name(device) {
        return Err(NotProven::DeviceName(clean_to(device, SHOWN)));
    }
    let is_here = host.list("/sys/block").iter().any(|name| name == device);
    let has_queue = SubjectFiles::of(
        host,
        Subject::Queue {
            device: device.into(),
        },
    )
    .is_some();
    match is_here && has_queue {
        true => Ok(()),
        false => Err(NotProven::NoDevice(device.to_string())),
    }
}

#[cfg(test)]
mod tests;
