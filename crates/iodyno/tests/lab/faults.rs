//! Seeded faults: `check` names the true cause among its first three findings, and is silent on healthy machines.
//!
//! A case is one file of `lab/faults` or `lab/healthy`. Here some of them are built in a guest and checked; with
//! `IODYNO_FAULTS=all` all of them are, and with a list of names those. `IODYNO_BLESS=1` keeps each document as
//! `testdata/faults/NAME.json`, which the second test judges again without a guest, without what no finding rests on.

use crate::faults::{check, is_blessing, keep, verdict};
use crate::support::guest_with_iodyno;
use lab::cases::{self, Case};
use serde_json::Value;
use skip::Outcome;

fn is_wanted(case: &Case) -> bool {
    match std::env::var("IODYNO_FAULTS").ok().as_deref() {
        None => case.is_in_test,
        Some("all") => true,
        Some(names) => names.split(',').any(|name| name == case.name),
    }
}

#[test]
#[ignore = "lab"]
fn a_guest_with_a_fault_is_told_its_cause() {
    let all = cases::all().unwrap();
    let wanted = |kind: &str| -> Vec<&Case> {
        all.iter()
            .filter(|case| case.machine == kind && is_wanted(case))
            .collect()
    };
    for kind in cases::MACHINES {
        let cases = wanted(kind);
        if !cases.is_empty() {
            tell(kind, &cases);
        }
    }
}

/// Builds cases on a machine, checks them and notes what came of each.
fn tell(kind: &str, some: &[&Case]) {
    let prepared = || {
        let mut held = guest_with_iodyno(cases::machine(kind))?;
        let names = cases::prepare(&mut held.0, kind).unwrap();
        Some((held, names))
    };
    let mut place = prepared();
    for case in some {
        let Some(((guest, _turn), names)) = place.as_mut() else {
            return;
        };
        let mut checked = check(guest, names, case);
        // An emulated CPU can stand still for good; that says nothing about the case.
        if checked.is_err() && guest.run("true", 60).is_err() {
            println!("{:<28} once more in a new guest", case.name);
            drop(place.take());
            place = prepared();
            checked = match place.as_mut() {
                Some(((guest, _turn), names)) => check(guest, names, case),
                None => return,
            };
        }
        let document = checked.unwrap_or_else(|why| panic!("{}: {why}", case.name));
        note(case, &document);
        if is_blessing() {
            keep(case, document);
        }
    }
}

/// Where a guest got no CPU for a while, a disk's limit shows as little as its fault: what is not found is undecided, and an
/// alarm on a healthy machine is wrong.
fn note(case: &Case, document: &Value) {
    let (outcome, words) = match verdict(case, document) {
        Ok(()) => (Outcome::Won, "as it should be".into()),
        Err(why) if case.causes.is_empty() => (Outcome::Wrong, why),
        Err(why) => (Outcome::Undecided, why),
    };
    skip::measured(outcome, format!("{}: {words}", case.name));
}
