//! `iodyno import`: results of other tools become records.

mod record;
mod source;
mod table;

use super::Context;
use crate::exit::{Exit, Failure};
use imports::{ImportError, Unread};
use model::imported::Imported;
use serde::Serialize;
use store::{Filter, Store};

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files that other tools wrote, or pages that their output was pasted into; `-` is stdin.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Say what is found and keep nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// List every line that could not be read, and every unit and loss with its records.
    #[arg(long, short)]
    pub verbose: bool,
    /// A tag for the new records; may be given more than once.
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Which host the results are of, where they do not say.
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Which device the results are of, where they do not say.
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
}

/// What became of a file.
#[derive(Debug, Serialize)]
pub struct File {
    /// As the user named it.
    pub file: String,
    /// Why it could not be read at all.
    pub error: Option<String>,
    /// The results in it, in their order.
    pub results: Vec<Found>,
    /// What could not be read, with first and last line.
    pub unread: Vec<Unread>,
}

/// What became of a result.
#[derive(Debug, Serialize)]
pub struct Found {
    /// The record it is kept as; none of a dry run.
    pub record: Option<i64>,
    /// Whether it was there already: then the record is the one that was there.
    pub known: bool,
    /// The sentence a person needs.
    pub summary: String,
    /// What the source says.
    pub imported: Imported,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    dry_run: bool,
    files: Vec<File>,
}

/// Reads the files and keeps what is in them.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = if args.dry_run { None } else { Some(Store::open(&context.state_dir)?) };
    let mut keeper = Keeper { store, args, context, rows: Vec::new(), seen: Vec::new() };
    keeper.look()?;
    let mut files = Vec::new();
    for name in &args.files {
        let file = keeper.file(name)?;
        table::lines(&file, args.verbose, args.dry_run).into_iter().for_each(|line| context.out.say(line));
        files.push(file);
    }
    if files.len() > 1 {
        context.out.say(table::total(&files, args.dry_run));
    }
    let has_failed = files.iter().any(|file| file.error.is_some());
    context.out.document(&Document { schema: "iodyno.import/1", dry_run: args.dry_run, files })?;
    Ok(if has_failed { Exit::Failed } else { Exit::Fine })
}

/// Keeps what is new.
struct Keeper<'a> {
    store: Option<Store>,
    args: &'a Args,
    context: &'a Context,
    /// Number and summary of the imports that are there.
    rows: Vec<(i64, String)>,
    /// What a dry run has seen.
    seen: Vec<Imported>,
}

impl Keeper<'_> {
    fn look(&mut self) -> Result<(), Failure> {
        if let Some(store) = &self.store {
            let filter = Filter { verb: Some("import".into()), ..Filter::default() };
            self.rows = store.query(&filter)?.into_iter().map(|row| (row.id, row.summary)).collect();
        }
        Ok(())
    }

    fn file(&mut self, name: &str) -> Result<File, Failure> {
        let mut file = File { file: name.into(), error: None, results: Vec::new(), unread: Vec::new() };
        let read = source::open(name).and_then(|mut source| imports::import(name, &mut source));
        let import = match read {
            Ok(import) => import,
            Err(error) => {
                file.error = Some(explain(&error));
                return Ok(file);
            }
        };
        file.unread = import.unread;
        for imported in import.results {
            let imported = record::labelled(imported, self.args.host.as_deref(), self.args.device.as_deref());
            file.results.push(self.keep(imported)?);
        }
        Ok(file)
    }

    fn keep(&mut self, imported: Imported) -> Result<Found, Failure> {
        let summary = record::summary(&imported);
        if let Some(known) = self.known(&imported, &summary)? {
            return Ok(Found { record: known, known: true, summary, imported });
        }
        let Some(store) = &self.store else {
            self.seen.push(record::bare(&imported));
            return Ok(Found { record: None, known: false, summary, imported });
        };
        let record = record::of(&self.context.host, imported);
        let id = store.insert(&record)?;
        if !self.args.tag.is_empty() {
            store.tag(id, &self.args.tag.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        self.rows.push((id, summary.clone()));
        let imported = record.imported.unwrap_or_default();
        Ok(Found { record: Some(id), known: false, summary, imported })
    }

    /// The record that says the same already, whatever file it came from.
    fn known(&self, imported: &Imported, summary: &str) -> Result<Option<Option<i64>>, Failure> {
        let bare = record::bare(imported);
        let Some(store) = &self.store else {
            return Ok(self.seen.contains(&bare).then_some(None));
        };
        for (id, other) in &self.rows {
            if other == summary && store.get(*id)?.imported.as_ref().map(record::bare).as_ref() == Some(&bare)
            {
                return Ok(Some(Some(*id)));
            }
        }
        Ok(None)
    }
}

fn explain(error: &ImportError) -> String {
    error.to_string()
}
