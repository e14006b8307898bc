//! Writing one value through the journal, and reading it back: the kernel says yes to more than it does.

use super::groups::{self, ALL_BFQ_WEIGHTS};
use super::{Knob, SubjectFiles, ordering};
use host::Journal;
use model::change::{Attribute, Restored};

/// Why a subject does not take a value; nothing was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{subject} does not take {knob}={value}: {why}")]
pub struct Rejection {
    /// The subject, for people.
    pub subject: String,
    /// Knob id.
    pub knob: &'static str,
    /// The value.
    pub value: String,
    /// Why.
    pub why: String,
}

/// Why a knob could not be turned.
#[derive(Debug, thiserror::Error)]
pub enum KnobError {
    /// The subject does not take the value; nothing was written.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The kernel refused the write, for a reason that the knob knows.
    #[error("{path}: {why}")]
    Refused {
        /// The file.
        path: String,
        /// Why.
        why: &'static str,
    },
    /// The door to the machine failed, or the value read back is another.
    #[error(transparent)]
    Host(#[from] host::Error),
}

/// Asks the knob whether a subject takes a value.
pub fn must_take(knob: &Knob, files: &SubjectFiles, value: &str) -> Result<(), Rejection> {
    match (knob.rejects)(files, value) {
        None => Ok(()),
        Some(why) => Err(Rejection {
            subject: files.subject().to_string(),
            knob: knob.id,
            value: value.to_string(),
            why,
        }),
    }
}

/// Everything to save before this knob is turned on this subject: its own file and what a write of it disturbs, each
/// with its place in the order of restoring.
pub fn checkpoint_paths(knob: &Knob, files: &SubjectFiles) -> Vec<(String, u8)> {
    let mut paths = own_paths(knob, files);
    if let Some(device) = files
        .subject()
        .device()
        .filter(|_| loses_weights(knob, files))
    {
        let weights = groups::weights(files.host(), device).into_iter();
        let after = ordering::rank(knob) + 1;
        paths.extend(weights.map(|weight| (weight, after)));
    }
    paths
}

/// Whether a write of this knob takes away what groups have of the device.
fn loses_weights(knob: &Knob, queue: &SubjectFiles) -> bool {
    knob.disturbs.contains(&ALL_BFQ_WEIGHTS) && queue.scheduler().as_deref() == Some("bfq")
}

/// The same without what other subjects lose, which is saved once and not looked for again.
fn own_paths(knob: &Knob, files: &SubjectFiles) -> Vec<(String, u8)> {
    let rank = ordering::rank(knob);
    let mut paths = vec![(files.path(knob.attribute), rank)];
    for name in disturbed(knob, files) {
        let other = ordering::on(knob.on, &name);
        paths.push((files.path(&name), other.map_or(rank + 1, ordering::rank)));
    }
    paths
}

/// Names of the settings that a write may change, a directory's files one by one; of a directory only those that are
/// there.
fn disturbed(knob: &Knob, files: &SubjectFiles) -> Vec<String> {
    let names = |pattern: &&str| match pattern.strip_suffix("/*") {
        Some(directory) => {
            let names = files.names(directory).into_iter();
            names.map(|name| format!("{directory}/{name}")).collect()
        }
        None => vec![pattern.to_string()],
    };
    let own = knob
        .disturbs
        .iter()
        .filter(|name| **name != ALL_BFQ_WEIGHTS);
    own.flat_map(names).collect()
}

/// Writes the value and reads it back. A write that the kernel took and did not follow is an error: rq_affinity=3
/// becomes 2, max_sectors_kb above the hardware's limit becomes the limit, both without one (seen on Linux 6.18).
///
/// With the value that was found comes back what the knob disturbs: the state that others are compared with is the one
/// that was there.
pub fn set(
    knob: &'static Knob,
    journal: &Journal,
    files: &SubjectFiles,
    value: &str,
) -> Result<(), KnobError> {
    must_take(knob, files, value)?;
    let path = files.path(knob.attribute);
    let old = |name: &str| journal.old(&files.path(name)).map(String::from);
    let instead = knob.instead.and_then(|instead| instead(value, &old));
    let written = match instead {
        Some((name, text)) => journal.write(&files.path(name), &text),
        None => journal.write(&path, value),
    };
    written.map_err(|error| refused(knob, error))?;
    if old(knob.attribute).is_some_and(|old| knob.reading.value(&old) == value) {
        put_back(journal, &disturbed_paths(knob, journal, files))?;
    }
    match files.attribute(knob.attribute) {
        Attribute::Value(text) if knob.reading.value(&text) == value => Ok(()),
        found => {
            let found = found
                .value()
                .map_or_else(|| found.to_string(), |text| knob.reading.value(text));
            Err(host::Error::ReadBack {
                path,
                wanted: value.to_string(),
                found,
            }
            .into())
        }
    }
}

/// What is put back with the value that was found.
fn disturbed_paths(knob: &Knob, journal: &Journal, files: &SubjectFiles) -> Vec<String> {
    let own = own_paths(knob, files).into_iter().map(|(path, _)| path);
    let device = files.subject().device();
    let is_lost = |path: &&str| {
        knob.disturbs.contains(&ALL_BFQ_WEIGHTS) && groups::is_weight_on(path, device)
    };
    let lost = journal.paths().filter(is_lost).map(str::to_string);
    own.chain(lost).collect()
}

fn put_back(journal: &Journal, paths: &[String]) -> Result<(), host::Error> {
    let broken = journal
        .put_back_of(paths)
        .into_iter()
        .find(|one| !one.is_whole());
    let read_back = |one: Restored| host::Error::ReadBack {
        path: one.path,
        wanted: one.wanted.to_string(),
        found: one.found.to_string(),
    };
    broken.map_or(Ok(()), |one| Err(read_back(one)))
}

/// What a refusal of the kernel means here, where the knob knows it.
fn refused(knob: &Knob, error: host::Error) -> KnobError {
    let errno = error.errno();
    let known = knob
        .refusals
        .iter()
        .find(|(number, _)| Some(*number) == errno);
    match (known, &error) {
        (Some((_, why)), host::Error::Io { path, .. }) => KnobError::Refused {
            path: path.display().to_string(),
            why,
        },
        _ => error.into(),
    }
}
