//! `iodyno run`: one measured load, kept as a record.

mod facts;
mod intervals;
mod lint;
mod stage;
mod targets;

use crate::commands::job_args::{JobArgs, Workload, duration_ms};
use crate::commands::{Context, RecordDocument};
use crate::exit::{Exit, Failure};
use crate::store::Store;
use model::finding::Finding;
use model::iopath::IoPath;
use model::record::{RECORD_SCHEMA, Record, SectionResult};
use pipeline::report::{summary, words};
pub use stage::View;
use std::path::{Path, PathBuf};
use targets::Targets;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A directory (scratch is made in it and removed), a file or a block device; without it, what the job file or the
    /// fio line names.
    pub target: Option<PathBuf>,
    #[command(flatten)]
    job: JobArgs,
    /// How long to run [default: 10s].
    #[arg(long, value_parser = duration_ms)]
    pub runtime: Option<u64>,
    /// Seed of offsets and data; without it, one that is printed.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Print a JSON line on stdout for every interval, and the record's at the end; words go to stderr.
    #[arg(long)]
    pub stream: bool,
    /// Length of an interval of --stream and of the series in the record.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration_ms)]
    pub interval: u64,
}

/// Loads, measures, keeps and says what was found.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let context = &context.streaming(args.stream);
    let store = Store::open(&context.state_dir)?;
    let workload = args.job.workload(args.runtime, args.seed)?;
    for note in &workload.notes {
        context.out.note(format!("note: {note}"));
    }
    let root = targets::root(args.target.as_deref(), &workload)?;
    let path = inspect(context, &root)?;
    measure_and_keep(args, context, &store, &workload, &path)
}

fn inspect(context: &Context, target: &Path) -> Result<IoPath, Failure> {
    pipeline::inventory::collect(&context.host, &target.to_string_lossy())
        .map_err(crate::commands::inspect::failure)
}

fn measure_and_keep(
    args: &Args,
    context: &Context,
    store: &Store,
    workload: &Workload,
    path: &IoPath,
) -> Result<Exit, Failure> {
    let lint = lint::Lint::before(args, context, workload, path);
    let stop = context.stop_on_signals()?;
    let targets = Targets::prepare(args, context, workload, path, &stop)?;
    let done = stage::run_all(args, context, workload, &targets, path, &stop)?;
    drop(targets);
    let was_cut = stop.is_asked();
    let findings = lint.after(path, &done);
    let record = record(context, workload, path, done, findings);
    let id = store.insert(&record)?;
    for line in words::record(id, &record) {
        context.out.say(line);
    }
    if was_cut {
        context.out.note(format!(
            "iodyno: stopped by {}; the record holds what ran until then.",
            stop.signal_name()
        ));
    }
    let document = RecordDocument { schema: "iodyno.run/1", id, record: &record };
    if args.stream {
        context.out.line(&document)
    } else {
        context.out.document(&document)?
    }
    let is_bad = record_is_bad(&record);
    Ok(match (was_cut, is_bad) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Fine,
    })
}

/// Whether reading back found other data than was written.
fn record_is_bad(record: &Record) -> bool {
    let sections = record.sections.iter().map(|section| &section.load).chain(&record.load);
    sections.filter_map(|load| load.verified.as_ref()).any(|verified| verified.bad > 0)
}

fn record(
    context: &Context,
    workload: &Workload,
    path: &IoPath,
    done: stage::Done,
    findings: Vec<Finding>,
) -> Record {
    let mut sections = done.sections;
    let first = sections.first();
    let job = first.map_or_else(|| workload.sections[0].job.clone(), |section| section.job.clone());
    let load = first.map(|section| section.load.clone());
    let summary = summary::sentence(&sections);
    if sections.len() == 1 {
        sections.clear();
    }
    Record {
        schema: RECORD_SCHEMA.into(),
        verb: "run".into(),
        target: path.target.clone(),
        summary,
        provenance: crate::provenance::of(&context.host),
        path: path.clone(),
        job,
        load,
        sections,
        findings,
        sensors: done.sensors,
        trials: Vec::new(),
    }
}

/// The sections of a record, also of one that keeps its only one outside the list.
pub fn sections_of(record: &Record) -> Vec<SectionResult> {
    match (&record.load, record.sections.is_empty()) {
        (Some(load), true) => vec![SectionResult {
            name: String::new(),
            stage: 0,
            start_ms: 0,
            job: record.job.clone(),
            load: load.clone(),
        }],
        _ => record.sections.clone(),
    }
}
