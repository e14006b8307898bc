//! Noted ahead: a host is on the list of pending ones before a verb begins there that can change something, and comes off
//! when its end is known. Whatever kills who leads, the list says where to look.

use super::args::FleetArgs;
use super::crew::FleetPlan;
use super::outcome::HostOutcome;
use super::pending_file;
use crate::context::Context;
use crate::exit::Failure;
use fleet::{HostState, Pending, PendingList};
use host::clock;

/// What may be left on each host of a plan, in the plan's order.
pub fn of(plan: &FleetPlan, args: &FleetArgs, mark: &str) -> Vec<Pending> {
    let config = args.ssh_config.as_ref().map(|config| {
        // The next command may be given from another directory.
        let path = host::files::canonical(config).unwrap_or_else(|_| config.clone());
        path.to_string_lossy().into_owned()
    });
    let pending = plan.hosts.iter().map(|host| Pending {
        fleet: mark.into(),
        name: host.name.clone(),
        address: host.address.clone(),
        via: args.via.clone(),
        ssh_config: config.clone(),
        sudo: host.is_sudo,
        hostname: None,
        verb: plan.verb.words.clone(),
        begun_unix_ms: clock::unix_ms(),
        why: "the fleet that began it did not come to its end".into(),
    });
    pending.collect()
}

/// A mark that no other fleet has.
pub fn mark() -> String {
    format!("{:x}-{:x}", clock::unix_ms(), host::process::id())
}

/// Notes them before anything is begun, where the verb can change anything.
///
/// # Errors
/// When that cannot be noted: then nothing is begun.
pub fn note(pending: &[Pending], plan: &FleetPlan, context: &Context) -> Result<(), Failure> {
    if !plan.verb.can_change() {
        return Ok(());
    }
    let put = |list: &mut PendingList| pending.iter().for_each(|one| list.put(one.clone()));
    pending_file::change(&context.state_dir, put).map(drop)
}

/// Takes off what has come to its end or was undone, says of the others what became of them, and gives those of this plan's
/// hosts that are on the list.
///
/// # Errors
/// When the list cannot be written.
pub fn settle(
    ours: &[Pending],
    plan: &FleetPlan,
    outcomes: &[HostOutcome],
    context: &Context,
) -> Result<Vec<Pending>, Failure> {
    let noted = if plan.verb.can_change() { ours } else { &[] };
    let undone = plan.hosts.iter().zip(outcomes).filter(|(host, outcome)| {
        let is_undone = outcome.answer.state == HostState::Done && outcome.answer.exit == Some(0);
        !host.pending.is_empty() && is_undone
    });
    let undone: Vec<&Pending> = undone.flat_map(|(host, _)| &host.pending).collect();
    let list = match noted.is_empty() && undone.is_empty() {
        true => pending_file::read(&context.state_dir)?,
        false => pending_file::change(&context.state_dir, |list| {
            undone.iter().for_each(|one| list.clear(one));
            for (one, outcome) in noted.iter().zip(outcomes) {
                match outcome.is_lost_at_work {
                    true => list.put(lost(one, outcome)),
                    false => list.clear(one),
                }
            }
        })?,
    };
    let own = plan.hosts.iter().flat_map(|host| &host.pending).chain(ours);
    let own: Vec<&Pending> = own.collect();
    let is_here = |one: &Pending| own.iter().any(|here| here.has_way_of(one));
    Ok(list.hosts.into_iter().filter(is_here).collect())
}

fn lost(noted: &Pending, outcome: &HostOutcome) -> Pending {
    let answer = &outcome.answer;
    let told = answer.error.as_ref().map(|error| error.error.clone());
    let why = answer.why.clone().or(told);
    Pending {
        hostname: answer.host.as_ref().map(|host| host.hostname.clone()),
        why: why.unwrap_or("a signal ended the verb there".into()),
        ..noted.clone()
    }
}
