//! What the rules found, each with what it rests on, what would refute it and what to try; then what is fine, and what
//! could not be looked at.

use super::pieces;
use crate::figure::FigureTable;
use maud::{Markup, html};
use model::check::CheckResult;
use model::finding::{Cost, Finding, Level};
use model::record::{Record, RecordBody};

/// The part of the page; empty for records on which no rule had anything to say.
pub fn section(record: &Record) -> Markup {
    let (taken_back, mut standing): (Vec<&Finding>, Vec<&Finding>) = record
        .findings
        .iter()
        .partition(|finding| finding.withdrawn.is_some());
    // Within a level they come in their order: by what they cost.
    standing.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    let was_judged = match record.body {
        RecordBody::Run(_) | RecordBody::Check(_) => true,
        RecordBody::Tune(_) | RecordBody::Watch(_) | RecordBody::Import(_) => false,
    };
    html! {
        @for finding in &standing { (article(finding)) }
        @if standing.is_empty() && was_judged {
            p { span.word.fine { "✓" } " No rule found anything to say against this." }
        }
        @if !taken_back.is_empty() {
            details {
                summary { "Taken back, because a measurement contradicts it" }
                @for finding in &taken_back { (article(finding)) }
            }
        }
        @if let Some(check) = record.check() { (checked(check)) }
    }
}

/// What a check measured, what it could not look at, and what to run next.
fn checked(check: &CheckResult) -> Markup {
    html! {
        @if !check.given.is_empty() {
            h3 { "What it gives" }
            (pieces::table(&given_table(check)))
        }
        @if !check.unseen.is_empty() {
            h3 { "What could not be looked at" }
            (pieces::list(&check.unseen))
        }
        @if !check.next.is_empty() {
            p { "Next: " code { (check.next) } }
        }
    }
}

fn article(finding: &Finding) -> Markup {
    let (class, mark) = match finding.level {
        Level::Note => ("note", "note"),
        Level::Warning => ("warning", "! warning"),
        Level::Wrong => ("wrong", "✗ wrong"),
    };
    html! {
        article.finding.(class) {
            p { span.word.(class) { (mark) } " " (finding.claim) }
            dl {
                @for (name, text) in facts(finding) { dt { (name) } dd { (text) } }
            }
            p.quiet { code { "iodyno explain " (finding.rule) } }
        }
    }
}

/// What stands behind a finding, as far as it says so.
fn facts(finding: &Finding) -> Vec<(&'static str, String)> {
    let evidence = finding
        .evidence
        .iter()
        .map(|one| format!("{} {}", one.name, one.value));
    let proof = finding.proof.as_ref();
    let proof = proof.map(|proof| format!("{}: {}", proof.outcome.word(), proof.words));
    let costs = finding.costs.iter().map(Cost::words);
    let risk = finding.risk.map_or("", model::change::Risk::phrase);
    let mut facts = vec![
        ("costs", costs.collect::<Vec<_>>().join(" · ")),
        ("proof", proof.unwrap_or_default()),
        ("rests on", evidence.collect::<Vec<_>>().join(" · ")),
        ("taken back", finding.withdrawn.clone().unwrap_or_default()),
        ("would refute it", finding.refuted_by.clone()),
        ("what else it could be", finding.competing.join("; ")),
        ("would decide it", finding.experiment.clone()),
        ("to try", finding.advice.clone()),
        ("risk of that", risk.into()),
    ];
    facts.retain(|(_, text)| !text.is_empty());
    facts
}

/// What the storage gives beside what it should give.
pub fn given_table(check: &CheckResult) -> FigureTable {
    let has_figures = !check.expected.is_empty();
    let mut table = match has_figures {
        true => FigureTable::new(&[
            "measure",
            "gives",
            "should give",
            "share",
            "how",
            "why that",
        ]),
        false => FigureTable::new(&["measure", "gives", "how"]),
    };
    for given in &check.given {
        let (name, value) = (
            given.what.phrase().to_string(),
            given.what.words(given.value),
        );
        if !has_figures {
            table.row([name, value, given.how.clone()]);
            continue;
        }
        let expected = check
            .expected
            .iter()
            .find(|expected| expected.what == given.what);
        table.row([
            name,
            value,
            expected.map_or("no figure".into(), |one| match one.low == one.high {
                true => given.what.words(one.low),
                false => format!(
                    "{} to {}",
                    given.what.words(one.low),
                    given.what.words(one.high)
                ),
            }),
            expected.map_or("–".into(), |one| {
                model::units::percent(one.share(given.value) * 100.0)
            }),
            given.how.clone(),
            expected.map_or(String::new(), |one| one.because.clone()),
        ]);
    }
    table
}
