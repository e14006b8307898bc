//! The part of a tune that changes settings: from the first lock to the last verified value.

use super::plan::{PlannedKnob, TunePlan};
use super::{TuneArgs, live::Live, quiet};
use crate::commands::layers_arg::{LayersArg, wish};
use crate::commands::run::targets::opened;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::live::LiveLine;
use apply::{Knob, SubjectFiles};
use experiment::{Experiment, ExperimentPlan};
use host::signals::Stop;
use host::{DeviceLock, Journal};
use load::Prepared;
use model::change::{Class, Restored};
use model::iopath::IoPath;
use model::job::Job;
use model::record::Trial;
use model::sample::SensorLog;
use model::subject::place_in_words;
use model::units::span_ms;
use observe::{INTERVAL_DEFAULT_MS, Sampler, Scope, Tracing};
use tuner::drive::{DriveError, Driven, Setup, drive};
use tuner::meter::Counts;

/// What a tune works on.
pub struct Session<'a> {
    pub args: &'a TuneArgs,
    pub context: &'a Context,
    pub plan: &'a TunePlan,
    pub path: &'a IoPath,
    pub job: &'a Job,
    pub seed: u64,
    /// The device's, and the machine's where its settings are tried.
    pub lock: &'a DeviceLock,
}

/// What came of it.
pub struct SessionDone {
    pub trials: Vec<Trial>,
    pub sensors: Vec<SensorLog>,
    pub interrupted: bool,
    /// Values that were read back at the end, every one as it was.
    pub read_back: usize,
}

/// What every knob is tried with.
struct Rig<'a> {
    prepared: &'a Prepared,
    journal: &'a Journal,
    stop: &'a Stop,
    tracing: &'a Tracing,
    /// Where the sensors' time begins.
    origin_ns: u64,
}

impl Session<'_> {
    /// Makes the load ready, tries every knob, and puts everything back whatever happened.
    pub fn run(&self) -> Result<SessionDone, Failure> {
        let context = self.context;
        let stop = context.stop_on_signals()?;
        let prepared = self.prepare(&stop)?;
        if let Some(limit_ms) = self.args.wait_quiet {
            quiet::wait(context, &self.plan.device, limit_ms, &stop)?;
        }
        let journal = self.begin_journal()?;
        let tracing = self.tracing();
        let scope = Scope {
            tracing: tracing.clone(),
            ..Scope::of(self.path)
        };
        let origin_ns = host::clock::monotonic_ns();
        let sampler = Sampler::start(&context.host, INTERVAL_DEFAULT_MS, origin_ns, &scope);
        let rig = Rig {
            prepared: &prepared,
            journal: &journal,
            stop: &stop,
            tracing: &tracing,
            origin_ns,
        };
        let tried = self.try_all(&rig);
        let sensors = sampler.stop();
        let restored = journal.revert()?;
        must_be_back(&restored)?;
        let trials = tried?;
        let (interrupted, read_back) = (stop.is_asked(), restored.len());
        if interrupted {
            context.out.note(format!(
                "iodyno: stopped by {}; every setting is back as it was: {read_back} read back.",
                stop.signal_name()
            ));
        }
        Ok(SessionDone {
            trials,
            sensors,
            interrupted,
            read_back,
        })
    }

    /// The subject of a planned knob, which may have gone since it was planned.
    fn files(&self, planned: &PlannedKnob) -> Option<SubjectFiles> {
        SubjectFiles::of(&self.context.host, planned.subject.clone())
    }

    /// Tracing in all windows, where it was asked for. Otherwise the windows of the proof are free of it.
    fn tracing(&self) -> Tracing {
        match self.args.layers {
            LayersArg::Auto => {
                Tracing::off("a tune traces only after each decision (--layers auto)")
            }
            asked => Tracing::start(self.path, wish(Some(asked))),
        }
    }

    fn prepare(&self, stop: &Stop) -> Result<Prepared, Failure> {
        let line = LiveLine::new();
        let mut progress = |done: u64, total: u64| line.layout(done, total);
        let consent = self.args.job.consent();
        let target = opened(&self.args.target, self.path)?;
        let mut prepared = load::prepare(
            &self.context.host,
            &target,
            self.job,
            &consent,
            stop,
            &mut progress,
        )?;
        prepared.set_device(Some(self.plan.device.clone()));
        line.clear();
        for note in prepared.notes() {
            self.context.out.note(format!("note: {note}"));
        }
        Ok(prepared)
    }

    /// Saves every value that any of the knobs may change, before the first write.
    fn begin_journal(&self) -> Result<Journal, Failure> {
        let context = self.context;
        let purpose = purpose(&self.plan.device);
        let mut journal = Journal::begin(&context.host, &context.state_dir, &purpose, self.lock)?;
        let subjects = self
            .plan
            .knobs
            .iter()
            .filter_map(|planned| Some((Knob::find(&planned.knob)?, self.files(planned)?)));
        let paths: Vec<(String, u8)> = subjects
            .flat_map(|(knob, files)| apply::checkpoint_paths(knob, &files))
            .collect();
        if let Err(error) = journal.checkpoint(&paths) {
            journal.close()?;
            return Err(error.into());
        }
        Ok(journal)
    }

    fn try_all(&self, rig: &Rig<'_>) -> Result<Vec<Trial>, Failure> {
        let live = Live::new(self.context.out, self.plan, self.job, self.args.stream);
        let mut trials = Vec::new();
        let end_ns = host::clock::monotonic_ns() + self.plan.budget_ms * 1_000_000;
        for (index, planned) in self.plan.knobs.iter().enumerate() {
            let left_ms = end_ns.saturating_sub(host::clock::monotonic_ns()) / 1_000_000;
            let knobs_left = (self.plan.knobs.len() - index) as u64;
            let Some(pairs_ms) = planned.pairs_ms(left_ms, knobs_left) else {
                trials.push(self.out_of_time(planned, left_ms));
                continue;
            };
            let trial = self.try_one(index, planned, (pairs_ms, end_ns), rig, &live);
            // The next knob is tried on what the first one found.
            must_be_back(&rig.journal.put_back())?;
            match trial {
                Ok((trial, has_crossed)) => {
                    live.finished();
                    trials.push(trial);
                    // Whoever stops the tune while a decision is explained keeps the decision. Behind a bound that was
                    // crossed nobody risks another setting.
                    if rig.stop.is_asked() || has_crossed {
                        break;
                    }
                }
                Err(DriveError::Interrupted(_)) => break,
                Err(DriveError::Load(error)) => return Err(error.into()),
                Err(error) => return Err(Failure::new(Exit::Failed, error.to_string())),
            }
        }
        live.clear();
        trials.extend(self.plan.skipped.iter().map(|skipped| {
            let summary = format!("{}: not tried, {}.", skipped.label(), skipped.why);
            Trial {
                knob: skipped.knob.clone(),
                subject: skipped.subject.clone(),
                skipped: Some(skipped.why.clone()),
                ..self.trial(summary)
            }
        }));
        Ok(trials)
    }

    fn out_of_time(&self, planned: &PlannedKnob, left_ms: u64) -> Trial {
        let (needs, left) = (span_ms(planned.needs_ms()), span_ms(left_ms));
        let why = format!("it needs {needs} at the least and {left} of the budget are left");
        let summary = format!("{}: not tried, {why}.", planned.label());
        Trial {
            skipped: Some(why),
            ..self.trial_of(planned, summary)
        }
    }

    /// A knob's trial, and whether a bound of the user's was crossed in it.
    fn try_one(
        &self,
        index: usize,
        planned: &PlannedKnob,
        (pairs_ms, end_ns): (u64, u64),
        rig: &Rig<'_>,
        live: &Live,
    ) -> Result<(Trial, bool), DriveError> {
        let knob = Knob::find(&planned.knob)
            .ok_or_else(|| DriveError::Defect("the plan names no knob".into()))?;
        let plan = self.plan_of(index, planned, pairs_ms);
        let files = self
            .files(planned)
            .ok_or_else(|| DriveError::Defect(format!("{} has gone away", planned.subject)))?;
        let mut experiment =
            Experiment::new(plan).map_err(|error| DriveError::Defect(error.to_string()))?;
        let setup = Setup {
            host: &self.context.host,
            prepared: rig.prepared,
            job: self.job,
            knob,
            class: planned.class,
            files: &files,
            device: &self.plan.device,
            meter: self.args.meter(self.job),
            journal: rig.journal,
            values: &planned.values,
            aa: self.args.aa,
            seed: self.seed.wrapping_add(1_000 * (index as u64 + 1)),
            stop: rig.stop,
            bounds: &self.args.stop_if,
            path: self.path,
            tracing: rig.tracing,
            end_ns,
            explains: matches!(self.args.layers, LayersArg::Auto),
            origin_ns: rig.origin_ns,
        };
        let Driven {
            verdict,
            layers,
            figures,
            moved,
            windows,
            has_crossed,
        } = drive(&setup, &mut experiment, &mut |progress| {
            live.show(planned, progress)
        })?;
        let summary = view::trial::sentence(&planned.label(), &planned.values, &verdict);
        let trial = Trial {
            layers,
            figures,
            moved,
            windows,
            verdict: Some(verdict),
            ..self.trial_of(planned, summary)
        };
        Ok((trial, has_crossed))
    }

    /// What the experiment on a knob is asked.
    fn plan_of(&self, index: usize, planned: &PlannedKnob, pairs_ms: u64) -> ExperimentPlan {
        let mut plan = ExperimentPlan::new(
            planned.values.clone(),
            planned.class,
            self.seed.wrapping_add(index as u64),
        );
        plan.rope = self.args.rope;
        // The promise is one for the whole tune: each knob gets its share of the error.
        plan.alpha = self.args.alpha / self.plan.knobs.len() as f64;
        plan.budget_ms = pairs_ms;
        plan.metric = self.plan.metric.clone();
        let meter = self.args.meter(self.job);
        plan.min_completions = (meter.least_amount)(self.job);
        let has_depth =
            load::Engine::find(&self.job.ioengine).is_some_and(|engine| engine.has_depth);
        let is_throughput = meter.counts == Counts::OwnThroughput;
        plan.can_halve_depth =
            is_throughput && has_depth && self.job.iodepth > 1 && planned.class == Class::Fast;
        plan.accept_worse_p99 = self.args.accept_worse_p99;
        plan
    }

    fn trial_of(&self, planned: &PlannedKnob, summary: String) -> Trial {
        Trial {
            knob: planned.knob.clone(),
            subject: Some(planned.subject.clone()),
            mark: self.context.host.subject_mark(&planned.subject),
            arms: planned.values.clone(),
            ..self.trial(summary)
        }
    }

    fn trial(&self, summary: String) -> Trial {
        Trial {
            device: self.plan.device.clone(),
            aa: self.args.aa,
            summary,
            ..Trial::default()
        }
    }
}

/// What the holder of the lock is called by.
pub fn purpose(device: &str) -> String {
    format!("tune {device}")
}

/// Silence when every value that was read back is as it was; otherwise what is not, and how to go on.
fn must_be_back(restored: &[Restored]) -> Result<(), Failure> {
    let broken: Vec<String> = restored
        .iter()
        .filter(|one| !one.is_whole())
        .map(|one| {
            format!(
                "  {} should be {}, is {}",
                place_in_words(&one.path),
                one.wanted,
                one.found
            )
        })
        .collect();
    if broken.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Failed,
        format!(
            "not everything came back; the journal stays, `iodyno undo` tries again:\n{}",
            broken.join("\n")
        ),
    ))
}
