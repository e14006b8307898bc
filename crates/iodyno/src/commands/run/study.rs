//! Series of loads that `run` makes in place of one: which of them is asked for, and what they have in common.

use super::{find_max, grid, matrix, precondition, steady, sweep};
use crate::commands::job_args::duration_ms;
use crate::commands::{Context, RecordDocument};
use crate::exit::{Exit, Failure};
use crate::keep;
use crate::live::Line;
pub use crate::live::Teller;
use ::report::{studies as report, words};
use host::Target;
use host::signals::Stop;
use load::{Consent, Prepared, Running, Snapshot};
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Job;
use model::record::{LoadResult, RECORD_SCHEMA, Record};
use model::sample::SensorLog;
use model::search::Goal;
use model::studies::Studies;
use model::units::parse_bytes;
use observe::{INTERVAL_DEFAULT_MS, Sampler, Scope};
use std::sync::Arc;
use store::Store;

/// Options of sweeps, searches and steady state.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Series of loads")]
pub struct StudyArgs {
    /// Vary an option: iodepth=1,4,16 or iodepth=1..256 in doublings. Once for each option; all combinations are
    /// visited, in random order, again and again, and the knee of the curve is told.
    #[arg(long, value_name = "OPTION=VALUES", conflicts_with_all = ["find_max", "interference", "steady", "runtime", "stream"])]
    pub sweep: Vec<String>,
    /// Find the highest rate that keeps --latency-target.
    #[arg(long, requires = "latency_target", conflicts_with_all = ["interference", "steady", "runtime", "stream"])]
    pub find_max: bool,
    /// With --find-max: what must hold, such as p99=2ms, p99.9=10ms, p50=200us or mean=1ms.
    #[arg(long, value_name = "STATISTIC=TIME", value_parser = find_max::parse_goal, requires = "find_max")]
    pub latency_target: Option<Goal>,
    /// With --find-max: the deepest queue of each job to try, or, with --open-loop, the deepest that arrivals may fill.
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub max_depth: u32,
    /// Measure how much writing disturbs reading: a matrix of write bandwidth and read rate. Writes to the target.
    #[arg(long, conflicts_with_all = ["steady", "runtime", "stream"])]
    pub interference: bool,
    /// With --interference: steps of each side.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=10))]
    pub steps: u32,
    /// With --interference: block size of the sequential writes.
    #[arg(long, default_value = "128k", value_parser = parse_bytes)]
    pub write_bs: u64,
    /// How often each point of a sweep (default 3) or cell of a matrix (default 2) is visited.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeats: Option<u32>,
    /// Time for a sweep, a search or a matrix in all, without making the target ready.
    #[arg(long, value_parser = duration_ms)]
    pub budget: Option<u64>,
    /// Write the whole target twice in sequence before measuring (SNIA's workload independent preconditioning).
    #[arg(long)]
    pub precondition: bool,
    /// Run until the load has settled by SNIA's rule, and tell the burst from what lasts.
    #[arg(long, conflicts_with_all = ["runtime", "stream"])]
    pub steady: bool,
    /// With --steady: length of a round; SNIA's own is 60s.
    #[arg(long, default_value = "10s", value_parser = duration_ms)]
    pub round: u64,
    /// With --steady: give up after this time.
    #[arg(long, default_value = "15m", value_parser = duration_ms)]
    pub steady_limit: u64,
}

/// One series.
#[derive(Clone, Debug)]
pub enum Study {
    /// A grid of options.
    Sweep(grid::Grid),
    /// The highest load that keeps a latency.
    FindMax(find_max::Wish),
    /// Reads against writes.
    Interference,
    /// Until settled.
    Steady(model::steady::Criterion, u64),
}

impl StudyArgs {
    /// What these options, or fio's own in the job (`latency_target`, `steadystate`), ask for; none for a plain load.
    pub fn study(&self, job: &Job) -> Result<Option<Study>, Failure> {
        if !self.sweep.is_empty() {
            return Ok(Some(Study::Sweep(grid::Grid::parse(&self.sweep, job)?)));
        }
        if let Some(wish) = find_max::Wish::of(self, job) {
            return Ok(Some(Study::FindMax(wish)));
        }
        if self.interference {
            return Ok(Some(Study::Interference));
        }
        Ok(steady::criterion(self, job)?
            .map(|(criterion, limit_ms)| Study::Steady(criterion, limit_ms)))
    }
}

/// What is studied.
pub struct Subject<'a> {
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
pub struct Found {
    pub studies: Studies,
    pub load: Option<LoadResult>,
}

/// Makes the series, keeps its record and says what was found.
pub fn run(study: Study, mut subject: Subject) -> Result<Exit, Failure> {
    let store = Store::open(&subject.context.state_dir)?;
    // A series ends by its own clock, never because a pass is over.
    // The search for a rate sets the arrivals of each try itself.
    let open_loop = subject.job.open_loop && !matches!(study, Study::FindMax(_));
    subject.job = Job {
        time_based: true,
        ramp_ms: 0,
        open_loop,
        ..subject.job
    };
    let (found, sensors) = match &study {
        Study::Sweep(grid) => sweep::run(&subject, grid),
        Study::FindMax(wish) => find_max::run(&subject, wish),
        Study::Interference => matrix::run(&subject),
        Study::Steady(criterion, limit_ms) => steady::run(&subject, *criterion, *limit_ms),
    }?;
    let context = subject.context;
    model::secret::cut_job(&mut subject.job);
    let record = Record {
        schema: RECORD_SCHEMA.into(),
        verb: "run".into(),
        target: subject.path.target.clone(),
        summary: report::sentence(&subject.job, &found.studies),
        provenance: crate::provenance::of(&context.host),
        path: subject.path,
        job: subject.job,
        load: found.load,
        sections: Vec::new(),
        findings: subject.findings,
        sensors,
        layers: None,
        trials: Vec::new(),
        studies: found.studies,
        check: None,
        imported: None,
    };
    let kept = keep::into_store(&store, &record);
    let shown = Record {
        findings: Vec::new(),
        ..record.clone()
    };
    for line in words::record(kept.id, &shown) {
        context.out.say(line);
    }
    let was_cut = subject.stop.is_asked();
    if was_cut {
        let signal = subject.stop.signal_name();
        context.out.note(format!(
            "iodyno: stopped by {signal}; the record holds what ran until then."
        ));
    }
    context.out.document(&RecordDocument {
        schema: "iodyno.run/1",
        id: kept.id,
        record: &record,
    })?;
    kept.must_be_stored()?;
    super::ended(&record, was_cut)
}

impl Subject<'_> {
    /// Makes the target ready for all jobs of the series at once, and wears it in where that is asked for.
    pub fn prepare(&self, jobs: &[Job]) -> Result<(Prepared, Studies), Failure> {
        one_kind_of_target(jobs)?;
        let jobs_by_reference: Vec<&Job> = jobs.iter().collect();
        let is_directory = self.target.kind() == host::files::Kind::Directory;
        let widest = precondition::prepared_for(
            self.args,
            &load::covering(&jobs_by_reference, is_directory),
        );
        let line = Line::new();
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
pub type Outcome = Result<(Found, Vec<SensorLog>), Failure>;

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
    pub fn new(subject: &Subject, expected_ms: u64) -> Progress {
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
