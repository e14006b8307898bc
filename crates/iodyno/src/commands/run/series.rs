//! What all series of loads have in common: what is studied, one preparation for all its loads, and windows of them.

use super::args::StudyArgs;
use super::precondition;
use crate::context::Context;
use crate::exit::Failure;
use crate::live::{LiveLine, Teller};
use host::Target;
use host::signals::Stop;
use load::{Consent, Prepared, Running, Snapshot};
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Job;
use model::record::LoadResult;
use model::sample::SensorLog;
use model::studies::Studies;
use observe::{INTERVAL_DEFAULT_MS, Sampler, Scope};
use std::sync::Arc;

/// What is studied.
pub struct SeriesSubject<'a> {
    pub context: &'a Context,
    pub target: &'a Arc<Target>,
    pub path: IoPath,
    pub job: Job,
    pub consent: Consent,
    pub args: &'a StudyArgs,
    pub stop: &'a Stop,
    /// What the lint said before.
    pub findings: Vec<Finding>,
}

/// What a series gives.
pub struct FoundSeries {
    pub studies: Studies,
    pub load: Option<LoadResult>,
}

impl SeriesSubject<'_> {
    /// Makes the target ready for all jobs of the series at once, and wears it in where that is asked for.
    pub fn prepare(&self, jobs: &[Job]) -> Result<(Prepared, Studies), Failure> {
        one_kind_of_target(jobs)?;
        let jobs_by_reference: Vec<&Job> = jobs.iter().collect();
        let is_directory = self.target.kind() == host::files::FileKind::Directory;
        let widest = precondition::prepared_for(
            self.args,
            &load::covering(&jobs_by_reference, is_directory),
        );
        let line = LiveLine::new();
        let mut progress = |done: u64, total: u64| line.layout(done, total);
        let context = self.context;
        let mut prepared = load::prepare(
            &context.host,
            self.target,
            &widest,
            &self.consent,
            self.stop,
            &mut progress,
        )?;
        line.clear();
        for note in prepared.notes() {
            context.out.note(format!("note: {note}"));
        }
        prepared.set_device(self.path.queue_device().map(|layer| layer.name.clone()));
        prepared.set_state_dir(context.state_dir.clone());
        for job in jobs {
            load::check_fit(&prepared, job)?;
        }
        let studies = precondition::if_asked(self.args, context, &prepared, &self.job, self.stop)?;
        Ok((prepared, studies))
    }

    /// The sensors, from now on.
    pub fn sensors(&self) -> Sampler {
        let now_ns = host::clock::monotonic_ns();
        Sampler::start(
            &self.context.host,
            INTERVAL_DEFAULT_MS,
            now_ns,
            &Scope::of(&self.path),
        )
    }

    /// What a window of a running load completed; none when a stop was asked for.
    pub fn window(&self, running: &Running, ms: u64) -> Result<Option<Window>, Failure> {
        let before = running.snapshot();
        running.wait_ms(ms, self.stop);
        if let Some(failure) = running.failure() {
            return Err(failure.into());
        }
        if self.stop.is_asked() {
            return Ok(None);
        }
        Ok(Some(Window::between(&before, &running.snapshot())))
    }
}

/// What was completed between two moments of a load.
pub struct Window {
    /// Length, ms.
    pub ms: f64,
    /// What was completed.
    pub done: Snapshot,
    /// Latencies of all directions.
    pub latency: model::histogram::Histogram,
}

impl Window {
    /// From the one to the other.
    pub fn between(before: &Snapshot, after: &Snapshot) -> Window {
        let ms = (after.at_ns - before.at_ns) as f64 / 1e6;
        Window {
            ms,
            latency: after.latency_since(before),
            done: after.since(before),
        }
    }

    /// I/Os per second.
    pub fn iops(&self) -> f64 {
        self.done.ios as f64 / self.ms.max(1e-6) * 1e3
    }

    /// Bytes per second.
    pub fn bytes_per_s(&self) -> f64 {
        self.done.bytes as f64 / self.ms.max(1e-6) * 1e3
    }

    /// A percentile as a share, ns; 0 without I/O.
    pub fn quantile_ns(&self, share: f64) -> f64 {
        self.latency.quantile_ns(share).unwrap_or(0) as f64
    }
}

/// Result of a series with its sensors.
pub type Outcome = Result<(FoundSeries, Vec<SensorLog>), Failure>;

/// All jobs can be run, and on one and the same preparation.
fn one_kind_of_target(jobs: &[Job]) -> Result<(), Failure> {
    let mut first: Option<&'static load::Engine> = None;
    for job in jobs {
        let engine = load::check_job(job)?;
        if engine.needs != load::Needs::Files || engine.is_counted_by_the_device() {
            return Err(Failure::usage(format!(
                "--ioengine={} cannot be used in a series of loads: its figures come at its end, or in phases.",
                engine.id
            ))
            .on("--ioengine")
            .hint(
                "Use one of the engines that count I/O by I/O, or `iodyno run` without a series.",
            ));
        }
        let other = *first.get_or_insert(engine);
        if engine.needs != other.needs {
            return Err(Failure::usage(format!(
                "{} and {} work on different kinds of target: sweep them one at a time.",
                other.id, engine.id
            )));
        }
    }
    Ok(())
}

/// Keeps what a load noted, each note once; what the preparation said is known already.
pub fn keep_notes(notes: &mut Vec<String>, running: &Running, prepared: &Prepared) {
    let fresh = running
        .notes()
        .iter()
        .filter(|note| !prepared.notes().contains(note));
    for note in fresh {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
}

/// Says how far a series of known length is.
pub struct Progress {
    teller: Teller,
    end_ns: u64,
}

impl Progress {
    /// For a series of about this length from now on.
    pub fn new(subject: &SeriesSubject, expected_ms: u64) -> Progress {
        let end_ns = host::clock::monotonic_ns() + expected_ms * 1_000_000;
        Progress {
            teller: Teller::new(subject.context.out),
            end_ns,
        }
    }

    /// Says this and the time left by the first estimate.
    pub fn say(&self, text: &str) {
        let left_ms = self.end_ns.saturating_sub(host::clock::monotonic_ns()) / 1_000_000;
        let left = model::units::span_ms(left_ms.div_ceil(1000) * 1000);
        self.teller.say(format!("{text}   about {left} left"));
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.teller.clear();
    }
}
