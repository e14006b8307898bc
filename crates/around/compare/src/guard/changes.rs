//! What differs between the reference and this visit, since when, who did it, and what an experiment said of it.

use super::{PutInPlace, Visit};
use crate::history::changed;
use model::difference::{Difference, DifferenceWhat};
use model::finding::{FindingProof, ProofOutcome};
use model::guard::{GuardChange, SettingId, SettingProof};

/// What stands at the last of the visits, alarms first.
pub(super) fn standing(visits: &[Visit<'_>], put_in_place: &[PutInPlace]) -> Vec<GuardChange> {
    let (Some(reference), Some(this)) = (visits.first(), visits.last()) else {
        return Vec::new();
    };
    let found = changed(reference.record, this.record, None);
    let mut first_seen = vec![visits.len() - 1; found.len()];
    // From the newest back, as long as any of them is still there.
    for (index, visit) in visits.iter().enumerate().rev().skip(1) {
        let there = changed(reference.record, visit.record, None);
        let mut is_any = false;
        for (difference, first) in found.iter().zip(&mut first_seen) {
            let is_there = *first == index + 1 && there.iter().any(|one| is_same(one, difference));
            if is_there {
                *first = index;
                is_any = true;
            }
        }
        if !is_any {
            break;
        }
    }
    let changes = found
        .into_iter()
        .zip(first_seen)
        .map(|(difference, first)| {
            let proof = proof(visits, &difference);
            let put_by = put_by(put_in_place, &difference);
            // One that comes or goes comes or goes with something else: a scheduler's own settings, those of a layer.
            let has_both = difference.a.is_some() && difference.b.is_some();
            let is_setting = difference.what == DifferenceWhat::Setting && has_both;
            let costs_nothing = proof
                .as_ref()
                .is_some_and(|proof| proof.outcome == ProofOutcome::Refuted);
            GuardChange {
                is_alarm: is_setting && put_by.is_none() && !costs_nothing,
                since: visits[first].id,
                put_by,
                proof,
                difference,
            }
        });
    let mut changes: Vec<GuardChange> = changes.collect();
    changes.sort_by_key(|change| !change.is_alarm);
    changes
}

fn is_same(one: &Difference, other: &Difference) -> bool {
    (&one.place, &one.name, &one.b) == (&other.place, &other.name, &other.b)
}

/// The newest experiment on these two values.
fn proof(visits: &[Visit<'_>], difference: &Difference) -> Option<FindingProof> {
    let setting = SettingId::of_difference(difference);
    let is_it = |made: &&SettingProof| {
        let values = (Some(&made.before), Some(&made.now));
        made.setting == setting && values == (difference.a.as_ref(), difference.b.as_ref())
    };
    let mut made = visits
        .iter()
        .rev()
        .filter_map(|visit| visit.check.guard.as_ref());
    made.find_map(|visit| visit.proofs.iter().find(is_it))
        .map(|made| made.proof.clone())
}

fn put_by(put_in_place: &[PutInPlace], difference: &Difference) -> Option<String> {
    let setting = SettingId::of_difference(difference);
    let is_it =
        |put: &&PutInPlace| put.setting == setting && Some(&put.value) == difference.b.as_ref();
    put_in_place.iter().find(is_it).map(|put| put.by.clone())
}
