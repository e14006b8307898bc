//! `iodyno undo`: puts old values back from the journals, after a death or after `apply`.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::unfinished;
use host::signals::Stop;
use host::{FoundJournals, Unfinished};
use lookup::drift::Drift;
use model::change::{Attribute, Restored};
use model::subject::place_in_words;
use serde::Serialize;

/// Arguments of `undo`.
#[derive(Debug, Default, clap::Args)]
pub struct UndoArgs {
    /// The journal to undo, as `status` names it; without it, what ended unfinished, else the last change that was left in
    /// place.
    pub id: Option<String>,
    /// Undo every journal, all changes that were left in place too.
    #[arg(long, conflicts_with = "id")]
    pub all: bool,
    /// Undo what ended unfinished alone: a change that was left in place stays, also where nothing else is there.
    #[arg(long, conflicts_with_all = ["id", "all"])]
    pub unfinished: bool,
    /// Undo the later changes too that were made to the same settings, the last one first.
    #[arg(long, requires = "id")]
    pub with_later: bool,
    /// Of a damaged journal, put back what its whole lines say. The file is kept under another name.
    #[arg(long, requires = "id", conflicts_with_all = ["with_later", "forget"])]
    pub salvage: bool,
    /// Remove the journal of a device that is gone for good, or of a file that you have edited since; writes no setting.
    #[arg(long, requires = "id", conflicts_with = "with_later")]
    pub forget: bool,
    /// Take what the settings show now for what was left in place, so that `status` calls it no drift; writes no setting.
    #[arg(long, requires = "id", conflicts_with_all = ["with_later", "salvage", "forget"])]
    pub accept: bool,
}

#[derive(Serialize)]
struct UndoDocument {
    schema: &'static str,
    undone: Vec<Undone>,
    /// Commands that still run and hold settings: nothing of theirs is touched.
    running: Vec<String>,
    /// Changes that stay in place: nothing of theirs was touched.
    left: Vec<NotTouched>,
    /// What other state directories hold: nothing of it is touched either.
    elsewhere: Vec<NotTouched>,
}

/// A journal that is not undone.
#[derive(Serialize)]
struct NotTouched {
    id: String,
    purpose: String,
    running: bool,
    /// What takes it back, once it does not run any more.
    command: String,
}

#[derive(Serialize)]
struct Undone {
    id: String,
    purpose: String,
    whole: bool,
    restored: Vec<Restored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    failure: Option<Failure>,
    /// Nothing of a damaged journal is left to put back: it lies under another name.
    #[serde(skip)]
    is_set_aside: bool,
}

/// Undoes the last change first, so that the oldest value has the last word. A signal leaves no change half undone: it is heard between
/// two of them.
pub fn run(args: &UndoArgs, context: &Context) -> Result<Exit, Failure> {
    let stop = context.stop_on_signals()?;
    let FoundJournals {
        journals, errors, ..
    } = host::find_unfinished(&context.host, &context.state_dir);
    for error in &errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let running = say_running(&journals, args, context);
    let elsewhere = host::find_elsewhere(&context.host, &context.state_dir);
    let elsewhere: Vec<NotTouched> = elsewhere
        .iter()
        .map(|journal| say_elsewhere(journal, context))
        .collect();
    let (chosen, left) = choose(journals, args, context)?;
    if chosen.is_empty() && running.is_empty() && errors.is_empty() {
        context
            .out
            .say(nothing(!left.is_empty(), &elsewhere, context));
    }
    let (mut undone, mut left) = (Vec::new(), left);
    let mut stopped = None;
    for journal in chosen.into_iter().rev() {
        if stop.is_asked() {
            stopped.get_or_insert_with(|| say_interrupted(&stop, context));
            left.push(journal);
        } else {
            undone.push(undo_one(journal, args, context));
        }
    }
    let mut failures: Vec<Failure> = undone
        .iter_mut()
        .filter_map(|one| one.failure.take())
        .collect();
    failures.extend(running.iter().map(|journal| still_runs(journal)));
    failures.extend(stopped);
    let left: Vec<NotTouched> = left.iter().map(|one| say_left(one, context)).collect();
    context.out.document(&UndoDocument {
        schema: "iodyno.undo/1",
        undone,
        running,
        left,
        elsewhere,
    })?;
    unfinished::must_be_read(errors)?;
    // What failed weighs most, then what was refused.
    failures.sort_by_key(|failure| match failure.exit {
        Exit::Failed => 0,
        Exit::Refused => 1,
        _ => 2,
    });
    failures
        .into_iter()
        .next()
        .map_or(Ok(Exit::Fine), |failure| Err(failure.told()))
}

/// Puts back what commands left that died. What cannot be put back is said, and stays for `status` to show.
pub fn put_back_unfinished(context: &Context) {
    let found = host::find_unfinished(&context.host, &context.state_dir);
    for error in &found.errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let args = UndoArgs {
        unfinished: true,
        ..UndoArgs::default()
    };
    let (chosen, _) = unnamed(found.journals, &args);
    for journal in chosen.into_iter().rev() {
        undo_one(journal, &args, context);
    }
}

/// Says that a signal keeps the rest from being undone.
fn say_interrupted(stop: &Stop, context: &Context) -> Failure {
    let message = format!(
        "stopped by {}: what was begun is undone, and the rest is not. The same command goes on with it.",
        stop.signal_name()
    );
    context.out.note(format!("iodyno: {message}"));
    Failure::new(Exit::Interrupted, message)
}

fn still_runs(journal: &str) -> Failure {
    let message =
        format!("{journal} belongs to a command that still runs; nothing of it was touched.");
    Failure::new(Exit::Refused, message)
        .on(journal)
        .hint("It puts everything back itself when it ends.")
}

/// Names what still runs: it holds settings, and puts them back itself.
fn say_running(journals: &[Unfinished], args: &UndoArgs, context: &Context) -> Vec<String> {
    let is_meant = |journal: &&Unfinished| args.id.as_ref().is_none_or(|id| journal.id() == *id);
    let running = journals
        .iter()
        .filter(|journal| journal.running && journal.kept.is_none())
        .filter(is_meant);
    let name = |journal: &Unfinished| {
        context.out.note(format!(
            "iodyno: `{}` still holds settings ({}). It puts them back itself when it ends; nothing of it was touched.",
            journal.begin.purpose,
            journal.owner()
        ));
        journal.id()
    };
    running.map(name).collect()
}

/// Names a change that another state directory holds, with the command that takes it back.
fn say_elsewhere(journal: &Unfinished, context: &Context) -> NotTouched {
    let purpose = &journal.begin.purpose;
    let way = journal.way_out(&context.host, &context.state_dir);
    context.out.note(match journal.running {
        true => format!(
            "iodyno: `{purpose}` of another state directory still holds settings ({}). It puts them back itself when it \
             ends; should it die first: {}",
            journal.owner(),
            way.command
        ),
        false => format!(
            "iodyno: `{purpose}` of another state directory also stands; to {}: {}",
            way.aim, way.command
        ),
    });
    NotTouched {
        id: journal.id(),
        purpose: purpose.clone(),
        running: journal.running,
        command: way.command,
    }
}

/// Names a change that stays in place, with the command that takes it back.
fn say_left(journal: &Unfinished, context: &Context) -> NotTouched {
    let (id, purpose) = (journal.id(), journal.begin.purpose.clone());
    let command = journal.way_out(&context.host, &context.state_dir).command;
    context.out.say(format!(
        "Not touched: {purpose}, which stays in place. To take it back: {command}"
    ));
    NotTouched {
        id,
        purpose,
        running: false,
        command,
    }
}

/// What is said where nothing is to be done.
fn nothing(has_left: bool, elsewhere: &[NotTouched], context: &Context) -> String {
    let dir = model::text::shown(&context.state_dir);
    if has_left {
        return "Nothing to undo.".into();
    }
    match elsewhere.is_empty() {
        true => format!("Nothing to undo: no journal is in {dir}."),
        false => format!(
            "Nothing to undo here: no journal is in {dir}. What other state directories hold was not touched."
        ),
    }
}

/// The journals to undo, and those of changes that were left in place and stay so.
fn choose(
    journals: Vec<Unfinished>,
    args: &UndoArgs,
    context: &Context,
) -> Result<(Vec<Unfinished>, Vec<Unfinished>), Failure> {
    let Some(id) = &args.id else {
        return Ok(unnamed(journals, args));
    };
    let Some(first) = journals.iter().position(|journal| journal.id() == *id) else {
        let shown = model::text::clean(id);
        return Err(Failure::usage(format!("there is no journal {shown}."))
            .on(shown)
            .hint("`iodyno status` shows what there is."));
    };
    let mut chosen: Vec<Unfinished> = Vec::new();
    for (index, journal) in journals.into_iter().enumerate() {
        let stands_on = |below: &Unfinished| {
            journal.begin.level > below.begin.level && journal.shared_with(below).is_some()
        };
        if index == first && !journal.running {
            chosen.push(journal);
        } else if args.with_later && index > first && chosen.iter().any(stands_on) {
            context.out.say(format!(
                "also taken back: {} ({})",
                journal.begin.purpose,
                journal.id()
            ));
            chosen.push(journal);
        }
    }
    Ok((chosen, Vec::new()))
}

/// What is undone where no journal was named: all, or what ended unfinished, or where nothing did the last change.
fn unnamed(journals: Vec<Unfinished>, args: &UndoArgs) -> (Vec<Unfinished>, Vec<Unfinished>) {
    // A command that runs stands on the changes that were left in place before it.
    let is_busy = journals.iter().any(|journal| journal.running);
    let still = journals.into_iter().filter(|journal| !journal.running);
    // What is in a finished loop device is the user's: `loop remove` takes it away, and nothing else does.
    let (loops, still): (Vec<_>, Vec<_>) =
        still.partition(|journal| journal.finished_loop().is_some());
    let still = still.into_iter();
    let is_meant =
        |journal: &Unfinished| args.all || journal.kept.is_none() || journal.damage.is_some();
    let (mut chosen, mut left): (Vec<_>, Vec<_>) = still.partition(is_meant);
    if chosen.is_empty() && !is_busy && !args.unfinished {
        chosen.extend(left.pop());
    }
    left.extend(loops);
    (chosen, left)
}

fn undo_one(journal: Unfinished, args: &UndoArgs, context: &Context) -> Undone {
    let (id, purpose, file) = (
        journal.id(),
        journal.begin.purpose.clone(),
        journal.path.clone(),
    );
    let is_earlier = journal.is_of_an_earlier_boot;
    let is_damaged = journal.damage.is_some();
    let device = journal
        .begin
        .device
        .as_ref()
        .map(|device| device.name.clone());
    let another = match is_earlier {
        true => None,
        false => journal.another_device(&context.host),
    };
    let drift = lookup::drift::of(&context.host, &journal, &[]);
    let outcome = match args {
        args if args.salvage => journal.salvage(&context.host, &context.state_dir),
        args if args.forget => journal.forget(&context.host),
        args if args.accept => journal.accept(&context.host).map(|()| Vec::new()),
        _ => journal.undo(&context.host, &context.state_dir),
    };
    let mut undone = Undone {
        id,
        purpose,
        whole: true,
        restored: Vec::new(),
        error: None,
        failure: None,
        is_set_aside: false,
    };
    undone.restored = match outcome {
        Ok(restored) => restored,
        Err(error) => {
            let failure = Failure::from(error);
            context.out.note(format!("iodyno: {}", failure.message));
            undone.whole = false;
            undone.error = Some(failure.message.clone());
            undone.failure = Some(failure);
            return undone;
        }
    };
    if let Some(what) = only_noted(args) {
        say_noted(&undone, what, context);
        return undone;
    }
    undone.whole = undone.restored.iter().all(Restored::is_whole);
    undone.is_set_aside = is_damaged && !host::Host::live().exists(&file.to_string_lossy());
    say_undone(&undone, is_earlier, another.is_some(), context);
    say_drift(&undone, &drift, context);
    let is_there = device.is_some_and(|name| context.host.device_identity(&name).is_some());
    undone.failure = match (undone.whole, another) {
        (true, _) => None,
        (false, Some(why)) if is_there => Some(not_back(&undone, Exit::Refused).why(why)),
        (false, _) => Some(not_back(&undone, Exit::Failed)),
    };
    undone
}

/// What becomes of a journal where nothing is to be put back, in words.
fn only_noted(args: &UndoArgs) -> Option<&'static str> {
    match args {
        args if args.forget => Some("forgotten; nothing was written"),
        args if args.accept => Some(
            "accepted as it is now; nothing was written, and `undo` still puts the old values back",
        ),
        _ => None,
    }
}

/// Says it, with what could not be looked for and may still be there.
fn say_noted(undone: &Undone, what: &str, context: &Context) {
    context.out.say(format!("{}: {what}.", undone.purpose));
    for one in &undone.restored {
        if let Some(why) = &one.error {
            context
                .out
                .say(format!("  {}  {why}", place_in_words(&one.path)));
        }
    }
}

/// What somebody had changed since, and is back all the same.
fn say_drift(undone: &Undone, drift: &[Drift], context: &Context) {
    let is_back = |drift: &&Drift| {
        let mut restored = undone.restored.iter();
        restored.any(|one| one.path == drift.path && one.is_whole())
    };
    for drift in drift.iter().filter(is_back) {
        context.out.say(format!(
            "  {}  somebody had changed it since: iodyno set {}, and it was {}",
            place_in_words(&drift.path),
            drift.set,
            drift.is
        ));
    }
}

fn not_back(undone: &Undone, exit: Exit) -> Failure {
    let message = sentence(undone, false);
    Failure::new(exit, message).on(&undone.id)
}

/// What became of the journal, each value that was written or is not back, and what is left to do.
fn say_undone(undone: &Undone, is_earlier: bool, is_another: bool, context: &Context) {
    let restored = &undone.restored;
    context.out.say(sentence(undone, is_earlier));
    restored
        .iter()
        .filter(|one| one.written || !one.is_whole())
        .for_each(|one| say_one(one, context));
    let stays = |one: &Restored| one.edited.is_some() || one.found == Attribute::OfAnother;
    let is_left = !undone.whole && !undone.is_set_aside;
    if is_left && (is_another || restored.iter().any(stays)) {
        context.out.say(format!(
            "  once that is as you want it: iodyno undo --forget {}",
            undone.id
        ));
    }
}

/// What became of a journal, from what was read back just now.
fn sentence(undone: &Undone, is_earlier: bool) -> String {
    let (purpose, restored) = (&undone.purpose, &undone.restored);
    let written = restored.iter().filter(|one| one.written).count();
    let count = crate::in_place::read_back(restored.len());
    match (restored.iter().all(Restored::is_whole), written) {
        (true, _) if restored.is_empty() => {
            format!("{purpose}: nothing of it was left to put back.")
        }
        (true, 0) => format!("{purpose}: everything was already as before; {count}."),
        // A disk can have another name since, so nothing is written by the names of an earlier boot.
        (true, _) if is_earlier => format!(
            "{purpose}: the files are back as they were; what they set at this boot stays until the next one."
        ),
        (true, _) => format!("{purpose}: everything is back as it was; {count}."),
        (false, _) if undone.is_set_aside => format!(
            "{purpose}: not everything came back, and nothing more can; the damaged journal is kept, and `iodyno status` names it."
        ),
        (false, _) => format!("{purpose}: not everything came back; the journal stays."),
    }
}

fn say_one(one: &Restored, context: &Context) {
    let place = place_in_words(&one.path);
    let is_gone = matches!(one.found, Attribute::Absent | Attribute::OfAnother);
    if let Some(why) = &one.error
        && is_gone
        && !one.written
        && one.edited.is_none()
    {
        context.out.say(format!(
            "  {}  not written, was {}: {why}",
            place,
            brief(&one.wanted)
        ));
        return;
    }
    let error = one
        .error
        .as_deref()
        .map(|error| format!(" ({error})"))
        .unwrap_or_default();
    if let Some(edited) = &one.edited {
        let (was, is) = (indented(&one.wanted.to_string()), indented(edited));
        context.out.text(format!(
            "  {}{error}\n    before iodyno:\n{was}\n    now:\n{is}",
            place
        ));
        return;
    }
    if one.is_whole() && one.wanted == Attribute::Absent {
        context.out.say(format!("  {}  removed", place));
        return;
    }
    let state = if one.is_whole() {
        "back at"
    } else {
        "should be"
    };
    context.out.say(format!(
        "  {}  {state} {}, is {}{error}",
        place,
        brief(&one.wanted),
        brief(&one.found)
    ));
}

/// A value in a line: of a file, only that it is there.
fn brief(value: &Attribute) -> String {
    let text = value.to_string();
    if text.contains('\n') {
        "the old file".to_string()
    } else {
        text
    }
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("      {}", model::text::clean(line)))
        .collect::<Vec<_>>()
        .join("\n")
}
