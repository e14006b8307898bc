//! Every cause is run on the scenes of its own documentation, and on nothing.

use crate::scene_examples::{Expected, SceneExample};
use crate::{Cause, causes, causes_of};
use model::finding::{Finding, Level};
use std::collections::BTreeSet;

/// The fenced scenes below a heading of a page.
fn blocks(page: &str, heading: &str) -> Vec<String> {
    let start = page
        .find(&format!("## {heading}\n"))
        .unwrap_or_else(|| panic!("no {heading} in {page}"));
    let section = page[start + 3..].split("\n## ").next().unwrap();
    let fenced = section.split("```scene\n").skip(1);
    fenced
        .map(|rest| rest.split("```").next().unwrap().to_string())
        .collect()
}

fn pages() -> impl Iterator<Item = (&'static Cause, &'static str)> {
    let cause = |id: &str| *causes::ALL.iter().find(|cause| cause.id == id).unwrap();
    causes::PAGES
        .iter()
        .map(move |(id, page)| (cause(id), *page))
}

fn meets(finding: &Finding, expected: &Expected) -> bool {
    finding.level == expected.level
        && expected
            .says
            .iter()
            .all(|words| finding.claim.contains(words.as_str()))
        && expected
            .about
            .as_ref()
            .is_none_or(|about| *about == finding.section)
}

/// New files that fail are no matter of speed.
#[test]
fn a_file_system_that_takes_no_files_has_no_gain() {
    let full = "filesystem: ext4 mount=/srv free_bytes=40g total_bytes=100g free_inodes=0 total_inodes=6553600\n\
                disk: sda transport=sata\n";
    let room = full.replace("free_bytes=40g", "free_bytes=1g");
    let read_only = blocks(causes_page("file_system_read_only"), "Example");
    for scene in [full.to_string(), room].into_iter().chain(read_only) {
        let example = SceneExample::parse(&scene);
        let mut found = causes_of(&example.scene());
        found.retain(|finding| finding.rule.starts_with("file_system_"));
        assert!(!found.is_empty(), "{scene}");
        for finding in found {
            assert_eq!(finding.gain, 0.0, "{finding:#?}");
        }
    }
}

fn causes_page(id: &str) -> &'static str {
    let page = causes::PAGES.iter().find(|(one, _)| *one == id);
    page.unwrap().1
}

#[test]
fn examples_are_found_as_they_say() {
    for (cause, page) in pages() {
        let blocks = blocks(page, "Example");
        assert!(!blocks.is_empty(), "{} has no example", cause.id);
        let mut worst = None;
        for block in blocks {
            let example = SceneExample::parse(&block);
            let found = (cause.judge)(&example.scene());
            assert_eq!(
                found.len(),
                example.expected.len(),
                "{}: {found:#?}\n{block}",
                cause.id
            );
            for (finding, expected) in found.iter().zip(&example.expected) {
                assert!(
                    meets(finding, expected),
                    "{}: {finding:#?}\n{block}",
                    cause.id
                );
                assert!(finding.claim.ends_with('.'), "{}: {finding:#?}", cause.id);
                assert!(
                    !finding.advice.is_empty() && !finding.evidence.is_empty(),
                    "{}: {finding:#?}",
                    cause.id
                );
                assert!(
                    !finding.refuted_by.is_empty(),
                    "{} does not say what would refute it",
                    cause.id
                );
                worst = worst.max(Some(finding.level));
            }
            let all = causes_of(&example.scene());
            assert!(
                all.iter()
                    .any(|finding| finding.rule == cause.id && !finding.experiment.contains("{"))
            );
        }
        assert_eq!(
            worst,
            Some(cause.level),
            "{} never gives its worst level",
            cause.id
        );
        assert_ne!(
            cause.level,
            Level::Wrong,
            "{}: a cause warns or notes",
            cause.id
        );
        assert!(
            !cause.competing.is_empty() && !cause.experiment.template().is_empty(),
            "{}",
            cause.id
        );
    }
}

#[test]
fn silent_examples_stay_silent() {
    for (cause, page) in pages() {
        let blocks = blocks(page, "Stays silent");
        assert!(!blocks.is_empty(), "{} has no silent example", cause.id);
        for block in blocks {
            let found = (cause.judge)(&SceneExample::parse(&block).scene());
            assert!(found.is_empty(), "{}: {found:#?}\n{block}", cause.id);
        }
        let nothing = (cause.judge)(&SceneExample::parse("").scene());
        assert!(
            nothing.is_empty(),
            "{} finds something in nothing: {nothing:#?}",
            cause.id
        );
    }
}

#[test]
fn scenes_state_facts_that_collectors_write() {
    let pages = inventory::collectors::PAGES.iter();
    let fields =
        pages.filter_map(|(_, page)| page.split("## Fields\n").nth(1)?.split("\n## ").next());
    // Between backticks is every second part.
    let told: BTreeSet<&str> = fields
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect();
    assert!(told.contains("transport") && told.contains("memory_bytes"));
    for (cause, text) in scenes() {
        let example = SceneExample::parse(&text);
        let path = example.scene().path;
        let layers = path.root.walk().into_iter().chain(&path.machine);
        for name in layers.flat_map(|layer| layer.facts.keys()) {
            assert!(
                told.contains(name.as_str()),
                "{cause} states the fact {name}, which no collector writes"
            );
        }
    }
}

/// Every scene, with the id of its cause.
fn scenes() -> impl Iterator<Item = (&'static str, String)> {
    pages().flat_map(|(cause, page)| {
        let all = [blocks(page, "Example"), blocks(page, "Stays silent")].concat();
        all.into_iter().map(|scene| (cause.id, scene))
    })
}

#[test]
fn scenes_name_fields_that_sensors_have() {
    let fields = observe::fields();
    let known: Vec<String> = fields
        .iter()
        .flat_map(|(_, fields)| fields.iter().map(|field| field.id()))
        .collect();
    for (cause, page) in pages() {
        let lines = [blocks(page, "Example"), blocks(page, "Stays silent")]
            .concat()
            .join("\n");
        for line in lines
            .lines()
            .filter_map(|line| line.strip_prefix("field: "))
        {
            let id = line.split_whitespace().next().unwrap();
            assert!(
                known.iter().any(|one| one == id),
                "{} reads {id}, which no sensor gives",
                cause.id
            );
        }
    }
}

#[test]
fn every_cause_says_where_it_was_seen() {
    for (cause, page) in pages() {
        let start = page
            .find("## Seen\n")
            .unwrap_or_else(|| panic!("{} has no Seen", cause.id));
        let text = page[start + 8..].split("\n## ").next().unwrap().trim();
        let heads = ["On a live kernel:", "In the lab:", "Not produced:"];
        assert!(
            heads.iter().any(|head| text.starts_with(head)),
            "{}: {text}",
            cause.id
        );
    }
}
