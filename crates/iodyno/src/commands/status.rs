//! `iodyno status`: what is changed and not yet put back.

use super::Context;
use crate::exit::{Exit, Failure};
use crate::unfinished;
use model::change::Attribute;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    state_dir: String,
    journals: Vec<JournalDocument>,
    /// Journals of this boot in other state directories.
    elsewhere: Vec<JournalDocument>,
    /// Damaged journals whose whole lines were put back.
    salvaged: Vec<String>,
}

#[derive(Serialize)]
struct JournalDocument {
    id: String,
    purpose: String,
    pid: u32,
    unix_ms: u64,
    /// The device whose settings it holds.
    device: Option<String>,
    running: bool,
    kept: bool,
    pending: bool,
    /// The first line that is not what was written.
    damaged_line: Option<usize>,
    settings: Vec<SettingDocument>,
    files: Vec<String>,
    trees: Vec<String>,
}

#[derive(Serialize)]
struct SettingDocument {
    path: String,
    was: String,
    is: String,
}

/// Lists the journals with the settings that differ from what they saved.
pub fn run(context: &Context) -> Result<Exit, Failure> {
    let host::Found {
        journals,
        errors,
        salvaged,
    } = host::find_unfinished(&context.host, &context.state_dir);
    for error in &errors {
        context.out.note(format!("iodyno: {error}"));
    }
    let elsewhere = host::find_elsewhere(&context.host, &context.state_dir);
    if journals.is_empty() && errors.is_empty() {
        let dir = model::text::shown(&context.state_dir);
        context.out.say(match elsewhere.len() {
            0 => format!("Nothing is changed: no journal is in {dir}."),
            _ => format!("No journal is in {dir}. Other state directories have:"),
        });
    }
    for path in &salvaged {
        context.out.say(format!(
            "{}  a damaged journal whose whole lines were put back; what its damaged line held may still be changed. \
             Remove the file once that is settled.",
            path.display()
        ));
    }
    let documents = |journals: &[host::Unfinished]| -> Vec<JournalDocument> {
        journals
            .iter()
            .map(|journal| say_one(context, journal))
            .collect()
    };
    let (journals, elsewhere) = (documents(&journals), documents(&elsewhere));
    let state_dir = context.state_dir.display().to_string();
    let salvaged = salvaged
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    context.out.document(&Document {
        schema: "iodyno.status/1",
        state_dir,
        journals,
        elsewhere,
        salvaged,
    })?;
    unfinished::must_be_read(errors)?;
    Ok(Exit::Fine)
}

/// A journal with the settings that differ from what it saved.
fn say_one(context: &Context, journal: &host::Unfinished) -> JournalDocument {
    context.out.say(unfinished::describe(journal));
    let document = document(context, journal);
    // The tunables of a scheduler go with it and come back with it.
    let is_gone_with_it =
        |setting: &SettingDocument| setting.path.contains("/iosched/") && setting.is == "absent";
    for setting in document
        .settings
        .iter()
        .filter(|setting| setting.was != setting.is && !is_gone_with_it(setting))
    {
        context.out.say(format!(
            "  {}  was {}, is {}",
            setting.path, setting.was, setting.is
        ));
    }
    for file in &document.files {
        context.out.say(format!("  {file}  written by iodyno"));
    }
    for tree in &document.trees {
        context.out.say(format!(
            "  {tree}  a tree of files made by iodyno for a load"
        ));
    }
    if let Some(why) = journal
        .another_device(&context.host)
        .filter(|_| !journal.is_of_an_earlier_boot)
    {
        context.out.say(format!("  {why}"));
    }
    if document.pending || document.kept {
        context.out.say(format!(
            "  put it back: {}",
            journal.undo_command(&context.state_dir)
        ));
    }
    document
}

fn document(context: &Context, journal: &host::Unfinished) -> JournalDocument {
    let setting = |saved: &model::change::Saved| SettingDocument {
        path: saved.path.clone(),
        was: shown(&saved.path, &saved.old),
        is: shown(&saved.path, &context.host.attribute(&saved.path)),
    };
    JournalDocument {
        id: journal.id(),
        purpose: journal.begin.purpose.clone(),
        pid: journal.begin.pid,
        unix_ms: journal.begin.unix_ms,
        device: journal
            .begin
            .device
            .as_ref()
            .map(|device| device.name.clone()),
        running: journal.running,
        kept: journal.kept.is_some(),
        pending: journal.is_pending(),
        damaged_line: journal.damage.as_ref().map(|damage| damage.line),
        settings: journal.saved.iter().map(setting).collect(),
        files: journal.files.iter().map(|file| file.path.clone()).collect(),
        trees: journal.trees.iter().map(|tree| tree.path.clone()).collect(),
    }
}

/// A value as one word: of a choice the chosen one.
fn shown(path: &str, value: &Attribute) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    value
        .value()
        .map_or_else(|| value.to_string(), |text| apply::shown(name, text))
}
