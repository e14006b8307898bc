//! From a verb on the command line to the command that does it.

use crate::cli::{Cli, Verb};
use crate::commands::{
    apply, boots, catalogue, check, cloud, compare, completions, dataset, delete, diff, explain,
    export, fleet, guard, history, import, inspect, judge, k8s, limit, list, loop_device, manual,
    merge, note, report, rights, run, serve, set, show, status, store, tag, tune, undo, watch,
};
use crate::container::in_container;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use clap::CommandFactory;

/// Runs the verb. Any verb but the ones that deal with journals first says when an earlier command died unfinished.
pub fn run(verb: Verb, context: &Context) -> Result<Exit, Failure> {
    if !matches!(
        verb,
        Verb::Undo(_)
            | Verb::Status
            // It puts back itself what ended unfinished.
            | Verb::Guard(_)
            | Verb::Loop(_)
            | Verb::Completions(_)
            | Verb::Manual(_)
            | Verb::Openapi
            | Verb::Fill(_)
            | Verb::Attend
            | Verb::ServeDoor
            | Verb::Judge(_)
    ) {
        crate::unfinished::warn(context);
    }
    match verb {
        Verb::Inspect(args) => in_container(args, context, inspect::run),
        Verb::Diff(args) => diff::run(&args, context),
        Verb::Check(args) => in_container(args, context, check::run),
        Verb::Run(args) => in_container(args, context, run::run),
        Verb::Watch(args) => in_container(args, context, watch::run),
        Verb::Limit(args) => in_container(args, context, limit::run),
        Verb::Loop(args) => loop_device::run(&args, context),
        Verb::Dataset(args) => in_container(args, context, dataset::run),
        Verb::K8s(args) => k8s::run(&args, context),
        Verb::Tune(args) => in_container(args, context, tune::run),
        Verb::Boots(args) => boots::run(&args, context),
        Verb::Apply(args) => apply::run(&args, context),
        Verb::Set(args) => set::run(&args, context),
        Verb::Import(args) => import::run(&args, context),
        Verb::Undo(args) => undo::run(&args, context),
        Verb::Status => status::run(context),
        Verb::Fleet(args) => fleet::run(&args, context),
        Verb::Attend => fleet::attend::run(context),
        Verb::Serve(args) => serve::run(&args, context),
        Verb::ServeDoor => serve::listen(),
        Verb::Judge(args) => judge::run(args),
        Verb::Cloud(args) => cloud::run(&args, context),
        Verb::List(args) => list::run(&args, context),
        Verb::Compare(args) => compare::run(&args, context),
        Verb::Guard(args) => guard::run(&args, context),
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
        Verb::Rights(args) => rights::run(&args, context),
        Verb::Completions(args) => completions::run(&args, Cli::command(), context),
        Verb::Manual(args) => manual::run(&args, Cli::command(), context),
        Verb::Fill(args) => limit::fill(&args),
        Verb::Openapi => serve::description(context),
    }
}
