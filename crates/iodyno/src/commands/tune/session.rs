//! The part of a tune that changes settings: from the first lock to the last verified value.

use super::plan::{KnobTime, PlannedKnob, TunePlan};
use super::{TuneArgs, live::Live, quiet};
use crate::commands::layers_arg::{self, LayersArg, wish};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::in_place;
use crate::live::LiveLine;
use apply::{CheckedValue, Knob, SubjectFiles};
use experiment::{Experiment, ExperimentPlan};
use host::signals::Stop;
use host::{DeviceLock, Journal, Target};
use load::Prepared;
use load::engines::command::Beside;
use model::change::{Class, Restored};
use model::finding::Finding;
use model::iopath::IoPath;
use model::job::Job;
use model::record::{SetMember, Trial, Winners};
use model::sample::SensorLog;
use model::subject::Subject;
use model::units::span_ms;
use observe::{INTERVAL_DEFAULT_MS, Sampler, Scope, Tracing};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use tuner::drive::{DriveError, Driven, Setup, Turn, drive};
use tuner::meter::{Counts, Judge};

/// What a tune works on.
pub struct Session<'a> {
    pub args: &'a TuneArgs,
    pub context: &'a Context,
    pub plan: &'a TunePlan,
    pub judge: &'a Judge,
    pub path: &'a IoPath,
    pub target: &'a Arc<Target>,
    pub job: &'a Job,
    pub seed: u64,
    /// The device's, and the machine's where its settings are tried.
    pub lock: &'a DeviceLock,
}

/// What came of it.
pub struct SessionDone {
    pub trials: Vec<Trial>,
    pub sensors: Vec<SensorLog>,
    /// What the look before the first knob found.
    pub findings: Vec<Finding>,
    pub interrupted: bool,
    /// Values that were read back at the end, every one as it was.
    pub read_back: usize,
}

/// What an experiment turns, and what it is for.
pub(super) struct Asked {
    pub(super) turns: Vec<Turn>,
    /// The values that it has in place together; empty for one knob.
    pub(super) set: Vec<SetMember>,
    /// What is in place meanwhile, whatever it turns.
    pub(super) base: Vec<SetMember>,
    pub(super) aim: Aim,
}

/// What an experiment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// One of several claims, which share the error probability.
    OneOf {
        /// So many.
        claims: usize,
    },
    /// The only claim of the tune.
    Headline,
    /// No claim: what to take along.
    Select,
}

/// The values that won, turned together in the order of writing; or why they cannot be in place at the same time. `found`
/// has what each was before.
fn asked_together(won: &[CheckedValue], found: &[String], aim: Aim) -> Result<Asked, String> {
    let before = |one: &CheckedValue| {
        let is_it = |other: &CheckedValue| {
            other.knob.id == one.knob.id && other.files.subject() == one.files.subject()
        };
        let at = won.iter().position(is_it);
        at.and_then(|at| found.get(at)).cloned().unwrap_or_default()
    };
    let ordered = apply::together(won.to_vec()).map_err(|why| why.to_string())?;
    let turn = |one: &CheckedValue| Turn {
        knob: one.knob,
        files: one.files.clone(),
        values: vec![before(one), one.value.clone()],
    };
    Ok(Asked {
        set: ordered.iter().map(member).collect(),
        turns: ordered.iter().map(turn).collect(),
        base: Vec::new(),
        aim,
    })
}

/// A value as a record has it.
pub(super) fn member(one: &CheckedValue) -> SetMember {
    SetMember {
        knob: one.knob.id.into(),
        subject: one.files.subject().clone(),
        value: one.value.clone(),
    }
}

/// What every knob is tried with.
pub(super) struct Rig<'a> {
    pub(super) prepared: &'a Prepared,
    beside: Option<&'a Mutex<Beside>>,
    pub(super) journal: &'a Journal,
    pub(super) stop: &'a Stop,
    tracing: &'a Tracing,
    /// Where the sensors' time begins.
    origin_ns: u64,
    /// Whether somebody who asked to stop was told that everything is back.
    is_told: AtomicBool,
    /// What ended loads left behind, in words.
    left: Mutex<BTreeSet<String>>,
}

fn all_back(stop: &Stop, read_back: usize) -> String {
    format!(
        "iodyno: stopped by {}; every setting is back as it was: {read_back} read back.",
        stop.signal_name()
    )
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
        let end_ns = host::clock::monotonic_ns() + self.plan.budget_ms * 1_000_000;
        // Ended with all its processes when it goes out of scope, whatever happens below.
        let beside = self.args.beside.as_deref().map(Beside::start);
        let beside = beside.transpose()?.map(Mutex::new);
        let (prepared, suspects) = self.suspect(prepared, &stop)?;
        let journal = self.begin_journal(&suspects.knobs)?;
        let tracing = self.tracing();
        let scope = Scope {
            tracing: tracing.clone(),
            ..Scope::of(self.path)
        };
        let origin_ns = host::clock::monotonic_ns();
        let sampler = Sampler::start(&context.host, INTERVAL_DEFAULT_MS, origin_ns, &scope);
        let rig = Rig {
            prepared: &prepared,
            beside: beside.as_ref(),
            journal: &journal,
            stop: &stop,
            tracing: &tracing,
            origin_ns,
            is_told: AtomicBool::new(false),
            left: Mutex::default(),
        };
        let tried = self.try_all(&rig, &suspects.knobs, end_ns);
        let (sensors, is_told) = (sampler.stop(), rig.is_told.into_inner());
        let mut left = rig
            .left
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let restored = journal.revert();
        // Only now: a program that does not end keeps nothing changed.
        let mut beside = beside
            .as_ref()
            .map(|one| one.lock().unwrap_or_else(PoisonError::into_inner));
        left.extend(beside.as_mut().and_then(|beside| beside.end()));
        for left in left {
            context.out.note(format!("note: {left}"));
        }
        let restored = restored?;
        must_be_back(&restored)?;
        let trials = tried?;
        let (interrupted, read_back) = (stop.is_asked(), restored.len());
        if interrupted && !is_told {
            context.out.note(all_back(&stop, read_back));
        }
        Ok(SessionDone {
            trials,
            sensors,
            findings: suspects.findings,
            interrupted,
            read_back,
        })
    }

    /// The subject of a planned knob, which may have gone since it was planned.
    pub(super) fn files(&self, planned: &PlannedKnob) -> Option<SubjectFiles> {
        SubjectFiles::of(&self.context.host, planned.subject.clone())
    }

    /// Tracing in all windows, where it was asked for. Otherwise the windows of the proof are free of it.
    fn tracing(&self) -> Tracing {
        match self.args.layers {
            LayersArg::Auto if self.context.host.rehearsal().is_none() => {
                Tracing::off("a tune traces only after each decision (--layers auto)")
            }
            asked => layers_arg::start(&self.context.host, self.path, wish(Some(asked))),
        }
    }

    fn prepare(&self, stop: &Stop) -> Result<Prepared, Failure> {
        let line = LiveLine::new();
        let mut progress = |done: u64, total: u64| line.layout(done, total);
        let consent = self.args.job.consent();
        let mut prepared = load::prepare(
            &self.context.host,
            self.target,
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
    fn begin_journal(&self, knobs: &[PlannedKnob]) -> Result<Journal, Failure> {
        let context = self.context;
        let purpose = purpose(&self.plan.device);
        let mut journal = Journal::begin(&context.host, &context.state_dir, &purpose, self.lock)?;
        let subjects = knobs
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

    fn try_all(
        &self,
        rig: &Rig<'_>,
        knobs: &[PlannedKnob],
        end_ns: u64,
    ) -> Result<Vec<Trial>, Failure> {
        let live = Live::new(self.context.out, self.plan, self.job, self.args.stream);
        let mut trials = match self.plan.climbs {
            true => self.climb(rig, knobs, &live, end_ns)?,
            false => self.try_each(rig, &live, end_ns)?,
        };
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

    /// Proves each knob on what was found, and then what won in place together.
    fn try_each(&self, rig: &Rig<'_>, live: &Live, end_ns: u64) -> Result<Vec<Trial>, Failure> {
        let mut trials = Vec::new();
        let several = usize::from(self.plan.knobs.len() > 1);
        let mut is_over = false;
        for (index, planned) in self.plan.knobs.iter().enumerate() {
            // What wins is tried together at the end.
            let knobs_left = (self.plan.knobs.len() - index + several) as u64;
            let asked = self.asked_of(planned);
            (is_over, trials) = self.try_next(
                trials,
                (index, planned, asked),
                (knobs_left, end_ns),
                rig,
                live,
            )?;
            if is_over {
                break;
            }
        }
        match self.set_of(&trials).filter(|_| !is_over) {
            Some((planned, Ok(asked))) => {
                let next = (self.plan.knobs.len(), &planned, asked);
                (_, trials) = self.try_next(trials, next, (1, end_ns), rig, live)?;
            }
            Some((planned, Err(why))) => trials.push(self.not_tried(&planned, Vec::new(), why)),
            None => {}
        }
        Ok(trials)
    }

    /// Tries what is planned next where there is time, and puts everything back. Says whether to end with it.
    pub(super) fn try_next(
        &self,
        mut trials: Vec<Trial>,
        (index, planned, asked): (usize, &PlannedKnob, Asked),
        (knobs_left, end_ns): (u64, u64),
        rig: &Rig<'_>,
        live: &Live,
    ) -> Result<(bool, Vec<Trial>), Failure> {
        let left_ms = end_ns.saturating_sub(host::clock::monotonic_ns()) / 1_000_000;
        let time = match asked.aim {
            Aim::Select => planned.select_time(left_ms, knobs_left),
            Aim::OneOf { .. } | Aim::Headline => planned.time(left_ms, knobs_left),
        };
        let Some(time) = time else {
            trials.push(self.out_of_time(planned, asked, left_ms));
            return Ok((false, trials));
        };
        let trial = self.try_one((index, planned, &asked), (time, end_ns), rig, live);
        // The next knob is tried on what the first one found.
        must_be_back(&rig.journal.put_back())?;
        match trial {
            Ok((trial, has_crossed)) => {
                live.finished();
                trials.push(trial);
                // Whoever stops the tune while a decision is explained keeps the decision. Behind a bound that was
                // crossed nobody risks another setting.
                Ok((rig.stop.is_asked() || has_crossed, trials))
            }
            Err(DriveError::Interrupted(_)) => Ok((true, trials)),
            Err(DriveError::Load(error)) => Err(error.into()),
            Err(error) => Err(Failure::new(Exit::Failed, error.to_string())),
        }
    }

    /// What is turned to try one knob.
    fn asked_of(&self, planned: &PlannedKnob) -> Asked {
        let knob = Knob::find(&planned.knob);
        let turn = knob.zip(self.files(planned)).map(|(knob, files)| Turn {
            knob,
            files,
            values: planned.values.clone(),
        });
        Asked {
            turns: turn.into_iter().collect(),
            set: Vec::new(),
            base: Vec::new(),
            aim: self.aim_of_each(),
        }
    }

    /// The promise is one for the whole tune: each knob gets its share of the error, and so does what won together.
    fn aim_of_each(&self) -> Aim {
        let knobs = self.plan.knobs.len();
        Aim::OneOf {
            claims: knobs + usize::from(knobs > 1),
        }
    }

    /// The values that won, as one more experiment: all of them against what was found. None where fewer than two did.
    fn set_of(&self, trials: &[Trial]) -> Option<(PlannedKnob, Result<Asked, String>)> {
        let each = Winners::of(trials).each();
        let mut members: Vec<(&PlannedKnob, CheckedValue)> = Vec::new();
        for trial in each {
            let knobs = self.plan.knobs.iter();
            let is_its =
                |one: &&PlannedKnob| one.knob == trial.knob && one.subject == trial.subject();
            let planned = knobs.clone().find(is_its)?;
            let value = CheckedValue {
                knob: Knob::find(&planned.knob)?,
                files: self.files(planned)?,
                value: trial.win()?.arm.clone(),
            };
            members.push((planned, value));
        }
        let planned: Vec<&PlannedKnob> = members.iter().map(|(one, _)| *one).collect();
        let set = self.planned_together(&planned)?;
        let found: Vec<String> = members
            .iter()
            .map(|(one, _)| one.values[0].clone())
            .collect();
        let checked: Vec<CheckedValue> = members.into_iter().map(|(_, value)| value).collect();
        let aim = self.aim_of_each();
        (checked.len() > 1).then(|| (set, asked_together(&checked, &found, aim)))
    }

    /// Several knobs as one, which takes as long as the slowest.
    pub(super) fn planned_together(&self, knobs: &[&PlannedKnob]) -> Option<PlannedKnob> {
        let slowest = knobs.iter().max_by_key(|one| (one.class, one.memory_ms))?;
        Some(PlannedKnob {
            knob: "together".into(),
            subject: Subject::Queue {
                device: self.plan.device.clone(),
            },
            values: vec!["found".into(), "together".into()],
            memory_ms: knobs.iter().map(|one| one.memory_ms).max()?,
            ..(*slowest).clone()
        })
    }

    fn out_of_time(&self, planned: &PlannedKnob, asked: Asked, left_ms: u64) -> Trial {
        let needs_ms = match asked.aim {
            Aim::Select => planned.select_needs_ms(),
            Aim::OneOf { .. } | Aim::Headline => planned.needs_ms(),
        };
        // Up, so that what is told suffices.
        let needs = span_ms(needs_ms.div_ceil(1_000) * 1_000);
        let left = span_ms(left_ms);
        let why = format!("it needs {needs} at the least and {left} of the budget are left");
        self.not_tried(planned, asked.set, why)
    }

    pub(super) fn not_tried(
        &self,
        planned: &PlannedKnob,
        set: Vec<SetMember>,
        why: String,
    ) -> Trial {
        let summary = format!("{}: not tried, {why}.", planned.label());
        Trial {
            skipped: Some(why),
            set,
            ..self.trial_of(planned, summary)
        }
    }

    /// A knob's trial, and whether a bound of the user's was crossed in it.
    fn try_one(
        &self,
        (index, planned, asked): (usize, &PlannedKnob, &Asked),
        (time, end_ns): (KnobTime, u64),
        rig: &Rig<'_>,
        live: &Live,
    ) -> Result<(Trial, bool), DriveError> {
        let plan = self.plan_of(index, planned, time, asked.aim);
        if asked.turns.is_empty() {
            let gone = format!("{} has gone away", planned.subject);
            return Err(DriveError::Defect(gone));
        }
        let mut experiment =
            Experiment::new(plan).map_err(|error| DriveError::Defect(error.to_string()))?;
        let setup = Setup {
            host: &self.context.host,
            prepared: rig.prepared,
            job: self.job,
            beside: rig.beside,
            turns: &asked.turns,
            class: planned.class,
            device: &self.plan.device,
            judge: self.judge,
            journal: rig.journal,
            values: &planned.values,
            aa: self.args.aa,
            seed: self.seed.wrapping_add(1_000 * (index as u64 + 1)),
            stop: rig.stop,
            bounds: &self.args.stop_if,
            path: self.path,
            tracing: rig.tracing,
            end_ns,
            // A run is no window that could be cut short for tracing.
            explains: matches!(self.args.layers, LayersArg::Auto)
                && !self.judge.metric.is_of_runs
                && self.context.host.rehearsal().is_none(),
            origin_ns: rig.origin_ns,
            left: &rig.left,
        };
        let tell = self.tell_back(rig, live);
        let Driven {
            verdict,
            layers,
            figures,
            moved,
            windows,
            has_crossed,
        } = drive(
            &setup,
            &mut experiment,
            &mut |progress| live.show(planned, progress),
            &tell,
        )?;
        let set = set_of_arm(asked, &planned.values, &verdict.arm);
        let summary = match set.is_empty() {
            true => view::trial::sentence(&planned.label(), &planned.values, &verdict),
            false => view::trial::set_sentence(&set, &verdict),
        };
        let trial = Trial {
            set,
            base: asked.base.clone(),
            layers,
            figures,
            moved,
            windows,
            verdict: Some(verdict),
            ..self.trial_of(planned, summary)
        };
        Ok((trial, has_crossed))
    }

    /// Says at once that everything is back, to whoever asked to stop. What is not whole is told at the end, with what mends it.
    fn tell_back<'a>(
        &self,
        rig: &'a Rig<'_>,
        live: &Live,
    ) -> impl Fn(&[Restored]) + Sync + use<'a> {
        let (line, out) = (live.line(), self.context.out);
        let (stop, is_told) = (rig.stop.clone(), &rig.is_told);
        move |restored| {
            if restored.iter().all(Restored::is_whole) {
                line.note(out, &all_back(&stop, restored.len()));
                is_told.store(true, Relaxed);
            }
        }
    }

    /// What the experiment on a knob is asked.
    fn plan_of(
        &self,
        index: usize,
        planned: &PlannedKnob,
        time: KnobTime,
        aim: Aim,
    ) -> ExperimentPlan {
        let mut plan = ExperimentPlan::new(
            planned.values.clone(),
            planned.class,
            self.seed.wrapping_add(index as u64),
        );
        plan.rope = self.args.rope;
        plan.alpha = match aim {
            Aim::OneOf { claims } => self.args.alpha / claims as f64,
            Aim::Headline | Aim::Select => self.args.alpha,
        };
        plan.only_selects = aim == Aim::Select;
        (plan.budget_ms, plan.whole_ms) = (time.pairs_ms, time.whole_ms);
        plan.memory_ms = planned.memory_ms;
        plan.metric = self.plan.metric.clone();
        let meter = self.judge.meter;
        plan.min_completions = (meter.least_amount)(self.job);
        let has_depth =
            load::Engine::find(&self.job.ioengine).is_some_and(|engine| engine.has_depth);
        let is_throughput = meter.counts == Counts::OwnThroughput;
        plan.can_halve_depth =
            is_throughput && has_depth && self.job.iodepth > 1 && planned.class == Class::Fast;
        plan.can_halve_depth &= !plan.only_selects;
        plan.accept_worse_p99 = self.args.accept_worse_p99;
        plan.may_take_from_others = self.job.beside.is_some();
        plan
    }

    pub(super) fn trial_of(&self, planned: &PlannedKnob, summary: String) -> Trial {
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

/// The values that the arm of a verdict has in place: all of the set, or those that differ from what was found.
fn set_of_arm(asked: &Asked, arms: &[String], arm: &str) -> Vec<SetMember> {
    let at = arms.iter().position(|one| one == arm).filter(|at| *at > 1);
    let Some(at) = at else {
        return asked.set.clone();
    };
    let is_in_place = |(member, turn): &(&SetMember, &Turn)| member.value == turn.values[at];
    let kept = asked.set.iter().zip(&asked.turns).filter(is_in_place);
    kept.map(|(member, _)| member.clone()).collect()
}

/// Silence when every value that was read back is as it was; otherwise what is not, and how to go on.
pub(super) fn must_be_back(restored: &[Restored]) -> Result<(), Failure> {
    in_place::not_back(restored).map_or(Ok(()), |what| Err(Failure::new(Exit::Failed, what)))
}
