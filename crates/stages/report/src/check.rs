//! A check in words: the answer first, then what the storage gives and should give, what was found with its evidence,
//! what could not be seen, and the one command to run next.

mod next;
mod profile;
mod table;
mod time;

pub use next::{Situation, command, next};

use super::command::{command_lines, is_command};
use super::text::{clean, width, wrap};
use model::change::Risk;
use model::check::{CheckResult, Expected, ExpectedWhat, GivenSetting, Role};
use model::finding::{Cost, Finding, Level, ProofOutcome};
use model::iopath::IoPath;
use model::shell_line::command_and_words;
use model::units;
use table::{Fit, fit};

/// Where the text of a finding begins.
const INDENT: usize = 11;

/// From this gain on a finding is a reason for being slow, not only a fault.
const GAIN_TOLD: f64 = 0.05;

/// So many loads are told with what a finding costs them.
const COSTS_TOLD: usize = 3;

/// The sentence a person needs.
pub fn answer(path: &IoPath, check: &CheckResult, findings: &[Finding]) -> String {
    let name = path
        .queue_device()
        .map_or(path.target.as_str(), |layer| layer.name.as_str());
    let gives = gives(&check.given);
    let (has_figures, has_load) = (!gives.is_empty(), has_load(check));
    let wrong: Vec<&Finding> = standing(findings)
        .filter(|one| one.level >= Level::Warning)
        .collect();
    let Some(worst) = wrong.first() else {
        return match (has_figures, has_load) {
            (true, _) => format!("{name} gives {gives}{}.", unexplained(check)),
            (false, true) => format!("Nothing wrong found on {name}."),
            (false, false) => match standing(findings).count() {
                0 => format!("Nothing wrong found on the path of {name}; nothing was loaded."),
                1 => format!(
                    "One suspicion about the path of {name}; nothing was loaded that would decide it."
                ),
                many => format!(
                    "{many} suspicions about the path of {name}; nothing was loaded that would decide them."
                ),
            },
        };
    };
    let claim = worst.claim.trim_end_matches('.');
    let further = match wrong.len() {
        1 => String::new(),
        2 => " One more finding below.".into(),
        many => format!(" {} more findings below.", many - 1),
    };
    match (has_figures, is_slower(worst)) {
        (true, true) => format!("{name} gives {gives}, less than it could: {claim}.{further}"),
        (true, false) => format!("{name} gives {gives}, but: {claim}.{further}"),
        (false, true) => format!("{name} is slower than it could be: {claim}.{further}"),
        (false, false) => format!("{name}: {claim}.{further}"),
    }
}

/// What is to be said of figures where nothing wrong was found: they may be off all the same.
fn unexplained(check: &CheckResult) -> String {
    let off = |wanted: Fit| {
        let of = |expected: &&Expected| {
            let mut given = check.given.iter();
            given.any(|one| one.what == expected.what && fit(one.value, expected) == wanted)
        };
        check.expected.iter().find(of)
    };
    match (off(Fit::Short), off(Fit::Beyond)) {
        (Some(short), _) => format!(
            ", less than it should in {} ({}); no cause was found",
            short.what.phrase(),
            short.because
        ),
        (_, Some(beyond)) => format!(
            ", more than it can in {} ({}): a cache answers, or it is something else; nothing wrong found",
            beyond.what.phrase(),
            beyond.because
        ),
        _ => "; nothing wrong found".into(),
    }
}

/// Whether it is a reason for being slow, not only a fault.
fn is_slower(finding: &Finding) -> bool {
    finding.loss().is_some() || finding.gain >= GAIN_TOLD
}

/// `8.10 k random reads/s and 210 MiB/s`.
fn gives(given: &[GivenSetting]) -> String {
    let of = |what: ExpectedWhat| {
        given
            .iter()
            .find(|one| one.what == what)
            .map(|one| one.value)
    };
    let reads = of(ExpectedWhat::RandomReads)
        .map(|rate| format!("{} random reads/s", units::count(rate.round())));
    let best = [
        of(ExpectedWhat::SequentialRead),
        of(ExpectedWhat::SequentialReads),
    ];
    let stream = best.into_iter().flatten().max_by(f64::total_cmp);
    let stream = stream.map(|rate| format!("{} sequentially", units::bytes_per_s(rate)));
    let parts: Vec<String> = reads.into_iter().chain(stream).collect();
    parts.join(" and ")
}

fn has_load(check: &CheckResult) -> bool {
    check.probes.iter().any(|probe| probe.role != Role::Idle)
}

/// Whether notes are the answer: where nothing was loaded nothing is certain, and there is nothing worse to be said.
fn are_notes_told(check: &CheckResult, findings: &[Finding]) -> bool {
    let is_fine = standing(findings).all(|finding| finding.level < Level::Warning);
    is_fine && !has_load(check)
}

fn standing(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings
        .iter()
        .filter(|finding| finding.withdrawn.is_none())
}

/// A check in lines. `all` unfolds the notes and what was withdrawn.
pub fn lines(answer: &str, check: &CheckResult, findings: &[Finding], all: bool) -> Vec<String> {
    let mut lines = wrap(&clean(answer), width());
    lines.extend(table::lines(&check.given, &check.expected, all));
    lines.extend(time::lines(&check.accounts, all));
    lines.extend(finding_lines(
        findings,
        all || are_notes_told(check, findings),
    ));
    lines.extend(
        proved_line(findings)
            .iter()
            .flat_map(|line| wrap(line, width())),
    );
    lines.extend(profile::lines(check.profile.as_ref()));
    lines.extend(unseen_lines(&check.unseen));
    if !check.next.is_empty() {
        lines.extend(command_lines("Next: ", &clean(&check.next), width(), 4));
    }
    lines
}

fn finding_lines(findings: &[Finding], all: bool) -> Vec<String> {
    let is_shown = |finding: &&Finding| all || finding.level >= Level::Warning;
    let mut lines: Vec<String> = standing(findings).filter(is_shown).flat_map(one).collect();
    let withdrawn: Vec<&Finding> = findings
        .iter()
        .filter(|one| one.withdrawn.is_some())
        .collect();
    if all {
        lines.extend(withdrawn.into_iter().flat_map(taken_back));
        return lines;
    }
    let notes = standing(findings)
        .filter(|finding| finding.level < Level::Warning)
        .count();
    let folded = [
        count(notes, "note", "notes"),
        count(
            withdrawn.len(),
            "withdrawn suspicion",
            "withdrawn suspicions",
        ),
    ];
    let folded: Vec<String> = folded.into_iter().flatten().collect();
    if !folded.is_empty() {
        lines.push(format!(
            "  {} not shown here; --all shows them",
            folded.join(" and ")
        ));
    }
    lines
}

fn count(number: usize, one: &str, many: &str) -> Option<String> {
    match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        number => Some(format!("{number} {many}")),
    }
}

/// One finding: what is the case, what it rests on, what else it could be, what decides, what to do.
fn one(finding: &Finding) -> Vec<String> {
    let gain = match finding.gain {
        gain if gain >= GAIN_TOLD && finding.costs.is_empty() => {
            format!(", likely gain {}", units::percent_signed(gain))
        }
        _ => String::new(),
    };
    let about = match finding.section.is_empty() || finding.claim.contains(&finding.section) {
        true => String::new(),
        false => format!("{}: ", finding.section),
    };
    let mut lines = hanging(
        finding.level.word(),
        &format!("{about}{} ({}{gain})", finding.claim, finding.rule),
    );
    let shown = finding
        .evidence
        .iter()
        .map(|one| format!("{} {}", one.name, one.value));
    lines.extend(part("costs", &costs(finding)));
    lines.extend(part("proof", &proof(finding)));
    lines.extend(part("seen", &shown.collect::<Vec<_>>().join("; ")));
    for (place, other) in finding.competing.iter().enumerate() {
        lines.extend(part(if place == 0 { "or else" } else { "or" }, other));
    }
    let (command, words) = command_and_words(&finding.experiment);
    lines.extend(pasteable("decides", command, words));
    let risk = match finding.risk {
        Some(risk) if risk != Risk::Safe => format!(" ({})", risk.phrase()),
        _ => String::new(),
    };
    lines.extend(match command_and_words(&finding.advice) {
        ("", _) => Vec::new(),
        (command, words) if is_command(command) => {
            pasteable("cure", command, format!("{words}{risk}").trim())
        }
        _ => part("cure", &format!("{}{risk}", finding.advice)),
    });
    lines
}

/// What became of it in its experiment.
fn proof(finding: &Finding) -> String {
    let told = finding.proof.as_ref().map(|proof| {
        let record = proof
            .record
            .map_or(String::new(), |id| format!(" (record {id})"));
        format!("{}: {}{record}", proof.outcome.word(), proof.words)
    });
    told.unwrap_or_default()
}

/// How many suspicions were right, where experiments decided about some.
fn proved_line(findings: &[Finding]) -> Option<String> {
    let proofs: Vec<_> = findings
        .iter()
        .filter_map(|one| one.proof.as_ref())
        .collect();
    let outcomes: Vec<ProofOutcome> = proofs.iter().map(|proof| proof.outcome).collect();
    let count = |outcome| outcomes.iter().filter(|one| **one == outcome).count();
    let (right, open) = (
        count(ProofOutcome::Confirmed),
        count(ProofOutcome::Undecided),
    );
    let undecided = match open {
        0 => String::new(),
        open => format!(", {open} undecided"),
    };
    // What was rehearsed counts for nothing.
    let counted = match proofs.iter().any(|proof| proof.record.is_some()) {
        true => "; `iodyno catalogue` has the count so far",
        false => "",
    };
    (!outcomes.is_empty()).then(|| {
        format!(
            "Proved: {right} of {} suspicions right{undecided}{counted}.",
            outcomes.len()
        )
    })
}

/// What it takes from which loads, the first of many.
fn costs(finding: &Finding) -> String {
    let told = finding.costs.iter().take(COSTS_TOLD).map(Cost::words);
    let more = match finding.costs.len().saturating_sub(COSTS_TOLD) {
        0 => String::new(),
        1 => "; and of one more load".into(),
        many => format!("; and of {many} more loads"),
    };
    told.collect::<Vec<_>>().join("; ") + &more
}

fn taken_back(finding: &Finding) -> Vec<String> {
    let why = finding.withdrawn.as_deref().unwrap_or_default();
    let mut lines = hanging(
        "withdrawn",
        &format!("{} ({})", finding.claim, finding.rule),
    );
    lines.extend(part("why", why));
    lines
}

/// A word in front of a text whose further lines begin below its first.
fn hanging(word: &str, text: &str) -> Vec<String> {
    let lines = wrap(&clean(text), width() - INDENT);
    let heads = std::iter::once(word).chain(std::iter::repeat(""));
    lines
        .iter()
        .zip(heads)
        .map(|(line, head)| format!("  {head:<8} {line}"))
        .collect()
}

/// A command on lines of its own, to be pasted, and the words about it below; or words alone.
fn pasteable(head: &str, command: &str, words: &str) -> Vec<String> {
    if command.is_empty() {
        return part(head, words);
    }
    let start = format!("{:INDENT$}{head:<9}", "");
    let mut lines = command_lines(&start, &clean(command), width(), INDENT + 11);
    lines.extend(part("", words));
    lines
}

/// A part of a finding; nothing where there is no text.
fn part(word: &str, text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let lines = wrap(&clean(text), width() - INDENT - 9);
    let heads = std::iter::once(word).chain(std::iter::repeat(""));
    lines
        .iter()
        .zip(heads)
        .map(|(line, head)| format!("           {head:<9}{line}"))
        .collect()
}

fn unseen_lines(unseen: &[String]) -> Vec<String> {
    let head = (!unseen.is_empty()).then(|| "Not seen, or seen only in part:".to_string());
    let each = unseen.iter().flat_map(|one| {
        let lines = wrap(&clean(one), width() - 4);
        let marks = std::iter::once("- ").chain(std::iter::repeat("  "));
        lines
            .into_iter()
            .zip(marks)
            .map(|(line, mark)| format!("  {mark}{line}"))
            .collect::<Vec<_>>()
    });
    head.into_iter().chain(each).collect()
}

#[cfg(test)]
mod tests;
