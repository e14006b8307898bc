//! `iodyno run`: one measured load, kept as a record.

mod args;
mod ended;
pub mod facts;
mod find_max;
mod grid;
pub mod intervals;
pub mod lint;
mod matrix;
mod outside;
mod precondition;
mod series;
mod stage;
mod steady;
mod study;
mod sweep;
pub mod targets;

use crate::commands::job_args::Workload;
use crate::context::{Context, RecordAnswer};
use crate::exit::{Exit, Failure};
use crate::keep;
pub use args::RunArgs;
use ended::ended;
use host::Target;
use host::signals::Stop;
use load::defaults;
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Job;
use model::record::{Provenance, Record, RecordBody, RunBody};
use model::secret;
use model::studies::Studies;
use report::{summary, words};
use std::sync::Arc;
use store::Store;
use targets::{Opened, Targets};

/// Loads, measures, keeps and says what was found.
pub fn run(args: &RunArgs, context: &Context) -> Result<Exit, Failure> {
    let context = &context.streaming(args.stream);
    let store = Store::open(&context.state_dir)?;
    let mut workload = args.job.workload(args.runtime, args.seed)?;
    for note in &workload.notes {
        context.out.note(format!("note: {note}"));
    }
    let (root, path) = Opened::default().root(args.target.as_deref(), context, &workload)?;
    for section in &mut workload.sections {
        match workload.is_fio {
            true => defaults::stand_in(&mut section.job, root.kind()),
            false => defaults::on(&mut section.job, root.kind()),
        }
    }
    let mut lint = lint::Lint::before(args, context, &workload, (&root, &path));
    if args.strict {
        lint.refuse()?;
    }
    if args.corrected {
        workload.sections = lint.correct(args, context, &workload, (&root, &path));
    }
    let stop = context.stop_on_signals()?;
    match study_of(args, &workload)? {
        None => measure_and_keep(
            args,
            context,
            &store,
            &workload,
            (&root, &path),
            &stop,
            lint,
        ),
        Some((study, job)) => {
            let (target, consent) = (&root, args.job.consent());
            let subject = series::SeriesSubject {
                context,
                target,
                path,
                job,
                consent,
                args: &args.study,
                stop: &stop,
                findings: lint.findings,
            };
            study::run(study, subject)
        }
    }
}

/// A series of loads in place of one, where the options or the job ask for it.
fn study_of(args: &RunArgs, workload: &Workload) -> Result<Option<(study::Study, Job)>, Failure> {
    let studies = workload
        .sections
        .iter()
        .map(|section| Ok((study::Study::of(&args.study, &section.job)?, section)));
    let all = studies.collect::<Result<Vec<_>, Failure>>()?;
    match &all[..] {
        [(Some(study), section)] => Ok(Some((study.clone(), section.job.clone()))),
        many if many.iter().any(|(study, _)| study.is_some()) => Err(Failure::usage(format!(
            "a series of loads needs one section, and the job has {}. Choose one with --section NAME",
            many.len()
        ))),
        _ => Ok(None),
    }
}

fn measure_and_keep(
    args: &RunArgs,
    context: &Context,
    store: &Store,
    workload: &Workload,
    (root, path): (&Arc<Target>, &IoPath),
    stop: &Stop,
    lint: lint::Lint,
) -> Result<Exit, Failure> {
    let (targets, studies) = Targets::prepare(args, context, workload, (root, path), stop)?;
    let provenance = crate::provenance::of(&context.host);
    let done = stage::run_all(args, context, workload, &targets, path, stop)?;
    drop(targets);
    let was_cut = stop.is_asked();
    let findings = lint.after(path, &done);
    let mut record = record(provenance, workload, path, (done, studies), findings);
    let kept = match args.unkept {
        true => keep::Kept::by_another(),
        false => keep::into_store(store, &record),
    };
    // What was said before the load need not be said again.
    let all = record.findings.clone();
    record
        .findings
        .retain(|finding| diagnose::is_about_a_result(&finding.rule));
    for line in words::record(kept.id, &record) {
        context.out.say(line);
    }
    record.findings = all;
    if was_cut {
        context.out.note(format!(
            "iodyno: stopped by {}; the record holds what ran until then.",
            stop.signal_name()
        ));
    }
    let document = RecordAnswer {
        schema: "iodyno.run/1",
        id: kept.id,
        record: &record,
    };
    context.out.document(&document)?;
    kept.must_be_stored()?;
    ended(&record, was_cut)
}

fn record(
    provenance: Provenance,
    workload: &Workload,
    path: &IoPath,
    (done, studies): (stage::StageDone, Studies),
    findings: Vec<Finding>,
) -> Record {
    let mut sections = done.sections;
    sections
        .iter_mut()
        .for_each(|section| secret::cut_job(&mut section.job));
    let first = sections.first();
    let mut job = first.map_or_else(
        || workload.sections[0].job.clone(),
        |section| section.job.clone(),
    );
    secret::cut_job(&mut job);
    let load = first.map(|section| section.load.clone());
    let summary = summary::sentence(&sections);
    let layers = done.layers.map(|layers| {
        outside::told(
            layers,
            &sections
                .iter()
                .map(|section| &section.load)
                .collect::<Vec<_>>(),
        )
    });
    if sections.len() == 1 {
        sections.clear();
    }
    let body = RecordBody::Run(RunBody {
        load,
        sections,
        layers,
        studies,
    });
    Record {
        summary,
        job,
        findings,
        sensors: done.sensors,
        ..Record::of(body, provenance, path.clone())
    }
}
