//! Keeping a result. It cost device time, so it is never lost: what the store does not take is written to a file beside,
//! and said where.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use model::failure::Parts;
use model::record::Record;
use model::text::shell_word;
use std::path::PathBuf;
use store::{Store, StoreError};

/// What became of a result.
#[derive(Debug)]
#[must_use = "a failure to store a result has to be reported"]
pub struct Kept {
    /// Its number; none where the store did not take it.
    pub id: Option<i64>,
    failure: Option<Failure>,
}

impl Kept {
    /// Of a result that is another's to keep, or nobody's.
    pub fn nowhere() -> Kept {
        Kept {
            id: None,
            failure: None,
        }
    }

    /// Fails with what kept the result out of the store. Asked after the result is printed.
    pub fn must_be_stored(self) -> Result<(), Failure> {
        self.failure.map_or(Ok(()), Err)
    }
}

/// Puts a result into a store that was opened before it was measured. What was rehearsed is none.
pub fn into_store(store: &Store, record: &Record) -> Kept {
    if record.provenance.rehearsed.is_some() {
        return Kept::nowhere();
    }
    match store.insert(record) {
        Ok(id) => Kept {
            id: Some(id),
            failure: None,
        },
        Err(error) => Kept {
            id: None,
            failure: Some(beside(record, &error)),
        },
    }
}

/// The same where it is not open yet.
pub fn keep(context: &Context, record: &Record) -> Kept {
    match Store::open(&context.state_dir) {
        Ok(store) => into_store(&store, record),
        Err(error) => Kept {
            id: None,
            failure: Some(beside(record, &error)),
        },
    }
}

/// Writes the record into the first directory that takes it, and says where it is and how it comes into the store.
fn beside(record: &Record, error: &StoreError) -> Failure {
    let why = &error.message;
    let parts = Parts {
        why: Some(why.clone()),
        ..Parts::on(error.parts.on.as_deref().unwrap_or("the store"))
    };
    let mut tried = Vec::new();
    let name = format!("iodyno-unsaved-{}.json", host::clock::unix_ms());
    let text = match serde_json::to_vec(record) {
        Ok(text) => text,
        Err(error) => {
            let message = format!("{why}\nThe result cannot be written: {error}");
            return Failure::with(Exit::Failed, message, parts);
        }
    };
    for dir in places() {
        let file = dir.join(&name);
        match host::private::write_new(&file, &text) {
            Ok(()) => {
                let file = file.display().to_string();
                let message = format!("the result could not be stored: {why}");
                return Failure::with(Exit::Failed, message, parts).hint(format!(
                    "Nothing is lost: it is in {file}. Take it in when the store can be written again: iodyno merge {}",
                    shell_word(&file)
                ));
            }
            Err(error) => tried.push(format!("  {error}")),
        }
    }
    let message = format!(
        "the result could not be stored: {why}\nNor could it be written to a file; it is only what was printed:\n{}",
        tried.join("\n")
    );
    Failure::with(Exit::Failed, message, parts)
}

/// Where it may go: the working directory, then what is there for files that pass.
fn places() -> Vec<PathBuf> {
    let here = host::files::canonical(&PathBuf::from(".")).ok();
    let temporary = host::environment::variable("TMPDIR").map(PathBuf::from);
    let others = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    here.into_iter().chain(temporary).chain(others).collect()
}
