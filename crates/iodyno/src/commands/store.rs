//! `iodyno store`: where the records are, whether they are whole, and a copy of them.

use crate::context::Context;
use crate::exit::{Exit, Failure};
use model::text::shell_word;
use model::units;
use serde::Serialize;
use std::path::{Path, PathBuf};
use store::{Checked, Status, Store};

/// Arguments of `store`.
#[derive(Debug, clap::Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    what: Option<StoreVerb>,
}

#[derive(Debug, clap::Subcommand)]
enum StoreVerb {
    /// Look at every page and every record; changes nothing.
    Check,
    /// Copy the store into a new file while it is in use.
    Backup {
        /// The new file.
        file: PathBuf,
    },
}

#[derive(Serialize)]
struct StoreDocument<'a, T: Serialize> {
    schema: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

#[derive(Serialize)]
struct Backup {
    file: String,
}

/// Does what was asked, or says what the store is.
pub fn run(args: &StoreArgs, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    match &args.what {
        None => status(&store, context),
        Some(StoreVerb::Check) => check(&store, context),
        Some(StoreVerb::Backup { file }) => backup(&store, file, context),
    }
}

fn status(store: &Store, context: &Context) -> Result<Exit, Failure> {
    let status: Status = store.status()?;
    context.out.say(&status.path);
    if status.exists {
        context.out.say(format!(
            "  records: {}, with {} samples; {}, which would be {} of JSON",
            status.records,
            units::count(status.samples as f64),
            units::bytes(status.bytes as f64),
            units::bytes(status.document_bytes as f64)
        ));
        context.out.say(format!("  schema {}", status.schema));
    } else {
        context
            .out
            .say("  not there yet: the first record makes it");
    }
    context.out.document(&StoreDocument {
        schema: "iodyno.store/1",
        content: &status,
    })?;
    Ok(Exit::Fine)
}

fn check(store: &Store, context: &Context) -> Result<Exit, Failure> {
    let checked: Checked = store.check()?;
    let is_whole = checked.problems.is_empty();
    context
        .out
        .say(match (is_whole, checked.programs.is_empty()) {
            (true, true) => format!(
                "The store is whole: {} records were read back as they were written.",
                checked.whole
            ),
            (true, false) => format!("{} records are whole.", checked.whole),
            (false, _) => format!("The store is damaged; {} records are whole.", checked.whole),
        });
    say_programs(&checked, store, context);
    for problem in &checked.problems {
        context
            .out
            .say(format!("  {}", report::text::clean(problem)));
    }
    if !is_whole {
        context
            .out
            .say("What is whole can be taken over into a new store:");
        let path = store.path().display();
        let (path, damaged) = (path.to_string(), format!("{path}.damaged"));
        let (path, damaged) = (shell_word(&path), shell_word(&damaged));
        context
            .out
            .say(format!("  mv {path} {damaged} && iodyno merge {damaged}"));
    }
    context.out.document(&StoreDocument {
        schema: "iodyno.store-check/1",
        content: &checked,
    })?;
    if !is_whole {
        let failure = Failure::new(Exit::Failed, "The store is damaged.");
        let path = store.path().display().to_string();
        let why = checked.problems.first().cloned().unwrap_or_default();
        return Err(failure.on(path).why(why).told());
    }
    match checked.programs.first() {
        None => Ok(Exit::Fine),
        Some(first) => {
            let why = format!("{} is not iodyno's", first.phrase());
            let failure = Failure::new(Exit::Failed, "Nothing is written to the store.");
            let failure = failure.on(store.path().display().to_string()).why(why);
            let command = store::removal(store.path(), &checked.programs);
            Err(failure.hint(format!("remove it: {command}")).told())
        }
    }
}

/// Names what SQLite would run while records are written.
fn say_programs(checked: &Checked, store: &Store, context: &Context) {
    for program in &checked.programs {
        context.out.say(format!(
            "  {} is not iodyno's: it could change or remove records, and nothing is written to the store while it is there",
            program.phrase()
        ));
    }
    if !checked.programs.is_empty() {
        let command = store::removal(store.path(), &checked.programs);
        context.out.say(format!("  remove it: {command}"));
    }
}

fn backup(store: &Store, file: &Path, context: &Context) -> Result<Exit, Failure> {
    store.backup(file)?;
    context
        .out
        .say(format!("copied to {}", model::text::shown(file)));
    let content = Backup {
        file: file.to_string_lossy().into_owned(),
    };
    context.out.document(&StoreDocument {
        schema: "iodyno.backup/1",
        content: &content,
    })?;
    Ok(Exit::Fine)
}
