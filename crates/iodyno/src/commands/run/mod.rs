//! `iodyno run`: one measured load, kept as a record.

mod facts;
mod lint;

use crate::commands::job_args::{JobArgs, duration_ms, fresh_seed};
use crate::commands::{Context, RecordDocument};
use crate::exit::{Exit, Failure};
use crate::live::Line;
use crate::store::Store;
use host::signals::Stop;
use model::iopath::IoPath;
use model::job::Job;
use model::record::{LoadResult, RECORD_SCHEMA, Record};
use model::sample::SensorLog;
use pipeline::load::{self, Prepared, Region, Running};
use pipeline::observe::{INTERVAL_DEFAULT_MS, Sampler, Scope};
use pipeline::report::words;
use std::path::PathBuf;

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A directory (scratch is made in it and removed), a file or a block device.
    pub target: PathBuf,
    #[command(flatten)]
    job: JobArgs,
    /// How long to run.
    #[arg(long, default_value = "10s", value_parser = duration_ms)]
    pub runtime: u64,
    /// Seed of offsets and data; without it, one that is printed.
    #[arg(long)]
    pub seed: Option<u64>,
}

/// Loads, measures, keeps and says what was found.
pub fn run(args: &Args, context: &Context) -> Result<Exit, Failure> {
    let store = Store::open(&context.state_dir)?;
    let path = pipeline::inventory::collect(&context.host, &args.target.to_string_lossy())
        .map_err(crate::commands::inspect::failure)?;
    let job = args.job.job(args.runtime, args.seed.unwrap_or_else(fresh_seed));
    let lint = lint::Lint::before(context, &args.target, &path, &job);
    let stop = context.stop_on_signals()?;
    let prepared = prepare(args, context, &job, &stop)?;
    let (load, sensors) = measure(context, &path, &prepared, &job, &stop)?;
    let was_cut = stop.is_asked();
    let summary = words::load_sentence(&job, &load);
    let findings = lint.after(&path, &load, &sensors);
    let record = Record {
        schema: RECORD_SCHEMA.into(),
        verb: "run".into(),
        target: path.target.clone(),
        summary,
        provenance: crate::provenance::of(&context.host),
        path,
        job,
        load: Some(load),
        sections: Vec::new(),
        findings,
        sensors,
        trials: Vec::new(),
    };
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
    context.out.document(&RecordDocument { schema: "iodyno.run/1", id, record: &record })?;
    Ok(if was_cut { Exit::Interrupted } else { Exit::Fine })
}

fn prepare(args: &Args, context: &Context, job: &Job, stop: &Stop) -> Result<Prepared, Failure> {
    let line = Line::new();
    let mut progress = |done: u64, total: u64| line.layout(done, total);
    let prepared = load::prepare(&context.host, &args.target, job, &args.job.consent(), stop, &mut progress)?;
    line.clear();
    for note in prepared.notes() {
        context.out.note(format!("note: {note}"));
    }
    Ok(prepared)
}

fn measure(
    context: &Context,
    path: &IoPath,
    prepared: &Prepared,
    job: &Job,
    stop: &Stop,
) -> Result<(LoadResult, Vec<SensorLog>), Failure> {
    let running = load::start(prepared, job, job.randseed, Region::WHOLE)?;
    let sampler = Sampler::start(&context.host, INTERVAL_DEFAULT_MS, running.origin_ns(), &Scope::of(path));
    let failure = wait(&running, job, stop);
    let sensors = sampler.stop();
    let load = running.finish();
    match failure {
        Some(failure) => Err(failure),
        None => Ok((load, sensors)),
    }
}

/// Waits for the end of the run, a request to stop, or a failure, with the rate of the last second on a terminal.
fn wait(running: &Running, job: &Job, stop: &Stop) -> Option<Failure> {
    let line = Line::new();
    let end_ns = running.origin_ns() + job.runtime_ms * 1_000_000;
    let mut earlier = running.snapshot();
    let mut next_ns = running.origin_ns() + 1_000_000_000;
    loop {
        let now_ns = host::clock::monotonic_ns();
        if let Some(failure) = running.failure() {
            return Some(failure.into());
        }
        if now_ns >= end_ns || stop.is_asked() {
            line.clear();
            return None;
        }
        if now_ns >= next_ns {
            let snapshot = running.snapshot();
            line.rate(
                snapshot.ios - earlier.ios,
                &snapshot.latency_since(&earlier),
                running.inflight(),
                (end_ns - now_ns) / 1_000_000,
            );
            earlier = snapshot;
            next_ns += 1_000_000_000;
        }
        host::clock::sleep_until_ns(end_ns.min(now_ns + 50_000_000));
    }
}
