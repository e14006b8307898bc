//! One visit: a look at the path, and its loads in rounds, which are added up to one load of each kind.

use super::super::check::measure::{LoadsWish, Measured, Measuring, Refusal};
use super::super::check::plan::CheckPlan;
use super::super::run::facts::{machine_facts, target_facts};
use super::super::run::targets;
use crate::context::Context;
use crate::exit::{Exit, Failure};
use host::signals::Stop;
use model::check::{CheckResult, Probe, Role};
use model::guard::GuardVisit;
use model::iopath::IoPath;
use model::record::{Direction, LoadResult, Record, RecordBody};
use model::target::TargetKind;
use observe::TracingWish;
use std::path::Path;

/// A visit that was made.
pub(super) struct Visited {
    /// What it saw.
    pub record: Record,
    /// Size of the scratch that fitted into the target; none where none was made.
    pub scratch_bytes: Option<u64>,
    /// Why the target failed in the middle of a load.
    pub failure: Option<Failure>,
}

/// Visits a target. Its loads take so long at the most and are left out while others keep a disk busy for more than these per cent of
/// the time;
/// without a time, nothing is loaded.
pub(super) fn visit(
    context: &Context,
    target: &str,
    (loads_ms, busy_most): (Option<u64>, f64),
    stop: &Stop,
) -> Result<Visited, Failure> {
    let path = inventory::collect_with_cluster(&context.host, target)?;
    let provenance = crate::provenance::of(&context.host);
    let opened = targets::opened(Path::new(target), &path);
    let mut check = CheckResult {
        mode: "guard".into(),
        target: target_facts(opened.as_deref().ok(), &path),
        machine: machine_facts(&context.host),
        ..CheckResult::default()
    };
    let (mut done, mut failure) = (GuardVisit::default(), None);
    match loads_ms {
        None => done.skipped = Some("--no-load".into()),
        Some(ms) => {
            let plan = CheckPlan::visit(ms);
            let measuring = Measuring {
                context,
                path: &path,
                plan: &plan,
                wish: TracingWish::Off,
                loads: LoadsWish::UnlessBusy(busy_most),
            };
            let before = observe::written_bytes(&context.host);
            let measured = measuring.measure(&mut check.target, opened, stop)?;
            let after = observe::written_bytes(&context.host);
            let written = after
                .zip(before)
                .map(|(after, before)| after.saturating_sub(before));
            done.written_bytes = written.unwrap_or(0);
            failure = taken(measured, &mut check, &mut done);
        }
    }
    if stop.is_asked() {
        let note = "no scratch is left, no setting was touched, and half a visit is not kept";
        let message = format!("stopped by {}; {note}.", stop.signal_name());
        return Err(Failure::new(Exit::Interrupted, message).on(target));
    }
    let is_scratch = check.target.kind == TargetKind::Directory;
    let scratch_bytes = check.target.bytes.filter(|_| is_scratch);
    check.guard = Some(done);
    Ok(Visited {
        record: record(check, provenance, path),
        scratch_bytes,
        failure,
    })
}

/// Puts what was measured into the check and the visit; gives why the target failed, if it did.
fn taken(measured: Measured, check: &mut CheckResult, done: &mut GuardVisit) -> Option<Failure> {
    done.device_ms = device_ms(&measured.done.probes);
    check.probes = rounds_added_up(measured.done.probes);
    check.unseen = measured.done.unseen;
    match measured.refusal {
        Some(Refusal::Loads(why)) => done.skipped = Some(why),
        other => check.unseen.extend(other.as_ref().map(Refusal::sentence)),
    }
    measured.failure.map(|failure| Failure {
        exit: Exit::Failed,
        ..failure
    })
}

/// From the end of the time without load to the end of the last one, scratch included.
fn device_ms(probes: &[Probe]) -> u64 {
    let end_ms = |probe: &Probe| probe.start_ms + probe.load.elapsed_ms as u64;
    let (idle, loads): (Vec<&Probe>, Vec<&Probe>) =
        probes.iter().partition(|probe| probe.role == Role::Idle);
    let from_ms = idle.iter().map(|probe| end_ms(probe)).max().unwrap_or(0);
    let to_ms = loads.iter().map(|probe| end_ms(probe)).max();
    to_ms.map_or(0, |to_ms| to_ms.saturating_sub(from_ms))
}

/// One probe for each role, in the order of their first rounds: counts, bytes, times and histograms of all of its rounds. Series over
/// time and what sensors read meanwhile are left out, since a visit is kept for a long time.
fn rounds_added_up(probes: Vec<Probe>) -> Vec<Probe> {
    let mut all: Vec<Probe> = Vec::new();
    for mut probe in probes {
        probe.tasks = None;
        if probe.role != Role::Idle {
            probe.frame = Default::default();
        }
        probe.load.intervals.clear();
        probe.load.latency_map = Default::default();
        probe.load.bins.clear();
        match all.iter_mut().find(|one| one.role == probe.role) {
            Some(first) => add(&mut first.load, &probe.load),
            None => all.push(probe),
        }
    }
    all
}

fn add(sum: &mut LoadResult, load: &LoadResult) {
    let add = |sum: &mut Direction, one: &Direction| {
        sum.ios += one.ios;
        sum.bytes += one.bytes;
        sum.latency.merge(&one.latency);
    };
    sum.elapsed_ms += load.elapsed_ms;
    sum.cpu_user_ms += load.cpu_user_ms;
    sum.cpu_system_ms += load.cpu_system_ms;
    add(&mut sum.read, &load.read);
    add(&mut sum.write, &load.write);
    add(&mut sum.sync, &load.sync);
}

fn record(check: CheckResult, provenance: model::record::Provenance, path: IoPath) -> Record {
    let loaded = check.probes.iter().find(|probe| probe.role != Role::Idle);
    let job = loaded.map(|probe| probe.job.clone()).unwrap_or_default();
    Record {
        job,
        ..Record::of(RecordBody::Check(check), provenance, path)
    }
}
