//! A program inside a group: `iodyno run` on a file, from its first instruction on.

use crate::exit::{Exit, Failure};
use crate::keep;
use host::signals::Stop;
use host::{Child, Privileges, clock};
use model::record::{LoadResult, Record};
use serde::Deserialize;
use std::os::fd::OwnedFd;
use std::path::Path;
use store::Store;

/// The very file that runs, also when the one of its name was replaced meanwhile.
const OURSELVES: &str = "/proc/self/exe";

/// A file that a program is given, open.
#[derive(Debug)]
pub struct GivenFile<'a> {
    /// For messages and the record.
    pub path: &'a Path,
    /// The file.
    pub opened: OwnedFd,
}

#[derive(Deserialize)]
struct Answer {
    record: Record,
}

/// Starts a job in fio's words on a file that is open, in the groups whose entrances are given. The program gets the file itself: who
/// is root in a container can put another one, or a link, in the place of its name.
pub fn start(
    file: GivenFile<'_>,
    words: &[String],
    entrances: Vec<OwnedFd>,
) -> Result<Child, Failure> {
    let options = [
        "--given",
        "--overwrite",
        "--json",
        "--unkept",
        "--layers=off",
        "--interval=100ms",
        "--",
    ];
    let arguments: Vec<String> = std::iter::once("run".to_string())
        .chain([file.path.to_string_lossy().into_owned()])
        .chain(options.map(str::to_string))
        .chain(words.iter().cloned())
        .collect();
    let load = Privileges::Load;
    let file = file.opened;
    Ok(Child::start_within(
        OURSELVES, &arguments, load, entrances, file,
    )?)
}

/// How long programs may take to end after they were asked to, ms: one that was stopped or frozen never hears it.
const END_MS: u64 = 5_000;

/// The end of programs where the user asks for it: first they are asked, and killed where they do not end.
pub struct Ending<'a> {
    stop: &'a Stop,
    asked_ns: Option<u64>,
}

impl Ending<'_> {
    /// Nobody was asked yet.
    pub fn new(stop: &Stop) -> Ending<'_> {
        Ending {
            stop,
            asked_ns: None,
        }
    }

    /// Whether any program still runs. Asks and kills as it is time to.
    pub fn goes_on(&mut self, programs: &mut [Child]) -> Result<bool, Failure> {
        match self.asked_ns {
            None if self.stop.is_asked() => {
                self.asked_ns = Some(clock::monotonic_ns());
                programs.iter_mut().try_for_each(Child::interrupt)?;
            }
            Some(asked_ns) if clock::monotonic_ns() > asked_ns + END_MS * 1_000_000 => {
                programs.iter_mut().for_each(Child::kill);
                // What the kernel keeps from ending even so is left to it.
                return Ok(false);
            }
            _ => {}
        }
        Ok(!programs.iter_mut().all(Child::has_ended))
    }
}

/// Fills a new file with noise from inside the groups: it is theirs then.
pub fn fill(
    file: OwnedFd,
    bytes: u64,
    entrances: Vec<OwnedFd>,
    stop: &Stop,
) -> Result<(), Failure> {
    let (arguments, load) = (["fill".into(), bytes.to_string()], Privileges::Load);
    let child = Child::start_within(OURSELVES, &arguments, load, entrances, file)?;
    let (mut ending, mut programs) = (Ending::new(stop), [child]);
    while ending.goes_on(&mut programs)? {
        clock::sleep_ms(5);
    }
    let [mut child] = programs;
    child.has_ended();
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
