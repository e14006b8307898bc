//! What a tune will do, decided before anything is touched: which knobs, which values, how long, and why not the rest.

use super::Args;
use crate::commands::Context;
use crate::exit::{Exit, Failure};
use apply::{Knob, Queue, knobs};
use experiment::{default_budget_ms, least_budget_ms};
use load::{Engine, Needs};
use model::change::Class;
use model::iopath::{IoPath, LayerKind};
use model::job::Job;
use model::units;
use serde::Serialize;
use tuner::explain_reserve_ms;

/// Device time that settling, audit and hold-out take on top of the pairs, about: their windows are as long as the
/// class's.
fn fixed_ms(class: Class) -> u64 {
    if class == Class::Fast {
        40_000
    } else {
        150_000
    }
}

/// The part of it that no decision does without: the rest is for second looks and for a hold-out, which only a
/// difference needs.
fn least_fixed_ms(class: Class) -> u64 {
    if class == Class::Fast { 30_000 } else { 75_000 }
}

/// Time that a slow knob's blocks take: their windows, and a fifth more for writing out what each leaves dirty.
fn blocks_ms(values: usize) -> u64 {
    default_budget_ms(Class::Slow, values) * 6 / 5
}

/// Least time for the pairs of a fast knob: enough for a few dozen.
const LEAST_MS: u64 = 10_000;

/// The plan of a tune.
#[derive(Debug, Serialize)]
pub struct TunePlan {
    /// Kernel name of the device whose queue is tuned.
    pub device: String,
    /// Knobs to try, in order.
    pub knobs: Vec<PlannedKnob>,
    /// Knobs left out, with the reason.
    pub skipped: Vec<SkippedKnob>,
    /// Time for all together, ms: from the first load to the last window. Making the target ready comes before it.
    pub budget_ms: u64,
    /// Whether a scratch file has to be written first.
    #[serde(skip)]
    pub is_laid_out: bool,
}

/// One knob to try.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedKnob {
    /// Its id.
    pub knob: String,
    /// Values; the first is the one found.
    pub values: Vec<String>,
    /// How long a switch keeps acting under this load.
    pub class: Class,
    /// What it can cost.
    pub risk: model::change::Risk,
}

/// One knob left out.
#[derive(Clone, Debug, Serialize)]
pub struct SkippedKnob {
    /// Its id.
    pub knob: String,
    /// Why.
    pub why: String,
}

/// Makes the plan, or says why there can be none.
pub fn make(args: &Args, context: &Context, path: &IoPath, job: &Job) -> Result<TunePlan, Failure> {
    usable(job)?;
    let device = device(path)?;
    let queue = Queue::of(&context.host, &device).ok_or_else(|| {
        Failure::new(
            Exit::Failed,
            format!("{device} has no queue settings in /sys/block/{device}/queue."),
        )
    })?;
    let asked = asked(args)?;
    let is_asked_by_name = !args.knobs.is_empty();
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    for (knob, values) in asked {
        match consider(knob, values, &queue, job, is_asked_by_name)? {
            Ok(planned) => chosen.push(planned),
            Err(why) => skipped.push(SkippedKnob {
                knob: knob.id.into(),
                why,
            }),
        }
    }
    let is_laid_out = matches!(
        host::files::kind(&args.target),
        Ok(host::files::Kind::Directory)
    );
    let plan = TunePlan {
        device,
        knobs: chosen,
        skipped,
        budget_ms: args.budget,
        is_laid_out,
    };
    if plan.knobs.is_empty() {
        return Err(nothing_to_try(&plan));
    }
    rights(&plan, &queue, args)?;
    Ok(plan)
}

/// An experiment needs a load that goes on alike; one that works through phases is none.
fn usable(job: &Job) -> Result<(), Failure> {
    match Engine::find(&job.ioengine) {
        Some(engine) if engine.needs == Needs::Directory => Err(Failure::usage(format!(
            "--ioengine={} works through phases, and two windows of it are not the same load.",
            engine.id
        ))
        .on("--ioengine")
        .hint("Measure it with `iodyno run`, or tune under another engine.")),
        _ => Ok(()),
    }
}

/// Why a knob cannot be judged under a load that is not ours to start anew.
fn unjudgeable(knob: &Knob, job: &Job) -> Option<String> {
    let is_theirs =
        Engine::find(&job.ioengine).is_some_and(|engine| engine.needs == Needs::Nothing);
    (is_theirs && knob.class != Class::Fast)
        .then(|| "it acts on files opened after the switch or on what is still to be written, and this load is not ours to start anew".into())
}

/// The one device below the target whose queue can be tuned.
fn device(path: &IoPath) -> Result<String, Failure> {
    let layer = path.queue_device().ok_or_else(|| {
        let what = path
            .root
            .walk()
            .last()
            .map(|layer| layer.title.clone())
            .unwrap_or_default();
        Failure::new(
            Exit::Failed,
            format!(
                "there is no block device below {} ({what}), so there is no setting to tune.",
                path.target
            ),
        )
        .on(&path.target)
        .hint("`iodyno run` can still load it.")
    })?;
    if layer.kind != LayerKind::Stacked {
        return Ok(layer.name.clone());
    }
    let disks: Vec<String> = layer
        .walk()
        .into_iter()
        .filter(|below| below.kind == LayerKind::Disk)
        .map(|below| below.name.clone())
        .collect();
    match disks.as_slice() {
        [disk] => Ok(disk.clone()),
        _ => Err(Failure::usage(format!(
            "{} spreads over {}: their schedulers act, not its own. Name one of them as the target.",
            layer.name,
            disks.join(", ")
        ))),
    }
}

/// A knob with the values that the user named, if any.
type Asked = (&'static Knob, Option<Vec<String>>);

/// The knobs to consider with the values asked for: the user's, or all in the order of expected gain.
fn asked(args: &Args) -> Result<Vec<Asked>, Failure> {
    if args.knobs.is_empty() {
        let mut all: Vec<&'static Knob> = knobs::ALL.to_vec();
        all.sort_by_key(|knob| knob.order);
        return Ok(all.into_iter().map(|knob| (knob, None)).collect());
    }
    args.knobs.iter().map(|text| parse_knob(text)).collect()
}

/// `scheduler` or `scheduler=none,bfq`.
fn parse_knob(text: &str) -> Result<Asked, Failure> {
    let (id, values) = text
        .split_once('=')
        .map_or((text, None), |(id, values)| (id, Some(values)));
    let knob = Knob::find(id).ok_or_else(|| {
        let known: Vec<&str> = knobs::ALL.iter().map(|knob| knob.id).collect();
        Failure::usage(format!(
            "there is no knob `{id}`. There are {}.",
            known.join(", ")
        ))
    })?;
    let values: Option<Vec<String>> =
        values.map(|values| values.split(',').map(str::to_string).collect());
    Ok((knob, values))
}

/// A knob with its values, or why it is left out. A value that the user named and the device does not take is an error.
fn consider(
    knob: &'static Knob,
    wanted: Option<Vec<String>>,
    queue: &Queue,
    job: &Job,
    is_asked_by_name: bool,
) -> Result<Result<PlannedKnob, String>, Failure> {
    let choices = (knob.choices)(queue);
    let Some(now) = choices.first().cloned() else {
        let attribute = queue.attribute(knob.id);
        return Ok(Err(format!("it is {attribute} on {}", queue.device())));
    };
    let values = match wanted {
        None => choices,
        Some(wanted) => {
            for value in &wanted {
                if let Some(why) = (knob.rejects)(queue, value) {
                    return Err(Failure::usage(format!(
                        "{} does not take {}={value}: {why}.",
                        queue.device(),
                        knob.id
                    )));
                }
            }
            let others = wanted.into_iter().filter(|value| *value != now);
            std::iter::once(now.clone()).chain(others).collect()
        }
    };
    if values.len() < 2 {
        return Ok(Err(format!(
            "{} has no other value than {now} here",
            queue.device()
        )));
    }
    if let Some(why) = unjudgeable(knob, job) {
        return Ok(Err(why));
    }
    let is_named_with_values = is_asked_by_name;
    // A load that is not ours is not what the job says.
    let is_ours = Engine::find(&job.ioengine).is_none_or(|engine| engine.needs != Needs::Nothing);
    if is_ours
        && !is_named_with_values
        && let Some(why) = (knob.pointless)(queue, job)
    {
        return Ok(Err(why));
    }
    Ok(Ok(PlannedKnob {
        knob: knob.id.into(),
        values,
        class: knob.class_under(job),
        risk: knob.risk,
    }))
}

fn nothing_to_try(plan: &TunePlan) -> Failure {
    let reasons: Vec<String> = plan
        .skipped
        .iter()
        .map(|skipped| format!("  {}: {}", skipped.knob, skipped.why))
        .collect();
    Failure::new(
        Exit::Failed,
        format!(
            "there is nothing to try on {} for this load:\n{}",
            plan.device,
            reasons.join("\n")
        ),
    )
    .on(&plan.device)
    .why(reasons.join("\n").trim_start())
}

/// A tune writes below /sys; without the right it says so before it has done anything.
fn rights(plan: &TunePlan, queue: &Queue, args: &Args) -> Result<(), Failure> {
    let blocked = plan
        .knobs
        .iter()
        .find(|knob| !host::rights::may_write(&queue.path(&knob.knob)));
    match blocked {
        Some(knob) if !args.dry_run => Err(Failure::new(
            Exit::Rights,
            format!(
                "cannot write {}: tune changes settings and needs root (sudo iodyno tune …).",
                queue.path(&knob.knob)
            ),
        )
        .on(queue.path(&knob.knob))
        .why("tune changes settings and needs root")
        .hint("Without root `iodyno inspect` and `iodyno run` work, and `iodyno tune --dry-run` shows the plan.")),
        _ => Ok(()),
    }
}

impl PlannedKnob {
    /// Time for its pairs or its race when `left_ms` remain for it and the knobs after it, `knobs_left` in all; none
    /// when that decides nothing. A knob that is quick leaves its time to the others.
    pub fn pairs_ms(&self, left_ms: u64, knobs_left: u64) -> Option<u64> {
        let least_ms = least_budget_ms(self.class, self.values.len()).max(LEAST_MS);
        let most_ms = default_budget_ms(self.class, self.values.len());
        if self.class == Class::Slow {
            // Windows of fifteen seconds and a fixed number of them: it fits whole or not at all.
            return (left_ms >= self.needs_ms()).then_some(most_ms);
        }
        let others_ms = fixed_ms(self.class) + explain_reserve_ms(self.class);
        let share_ms = (left_ms / knobs_left.max(1))
            .saturating_sub(others_ms)
            .max(least_ms)
            .min(most_ms);
        let is_enough = left_ms >= share_ms + least_fixed_ms(self.class);
        is_enough.then_some(share_ms)
    }

    /// The least time in which this knob can be decided, ms.
    pub fn needs_ms(&self) -> u64 {
        match self.class {
            Class::Slow => blocks_ms(self.values.len()),
            class => {
                least_budget_ms(class, self.values.len()).max(LEAST_MS) + least_fixed_ms(class)
            }
        }
    }
}

impl TunePlan {
    /// The plan in words.
    pub fn lines(&self, job: &Job) -> Vec<String> {
        let mut lines = vec![format!("{} on {}: {}", "tune", self.device, job.phrase())];
        for knob in &self.knobs {
            let others = knob.values[1..].join(", ");
            lines.push(format!(
                "  {:<15} {} against {others}   ({})",
                knob.knob,
                knob.values[0],
                knob.risk.phrase()
            ));
        }
        for skipped in &self.skipped {
            lines.push(format!("  {:<15} not tried: {}", skipped.knob, skipped.why));
        }
        let after = if self.is_laid_out {
            " of load, after a scratch file is written"
        } else {
            " of load"
        };
        lines.push(format!(
            "  takes at most {}{after}.",
            units::span_ms(self.budget_ms)
        ));
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
            values,
            class: Class::Fast,
            risk: model::change::Risk::Safe,
        };
        assert_eq!(knob.pairs_ms(300_000, 3), Some(51_000));
        assert_eq!(knob.pairs_ms(180_000, 3), Some(11_000));
        assert_eq!(
            knob.pairs_ms(120_000, 1),
            Some(60_000),
            "never more than the knob can use"
        );
        assert_eq!(
            knob.pairs_ms(60_000, 3),
            Some(10_000),
            "the first knob is tried with the least"
        );
        assert_eq!(knob.pairs_ms(30_000, 1), None);
        assert!(
            knob.pairs_ms(knob.needs_ms(), 1).is_some()
                && knob.pairs_ms(knob.needs_ms() - 1, 1).is_none()
        );
        let slow = PlannedKnob {
            class: Class::Slow,
            ..knob
        };
        assert_eq!(
            slow.pairs_ms(100_000, 1),
            None,
            "a slow knob fits whole or not at all"
        );
        assert!(slow.pairs_ms(600_000, 2).is_some());
    }

    #[test]
    fn a_knob_may_bring_its_values() {
        let (knob, values) = parse_knob("scheduler=none,bfq").unwrap();
        assert_eq!((knob.id, values.unwrap().len()), ("scheduler", 2));
        assert!(
            parse_knob("sheduler")
                .unwrap_err()
                .message
                .contains("nr_requests")
        );
    }
}
