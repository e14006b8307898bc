//! Experiments on settings that changed: the value from before against the one that is there, in what is left of the budget.

use super::super::check::prove;
use super::super::diff::load_of;
use super::visits::{Series, guard_of};
use crate::context::Context;
use crate::exit::{Exit, Failure};
use apply::Knob;
use diagnose::difference::{Candidate, with_experiments};
use model::change::Risk;
use model::guard::{GuardAnswer, GuardChange, SettingId, SettingProof};
use model::record::Record;
use std::cell::RefCell;

/// A shorter experiment seldom decides, ms.
const PROOF_LEAST_MS: u64 = 10_000;
/// So many at a visit.
const PROOFS_MOST: usize = 2;

/// What is proved, and where.
pub(super) struct Proofs<'a> {
    pub(super) context: &'a Context,
    pub(super) target: &'a str,
    /// Size of the scratch file that fitted into the target; none where none was made.
    pub(super) scratch_bytes: Option<u64>,
}

/// An experiment that can be made.
struct Wanted {
    setting: SettingId,
    before: String,
    now: String,
    options: Vec<String>,
}

impl Proofs<'_> {
    /// Makes those that nobody has made yet, and keeps them in the visit's record.
    ///
    /// # Errors
    /// Somebody stopped it, or the target or the putting back failed. What was proved until then stands in the record.
    pub(super) fn make(
        &self,
        series: &Series,
        answer: &GuardAnswer,
        record: &mut Record,
    ) -> Result<(), Failure> {
        let Some(reference) = series.reference() else {
            return Ok(());
        };
        let wanted = wanted(reference, record, answer);
        for wanted in wanted.into_iter().take(PROOFS_MOST) {
            let visit = guard_of(record);
            let left_ms = visit.budget_ms.saturating_sub(visit.device_ms);
            if left_ms < PROOF_LEAST_MS {
                return Ok(());
            }
            let begun_ns = host::clock::monotonic_ns();
            let proof = self.proof(&wanted, left_ms)?;
            let visit = guard_of(record);
            visit.device_ms += (host::clock::monotonic_ns() - begun_ns) / 1_000_000;
            visit.proofs.push(SettingProof {
                setting: wanted.setting,
                before: wanted.before,
                now: wanted.now,
                proof,
            });
        }
        Ok(())
    }

    fn proof(
        &self,
        wanted: &Wanted,
        left_ms: u64,
    ) -> Result<model::finding::FindingProof, Failure> {
        // The scratch file and the last syncs come on top of a tune's budget.
        let budget_ms = left_ms - (left_ms / 4).min(10_000);
        self.context.out.note(format!(
            "Proof, up to {}: {} of {}, {} against {}",
            model::units::span_ms(budget_ms),
            wanted.setting.name,
            wanted.setting.place,
            wanted.now,
            wanted.before
        ));
        let proofs = prove::Proofs {
            context: self.context,
            target: self.target,
            budget_ms,
            scratch_bytes: self.scratch_bytes,
        };
        match proofs.tuned_by(&wanted.options, true) {
            // Whoever stopped it stops the visit, and a setting that could not be put back is said aloud.
            Err(failure) if matches!(failure.exit, Exit::Interrupted | Exit::Failed) => {
                Err(failure)
            }
            Err(failure) => Ok(prove::undecided(format!("not made: {}", failure.message))),
            Ok(proof) => Ok(proof),
        }
    }
}

/// The settings that are an alarm, that a knob turns without harm, and that no experiment has looked at: what matters most first.
fn wanted(reference: &Record, record: &Record, answer: &GuardAnswer) -> Vec<Wanted> {
    let is_open = |change: &&GuardChange| {
        let is_made = change
            .proof
            .as_ref()
            .is_some_and(|proof| proof.record.is_some());
        change.is_alarm && !is_made
    };
    let open: Vec<SettingId> = answer
        .changes
        .iter()
        .filter(is_open)
        .map(|change| SettingId::of_difference(&change.difference))
        .collect();
    let found = RefCell::new(Vec::new());
    let path = &record.path;
    let load = |candidate: &Candidate<'_>| {
        let words = load_of(candidate, path, None)?;
        found.borrow_mut().push(proposed(candidate, &words));
        Ok(words)
    };
    with_experiments(&reference.path, path, ["before", "now"], None, &load);
    let place = |wanted: &Wanted| open.iter().position(|setting| *setting == wanted.setting);
    let mut wanted: Vec<Wanted> = found.into_inner().into_iter().flatten().collect();
    wanted.retain(|wanted| place(wanted).is_some());
    wanted.sort_by_key(|wanted| place(wanted));
    wanted
}

fn proposed(candidate: &Candidate<'_>, load: &[String]) -> Option<Wanted> {
    let knob = Knob::find(candidate.knob)?;
    let is_harmless = matches!(knob.risk, Risk::Safe | Risk::CostsLatency);
    // Under a program of the user's only the user can judge it.
    let has_load = !load.iter().any(|word| word == "--command");
    let values = format!("--knob={}={},{}", knob.id, candidate.now, candidate.other);
    (is_harmless && has_load).then(|| Wanted {
        setting: SettingId {
            place: candidate.place.into(),
            name: knob.attribute.into(),
        },
        before: candidate.other.into(),
        now: candidate.now.into(),
        options: load.iter().cloned().chain([values]).collect(),
    })
}
