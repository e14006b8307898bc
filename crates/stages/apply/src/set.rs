//! Writing one value through the journal, and reading it back: the kernel says yes to more than it does.

use super::{Knob, Queue, knobs};
use host::Journal;
use model::change::Attribute;

/// Why a knob could not be turned.
#[derive(Debug, thiserror::Error)]
pub enum KnobError {
    /// The device does not take the value; nothing was written.
    #[error("{device} does not take {knob}={value}: {why}")]
    Rejected {
        /// Kernel name of the device.
        device: String,
        /// Knob id.
        knob: &'static str,
        /// The value.
        value: String,
        /// Why.
        why: String,
    },
    /// The door to the machine failed, or the value read back is another.
    #[error(transparent)]
    Host(#[from] host::Error),
}

/// What an attribute's text means: of a choice (`none [mq-deadline] bfq`) the chosen word, else the text.
pub fn shown(knob: &str, text: &str) -> String {
    let chosen = text
        .split_once('[')
        .and_then(|(_, rest)| rest.split_once(']'));
    match (knob, chosen) {
        ("scheduler", Some((word, _))) => word.to_string(),
        _ => text.trim().to_string(),
    }
}

/// Everything to save before this knob is turned on this queue: its own attribute and what a write of it disturbs,
/// each with its place in the order of restoring.
pub fn checkpoint_paths(knob: &Knob, queue: &Queue) -> Vec<(String, u8)> {
    let mut paths = vec![(queue.path(knob.id), knob.order)];
    for pattern in knob.disturbs {
        match pattern.strip_suffix("/*") {
            Some(dir) => {
                let names = queue.host().list(&queue.path(dir));
                paths.extend(
                    names
                        .iter()
                        .map(|name| (queue.path(&format!("{dir}/{name}")), knob.order + 1)),
                );
            }
            None => {
                let order = knobs::ALL
                    .iter()
                    .find(|other| other.id == *pattern)
                    .map_or(knob.order + 2, |other| other.order);
                paths.push((queue.path(pattern), order));
            }
        }
    }
    paths
}

/// Writes the value and reads it back. A write that the kernel took and did not follow is an error: rq_affinity=3
/// becomes 2, max_sectors_kb above the hardware's limit becomes the limit, both without one (seen on Linux 6.18).
pub fn set(
    knob: &'static Knob,
    journal: &Journal,
    queue: &Queue,
    value: &str,
) -> Result<(), KnobError> {
    if let Some(why) = (knob.rejects)(queue, value) {
        let device = queue.device().to_string();
        return Err(KnobError::Rejected {
            device,
            knob: knob.id,
            value: value.to_string(),
            why,
        });
    }
    let path = queue.path(knob.id);
    journal.write(&path, value)?;
    match queue.attribute(knob.id) {
        Attribute::Value(text) if shown(knob.id, &text) == value => Ok(()),
        found => {
            let found = found
                .value()
                .map_or_else(|| found.to_string(), |text| shown(knob.id, text));
            Err(host::Error::ReadBack {
                path,
                wanted: value.to_string(),
                found,
            }
            .into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_word_is_the_value() {
        assert_eq!(
            shown("scheduler", "none [mq-deadline] kyber bfq "),
            "mq-deadline"
        );
        assert_eq!(shown("scheduler", "none"), "none");
        assert_eq!(shown("nr_requests", "256"), "256");
    }
}
