//! Every rule is run on the blocks of its own documentation.

mod causes;
mod live;
mod reports;
pub mod words;

use super::examples::{Example, Expected};
use super::{Rule, When, corrected, rules};
use model::finding::Finding;

/// The fenced blocks of facts below a heading of a page.
fn blocks(page: &str, heading: &str) -> Vec<String> {
    let start = page
        .find(&format!("## {heading}\n"))
        .unwrap_or_else(|| panic!("no {heading} in {page}"));
    let section = page[start + 3..].split("\n## ").next().unwrap();
    let fenced = section.split("```facts\n").skip(1);
    fenced
        .map(|rest| rest.split("```").next().unwrap().to_string())
        .collect()
}

fn pages() -> impl Iterator<Item = (&'static Rule, &'static str)> {
    let rule = |id: &str| *rules::ALL.iter().find(|rule| rule.id == id).unwrap();
    rules::PAGES.iter().map(move |(id, page)| (rule(id), *page))
}

fn meets(finding: &Finding, expected: &Expected) -> bool {
    let has_fix = |wanted: &String| {
        let (option, value) = match wanted.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (wanted.as_str(), None),
        };
        finding
            .fixes
            .iter()
            .any(|fix| fix.option == option && fix.value.as_deref() == value)
    };
    finding.level == expected.level
        && expected
            .says
            .iter()
            .all(|words| finding.claim.contains(words.as_str()))
        && expected.fixes.iter().all(has_fix)
        && expected.fixes.is_empty() == finding.fixes.is_empty()
}

#[test]
fn examples_are_found_as_they_say() {
    for (rule, page) in pages() {
        let mut worst = None;
        let blocks = blocks(page, "Example");
        assert!(!blocks.is_empty(), "{} has no example", rule.id);
        for block in blocks {
            let example = Example::parse(&block);
            let found = (rule.judge)(&example.facts());
            assert_eq!(
                found.len(),
                example.expected.len(),
                "{}: {found:#?}\n{block}",
                rule.id
            );
            for (finding, expected) in found.iter().zip(&example.expected) {
                assert!(
                    meets(finding, expected),
                    "{}: {finding:#?}\n{block}",
                    rule.id
                );
                assert!(
                    finding.claim.ends_with('.') && !finding.advice.is_empty(),
                    "{finding:#?}"
                );
                worst = worst.max(Some(finding.level));
            }
        }
        assert_eq!(
            worst,
            Some(rule.level),
            "{} never gives its worst level",
            rule.id
        );
    }
}

#[test]
fn the_rules_see_the_engine_behind_fio() {
    let mut compared = 0;
    for (rule, page) in pages() {
        for block in [blocks(page, "Example"), blocks(page, "Stays silent")].concat() {
            let native = (rule.judge)(&Example::parse(&block).facts());
            let found = (rule.judge)(&Example::parse(&block).behind_fio().facts());
            let claims =
                |all: &[Finding]| all.iter().map(|one| one.claim.clone()).collect::<Vec<_>>();
            assert_eq!(claims(&found), claims(&native), "{}\n{block}", rule.id);
            compared += found.len();
        }
    }
    assert!(compared > 60, "{compared} findings were compared");
}

#[test]
fn silent_examples_stay_silent() {
    for (rule, page) in pages() {
        let blocks = blocks(page, "Stays silent");
        assert!(!blocks.is_empty(), "{} has no silent example", rule.id);
        for block in blocks {
            let found = (rule.judge)(&Example::parse(&block).facts());
            assert!(found.is_empty(), "{}: {found:#?}\n{block}", rule.id);
        }
    }
}

/// What is told of a job is what all rules say together, and there one that says more has the word.
#[test]
fn rules_give_way_as_they_say() {
    let mut given = 0;
    for (rule, page) in pages().filter(|(_, page)| page.contains("## Gives way\n")) {
        for block in blocks(page, "Gives way") {
            let example = Example::parse(&block);
            assert!(!(rule.judge)(&example.facts()).is_empty(), "{block}");
            let told = match rule.when {
                When::BeforeLoad => super::before(&example.facts()),
                When::AfterLoad => super::after(&example.facts()),
            };
            let tells = |id: &str| told.iter().any(|finding| finding.rule == id);
            assert!(!tells(rule.id), "{told:#?}\n{block}");
            assert!(rule.yields_to.iter().any(|id| tells(id)), "{told:#?}");
            given += 1;
        }
    }
    assert!(given > 0, "no rule shows how it gives way");
}

#[test]
fn fixes_are_known_and_help() {
    for (rule, page) in pages() {
        for block in blocks(page, "Example") {
            let example = Example::parse(&block);
            let found = (rule.judge)(&example.facts());
            // A result stays what it was, whatever the next job says.
            if rule.when == When::AfterLoad {
                continue;
            }
            let mut section = example.facts().sections[0].clone();
            for fix in found.iter().flat_map(|finding| &finding.fixes) {
                assert!(
                    super::corrected::apply(&mut section, fix),
                    "{}: {fix:?}",
                    rule.id
                );
            }
            let fixable: Vec<String> = found
                .iter()
                .filter(|one| !one.fixes.is_empty())
                .map(|one| one.section.clone())
                .collect();
            let sections = corrected(example.facts().sections, &found);
            let left = (rule.judge)(&example.with_sections(sections).facts());
            let left: Vec<&Finding> = left
                .iter()
                .filter(|one| fixable.contains(&one.section))
                .collect();
            assert!(
                left.is_empty(),
                "{} is still there after its own fix: {left:#?}\n{block}",
                rule.id
            );
        }
    }
}
