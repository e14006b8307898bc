//! A program inside a group: `iodyno run` on a file, from its first instruction on.

use crate::exit::{Exit, Failure};
use crate::keep;
use host::{Child, Privileges};
use model::record::{LoadResult, Record};
use serde::Deserialize;
use std::os::fd::OwnedFd;
use std::path::Path;
use store::Store;

/// The very file that runs, also when the one of its name was replaced meanwhile.
const OURSELVES: &str = "/proc/self/exe";

#[derive(Deserialize)]
struct Answer {
    record: Record,
}

/// Starts a job in fio's words on a file, in the groups whose entrances are given.
pub fn start(file: &Path, words: &[String], entrances: Vec<OwnedFd>) -> Result<Child, Failure> {
    let options = [
        "--overwrite",
        "--json",
        "--unkept",
        "--layers=off",
        "--interval=100ms",
        "--",
    ];
    let arguments: Vec<String> = std::iter::once("run".to_string())
        .chain([file.to_string_lossy().into_owned()])
        .chain(options.map(str::to_string))
        .chain(words.iter().cloned())
        .collect();
    let load = Privileges::Load;
    Ok(Child::start_within(OURSELVES, &arguments, load, entrances)?)
}

/// Writes a file of noise from inside the groups: it is theirs then.
pub fn fill(file: &Path, bytes: u64, entrances: Vec<OwnedFd>) -> Result<(), Failure> {
    let arguments = [
        "fill".into(),
        file.to_string_lossy().into_owned(),
        bytes.to_string(),
    ];
    let mut child = Child::start_within(OURSELVES, &arguments, Privileges::Load, entrances)?;
    while !child.has_ended() {
        host::clock::sleep_ms(5);
    }
    match child.status() {
        Some(0) => Ok(()),
        _ => Err(Failure::new(
            Exit::Failed,
            format!(
                "a file cannot be written in the group: {}",
                child.printed().1.trim()
            ),
        )),
    }
}

/// The record of a program that has ended, and its load.
pub fn record(child: &mut Child) -> Result<(Record, LoadResult), Failure> {
    let (printed, said) = child.printed();
    let answer: Option<Answer> = serde_json::from_str(&printed).ok();
    let record = answer.map(|answer| answer.record);
    let load = record.as_ref().and_then(|record| record.load().cloned());
    match (record, load) {
        (Some(record), Some(load)) => Ok((record, load)),
        _ => Err(Failure::new(
            Exit::Failed,
            format!(
                "the program in the group ended without a result: {}",
                said.trim()
            ),
        )),
    }
}

/// Keeps a program's record; gives its number.
pub fn keep(store: &Store, record: &Record) -> Result<Option<i64>, Failure> {
    let kept = keep::into_store(store, record);
    let id = kept.id;
    kept.must_be_stored()?;
    Ok(id)
}
