//! `faults`: at which place `check` names the true cause of each seeded fault, and what it says of healthy machines.
//!
//! The documents of `testdata/faults` were made by checks in guests of the lab (`make lab` makes them anew); here they are
//! judged again by the binary that is named, so that the table is about the rules as they are now.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark is no part of the product: it starts processes and writes its own report"
)]

use lab::cases::{self, Case};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The cause counts as named among so many findings.
const FIRST: usize = 3;

fn main() -> ExitCode {
    let Some(binary) = std::env::args().nth(1) else {
        eprintln!("faults: name the binary of iodyno");
        return ExitCode::FAILURE;
    };
    match table(&binary).and_then(|text| kit::results::publish("faults", &text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("faults: {message}");
            ExitCode::FAILURE
        }
    }
}

fn table(binary: &str) -> Result<String, String> {
    let (mut rows, mut named, mut faults, mut alarmed, mut healthy) = (String::new(), 0, 0, 0, 0);
    for case in cases::all().map_err(|error| error.to_string())? {
        let file = format!("testdata/faults/{}.json", case.name);
        if !Path::new(&file).exists() {
            continue;
        }
        let findings = findings(binary, &file)?;
        let words = match case.causes.is_empty() {
            true => {
                let alarms: Vec<&str> = findings
                    .iter()
                    .filter(|(_, level)| level != "note")
                    .map(|(rule, _)| rule.as_str())
                    .collect();
                healthy += 1;
                alarmed += u32::from(!alarms.is_empty());
                if alarms.is_empty() {
                    "no alarm".into()
                } else {
                    format!("**{}**", alarms.join(", "))
                }
            }
            false => {
                let place = findings
                    .iter()
                    .position(|(rule, _)| case.causes.contains(rule));
                faults += 1;
                named += u32::from(place.is_some_and(|place| place < FIRST));
                place.map_or("**not named**".into(), |place| {
                    format!("{}, `{}`", place + 1, findings[place].0)
                })
            }
        };
        rows.push_str(
            &format!("| {} | {} | {words} |\n", case.name, title(&case)).replace("\\\n", "\n"),
        );
    }
    Ok(format!(
        "{named} of {faults} faults are named among the first {FIRST} findings of `check` ({:.0} %); {alarmed} of {healthy} healthy \
         machines get an alarm of level warning or above. Emulated guests with Linux 6.1, judged by the rules as they are now; the \
         thresholds were set with these same machines in view, so that others will fare somewhat worse. Two more cases were built and \
         taken out again, since an emulated guest cannot show them truly: a UAS disk on usb-storage, and all interrupts on one CPU. \
         What else cannot be had here stands in the catalogue: each cause says under Seen where it was seen, or what it takes.\n\n\
         | case | what it is | place and rule |\n|---|---|---|\n{rows}",
        f64::from(named) / f64::from(faults.max(1)) * 100.0
    ))
}

/// The rules of the findings that stand, with their levels.
fn findings(binary: &str, file: &str) -> Result<Vec<(String, String)>, String> {
    let output = Command::new(binary)
        .args(["check", "--json", "--replay", file])
        .output();
    let output = output.map_err(|error| format!("{binary}: {error}"))?;
    let document: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("{file}: {error}"))?;
    let all = document["findings"]
        .as_array()
        .ok_or_else(|| format!("{file}: no findings"))?;
    let text = |one: &Value, name: &str| one[name].as_str().unwrap_or_default().to_string();
    let stands = all.iter().filter(|one| one["withdrawn"].is_null());
    Ok(stands
        .map(|one| (text(one, "rule"), text(one, "level")))
        .collect())
}

/// The first line of the case's file.
fn title(case: &Case) -> String {
    let text = std::fs::read_to_string(&case.file).unwrap_or_default();
    let first = text.lines().next().unwrap_or_default();
    first.trim_start_matches("# ").to_string()
}
