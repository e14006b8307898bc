//! `iodyno status`: what is changed and not yet put back.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::unfinished;
use lookup::drift::Drift;
use lookup::status::{self, Journal};
use model::subject::place_in_words;

/// Lists the journals with the settings that differ from what they saved.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let found = host::find_unfinished(&context.host, &context.state_dir);
    for error in &found.errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let elsewhere = host::find_elsewhere(&context.host, &context.state_dir);
    if found.journals.is_empty() && found.errors.is_empty() {
        let dir = model::text::shown(&context.state_dir);
        context.out.say(match elsewhere.len() {
            0 => format!("Nothing is changed: no journal is in {dir}."),
            _ => format!("No journal is in {dir}. Other state directories have:"),
        });
    }
    for path in &found.salvaged {
        context.out.say(format!(
            "{}  a damaged journal of which nothing more can be put back; what its damaged line held may still be changed. \
             Remove the file once that is settled.",
            path.display()
        ));
    }
    let status = status::of(&context.host, &context.state_dir, &found, &elsewhere);
    let journals = found.journals.iter().zip(&status.journals);
    journals
        .chain(elsewhere.iter().zip(&status.elsewhere))
        .for_each(|(journal, told)| say_one(context, journal, told));
    context.out.document(&status)?;
    unfinished::must_be_read(found.errors)?;
    Ok(Exit::Fine)
}

/// A journal with the settings that differ from what it saved.
fn say_one(context: &Context, journal: &host::Unfinished, told: &Journal) {
    context.out.say(unfinished::describe(journal));
    let drifted = |path: &str| told.drift.iter().any(|drift| drift.path == path);
    let changed = told.settings.iter().filter(|setting| setting.is_changed());
    for setting in changed.filter(|setting| !drifted(&setting.path)) {
        context.out.say(format!(
            "  {}  was {}, is {}",
            place_in_words(&setting.path),
            setting.was,
            setting.is
        ));
    }
    for file in told.files.iter().filter(|file| !drifted(file)) {
        context.out.say(format!("  {file}  written by iodyno"));
    }
    told.drift
        .iter()
        .for_each(|drift| say_drift(context, drift));
    for tree in &told.trees {
        context.out.say(format!(
            "  {tree}  a tree of files made by iodyno for a load"
        ));
    }
    for group in &told.groups {
        context.out.say(format!(
            "  {group}  a control group made by iodyno for a load"
        ));
    }
    if let Some(file) = &told.loop_file {
        context.out.say(format!(
            "  {file}  the file of a loop device: iodyno loop list"
        ));
    }
    for objects in told.objects.iter().chain(&told.kubernetes) {
        context
            .out
            .say(format!("  {objects}  made by iodyno for a load"));
    }
    if let Some(why) = journal
        .another_device(&context.host)
        .filter(|_| !journal.is_of_an_earlier_boot)
    {
        context.out.say(format!("  {why}"));
    }
    if let Some(way) = &told.way_out {
        context.out.say(format!("  {}: {}", way.aim, way.command));
    }
}

/// What is not as it was put in place, who can have done that, and what to do about it.
fn say_drift(context: &Context, drift: &Drift) {
    let (place, set, is) = (place_in_words(&drift.path), &drift.set, &drift.is);
    context
        .out
        .say(format!("  {place}  drift: set {set}, is {is}"));
    context.out.say(format!("    {}", drift.why));
    if let Some(command) = &drift.bring_back {
        context.out.say(format!("    bring it back: {command}"));
    }
    if let Some(command) = &drift.accept {
        context
            .out
            .say(format!("    accept it as it is: {command}"));
    }
}
