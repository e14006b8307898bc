//! Values that are written together: each once, in the order of writing, and each one that its subject takes by then.

use super::{CheckedValue, Rejection, SubjectFiles, ValueReading, must_take, ordering};
use host::{Archive, Host};
use model::change::Attribute;

/// Why values are not written together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTogether {
    /// Two values of one setting.
    #[error("there are two values of {0}")]
    Twice(&'static str),
    /// Writing one value sets the other to 0.
    #[error(
        "{one} and {other} say one thing in two ways, and the kernel holds only one of them: give one"
    )]
    Exclude {
        /// Id of one knob.
        one: &'static str,
        /// Id of the other.
        other: &'static str,
    },
    /// Writing one value takes the other's setting away.
    #[error("a change of {one} makes {other} anew: first {one}, and {other} once it is in place")]
    Remade {
        /// Id of the knob that is written first.
        one: &'static str,
        /// Id of the other.
        other: &'static str,
    },
    /// The subject does not take the value.
    #[error(transparent)]
    Rejected(#[from] Rejection),
}

/// The values in the order of writing.
///
/// # Errors
/// The first thing that keeps them from being written, or from being written together.
pub fn together(mut values: Vec<CheckedValue>) -> Result<Vec<CheckedValue>, NotTogether> {
    values.sort_by_key(|value| ordering::rank(value.knob));
    let pairs = || {
        let each = values.iter().enumerate();
        each.flat_map(|(at, one)| values[at + 1..].iter().map(move |other| (one, other)))
    };
    if let Some((one, _)) = pairs().find(|(one, other)| is_same(one, other)) {
        return Err(NotTogether::Twice(one.knob.id));
    }
    if let Some((one, other)) = pairs().find(|(one, other)| ordering::exclude(one.knob, other.knob))
    {
        return Err(NotTogether::Exclude {
            one: one.knob.id,
            other: other.knob.id,
        });
    }
    let remakes =
        |(one, other): &(&CheckedValue, &CheckedValue)| ordering::remakes(one.knob, other.knob);
    if let Some((one, other)) = pairs().find(remakes) {
        return Err(NotTogether::Remade {
            one: one.knob.id,
            other: other.knob.id,
        });
    }
    takes(&values)?;
    Ok(values)
}

fn is_same(one: &CheckedValue, other: &CheckedValue) -> bool {
    one.knob.id == other.knob.id && one.files.subject() == other.files.subject()
}

/// Asks each knob in the order of writing, of the subject as it will be then: a scheduler decides what `nr_requests`
/// takes.
fn takes(values: &[CheckedValue]) -> Result<(), Rejection> {
    for (index, one) in values.iter().enumerate() {
        let earlier = values[..index].iter();
        let same = earlier.filter(|other| other.files.subject() == one.files.subject());
        let then = same.fold(one.files.clone(), |files, other| with(&files, other));
        must_take(one.knob, &then, &one.value)?;
    }
    Ok(())
}

/// A subject as if a value were written.
fn with(files: &SubjectFiles, value: &CheckedValue) -> SubjectFiles {
    let text = files.text(value.knob.attribute).unwrap_or_default();
    if value.knob.reading.value(&text) == value.value {
        return files.clone();
    }
    let mut archive = Archive::default();
    for name in files.names("") {
        if let attribute @ Attribute::Value(_) = files.attribute(&name) {
            archive.insert(&files.path(&name), attribute);
        }
    }
    let text = written(&text, value);
    archive.insert(&files.path(value.knob.attribute), Attribute::Value(text));
    if let (Some(tags), Some(device)) = (files.tags(), files.subject().device()) {
        let path = format!("/sys/block/{device}/mq/0/nr_tags");
        archive.insert(&path, Attribute::Value(tags.to_string()));
    }
    let then = SubjectFiles::of(&Host::from_archive(archive), files.subject().clone());
    then.unwrap_or_else(|| files.clone())
}

/// What the setting's file will read: of a choice all its words, the new one in brackets.
fn written(text: &str, value: &CheckedValue) -> String {
    if value.knob.reading != ValueReading::Chosen {
        return value.value.clone();
    }
    kernel::choice::with_chosen(text, &value.value)
}
