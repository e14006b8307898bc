//! Every live rule is run on the blocks of its own documentation: `field subject value` lines, `-` for no subject.

use crate::{LiveRule, during, live};
use analyse::fields::Frame;

/// The fenced blocks below a heading of a page.
fn blocks(page: &str, heading: &str) -> Vec<String> {
    let start = page
        .find(&format!("## {heading}\n"))
        .unwrap_or_else(|| panic!("no {heading} in {page}"));
    let section = page[start + 3..].split("\n## ").next().unwrap();
    let fenced = section.split("```fields\n").skip(1);
    fenced
        .map(|rest| rest.split("```").next().unwrap().to_string())
        .collect()
}

/// The values of a block, and the words that the claim is to hold.
fn parse(block: &str) -> (Frame, Option<(String, String)>) {
    let (mut values, mut expected) = (Vec::new(), None);
    for line in block.lines() {
        if let Some(rest) = line.strip_prefix("expect: ") {
            let (level, says) = rest.split_once(" says ").unwrap();
            expected = Some((level.to_string(), says.trim_matches('"').to_string()));
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [id, value] => values.push((id, "", value.parse().unwrap())),
            [id, subject, value] => values.push((id, subject, value.parse().unwrap())),
            _ => panic!("not a value: {line}"),
        }
    }
    (Frame::of(values), expected)
}

fn pages() -> impl Iterator<Item = (&'static LiveRule, &'static str)> {
    let rule = |id: &str| *live::ALL.iter().find(|rule| rule.id == id).unwrap();
    live::PAGES.iter().map(move |(id, page)| (rule(id), *page))
}

/// A check gives the same advice as the screen of `watch`, and has no panels.
#[test]
fn advice_can_be_followed_without_the_screen() {
    for (rule, page) in pages() {
        for block in blocks(page, "Example") {
            for finding in (rule.judge)(&parse(&block).0) {
                let advice = &finding.advice;
                assert!(!advice.contains("WHO"), "{}: {advice}", rule.id);
                if rule.id == "writers_wait_for_dirty_pages" {
                    assert!(
                        advice.contains("`iodyno watch` names processes"),
                        "{advice}"
                    );
                }
            }
        }
    }
}

#[test]
fn examples_are_found_as_they_say() {
    for (rule, page) in pages() {
        for block in blocks(page, "Example") {
            let (frame, expected) = parse(&block);
            let (level, says) = expected.unwrap_or_else(|| panic!("{} expects nothing", rule.id));
            let found = (rule.judge)(&frame);
            assert_eq!(found.len(), 1, "{}: {found:#?}", rule.id);
            assert_eq!(
                (found[0].level.word(), found[0].level),
                (level.as_str(), rule.level),
                "{}",
                rule.id
            );
            assert!(
                found[0].claim.contains(&says) && found[0].claim.ends_with('.'),
                "{:#?}",
                found[0]
            );
            assert!(
                !found[0].advice.is_empty() && !found[0].evidence.is_empty(),
                "{:#?}",
                found[0]
            );
            assert_eq!(during(&frame)[0].rule, rule.id);
        }
    }
}

#[test]
fn silent_examples_stay_silent() {
    for (rule, page) in pages() {
        let blocks = blocks(page, "Stays silent");
        assert!(!blocks.is_empty(), "{} has no silent example", rule.id);
        for block in blocks {
            assert!(
                (rule.judge)(&parse(&block).0).is_empty(),
                "{}\n{block}",
                rule.id
            );
        }
        assert!(
            (rule.judge)(&Frame::default()).is_empty(),
            "{} finds something in nothing",
            rule.id
        );
    }
}

#[test]
fn rules_name_fields_that_sensors_have() {
    let fields = observe::fields();
    let known: Vec<String> = fields
        .iter()
        .flat_map(|(_, fields)| fields.iter().map(|field| field.id()))
        .collect();
    for (rule, page) in pages() {
        let lines = [blocks(page, "Example"), blocks(page, "Stays silent")]
            .concat()
            .join("\n");
        for line in lines
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with("expect"))
        {
            let id = line.split_whitespace().next().unwrap();
            assert!(
                known.iter().any(|one| one == id),
                "{} reads {id}, which no sensor gives",
                rule.id
            );
        }
    }
}
