//! Seeded faults: `check` names the true cause among its first three findings, and is silent on healthy machines.
//!
//! A case is one file of `lab/faults` or `lab/healthy`. Here some of them are built in a guest and checked; with
//! `IODYNO_FAULTS=all` all of them are, and with a list of names those. `IODYNO_BLESS=1` keeps each document as
//! `testdata/faults/NAME.json`, which the second test judges again without a guest, without what no finding rests on.

use crate::support::{Iodyno, code, text};
use lab::Guest;
use lab::cases::{self, Case};
use serde_json::Value;
use std::path::{Path, PathBuf};

mod small;

/// The cause counts as found among so many findings.
const FIRST: usize = 3;

fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/faults")
}

/// The document of a check of the case, or what went wrong.
pub fn check(guest: &mut Guest, names: &str, case: &Case) -> Result<Value, String> {
    let script = format!(
        "IODYNO_STATE_DIR=/run/state /run/iodyno check \"$TARGET\" --json {} >/mnt/lab/case.json",
        case.options
    );
    let done = case
        .run(guest, names, &script, 400)
        .map_err(|error| error.to_string())?;
    if done.status > 1 {
        return Err(format!("status {}: {}", done.status, done.err));
    }
    let document = guest.get("case.json").map_err(|error| error.to_string())?;
    serde_json::from_slice(&document).map_err(|error| error.to_string())
}

pub fn is_blessing() -> bool {
    std::env::var_os("IODYNO_BLESS").is_some()
}

/// Keeps a document, without what its findings do not rest on.
pub fn keep(case: &Case, document: Value) {
    std::fs::create_dir_all(documents()).unwrap();
    let file = documents().join(format!("{}.json", case.name));
    let findings = |document: &Value| {
        std::fs::write(&file, document.to_string()).unwrap();
        let (judged, output) = Iodyno::new().json(&["check", "--replay", file.to_str().unwrap()]);
        serde_json::json!([code(&output), judged["findings"]])
    };
    let kept = small::small(document, findings);
    std::fs::write(&file, small::text(&kept)).unwrap();
}

/// A key of the findings that stand, in their order, of these levels.
fn findings(document: &Value, levels: &[&str], key: &str) -> Vec<String> {
    let findings = document["findings"].as_array().expect("a list of findings");
    let stands = |one: &&Value| {
        one["withdrawn"].is_null() && levels.contains(&one["level"].as_str().unwrap())
    };
    findings
        .iter()
        .filter(stands)
        .map(|one| one[key].as_str().unwrap().to_string())
        .collect()
}

/// Whether the document names the cause, or on a healthy machine nothing; else what it says.
pub fn verdict(case: &Case, document: &Value) -> Result<(), String> {
    if case.causes.is_empty() {
        let alarms = |key| findings(document, &["wrong", "warning"], key);
        let (rules, claims) = (alarms("rule"), alarms("claim"));
        return rules
            .is_empty()
            .then_some(())
            .ok_or_else(|| format!("alarms on a healthy machine: {rules:?} {claims:?}"));
    }
    let all = findings(document, &["wrong", "warning", "note"], "rule");
    let is_named = all
        .iter()
        .take(FIRST)
        .any(|rule| case.causes.contains(rule));
    is_named
        .then_some(())
        .ok_or_else(|| format!("wanted one of {:?}, found {all:?}", case.causes))
}

#[test]
fn what_was_seen_in_guests_is_judged_the_same_again() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for case in cases::all().unwrap() {
        let file = documents().join(format!("{}.json", case.name));
        if !file.exists() {
            continue;
        }
        if is_blessing() {
            keep(
                &case,
                serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap(),
            );
        }
        let (document, output) = Iodyno::new().json(&["check", "--replay", file.to_str().unwrap()]);
        assert_eq!(code(&output), 0, "{}: {}", case.name, text(&output.stderr));
        wrong.extend(
            verdict(&case, &document)
                .err()
                .map(|why| format!("{}: {why}", case.name)),
        );
        seen += 1;
    }
    assert!(seen >= 60, "{seen} kept documents");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
