//! `iodyno guard`: a visit to a target that is visited again and again. It compares settings, makes a few short loads, holds both
//! against the visits before, puts a setting that changed to the proof, and tells what is not as it was.

mod proofs;
mod tell;
mod visit;
mod visits;

use super::job_args::duration_ms;
use super::scratch_arg::ScratchArg;
use super::undo;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use crate::keep;
use compare::guard::judge;
use compare::view;
use model::guard::{GuardAnswer, GuardState};
use model::text::{as_target, shell_word};
use std::path::PathBuf;
use tell::Telling;
use visits::{Series, put_in_place};

/// Arguments of `guard`.
#[derive(Debug, clap::Args)]
pub struct GuardArgs {
    /// A directory (scratch is made in it and removed), a file or a block device (which are only read).
    #[arg(default_value = ".")]
    pub target: String,
    /// The most device time of this visit: up to a third, and to 20s, for its loads, the rest for experiments on settings that
    /// changed.
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = budget_ms)]
    pub budget: u64,
    /// Load nothing and prove nothing: compare the settings alone.
    #[arg(long)]
    pub no_load: bool,
    /// Make no experiment on a setting that changed.
    #[arg(long)]
    pub no_proof: bool,
    /// Load nothing while others keep a device of the path busy for more than this part of the time.
    #[arg(long, value_name = "PERCENT", default_value = "50%", value_parser = busy_percent)]
    pub busy: f64,
    /// Take the target as the last visit found it for what is usual from now on; loads nothing.
    #[arg(long, conflicts_with_all = ["no_load", "no_proof"])]
    pub accept: bool,
    /// Write the state as metrics into this file, as node_exporter's textfile collector reads it: its name ends in .prom.
    #[arg(long, value_name = "FILE")]
    pub textfile: Option<PathBuf>,
    /// Tell systemd's journal as well, in fields of its own: IODYNO_TARGET, IODYNO_STATE, IODYNO_RECORD.
    #[arg(long)]
    pub journal: bool,
    /// Post the answer as JSON where something is raised or cleared, to the URL in this file, which only its owner may read.
    #[arg(long, value_name = "FILE")]
    pub webhook: Option<PathBuf>,
    #[command(flatten)]
    pub scratch: ScratchArg,
}

/// The least budget: one round of loads within its third.
const BUDGET_LEAST_MS: u64 = 15_000;

/// A budget that has room for a round of loads.
fn budget_ms(text: &str) -> Result<u64, String> {
    let ms = duration_ms(text)?;
    match ms >= BUDGET_LEAST_MS {
        true => Ok(ms),
        false => Err("a visit takes 15s at least".into()),
    }
}

/// A part of the time: of 100 % no disk is busy for more.
fn busy_percent(text: &str) -> Result<f64, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).parse();
    match percent {
        Ok(percent) if (1.0..=100.0).contains(&percent) => Ok(percent),
        _ => Err("a part of the time is 1% to 100%".into()),
    }
}

/// The loads' part of the budget, and the most that they take, ms.
const LOADS_PART: u64 = 3;
const LOADS_MOST_MS: u64 = 20_000;

/// Visits, judges, proves, keeps, tells.
pub fn run(args: &GuardArgs, context: &Context) -> Result<Exit, Failure> {
    args.scratch.put_in_place();
    let telling = Telling::of_args(args)?;
    let target = visits::target(&args.target);
    let mut series = Series::read(context, &target)?;
    if args.accept {
        return series.accept(context);
    }
    let stop = context.stop_on_signals()?;
    undo::put_back_unfinished(context);
    let loads_ms = (args.budget / LOADS_PART).min(LOADS_MOST_MS);
    let loads_ms = (!args.no_load).then_some(loads_ms);
    let visited = visit::visit(context, &target, (loads_ms, args.busy), &stop)?;
    if let Some(failure) = visited.failure {
        return Err(failure);
    }
    let mut record = visited.record;
    visits::guard_of(&mut record).budget_ms = args.budget;
    let put_in_place = put_in_place(context);
    let accept = format!("{} --accept", command(&target));
    let mut answer = series.judged(&record, &put_in_place, &accept)?;
    let mut ended = None;
    // Whatever kept loads away keeps experiments away, which are loads.
    if !args.no_proof && answer.done.skipped.is_none() {
        let proofs = proofs::Proofs {
            context,
            target: &target,
            scratch_bytes: visited.scratch_bytes,
        };
        ended = proofs.make(&series, &answer, &mut record).err();
        answer = series.judged(&record, &put_in_place, &accept)?;
    }
    visits::guard_of(&mut record)
        .alarms
        .clone_from(&answer.done.alarms);
    record.summary.clone_from(&answer.sentence);
    let kept = keep::keep(context, &record);
    answer.visit.record = kept.id;
    if let Some(id) = kept.id {
        series.add(context, id)?;
    }
    say(&answer, context)?;
    let told = telling.tell(&answer, &mut series, context);
    if let Some(failure) = ended {
        return Err(failure);
    }
    kept.must_be_stored()?;
    match (answer.state, told) {
        // An alarm has to be seen, also by whoever could not be told.
        (GuardState::Alarm, Err(failure)) => {
            context.out.note(format!("iodyno: {}", failure.message));
            Ok(Exit::Found)
        }
        (GuardState::Alarm, Ok(())) => Ok(Exit::Found),
        (GuardState::Quiet | GuardState::Learning, told) => told.map(|()| Exit::Fine),
    }
}

/// The command of a visit to this target, as it can be pasted.
fn command(target: &str) -> String {
    format!("iodyno guard {}", shell_word(&as_target(target)))
}

fn say(answer: &GuardAnswer, context: &Context) -> Result<(), Failure> {
    for line in view::guard::lines(answer, &::view::calendar::day, context.out.paint()) {
        context.out.say(line);
    }
    if let Some(id) = answer.visit.record {
        context.out.say(format!(
            "  record {id}   all visits: iodyno list --tag {}",
            visits::TAG
        ));
    }
    context.out.document_on_a_line(answer)
}

impl Series {
    /// How these visits and the one of a record stand.
    fn judged(
        &self,
        record: &model::record::Record,
        put_in_place: &[compare::guard::PutInPlace],
        accept: &str,
    ) -> Result<GuardAnswer, Failure> {
        let named = self.with(record);
        judge(&named, put_in_place, accept)
            .ok_or_else(|| Failure::new(Exit::Failed, "a visit that is no check cannot be judged."))
    }
}
