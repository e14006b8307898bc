//! `iodyno store`: where the records are, whether they are whole, and a copy of them.

use super::Context;
use crate::exit::{Exit, Failure};
use model::text::shell_word;
use model::units;
use serde::Serialize;
use std::path::{Path, PathBuf};
use store::{Checked, Status, Store};

/// Arguments of `store`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Look at every page and every record; changes nothing.
    Check,
    /// Copy the store into a new file while it is in use.
    Backup {
        /// The new file.
        file: PathBuf,
    },
}

#[derive(Serialize)]
struct Document<'a, T: Serialize> {
    schema: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

#[derive(Serialize)]
struct Backup {
    file: String,
}

/// Does what was asked, or says what the store is.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open_read_only(&context.state_dir)?;
    match &args.what {
        None => status(&store, context),
        Some(What::Check) => check(&store, context),
        Some(What::Backup { file }) => backup(&store, file, context),
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
    context.out.document(&Document {
        schema: "iodyno.store/1",
        content: &status,
    })?;
    Ok(Exit::Fine)
}

fn check(store: &Store, context: &Context) -> Result<Exit, Failure> {
    let checked: Checked = store.check()?;
    let is_whole = checked.problems.is_empty();
    context.out.say(match is_whole {
        true => format!(
            "The store is whole: {} records were read back as they were written.",
            checked.whole
        ),
        false => format!("The store is damaged; {} records are whole.", checked.whole),
    });
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
    context.out.document(&Document {
        schema: "iodyno.store-check/1",
        content: &checked,
    })?;
    match checked.problems.first() {
        None => Ok(Exit::Fine),
        Some(first) => {
            let failure = Failure::new(Exit::Failed, "The store is damaged.");
            let path = store.path().display().to_string();
            Err(failure.on(path).why(first).told())
        }
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
    context.out.document(&Document {
        schema: "iodyno.backup/1",
        content: &content,
    })?;
    Ok(Exit::Fine)
}
