//! The verbs, one file each, and what they share.

pub mod apply;
pub mod catalogue;
pub mod check;
pub mod cloud;
pub mod compare;
pub mod completions;
pub mod delete;
pub mod diff;
pub mod explain;
pub mod export;
mod filter_args;
pub mod history;
pub mod import;
pub mod inspect;
mod job_args;
pub mod judge;
mod layers_arg;
pub mod list;
pub mod merge;
pub mod note;
pub mod report;
pub mod run;
pub mod serve;
pub mod show;
pub mod status;
pub mod store;
pub mod tag;
pub mod tune;
pub mod undo;
pub mod watch;

use crate::cli::{Cli, Verb};
use crate::exit::{Exit, Failure};
use crate::out::Out;
use host::Host;
use host::signals::Stop;
use model::record::Record;
use serde::Serialize;
use std::path::PathBuf;

/// The document of a verb that shows one record; without a number where it could not be stored.
#[derive(Serialize)]
struct RecordDocument<'a> {
    schema: &'static str,
    id: Option<i64>,
    record: &'a Record,
}

/// What every verb is given.
#[derive(Debug)]
pub struct Context {
    /// Where words go.
    pub out: Out,
    /// The live machine.
    pub host: Host,
    /// Where records, journals and locks live.
    pub state_dir: PathBuf,
}

impl Context {
    /// From the command line and the environment.
    pub fn new(cli: &Cli) -> Self {
        Context {
            out: Out::new(cli.json),
            host: Host::live(),
            state_dir: host::environment::state_dir(),
        }
    }

    /// The same, with words for people on stderr where stdout carries a stream.
    pub fn streaming(&self, is_streaming: bool) -> Context {
        let out = if is_streaming {
            Out::of_a_stream()
        } else {
            self.out
        };
        Context {
            out,
            host: self.host.clone(),
            state_dir: self.state_dir.clone(),
        }
    }

    /// The flag that every signal raises which would end the process.
    pub fn stop_on_signals(&self) -> Result<Stop, Failure> {
        Stop::on_signals().map_err(|error| {
            Failure::new(Exit::Failed, format!("cannot watch for signals: {error}"))
        })
    }
}

/// Runs the verb. Any verb but the ones that deal with journals first says when an earlier command died unfinished.
pub fn dispatch(verb: Verb, context: &Context) -> Result<Exit, Failure> {
    if !matches!(
        verb,
        Verb::Undo(_) | Verb::Status | Verb::Completions(_) | Verb::Manual | Verb::Judge(_)
    ) {
        crate::unfinished::warn(context);
    }
    match verb {
        Verb::Inspect(args) => inspect::run(&args, context),
        Verb::Diff(args) => diff::run(&args, context),
        Verb::Check(args) => check::run(&args, context),
        Verb::Run(args) => run::run(&args, context),
        Verb::Watch(args) => watch::run(&args, context),
        Verb::Tune(args) => tune::run(&args, context),
        Verb::Apply(args) => apply::run(&args, context),
        Verb::Import(args) => import::run(&args, context),
        Verb::Undo(args) => undo::run(&args, context),
        Verb::Status => status::run(context),
        Verb::Serve(args) => serve::run(&args, context),
        Verb::Judge(args) => judge::run(args),
        Verb::Cloud(args) => cloud::run(&args, context),
        Verb::List(args) => list::run(&args, context),
        Verb::Compare(args) => compare::run(&args, context),
        Verb::History(args) => history::run(&args, context),
        Verb::Show(args) => show::run(&args, context),
        Verb::Tag(args) => tag::run(&args, context),
        Verb::Note(args) => note::run(&args, context),
        Verb::Delete(args) => delete::run(&args, context),
        Verb::Export(args) => export::run(&args, context),
        Verb::Merge(args) => merge::run(&args, context),
        Verb::Store(args) => store::run(&args, context),
        Verb::Report(args) => report::run(&args, context),
        Verb::Explain(args) => explain::run(&args, context),
        Verb::Catalogue => catalogue::run(context),
        Verb::Completions(args) => completions::run(&args, context),
        Verb::Manual => completions::manual(context),
    }
}
