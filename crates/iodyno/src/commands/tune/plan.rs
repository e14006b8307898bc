//! What a tune will do, decided before anything is touched: which knobs, which values, how long, and why not the rest.

use super::Args;
use crate::commands::Context;
use crate::exit::{Exit, Failure};
use model::change::Class;
use model::iopath::{IoPath, LayerKind};
use model::job::Job;
use model::units;
use pipeline::apply::{Knob, Queue, knobs};
use pipeline::experiment::default_budget_ms;
use serde::Serialize;

/// Device time that settling, audit and hold-out take on top of the pairs, about.
const FIXED_MS: u64 = 30_000;
/// Least time in which a knob can be decided at all.
const LEAST_MS: u64 = 20_000;

/// The plan of a tune.
#[derive(Debug, Serialize)]
pub struct TunePlan {
    /// Kernel name of the device whose queue is tuned.
    pub device: String,
    /// Knobs to try, in order.
    pub knobs: Vec<PlannedKnob>,
    /// Knobs left out, with the reason.
    pub skipped: Vec<SkippedKnob>,
    /// Time for all together, ms.
    pub budget_ms: u64,
}

/// One knob to try.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedKnob {
    /// Its id.
    pub knob: String,
    /// Values; the first is the one found.
    pub values: Vec<String>,
    /// Time for its pairs or its race, ms.
    pub pairs_ms: u64,
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
    let device = device(path)?;
    let queue = Queue::of(&context.host, &device).ok_or_else(|| {
        Failure::new(Exit::Failed, format!("{device} has no queue settings in /sys/block/{device}/queue."))
    })?;
    let asked = asked(args)?;
    let is_asked_by_name = !args.knobs.is_empty();
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    for (knob, values) in asked {
        match consider(knob, values, &queue, job, is_asked_by_name)? {
            Ok(planned) => chosen.push(planned),
            Err(why) => skipped.push(SkippedKnob { knob: knob.id.into(), why }),
        }
    }
    let mut plan = TunePlan { device, knobs: chosen, skipped, budget_ms: args.budget };
    plan.share_budget();
    if plan.knobs.is_empty() {
        return Err(nothing_to_try(&plan));
    }
    rights(&plan, &queue, args)?;
    Ok(plan)
}

/// The one device below the target whose queue can be tuned.
fn device(path: &IoPath) -> Result<String, Failure> {
    let layer = path.queue_device().ok_or_else(|| {
        let what = path.root.walk().last().map(|layer| layer.title.clone()).unwrap_or_default();
        Failure::new(
            Exit::Failed,
            format!("there is no block device below {} ({what}), so there is no setting to tune.\n`iodyno run` can still load it.", path.target),
        )
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

/// The knobs to consider with the values asked for: the user's, or all in the order of expected gain.
fn asked(args: &Args) -> Result<Vec<(&'static Knob, Option<Vec<String>>)>, Failure> {
    if args.knobs.is_empty() {
        let mut all: Vec<&'static Knob> = knobs::ALL.to_vec();
        all.sort_by_key(|knob| knob.order);
        return Ok(all.into_iter().map(|knob| (knob, None)).collect());
    }
    args.knobs.iter().map(|text| parse_knob(text)).collect()
}

/// `scheduler` or `scheduler=none,bfq`.
fn parse_knob(text: &str) -> Result<(&'static Knob, Option<Vec<String>>), Failure> {
    let (id, values) = text.split_once('=').map_or((text, None), |(id, values)| (id, Some(values)));
    let knob = Knob::find(id).ok_or_else(|| {
        let known: Vec<&str> = knobs::ALL.iter().map(|knob| knob.id).collect();
        Failure::usage(format!("there is no knob `{id}`. There are {}.", known.join(", ")))
    })?;
    let values: Option<Vec<String>> = values.map(|values| values.split(',').map(str::to_string).collect());
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
        return Ok(Err(format!("{} has no other value than {now} here", queue.device())));
    }
    let is_named_with_values = is_asked_by_name;
    if !is_named_with_values && let Some(why) = (knob.pointless)(queue, job) {
        return Ok(Err(why));
    }
    if knob.class == Class::Slow {
        return Ok(Err(
            "its effect comes minutes later, through dirty pages; this experiment is too short for it".into(),
        ));
    }
    Ok(Ok(PlannedKnob { knob: knob.id.into(), values, pairs_ms: 0, risk: knob.risk }))
}

fn nothing_to_try(plan: &TunePlan) -> Failure {
    let reasons: Vec<String> =
        plan.skipped.iter().map(|skipped| format!("  {}: {}", skipped.knob, skipped.why)).collect();
    Failure::new(
        Exit::Failed,
        format!("there is nothing to try on {} for this load:\n{}", plan.device, reasons.join("\n")),
    )
}

/// A tune writes below /sys; without the right it says so before it has done anything.
fn rights(plan: &TunePlan, queue: &Queue, args: &Args) -> Result<(), Failure> {
    let blocked = plan.knobs.iter().find(|knob| !host::rights::may_write(&queue.path(&knob.knob)));
    match blocked {
        Some(knob) if !args.dry_run => Err(Failure::new(
            Exit::Rights,
            format!(
                "cannot write {}: tune changes settings and needs root (sudo iodyno tune …).\n\
                 Without root `iodyno inspect` and `iodyno run` work, and `iodyno tune --dry-run` shows the plan.",
                queue.path(&knob.knob)
            ),
        )),
        _ => Ok(()),
    }
}

impl TunePlan {
    /// Shares the time out evenly; knobs for which none is left are skipped.
    fn share_budget(&mut self) {
        while !self.knobs.is_empty() {
            let each_ms = self.budget_ms / self.knobs.len() as u64;
            if each_ms >= LEAST_MS || self.knobs.len() == 1 {
                for knob in &mut self.knobs {
                    let class = Knob::find(&knob.knob).map_or(Class::Fast, |knob| knob.class);
                    let most_ms = default_budget_ms(class, knob.values.len());
                    knob.pairs_ms = each_ms.saturating_sub(FIXED_MS).clamp(LEAST_MS / 2, most_ms);
                }
                return;
            }
            if let Some(last) = self.knobs.pop() {
                let why = format!("no time left within the budget of {}", units::span_ms(self.budget_ms));
                self.skipped.push(SkippedKnob { knob: last.knob, why });
            }
        }
    }

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
        lines.push(format!(
            "  at most {} or so; each value is saved first, switched back and forth under load, and put back at the end,",
            units::span_ms(self.budget_ms)
        ));
        lines.push("  also on Ctrl-C; after a crash or kill -9 by `iodyno undo`".to_string());
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(knobs: usize, budget_ms: u64) -> TunePlan {
        let one = |id: &str| PlannedKnob {
            knob: id.into(),
            values: vec!["1".into(), "2".into()],
            pairs_ms: 0,
            risk: model::change::Risk::Safe,
        };
        let knobs = ["scheduler", "rq_affinity", "nomerges"].into_iter().take(knobs).map(one).collect();
        let mut plan = TunePlan { device: "sda".into(), knobs, skipped: Vec::new(), budget_ms };
        plan.share_budget();
        plan
    }

    #[test]
    fn the_budget_is_shared_and_what_does_not_fit_is_said() {
        assert!(plan(3, 300_000).knobs.iter().all(|knob| knob.pairs_ms == 60_000));
        let short = plan(3, 45_000);
        assert_eq!((short.knobs.len(), short.skipped.len()), (2, 1));
        assert!(short.skipped[0].why.contains("45 s"));
        assert_eq!(plan(1, 1_000).knobs.len(), 1, "one knob is always tried");
    }

    #[test]
    fn a_knob_may_bring_its_values() {
        let (knob, values) = parse_knob("scheduler=none,bfq").unwrap();
        assert_eq!((knob.id, values.unwrap().len()), ("scheduler", 2));
        assert!(parse_knob("sheduler").unwrap_err().message.contains("nr_requests"));
    }
}
