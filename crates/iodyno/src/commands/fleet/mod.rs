//! `iodyno fleet`: the same verbs on many hosts, over OpenSSH or any command that leads to them.
//!
//! Each host has a thread and one connection ([`host_run`]). On it the host's shell is asked for the architecture, given the
//! binary where it has none of that hash ([`bootstrap`]), and starts it as `iodyno attend` ([`attend`]), which then talks a
//! protocol of one JSON document a line. Whoever leads ([`crew`]) gives the moment to begin, and the answer ([`answer`]) is
//! made of what came.

mod ahead;
mod answer;
mod args;
pub mod attend;
mod binary;
mod bootstrap;
mod crew;
mod host_run;
mod live;
mod outcome;
mod outgoing;
mod pending_file;
mod planned;
mod talk;
mod verbs;

pub use args::FleetArgs;

use crate::context::Context;
use crate::exit::{Exit, Failure};
use crew::FleetPlan;
use fleet::{FleetAnswer, HostState, Pending};
use live::FleetLive;
use outcome::HostOutcome;
use report::text;
use serde_json::Value;
use std::sync::Arc;
use store::Store;
use verbs::{FleetVerb, FleetVerbKind};

/// Descriptors that a host takes here, and those that the rest takes.
const FILES_A_HOST: u64 = 4;
const FILES: u64 = 128;

/// Does it on all hosts, and says what came of it.
pub fn run(args: &FleetArgs, context: &Context) -> Result<Exit, Failure> {
    let verb = FleetVerb::of(&args.words)?;
    let aside = context.aside();
    let context = if verb.is_json { &aside } else { context };
    let mark = ahead::mark();
    let plan = Arc::new(plan(args, verb.marked(&mark), context)?);
    let store = match makes_records(&plan.verb) {
        true => Some(Store::open(&context.state_dir)?),
        false => None,
    };
    say_rule(&plan, context);
    let stop = context.stop_on_signals()?;
    let noted = ahead::of(&plan, args, &mark);
    ahead::note(&noted, &plan, context)?;
    let names = plan.hosts.iter().map(|host| host.name.clone());
    let mut live = FleetLive::new(context.out, names);
    let mut notes = Vec::new();
    let mut over = |outcome: &mut HostOutcome| notes.extend(keep(store.as_ref(), outcome));
    let mut outcomes = crew::all(&plan, &stop, &mut live, &mut over);
    if stop.is_asked() {
        outcomes.iter_mut().for_each(was_stopped);
    }
    // Before anything is computed with what hosts sent.
    let settled = ahead::settle(&noted, &plan, &outcomes, context);
    let mut answer = answer::of(&plan, args, &mut outcomes);
    answer.notes.extend(notes);
    let failure = pending(&mut answer, settled, &noted, &outcomes);
    say(&answer, context);
    context.out.document(&answer)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if stop.is_asked() && answer.pending.is_empty() {
        let signal = stop.signal_name();
        context.out.note(format!(
            "iodyno: stopped by {signal}; every host was asked to put everything back, and did."
        ));
        return Ok(Exit::Interrupted);
    }
    ended(&answer)
}

/// What is done, with whom and how.
fn plan(args: &FleetArgs, verb: FleetVerb, context: &Context) -> Result<FleetPlan, Failure> {
    let hosts = planned::hosts(args, &verb, context)?;
    let wanted = FILES + FILES_A_HOST * hosts.len() as u64;
    let files = host::listening::raise_open_files(wanted);
    if files < wanted {
        let count = hosts.len();
        let what =
            format!("{count} hosts need {wanted} open files, and this shell allows {files}.");
        return Err(Failure::new(Exit::Refused, what).hint(format!("ulimit -n {wanted}")));
    }
    Ok(FleetPlan {
        hosts,
        binaries: binary::all(&args.binary)?,
        record: record(&verb, context)?,
        verb,
        at_once: args.at_once as usize,
        silence_ms: args.silence.max(1_000),
        timeout_ms: args.timeout,
        ready_ms: args.ready_timeout,
    })
}

/// Puts what is pending into the answer; where that could not be noted, the hosts are named all the same.
fn pending(
    answer: &mut FleetAnswer,
    settled: Result<Vec<Pending>, Failure>,
    noted: &[Pending],
    outcomes: &[HostOutcome],
) -> Option<Failure> {
    let (pending, failure) = match settled {
        Ok(pending) => (pending, None),
        Err(failure) => {
            let lost = noted.iter().zip(outcomes);
            let lost = lost.filter(|(_, outcome)| outcome.is_lost_at_work);
            (lost.map(|(one, _)| one.clone()).collect(), Some(failure))
        }
    };
    if !pending.is_empty() {
        answer.next = Some("iodyno fleet undo".into());
    }
    answer.pending = pending;
    failure
}

fn makes_records(verb: &FleetVerb) -> bool {
    matches!(verb.kind, FleetVerbKind::Run { .. } | FleetVerbKind::Check)
}

/// The record that is sent along, where the verb needs one.
fn record(verb: &FleetVerb, context: &Context) -> Result<Option<Value>, Failure> {
    let FleetVerbKind::Apply { record } = verb.kind else {
        return Ok(None);
    };
    let store = Store::open_read_only(&context.state_dir)?;
    let text = store.document(record)?;
    let document = serde_json::from_str(&text).map_err(|error| {
        let what = format!("record {record} cannot be read: {error}");
        Failure::new(Exit::Failed, what)
    })?;
    Ok(Some(document))
}

/// Says beforehand which right is needed.
fn say_rule(plan: &FleetPlan, context: &Context) {
    if plan.hosts.iter().any(|host| host.is_sudo) {
        context.out.note(format!(
            "note: on each host `sudo -n` has to start ~/.cache/iodyno-fleet/iodyno-HASH without a password. Where it does not, the \
             rule that suffices is named. {}",
            bootstrap::RULE_MEANS
        ));
    }
}

/// Keeps the record of a host in the store here; why it could not be, as a note.
fn keep(store: Option<&Store>, outcome: &mut HostOutcome) -> Option<String> {
    let record = outcome.record.take()?;
    // One that was stopped while it waited for the moment to begin has measured nothing.
    let is_cut = outcome.answer.exit == Some(Exit::Interrupted as i32);
    if is_cut && outcome.figures.iops.is_none() {
        return None;
    }
    let from = format!("host {}", outcome.answer.address);
    match store?.take_text(&record.to_string(), &from) {
        Ok((id, _)) => {
            outcome.answer.record = Some(id);
            None
        }
        Err(error) => {
            let name = model::text::clean_to(&outcome.answer.name, 40);
            Some(format!(
                "the record of {name} is not kept here: {}",
                error.message
            ))
        }
    }
}

/// A verb that ended because we asked it to is no failure of its host.
fn was_stopped(outcome: &mut HostOutcome) {
    let answer = &mut outcome.answer;
    if answer.state == HostState::Failed {
        answer.state = host_run::state_of(answer.exit, true);
    }
}

fn say(answer: &FleetAnswer, context: &Context) {
    let paint = context.out.paint();
    for line in fleet::lines(answer, text::width(), paint) {
        context.out.say(line);
    }
    let records = answer.hosts.iter().filter_map(|host| host.record);
    if let (Some(first), Some(last)) = (records.clone().min(), records.max()) {
        let numbers = match first == last {
            true => format!("record {first}"),
            false => format!("records {first} to {last}"),
        };
        context
            .out
            .say(format!("  {numbers}   show one: iodyno show {first}"));
    }
}

/// The exit code, and where it is a failure the hosts that it is of.
fn ended(answer: &FleetAnswer) -> Result<Exit, Failure> {
    let exit = answer.exit();
    if matches!(exit, Exit::Fine | Exit::Found | Exit::Undecided) {
        return Ok(exit);
    }
    let bad = answer
        .hosts
        .iter()
        .filter(|host| host.state != HostState::Done);
    let names: Vec<&str> = bad.map(|host| host.name.as_str()).collect();
    let (count, all) = (names.len(), answer.hosts.len());
    let named = model::text::clean_to(&names.join(", "), 200);
    let what = format!("{count} of {all} hosts did not do it: {named}");
    Err(Failure::new(exit, what).on(named).told())
}
