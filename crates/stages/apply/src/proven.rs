//! From a record to settings that may be written. A record may come from anywhere, so every word of it is checked before
//! a path, a rule or a line is made of it: the knob is one of the catalogue's, the device one of this machine's, the
//! value one that the knob takes.

use super::{Knob, Queue, Wish, shown};
use host::{Archive, Host};
use model::change::Attribute;
use model::record::{Record, Trial};
use model::text::{clean_to, is_plain_name, is_plain_value};
use model::verdict::{Outcome, Verdict};

/// Why a record gives no settings to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotProven {
    /// No trial found a better value than the one that was there.
    #[error("it proved no setting to be better than the one it found: there is nothing to apply")]
    Nothing,
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
    /// Two trials prove different values of one knob.
    #[error("it proves two values of {0}")]
    Twice(&'static str),
    /// The value is more than a plain word.
    #[error("`{value}` is no value of {knob}")]
    Characters {
        /// Id of the knob.
        knob: &'static str,
        /// The value, cleaned.
        value: String,
    },
    /// The device does not take the value.
    #[error("{device} does not take {knob}={value}: {why}")]
    Rejected {
        /// Kernel name of the device.
        device: String,
        /// Id of the knob.
        knob: &'static str,
        /// The value.
        value: String,
        /// Why.
        why: String,
    },
}

/// Longest piece of a record in a message, characters.
const SHOWN: usize = 60;

/// The settings that a record proved to be better, checked, in the order of writing; with the queue that they are for.
///
/// # Errors
/// The first thing that is wrong with it; what a message quotes of the record is cleaned.
pub fn wish(id: i64, record: &Record, host: &Host) -> Result<(Wish, Queue), NotProven> {
    let won: Vec<(&Trial, &Verdict)> = record.trials.iter().filter_map(win).collect();
    let (first, _) = won.first().ok_or(NotProven::Nothing)?;
    let queue = queue(&first.device, host)?;
    if won.iter().any(|(trial, _)| trial.device != first.device) {
        let mut devices: Vec<String> = won
            .iter()
            .map(|(trial, _)| clean_to(&trial.device, SHOWN))
            .collect();
        devices.dedup();
        return Err(NotProven::SeveralDevices(devices));
    }
    let mut values = Vec::new();
    for (trial, verdict) in won {
        let knob =
            Knob::find(&trial.knob).ok_or_else(|| NotProven::Knob(clean_to(&trial.knob, SHOWN)))?;
        if !is_plain_value(&verdict.arm) {
            return Err(NotProven::Characters {
                knob: knob.id,
                value: clean_to(&verdict.arm, SHOWN),
            });
        }
        if values
            .iter()
            .any(|(other, _): &(&Knob, String)| other.id == knob.id)
        {
            return Err(NotProven::Twice(knob.id));
        }
        values.push((knob, verdict.arm.clone()));
    }
    values.sort_by_key(|(knob, _)| knob.order);
    takes(&queue, &values)?;
    Ok((Wish::new(queue.device().to_string(), values, id), queue))
}

/// A trial that proved another value than the one it found.
fn win(trial: &Trial) -> Option<(&Trial, &Verdict)> {
    let verdict = trial.verdict.as_ref()?;
    let is_win =
        verdict.outcome == Outcome::Better && !trial.aa && trial.arms.first() != Some(&verdict.arm);
    is_win.then_some((trial, verdict))
}

fn queue(device: &str, host: &Host) -> Result<Queue, NotProven> {
    if !is_plain_name(device) {
        return Err(NotProven::DeviceName(clean_to(device, SHOWN)));
    }
    let is_here = host.list("/sys/block").iter().any(|name| name == device);
    let queue = Queue::of(host, device).filter(|_| is_here);
    queue.ok_or_else(|| NotProven::NoDevice(device.to_string()))
}

/// Asks each knob in the order of writing, of the queue as it will be then: a scheduler decides what `nr_requests` takes.
fn takes(queue: &Queue, values: &[(&'static Knob, String)]) -> Result<(), NotProven> {
    let mut then = queue.clone();
    for (knob, value) in values {
        if let Some(why) = (knob.rejects)(&then, value) {
            let (device, value) = (queue.device().to_string(), value.clone());
            return Err(NotProven::Rejected {
                device,
                knob: knob.id,
                value,
                why,
            });
        }
        if knob.id == SCHEDULER {
            then = with_scheduler(&then, value);
        }
    }
    Ok(())
}

const SCHEDULER: &str = "scheduler";

/// The queue as if another of its schedulers were chosen.
fn with_scheduler(queue: &Queue, word: &str) -> Queue {
    let host = queue.host();
    let mut archive = Archive::default();
    for name in host.list(&queue.path("")) {
        if let attribute @ Attribute::Value(_) = queue.attribute(&name) {
            archive.insert(&queue.path(&name), attribute);
        }
    }
    let text = queue.text(SCHEDULER).unwrap_or_default();
    let now = shown(SCHEDULER, &text);
    let words = text
        .split_whitespace()
        .map(|one| one.trim_matches(['[', ']']));
    let chosen: Vec<String> = words
        .map(|one| {
            if one == word {
                format!("[{one}]")
            } else {
                one.to_string()
            }
        })
        .collect();
    archive.insert(&queue.path(SCHEDULER), Attribute::Value(chosen.join(" ")));
    if let Some(tags) = queue.tags().filter(|_| now != word) {
        let path = format!("/sys/block/{}/mq/0/nr_tags", queue.device());
        archive.insert(&path, Attribute::Value(tags.to_string()));
    }
    Queue::of(&Host::from_archive(archive), queue.device()).unwrap_or_else(|| queue.clone())
}

#[cfg(test)]
mod tests;
