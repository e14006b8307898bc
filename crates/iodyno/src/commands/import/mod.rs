//! `iodyno import`: results of other tools become records.

mod inputs;
pub mod record;
pub mod source;
mod table;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use imports::Unread;
use inputs::Input;
use model::imported::Imported;
use serde::Serialize;
use std::collections::HashMap;
use store::{Filter, Origin, Store};

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// Files that other tools wrote, or pages that their output was pasted into; a folder stands for the files in it, `-`
    /// for stdin. The files that blktrace writes for each CPU are read together.
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
    pub results: Vec<FoundResults>,
    /// What could not be read, with first and last line.
    pub unread: Vec<Unread>,
}

/// What became of a result.
#[derive(Debug, Serialize)]
pub struct FoundResults {
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
struct ImportDocument {
    schema: &'static str,
    dry_run: bool,
    files: Vec<File>,
}

/// Reads the files and keeps what is in them.
pub fn run(args: &ImportArgs, context: &Context) -> Result<Exit, Failure> {
    let store = if args.dry_run {
        None
    } else {
        Some(Store::open(&context.state_dir)?)
    };
    let mut keeper = Keeper {
        store,
        args,
        context,
        rows: HashMap::new(),
        seen: HashMap::new(),
    };
    keeper.look()?;
    let mut files = Vec::new();
    for input in inputs::of(&args.files, &context.host) {
        let file = keeper.file(&input)?;
        table::lines(&file, args.verbose, args.dry_run)
            .into_iter()
            .for_each(|line| context.out.say(line));
        files.push(file);
    }
    if files.len() > 1 {
        context.out.say(table::total(&files, args.dry_run));
    }
    let failed = failure(&files);
    context.out.document(&ImportDocument {
        schema: "iodyno.import/1",
        dry_run: args.dry_run,
        files,
    })?;
    failed.map_or(Ok(Exit::Fine), Err)
}

/// Why the import failed: a file could not be read, or no file held a result. The answer has told it.
fn failure(files: &[File]) -> Option<Failure> {
    let of = |file: &File, why: &str| {
        let failure = Failure::new(Exit::Failed, format!("{}: {why}", file.file));
        failure.on(&file.file).why(why).told()
    };
    let unread = files
        .iter()
        .find_map(|file| Some(of(file, file.error.as_ref()?)));
    let is_empty = files.iter().all(|file| file.results.is_empty());
    let nothing = || {
        files
            .first()
            .filter(|_| is_empty)
            .map(|file| of(file, table::NOTHING))
    };
    unread.or_else(nothing)
}

/// Keeps what is new.
struct Keeper<'a> {
    store: Option<Store>,
    args: &'a ImportArgs,
    context: &'a Context,
    /// Numbers of the imports that are there, by their summaries.
    rows: HashMap<String, Vec<i64>>,
    /// What a dry run has seen, by summary.
    seen: HashMap<String, Vec<Imported>>,
}

impl Keeper<'_> {
    fn look(&mut self) -> Result<(), Failure> {
        if let Some(store) = &self.store {
            let filter = Filter {
                verb: Some("import".into()),
                ..Filter::default()
            };
            for row in store.query(&filter)? {
                self.rows.entry(row.summary).or_default().push(row.id);
            }
        }
        Ok(())
    }

    fn file(&mut self, input: &Input) -> Result<File, Failure> {
        let mut file = File {
            file: input.name.clone(),
            error: input.error.clone(),
            results: Vec::new(),
            unread: Vec::new(),
        };
        if file.error.is_some() {
            return Ok(file);
        }
        let import = match source::import(input) {
            Ok(import) => import,
            Err(error) => {
                file.error = Some(error.to_string());
                return Ok(file);
            }
        };
        file.unread = import.unread;
        for imported in import.results {
            let imported = record::labelled(
                imported,
                self.args.host.as_deref(),
                self.args.device.as_deref(),
            );
            file.results.push(self.found(imported)?);
        }
        self.keep(&mut file.results)?;
        Ok(file)
    }

    /// Whether it is there already, whatever file it came from; what is not is remembered.
    fn found(&mut self, imported: Imported) -> Result<FoundResults, Failure> {
        let summary = record::summary(&imported);
        let bare = record::bare(&imported);
        let is_same = |other: &Imported| record::bare(other) == bare;
        if let Some(store) = &self.store {
            for id in self.rows.get(&summary).into_iter().flatten() {
                if store.get(*id)?.imported().is_some_and(is_same) {
                    return Ok(FoundResults {
                        record: Some(*id),
                        known: true,
                        summary,
                        imported,
                    });
                }
            }
        }
        let seen = self.seen.entry(summary.clone()).or_default();
        let known = seen.contains(&bare);
        if !known {
            seen.push(bare);
        }
        Ok(FoundResults {
            record: None,
            known,
            summary,
            imported,
        })
    }

    /// All new results of a file in one go.
    fn keep(&mut self, results: &mut [FoundResults]) -> Result<(), Failure> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let mut new: Vec<&mut FoundResults> =
            results.iter_mut().filter(|found| !found.known).collect();
        let records: Vec<_> = new
            .iter()
            .map(|found| record::of(&self.context.host, found.imported.clone()))
            .collect();
        let from = new.first().map_or("", |found| found.imported.file.as_str());
        let ids = store.insert_from(&records, &Origin::imported(from))?;
        let tags: Vec<&str> = self.args.tag.iter().map(String::as_str).collect();
        for (found, id) in new.iter_mut().zip(ids) {
            if !tags.is_empty() {
                store.tag(id, &tags)?;
            }
            found.record = Some(id);
            self.rows.entry(found.summary.clone()).or_default().push(id);
        }
        // A result that the file tells twice has the number of the first.
        let first: HashMap<String, i64> = results
            .iter()
            .rev()
            .filter_map(|found| Some((found.summary.clone(), found.record?)))
            .collect();
        for found in results.iter_mut().filter(|found| found.record.is_none()) {
            found.record = first.get(&found.summary).copied();
        }
        self.seen.clear();
        Ok(())
    }
}
