//! Seeded faults: `check` names the true cause among its first three findings, and is silent on healthy machines.
//!
//! A case is one file of `lab/faults` or `lab/healthy`. Here some of them are built in a guest and checked; with
//! `IODYNO_FAULTS=all` all of them are, and with a list of names those. `IODYNO_BLESS=1` keeps each document as
//! `testdata/faults/NAME.json`, which the second test judges again without a guest, without what no finding rests on.

use crate::faults::{check, is_blessing, keep, verdict};
use crate::support::guest_with_iodyno;
use lab::cases::{self, Case};
use serde_json::Value;

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
    let asked: Vec<(&str, Vec<&Case>)> = cases::MACHINES
        .iter()
        .map(|kind| (*kind, wanted(kind)))
        .collect();
    let failed: Vec<String> = asked
        .iter()
        .filter(|(_, cases)| !cases.is_empty())
        .flat_map(|(kind, cases)| told(kind, cases))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Builds cases on a machine and checks them; what was not as it should be.
fn told(kind: &str, some: &[&Case]) -> Vec<String> {
    let prepared = || {
        let mut held = guest_with_iodyno(cases::machine(kind))?;
        let names = cases::prepare(&mut held.0, kind).unwrap();
        Some((held, names))
    };
    let mut place = prepared();
    let mut failed = Vec::new();
    for case in some {
        let Some(((guest, _turn), names)) = place.as_mut() else {
            return failed;
        };
        let mut checked = check(guest, names, case);
        // An emulated CPU can stand still for good; that says nothing about the case.
        if checked.is_err() && guest.run("true", 60).is_err() {
            println!("{:<28} once more in a new guest", case.name);
            drop(place.take());
            place = prepared();
            checked = match place.as_mut() {
                Some(((guest, _turn), names)) => check(guest, names, case),
                None => return failed,
            };
        }
        let judge = |checked: &Result<Value, String>| {
            let document = checked.as_ref().map_err(Clone::clone)?;
            verdict(case, document)
        };
        let mut judged = judge(&checked);
        // The guest shares two CPUs with the tests beside it: where it got none for a while, a disk's limit shows as
        // little as its fault. What is wrong with the rules is wrong the second time too.
        if let Err(why) = &judged {
            println!("{:<28} once more: {why}", case.name);
            checked = match place.as_mut() {
                Some(((guest, _turn), names)) => check(guest, names, case),
                None => return failed,
            };
            judged = judge(&checked);
        }
        let words = judged
            .as_ref()
            .map_or_else(Clone::clone, |()| "as it should be".into());
        println!("{:<28} {words}", case.name);
        if let (Ok(document), true) = (&checked, is_blessing()) {
            keep(case, document.clone());
        }
        failed.extend(judged.err().map(|why| format!("{}: {why}", case.name)));
    }
    failed
}
