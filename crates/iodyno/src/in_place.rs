//! Puts values in place and leaves them there: saved in a journal, written in their order, each read back. On any error, and on
//! every signal that comes before all of it is done, everything is put back.

use crate::confirmation;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use apply::{CheckedValue, PersistPlan};
use host::signals::{JobControl, Stop};
use host::{DeviceLock, Journal};
use model::change::{Attribute, Restored};
use model::subject::place_in_words;

/// What to put in place.
pub struct Change<'a> {
    /// The command without the program, as the journal and a lock's holder show it: `apply 7`.
    pub purpose: String,
    /// Kernel name of the device whose lock it takes.
    pub device: &'a str,
    /// The values, in the order of writing.
    pub values: &'a [CheckedValue],
    /// Files that keep them for after the next boot.
    pub files: &'a [PersistPlan],
    /// How long to wait for a word that they may stay; without the word they are put back. None: they stay.
    pub confirm_ms: Option<u64>,
}

/// A value beside the one that is there: `sda  scheduler  bfq → none`.
pub fn line(value: &CheckedValue) -> String {
    let (knob, subject) = (value.knob, value.files.subject());
    let now = now(value).unwrap_or_else(|| "?".into());
    format!("{subject}  {}  {now} → {}", knob.id, value.value)
}

/// The value that is there.
pub fn now(value: &CheckedValue) -> Option<String> {
    let text = value.files.text(value.knob.attribute)?;
    Some(value.knob.reading.value(&text))
}

/// Writes them, and says how they are taken back; gives the journal's id.
pub fn put(change: &Change, context: &Context) -> Result<String, Failure> {
    // Before the first write: a write may wait for a queue that the kernel freezes, and a signal for the write.
    let stop = context.stop_on_signals()?;
    let _jobs = JobControl::withstand();
    let kinds = change.values.iter().map(|value| value.knob.on);
    let reach = apply::reach(kinds);
    let lock = DeviceLock::take(&context.host, change.device, reach, &change.purpose)?;
    let mut journal = Journal::begin(&context.host, &context.state_dir, &change.purpose, &lock)?;
    let confirmed = || match change.confirm_ms {
        Some(ms) => confirmation::wait(ms, &stop, context),
        None => Ok(()),
    };
    // Until it is kept the journal is that of a change under way: whoever kills this process has it put back by `undo`.
    let kept = write_all(&mut journal, change, &stop)
        .and_then(|()| confirmed())
        .and_then(|()| Ok(journal.keep()?));
    let id = match kept {
        Ok(id) => id,
        Err(failure) => return Err(backed_out(journal, failure)),
    };
    for file in change.files {
        context.out.say(format!(
            "Written: {}. It acts from the next boot on, or after: {}",
            file.path, file.activate
        ));
    }
    context
        .out
        .say(format!("In place. Take it back: iodyno undo {id}"));
    Ok(id)
}

/// Refuses values that this process has no right to write, before anything is said or done. `command` is that of the change, as its
/// purpose says it.
pub fn must_have_rights(values: &[CheckedValue], command: &str) -> Result<(), Failure> {
    let mut places = values
        .iter()
        .map(|value| value.files.path(value.knob.attribute));
    let Some(place) = places.find(|place| !host::rights::may_write(place)) else {
        return Ok(());
    };
    let verb = command.split(' ').next().unwrap_or_default();
    Err(Failure::new(
        Exit::Rights,
        format!(
            "cannot write {}: {verb} changes settings and needs root (sudo iodyno {command}).\n\
             Without root `iodyno {command} --dry-run` shows what would be written.",
            place_in_words(&place),
        ),
    ))
}

/// Saves, writes and reads back, as long as nobody asks to stop.
fn write_all(journal: &mut Journal, change: &Change, stop: &Stop) -> Result<(), Failure> {
    let goes_on = || match stop.is_asked() {
        false => Ok(()),
        true => Err(Failure::new(
            Exit::Interrupted,
            format!("stopped by {}.", stop.signal_name()),
        )),
    };
    let paths: Vec<_> = change
        .values
        .iter()
        .flat_map(|value| apply::checkpoint_paths(value.knob, &value.files))
        .collect();
    journal.checkpoint(&paths)?;
    for one in change.values {
        goes_on()?;
        apply::set(one.knob, journal, &one.files, &one.value)
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
    }
    for file in change.files {
        goes_on()?;
        match &file.before {
            Some(before) => journal.edit_file(&file.path, before, &file.content)?,
            None => journal.write_file(&file.path, &file.content)?,
        }
    }
    goes_on()
}

/// Puts everything back after a failure, and says whether it is. Where it is not, that is the worse failure.
fn backed_out(journal: Journal, failure: Failure) -> Failure {
    let why = match journal.revert() {
        Ok(restored) => match not_back(&restored) {
            None => {
                let values = read_back(restored.len());
                return failure.hint(format!("Everything was put back: {values}."));
            }
            Some(why) => why,
        },
        Err(error) => format!("not everything came back: {error}. `iodyno undo` tries again"),
    };
    Failure {
        exit: Exit::Failed,
        ..failure
    }
    .hint(why)
}

/// What is not as it was, and how to go on; none where all is.
pub fn not_back(restored: &[Restored]) -> Option<String> {
    let line = |one: &Restored| {
        let place = place_in_words(&one.path);
        match &one.error {
            Some(why) => format!("  {place} should be {}: {why}", one.wanted),
            None => format!("  {place} should be {}, is {}", one.wanted, one.found),
        }
    };
    let left = restored.iter().filter(|one| !one.is_whole());
    let lines: Vec<String> = left.map(line).collect();
    let is_here = |one: &Restored| one.found != Attribute::OfAnother;
    let way = match restored.iter().any(|one| !one.is_whole() && is_here(one)) {
        true => "`iodyno undo` tries again",
        false => "`iodyno status` says how to remove it",
    };
    (!lines.is_empty()).then(|| {
        format!(
            "not everything came back; the journal stays, {way}:\n{}",
            lines.join("\n")
        )
    })
}

/// `3 values read back`.
pub fn read_back(count: usize) -> String {
    match count {
        1 => "1 value read back".into(),
        count => format!("{count} values read back"),
    }
}
