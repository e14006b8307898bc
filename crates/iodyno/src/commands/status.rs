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
}

#[derive(Serialize)]
struct JournalDocument {
    id: String,
    purpose: String,
    pid: u32,
    unix_ms: u64,
    running: bool,
    kept: bool,
    pending: bool,
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
    let (journals, errors) = host::find_unfinished(&context.state_dir);
    for error in errors {
        context.out.note(format!("iodyno: {error}"));
    }
    if journals.is_empty() {
        context.out.say("Nothing is changed: every setting that iodyno touched is back.");
    }
    let mut documents = Vec::new();
    for journal in &journals {
        context.out.say(unfinished::describe(journal));
        let document = document(context, journal);
        // The tunables of a scheduler go with it and come back with it.
        let is_gone_with_it =
            |setting: &SettingDocument| setting.path.contains("/iosched/") && setting.is == "absent";
        for setting in
            document.settings.iter().filter(|setting| setting.was != setting.is && !is_gone_with_it(setting))
        {
            context.out.say(format!("  {}  was {}, is {}", setting.path, setting.was, setting.is));
        }
        for file in &document.files {
            context.out.say(format!("  {file}  written by iodyno"));
        }
        for tree in &document.trees {
            context.out.say(format!("  {tree}  a tree of files made by iodyno for a load"));
        }
        if document.pending || document.kept {
            context.out.say(format!("  put it back: iodyno undo {}", document.id));
        }
        documents.push(document);
    }
    let state_dir = context.state_dir.display().to_string();
    context.out.document(&Document { schema: "iodyno.status/1", state_dir, journals: documents })?;
    Ok(Exit::Fine)
}

fn document(context: &Context, journal: &host::Unfinished) -> JournalDocument {
    let setting = |saved: &model::change::Saved| SettingDocument {
        path: saved.path.clone(),
        was: shown(&saved.path, &saved.old),
        is: shown(&saved.path, &context.host.attribute(&saved.path)),
    };
    JournalDocument {
        id: journal.id(),
        purpose: journal.state.purpose.clone(),
        pid: journal.state.pid,
        unix_ms: journal.state.unix_ms,
        running: journal.running,
        kept: journal.kept,
        pending: unfinished::is_pending(journal),
        settings: journal.state.saved.iter().map(setting).collect(),
        files: journal.state.files.iter().map(|file| file.path.clone()).collect(),
        trees: journal.state.trees.iter().map(|tree| tree.path.clone()).collect(),
    }
}

/// A value as one word: of a choice the chosen one.
fn shown(path: &str, value: &Attribute) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    value.value().map_or_else(|| value.to_string(), |text| pipeline::apply::shown(name, text))
}
