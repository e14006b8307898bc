//! `iodyno run`: one measured load, kept as a record.

mod args;
mod ceph;
mod dry;
mod ended;
pub mod facts;
mod find_max;
mod grid;
mod hold;
pub mod intervals;
pub mod lint;
mod matrix;
mod outside;
mod precondition;
mod rehearsed;
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
use model::job::{Job, Section};
use model::record::{Provenance, Record, RecordBody, RunBody};
use model::secret;
use model::studies::Studies;
use report::{summary, words};
use std::sync::Arc;
use store::Store;
use targets::{Opened, Targets};

/// Loads, measures, keeps and says what was found.
pub fn run(args: &RunArgs, context: &Context) -> Result<Exit, Failure> {
    args.scratch.put_in_place();
    let context = &context.streaming(args.stream);
    let named = ceph::named(args.target.as_deref())?;
    let usual = ceph::usual_engine(named.as_ref(), &args.job);
    let mut workload = args.job.workload_with(usual, args.runtime, args.seed)?;
    for note in &workload.notes {
        context.out.note(format!("note: {note}"));
    }
    // A path on the command line stands in for the target of a pasted job, and fio's engine for it does not fit then.
    let of_job = workload.ceph.take().filter(|_| args.target.is_none());
    if let Some(target) = named.or(of_job) {
        rehearsed::must_be_no_cluster(args)?;
        return ceph::run(args, context, workload, &target);
    }
    let (root, path) = Opened::begin(args)?.root(args.target.as_deref(), context, &workload)?;
    let on_stage = rehearsed::begin(args, context, (&workload, &path))?;
    let context = on_stage.as_ref().unwrap_or(context);
    let store = Store::open(&context.state_dir)?;
    for section in &mut workload.sections {
        match workload.is_fio {
            true => defaults::stand_in(&mut section.job, root.kind()),
            false => defaults::on(&mut section.job, root.kind()),
        }
    }
    let points = points(args, &workload)?;
    let mut lint = match &points {
        Some(points) => lint::Lint::before_points(points, context, (&root, &path)),
        None => lint::Lint::before(args, context, &workload, (&root, &path)),
    };
    if args.strict {
        lint.refuse()?;
    }
    if args.dry_run {
        let series = study_of(args, &workload)?.map(|(study, _)| study.purpose());
        let sections = points.as_deref().unwrap_or(&workload.sections);
        return dry::told(sections, series, &lint, &path, context);
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

/// The points of a sweep, where one was asked for; a job that the lint is to correct is judged as it stands.
fn points(args: &RunArgs, workload: &Workload) -> Result<Option<Vec<Section>>, Failure> {
    let Some((study::Study::Sweep(grid), _)) = study_of(args, workload)? else {
        return Ok(None);
    };
    let section = workload.sections.first();
    Ok(section
        .filter(|_| !args.corrected)
        .map(|section| grid.sections(section)))
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
    let made = Targets::prepare(args, context, workload, (root, path), stop)?;
    let judged = Judged {
        path,
        judge: Box::new(|done| lint.after(path, done)),
    };
    measure(args, context, store, workload, made, stop, judged)
}

/// Says what there is to remark on a result.
type Judge<'a> = dyn FnOnce(&stage::StageDone) -> Vec<Finding> + 'a;

/// How a result is judged, and the path below what was loaded.
struct Judged<'a> {
    path: &'a IoPath,
    judge: Box<Judge<'a>>,
}

/// Loads what was made ready.
fn measure(
    args: &RunArgs,
    context: &Context,
    store: &Store,
    workload: &Workload,
    (targets, studies): (Targets, Studies),
    stop: &Stop,
    Judged { path, judge }: Judged<'_>,
) -> Result<Exit, Failure> {
    let provenance = crate::provenance::of(&context.host);
    let done = stage::run_all(args, context, workload, &targets, path, stop);
    let left = targets.end();
    for note in left {
        context.out.note(format!("iodyno: {note}"));
    }
    let done = done?;
    let was_cut = stop.is_asked();
    let findings = judge(&done);
    let mut record = record(provenance, workload, path, (done, studies), findings);
    let kept = match args.unkept {
        true => keep::Kept::nowhere(),
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
