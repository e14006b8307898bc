//! What a tune will do, decided before anything is touched: which knobs, which values, how long, and why not the rest.

use super::TuneArgs;
use super::session::Session;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::named_knob::{self, NamedKnob, absent, device, handed_on, is_of_some_devices, subjects};
use apply::{Knob, SubjectFiles, knobs, must_take};
use experiment::{
    class_memory_ms, default_budget_ms, least_before_ms, least_beside_ms, least_budget_ms,
    longest_budget_ms, pairs_within_ms,
};
use host::{Host, Reach};
use load::{Engine, Needs};
use model::change::Class;
use model::iopath::IoPath;
use model::job::Job;
use model::metric::{Better, ExperimentMetric};
use model::record::knob_label;
use model::subject::{Subject, SubjectKind, place_in_words};
use model::units;
use serde::Serialize;
use tuner::meter::{Counts, Judge};
use tuner::{Meter, explain_reserve_ms};

/// Time that a slow knob's blocks take: their windows, and a fifth more for writing out what each leaves dirty.
fn blocks_ms(values: usize, metric: &ExperimentMetric) -> u64 {
    default_budget_ms(Class::Slow, values, metric) * 6 / 5
}

/// Starting the load, and again for the hold-out, takes so long, ms.
const STARTS_MS: u64 = 3_000;
/// The look at what can matter takes so long at the most where knobs are selected, ms.
const LOOK_MS: u64 = 5_000;
/// Part of the budget that selecting leaves for the proof.
const PROOF_SHARE: f64 = 0.4;
/// Least time for the pairs of a fast knob: enough for a few dozen.
const LEAST_MS: u64 = 10_000;

/// The plan of a tune.
#[derive(Debug, Serialize)]
pub struct TunePlan {
    /// Kernel name of the device whose queue is tuned.
    pub device: String,
    /// What the values are judged by.
    pub metric: ExperimentMetric,
    /// Knobs to try, in order.
    pub knobs: Vec<PlannedKnob>,
    /// Knobs left out, with the reason.
    pub skipped: Vec<SkippedKnob>,
    /// Time for all together, ms: from the first load to the last window. Making the target ready comes before it.
    pub budget_ms: u64,
    /// Bounds that end it at once, as the user wrote them.
    pub stop_if: Vec<String>,
    /// Whether knobs are selected one on top of the other and what is ahead is proved once, as where none was named;
    /// otherwise each is proved on what was found.
    pub climbs: bool,
    /// Whether a scratch file has to be written first.
    #[serde(skip)]
    pub is_laid_out: bool,
}

/// One knob to try.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedKnob {
    /// Its id.
    pub knob: String,
    /// Whose setting it is.
    pub subject: Subject,
    /// Values; the first is the one found.
    pub values: Vec<String>,
    /// How long a switch keeps acting under this load.
    pub class: Class,
    /// How long a switch may plausibly go on acting, ms.
    pub memory_ms: u64,
    /// What it can cost.
    pub risk: model::change::Risk,
    /// Why it cannot matter for this load, where it is tried all the same (`--even-if-pointless`); none where nothing speaks
    /// against it.
    pub doubt: Option<String>,
    /// What its values are judged by.
    #[serde(skip)]
    pub metric: ExperimentMetric,
}

/// One knob left out.
#[derive(Clone, Debug, Serialize)]
pub struct SkippedKnob {
    /// Its id.
    pub knob: String,
    /// Whose setting it is; none where the device has none of the kind.
    pub subject: Option<Subject>,
    /// Why.
    pub why: String,
}

/// How far the changes reach that the knobs asked for will make.
pub fn reach(args: &TuneArgs) -> Result<Reach, Failure> {
    let asked = asked(args)?;
    Ok(apply::reach(asked.iter().map(|asked| asked.knob.on)))
}

/// Whether a setting of a control group was named, its limits among them.
pub fn sets_groups(args: &TuneArgs) -> Result<bool, Failure> {
    let is_of_group = |asked: &NamedKnob| asked.knob.on == SubjectKind::Group;
    Ok(!args.knobs.is_empty() && asked(args)?.iter().any(is_of_group))
}

/// Makes the plan, or says why there can be none.
pub fn make(
    args: &TuneArgs,
    context: &Context,
    path: &IoPath,
    job: &Job,
    judge: &Judge,
) -> Result<TunePlan, Failure> {
    let device = device(path)?;
    let queue = Subject::Queue {
        device: device.clone(),
    };
    if SubjectFiles::of(&context.host, queue).is_none() {
        return Err(Failure::new(
            Exit::Failed,
            format!("{device} has no queue settings in /sys/block/{device}/queue."),
        ));
    }
    let (mut chosen, skipped) = considered(args, context, path, &device, (job, judge))?;
    let needs_files = Engine::find(&job.ioengine).is_none_or(|engine| engine.needs == Needs::Files);
    let is_laid_out = needs_files
        && context.host.rehearsal().is_none()
        && matches!(
            host::files::kind(&args.target),
            Ok(host::files::FileKind::Directory)
        );
    // Windows of a slow knob are its proof already, and a control (--aa) has nothing to select.
    let climbs = args.knobs.is_empty()
        && !args.aa
        && chosen.len() > 1
        && chosen.iter().all(|planned| planned.class != Class::Slow);
    if climbs {
        // What disturbs another setting has to be in place before that is tried.
        chosen.sort_by_key(|planned| Knob::find(&planned.knob).map(apply::rank));
    }
    let plan = TunePlan {
        device,
        climbs,
        metric: judge.metric.clone(),
        knobs: chosen,
        skipped,
        budget_ms: args.budget,
        stop_if: args
            .stop_if
            .iter()
            .map(|bound| bound.text.clone())
            .collect(),
        is_laid_out,
    };
    if plan.knobs.is_empty() {
        let exit = if args.knobs.is_empty() {
            Exit::Failed
        } else {
            Exit::Usage
        };
        return Err(nothing_to_try(&plan, exit));
    }
    rights(&plan, args, &context.host)?;
    Ok(plan)
}

/// The knobs to try, and those left out with the reason.
fn considered(
    args: &TuneArgs,
    context: &Context,
    path: &IoPath,
    device: &str,
    judged: (&Job, &Judge),
) -> Result<(Vec<PlannedKnob>, Vec<SkippedKnob>), Failure> {
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    for asked in asked(args)? {
        let knob = asked.knob;
        let subjects = subjects(&asked, path, device, &context.host)?;
        if subjects.is_empty() {
            skipped.push(skip(knob, None, format!("{device} has none")));
        }
        if let Some(why) = handed_on(knob, path, device, &context.host) {
            skipped.push(skip(knob, None, why));
            continue;
        }
        for subject in subjects {
            let files = SubjectFiles::of(&context.host, subject.clone())
                .filter(|files| !(knob.choices)(files).is_empty());
            let Some(files) = files else {
                // Unasked, nobody misses on a disk what arrays have.
                if !args.knobs.is_empty() || !is_of_some_devices(knob.on) {
                    let why = absent(knob, &subject, &context.host);
                    skipped.push(skip(knob, Some(subject), why));
                }
                continue;
            };
            match consider(knob, asked.values.clone(), &files, judged, args)? {
                Ok(planned) => chosen.push(planned),
                Err(why) => skipped.push(skip(knob, Some(subject), why)),
            }
        }
    }
    Ok((chosen, skipped))
}

fn skip(knob: &Knob, subject: Option<Subject>, why: String) -> SkippedKnob {
    SkippedKnob {
        knob: knob.id.into(),
        subject,
        why,
    }
}

/// Why a knob cannot be judged: by a metric that does not see what the knob puts off, or under a load that is not ours to
/// start anew.
fn unjudgeable(knob: &Knob, meter: &Meter, job: &Job) -> Option<String> {
    let counts_writing = matches!(meter.counts, Counts::OwnThroughput | Counts::Runs);
    // What a command beside a reader leaves dirty is written out between two windows, and is not what is judged.
    let is_anothers = job.beside.is_some() && !job.rw.writes();
    if knob.class_under(job) == Class::Slow && !counts_writing && !is_anothers {
        return Some(format!(
            "it acts on what is still to be written, and {} does not count the time that writing it takes. --metric iops of a \
             load of iodyno's own does, and so does --metric duration of a --command with --run-again",
            meter.id
        ));
    }
    let is_theirs = Engine::find(&job.ioengine).is_some_and(Engine::is_of_others);
    (is_theirs && knob.class != Class::Fast)
        .then(|| "it acts on files opened after the switch or on what is still to be written, and this load is not ours to start anew".into())
}

/// The knobs to consider with the values asked for: the user's, or those that are tried unasked, by expected gain.
fn asked(args: &TuneArgs) -> Result<Vec<NamedKnob>, Failure> {
    if args.knobs.is_empty() {
        let mut all: Vec<&'static Knob> = knobs::ALL.to_vec();
        all.retain(|knob| knob.turn.is_some());
        all.sort_by_key(|knob| knob.turn);
        let unasked = |knob| NamedKnob {
            knob,
            key: None,
            values: None,
        };
        return Ok(all.into_iter().map(unasked).collect());
    }
    args.knobs
        .iter()
        .map(|text| named_knob::parse(text))
        .collect()
}

/// A knob with its values, or why it is left out. A value that the user named and the device does not take is an error.
fn consider(
    knob: &'static Knob,
    wanted: Option<Vec<String>>,
    files: &SubjectFiles,
    (job, judge): (&Job, &Judge),
    args: &TuneArgs,
) -> Result<Result<PlannedKnob, String>, Failure> {
    let choices = (knob.choices)(files);
    let now = choices.first().cloned().unwrap_or_default();
    let values = match wanted {
        None => choices,
        Some(wanted) => {
            for value in &wanted {
                must_take(knob, files, value)
                    .map_err(|rejection| Failure::usage(format!("{rejection}.")))?;
            }
            let others = wanted.into_iter().filter(|value| *value != now);
            std::iter::once(now.clone()).chain(others).collect()
        }
    };
    if values.len() < 2 {
        return Ok(Err(no_other(files, &now)));
    }
    if let Some(why) = unjudgeable(knob, judge.meter, job) {
        return Ok(Err(why));
    }
    let is_asked_by_name = !args.knobs.is_empty();
    let named = if is_asked_by_name { &values[..] } else { &[] };
    let pointless = pointless(knob, files, job, named);
    if let (Some(why), false) = (&pointless, is_asked_by_name && args.even_if_pointless) {
        return Ok(Err(match is_asked_by_name {
            true => refusal(knob, why),
            false => why.clone(),
        }));
    }
    Ok(Ok(PlannedKnob {
        knob: knob.id.into(),
        subject: files.subject().clone(),
        values,
        // Runs are few and long, and what they compare is decided in one look.
        class: match judge.metric.is_of_runs {
            true => Class::Slow,
            false => knob.class_under(job),
        },
        memory_ms: memory_ms(knob, job),
        risk: knob.risk,
        doubt: pointless,
        metric: judge.metric.clone(),
    }))
}

/// Why a knob that was named is not tried, under which load it acts, and how it is tried all the same.
fn refusal(knob: &Knob, why: &str) -> String {
    let load = match knob.load {
        "" => String::new(),
        words => format!(". It acts under: {words}"),
    };
    format!("{why}{load}. Try it all the same with --even-if-pointless")
}

/// How long a switch may go on acting under this load: as the knob says, and as long as what the load leaves behind.
fn memory_ms(knob: &Knob, job: &Job) -> u64 {
    class_memory_ms(knob.class_under(job)).max(knob.memory_ms)
}

/// A knob that nobody named and that a look at the target makes suspect; or how it can be tried all the same.
pub fn suspect(id: &str, session: &Session<'_>) -> Result<Vec<PlannedKnob>, String> {
    let (args, host) = (session.args, &session.context.host);
    let knob = Knob::find(id).ok_or_else(|| format!("There is no knob {id}."))?;
    let by_name = || format!("Try it: --knob {id}.");
    if apply::reach([knob.on]) != Reach::Device || knob.class_under(session.job) == Class::Slow {
        return Err(by_name());
    }
    let asked = NamedKnob {
        knob,
        key: None,
        values: None,
    };
    let subjects =
        subjects(&asked, session.path, &session.plan.device, host).map_err(|_| by_name())?;
    let files = subjects
        .into_iter()
        .filter_map(|subject| SubjectFiles::of(host, subject))
        .filter(|files| !(knob.choices)(files).is_empty());
    let judged = (session.job, session.judge);
    let planned: Vec<PlannedKnob> = files
        .filter_map(|files| consider(knob, None, &files, judged, args).ok()?.ok())
        .collect();
    match planned.is_empty() {
        true => Err("There is nothing to try for this load.".into()),
        false => Ok(planned),
    }
}

/// The values that a knob has on this subject now, where nobody named it; or why it has nothing to try.
pub fn choices_unasked(
    knob: &Knob,
    files: &SubjectFiles,
    job: &Job,
) -> Result<Vec<String>, String> {
    let values = (knob.choices)(files);
    if let Some(why) = pointless(knob, files, job, &[]) {
        return Err(why);
    }
    match values.as_slice() {
        [] => Err(format!("{} has none now", files.subject())),
        [now] => Err(no_other(files, now)),
        _ => Ok(values),
    }
}

/// Why a knob cannot matter under this job. A load that is not ours is not what the job says, nor is a command beside it.
fn pointless(knob: &Knob, files: &SubjectFiles, job: &Job, named: &[String]) -> Option<String> {
    let is_ours = Engine::find(&job.ioengine).is_none_or(Engine::does_what_the_job_says);
    (knob.pointless)(files, job, named).filter(|_| is_ours && job.beside.is_none())
}

fn no_other(files: &SubjectFiles, now: &str) -> String {
    format!("{} has no other value than {now} here", files.subject())
}

fn nothing_to_try(plan: &TunePlan, exit: Exit) -> Failure {
    let reasons: Vec<String> = plan
        .skipped
        .iter()
        .map(|skipped| format!("  {}: {}", skipped.knob, skipped.why))
        .collect();
    Failure::new(
        exit,
        format!(
            "there is nothing to try on {} for this load:\n{}",
            plan.device,
            reasons.join("\n")
        ),
    )
    .on(&plan.device)
    .why(reasons.join("\n").trim_start())
}

/// A tune writes settings; without the right it says so before it has done anything.
fn rights(plan: &TunePlan, args: &TuneArgs, host: &Host) -> Result<(), Failure> {
    if host.changes_nothing() {
        return Ok(());
    }
    let mut files = plan.knobs.iter().map(PlannedKnob::path);
    let blocked = files.find(|file| !host::rights::may_write(file));
    match blocked {
        Some(file) if !args.dry_run => Err(Failure::new(
            Exit::Rights,
            format!(
                "cannot write {}: tune changes settings and needs root (sudo iodyno tune …).",
                place_in_words(&file)
            ),
        )
        .on(file)
        .why("tune changes settings and needs root")
        .hint("Without root `iodyno inspect` and `iodyno run` work, and `iodyno tune --dry-run` shows the plan.")),
        _ => Ok(()),
    }
}

impl PlannedKnob {
    /// The knob for people: with its subject where the device has several of the kind.
    pub fn label(&self) -> String {
        knob_label(&self.knob, &self.subject)
    }

    /// That the load is not one on which it acts, and which is.
    fn doubt_line(&self) -> Option<String> {
        let why = self.doubt.as_ref()?;
        let load = Knob::find(&self.knob).map_or("", |knob| knob.load);
        let try_this = match load {
            "" => String::new(),
            words => format!(". It acts under: {words}"),
        };
        Some(format!("expect no difference: {why}{try_this}"))
    }

    /// The file that is written.
    fn path(&self) -> String {
        let attribute = Knob::find(&self.knob).map_or("", |knob| knob.attribute);
        self.subject.path(attribute)
    }

    /// Its time when `left_ms` remain for it and the knobs after it, `knobs_left` in all; none when that decides nothing. A
    /// knob that is quick leaves its time to the others.
    pub fn time(&self, left_ms: u64, knobs_left: u64) -> Option<KnobTime> {
        if left_ms < self.needs_ms() {
            return None;
        }
        let share_ms = left_ms / knobs_left.max(1);
        let most_ms = default_budget_ms(self.class, self.values.len(), &self.metric);
        if self.class == Class::Slow {
            // Windows of fifteen seconds, and their number is fixed before the first: it fits whole or not at all.
            let longest_ms = longest_budget_ms(self.class, self.values.len(), &self.metric);
            return Some(KnobTime {
                pairs_ms: (share_ms / 6 * 5).clamp(most_ms, longest_ms),
                whole_ms: left_ms,
            });
        }
        let whole_ms = share_ms
            .saturating_sub(explain_reserve_ms(self.class))
            .max(self.needs_ms());
        let pairs_ms = pairs_within_ms(whole_ms, self.class, self.values.len(), &self.metric)
            .max(self.least_pairs_ms());
        Some(KnobTime {
            // Whoever tries one knob alone gives it all the time there is.
            pairs_ms: if knobs_left > 1 {
                pairs_ms.min(most_ms)
            } else {
                pairs_ms
            },
            whole_ms,
        })
    }

    /// Its time where it is only selected, when `left_ms` remain for it and the knobs after it; none when that decides
    /// nothing.
    pub fn select_time(&self, left_ms: u64, knobs_left: u64) -> Option<KnobTime> {
        let needs_ms = self.select_needs_ms();
        if left_ms < needs_ms {
            return None;
        }
        let whole_ms = (left_ms / knobs_left.max(1)).max(needs_ms);
        let beside_ms = needs_ms - self.least_pairs_ms();
        let most_ms = default_budget_ms(self.class, self.values.len(), &self.metric);
        Some(KnobTime {
            pairs_ms: (whole_ms - beside_ms).min(most_ms),
            whole_ms,
        })
    }

    /// The least time in which this knob can be selected, ms.
    pub fn select_needs_ms(&self) -> u64 {
        self.least_pairs_ms() + least_before_ms(self.class, &self.metric) + STARTS_MS
    }

    fn least_pairs_ms(&self) -> u64 {
        least_budget_ms(self.class, self.values.len(), &self.metric).max(LEAST_MS)
    }

    /// The least time in which this knob can be decided, ms.
    pub fn needs_ms(&self) -> u64 {
        match self.class {
            Class::Slow => blocks_ms(self.values.len(), &self.metric),
            class => {
                let beside_ms = least_beside_ms(class, self.memory_ms, &self.metric);
                self.least_pairs_ms() + beside_ms + STARTS_MS
            }
        }
    }
}

/// The time of one knob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnobTime {
    /// For its pairs or its race, ms.
    pub pairs_ms: u64,
    /// For all stages of its experiment, ms.
    pub whole_ms: u64,
}

impl SkippedKnob {
    /// The knob for people.
    pub fn label(&self) -> String {
        let label = |subject| knob_label(&self.knob, subject);
        self.subject
            .as_ref()
            .map_or_else(|| self.knob.clone(), label)
    }
}

impl TunePlan {
    /// Time that selecting leaves for the proof, ms.
    pub fn proof_ms(&self) -> u64 {
        let needs_ms = self.knobs.iter().map(PlannedKnob::needs_ms).max();
        let share_ms = (self.budget_ms as f64 * PROOF_SHARE) as u64;
        share_ms.max(needs_ms.unwrap_or(0))
    }

    /// The least budget within which everything that is planned can be tried, ms.
    pub fn needs_ms(&self) -> u64 {
        let each = |needs: fn(&PlannedKnob) -> u64| self.knobs.iter().map(needs).sum::<u64>();
        let proof_ms = self.knobs.iter().map(PlannedKnob::needs_ms).max();
        match self.climbs {
            true => {
                let select_ms = LOOK_MS + each(PlannedKnob::select_needs_ms);
                let by_share_ms = (select_ms as f64 / (1.0 - PROOF_SHARE)) as u64;
                by_share_ms.max(select_ms + proof_ms.unwrap_or(0))
            }
            // What wins is tried together at the end.
            false if self.knobs.len() > 1 => each(PlannedKnob::needs_ms) + proof_ms.unwrap_or(0),
            false => each(PlannedKnob::needs_ms),
        }
    }

    /// What the budget is too short for, and which is not.
    fn budget_line(&self) -> Option<String> {
        let needs = units::span_word(self.needs_ms());
        let is_enough = self.budget_ms >= self.needs_ms().div_ceil(1_000) * 1_000;
        let count = self.knobs.len();
        (!is_enough).then(|| {
            let budget = units::span_ms(self.budget_ms);
            match count {
                1 => format!("  {budget} is too short for it: give --budget {needs} at the least."),
                _ => format!(
                    "  {budget} is too short for all {count}: give --budget {needs} at the least."
                ),
            }
        })
    }

    /// Said where it is not what most people expect of a metric.
    fn direction(&self) -> &'static str {
        match self.metric.better {
            Better::Higher => "",
            Better::Lower => ", lower is better",
        }
    }

    /// Said where a value is that of a whole run.
    fn of_runs(&self) -> String {
        match self.metric.is_of_runs {
            true => format!(
                " of each window, about {} long",
                units::span_ms(self.metric.grain_ms)
            ),
            false => String::new(),
        }
    }

    /// What is tried, and what is not and why; those with one reason in one line.
    fn knob_lines(&self) -> Vec<String> {
        let labels = self.knobs.iter().map(|knob| knob.label().chars().count());
        let width = labels.max().unwrap_or(0).max(15);
        let mut lines = Vec::new();
        for knob in &self.knobs {
            let (label, others) = (knob.label(), knob.values[1..].join(", "));
            let (now, risk) = (&knob.values[0], knob.risk.phrase());
            lines.push(format!(
                "  {label:<width$} {now} against {others}   ({risk})"
            ));
            let doubt = knob.doubt_line();
            lines.extend(doubt.map(|doubt| format!("  {:<width$} {doubt}", "")));
        }
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for skipped in &self.skipped {
            match reasons.iter_mut().find(|(why, _)| *why == skipped.why) {
                Some((_, labels)) => labels.push(skipped.label()),
                None => reasons.push((&skipped.why, vec![skipped.label()])),
            }
        }
        for (why, labels) in reasons {
            lines.push(format!("  {:<width$} not tried: {why}", labels.join(", ")));
        }
        lines
    }

    /// The plan in words.
    pub fn lines(&self, job: &Job) -> Vec<String> {
        let mut lines = vec![format!("{} on {}: {}", "tune", self.device, job.phrase())];
        lines.extend(self.knob_lines());
        let after = if self.is_laid_out {
            " of load, after a scratch file is written"
        } else {
            " of load"
        };
        lines.push(format!(
            "  judged by {}{}{}.",
            self.metric.name,
            self.direction(),
            self.of_runs()
        ));
        lines.push(format!(
            "  takes at most {}{after}.",
            units::span_ms(self.budget_ms)
        ));
        lines.extend(self.budget_line());
        if !self.stop_if.is_empty() {
            lines.push(format!(
                "  puts everything back at once and ends where {} on {}.",
                self.stop_if.join(" or "),
                self.device
            ));
        }
        lines.push(
            "  Every value is saved first, switched back and forth under load, and put back"
                .to_string(),
        );
        lines.push(
            "  at the end, also on Ctrl-C; after a crash or kill -9 by `iodyno undo`.".to_string(),
        );
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_shared_by_what_is_left() {
        let values = vec!["1".into(), "2".into()];
        let knob = PlannedKnob {
            knob: "scheduler".into(),
            subject: Subject::Sysctl,
            values,
            class: Class::Fast,
            memory_ms: 1_000,
            risk: model::change::Risk::Safe,
            doubt: None,
            metric: ExperimentMetric::iops(),
        };
        let time = |left_ms, knobs_left| knob.time(left_ms, knobs_left);
        let third = time(300_000, 3).unwrap();
        assert!(
            third.whole_ms < 100_000 && third.pairs_ms >= 30_000,
            "{third:?}"
        );
        let alone = time(300_000, 1).unwrap();
        assert!(
            alone.pairs_ms > 120_000 && alone.pairs_ms < alone.whole_ms,
            "{alone:?}"
        );
        let first = time(60_000, 3).unwrap();
        assert_eq!(
            (first.pairs_ms, first.whole_ms),
            (LEAST_MS, knob.needs_ms()),
            "the first knob is tried with the least"
        );
        assert!(
            (20_000..40_000).contains(&knob.needs_ms()),
            "{}",
            knob.needs_ms()
        );
        assert!(time(knob.needs_ms(), 1).is_some() && time(knob.needs_ms() - 1, 1).is_none());
        let slow = PlannedKnob {
            class: Class::Slow,
            ..knob
        };
        assert_eq!(
            slow.time(100_000, 1),
            None,
            "a slow knob fits whole or not at all"
        );
        let pairs_ms =
            |left_ms, knobs_left| slow.time(left_ms, knobs_left).map(|time| time.pairs_ms);
        assert_eq!(pairs_ms(600_000, 2), Some(250_000));
        assert_eq!(
            pairs_ms(1_200_000, 1),
            Some(480_000),
            "a longer budget gives it more blocks"
        );
    }
    #[test]
    fn the_least_budget_can_be_pasted() {
        let knob = PlannedKnob {
            knob: "scheduler".into(),
            subject: Subject::Sysctl,
            values: vec!["1".into(), "2".into()],
            class: Class::Slow,
            memory_ms: 1_000,
            risk: model::change::Risk::Safe,
            doubt: None,
            metric: ExperimentMetric::iops(),
        };
        let plan = |budget_ms| TunePlan {
            device: "sda".into(),
            metric: ExperimentMetric::iops(),
            knobs: vec![knob.clone(); 8],
            skipped: Vec::new(),
            budget_ms,
            stop_if: Vec::new(),
            climbs: false,
            is_laid_out: false,
        };
        let line = plan(1_000).budget_line().unwrap();
        let word = line
            .split("--budget ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        let word = word.unwrap();
        assert!(word.contains('m'), "minutes are told as such: {line}");
        let least_ms = crate::commands::job_args::duration_ms(word).unwrap();
        assert_eq!(plan(least_ms).budget_line(), None, "{line}");
    }
}
